"""Presents elements as a tree with rows: containment, names for unnamed elements, and click targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element

Want = Literal["any", "clickable", "editable", "checkable"]

# A list row is not higher than this share of the screen; a label and its control share one row.
ROW_SHARE = 0.16


class ElementTree:
    """A read-only view of one list of elements. Tolerates indices that point nowhere or in circles."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self.elements = tuple(elements)
        self._by_index = {e.index: e for e in self.elements}
        self._children: dict[int, list[Element]] = {}
        for e in self.elements:
            if e.parent is not None and e.parent != e.index:
                self._children.setdefault(e.parent, []).append(e)

    @cached_property
    def screen(self) -> Rect:
        if not self.elements:
            return Rect(0, 0, 1, 1)
        boxes = [e.bounds for e in self.elements]
        return Rect(0, 0, max(1, *(b.right for b in boxes)), max(1, *(b.bottom for b in boxes)))

    def ancestors_of(self, element: Element) -> Iterator[Element]:
        """Yield the ancestors from the parent up to the root."""
        seen = {element.index}
        at = element
        while at.parent is not None and at.parent in self._by_index and at.parent not in seen:
            at = self._by_index[at.parent]
            seen.add(at.index)
            yield at

    def descendants_of(self, element: Element) -> Iterator[Element]:
        """Yield the descendants depth first, in reading order."""
        seen = {element.index}
        queue = list(reversed(self._children.get(element.index, [])))
        while queue:
            at = queue.pop()
            if at.index in seen:
                continue
            seen.add(at.index)
            yield at
            queue.extend(reversed(self._children.get(at.index, [])))

    def is_inside(self, element: Element, container: Element) -> bool:
        return element.index == container.index or any(a.index == container.index for a in self.ancestors_of(element))

    def texts_of(self, element: Element) -> tuple[str, ...]:
        """Return the visible text: its own first, then that of its parts."""
        own = [element.text] if element.text else []
        return tuple(own + [d.text for d in self.descendants_of(element) if d.text])

    def label_of(self, element: Element) -> str:
        """Return its own name, or for a container without one the first text inside."""
        return element.name or element.value or next(iter(self.texts_of(element)), "") or element.hint

    def find_caption(self, element: Element) -> Element | None:
        """Return the first text inside a nameless element that is not the name of something to use in it."""
        inside = (d for d in self.descendants_of(element) if d.text and not (d.clickable or d.editable))
        return next((d for d in inside if self._is_part_of(d, element)), None)

    def _is_part_of(self, element: Element, container: Element) -> bool:
        """True if nothing that can be clicked lies between."""
        around = next((a for a in self.ancestors_of(element) if a.clickable or a.index == container.index), None)
        return around is not None and around.index == container.index

    def is_row(self, element: Element) -> bool:
        return 0 < element.bounds.height <= self.screen.height * ROW_SHARE and not element.scrollable

    def row_of(self, element: Element) -> Element:
        """Return the widest element around it that is no higher than a list row."""
        best = element
        for above in self.ancestors_of(element):
            if not self.is_row(above):
                break
            best = above
        return best

    def is_same_row(self, one: Element, other: Element) -> bool:
        a, b = one.bounds, other.bounds
        overlap = min(a.bottom, b.bottom) - max(a.top, b.top)
        return overlap > 0 and overlap * 2 >= min(a.height, b.height)

    def find_clickable_around(self, element: Element) -> Element | None:
        """Return the element, or the nearest one around it that is clickable and small enough to be meant."""
        if element.clickable or element.editable:
            return element
        for above in self.ancestors_of(element):
            if above.clickable and not above.scrollable:
                return above if above.bounds.area <= self.screen.area * 0.5 else None
        return None

    def find_nearest(self, element: Element, others: Iterable[Element]) -> Element | None:
        return min(others, key=lambda o: measure_distance(element.bounds, o.bounds), default=None)

    def find_control_beside(self, element: Element, wanted: Sequence[Element]) -> Element | None:
        """Return the control that belongs to a label: inside it, in the same row, or (for fields) right below."""
        if within := [e for e in wanted if self.is_inside(e, element)]:
            return within[0]
        row = self.row_of(element)
        if within := [e for e in wanted if e.index != element.index and self.is_inside(e, row)]:
            return self.find_nearest(element, within)
        beside = [e for e in wanted if e.index != element.index and self.is_same_row(element, e)]
        if beside and self._is_free(element):
            return self.find_nearest(element, beside)
        return None

    def find_field_below(self, label: Element, fields: Sequence[Element]) -> Element | None:
        """Return the field under its label with only empty space between."""
        reach = label.bounds.bottom + max(3 * label.bounds.height, self.screen.height // 20)
        below = [
            f
            for f in fields
            if label.bounds.bottom <= f.bounds.top + 4
            and f.bounds.top <= reach
            and min(f.bounds.right, label.bounds.right) > max(f.bounds.left, label.bounds.left)
        ]
        return self.find_nearest(label, below)

    def _is_free(self, element: Element) -> bool:
        """True if it is not part of a row of its own (a control beside it would belong to that row, not to it)."""
        return self.row_of(element).bounds.width < self.screen.width * 0.7


def measure_distance(a: Rect, b: Rect) -> int:
    """Return the empty space between two boxes; horizontal counts as much as vertical. Overlap is nearest."""
    across = max(a.left - b.right, b.left - a.right, 0)
    down = max(a.top - b.bottom, b.top - a.bottom, 0)
    return across + down
