"""Reads risk_words.toml: which labels stand for a deed that can't be undone, and which goals ask for one."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from deskhand.language import to_simplified

# A longer text is a message or a paragraph, not something to press.
_LABEL_WORDS, _LABEL_ZH = 16, 14
# In so few words a deed may stand anywhere; in more of them only where an order has its verb, else it is a headline.
_FEW_WORDS = 5
# How many words may stand in the gap of a row: "make * payment".
_GAP = 3
# In a list, or where nothing says that it can be pressed, only a few words that begin with the deed are one.
_ITEM_WORDS, _ITEM_ZH = 3, 6
_YES_WORDS = 4
_QUESTION = 400
_GIVING = frozenset({"send", "submit"})

# Letters of any script in which words stand apart.
_LETTER = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_WORD = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)?(?:-{_LETTER}+)*")
_ANY_WORD = re.compile(rf"{_WORD.pattern}|[^\W\d_]+")
# A word is taken back by the one before it only within a part of a sentence: "No, delete it" deletes.
_PARTS = re.compile(r"[,;:.!?&/|\n，。；：！？、—–]+")
# Letters of other scripts that look like Latin ones, in words that are otherwise Latin.
_ALIKE = str.maketrans("аеорсухіѕјһԁԛԝαορνικτυ", "aeopcyxisjhdqwaopviktu")
_ZH = re.compile(r"[\u4e00-\u9fff]")
_SPACED = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
# Letters set apart (S.e.n.d), and digits that stand for letters (P4y).
_LETTERS = re.compile(r"\b[^\W\d_](?:[\s.\-_·*]+[^\W\d_]){2,}\b")
_LEET = re.compile(r"[A-Za-z]+[013457@$]+[A-Za-z]*")
_DIGITS = str.maketrans("013457@$", "oieastas")
_FIGURE = re.compile(r"[\d@€$£¥]")
# What tells about something has a number or a name before a colon: "Delete unused imports (#312)", "Bob: call me".
_TITLE = re.compile(r"[#!]\d+\)?$|\w[:：]\s*\w")
_ADVERBS = ("ently", "ately", "ably", "etely", "antly", "ally", "edly")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Deed:
    name: str
    says: str
    words: tuple[tuple[str, ...], ...]
    begin: tuple[tuple[str, ...], ...]
    alone: frozenset[tuple[str, ...]]
    zh: tuple[str, ...]
    signs: str
    asked: tuple[str, ...]


@cache
def read_table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("risk_words.toml").read_text(encoding="utf-8"))


@cache
def list_deeds() -> tuple[Deed, ...]:
    return tuple(
        Deed(
            entry["name"],
            entry["says"],
            tuple(map(_split_row, entry["words"])),
            tuple(map(_split_row, entry["begin"])),
            frozenset(tuple(words_of(phrase)) for phrase in entry["alone"]),
            tuple(dict.fromkeys(one for word in entry["zh"] for one in (word, to_simplified(word)))),
            entry.get("signs", ""),
            tuple(entry["asked"]),
        )
        for entry in read_table()["deed"]
    )


def _split_row(phrase: str) -> tuple[str, ...]:
    return tuple(word for part in phrase.split() for word in (words_of(part) or ["*"]))


def is_same_deed(one: str, other: str) -> bool:
    """True if a label that says one of these says the other: what is submitted goes to others, as what is sent."""
    return one == other or {one, other} <= _GIVING


def covers_deed(agreed: str, other: str) -> bool:
    """True if a yes to one deed is a yes to a request that says the other: to hand in, or send, is how it is done."""
    return is_same_deed(agreed, other) or other == "submit" or (agreed, other) == ("pay", "send")


def deed_named(name: str) -> Deed:
    return next(deed for deed in list_deeds() if deed.name == name)


def words_of(text: str) -> list[str]:
    return _WORD.findall(text.casefold().replace("’", "'"))


@lru_cache(maxsize=4096)
def deed_in(label: str, *, pressed: bool = True) -> Deed | None:
    """Return the deed of pressing something with this label; `pressed`: it is known to be a button."""
    spellings = dict.fromkeys((_normalize_text(label), _normalize_text(_undo_disguise(label))))
    return next((deed for plain in spellings for deed in list_deeds() if _is_deed_on(deed, plain, pressed)), None)


def _is_deed_on(deed: Deed, plain: str, pressed: bool) -> bool:
    spoken, signs = words_of(plain), "".join(_ZH.findall(plain))
    most_words, most_zh = (_LABEL_WORDS, _LABEL_ZH) if pressed else (_ITEM_WORDS, _ITEM_ZH)
    if len(spoken) <= most_words and _is_said_by_label(deed, plain, pressed):
        return True
    if len(signs) <= most_zh and _has_chinese(deed, plain, pressed) and not _is_noun_in_chinese(signs):
        return True
    return not says_something(plain) and any(sign in plain for sign in deed.signs)


def deed_asked_about(text: str) -> Deed | None:
    """Return the deed that a question is about: "Delete this message?"; anywhere in a text of moderate length."""
    plain = _normalize_text(text[:_QUESTION])
    said = (deed for deed in list_deeds() if _has_phrase(deed, plain) or _has_chinese(deed, plain, pressed=True))
    return next(said, None) or _find_final(plain)


def _find_final(plain: str) -> Deed | None:
    """Return the deed of a text that says what is lost or owed, in other words than those of a deed."""
    final: dict[str, list[str]] = read_table()["final"]
    return next((deed_named(name) for name, known in final.items() if any(words in plain for words in known)), None)


def deed_of_id(name: str) -> Deed | None:
    """Return the deed that programmers named a button after: `btn_send`, `payNow`."""
    words = words_of(_CAMEL.sub(" ", name.rpartition("/")[2]).replace("_", " ").replace("-", " "))
    return next((deed for deed in list_deeds() if _has_words(deed, words) or tuple(words) in deed.alone), None)


def _normalize_text(text: str) -> str:
    """Return the text as it is read: without wide letters, look-alikes, unseen signs, spaced-out Chinese (发 送)."""
    seen = to_simplified(unicodedata.normalize("NFKC", text).casefold())
    seen = "".join(letter for letter in seen if unicodedata.category(letter) not in ("Cf", "Mn"))
    seen = _WORD.sub(lambda word: _as_latin(word[0]), seen)
    plain = _SPACED.sub("", seen).strip()
    for harmless in read_table()["harmless"]:
        plain = plain.replace(harmless, " ")
    return plain


def _as_latin(word: str) -> str:
    alike = word.translate(_ALIKE)
    return alike if alike.isascii() else word


def _undo_disguise(label: str) -> str:
    """Return a label as it is meant to be read: P4y, S.e.n.d."""
    joined = _LETTERS.sub(lambda letters: re.sub(r"[\W_]+", "", letters[0]), label)
    return _LEET.sub(lambda word: word[0].translate(_DIGITS), joined)


def _is_said_by_label(deed: Deed, plain: str, pressed: bool) -> bool:
    spoken = words_of(plain)
    if tuple(spoken) in deed.alone:
        return True
    if _PARTS.split(plain)[-1].strip() in read_table()["no"]:
        return False
    if not spoken or _is_noun(deed, spoken) or _is_easily_undone(deed, spoken) or spoken[0] in read_table()["asking"]:
        return False
    if not pressed and _TITLE.search(plain):
        return False
    if not pressed:
        return any(_match_row(row, spoken, 0) for row in deed.words)
    few = len(spoken) <= _FEW_WORDS
    return any(_has_order(deed, part, few) for part in _PARTS.split(plain))


def _has_order(deed: Deed, part: str, few: bool) -> bool:
    """True if the deed is ordered in this part of a label: its verb comes first, or behind another one."""
    spoken = words_of(part)
    for start in range(len(spoken)):
        leads = _leads_up(spoken[:start])
        if leads and any(_match_row(row, spoken, start) and _has_object(row, part, start) for row in deed.begin):
            return True
        taken_back = start > 0 and spoken[start - 1] in read_table()["not_en"]
        if (leads or few) and not taken_back and any(_match_row(row, spoken, start) for row in deed.words):
            return True
    return False


def _has_object(row: tuple[str, ...], part: str, start: int) -> bool:
    """True if a verb that may be a noun has an object: "Report user" and "Bid $45", but not "Report builder"."""
    behind = words_of(part)[start + len(row) :]
    return len(row) > 1 or bool(_FIGURE.search(part)) or bool(behind and behind[0] in read_table()["objects"])


def _leads_up(before: list[str]) -> bool:
    """True if an order may have its verb behind these words: none, fillers, a joining word, "hold to"."""
    table = read_table()
    if all(word in table["fillers"] for word in before):
        return True
    return before[-1] in table["joining"] or (before[-1] == "to" and before[0] in table["gestures"])


def _is_noun(deed: Deed, spoken: list[str]) -> bool:
    """True where a label names a place, such as "Transfer history": nothing is deleted by a noun, so not for that."""
    return deed.name != "delete" and 1 < len(spoken) <= _FEW_WORDS and spoken[-1] in read_table()["nouns"]


def _is_easily_undone(deed: Deed, spoken: list[str]) -> bool:
    """True for the deletions of an editor, and for taking something from a list of one's own."""
    if deed.name != "delete" or len(spoken) > _FEW_WORDS:
        return False
    if spoken[-1] in read_table()["read_only"]:
        return True
    edited = any(word in read_table()["edited"] for word in spoken[1:])
    return edited or ("from" in spoken and spoken[-1] in read_table()["collections"])


def _is_noun_in_chinese(signs: str) -> bool:
    table = read_table()
    return signs.endswith(tuple(table["nouns_zh"])) or signs.startswith(tuple(table["asking_zh"]))


def _match_row(row: tuple[str, ...], spoken: list[str], start: int) -> bool:
    """True if the row stands in the text from here on; its gap may hold a few words."""
    if "*" not in row:
        return tuple(spoken[start : start + len(row)]) == row
    gap = row.index("*")
    head, tail = row[:gap], row[gap + 1 :]
    if tuple(spoken[start : start + gap]) != head:
        return False
    after = start + gap
    return any(tuple(spoken[at : at + len(tail)]) == tail for at in range(after, after + _GAP + 1))


def _has_phrase(deed: Deed, plain: str) -> bool:
    return any(
        _has_words(deed, spoken) or _is_done_to_something(deed, spoken) or _has_order(deed, part, few=False)
        for part in _PARTS.split(plain)
        for spoken in [[word for word in words_of(part) if not word.endswith(_ADVERBS)]]
    )


def _is_done_to_something(deed: Deed, spoken: list[str]) -> bool:
    """True for the passive of a deed, and for its noun in front: "will be transferred", "Deleting it will …"."""
    known = {row[0] for row in (*deed.words, *deed.begin) if len(row) == 1}
    if len(spoken) > 1 and spoken[0].endswith("ing") and known & {spoken[0][:-3], spoken[0][:-3] + "e", spoken[0][:-4]}:
        return True
    for before, aid, word in zip(["", *spoken], spoken, spoken[1:], strict=False):
        passive = aid in ("be", "been", "being") and before not in read_table()["not_en"] and word.endswith("ed")
        if passive and known & {word[:-1], word[:-2], word[:-3]}:
            return True
    return False


def _has_words(deed: Deed, spoken: list[str]) -> bool:
    """True if some phrase of the deed stands there, and is not taken back by the word before it."""
    for start in range(len(spoken)):
        before = spoken[start - 1] if start else ""
        if before not in read_table()["not_en"] and any(_match_row(row, spoken, start) for row in deed.words):
            return True
    return False


def _has_chinese(deed: Deed, plain: str, pressed: bool) -> bool:
    signs = "".join(_ZH.findall(plain))
    for word in deed.zh:
        # Each time that it stands there: in "待支付，立即支付" only the first one is taken back.
        meant = any(not plain[: at.start()].endswith(tuple(read_table()["not_zh"])) for at in re.finditer(word, plain))
        if meant and (pressed or signs.startswith(word) or signs.endswith(word)):
            return True
    return False


def find_word(names: Iterable[str], text: str) -> str:
    """Return the first of these words that the text has: whole in English, anywhere in Chinese; empty for none."""
    spoken, plain = _split_words(text), text.casefold()
    return next((name for name in names if (f" {name} " in spoken if name.isascii() else name in plain)), "")


def begins_with(names: Iterable[str], text: str) -> bool:
    spoken = _split_words(text)
    return any(spoken.startswith(f" {name} " if name.isascii() else f" {name}") for name in names)


def _split_words(text: str) -> str:
    plain = _CAMEL.sub(" ", text).casefold().replace("’", "'").replace("_", " ").replace("-", " ")
    return f" {' '.join(_ANY_WORD.findall(plain))} "


def is_short(label: str) -> bool:
    """True for few enough words to stand on a button."""
    plain = _normalize_text(label)
    return len(words_of(plain)) <= _YES_WORDS and len(_ZH.findall(plain)) <= _ITEM_ZH


def says_something(text: str) -> bool:
    """True if there is a word or a number in it; signs that everybody knows (×, +, …) count as words."""
    plain = unicodedata.normalize("NFKC", text).strip()
    return any(letter.isalnum() for letter in plain) or (bool(plain) and plain in read_table()["plain_signs"])


def says_yes(label: str) -> bool:
    """True for a label that agrees to whatever is asked around it: "OK", "Yes, go on", "确定 (3)"."""
    plain = _normalize_text(label)
    spoken, signs = words_of(plain), "".join(_ZH.findall(plain))
    if (spoken and spoken[0] in read_table()["yes_first"] and len(spoken) <= _YES_WORDS) or " ".join(
        spoken
    ) in read_table()["yes"]:
        return True
    return not spoken and signs in read_table()["yes"]


def names_field(text: str) -> bool:
    return bool(find_word(read_table()["field"], text))


def asks_for(goal: str, deed: Deed) -> bool:
    """True if a goal asks for this deed in its own words."""
    if "*" in deed.asked or _has_words(deed, words_of(goal)) or any(word in goal for word in deed.zh):
        return True
    return bool(find_word([*deed.asked, *(" ".join(row) for row in deed.alone)], goal))


def is_call(label: str) -> bool:
    """True if a label calls somebody, rather than sends something."""
    known = read_table()["call"]
    plain = _normalize_text(label)
    return bool(find_word(known["words"], plain)) or any(sign in label for sign in known["signs"])
