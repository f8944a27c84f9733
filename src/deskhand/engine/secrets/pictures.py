"""Frames as models, the journal and users see them: with a grey box over everything that may show a secret."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from weakref import WeakKeyDictionary

from deskhand.core.errors import DeviceError
from deskhand.core.geometry import Rect
from deskhand.core.protocols import ScreenReader
from deskhand.core.screen import Element, Frame, Observation
from deskhand.engine.secrets.guarded_device import GuardedDevice
from deskhand.engine.secrets.vault import Vault
from deskhand.screen.redact import cover_boxes, make_blank

# How long a picture waits for the elements that say what it shows.
_LIST_S = 10.0
# Their name is seldom written where they are, and a box over them covers everything.
_CONTAINERS = frozenset({"window", "dialog", "group", "list", "menu"})


class PictureCover:
    """Covers the frames of one device, each once for as long as no more secrets become known."""

    def __init__(self, device: GuardedDevice, reader: ScreenReader | None, vault: Vault) -> None:
        self._device = device
        self._reader = reader
        self._vault = vault
        # With the number of secrets that were known then.
        self._known: WeakKeyDictionary[Frame, tuple[int, Frame]] = WeakKeyDictionary()

    async def cover_frame(self, frame: Frame) -> Frame:
        if not self._vault or frame.secure:
            return frame
        secrets, known = self._known.get(frame, (0, frame))
        if secrets != len(self._vault):
            secrets, known = len(self._vault), await self._paint_boxes(frame)
            self._known[frame] = secrets, known
        return known

    async def cover_observation(self, seen: Observation) -> Observation:
        return replace(seen, frame=await self.cover_frame(seen.frame)) if self._vault else seen

    async def _paint_boxes(self, frame: Frame) -> Frame:
        """By the elements from before and after it was taken and the text on it; without either the frame is blank."""
        before = self._device.listed
        listed = await self._list_elements() if self._device.is_current(frame) else None
        read = await self._read_texts(frame)
        if listed is None and read is None:
            return make_blank(frame)
        showing = [e for e in (*before, *(listed or ()), *(read or ())) if e.password or self._vault.shows_value(e)]
        small = [e.bounds for e in showing if e.role not in _CONTAINERS]
        if read is None:
            small += [e.bounds for e in showing if e.role in _CONTAINERS and not _holds_any(e.bounds, small)]
        return cover_boxes(frame, small)

    async def _list_elements(self) -> tuple[Element, ...] | None:
        try:
            async with asyncio.timeout(_LIST_S):
                return await self._device.read_bare_elements()
        except (DeviceError, TimeoutError):
            return None

    async def _read_texts(self, frame: Frame) -> tuple[Element, ...] | None:
        try:
            if self._reader is None:
                return None
            return self._vault.hide_pieces(await self._reader.elements(frame, self._device.id))
        except DeviceError:
            return None


class GuardedReader:
    """Reads the text of a frame, with placeholders instead of values."""

    def __init__(self, reader: ScreenReader, vault: Vault) -> None:
        self._reader = reader
        self._vault = vault

    async def elements(self, frame: Frame, device_id: str = "") -> tuple[Element, ...]:
        found = await self._reader.elements(frame, device_id)
        return self._vault.scrub_elements(found)


async def take_covered_frame(device: GuardedDevice, reader: ScreenReader | None, vault: Vault) -> Frame:
    """Return the screen of now, for those who are no part of a task."""
    return await PictureCover(device, reader, vault).cover_frame(await device.frame())


def _holds_any(outer: Rect, boxes: Iterable[Rect]) -> bool:
    return any(box.intersect_with(outer) == box for box in boxes)
