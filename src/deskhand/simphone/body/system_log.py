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

    @property
    def stamp(self) -> str:
        return f"{self.at:%m-%d %H:%M:%S}.{self.at.microsecond // 1000:03d}"

    def write_as(self, form: str) -> str:
        """Return the line in one of the forms of `logcat -v`; in the usual one for a form that there is not."""
        forms = {
            "raw": self.text,
            "tag": f"{self.priority}/{self.tag:<8}: {self.text}",
            "brief": f"{self.priority}/{self.tag:<8}({PROCESS:>5}): {self.text}",
            "process": f"{self.priority}({PROCESS:>5}) {self.text}  ({self.tag})",
            "time": f"{self.stamp} {self.priority}/{self.tag:<8}({PROCESS:>5}): {self.text}",
            "long": f"[ {self.stamp} {PROCESS:>5}:{PROCESS:>5} {self.priority}/{self.tag:<8} ]\n{self.text}\n",
        }
        return forms.get(form, f"{self.stamp} {PROCESS:>5} {PROCESS:>5} {self.priority} {self.tag:<8}: {self.text}")

    def __str__(self) -> str:
        return self.write_as("threadtime")


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
