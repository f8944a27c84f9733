"""Reads the value that belongs to a name on the screen: in its field or switch, after its colon, beside it."""

import re
import unicodedata

from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.sums import read_number
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.find import ENOUGH, Candidate, rank_candidates
from deskhand.screen.grounding.names import score_text
from deskhand.screen.grounding.query import Query, read_description
from deskhand.screen.grounding.tree import measure_distance
from deskhand.screen.grounding.vocabulary import fold_name, synonyms_of

ON_WORDS = frozenset({"on", "开", "开启", "已开启", "打开", "已打开", "enabled", "connected", "已连接"})
OFF_WORDS = frozenset({"off", "关", "关闭", "已关闭", "disabled", "disconnected", "未开启", "未连接"})
# Of a longer text in a field, a listing shows only the beginning.
SHOWN_LENGTHS = (300, 2000)


def value_of(scene: Scene, subject: str) -> str | None:
    """Return what the screen says of the subject; None if it is not there, "" if it is there and empty."""
    query = read_description(subject)
    for candidate in rank_candidates(query, scene.tree)[:6]:
        if candidate.score < ENOUGH:
            break
        value = _read_value(scene, candidate, query)
        if value is not None:
            return value
    return _read_heading(scene) if "heading" in query.roles and not query.name else None


def _read_value(scene: Scene, candidate: Candidate, query: Query) -> str | None:
    element, name = candidate.element, query.name or query.literal
    if element.editable:
        return element.value
    if element.checked is not None:
        return scene.say("开启", "on") if element.checked else scene.say("关闭", "off")
    if element.role == "slider" and element.value:
        return element.value
    named = score_text(name, element.text) if element.text else 0.0
    if element.text and (named < ENOUGH or query.ordinal):
        return element.text
    return (
        _read_after_label(name, element.text)
        or _read_beside(scene, element)
        or (None if named >= 0.95 else element.text or None)
    )


def _read_after_label(name: str, text: str) -> str:
    """`合计 ¥128`, `Total: 12`, `WeChat ID: x`: what follows the name in the same text."""
    for label in (name, *synonyms_of(name)):
        found = re.match(
            rf"\s*{re.escape(label)}\s*(?:[:：=,，]|\s|(?=[\d¥$€-]))\s*(.+)$", text, re.IGNORECASE | re.DOTALL
        )
        if found:
            return found[1].strip()
    return ""


def _read_beside(scene: Scene, label: Element) -> str:
    """The text to its right, else the nearest one right below or above; never another thing that can be clicked."""
    tree = scene.tree
    row = tree.row_of(label)
    texts = [
        e for e in scene.elements
        if e.text and not e.clickable and not _has_label(scene, e, label) and fold_name(e.text) != fold_name(label.text)
    ]  # fmt: skip
    own = [e for e in texts if row.index != label.index and tree.is_inside(e, row)]
    right = [e for e in own or texts if tree.is_same_row(e, label) and e.bounds.left >= label.bounds.right - 4]
    if right:
        return min(right, key=lambda e: e.bounds.left).text
    if own:
        return min(own, key=lambda e: measure_distance(e.bounds, label.bounds)).text
    near = [e for e in texts if not e.clickable and _is_stacked(label, e)]
    closest = min(near, key=lambda e: measure_distance(e.bounds, label.bounds), default=None)
    return closest.text if closest is not None else ""


def _is_stacked(label: Element, other: Element) -> bool:
    a, b = label.bounds, other.bounds
    overlap = min(a.right, b.right) - max(a.left, b.left)
    return overlap > 0 and measure_distance(a, b) <= 2 * a.height


def _has_label(scene: Scene, element: Element, label: Element) -> bool:
    return any(d.index == label.index for d in scene.tree.descendants_of(element))


def _read_heading(scene: Scene) -> str | None:
    """Without any mark of a heading: the largest letters in the upper half."""
    marked = [e for e in scene.elements if e.role == "heading" and e.text]
    texts = [e for e in scene.elements if e.role == "text" and e.text and e.bounds.top < scene.tree.screen.height / 2]
    best = max(marked or texts, key=lambda e: (e.bounds.height, -e.bounds.top), default=None)
    return best.text if best is not None else None


_AMOUNT = re.compile(r"^(?:how (?:much|many)\b|what (?:does|do) .+ cost)|多少|几[元块个度]", re.IGNORECASE)
_PRICE = re.compile(r"[¥￥$€£]\s*\d[\d,.]*|\d[\d,.]*\s*(?:元|块钱?|yuan|dollars?|euros?|USD|CNY|EUR)", re.IGNORECASE)
_OF_PRICE = re.compile(r"(?:['’]s price|的价格|的售价|的价钱)$|^(?:the )?price of (?:the )?", re.IGNORECASE)


def asks_amount(said: str) -> bool:
    """True if a question wants a number."""
    return _AMOUNT.search(said.strip()) is not None


def has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def strip_price(target: str) -> str:
    return _OF_PRICE.sub("", target.strip())


def read_price(scene: Scene, thing: str) -> str | None:
    """Return the one price that stands together with a thing, in the smallest box that holds any."""
    query = read_description(thing)
    for candidate in rank_candidates(query, scene.tree)[:4]:
        if candidate.score < ENOUGH:
            break
        for box in (candidate.element, *scene.tree.ancestors_of(candidate.element)):
            texts = [box.text, *(e.text for e in scene.tree.descendants_of(box))]
            prices = {found[0].strip() for text in texts if text for found in _PRICE.finditer(text)}
            if len(prices) == 1:
                return prices.pop()
            if prices:
                break
    return None


def read_state(text: str) -> bool | None:
    """A summary such as `已关闭` or `Off` as a state."""
    words = {fold_name(part) for part in re.split(r"[,，;；]", text)}
    if words & {fold_name(w) for w in ON_WORDS}:
        return True
    return False if words & {fold_name(w) for w in OFF_WORDS} else None


def is_read_back(shown: str, text: str) -> bool:
    """True if it is the same text; a field may set its own marks between digits, and write a number its own way."""
    shown, text = tidy_text(shown), tidy_text(text)
    if shown == text or (len(shown) in SHOWN_LENGTHS and text.startswith(shown)):
        return True
    if not re.fullmatch(r"[\d\W_]*\d[\d\W_]*", text):
        return False
    number = read_number(text)
    digits = re.sub(r"\D", "", text)
    return (number is not None and number == read_number(shown)) or (
        len(digits) > 3 and re.fullmatch(r"[\d\W_]*", shown) is not None and re.sub(r"\D", "", shown) == digits
    )


# A calculator writes the signs of a sum its own way.
_SIGNS = str.maketrans({"×": "*", "÷": "/", "−": "-", "∗": "*", "∕": "/"})


def tidy_text(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).translate(_SIGNS).split())


def has_doubled_ending(field: Element, text: str, before: str) -> bool:
    """`plan.txt.txt`: a file's name was offered with all but its ending selected, and the text has that ending too."""
    ending = re.search(r"\.\w{1,5}$", before)
    return ending is not None and text.endswith(ending[0]) and field.value == text + ending[0]


def is_replacing(step: say.Write, scene: Scene, field: Element) -> bool:
    """True if the text replaces what the field holds: so the goal says, or a line of a page holds one value.

    Not where a key has just put the caret somewhere. A field that comes up with its text selected may lose it.
    """
    placed = any(done.kind in ("key", "hotkey") for done in scene.list_executed())
    return step.replace or (field.source == "dom" and not field.multiline and not placed)
