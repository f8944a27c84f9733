"""Turns uiautomator's XML into Elements: normalised roles, and the names a user would give rows and switches."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

from deskhand.core.errors import NoElements
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Role

NAME_LIMIT = 200
# A tappable view in a list is a row if it is about as wide as the list; else it is a button, as icons are.
ROW_SHARE = 0.8
# A card that takes less than this share of its layer is a dialog or a menu; a page takes it all.
SHEET_SHARE = 0.9
MOST_ANSWERS = 4
ANSWERS = {
    "cancel", "ok", "yes", "no", "later", "not now", "close", "done", "got it", "dismiss", "skip", "deny",
    "取消", "确定", "确认", "是", "否", "稍后", "以后再说", "暂不", "关闭", "完成", "知道了", "我知道了",
    "跳过", "拒绝", "不允许",
}  # fmt: skip
EVERYWHERE = Rect(0, 0, 65_536, 65_536)
BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
NOT_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
# Matched by the end of the class name, since every toolkit has its own Button. Longer names come first.
ROLES: tuple[tuple[str, Role], ...] = (
    ("RadioButton", "radio"), ("ToggleButton", "switch"), ("Switch", "switch"), ("SwitchCompat", "switch"),
    ("SwitchMaterial", "switch"), ("SwitchButton", "switch"), ("CheckBox", "checkbox"), ("CheckedTextView", "checkbox"),
    ("EditText", "field"), ("AutoCompleteTextView", "field"), ("SearchAutoComplete", "field"),
    ("SeekBar", "slider"), ("Slider", "slider"), ("RatingBar", "slider"),
    ("ProgressBar", "progress"), ("ProgressIndicator", "progress"), ("Spinner", "combobox"),
    ("TabView", "tab"), ("Tab", "tab"), ("Button", "button"),
    ("RecyclerView", "list"), ("ListView", "list"), ("GridView", "list"), ("ViewPager", "list"),
)  # fmt: skip
STATES = ("enabled", "focused", "selected", "scrollable", "password")
TOGGLES = {"switch", "checkbox", "radio"}
# Some makers' switches have their state as their text.
STATE_WORDS = {"on", "off", "开", "关", "开启", "关闭", "已开启", "已关闭", "打开", "已打开"}


@dataclass(slots=True)
class ViewNode:
    """One node of the dump, with its neighbours, which are needed to name it."""

    attributes: dict[str, str]
    bounds: Rect
    parent: "ViewNode | None" = None
    children: "list[ViewNode]" = field(default_factory=list["ViewNode"])
    role: Role = "group"

    def has_flag(self, name: str) -> bool:
        return self.attributes.get(name) == "true"

    @property
    def kind(self) -> str:
        return self.attributes.get("class", "").rpartition(".")[2]

    @property
    def text(self) -> str:
        return self.attributes.get("text", "").strip()

    @property
    def description(self) -> str:
        return self.attributes.get("content-desc", "").strip()

    @property
    def label(self) -> str:
        return self.text or self.description

    @property
    def is_tappable(self) -> bool:
        return self.has_flag("clickable") or self.has_flag("long-clickable")

    @property
    def ancestors(self) -> "Iterator[ViewNode]":
        view = self.parent
        while view is not None:
            yield view
            view = view.parent

    @property
    def descendants(self) -> "Iterator[ViewNode]":
        for child in self.children:
            yield child
            yield from child.descendants


def read_elements(xml: bytes) -> tuple[Element, ...]:
    """Return the visible elements in reading order; raises NoElements if the XML is damaged."""
    try:
        hierarchy = ElementTree.fromstring(NOT_XML.sub(b"", xml))
    except ElementTree.ParseError as error:
        raise NoElements(f"The phone's element tree is damaged: {error}.") from None
    elements: list[Element] = []
    for node in hierarchy:
        front = _find_front(node)
        view = _build_view(front, None, EVERYWHERE)
        if (front is not node or _is_floating(view)) and _is_asking(view):
            view.role = "dialog"
        _collect_elements(view, None, elements)
    return tuple(elements)


def _find_front(root: ElementTree.Element) -> ElementTree.Element:
    """Return the card of a sheet that dims the rest of its own window, else the root: what it covers can't be touched.

    Known by its shape: drawn last, a tappable layer over everything before it, and in it a card that leaves some free.
    """
    children = [child for child in root if child.tag == "node"]
    if len(children) == 1:
        return _find_front(children[0]) if _bounds_of(children[0]) == _bounds_of(root) else root
    if len(children) < 2 or children[-1].get("clickable") != "true" or children[-1].get("text"):
        return root
    layer = children[-1]
    cards = [child for child in layer if child.tag == "node"]
    covers = all(_bounds_of(each).intersect_with(_bounds_of(layer)) == _bounds_of(each) for each in children[:-1])
    small = len(cards) == 1 and _bounds_of(cards[0]).area < SHEET_SHARE * _bounds_of(layer).area
    return cards[0] if covers and small else root


def _is_floating(view: ViewNode) -> bool:
    """True for a window that begins inside of the screen, as a dialog's does."""
    return view.bounds.left > 0 and view.bounds.top > 0


def _is_asking(view: ViewNode) -> bool:
    """True if it says something and has a few answers, one of which is a usual one; a menu only offers things to do."""
    answers = [each for each in view.descendants if each.has_flag("clickable") and each.role != "field"]
    told = {each.label.casefold() for each in view.descendants if each.label}
    return 1 <= len(answers) <= MOST_ANSWERS and not told.isdisjoint(ANSWERS) and len(told) > len(answers)


def _bounds_of(node: ElementTree.Element) -> Rect:
    numbers = BOUNDS.match(node.get("bounds", ""))
    left, top, right, bottom = (int(number) for number in numbers.groups()) if numbers else (0, 0, 0, 0)
    return Rect(left, top, right, bottom)


def _build_view(node: ElementTree.Element, parent: ViewNode | None, clip: Rect) -> ViewNode:
    view = ViewNode(node.attrib, _bounds_of(node).intersect_with(clip), parent)
    below = view.bounds if view.has_flag("scrollable") else clip
    view.children = _sort_for_reading([_build_view(child, view, below) for child in node if child.tag == "node"])
    view.role = _role_of(view)
    return view


def _sort_for_reading(views: list[ViewNode]) -> list[ViewNode]:
    """Sort by row from the top, then from the left; two views share a row if one's middle lies beside the other."""
    rows: list[list[ViewNode]] = []
    for view in sorted(views, key=lambda each: each.bounds.top):
        row = rows[-1] if rows else []
        middle = view.bounds.center[1]
        if row and row[0].bounds.top <= middle < row[0].bounds.bottom and view.bounds.top < row[0].bounds.center[1]:
            row.append(view)
        else:
            rows.append([view])
    return [view for row in rows for view in sorted(row, key=lambda each: each.bounds.left)]


def _role_of(view: ViewNode) -> Role:
    kind = view.kind
    for ending, role in ROLES:
        if kind.endswith(ending):
            return role
    if kind.endswith("TextView"):
        return "button" if view.has_flag("clickable") else "text"
    if view.has_flag("checkable"):
        return "switch"
    if kind.endswith(("ImageView", "Image")):
        return "button" if view.has_flag("clickable") else "image"
    if view.has_flag("scrollable"):
        return "list"
    if not view.children and not view.is_tappable:
        return "text" if view.label else "group"
    return "group"


def _role_of_tappable(view: ViewNode) -> Role:
    """Return the role of a tappable container, judged by the views around it."""
    if any(above.kind == "WebView" for above in view.ancestors):
        return "link"
    if view.parent and any(_is_beside(view, each) and each.has_flag("selected") for each in view.parent.children):
        return "tab"
    around = next((above for above in view.ancestors if above.role == "list"), None)
    if around and view.bounds.width > ROW_SHARE * around.bounds.width:
        return "item"
    return "item" if sum(1 for each in view.descendants if each.text) > 1 else "button"


def _is_beside(view: ViewNode, other: ViewNode) -> bool:
    same_height = other.bounds.top <= view.bounds.center[1] < other.bounds.bottom
    return other.is_tappable and same_height and (other is view or other.bounds.left != view.bounds.left)


def _collect_elements(view: ViewNode, parent: int | None, elements: list[Element]) -> None:
    if view.role == "group" and view.is_tappable:
        view.role = _role_of_tappable(view)
    if _is_shown(view):
        elements.append(_to_element(view, len(elements), parent))
        parent = len(elements) - 1
    for child in view.children:
        _collect_elements(child, parent, elements)


def _is_shown(view: ViewNode) -> bool:
    if view.bounds.area == 0 or view.attributes.get("visible-to-user") == "false":
        return False
    useful = (
        view.role == "dialog"
        or view.label
        or view.is_tappable
        or view.has_flag("scrollable")
        or view.has_flag("checkable")
    )
    return bool(useful) or view.role in {"field", "slider", "progress"}


def _to_element(view: ViewNode, index: int, parent: int | None) -> Element:
    editable = view.role == "field"
    hint = view.attributes.get("hint", "").strip()
    text = view.attributes.get("text", "") if editable else view.text
    value = text if editable or view.role == "slider" else ""
    return Element(
        index=index, role=view.role, bounds=view.bounds, name=_name_of(view)[:NAME_LIMIT],
        # An empty field reports its hint as its text.
        value="" if editable and value.strip() == hint else value, hint=hint if editable else "",
        id=view.attributes.get("resource-id", ""), parent=parent, clickable=view.is_tappable, editable=editable,
        checked=view.has_flag("checked") if view.has_flag("checkable") else None,
        **{state: view.has_flag(state) for state in STATES}, sends="", error="", source="uiautomator",
    )  # fmt: skip


def _name_of(view: ViewNode) -> str:
    if view.role == "dialog":
        return next((each.label for each in view.descendants if each.label), "")
    if view.role in {"field", "slider"}:
        return view.description or ("" if view.attributes.get("hint") else _find_row_label(view))
    if view.role in TOGGLES:
        own = view.description or ("" if view.text.lower() in STATE_WORDS else view.text)
        words_of_id = view.attributes.get("resource-id", "").rpartition("/")[2].replace("_", " ")
        return own or _find_row_label(view) or words_of_id
    if view.label or not view.is_tappable:
        return view.label
    return ", ".join(dict.fromkeys(_iterate_texts(view)))


def _iterate_texts(view: ViewNode) -> Iterator[str]:
    """Yield the texts in a tappable container, without the parts that can be tapped on their own."""
    for child in view.children:
        if child.is_tappable or child.has_flag("checkable"):
            continue
        if child.label and child.bounds.area:
            yield child.label
        yield from _iterate_texts(child)


def _find_row_label(view: ViewNode) -> str:
    """Return the text beside a switch or field, from the smallest container around it that has any text."""
    for above in view.ancestors:
        if above.role == "list":
            return ""
        texts = [
            each for each in above.descendants
            if each.label and each is not view and each.role in {"text", "group", "heading"} and each.bounds.area
        ]  # fmt: skip
        alone = view.role in TOGGLES and sum(1 for each in above.descendants if each.role in TOGGLES) == 1
        row = Rect(0, view.bounds.top, view.bounds.right, view.bounds.bottom)
        beside = [each for each in texts if alone or each.bounds.intersect_with(row).area]
        if beside:
            return beside[0].label
        if texts:
            return ""
    return ""
