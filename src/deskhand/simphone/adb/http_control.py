"""HTTP on the phone's own port, for tests and users: read the state, change the conditions.

It answers also while the phone refuses adb, which the shell commands of the same purpose can't.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from deskhand.simphone.conditions import CONDITIONS
from deskhand.simphone.phone import Phone

METHODS = (b"GET ", b"PUT ", b"DELE", b"HEAD", b"POST")
MAX_HEAD = 16 * 1024


async def answer_request(
    begun: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, phone: Phone
) -> None:
    """Answer one request and close: GET /state, GET /conditions, PUT or DELETE /conditions/NAME."""
    head = begun
    async with asyncio.timeout(5):
        while b"\r\n\r\n" not in head and len(head) < MAX_HEAD:
            chunk = await reader.read(4096)
            if not chunk:
                return
            head += chunk
    method, _, rest = head.decode(errors="replace").partition(" ")
    status, body = _handle_request(method, rest.partition(" ")[0], phone)
    data = json.dumps(body, ensure_ascii=False).encode()
    writer.write(
        f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        "Connection: close\r\n\r\n".encode()
        + data
    )
    await writer.drain()


def _handle_request(method: str, path: str, phone: Phone) -> tuple[str, Any]:
    name = path.removeprefix("/conditions/")
    match method, path:
        case "GET", "/state":
            return "200 OK", phone.read_state()
        case "GET", "/conditions":
            return "200 OK", sorted(phone.conditions)
        case (("PUT" | "DELETE"), _) if name in CONDITIONS:
            (phone.conditions.add if method == "PUT" else phone.conditions.discard)(name)
            return "200 OK", sorted(phone.conditions)
        case _:
            return "404 Not Found", {"error": f"no {method} {path}", "conditions": CONDITIONS}
