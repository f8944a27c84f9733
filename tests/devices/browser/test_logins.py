"""HTTP authentication: a site that asks for a user and a password gets those of the settings, no other site does."""

import base64
import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from deskhand.clock import SystemClock
from deskhand.core.actions import Click, OpenUrl
from deskhand.core.errors import ActionFailed
from deskhand.devices.browser.device import open_browser
from deskhand.settings.schema import BrowserSettings, LoginSettings

WANTED = "Basic " + base64.b64encode(b"ann:s3cret").decode()


class Guarded(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.heard.append(self.headers.get("Authorization", ""))  # type: ignore[attr-defined] # set below
        granted = self.path == "/open" or self.headers.get("Authorization") == WANTED
        data = b"<title>Inside</title>welcome" if self.path != "/open" else b"<a href=/in>In</a>"
        self.send_response(200 if granted else 401)
        if not granted:
            self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data) if granted else 0))
        self.end_headers()
        self.wfile.write(data if granted else b"")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def guarded() -> Iterator[http.server.ThreadingHTTPServer]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Guarded)
    server.heard = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def login(server: http.server.ThreadingHTTPServer, password: str, host: str = "127.0.0.1") -> BrowserSettings:
    site = f"{host}:{server.server_port}"
    return BrowserSettings(logins=(LoginSettings(site=site, user="ann", password=SecretStr(password)),))


@pytest.mark.parametrize("variable", ["", "SITE_PASSWORD"])
async def test_a_page_behind_a_login_opens(
    guarded: http.server.ThreadingHTTPServer, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_PASSWORD", "s3cret")
    settings = login(guarded, "s3cret")
    if variable:
        named = LoginSettings(site=settings.logins[0].site, user="ann", password_env=variable)
        settings = BrowserSettings(logins=(named,))
    device = await open_browser(settings, clock=SystemClock())
    try:
        await device.act(OpenUrl(url=f"http://127.0.0.1:{guarded.server_port}/in"))
        assert (await device.app()).title == "Inside"
    finally:
        await device.close()


@pytest.mark.parametrize("how", ["none", "wrong password", "other site"])
async def test_what_is_missing_is_said_plainly(guarded: http.server.ThreadingHTTPServer, how: str) -> None:
    settings = {
        "none": BrowserSettings(),
        "wrong password": login(guarded, "wrong"),
        "other site": login(guarded, "s3cret", "other.example"),
    }[how]
    device = await open_browser(settings, clock=SystemClock())
    site = f"127.0.0.1:{guarded.server_port}"
    try:
        with pytest.raises(ActionFailed, match=rf"{site} asks for a user name and a password: .*browser\.logins"):
            await device.act(OpenUrl(url=f"http://{site}/in"))
        await device.act(OpenUrl(url=f"http://{site}/open"))
        x, y = next(one for one in await device.elements() if one.name == "In").bounds.center
        with pytest.raises(ActionFailed, match=r"browser\.logins"):
            await device.act(Click(x=x, y=y))
    finally:
        await device.close()
    assert WANTED not in guarded.heard  # type: ignore[attr-defined]
