"""One socket to the adb server: sends requests, and reads answers without needless copies."""

import asyncio
import socket
import struct
from dataclasses import dataclass

from deskhand.core.errors import ActionFailed

CHUNK = 1 << 16
RECEIVE_BUFFER = 1 << 22
STDOUT, STDERR, EXIT = 1, 2, 3
PACKET = struct.Struct("<BI")


class AdbRefused(ActionFailed):
    """The server answered FAIL; the text is its own."""


class AdbClosed(Exception):
    """The server closed the socket before its answer was complete."""


@dataclass(frozen=True, slots=True)
class ShellResult:
    """The output and exit code of a command on the phone."""

    stdout: bytes
    stderr: bytes
    code: int

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8", "replace")

    @property
    def all_text(self) -> str:
        return (self.stdout + self.stderr).decode("utf-8", "replace")

    @property
    def complaint(self) -> str:
        """The command's error message in one line; many Android commands print theirs on stdout."""
        said = (self.stderr or self.stdout).decode("utf-8", "replace")
        lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("\tat ")]
        return " ".join(lines[:3])[:300] or f"exit code {self.code}"


class AdbSocket:
    """Uses a plain socket instead of streams: a picture of 10 MB is received straight into its own memory."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._loop = asyncio.get_running_loop()
        self._ahead = bytearray()

    @classmethod
    async def connect_to(cls, host: str, port: int) -> "AdbSocket":
        sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
            await asyncio.get_running_loop().sock_connect(sock, (host, port))
        except BaseException:
            sock.close()
            raise
        return cls(sock)

    def close(self) -> None:
        self._sock.close()

    async def request_service(self, service: str) -> None:
        """Ask for a service; raises Refused with the server's words."""
        body = service.encode()
        await self._loop.sock_sendall(self._sock, b"%04x" % len(body) + body)
        answer = await self.read_exactly(4)
        if answer == b"FAIL":
            raise AdbRefused((await self.read_block()).decode("utf-8", "replace").strip())
        if answer != b"OKAY":
            raise AdbRefused(f"the program on this port is no adb server: it answered {answer!r}")

    async def read_block(self) -> bytes:
        """Read a text that follows its length in four hex digits."""
        digits = await self.read_exactly(4)
        try:
            size = int(digits, 16)
        except ValueError:
            raise AdbRefused(f"the program on this port is no adb server: it answered {digits!r}") from None
        return await self.read_exactly(size)

    async def read_exactly(self, size: int) -> bytes:
        while len(self._ahead) < size:
            data = await self._loop.sock_recv(self._sock, CHUNK)
            if not data:
                raise AdbClosed
            self._ahead += data
        taken = bytes(self._ahead[:size])
        del self._ahead[:size]
        return taken

    async def read_rest(self) -> bytes:
        """Read until the other side closes."""
        data = bytearray(self._ahead)
        self._ahead.clear()
        while chunk := await self._loop.sock_recv(self._sock, CHUNK):
            data += chunk
        return bytes(data)

    async def read_into(self, view: memoryview) -> int:
        """Receive into `view` until it is full or the other side closes; return how many bytes came."""
        at = min(len(self._ahead), len(view))
        view[:at] = self._ahead[:at]
        del self._ahead[:at]
        while at < len(view):
            count = await self._loop.sock_recv_into(self._sock, view[at:])
            if not count:
                break
            at += count
        return at

    async def read_shell_result(self) -> ShellResult:
        """Read shell v2 packets up to the exit code."""
        parts = {STDOUT: bytearray(), STDERR: bytearray()}
        while True:
            kind, size = PACKET.unpack(await self.read_exactly(PACKET.size))
            data = await self.read_exactly(size)
            if kind == EXIT:
                return ShellResult(bytes(parts[STDOUT]), bytes(parts[STDERR]), data[0])
            if kind in parts:
                parts[kind] += data
