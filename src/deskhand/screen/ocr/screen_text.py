"""Reads the text on a screen (extra `ocr`): Chinese and English, with models that ship inside packages.

Reading takes tens to hundreds of milliseconds, so it runs in a thread, only where the picture changed, and reads
every region once. Leaves the use of the text to others.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from deskhand.core.errors import DeviceSetup
from deskhand.core.geometry import Rect, enclose_boxes
from deskhand.core.screen import Element, Frame
from deskhand.screen.diff import find_changed_regions
from deskhand.screen.frame import crop_frame, hash_pixels
from deskhand.screen.ocr.text_line import TextLine, TextReader

# Text nearer to a change than this may have changed with it.
_MARGIN = 16
# If more of the screen changed than this, reading all of it once is cheaper than reading many parts.
_MOST = 0.5
_REMEMBERED = 256
_DEVICES = 16


class ScreenText:
    """Caches the text of each device's screen and reads again only the parts that changed. Close it when done."""

    def __init__(self, reader: TextReader | None = None) -> None:
        self._reader = reader
        self._thread = ThreadPoolExecutor(1, "deskhand-ocr")
        self._regions: OrderedDict[str, tuple[TextLine, ...]] = OrderedDict()
        self._screens: OrderedDict[str, tuple[Frame, tuple[TextLine, ...]]] = OrderedDict()

    async def read_lines(self, frame: Frame, device_id: str = "") -> tuple[TextLine, ...]:
        """Return the text on this frame in reading order. The event loop runs on meanwhile."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._read_frame, frame, device_id)

    async def elements(self, frame: Frame, device_id: str = "") -> tuple[Element, ...]:
        """Return the text on this frame as elements."""
        found = await self.read_lines(frame, device_id)
        return tuple(
            Element(index, "text", line.bounds, name=line.text, source="ocr") for index, line in enumerate(found)
        )

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)

    # --- in the thread -----------------------------------------------------------------------------------

    def _read_frame(self, frame: Frame, device_id: str) -> tuple[TextLine, ...]:
        known = self._screens.get(device_id)
        if known is None or known[0].size != frame.size:
            lines = self._read_region(frame, frame.bounds)
        else:
            lines = self._read_changes(frame, *known)
        ordered = sort_for_reading(lines)
        self._screens[device_id] = (frame, ordered)
        self._screens.move_to_end(device_id)
        if len(self._screens) > _DEVICES:
            self._screens.popitem(last=False)
        return ordered

    def _read_changes(self, frame: Frame, last: Frame, lines: Sequence[TextLine]) -> Sequence[TextLine]:
        whole = frame.bounds
        boxes = widen_boxes(
            [box.grow_by(_MARGIN).intersect_with(whole) for box in find_changed_regions(last, frame)], lines, whole
        )
        if sum(box.area for box in boxes) > _MOST * whole.area:
            return self._read_region(frame, whole)
        kept = [line for line in lines if not any(line.bounds.intersect_with(box).area for box in boxes)]
        return [*kept, *(line for box in boxes for line in self._read_region(frame, box))]

    def _read_region(self, frame: Frame, box: Rect) -> tuple[TextLine, ...]:
        part = crop_frame(frame, box)
        key = hash_pixels(part)
        if key not in self._regions:
            self._reader = self._reader or load_reader()
            self._regions[key] = tuple(self._reader(part))
            if len(self._regions) > _REMEMBERED:
                self._regions.popitem(last=False)
        self._regions.move_to_end(key)
        return tuple(line.move_by(box.left, box.top) for line in self._regions[key])


def load_reader() -> TextReader:
    """Load the reader and its models, which takes a second. Raise DeviceSetup if the extra is not installed."""
    try:
        from deskhand.screen.ocr.text_models import OnnxTextReader

        return OnnxTextReader()
    except ImportError as error:
        missing = error.name or "a package"
        raise DeviceSetup(
            f"Reading text from pictures needs the extra 'ocr' ({missing} is missing): pip install 'deskhand[ocr]'."
        ) from None


def widen_boxes(boxes: Sequence[Rect], lines: Sequence[TextLine], whole: Rect) -> list[Rect]:
    """Return boxes that cover every known line they touch and don't overlap each other."""
    done: list[Rect] = []
    queue = list(boxes)
    while queue:
        box = queue.pop()
        touched = [
            line.bounds.grow_by(_MARGIN).intersect_with(whole) for line in lines if line.bounds.intersect_with(box).area
        ]
        over = [other for other in done if other.intersect_with(box).area]
        grown = enclose_boxes([box, *touched, *over])
        if over or grown != box:
            done = [other for other in done if other not in over]
            queue.append(grown)
        else:
            done.append(box)
    return done


def sort_for_reading(lines: Sequence[TextLine]) -> tuple[TextLine, ...]:
    """Sort from top to bottom, and from left to right within a row."""
    rows: list[list[TextLine]] = []
    for line in sorted(lines, key=lambda line: line.bounds.top):
        row = next((row for row in rows if _is_same_row(row[0].bounds, line.bounds)), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return tuple(line for row in rows for line in sorted(row, key=lambda line: line.bounds.left))


def _is_same_row(a: Rect, b: Rect) -> bool:
    shared = min(a.bottom, b.bottom) - max(a.top, b.top)
    return shared > 0.5 * min(a.height, b.height)
