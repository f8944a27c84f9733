"""HTTP on the phone's own port, for tests and users: read the state, change the conditions, see and touch the screen.

It answers also while the phone refuses adb, which the shell commands of the same purpose can't. Only requests that
name this machine as their host are answered, so that no page of another site gets in by a name that leads here.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from deskhand.simphone.conditions import CONDITIONS
from deskhand.simphone.phone import Phone

METHODS = (b"GET ", b"PUT ", b"DELE", b"HEAD", b"POST", b"OPTI")
MAX_HEAD = 16 * 1024
MAX_BODY = 16 * 1024
OWN_HOSTS = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""

    @property
    def is_foreign(self) -> bool:
        """True if another site sent it: by its host's name, or by its page's origin."""
        host = self.headers.get("host", "")
        if host and host.rpartition(":")[0] not in OWN_HOSTS and host not in OWN_HOSTS:
            return True
        origin = self.headers.get("origin")
        return origin is not None and origin != f"http://{host}"


@dataclass(frozen=True)
class HttpAnswer:
    status: str
    body: bytes = b""
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def to_bytes(self) -> bytes:
        lines = [f"HTTP/1.1 {self.status}", f"Content-Type: {self.kind}", f"Content-Length: {len(self.body)}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines += ["Cache-Control: no-store", "X-Content-Type-Options: nosniff", "Connection: close", "", ""]
        return "\r\n".join(lines).encode() + self.body


def answer_json(status: str, data: Any) -> HttpAnswer:
    return HttpAnswer(status, json.dumps(data, ensure_ascii=False).encode())


async def read_request(begun: bytes, reader: asyncio.StreamReader) -> HttpRequest | None:
    """Read one request; None if it is too large, or breaks off."""
    head = begun
    async with asyncio.timeout(5):
        while b"\r\n\r\n" not in head:
            chunk = await reader.read(4096)
            if not chunk or len(head) > MAX_HEAD:
                return None
            head += chunk
        head, _, body = head.partition(b"\r\n\r\n")
        first, *lines = head.decode(errors="replace").split("\r\n")
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        size = headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > MAX_BODY:
            return None
        while len(body) < int(size):
            chunk = await reader.read(int(size) - len(body))
            if not chunk:
                return None
            body += chunk
    method, _, rest = first.partition(" ")
    return HttpRequest(method, rest.partition(" ")[0], headers, body)


def answer_control(request: HttpRequest, phone: Phone) -> HttpAnswer:
    """Answer GET /state, GET /conditions, PUT or DELETE /conditions/NAME."""
    name = request.path.removeprefix("/conditions/")
    match request.method, request.path:
        case "GET", "/state":
            return answer_json("200 OK", phone.read_state())
        case "GET", "/conditions":
            return answer_json("200 OK", sorted(phone.conditions))
        case (("PUT" | "DELETE"), _) if name in CONDITIONS:
            (phone.conditions.add if request.method == "PUT" else phone.conditions.discard)(name)
            return answer_json("200 OK", sorted(phone.conditions))
        case _:
            error = f"no {request.method} {request.path}"
            return answer_json("404 Not Found", {"error": error, "conditions": CONDITIONS})
