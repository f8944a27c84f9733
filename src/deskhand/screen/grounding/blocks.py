"""Tells which of several equal controls belongs to a thing, where a page repeats one block: cards, posts, products.

Many pages list no container for a block, so its build must tell: each begins with something of one kind and shape, and
each has just one such control.
"""

from collections.abc import Sequence

from deskhand.core.screen import Element
from deskhand.screen.grounding.tree import ElementTree

# Pixels by which edges that are meant to be equal may differ.
SLACK = 4


def find_in_block(controls: Sequence[Element], head: Element, tree: ElementTree) -> Element | None:
    """Return the control of the block that `head` begins; None if the blocks can't be told for sure."""
    heads = [e for e in tree.elements if _is_peer(e, head)]
    if len(controls) < 2 or len(heads) < 2:
        return None
    owners = [_find_owner(control, heads) for control in controls]
    owned = [owner.index for owner in owners if owner is not None]
    if len(owned) < len(controls) or len(set(owned)) < len(owned):
        return None  # one is above all of them, or two belong to one: the build is another
    return next((c for c, owner in zip(controls, owners, strict=True) if owner is head), None)


def _is_peer(element: Element, head: Element) -> bool:
    """True for what is of the same kind and shape, in one column or one row with it."""
    a, b = element.bounds, head.bounds
    alike = element.role == head.role and element.clickable == head.clickable and bool(element.text)
    lined_up = abs(a.left - b.left) <= SLACK or abs(a.top - b.top) <= SLACK
    return alike and abs(a.height - b.height) <= SLACK and lined_up


def _find_owner(control: Element, heads: Sequence[Element]) -> Element | None:
    """Return the head right above the control, or before it in its row."""
    box = control.bounds
    before = [h for h in heads if h.bounds.top <= box.top + SLACK and h.bounds.left <= box.left + SLACK]
    return max(before, key=lambda h: (round(h.bounds.top / SLACK), h.bounds.left), default=None)
