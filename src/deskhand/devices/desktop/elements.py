"""Turns the nodes of the accessibility bus into Elements: only what a user can see and hit, in reading order."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from deskhand.core.geometry import Rect
from deskhand.core.screen import HOLLOW, Element, Role
from deskhand.devices.desktop.accessibility_bus import AccessibilityBus
from deskhand.devices.desktop.accessible_node import MENUS, AccessibleNode, NodeRef, NodeState
from deskhand.devices.desktop.placement import mend_tree, place_in_window
from deskhand.devices.desktop.windows import WindowInfo, find_top_at

# AT-SPI's role numbers. Roles that are not here are containers.
_ROLES: Mapping[int, Role] = {
    2: "dialog", 7: "checkbox", 8: "menu", 11: "combobox", 10: "heading", 16: "dialog", 19: "dialog", 23: "window",
    26: "image", 27: "image", 29: "text", 31: "list", 32: "item", 33: "menu", 35: "menu", 37: "tab", 40: "field",
    42: "progress", 43: "button", 44: "radio", 45: "menu", 51: "slider", 52: "field", 55: "list", 56: "item",
    57: "heading", 60: "text", 61: "text", 62: "button", 64: "text", 65: "list", 66: "list", 69: "window",
    73: "text", 79: "field", 81: "text", 83: "heading", 88: "link", 90: "item", 91: "item", 94: "text", 98: "list",
    101: "dialog", 116: "text", 129: "button", 130: "switch",
}  # fmt: skip
_EVERYWHERE = Rect(0, 0, 65_535, 65_535)
_TOP_LEVEL = {2, 16, 19, 23, 69}
_FRAME = 23
PASSWORD = 40
_COMBOBOX = 11
_CELL = 56
_APPLICATION = 75
TERMINAL = 60
_SCROLLED = {49}
# Scroll bars and separators.
_BARE = {48, 50}
_CHECKED = {7, 8, 44, 45, 62, 130}
_PRESSED_ONLY = 62
_CLICKABLE: set[Role] = {"button", "checkbox", "radio", "switch", "tab", "link", "menu", "combobox", "item", "field"}
# A terminal or a log may hold megabytes; only the beginning is read.
_MOST_TEXT = 20_000
_NUMBERED = {42, 51, 52}
_LABELLED = {_COMBOBOX, 31, 51, 55, 65, 66, 98}
_TEXTUAL = {60, 61, 79, 73, 94, 52, 11, _CELL}


async def read_program(
    bus: AccessibilityBus, root: AccessibleNode, screen: Rect, windows: Sequence[WindowInfo] = ()
) -> list[AccessibleNode]:
    """Read boxes, values and labels of everything a program shows; return its top-level nodes.

    `windows` are those of the program: the boxes of some toolkits are relative to them.
    """
    nodes = list(root.iterate_tree())
    await bus.measure_nodes(nodes)
    if root.relative:
        for top in root.children:
            place_in_window(top, windows)
    mend_tree(root)
    nodes = list(root.iterate_tree())
    for node in nodes:
        node.bounds = node.bounds.intersect_with(screen)
    crowded = [node for node in nodes if node.many and node.bounds.area]
    for container, cells in zip(crowded, await asyncio.gather(*map(bus.find_cells, crowded)), strict=True):
        container.children = cells
    named = {node.ref: node for node in root.iterate_tree()}
    await asyncio.gather(*(_describe_node(bus, node, named) for node in named.values() if node.bounds.area))
    return root.children


async def _describe_node(bus: AccessibilityBus, node: AccessibleNode, named: Mapping[NodeRef, AccessibleNode]) -> None:
    if node.role in _NUMBERED and "Value" in node.interfaces:
        node.value = await bus.read_number(node.ref)
    elif node.role in _TEXTUAL and "Text" in node.interfaces:
        node.value = await bus.read_text(node.ref, _MOST_TEXT) or ""
    if node.role == _COMBOBOX and not node.value:
        # Its name is the current choice.
        node.value, node.name = node.name, ""
    if not node.name and (is_field(node) or node.role in _LABELLED):
        labels = [named[ref].name for ref in await bus.list_labels(node.ref) if ref in named]
        node.label = " ".join(label for label in labels if label)


def is_field(node: AccessibleNode) -> bool:
    # Not by the EditableText interface: GTK gives it to every text view, even to a calculator's display.
    # A sheet and its cells are editable as well, but keys make the program open a field for them first.
    if node.role == PASSWORD or node.role == _CELL or "Text" not in node.interfaces:
        return node.role == PASSWORD
    return node.has_state(NodeState.EDITABLE) and not node.has_state(NodeState.READ_ONLY)


def find_focused(root: AccessibleNode, title: str = "") -> AccessibleNode | None:
    """Return the node with the focus: a text field before the box inside it (Qt marks both), else the innermost.

    Of several windows only the one with the title counts: the others go on marking what had the focus in them.
    """
    tops = [top for top in root.children if title and top.name == title] or [root]
    found = [node for top in tops for node in top.iterate_tree() if node.has_state(NodeState.FOCUSED)]
    return next((node for node in found if is_field(node)), found[-1] if found else None)


def to_elements(programs: Mapping[int, Sequence[AccessibleNode]], stack: Sequence[WindowInfo]) -> tuple[Element, ...]:
    """Return the elements of all programs' top-level nodes, the front window first."""
    tops = [(node, pid, _window_of(node, pid, stack)) for pid, nodes in programs.items() for node in nodes]
    order = {window.id: place for place, window in enumerate(stack)}
    tops.sort(key=lambda top: -order[top[2].id] if top[2] else 0)
    collected: list[Element] = []
    blocked = _find_blocked(stack)
    for node, pid, window in tops:
        if node.role in _TOP_LEVEL and window is None:
            continue  # not on the screen: on another desktop, or minimised
        if window is not None and window.id in blocked:
            continue
        begun = len(collected)
        _collect_elements(node, pid, window, stack, None, node.bounds, collected)
        if _is_behind(window, stack):
            # Programs go on marking what had the focus in a window that is no longer in front.
            collected[begun:] = [replace(one, focused=False) for one in collected[begun:]]
    return tuple(collected)


def _is_behind(window: WindowInfo | None, stack: Sequence[WindowInfo]) -> bool:
    return window is not None and not window.active and not window.menu and any(one.active for one in stack)


def _find_blocked(stack: Sequence[WindowInfo]) -> set[int]:
    """Return the windows that take no input because a modal window of their program stands before them."""
    blocked: set[int] = set()
    for place, modal in enumerate(stack):
        if modal.modal and not modal.menu:
            blocked |= {one.id for one in stack[:place] if one.pid == modal.pid and not one.menu}
    return blocked


def _window_of(node: AccessibleNode, pid: int, stack: Sequence[WindowInfo]) -> WindowInfo | None:
    """Return the X window of a top-level node: of the same process, by title and by position."""
    own = [window for window in stack if window.pid == pid]

    def score_fit(window: WindowInfo) -> float:
        shared = window.bounds.intersect_with(node.bounds).area / max(1, max(window.bounds.area, node.bounds.area))
        return shared + (window.title == node.name)

    best = max(own, key=score_fit, default=None)
    return best if best is not None and score_fit(best) > 0 else None


def _collect_elements(
    node: AccessibleNode,
    pid: int,
    window: WindowInfo | None,
    stack: Sequence[WindowInfo],
    parent: int | None,
    clip: Rect,
    collected: list[Element],
) -> None:
    """Collect depth first. A container without a name is skipped, but not its children; hidden nodes are left out."""
    seen = node.bounds.intersect_with(clip)
    if seen.area and _is_worth_listing(node) and _is_uncovered(seen, pid, window, stack):
        element = _to_element(node, seen, len(collected), parent)
        collected.append(element)
        parent = element.index
    if node.is_clipping:
        clip = seen
    elif node.role in MENUS:
        clip = _EVERYWHERE
    for child in sort_for_reading(node.children):
        # A menu that dropped down from its bar, or a list from its box, lies outside its parent.
        _collect_elements(child, pid, window, stack, parent, clip, collected)


def _is_worth_listing(node: AccessibleNode) -> bool:
    text = node.name or node.value or node.label
    known = node.role in _ROLES and (node.role != _FRAME or _is_top_level(node))
    return bool(text or known or is_field(node) or node.role in _SCROLLED or _is_drawn(node))


def _is_drawn(node: AccessibleNode) -> bool:
    """True for a big box with nothing in it: its program draws there by itself, and only a picture tells what."""
    box = node.bounds
    return not node.children and node.role not in _BARE and box.width >= HOLLOW[0] and box.height >= HOLLOW[1]


def _is_top_level(node: AccessibleNode) -> bool:
    return node.parent is None or node.parent.role == _APPLICATION


def _is_uncovered(seen: Rect, pid: int, window: WindowInfo | None, stack: Sequence[WindowInfo]) -> bool:
    top = find_top_at(stack, *seen.center)
    if top is None or top.pid != pid:
        # The middle of a big window is often covered while its edges are not, so a window itself always counts.
        return window is not None and top is not None and seen == window.bounds
    return top.menu or window is None or window.menu or top.id == window.id or seen == window.bounds


def _to_element(node: AccessibleNode, seen: Rect, index: int, parent: int | None) -> Element:
    field = is_field(node)
    role: Role = "field" if field and node.role not in (_COMBOBOX, TERMINAL) else _ROLES.get(node.role, "group")
    if role in ("group", "window") and node.parent is not None:
        # Qt reports bare widgets as windows, and every border around a widget as a frame.
        role = "window" if _is_top_level(node) else "group"
    checked = node.has_state(NodeState.CHECKED) or node.has_state(NodeState.PRESSED) if node.role in _CHECKED else None
    if node.role == _PRESSED_ONLY:
        checked = checked or None
    name = (node.name or node.label or ("" if field else node.description)).strip()
    return Element(
        index=index, role=role, bounds=seen, name=name, value="" if node.role == PASSWORD else node.value,
        hint=node.description if node.description != name else "", id=f"{node.ref.bus}{node.ref.path}", parent=parent,
        enabled=node.has_state(NodeState.SENSITIVE) or node.has_state(NodeState.ENABLED),
        focused=node.has_state(NodeState.FOCUSED), selected=node.has_state(NodeState.SELECTED), checked=checked,
        clickable=role in _CLICKABLE or ("Action" in node.interfaces and node.has_state(NodeState.FOCUSABLE)),
        editable=field, scrollable=node.many or node.role in _SCROLLED, password=node.role == PASSWORD, source="atspi",
    )  # fmt: skip


def sort_for_reading(nodes: Iterable[AccessibleNode]) -> list[AccessibleNode]:
    """Sort by row from the top, then from the left: toolkits list children in the order they were created."""
    ordered: list[AccessibleNode] = []
    row: list[AccessibleNode] = []
    for node in sorted(nodes, key=lambda node: node.bounds.center[1]):
        if row and node.bounds.center[1] >= row[0].bounds.bottom:
            ordered += sorted(row, key=lambda node: node.bounds.left)
            row = []
        row.append(node)
    return ordered + sorted(row, key=lambda node: node.bounds.left)
