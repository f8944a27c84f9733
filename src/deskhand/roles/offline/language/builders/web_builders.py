"""Builds instructions from sentences about texts and things that are carried from one place to another."""

import re
from collections.abc import Callable

from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.language.lexicon import count_phrase, load_lexicon
from deskhand.roles.offline.language.tokens import cut_tokens
from deskhand.screen.grounding.query import parse_chinese_number

Slots = dict[str, str]
_SPOTS_ZH = {
    "左上角": "top left", "右上角": "top right", "左下角": "bottom left", "右下角": "bottom right", "正中间": "center",
    "中间": "center", "中央": "center", "最上面": "top", "最前面": "top", "顶部": "top", "最下面": "bottom",
    "最后面": "bottom", "底部": "bottom",
}  # fmt: skip
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def build_transfer(slots: Slots, source: str) -> Instruction:
    return say.Transfer(source, slots["what"], slots["target"])


def build_highlight(slots: Slots, source: str) -> Instruction:
    return say.SelectText(source, slots["target"])


def build_shift(slots: Slots, source: str, way: say.Direction) -> Instruction:
    known: dict[str, int] = load_lexicon().extra["numbers"]
    said = slots.get("n", "").casefold()
    places = int(known.get(said, 0) or parse_chinese_number(said) or 0) if said else 0
    if said and not places:
        return say.NotUnderstood(source)
    return say.Shift(source, slots["item"], way, places)


def build_place(slots: Slots, source: str) -> Instruction:
    said = slots["place"].casefold()
    if said in _SPOTS_ZH:
        return say.Place(source, slots["item"], _SPOTS_ZH[said])
    if number := _read_ordinal(said):
        return say.Place(source, slots["item"], number)
    words = said.removeprefix("the ").removesuffix(" corner")
    for other, one in (("middle", "center"), ("upper", "top"), ("lower", "bottom")):
        words = words.replace(other, one)
    return say.Place(source, slots["item"], words)


def _read_ordinal(said: str) -> str:
    if said == "last":
        return "-1"
    if said in _ORDINALS:
        return str(_ORDINALS.index(said) + 1)
    digits = re.sub(r"^第|(?:st|nd|rd|th)$", "", said)
    number = parse_chinese_number(digits)
    return str(number) if number else ""


def build_resize(slots: Slots, source: str, *, larger: bool) -> Instruction:
    tokens = cut_tokens(slots["side"])
    tall = count_phrase(load_lexicon().classes["side_height"], tokens, 0, len(tokens)) > 0
    return say.Resize(source, slots["target"], "height" if tall else "width", larger)


_SEVERAL = re.compile(
    r"(?:the |my |both |all )*(?P<kind>slider|field|box|spinner|text ?box)(?:e?s)(?: below)?", re.IGNORECASE
)
_VALUES = re.compile(
    r"(?:the (?:combination|values|numbers)\s*)?[\[(]?(?P<all>-?[\d.]+(?:\s*,\s*-?[\d.]+)+)[\])]?", re.IGNORECASE
)


def build_each(slots: Slots) -> list[Instruction]:
    """`set the sliders to [5, 11, 10]`: each of them in its turn."""
    kinds, values = _SEVERAL.fullmatch(slots["target"]), _VALUES.fullmatch(slots["value"])
    if kinds is None or values is None:
        return []
    each = re.split(r"\s*,\s*", values["all"])
    names = [
        f"the {at}{['st', 'nd', 'rd'][at - 1] if at < 4 else 'th'} {kinds['kind']}" for at in range(1, len(each) + 1)
    ]
    return [say.SetValue(f"set {name} to {value}", name, value) for name, value in zip(names, each, strict=True)]


def name_area(slots: Slots) -> str:
    """Empty where the page itself is meant."""
    area = slots.get("area", "")
    return "" if area.casefold().removeprefix("the ") in load_lexicon().extra["here"] else area


WEB_BUILDERS: dict[str, Callable[[Slots, str], Instruction]] = {
    "transfer": build_transfer,
    "type_found": lambda s, t: say.Write(t, "它", s["target"]),
    "highlight": build_highlight,
    **{f"shift_{way}": lambda s, t, way=way: build_shift(s, t, way) for way in say.DIRECTIONS},
    "place": build_place,
    "resize_larger": lambda s, t: build_resize(s, t, larger=True),
    "resize_smaller": lambda s, t: build_resize(s, t, larger=False),
}
