"""adb's file transfer: ask about, send and fetch one file over an open `sync:` stream."""

import struct
from dataclasses import dataclass

from deskhand.core.errors import ActionFailed
from deskhand.devices.android.adb.smart_socket import Wire

HEAD = struct.Struct("<4sI")
STAT = struct.Struct("<4sIII")
DATA_LIMIT = 64 * 1024
REGULAR_FILE = 0o100000


@dataclass(frozen=True, slots=True)
class FileStat:
    """A file on the phone; a mode of 0 means that there is none."""

    mode: int
    size: int
    mtime: int


async def stat(wire: Wire, path: str) -> FileStat:
    await _ask(wire, b"STAT", path)
    _, mode, size, mtime = STAT.unpack(await wire.exactly(STAT.size))
    return FileStat(mode, size, mtime)


async def send(wire: Wire, path: str, data: bytes, mode: int, mtime: int) -> None:
    await _ask(wire, b"SEND", f"{path},{REGULAR_FILE | mode}")
    view = memoryview(data)
    for start in range(0, len(view), DATA_LIMIT):
        chunk = view[start : start + DATA_LIMIT]
        await wire.send(HEAD.pack(b"DATA", len(chunk)))
        await wire.send(chunk)
    await wire.send(HEAD.pack(b"DONE", mtime))
    await _answer(wire, path, b"OKAY")


async def receive(wire: Wire, path: str) -> bytes:
    await _ask(wire, b"RECV", path)
    data = bytearray()
    while size := await _answer(wire, path, b"DATA", b"DONE"):
        data += await wire.exactly(size)
    return bytes(data)


async def _ask(wire: Wire, word: bytes, path: str) -> None:
    body = path.encode()
    await wire.send(HEAD.pack(word, len(body)) + body)


async def _answer(wire: Wire, path: str, data_word: bytes, end_word: bytes = b"") -> int:
    """The size of what follows, 0 at the end; raises what the phone complains of."""
    word, size = HEAD.unpack(await wire.exactly(HEAD.size))
    if word == b"FAIL":
        reason = (await wire.exactly(size)).decode("utf-8", "replace")
        raise ActionFailed(f"The phone refused the file {path}: {reason}.")
    if word not in (data_word, end_word):
        raise ActionFailed(f"The phone answered {word!r} in the middle of the file {path}.")
    return 0 if word == end_word else size
