"""Reads uiautomator's XML into Elements: normal roles, and the names a person would use for rows and switches."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree import ElementTree

from deskhand.core.errors import NoElements
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Role

NAME_LIMIT = 200
# A thing to tap in a list is a row of it when it is about as wide as the list; else it is a button, as icons are.
ROW_SHARE = 0.8
EVERYWHERE = Rect(0, 0, 65_536, 65_536)
BOUNDS = re.compile(r"\[(-?\d+),(-?\d+)\]\[(-?\d+),(-?\d+)\]")
NOT_XML = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
# By the end of the class name, since every toolkit has a Button of its own. The longer names come first.
ROLES: tuple[tuple[str, Role], ...] = (
    ("RadioButton", "radio"), ("ToggleButton", "switch"), ("Switch", "switch"), ("SwitchCompat", "switch"),
    ("SwitchMaterial", "switch"), ("SwitchButton", "switch"), ("CheckBox", "checkbox"), ("CheckedTextView", "checkbox"),
    ("EditText", "field"), ("AutoCompleteTextView", "field"), ("SearchAutoComplete", "field"),
    ("SeekBar", "slider"), ("Slider", "slider"), ("RatingBar", "slider"),
    ("ProgressBar", "progress"), ("ProgressIndicator", "progress"), ("Spinner", "combobox"),
    ("TabView", "tab"), ("Tab", "tab"), ("Button", "button"),
    ("RecyclerView", "list"), ("ListView", "list"), ("GridView", "list"), ("ViewPager", "list"),
)  # fmt: skip
TOGGLES = {"switch", "checkbox", "radio"}
# Switches of some makers carry their state as their text.
STATE_WORDS = {"on", "off", "开", "关", "开启", "关闭", "已开启", "已关闭", "打开", "已打开"}


@dataclass(slots=True)
class View:
    """One node of the dump, with what is needed to name it."""

    attributes: dict[str, str]
    bounds: Rect
    parent: "View | None" = None
    children: "list[View]" = field(default_factory=list["View"])
    role: Role = "group"

    def flag(self, name: str) -> bool:
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
    def tappable(self) -> bool:
        return self.flag("clickable") or self.flag("long-clickable")

    @property
    def above(self) -> "Iterator[View]":
        view = self.parent
        while view is not None:
            yield view
            view = view.parent

    @property
    def below(self) -> "Iterator[View]":
        for child in self.children:
            yield child
            yield from child.below


def read_elements(xml: bytes) -> tuple[Element, ...]:
    """All visible elements in reading order; raises NoElements when the dump is no tree."""
    try:
        hierarchy = ElementTree.fromstring(NOT_XML.sub(b"", xml))
    except ElementTree.ParseError as error:
        raise NoElements(f"The phone's list of elements can't be read: {error}.") from None
    elements: list[Element] = []
    for node in hierarchy:
        _collect(_view(node, None, EVERYWHERE), None, elements)
    return tuple(elements)


def _view(node: ElementTree.Element, parent: View | None, clip: Rect) -> View:
    numbers = BOUNDS.match(node.get("bounds", ""))
    left, top, right, bottom = (int(number) for number in numbers.groups()) if numbers else (0, 0, 0, 0)
    view = View(node.attrib, Rect(left, top, right, bottom).intersect(clip), parent)
    below = view.bounds if view.flag("scrollable") else clip
    view.children = _in_reading_order([_view(child, view, below) for child in node if child.tag == "node"])
    view.role = _role(view)
    return view


def _in_reading_order(views: list[View]) -> list[View]:
    """Rows from the top down, each from the left; two views share a row when one's middle lies beside the other."""
    rows: list[list[View]] = []
    for view in sorted(views, key=lambda each: each.bounds.top):
        row = rows[-1] if rows else []
        middle = view.bounds.center[1]
        if row and row[0].bounds.top <= middle < row[0].bounds.bottom and view.bounds.top < row[0].bounds.center[1]:
            row.append(view)
        else:
            rows.append([view])
    return [view for row in rows for view in sorted(row, key=lambda each: each.bounds.left)]


def _role(view: View) -> Role:
    kind = view.kind
    for ending, role in ROLES:
        if kind.endswith(ending):
            return role
    if kind.endswith("TextView"):
        return "button" if view.flag("clickable") else "text"
    if view.flag("checkable"):
        return "switch"
    if kind.endswith(("ImageView", "Image")):
        return "button" if view.flag("clickable") else "image"
    if view.flag("scrollable"):
        return "list"
    if not view.children and not view.tappable:
        return "text" if view.label else "group"
    return "group"


def _tappable_role(view: View) -> Role:
    """What a container is to a person who may tap it; needs the views around it."""
    if any(above.kind == "WebView" for above in view.above):
        return "link"
    if view.parent and any(_beside(view, each) and each.flag("selected") for each in view.parent.children):
        return "tab"
    around = next((above for above in view.above if above.role == "list"), None)
    if around and view.bounds.width > ROW_SHARE * around.bounds.width:
        return "item"
    return "item" if sum(1 for each in view.below if each.text) > 1 else "button"


def _beside(view: View, other: View) -> bool:
    same_height = other.bounds.top <= view.bounds.center[1] < other.bounds.bottom
    return other.tappable and same_height and (other is view or other.bounds.left != view.bounds.left)


def _collect(view: View, parent: int | None, elements: list[Element]) -> None:
    if view.role == "group" and view.tappable:
        view.role = _tappable_role(view)
    if _shown(view):
        elements.append(_element(view, len(elements), parent))
        parent = len(elements) - 1
    for child in view.children:
        _collect(child, parent, elements)


def _shown(view: View) -> bool:
    if view.bounds.area == 0 or view.attributes.get("visible-to-user") == "false":
        return False
    telling = view.label or view.tappable or view.flag("scrollable") or view.flag("checkable")
    return bool(telling) or view.role in {"field", "slider", "progress"}


def _element(view: View, index: int, parent: int | None) -> Element:
    editable = view.role == "field"
    hint = view.attributes.get("hint", "").strip()
    text = view.attributes.get("text", "") if editable else view.text
    value = text if editable or view.role == "slider" else ""
    return Element(
        index=index,
        role=view.role,
        bounds=view.bounds,
        name=_name(view)[:NAME_LIMIT],
        # An empty field reports its hint as its text.
        value="" if editable and value.strip() == hint else value,
        hint=hint if editable else "",
        id=view.attributes.get("resource-id", ""),
        parent=parent,
        enabled=view.flag("enabled"),
        focused=view.flag("focused"),
        selected=view.flag("selected"),
        checked=view.flag("checked") if view.flag("checkable") else None,
        clickable=view.tappable,
        editable=editable,
        scrollable=view.flag("scrollable"),
        password=view.flag("password"),
    )


def _name(view: View) -> str:
    if view.role in {"field", "slider"}:
        return view.description or ("" if view.attributes.get("hint") else _row_label(view))
    if view.role in TOGGLES:
        own = view.description or ("" if view.text.lower() in STATE_WORDS else view.text)
        return own or _row_label(view) or _id_words(view)
    if view.label or not view.tappable:
        return view.label
    return ", ".join(dict.fromkeys(_texts_inside(view)))


def _texts_inside(view: View) -> Iterator[str]:
    """What a tappable container shows, without the parts that can be tapped on their own."""
    for child in view.children:
        if child.tappable or child.flag("checkable"):
            continue
        if child.label and child.bounds.area:
            yield child.label
        yield from _texts_inside(child)


def _row_label(view: View) -> str:
    """The text beside a switch or field: from the smallest container around it that shows any."""
    for above in view.above:
        if above.role == "list":
            return ""
        texts = [
            each for each in above.below
            if each.label and each is not view and each.role in {"text", "group", "heading"} and each.bounds.area
        ]  # fmt: skip
        alone = view.role in TOGGLES and sum(1 for each in above.below if each.role in TOGGLES) == 1
        beside = [each for each in texts if alone or _in_row(each.bounds, view.bounds)]
        if beside:
            return beside[0].label
        if texts:
            return ""
    return ""


def _in_row(text: Rect, control: Rect) -> bool:
    return text.top < control.bottom and control.top < text.bottom and text.left < control.right


def _id_words(view: View) -> str:
    return view.attributes.get("resource-id", "").rpartition("/")[2].replace("_", " ")
