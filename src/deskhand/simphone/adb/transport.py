"""The device side of the ADB transport: packets, the handshake's banner and flow-controlled streams.

What a stream carries (shell, sync, ...) belongs to `services`; when to accept a host to `server`.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from deskhand.simphone.shell.commands.command import Bytes

HEADER = struct.Struct("<6I")

CNXN = 0x4E584E43
AUTH = 0x48545541
OPEN = 0x4E45504F
OKAY = 0x59414B4F
WRTE = 0x45545257
CLSE = 0x45534C43

AUTH_TOKEN, AUTH_RSAPUBLICKEY = 1, 3
VERSION_MIN = 0x01000000
VERSION = 0x01000001  # from here on peers skip the payload checksum
MAX_PAYLOAD = 1024 * 1024


class WireError(Exception):
    """The peer broke the ADB protocol; the connection can only be closed."""


class StreamClosed(Exception):
    """The host closed its end of this stream."""


class Packet(NamedTuple):
    command: int
    arg0: int
    arg1: int
    data: bytes


async def read_packet(reader: asyncio.StreamReader, begun: bytes = b"") -> Packet:
    """Return the next packet; `begun` are bytes of it that were already read."""
    header = begun + await reader.readexactly(HEADER.size - len(begun))
    command, arg0, arg1, length, _checksum, magic = HEADER.unpack(header)
    if magic != command ^ 0xFFFFFFFF:
        raise WireError(f"bad magic in packet {command:#x}")
    if length > MAX_PAYLOAD:
        raise WireError(f"payload of {length} bytes is over the limit of {MAX_PAYLOAD}")
    return Packet(command, arg0, arg1, await reader.readexactly(length) if length else b"")


class HostConnection:
    """One host. Reads packets, routes them to streams, and writes packets back."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._streams: dict[int, HostStream] = {}
        self._services: set[asyncio.Task[None]] = set()
        self._next_id = 1
        self._peer_version = VERSION_MIN
        self.max_payload = 4096
        self.online = False

    @property
    def is_serving(self) -> bool:
        return bool(self._services)

    def send_packet(self, command: int, arg0: int, arg1: int, data: Bytes = b"") -> None:
        if self._writer.is_closing():
            return
        checksum = sum(data) & 0xFFFFFFFF if self._peer_version < VERSION else 0
        header = HEADER.pack(command, arg0, arg1, len(data), checksum, command ^ 0xFFFFFFFF)
        if len(data) < 4096:
            self._writer.write(header + bytes(data))
        else:
            self._writer.write(header)
            self._writer.write(data)

    async def drain_writer(self) -> None:
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()

    def accept_host(self, banner: str) -> None:
        """Tell the host that it may open streams."""
        self.send_packet(CNXN, VERSION, MAX_PAYLOAD, banner.encode())
        self.online = True

    def cut_line(self) -> None:
        """Cut the line at once, as a pulled cable does."""
        self._writer.transport.abort()

    async def serve_packets(
        self,
        on_connect: Callable[[], None],
        on_auth: Callable[[int], None],
        on_open: Callable[[HostStream, str], Awaitable[None]],
        begun: bytes = b"",
    ) -> None:
        """Read packets until the host goes away; then end every stream."""
        try:
            while True:
                packet = await read_packet(self._reader, begun)
                begun = b""
                if packet.command == CNXN:
                    self._peer_version = packet.arg0
                    self.max_payload = max(1, min(packet.arg1, MAX_PAYLOAD))
                    on_connect()
                elif packet.command == AUTH:
                    on_auth(packet.arg0)
                elif self.online:
                    self._route_packet(packet, on_open)
        except (asyncio.IncompleteReadError, ConnectionError, WireError):
            pass  # gone, reset or talking nonsense: all the same to the phone
        finally:
            await self.close_connection()

    def _route_packet(self, packet: Packet, on_open: Callable[[HostStream, str], Awaitable[None]]) -> None:
        if packet.command == OPEN:
            self._open_stream(packet, on_open)
            return
        stream = self._streams.get(packet.arg1)
        if stream is None:
            if packet.command != CLSE:
                self.send_packet(CLSE, 0, packet.arg0)
        elif packet.command == OKAY:
            stream.remote_id = packet.arg0
            stream.note_acknowledgement()
        elif packet.command == WRTE:
            stream.receive_data(packet.data)
        elif packet.command == CLSE:
            stream.note_end()

    def _open_stream(self, packet: Packet, on_open: Callable[[HostStream, str], Awaitable[None]]) -> None:
        stream = HostStream(self, self._next_id, packet.arg0)
        self._next_id += 1
        self._streams[stream.local_id] = stream
        name = packet.data.rstrip(b"\0").decode(errors="replace")
        task = asyncio.ensure_future(self._run_service(stream, name, on_open))
        self._services.add(task)
        task.add_done_callback(self._services.discard)

    async def open_on_host(self, service: str) -> HostStream | None:
        """Open a stream to a service of the host (`tcp:8000`); None if the host refuses, or is gone."""
        if not self.online:
            return None
        stream = HostStream(self, self._next_id, 0)
        self._next_id += 1
        self._streams[stream.local_id] = stream
        self.send_packet(OPEN, stream.local_id, 0, service.encode() + b"\0")
        if not await stream.wait_until_accepted():
            self.forget_stream(stream)
            return None
        return stream

    async def _run_service(
        self, stream: HostStream, name: str, on_open: Callable[[HostStream, str], Awaitable[None]]
    ) -> None:
        try:
            with contextlib.suppress(StreamClosed):
                await on_open(stream, name)
        finally:
            stream.close_stream()

    def forget_stream(self, stream: HostStream) -> None:
        self._streams.pop(stream.local_id, None)

    async def close_connection(self) -> None:
        self.online = False
        for stream in list(self._streams.values()):
            stream.note_end()
        tasks = [task for task in self._services if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._writer.close()
        with contextlib.suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(1):
                await self._writer.wait_closed()


class HostStream:
    """One service's bytes. A packet waits until the host has acknowledged the one before it."""

    def __init__(self, connection: HostConnection, local_id: int, remote_id: int) -> None:
        self.connection = connection
        self.local_id = local_id
        self.remote_id = remote_id
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._may_send = asyncio.Event()
        self._turn = asyncio.Lock()
        self._gone = asyncio.Event()
        self._accepted = False
        self._closed = False
        self.cut = False  # the line is to break in the middle of what this stream answers

    def accept_stream(self) -> None:
        self._accepted = True
        self._may_send.set()
        self.connection.send_packet(OKAY, self.local_id, self.remote_id)

    async def wait_until_accepted(self) -> bool:
        """Wait for the host's answer to a stream that the phone has opened."""
        await self._may_send.wait()
        self._accepted = not self.is_gone
        return self._accepted

    def note_acknowledgement(self) -> None:
        self._may_send.set()

    def receive_data(self, data: bytes) -> None:
        self._inbox.put_nowait(data)

    def note_end(self) -> None:
        """Tell readers and writers that the host closed the stream."""
        if not self._gone.is_set():
            self._gone.set()
            self._may_send.set()
            self._inbox.put_nowait(b"")

    @property
    def is_gone(self) -> bool:
        return self._gone.is_set()

    async def read(self) -> bytes:
        """Return the host's next bytes, empty at the end, and acknowledge them."""
        data = await self._inbox.get()
        if not data:
            self._inbox.put_nowait(b"")  # the end stays readable
        elif not self.is_gone:
            self.connection.send_packet(OKAY, self.local_id, self.remote_id)
        return data

    async def write(self, data: Bytes) -> None:
        async with self._turn:
            view = memoryview(data)
            for start in range(0, len(view), self.connection.max_payload):
                await self._send_chunk(view[start : start + self.connection.max_payload])

    async def _send_chunk(self, chunk: memoryview) -> None:
        await self._may_send.wait()
        if self.is_gone or self._closed:
            raise StreamClosed
        self._may_send.clear()
        if self.cut:
            self.connection.send_packet(WRTE, self.local_id, self.remote_id, chunk[: len(chunk) // 2])
            await self.connection.drain_writer()
            self.connection.cut_line()
            raise StreamClosed
        self.connection.send_packet(WRTE, self.local_id, self.remote_id, chunk)
        await self.connection.drain_writer()

    def close_stream(self) -> None:
        """Send the end; for a stream that was never accepted, that is a refusal."""
        if self._closed:
            return
        self._closed = True
        self.connection.forget_stream(self)
        if self.cut:
            self.connection.cut_line()
            return
        self.connection.send_packet(CLSE, self.local_id if self._accepted else 0, self.remote_id)
