"""What a program writes, kept within bounds: its beginning and its end, with a note where the middle was."""

from __future__ import annotations


class Output:
    def __init__(self, limit: int) -> None:
        self.total = 0
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()

    @property
    def truncated(self) -> bool:
        return self.total > 2 * self._half

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]

    def text(self) -> str:
        if not self.truncated:
            return _decoded(self._head + self._tail)
        left_out = self.total - 2 * self._half
        return f"{_decoded(self._head)}\n… {left_out} bytes left out …\n{_decoded(self._tail[-self._half :])}"


def _decoded(data: bytes | bytearray) -> str:
    # A NUL can be in no line that a person reads, and stores choke on it.
    return data.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
