"""Keeps the beginning and the end of a program's output, with a note where the middle was."""


class BoundedOutput:
    def __init__(self, limit: int) -> None:
        self.total = 0
        self._half = limit // 2
        self._head = bytearray()
        self._tail = bytearray()

    @property
    def is_truncated(self) -> bool:
        return self.total > 2 * self._half

    def add_chunk(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 4 * self._half:
            del self._tail[: -self._half]

    def to_text(self) -> str:
        if not self.is_truncated:
            return _decode_bytes(self._head + self._tail)
        left_out = self.total - 2 * self._half
        return f"{_decode_bytes(self._head)}\n… {left_out} bytes left out …\n{_decode_bytes(self._tail[-self._half :])}"


def _decode_bytes(data: bytes | bytearray) -> str:
    # A NUL is in no readable line, and databases reject it.
    return data.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
