"""The `sync:` service behind push, pull and ls: both generations of its messages."""

from __future__ import annotations

import stat
import struct
from collections.abc import Awaitable, Callable
from functools import partial

from deskhand.simphone.adb.transport import HostStream
from deskhand.simphone.shell.file_system import FileError, FileNode, FileSystem

REQUEST = struct.Struct("<4sI")
STAT_V1 = struct.Struct("<4sIII")
STAT_V2 = struct.Struct("<4sIQQIIIIQqqq")
DENT_V1 = struct.Struct("<4sIIII")
DENT_V2 = struct.Struct("<4sIQQIIIIQqqqI")
CHUNK = 64 * 1024
MAX_PATH = 1024
SHELL_UID, SDCARD_GID = 2000, 1015


class SyncService:
    """One sync conversation; it ends when the host quits or goes away."""

    def __init__(self, stream: HostStream, files: FileSystem) -> None:
        self._stream = stream
        self._files = files
        self._buffer = bytearray()
        self._requests: dict[bytes, Callable[[str], Awaitable[None]]] = {
            b"STAT": self._stat_v1,
            b"STA2": partial(self._stat_v2, b"STA2"),
            b"LST2": partial(self._stat_v2, b"LST2"),
            b"LIST": self._list_v1,
            b"LIS2": self._list_v2,
            b"SEND": self._send_v1,
            b"SND2": self._send_v2,
            b"RECV": self._receive_v1,
            b"RCV2": self._receive_v2,
        }

    async def serve_requests(self) -> None:
        try:
            while True:
                kind, length = REQUEST.unpack(await self._take_bytes(REQUEST.size))
                if kind == b"QUIT":
                    return
                request = self._requests.get(kind)
                if request is None or length > MAX_PATH:
                    await self._send_failure(f"unknown command {kind.decode(errors='replace')}")
                    return
                await request((await self._take_bytes(length)).decode(errors="replace"))
        except EOFError:
            return

    async def _take_bytes(self, size: int) -> bytes:
        while len(self._buffer) < size:
            chunk = await self._stream.read()
            if not chunk:
                raise EOFError
            self._buffer += chunk
        taken = bytes(memoryview(self._buffer)[:size])
        del self._buffer[:size]
        return taken

    async def _send_failure(self, reason: str) -> None:
        text = reason.encode()
        await self._stream.write(REQUEST.pack(b"FAIL", len(text)) + text)

    async def _stat_v1(self, path: str) -> None:
        try:
            node = self._files.find_node(path)
        except FileError:
            await self._stream.write(STAT_V1.pack(b"STAT", 0, 0, 0))
            return
        await self._stream.write(STAT_V1.pack(b"STAT", node.mode, node.size, node.mtime))

    async def _stat_v2(self, kind: bytes, path: str) -> None:
        try:
            await self._stream.write(STAT_V2.pack(kind, *_to_stat_fields(self._files.find_node(path))))
        except FileError as error:
            await self._stream.write(STAT_V2.pack(kind, error.code, *[0] * 10))

    async def _list_v1(self, path: str) -> None:
        answer = bytearray()
        for name, node in self._list_directory(path):
            answer += DENT_V1.pack(b"DENT", node.mode, node.size, node.mtime, len(name)) + name
        await self._stream.write(answer + DENT_V1.pack(b"DONE", 0, 0, 0, 0))

    async def _list_v2(self, path: str) -> None:
        answer = bytearray()
        for name, node in self._list_directory(path):
            answer += DENT_V2.pack(b"DNT2", *_to_stat_fields(node), len(name)) + name
        await self._stream.write(answer + DENT_V2.pack(b"DONE", *[0] * 12))

    def _list_directory(self, path: str) -> list[tuple[bytes, FileNode]]:
        """Return the entries, none if the directory can't be read: the protocol has no error for that."""
        try:
            entries = self._files.list_directory(path)
            node = self._files.find_node(path)
        except FileError:
            return []
        return [(name.encode(), child) for name, child in {".": node, "..": node, **entries}.items()]

    async def _send_v1(self, target: str) -> None:
        path, _, mode = target.rpartition(",")
        if not path or not mode.isdecimal():
            await self._send_failure("missing mode")
            raise EOFError
        await self._store_file(path, int(mode))

    async def _send_v2(self, path: str) -> None:
        _, mode, flags = struct.unpack("<4sII", await self._take_bytes(12))
        if flags:
            await self._send_failure(f"compression is not supported (flags {flags:#x})")
            raise EOFError
        await self._store_file(path, mode)

    async def _store_file(self, path: str, mode: int) -> None:
        """Receive the whole file even if it can't be kept: the host reads the answer only after that."""
        trouble = self._find_obstacle(path)
        if trouble:
            await self._send_failure(trouble)
        data = bytearray()
        while True:
            kind, length = REQUEST.unpack(await self._take_bytes(REQUEST.size))
            if kind == b"DONE":
                break
            if kind != b"DATA":
                await self._send_failure("invalid data message")
                raise EOFError
            data += await self._take_bytes(length)
        if not trouble:
            node = self._files.write_file(path, bytes(data), parents=True)
            node.mode = stat.S_IFREG | (stat.S_IMODE(mode) or 0o660)
            node.mtime = length
            await self._stream.write(REQUEST.pack(b"OKAY", 0))

    def _find_obstacle(self, path: str) -> str:
        try:
            self._files.check_writable(path)
            if self._files.has_path(path) and self._files.find_node(path).is_directory:
                return "couldn't create file: Is a directory"
        except FileError as error:
            return f"couldn't create file: {error}"
        return ""

    async def _receive_v1(self, path: str) -> None:
        try:
            data = memoryview(self._files.read_file(path))
        except FileError as error:
            await self._send_failure(
                f"open failed: {error}" if "directory" not in str(error) else f"read failed: {error}"
            )
            return
        answer = bytearray()
        for start in range(0, len(data), CHUNK):
            chunk = data[start : start + CHUNK]
            answer += REQUEST.pack(b"DATA", len(chunk))
            answer += chunk
        await self._stream.write(answer + REQUEST.pack(b"DONE", 0))

    async def _receive_v2(self, path: str) -> None:
        _, flags = struct.unpack("<4sI", await self._take_bytes(8))
        if flags:
            await self._send_failure(f"compression is not supported (flags {flags:#x})")
            return
        await self._receive_v1(path)


def _to_stat_fields(node: FileNode) -> tuple[int, ...]:
    """Return error, device, inode, mode, links, owner, group, size and three times."""
    times = (node.mtime,) * 3
    return (0, 42, node.inode, node.mode, 1, SHELL_UID, SDCARD_GID, node.size, *times)
