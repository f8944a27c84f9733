"""Reads what a new note, contact or alarm is to hold: "named Ann with phone 123", "标题是…，内容是…", "for 7:30"."""

from __future__ import annotations

import re
from functools import cache

from deskhand.roles.offline.lexicon import lexicon
from deskhand.screen.find_query import chinese_number

_JOINTS = r"(?:with|and|its|the|an?|，|,|；|;|且|并|和|为|的)"
_LINKS = r"(?:number|address|is|are|of|as|是|为|：|:|=)"
_CLOCK = re.compile(
    r"(?P<half>上午|早上|早晨|凌晨|下午|晚上|中午|傍晚)?\s*(?:(?P<h>\d{1,2})\s*[:：]\s*(?P<m>\d{2})"
    r"|(?P<hz>\d{1,2}|[零一二两三四五六七八九十]{1,3})\s*点\s*(?:(?P<mz>\d{1,2}|[零一二两三四五六七八九十]{1,3})\s*分?|(?P<half_hour>半))?"
    r"|(?P<he>\d{1,2})\s*(?=am|pm|a\.m|p\.m|o'clock))\s*(?P<ampm>am|pm|a\.m\.?|p\.m\.?)?",
    re.IGNORECASE,
)


def read_fields(text: str) -> tuple[tuple[str, str], ...]:
    """(label, value) pairs; text that no label introduces has the label ""."""
    text = text.strip(" ，,。.：:")
    if not text:
        return ()
    marks = [m for m in _labels().finditer(text) if not _inside_quotes(text, m.start())]
    fields: list[tuple[str, str]] = []
    head = _value(text[: marks[0].start()] if marks else text)
    if head:
        fields.append(("", head))
    for k, mark in enumerate(marks):
        end = marks[k + 1].start() if k + 1 < len(marks) else len(text)
        if value := _value(text[mark.end() : end]):
            fields.append((_meaning(mark["latin"] or mark["han"]), value))
    return tuple(fields)


def read_clock(text: str) -> tuple[int, int] | None:
    """A time of day as (hour, minute): `7`, `7:30`, `7:30 pm`, `早上七点半`, `晚上8点15分`."""
    found = _CLOCK.search(text)
    if not found:
        bare = text.strip()
        return (int(bare), 0) if re.fullmatch(r"1?\d|2[0-3]", bare, re.ASCII) else None
    hour = chinese_number(found["h"] or found["hz"] or found["he"] or "")
    minute = 30 if found["half_hour"] else chinese_number(found["m"] or found["mz"] or "0")
    if hour is None or minute is None:
        return None
    late = found["half"] in {"下午", "晚上", "傍晚"} or (found["ampm"] or "").casefold().startswith("p")
    early = found["half"] == "凌晨" or (found["ampm"] or "").casefold().startswith("a")
    if late and hour < 12:
        hour += 12
    if early and hour == 12:
        hour = 0
    return (hour, minute) if hour < 24 and minute < 60 else None


@cache
def _labels() -> re.Pattern[str]:
    words = sorted((w for group in lexicon().extra["fields"].values() for w in group), key=len, reverse=True)
    latin = "|".join(re.escape(w) for w in words if w.isascii())
    han = "|".join(re.escape(w) for w in words if not w.isascii())
    lead = rf"(?:{_JOINTS}\s*)*"
    return re.compile(
        rf"(?:(?<![A-Za-z]){lead}(?<![A-Za-z])(?P<latin>{latin})(?![A-Za-z])|{lead}(?P<han>{han}))\s*(?:{_LINKS}\s*)*",
        re.IGNORECASE,
    )


def _meaning(word: str) -> str:
    for meaning, words in lexicon().extra["fields"].items():
        if word.casefold() in words:
            return meaning
    return word


def _value(text: str) -> str:
    text = re.sub(
        rf"^(?:{_JOINTS}\s+|[，,；;的\s])+|(?:\s+{_JOINTS}|[，,；;。\s])+$", "", text.strip(), flags=re.IGNORECASE
    )
    quoted = re.fullmatch(r"“([^”]*)”", text)
    return quoted[1] if quoted else text


def _inside_quotes(text: str, at: int) -> bool:
    return text[:at].count("“") > text[:at].count("”")
