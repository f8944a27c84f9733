"""Access checks before every route: own Host, own Origin, the token, a body of limited size."""

from __future__ import annotations

import ipaddress
import json
from collections import deque
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deskhand.core.errors import SettingsError
from deskhand.core.protocols import Clock
from deskhand.server.browser_sessions import BrowserSessions
from deskhand.server.problems import MEDIA_TYPE, make_problem
from deskhand.server.token import Token
from deskhand.settings.schema import ServerSettings

COOKIE = "deskhand_console"
MINUTE_S = 60.0
_PATIENCE = 16
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class RequestRefused(Exception):
    def __init__(self, status: int, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class AccessMiddleware:
    """ASGI middleware: a refused request reaches no route. Without `sessions`, only the token opens."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: Token,
        settings: ServerSettings,
        clock: Clock,
        sessions: BrowserSessions | None = None,
    ) -> None:
        self._app = app
        self._token = token
        self._sessions = sessions
        self._names = own_names_of(settings)
        self._exposed = not is_loopback(settings.host)
        self._most = settings.wrong_tokens
        self._limit = settings.body_kb * 1024
        self._clock = clock
        self._wrong: deque[float] = deque()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            cookie = self._check_request(scope)
            send = self._end_with_session(cookie, send) if cookie else send
            await self._app(scope, await self._limit_body(scope, receive), send)
        except RequestRefused as refusal:
            await _send_refusal(scope, refusal, send)

    def _check_request(self, scope: Scope) -> str:
        """Return the cookie that opened; empty if it was the token."""
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if _has_repeated_header(scope, b"host", b"origin", b"authorization", b"cookie"):
            raise RequestRefused(403, "Host, Origin, Authorization and Cookie may each be sent only once.")
        if not self._is_own_host(host):
            raise RequestRefused(403, "Unknown Host: use the server's own name, or add this one to server.names.")
        if "origin" in headers and headers["origin"] not in (f"http://{host}", f"https://{host}"):
            raise RequestRefused(403, "Requests from other sites are blocked: the Origin is not this server.")
        return self._check_token(scope, headers)

    def _is_own_host(self, host: str) -> bool:
        name = host_name_of(host)
        if name is None:
            return False
        return name in self._names or (self._exposed and is_address(name))

    def _check_token(self, scope: Scope, headers: Mapping[str, str]) -> str:
        scheme, _, said = headers.get("authorization", "").partition(" ")
        if said:
            if scheme.lower() != "bearer" or not self._is_right_token(said.strip()):
                raise RequestRefused(401, "The token is wrong.", www_authenticate="Bearer")
            return ""
        cookie = read_cookie(headers.get("cookie", ""))
        if cookie and self._sessions and self._sessions.is_valid(cookie):
            if scope.get("method", "GET") not in _SAFE and "origin" not in headers:
                raise RequestRefused(403, "With the cookie, an Origin header is required.")
            return cookie
        raise RequestRefused(
            401, "A token is required: send it as Authorization: Bearer TOKEN.", www_authenticate="Bearer"
        )

    def _end_with_session(self, cookie: str, send: Send) -> Send:
        """End an open stream with the session that opened it."""
        sessions, ended = self._sessions, False
        assert sessions

        async def send_while_valid(message: Message) -> None:
            nonlocal ended
            if ended:
                return
            if message["type"] == "http.response.body" and message.get("more_body") and not sessions.is_valid(cookie):
                ended = True
                await send({"type": "http.response.body", "body": b""})
                raise OSError("the session was ended")  # as if the client had gone away
            await send(message)

        return send_while_valid

    def _is_right_token(self, said: str) -> bool:
        """True for the right token. Wrong ones are limited to `server.wrong_tokens` a minute."""
        if self._token.accepts_token(said):
            return True
        now = self._clock.now()
        while self._wrong and self._wrong[0] < now - MINUTE_S:
            self._wrong.popleft()
        if len(self._wrong) >= self._most:
            raise RequestRefused(429, "Too many wrong tokens: wait a minute.", retry_after="60")
        self._wrong.append(now)
        return False

    async def _limit_body(self, scope: Scope, receive: Receive) -> Receive:
        """Refuse a body that is too long. One without a Content-Length is read here first."""
        headers = dict(scope["headers"])
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._limit:
            raise RequestRefused(413, f"The body is longer than {self._limit // 1024} KB.")
        if b"transfer-encoding" not in headers:
            return receive
        taken: deque[Message] = deque()
        size = 0
        while not taken or taken[-1].get("more_body"):
            taken.append(await receive())
            size += len(taken[-1].get("body", b""))
            if size > self._limit:
                taken = deque(taken, maxlen=1)  # heard out, so that the client hears us, but not for ever
            if size > _PATIENCE * self._limit:
                break
        if size > self._limit:
            raise RequestRefused(413, f"The body is longer than {self._limit // 1024} KB.")

        async def replay_body() -> Message:
            return taken.popleft() if taken else await receive()

        return replay_body


def _has_repeated_header(scope: Scope, *names: bytes) -> bool:
    given = [name.lower() for name, _ in scope["headers"]]
    return any(given.count(name) > 1 for name in names)


async def _send_refusal(scope: Scope, refusal: RequestRefused, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": refusal.detail})
        return
    body = json.dumps(make_problem(refusal.status, refusal.detail)).encode()
    headers = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), **refusal.headers}
    if refusal.status == 413:
        headers["connection"] = "close"
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def read_cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


# --- names -----------------------------------------------------------------------------------------------------


def own_names_of(settings: ServerSettings) -> frozenset[str]:
    return frozenset({"127.0.0.1", "localhost", "::1", *(name.lower() for name in settings.names)})


def host_name_of(host: str) -> str | None:
    """Return the name in a Host header without its port, or None if it is malformed."""
    name, rest = host, ""
    if host.startswith("["):
        name, _, rest = host[1:].partition("]")
    elif ":" in host:
        name, _, port = host.partition(":")
        rest = f":{port}"
    if not name or (rest and not (rest[0] == ":" and rest[1:].isdigit())):
        return None
    return name.lower()


def is_address(name: str) -> bool:
    """True for an IP address. No name server can redirect one, so an exposed server accepts it like its own name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    return is_address(host) and ipaddress.ip_address(host).is_loopback


def check_exposure(settings: ServerSettings) -> None:
    """Raise SettingsError for an address beyond this machine that the user has not allowed."""
    if not is_loopback(settings.host) and not settings.expose:
        raise SettingsError(
            f"{settings.host} can be reached from other machines: allow it with --expose (server.expose)."
        )
