"""The stage of the browser tests: a small web server for pages, and words to find things on them."""

import http.server
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from deskhand.clock import SystemClock
from deskhand.core.actions import Click, OpenUrl
from deskhand.core.screen import Element
from deskhand.devices.browser.browser_process import Chromium, start_browser
from deskhand.devices.browser.device import BrowserDevice, open_in_browser
from deskhand.settings.schema import BrowserSettings

PAGES = Path(__file__).parents[2] / "pages"


class Site:
    """Files of tests/pages and pages given as text, on two ports: another port is another origin."""

    def __init__(self) -> None:
        self.texts: dict[str, bytes] = {}
        self.delays: dict[str, threading.Event] = {}
        self.redirects: dict[str, str] = {}
        self.pauses: dict[str, float] = {}
        self.parts: dict[str, tuple[bytes, bytes, threading.Event]] = {}
        self.asked: set[str] = set()
        self.stopped = threading.Event()
        # Addresses with a query that were asked for.
        self.queries: set[str] = set()
        # What was posted (or put, deleted …), in order: method, path with its query, body.
        self.posted: list[tuple[str, str, str]] = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def page(self, body: str, path: str = "/page.html") -> str:
        """Serve this text; returns its address."""
        self.texts[path] = body.encode()
        return self.url(path)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self._server.server_port}{path}"

    def delay(self, path: str, seconds: float) -> str:
        """Answer this path only so long after it was asked for; returns the path."""
        self.pauses[path] = seconds
        return path

    def withhold(self, path: str, first: bytes, last: bytes) -> threading.Event:
        """Serve the first part of a file, and the last one once the event is set."""
        self.parts[path] = (first, last, threading.Event())
        return self.parts[path][2]

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self.stopped.set()
        for delay in (*self.delays.values(), *(part[2] for part in self.parts.values())):
            delay.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(site: Site) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            site.asked.add(path)
            site.queries |= {self.path} if "?" in self.path else set()
            if path in site.redirects:
                self.send_response(302)
                self.send_header("Location", site.redirects[path])
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            if path in site.pauses:
                site.stopped.wait(site.pauses[path])
            if path in site.delays:
                site.delays[path].wait(20)
            data = b"".join(site.parts[path][:2]) if path in site.parts else site.texts.get(path)
            if data is None and (file := PAGES / path.lstrip("/")).is_file():
                data = file.read_bytes()
            self.send_response(200 if data is not None else 404)
            kind = "application/octet-stream" if path.endswith(".bin") else "text/html; charset=utf-8"
            self.send_header("Content-Type", kind)
            if path.endswith(".bin"):
                self.send_header("Content-Disposition", f'attachment; filename="{path[1:]}"')
            data = b"nothing here" if data is None else data
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if path in site.parts:
                first, _, ended = site.parts[path]
                self.wfile.write(first)
                self.wfile.flush()
                ended.wait(20)
                data = data[len(first) :]
            self.wfile.write(data)

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            site.posted.append((self.command, self.path, self.rfile.read(length).decode(errors="replace")))
            self.do_GET()

        def do_DELETE(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def serving() -> Iterator[Site]:
    site = Site()
    site.start()
    try:
        yield site
    finally:
        site.stop()


@asynccontextmanager
async def running(settings: BrowserSettings | None = None) -> AsyncIterator[Chromium]:
    chromium = await start_browser(settings or BrowserSettings())
    try:
        yield chromium
    finally:
        await chromium.close()


@asynccontextmanager
async def device_in(chromium: Chromium, settings: BrowserSettings | None = None) -> AsyncIterator[BrowserDevice]:
    device = await open_in_browser(chromium, settings or BrowserSettings(), clock=SystemClock())
    try:
        yield device
    finally:
        await device.close()


async def show(device: BrowserDevice, url: str) -> None:
    await device.act(OpenUrl(url=url))
    await device.frame()


async def find(device: BrowserDevice, text: str, role: str | None = None) -> Element:
    """The element whose name (else value or hint) is that text."""
    elements = await device.elements()
    for part in ("name", "value", "hint"):
        for one in elements:
            if getattr(one, part) == text and role in (None, one.role):
                return one
    known = [(one.role, one.name or one.value or one.hint) for one in elements]
    raise AssertionError(f"{text!r} is not on the page: {known}")


async def click(device: BrowserDevice, text: str, role: str | None = None) -> str:
    x, y = (await find(device, text, role)).bounds.center
    return await device.act(Click(x=x, y=y))


async def script(device: BrowserDevice, code: str) -> Any:
    """Ask the page itself, by another way than the one under test."""
    tab = await device._window.get_front_tab()
    return await tab.page.evaluate(code)
