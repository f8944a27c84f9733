"""What the phone writes to its log, the newest lines only; `logcat` shows it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

KEPT = 2_000
PROCESS = 612  # the system server, which writes all of it


@dataclass(frozen=True)
class LogLine:
    number: int
    at: datetime
    priority: str
    tag: str
    text: str

    def __str__(self) -> str:
        stamp = f"{self.at:%m-%d %H:%M:%S}.{self.at.microsecond // 1000:03d}"
        return f"{stamp} {PROCESS:>5} {PROCESS:>5} {self.priority} {self.tag:<8}: {self.text}"


class SystemLog:
    """Lines have numbers, so that a reader can ask for those after the last one it has seen."""

    def __init__(self, today: Callable[[], datetime]) -> None:
        self._today = today
        self._lines: deque[LogLine] = deque(maxlen=KEPT)
        self._written = 0

    def write_line(self, priority: str, tag: str, text: str) -> None:
        self._written += 1
        self._lines.append(LogLine(self._written, self._today(), priority, tag, text))

    def read_lines(self, after: int = 0) -> list[LogLine]:
        return [line for line in self._lines if line.number > after]

    def clear_lines(self) -> None:
        self._lines.clear()
