"""The documents of a tab, iframes of every origin included: listed as one, reached through one another.

Turns what our scripts say in CSS pixels of their own documents into Elements in frame pixels.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from deskhand.core.errors import ActionFailed
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.devices.browser.cdp_target import CALL_S, Halt, Wire

if TYPE_CHECKING:
    from playwright.async_api import Frame as PageFrame
    from playwright.async_api import Page

# How long a target that is covered or moving is waited for, by hit-test.
PATIENCE_MS = 1500
LIST_S = 5.0

_REASONS = {
    "covered": "is covered by {by}",
    "moved": "has moved away; {by} is there now",
    "gone": "is gone; {by} is there now",
}


class Document(NamedTuple):
    wire: Wire
    frame: str


class Box(NamedTuple):
    """Floats, in some document's CSS pixels."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class Target:
    """Where a listed element lives: through which iframes (by number), and its number in its own document."""

    path: tuple[int, ...]
    item: int


@dataclass(slots=True)
class Found:
    facts: dict[str, Any]
    box: Box
    target: Target
    parent: Found | None = None


class Listing(NamedTuple):
    """All elements in frame pixels, beside each where it lives, and how many frame pixels a CSS pixel has."""

    elements: tuple[Element, ...]
    targets: tuple[Target, ...]
    scale: float


@dataclass(frozen=True, slots=True)
class Reached:
    """The end of a hit-test: the document the point fell into, and what kind of thing is there."""

    document: Document
    kind: str
    facts: dict[str, Any] = field(default_factory=dict[str, Any])


class Documents:
    """Every document of one page. Those in other processes get a wire of their own when first met."""

    def __init__(self, page: Page, wire: Wire) -> None:
        self._page = page
        self._wire = wire
        self._apart: dict[PageFrame, Wire] = {}

    @property
    def top(self) -> Document:
        return Document(self._wire, self._wire.root)

    # --- listing ---------------------------------------------------------------------------------------------

    async def elements(self) -> Listing:
        found, view = await self._list(self.top, (), "")
        scale = view["ratio"] * view["pinch"]
        numbers = {id(one): index for index, one in enumerate(found)}
        listed = tuple(_element(index, one, scale, view, numbers) for index, one in enumerate(found))
        return Listing(listed, tuple(one.target for one in found), scale)

    async def _list(self, document: Document, path: tuple[int, ...], clip: str) -> tuple[list[Found], dict[str, Any]]:
        answer = await document.wire.ask(document.frame, f"deskhand.list({clip})", timeout=LIST_S)
        own = [Found(facts, Box(*facts["box"]), Target(path, number)) for number, facts in enumerate(answer["items"])]
        for one in own:
            if (parent := one.facts.get("parent")) is not None:
                one.parent = own[parent]
        inside = await asyncio.gather(
            *(self._list_frame(document, path, number, frame) for number, frame in enumerate(answer["frames"]))
        )
        pairs: list[tuple[dict[str, Any], list[Found]]] = list(zip(answer["frames"], inside, strict=True))
        for frame, inner in reversed(pairs):
            number: int | None = frame["parent"]
            holder = own[number] if number is not None else None
            for one in inner:
                one.parent = one.parent or holder
            # Numbers are those of `own` before anything is put in, so the last frame goes first.
            own[frame["at"] : frame["at"]] = inner
        return own, answer["view"]

    async def _list_frame(
        self, document: Document, path: tuple[int, ...], number: int, frame: dict[str, Any]
    ) -> list[Found]:
        inner, seen = Box(*frame["inner"]), Box(*frame["clip"])
        width, height = inner.right - inner.left, inner.bottom - inner.top
        if width < 1 or height < 1 or (child := await self.child(document, number)) is None:
            return []
        shares = [
            (edge - start) / size
            for edge, start, size in zip(seen, (inner.left, inner.top) * 2, (width, height) * 2, strict=True)
        ]
        found, view = await self._list(child, (*path, number), f"deskhand.part(...{json.dumps(shares)})")
        across, down = width / view["width"], height / view["height"]
        for one in found:
            left, top, right, bottom = one.box
            one.box = Box(
                inner.left + left * across, inner.top + top * down,
                inner.left + right * across, inner.top + bottom * down,
            )  # fmt: skip
        middles = [[(one.box.left + one.box.right) / 2, (one.box.top + one.box.bottom) / 2] for one in found]
        free = await document.wire.ask(document.frame, f"deskhand.open({number}, {json.dumps(middles)})")
        return [one for one, reachable in zip(found, free, strict=True) if reachable]

    async def child(self, document: Document, number: int) -> Document | None:
        """The document inside of an iframe that the last script call numbered."""
        held = await document.wire.ask(document.frame, f"deskhand.frames[{number}]", by_value=False)
        if "objectId" not in held:
            return None
        node = await document.wire.send("DOM.describeNode", {"objectId": held["objectId"]})
        frame = node["node"].get("frameId", "")
        for wire in (document.wire, self._wire, *self._apart.values()):
            if wire.knows(frame):
                return Document(wire, frame)
        await self._meet_strangers(document.wire.halt)
        wire = next((wire for wire in self._apart.values() if wire.knows(frame)), None)
        return Document(wire, frame) if wire else None

    async def _meet_strangers(self, halt: Halt) -> None:
        from playwright.async_api import Error

        alive = set(self._page.frames)
        self._apart = {frame: wire for frame, wire in self._apart.items() if frame in alive}
        for frame in alive - self._apart.keys() - {self._page.main_frame}:
            try:
                session = await halt.race(self._page.context.new_cdp_session(frame), CALL_S, "an iframe")
            except Error:
                continue  # it lives in its parent's process, or is just going away
            wire = Wire(session, halt)
            await wire.start()
            self._apart[frame] = wire

    # --- reaching --------------------------------------------------------------------------------------------

    async def reach(self, x: int, y: int, target: Target | None, what: str) -> Reached:
        """Wait until the point of the frame reaches the target; raises ActionFailed when it does not."""
        document, at, depth = self.top, f"...deskhand.css({x}, {y})", 0
        while True:
            meant = _meant(target, depth)
            call = f"deskhand.reach({at}, {json.dumps(meant)}, {PATIENCE_MS})"
            answer = await document.wire.ask(document.frame, call, timeout=CALL_S)
            if not answer["ok"]:
                why = _REASONS[answer["why"]].format(by=answer["by"])
                raise ActionFailed(f"{what} {why}: nothing was clicked.")
            if answer["kind"] != "frame":
                return Reached(document, answer["kind"], answer)
            inner = await self._step_in(document, answer)
            if inner is None:
                return Reached(document, "", answer)
            (document, at), depth = inner, depth + 1

    async def scroller(self, x: int, y: int, across: int, down: int) -> Reached:
        """What a wheel at this point would move: the innermost document that still can, else the outermost."""
        document, at = self.top, f"...deskhand.css({x}, {y})"
        best: Reached | None = None
        while True:
            answer = await document.wire.ask(document.frame, f"deskhand.scroller({at}, {across}, {down})")
            if best is None or answer["room"]:
                best = Reached(document, answer["kind"], answer)
            inner = await self._step_in(document, answer) if answer["kind"] == "frame" else None
            if inner is None:
                return best
            document, at = inner

    async def focus(self, text: str, clear: bool) -> tuple[Document, dict[str, Any]]:
        """The field that would get this text, and what it should then hold."""
        call = f"deskhand.focus({json.dumps(text)}, {json.dumps(clear)})"
        document = self.top
        while True:
            facts = await document.wire.ask(document.frame, call)
            if facts["kind"] != "frame" or (child := await self.child(document, facts["frame"])) is None:
                return document, facts
            document = child

    async def _step_in(self, document: Document, answer: dict[str, Any]) -> tuple[Document, str] | None:
        child = await self.child(document, answer["frame"])
        if child is None:
            return None
        inner = Box(*answer["inner"])
        across = (answer["x"] - inner.left) / max(inner.right - inner.left, 1)
        down = (answer["y"] - inner.top) / max(inner.bottom - inner.top, 1)
        return child, f"...deskhand.part({across}, {down})"


def _meant(target: Target | None, depth: int) -> dict[str, int]:
    if target is None or depth > len(target.path):
        return {}
    return {"frame": target.path[depth]} if depth < len(target.path) else {"item": target.item}


# Told only where they are true.
_STATES = ("focused", "selected", "clickable", "editable", "scrollable", "password")


def _element(index: int, one: Found, scale: float, view: dict[str, Any], numbers: dict[int, int]) -> Element:
    facts = one.facts
    edges = zip(one.box, (view["left"], view["top"]) * 2, strict=True)
    left, top, right, bottom = (round((edge - start) * scale) for edge, start in edges)
    return Element(
        index=index, role=facts["role"], bounds=Rect(max(0, left), max(0, top), right, bottom),
        name=facts.get("name", ""), value=facts.get("value", ""), hint=facts.get("hint", ""), id=facts.get("id", ""),
        parent=_parent(one, numbers), enabled="disabled" not in facts, checked=facts.get("checked"),
        **{state: state in facts for state in _STATES}, source="dom",
    )  # fmt: skip


def _parent(one: Found, numbers: dict[int, int]) -> int | None:
    """The nearest one above that is itself listed: a covered part of an iframe may be missing."""
    above = one.parent
    while above is not None and id(above) not in numbers:
        above = above.parent
    return numbers[id(above)] if above is not None else None


def smallest_at(elements: Iterable[Element], x: int, y: int) -> Element | None:
    """What a person would say is at that point: the smallest usable thing, else the smallest of all."""
    here = [one for one in elements if one.bounds.contains(x, y)]
    usable = [one for one in here if one.clickable or one.editable]
    return min(usable or here, key=lambda one: one.bounds.area, default=None)
