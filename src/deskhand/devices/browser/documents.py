"""The documents of a tab, iframes of every origin included: lists their elements as one, and hit-tests through them.

Converts what our scripts report in CSS pixels of their own documents into Elements in frame pixels.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from playwright.async_api import Error, Page
from playwright.async_api import Frame as PageFrame

from deskhand.core.errors import ActionFailed
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.devices.browser.cdp_target import CALL_S, CdpTarget, Interruption

# How long the hit-test waits for an element that is covered or moving.
PATIENCE_MS = 1500
LIST_S = 5.0
ERRORS_S = 2.0

_REASONS = {
    "covered": "is covered by {by}",
    "moved": "has moved away; {by} is there now",
    "gone": "is gone; {by} is there now",
}


class Document(NamedTuple):
    cdp: CdpTarget
    frame: str


class CssBox(NamedTuple):
    """A box in a document's CSS pixels."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class ElementPath:
    """Where a listed element is: the iframes that lead to it (by number), and its number in its own document."""

    path: tuple[int, ...]
    item: int


@dataclass(slots=True)
class FoundElement:
    facts: dict[str, Any]
    box: CssBox
    target: ElementPath
    parent: FoundElement | None = None


class ElementListing(NamedTuple):
    """All elements in frame pixels, the path of each, and how many frame pixels a CSS pixel has."""

    elements: tuple[Element, ...]
    targets: tuple[ElementPath, ...]
    scale: float


@dataclass(frozen=True, slots=True)
class HitResult:
    """The result of a hit-test: the document the point falls into, and what kind of element is there."""

    document: Document
    kind: str
    facts: dict[str, Any] = field(default_factory=dict[str, Any])


class Documents:
    """Every document of one page. One in another process gets its own CDP session when it is first found."""

    def __init__(self, page: Page, cdp: CdpTarget) -> None:
        self._page = page
        self._cdp = cdp
        self._apart: dict[PageFrame, CdpTarget] = {}

    @property
    def top(self) -> Document:
        return Document(self._cdp, self._cdp.root)

    async def list_elements(self) -> ElementListing:
        found, view = await self._list_document(self.top, (), "")
        scale = view["ratio"] * view["pinch"]
        numbers = {id(one): index for index, one in enumerate(found)}
        listed = tuple(_to_element(index, one, scale, view, numbers) for index, one in enumerate(found))
        return ElementListing(listed, tuple(one.target for one in found), scale)

    async def _list_document(
        self, document: Document, path: tuple[int, ...], clip: str
    ) -> tuple[list[FoundElement], dict[str, Any]]:
        answer = await document.cdp.evaluate_in(document.frame, f"deskhand.list({clip})", timeout=LIST_S)
        if answer["suspects"] and await self._open_closed_shadows(document, answer["suspects"]):
            answer = await document.cdp.evaluate_in(document.frame, f"deskhand.list({clip})", timeout=LIST_S)
        own = [
            FoundElement(facts, CssBox(*facts["box"]), ElementPath(path, number))
            for number, facts in enumerate(answer["items"])
        ]
        for one in own:
            if (parent := one.facts.get("parent")) is not None:
                one.parent = own[parent]
        inside = await asyncio.gather(
            *(self._list_frame(document, path, number, frame) for number, frame in enumerate(answer["frames"]))
        )
        pairs: list[tuple[dict[str, Any], list[FoundElement]]] = list(zip(answer["frames"], inside, strict=True))
        for frame, inner in reversed(pairs):
            number: int | None = frame["parent"]
            holder = own[number] if number is not None else None
            for one in inner:
                one.parent = one.parent or holder
            # Positions are those of `own` before anything is inserted, so the last frame goes first.
            own[frame["at"] : frame["at"]] = inner
        return own, answer["view"]

    async def _open_closed_shadows(self, document: Document, suspects: int) -> bool:
        """Show our scripts the shadows that a page has closed; True if there was any among these elements."""
        found = await asyncio.gather(*(self._open_closed_shadow(document, number) for number in range(suspects)))
        return any(found)

    async def _open_closed_shadow(self, document: Document, number: int) -> bool:
        cdp = document.cdp
        host = await cdp.evaluate_in(document.frame, f"deskhand.suspects[{number}]", by_value=False)
        try:
            node = await cdp.send_command("DOM.describeNode", {"objectId": host["objectId"]})
            shadows = [root for root in node["node"].get("shadowRoots", []) if root.get("shadowRootType") == "closed"]
            root = await cdp.resolve_in(document.frame, shadows[0]["backendNodeId"]) if shadows else None
            await cdp.call_in(host["objectId"], f"function (root) {{ deskhand.settleSuspect({number}, root) }}", root)
        except Error:
            return False  # the page replaced it meanwhile
        return bool(shadows)

    async def _list_frame(
        self, document: Document, path: tuple[int, ...], number: int, frame: dict[str, Any]
    ) -> list[FoundElement]:
        inner, seen = CssBox(*frame["inner"]), CssBox(*frame["clip"])
        width, height = inner.right - inner.left, inner.bottom - inner.top
        if width < 1 or height < 1 or (child := await self.find_child(document, number)) is None:
            return []
        shares = [
            (edge - start) / size
            for edge, start, size in zip(seen, (inner.left, inner.top) * 2, (width, height) * 2, strict=True)
        ]
        found, view = await self._list_document(child, (*path, number), f"deskhand.part(...{json.dumps(shares)})")
        across, down = width / view["width"], height / view["height"]
        for one in found:
            left, top, right, bottom = one.box
            one.box = CssBox(
                inner.left + left * across, inner.top + top * down,
                inner.left + right * across, inner.top + bottom * down,
            )  # fmt: skip
        middles = [[(one.box.left + one.box.right) / 2, (one.box.top + one.box.bottom) / 2] for one in found]
        free = await document.cdp.evaluate_in(document.frame, f"deskhand.open({number}, {json.dumps(middles)})")
        return [one for one, reachable in zip(found, free, strict=True) if reachable]

    async def find_child(self, document: Document, number: int) -> Document | None:
        """Return the document inside an iframe that the last script call numbered."""
        held = await document.cdp.evaluate_in(document.frame, f"deskhand.frames[{number}]", by_value=False)
        if "objectId" not in held:
            return None
        node = await document.cdp.send_command("DOM.describeNode", {"objectId": held["objectId"]})
        frame = node["node"].get("frameId", "")
        for cdp in (document.cdp, self._cdp, *self._apart.values()):
            if cdp.has_document(frame):
                return Document(cdp, frame)
        await self._attach_foreign_frames(document.cdp.interruption)
        cdp = next((cdp for cdp in self._apart.values() if cdp.has_document(frame)), None)
        return Document(cdp, frame) if cdp else None

    async def _attach_foreign_frames(self, interruption: Interruption) -> None:
        alive = set(self._page.frames)
        self._apart = {frame: cdp for frame, cdp in self._apart.items() if frame in alive}
        for frame in alive - self._apart.keys() - {self._page.main_frame}:
            try:
                session = await interruption.run_interruptible(
                    self._page.context.new_cdp_session(frame), CALL_S, "an iframe"
                )
            except Error:
                continue  # it is in its parent's process, or is being removed
            cdp = CdpTarget(session, interruption)
            await cdp.install_scripts()
            self._apart[frame] = cdp

    async def reach_point(self, x: int, y: int, target: ElementPath | None, what: str) -> HitResult:
        """Wait until a click at the point would hit the target; raises ActionFailed if it would not."""
        document, at, depth = self.top, f"...deskhand.css({x}, {y})", 0
        while True:
            meant = _expected_at(target, depth)
            call = f"deskhand.reach({at}, {json.dumps(meant)}, {PATIENCE_MS})"
            answer = await document.cdp.evaluate_in(document.frame, call, timeout=CALL_S)
            if not answer["ok"]:
                why = _REASONS[answer["why"]].format(by=answer["by"])
                raise ActionFailed(f"{what} {why}: nothing was clicked.")
            if answer["kind"] != "frame":
                return HitResult(document, answer["kind"], answer)
            inner = await self._enter_frame(document, answer)
            if inner is None:
                return HitResult(document, "", answer)
            (document, at), depth = inner, depth + 1

    async def find_scroller(self, x: int, y: int, across: int, down: int) -> HitResult:
        """Return what a wheel at this point would scroll: the innermost document that still can, else the outermost."""
        document, at = self.top, f"...deskhand.css({x}, {y})"
        best: HitResult | None = None
        while True:
            answer = await document.cdp.evaluate_in(document.frame, f"deskhand.scroller({at}, {across}, {down})")
            if best is None or answer["room"]:
                best = HitResult(document, answer["kind"], answer)
            inner = await self._enter_frame(document, answer) if answer["kind"] == "frame" else None
            if inner is None:
                return best
            document, at = inner

    async def find_focus(self, text: str, clear: bool) -> tuple[Document, dict[str, Any]]:
        """Return the document and the facts of the field that has the focus, with what it should hold once typed."""
        call = f"deskhand.focus({json.dumps(text)}, {json.dumps(clear)})"
        document = self.top
        while True:
            facts = await document.cdp.evaluate_in(document.frame, call)
            if facts["kind"] != "frame" or (child := await self.find_child(document, facts["frame"])) is None:
                return document, facts
            document = child

    async def note_errors(self) -> None:
        """Remember what the page says is wrong, in the document that has the focus."""
        document = await self._find_focused_document()
        await document.cdp.evaluate_in(document.frame, "deskhand.noteErrors()", timeout=ERRORS_S)

    async def list_new_errors(self, *, clicked: bool) -> tuple[list[str], bool]:
        """Return what the page says is wrong since then, in the document that has the focus now.

        And whether it did nothing at all about a click.
        """
        document = await self._find_focused_document()
        answer = await document.cdp.evaluate_in(
            document.frame, f"deskhand.newErrors({json.dumps(clicked)})", timeout=ERRORS_S
        )
        return answer["said"], answer["idle"]

    async def is_saving_file(self) -> bool:
        """True if a link that saves a file was clicked since then."""
        document = await self._find_focused_document()
        return await document.cdp.evaluate_in(document.frame, "deskhand.isSaving()", timeout=ERRORS_S)

    async def _find_focused_document(self) -> Document:
        document = self.top
        while True:
            inner = await document.cdp.evaluate_in(document.frame, "deskhand.focusedFrame()", timeout=ERRORS_S)
            if inner is None or (child := await self.find_child(document, inner)) is None:
                return document
            document = child

    async def _enter_frame(self, document: Document, answer: dict[str, Any]) -> tuple[Document, str] | None:
        child = await self.find_child(document, answer["frame"])
        if child is None:
            return None
        inner = CssBox(*answer["inner"])
        across = (answer["x"] - inner.left) / max(inner.right - inner.left, 1)
        down = (answer["y"] - inner.top) / max(inner.bottom - inner.top, 1)
        return child, f"...deskhand.part({across}, {down})"


def _expected_at(target: ElementPath | None, depth: int) -> dict[str, int]:
    if target is None or depth > len(target.path):
        return {}
    return {"frame": target.path[depth]} if depth < len(target.path) else {"item": target.item}


# Scripts report these only if they are true.
_STATES = ("focused", "selected", "clickable", "editable", "scrollable", "password", "multiline")


def _to_element(index: int, one: FoundElement, scale: float, view: dict[str, Any], numbers: dict[int, int]) -> Element:
    facts = one.facts
    edges = zip(one.box, (view["left"], view["top"]) * 2, strict=True)
    left, top, right, bottom = (round((edge - start) * scale) for edge, start in edges)
    return Element(
        index=index, role=facts["role"], bounds=Rect(max(0, left), max(0, top), right, bottom),
        name=facts.get("name", ""), value=facts.get("value", ""), hint=facts.get("hint", ""), id=facts.get("id", ""),
        parent=_parent_of(one, numbers), enabled="disabled" not in facts, checked=facts.get("checked"),
        expanded=facts.get("expanded"),
        **{state: state in facts for state in _STATES}, sends=facts.get("sends", ""), error=facts.get("error", ""),
        source="dom",
    )  # fmt: skip


def _parent_of(one: FoundElement, numbers: dict[int, int]) -> int | None:
    """Return the nearest listed ancestor: a covered part of an iframe may be missing."""
    above = one.parent
    while above is not None and id(above) not in numbers:
        above = above.parent
    return numbers[id(above)] if above is not None else None


def find_smallest_at(
    elements: Iterable[Element], x: int, y: int, first: Literal["usable", "all"] = "usable"
) -> Element | None:
    """Return what a user would say is at that point: the smallest usable one (`first`), else the smallest of all."""
    here = [one for one in elements if one.bounds.contains_point(x, y)]
    usable = [one for one in here if one.clickable or one.editable] if first == "usable" else []
    return min(usable or here, key=lambda one: one.bounds.area, default=None)
