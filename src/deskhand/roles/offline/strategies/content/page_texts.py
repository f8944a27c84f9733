"""Finds the text that a description means: what a field holds, a paragraph, a word of either, the value of a name."""

import re
from dataclasses import dataclass

from deskhand.core.screen import Element
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.values import SHOWN_LENGTHS, value_of
from deskhand.screen.grounding.query import parse_chinese_number, read_description

# Fewer words than this are a label or a value, no paragraph.
FEWEST_WORDS = 4
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_WORD_EN = re.compile(r"(?:the )?(?P<nth>\w+) word (?:in|of|from) (?P<of>.+)", re.IGNORECASE)
_WORD_ZH = re.compile(r"(?P<of>.+)的(?:第(?P<nth>[一二三四五六七八九十\d]+)个|(?P<last>最后一个))(?:词|单词)")
_PARAGRAPH = re.compile(
    r"(?:the )?(?:(?P<nth>\w+) )?(?:paragraph|passage)(?: below| above)?"
    r"|(?:第(?P<zh>[一二三四五六七八九十\d]+)|这)?(?:个)?段(?:落)?",
    re.IGNORECASE,
)
# What stands around a word and is no part of it.
_MARKS = " \t\n.,;:!?\"'()[]，。；：！？、“”‘’（）"


@dataclass(frozen=True, slots=True)
class Passage:
    """`element` is where the text stands; `cut`: more of it may be there than a listing shows."""

    text: str
    element: Element | None = None
    cut: bool = False


def read_passage(scene: Scene, what: str) -> Passage | None:
    """Return the text that is meant; None if it is not on the screen, or if more than one is."""
    word = _WORD_EN.fullmatch(what.strip()) or _WORD_ZH.fullmatch(what.strip())
    if word is None:
        return find_passage(scene, what) or _read_value(scene, what)
    whole = find_passage(scene, word["of"])
    number = -1 if "last" in word.groupdict() and word["last"] else _read_number(word["nth"])
    if whole is None or number is None or (whole.cut and number < 0):
        return None
    words = [bare for part in whole.text.split() if (bare := part.strip(_MARKS))]
    at = number - 1 if number > 0 else len(words) + number
    return Passage(words[at], whole.element) if 0 <= at < len(words) else None


def find_passage(scene: Scene, description: str) -> Passage | None:
    """Return the text of a field or of a paragraph, and where it stands."""
    if found := _PARAGRAPH.fullmatch(description.strip()):
        number = _read_number(found["nth"] or found["zh"] or "") if found["nth"] or found["zh"] else None
        return _find_paragraph(scene, number)
    query = read_description(description)
    field = scene.find_element(description, "editable").best if "field" in query.roles or query.name else None
    own = field is not None and ("field" in query.roles or field.element is field.target)
    if field is not None and own and field.target.role == "field":
        value = field.target.value
        return Passage(value, field.target, len(value) in SHOWN_LENGTHS) if value else None
    return None


def _find_paragraph(scene: Scene, number: int | None) -> Passage | None:
    texts = [e for e in scene.elements if e.role == "text" and len(e.name.split()) >= FEWEST_WORDS and not e.clickable]
    texts.sort(key=lambda e: (e.bounds.top, e.bounds.left))
    at = (number - 1 if number > 0 else len(texts) + number) if number else 0
    if (number is None and len(texts) != 1) or not 0 <= at < len(texts):
        return None
    return Passage(texts[at].name, texts[at], len(texts[at].name) in SHOWN_LENGTHS)


def _read_value(scene: Scene, what: str) -> Passage | None:
    # as one name: `Year of birth` is no year in something called birth
    value = value_of(scene, f"“{re.sub('^the ', '', what)}”")
    return Passage(value) if value else None


def _read_number(said: str) -> int | None:
    low = said.casefold()
    if low in _ORDINALS:
        return _ORDINALS.index(low) + 1
    if low == "last":
        return -1
    return parse_chinese_number(re.sub(r"(?:st|nd|rd|th)$", "", low))
