"""The phone on the network: accepts adb hosts on one TCP port and applies the wire's conditions live."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from functools import partial
from typing import Literal, Self

from deskhand.simphone.adb import http_control
from deskhand.simphone.adb.adb_services import make_banner, open_service
from deskhand.simphone.adb.phone_view import PhoneView
from deskhand.simphone.adb.transport import AUTH, AUTH_RSAPUBLICKEY, AUTH_TOKEN, MAX_PAYLOAD, HostConnection
from deskhand.simphone.phone import Phone
from deskhand.simphone.shell.android_system import AndroidSystem

WATCH_EVERY_S = 0.05
Mode = Literal["online", "unauthorized", "offline"]


class SimPhone:
    """`async with SimPhone(phone) as sim:` and then `adb connect` to `sim.address`."""

    def __init__(self, phone: Phone, port: int = 0, *, host: str = "127.0.0.1", view: bool = False) -> None:
        self.phone = phone
        self.host = host
        self.port = port
        self.system = AndroidSystem(phone)
        self.view = PhoneView(self.system) if view else None
        self._server: asyncio.Server | None = None
        self._hosts: set[asyncio.Task[None]] = set()
        self._links: set[HostLink] = set()
        self._watch: asyncio.TimerHandle | None = None

    @property
    def address(self) -> str:
        """The address for `adb connect`; adb lists the phone under it, too."""
        return f"{self.host}:{self.port}"

    @property
    def view_url(self) -> str:
        """The address of the page that shows the screen; empty if it was not asked for."""
        return f"http://{self.address}/view#{self.view.key}" if self.view else ""

    @property
    def is_busy(self) -> bool:
        """True while a host's command or gesture is under way, also one whose host has gone."""
        return self.system.has_gestures or any(link.connection.is_serving for link in self._links)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept_host, self.host, self.port, limit=2 * MAX_PAYLOAD)
        self.port = self._server.sockets[0].getsockname()[1]
        self._follow_conditions()
        return self

    async def __aexit__(self, *exc: object) -> None:
        if self._watch:
            self._watch.cancel()
        if self._server:
            self._server.close()
        for task in self._hosts:
            task.cancel()
        await asyncio.gather(*self._hosts, return_exceptions=True)
        await self.system.cancel_gestures()
        if self._server:
            await self._server.wait_closed()

    async def _accept_host(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._hosts.add(task)
        try:
            await self._serve_host(reader, writer)
        except (asyncio.CancelledError, asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            pass  # closing, or a host that never said a sensible word
        finally:
            self._hosts.discard(task)
            writer.close()
            # Cancelled once more, here: Python 3.11 shows a traceback for a host's task that ends as cancelled.
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _serve_host(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(30):
            begun = await reader.readexactly(4)
        if begun in http_control.METHODS:
            if request := await http_control.read_request(begun, reader):
                writer.write((await self._answer_http(request)).to_bytes())
                await writer.drain()
            return
        link = HostLink(HostConnection(reader, writer), self.system)
        self._links.add(link)
        try:
            await link.serve_host(begun)
        finally:
            self._links.discard(link)
            self.system.reversed_ports.remove_all(link.connection.open_on_host)

    async def _answer_http(self, request: http_control.HttpRequest) -> http_control.HttpAnswer:
        if request.is_foreign:
            return http_control.answer_json("403 Forbidden", {"error": "this is not for other sites"})
        answer = await self.view.answer_view(request) if self.view else None
        return answer or http_control.answer_control(request, self.phone)

    def _follow_conditions(self) -> None:
        """Let the links follow the conditions, a plain set that anyone may change."""
        for link in list(self._links):
            link.follow_conditions()
        self._watch = asyncio.get_running_loop().call_later(WATCH_EVERY_S, self._follow_conditions)


def read_mode(phone: Phone) -> Mode:
    if "offline" in phone.conditions:
        return "offline"
    return "unauthorized" if "unauthorized" in phone.conditions else "online"


class HostLink:
    """One host's standing with the phone: let in, asked for a key, or met with silence."""

    def __init__(self, connection: HostConnection, system: AndroidSystem) -> None:
        self.connection = connection
        self._system = system
        self._mode: Mode | None = None  # None until the host has introduced itself

    async def serve_host(self, begun: bytes) -> None:
        serve_stream = partial(open_service, self._system)
        await self.connection.serve_packets(self._greet_host, self._handle_auth, serve_stream, begun)

    def _greet_host(self) -> None:
        self._mode = read_mode(self._system.phone)
        if self._mode == "online":
            self.connection.accept_host(make_banner(self._system))
        elif self._mode == "unauthorized":
            self._ask_for_key()

    def _ask_for_key(self) -> None:
        self.connection.send_packet(AUTH, AUTH_TOKEN, 0, secrets.token_bytes(20))

    def _handle_auth(self, kind: int) -> None:
        """Accept no signature; after a public key wait for the phone's owner to approve it."""
        if self._mode == "unauthorized" and kind != AUTH_RSAPUBLICKEY:
            self._ask_for_key()

    def follow_conditions(self) -> None:
        wanted = read_mode(self._system.phone)
        if self._mode is None or wanted == self._mode:
            return
        if wanted == "online" and not self.connection.online:
            self._mode = wanted
            self.connection.accept_host(make_banner(self._system))
        else:
            self.connection.cut_line()  # the host comes back and meets the new mode


async def serve_phone(
    phone: Phone, port: int = 0, on_ready: Callable[[SimPhone], None] | None = None, *, view: bool = False
) -> None:
    """Serve a phone until cancelled; `on_ready` is called when it listens."""
    async with SimPhone(phone, port, view=view) as sim:
        if on_ready:
            on_ready(sim)
        await asyncio.Event().wait()
