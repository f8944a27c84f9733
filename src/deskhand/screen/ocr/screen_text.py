"""Reads what is written on a screen (extra `ocr`): Chinese and English, with models that ship inside packages.

Reading takes tens to hundreds of milliseconds, so it runs in a thread, only where the picture changed, and every
region is read once. What the text is good for is left to others.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from deskhand.core.errors import DeviceSetup
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Frame
from deskhand.screen.diff import changed_regions
from deskhand.screen.frame import crop, digest

# Text that touches a change by less than this may have changed with it.
_MARGIN = 16
# When more of the screen changed than this, one reading of all of it is cheaper than many of its parts.
_MOST = 0.5
_REMEMBERED = 256
_DEVICES = 16


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text, or one label of a row of them."""

    text: str
    bounds: Rect
    score: float

    def moved(self, dx: int, dy: int) -> "Line":
        b = self.bounds
        return Line(self.text, Rect(b.left + dx, b.top + dy, b.right + dx, b.bottom + dy), self.score)


class Reader(Protocol):
    """What finds and reads lines in a picture; slow, and called from one thread only."""

    def __call__(self, frame: Frame) -> list[Line]: ...


class ScreenText:
    """Keeps what was read of each device's screen, and reads again only what changed. Close it when done."""

    def __init__(self, reader: Reader | None = None) -> None:
        self._reader = reader
        self._thread = ThreadPoolExecutor(1, "deskhand-ocr")
        self._regions: OrderedDict[str, tuple[Line, ...]] = OrderedDict()
        self._screens: OrderedDict[str, tuple[Frame, tuple[Line, ...]]] = OrderedDict()

    async def lines(self, frame: Frame, device_id: str = "") -> tuple[Line, ...]:
        """The text on this frame in reading order. The loop goes on while it is read."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._read, frame, device_id)

    async def elements(self, frame: Frame, device_id: str = "") -> tuple[Element, ...]:
        """The same in the normal form of everything on a screen."""
        found = await self.lines(frame, device_id)
        return tuple(
            Element(index, "text", line.bounds, name=line.text, source="ocr") for index, line in enumerate(found)
        )

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)

    # --- in the thread -----------------------------------------------------------------------------------

    def _read(self, frame: Frame, device_id: str) -> tuple[Line, ...]:
        known = self._screens.get(device_id)
        if known is None or known[0].size != frame.size:
            lines = self._region(frame, Rect(0, 0, frame.width, frame.height))
        else:
            lines = self._changed(frame, *known)
        ordered = in_reading_order(lines)
        self._screens[device_id] = (frame, ordered)
        self._screens.move_to_end(device_id)
        if len(self._screens) > _DEVICES:
            self._screens.popitem(last=False)
        return ordered

    def _changed(self, frame: Frame, last: Frame, lines: Sequence[Line]) -> Sequence[Line]:
        whole = Rect(0, 0, frame.width, frame.height)
        boxes = widened([_grown(box, whole) for box in changed_regions(last, frame)], lines, whole)
        if sum(box.area for box in boxes) > _MOST * whole.area:
            return self._region(frame, whole)
        kept = [line for line in lines if not any(line.bounds.intersect(box).area for box in boxes)]
        return [*kept, *(line for box in boxes for line in self._region(frame, box))]

    def _region(self, frame: Frame, box: Rect) -> tuple[Line, ...]:
        part = crop(frame, box)
        key = digest(part)
        if key not in self._regions:
            self._reader = self._reader or load_reader()
            self._regions[key] = tuple(self._reader(part))
            if len(self._regions) > _REMEMBERED:
                self._regions.popitem(last=False)
        self._regions.move_to_end(key)
        return tuple(line.moved(box.left, box.top) for line in self._regions[key])


def load_reader() -> Reader:
    """The reader with its models; takes a second. Raises DeviceSetup when the extra is not installed."""
    try:
        from deskhand.screen.ocr.text_models import LineReader

        return LineReader()
    except ImportError as error:
        missing = error.name or "a package"
        raise DeviceSetup(
            f"Reading text from pictures needs the extra 'ocr' ({missing} is missing): pip install 'deskhand[ocr]'."
        ) from None


def widened(boxes: Sequence[Rect], lines: Sequence[Line], whole: Rect) -> list[Rect]:
    """Boxes that cover every known line they touch, and don't overlap each other."""
    done: list[Rect] = []
    queue = list(boxes)
    while queue:
        box = queue.pop()
        touched = [_grown(line.bounds, whole) for line in lines if line.bounds.intersect(box).area]
        over = [other for other in done if other.intersect(box).area]
        grown = around([box, *touched, *over])
        if over or grown != box:
            done = [other for other in done if other not in over]
            queue.append(grown)
        else:
            done.append(box)
    return done


def in_reading_order(lines: Sequence[Line]) -> tuple[Line, ...]:
    """Top to bottom, and from left to right within a row."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.bounds.top):
        row = next((row for row in rows if _same_row(row[0].bounds, line.bounds)), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return tuple(line for row in rows for line in sorted(row, key=lambda line: line.bounds.left))


def _same_row(a: Rect, b: Rect) -> bool:
    shared = min(a.bottom, b.bottom) - max(a.top, b.top)
    return shared > 0.5 * min(a.height, b.height)


def _grown(box: Rect, whole: Rect) -> Rect:
    return Rect(box.left - _MARGIN, box.top - _MARGIN, box.right + _MARGIN, box.bottom + _MARGIN).intersect(whole)


def around(boxes: Sequence[Rect]) -> Rect:
    """The smallest box that holds them all."""
    return Rect(
        min(b.left for b in boxes), min(b.top for b in boxes), max(b.right for b in boxes), max(b.bottom for b in boxes)
    )
