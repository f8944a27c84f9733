"""Reads what slots of phone_sentences.toml hold: durations, several times, alarms, numbers, counted things."""

import re
from collections.abc import Sequence

from deskhand.roles.offline.language.coverage import begins_deed, measure_joint
from deskhand.roles.offline.language.lexicon import count_phrase, load_lexicon
from deskhand.roles.offline.language.new_things import split_times
from deskhand.roles.offline.language.tokens import Token
from deskhand.screen.grounding.query import parse_chinese_number

_UNITS = {"h": 3600, "m": 60, "s": 1, "小时": 3600, "钟头": 3600, "分": 60, "秒": 1}
_SPOKEN = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "forty-five": 45, "sixty": 60, "ninety": 90,
    "half a": 0.5, "half an": 0.5,
}  # fmt: skip
_ENGLISH = re.compile(
    rf"(?P<n>\d+(?:\.\d+)?|{'|'.join(sorted(_SPOKEN, key=len, reverse=True))})[\s-]*"
    r"(?P<unit>h|m|s)(?:ours?|rs?|inutes?|ins?|econds?|ecs?)?\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"(?P<n>\d+(?:\.\d+)?|[一二两三四五六七八九十]{1,3}|半)\s*个?(?P<half>半)?(?P<unit>小时|钟头|分|秒)(?:钟)?(?P<more>半)?钟?"
)
_JOINED = re.compile(r"[\s,，]|\band\b|零|又", re.IGNORECASE)
_PHONE = re.compile(r"[+(]?\d[\d\s()+-]{2,}")
_ALARM = re.compile(r"(?:.*\S\s*)?alarm|.*闹钟|(?:the |my )?alarm (?:at|for|of) .+", re.IGNORECASE | re.DOTALL)
_COUNTED = re.compile(
    r"(?P<names>.+?)\s*这?(?P<count>[两三四五]|\d)(?P<unit>[条个篇张则])(?P<kind>笔记|便签|备忘录|备忘|闹钟|联系人)"
)
_AND = re.compile(r"\s*(?:、|,|，|&|\band\b|以及|和|与|及|跟)\s*(?:and\s+)?", re.IGNORECASE)


def read_duration(text: str) -> int | None:
    """Return the seconds of `1 minute and 30 seconds`, 一个半小时; None if it is anything else."""
    text = re.sub(r"\b(?:an?|one) (hour|minute) and a half\b", r"1.5 \1", text, flags=re.IGNORECASE)
    pattern = _CHINESE if re.search(r"[\u4e00-\u9fff]", text) else _ENGLISH
    if _JOINED.sub("", pattern.sub("", text)):
        return None
    seconds = sum(_count_seconds(found) for found in pattern.finditer(text))
    return round(seconds) if seconds >= 1 else None


def _count_seconds(found: re.Match[str]) -> float:
    said = found["n"].lower()
    number = 0.5 if said == "半" else _SPOKEN.get(said) or float(parse_chinese_number(said) or _read_decimal(said))
    parts = found.groupdict()
    number += 0.5 if parts.get("half") or parts.get("more") else 0.0
    return number * _UNITS[found["unit"].lower()]


def _read_decimal(text: str) -> float:
    return float(text) if re.fullmatch(r"[\d.]+", text) else 0.0


def are_clocks(text: str) -> bool:
    """True for several times of day and nothing else."""
    return len(split_times(text)) > 1


def is_alarm(text: str) -> bool:
    return _ALARM.fullmatch(text) is not None


def is_phone_number(text: str) -> bool:
    return _PHONE.fullmatch(text.strip()) is not None


def split_names(text: str) -> list[str]:
    """`Plans and Ideas`, 计划、想法和周报: each of them."""
    return [name.strip() for name in _AND.split(text) if name.strip()]


def split_counted(text: str) -> tuple[list[str], str]:
    """`读书笔记和会议记录这两条笔记`: the names and their kind; nothing if there are not as many as it says."""
    found = _COUNTED.fullmatch(text)
    if found is None:
        return [], ""
    names = split_names(found["names"])
    return (names, found["kind"]) if len(names) == parse_chinese_number(found["count"]) else ([], "")


def is_place(tokens: Sequence[Token], start: int, end: int) -> bool:
    """打开天气 asks of no place called 打开, 今天天气 of none called 今天."""
    known = load_lexicon().classes
    spoken = any(count_phrase(known[name], tokens, start, end) for name in ("deed", "open", "read", "now_zh", "now_en"))
    return not spoken and all(token.kind != "quote" for token in tokens[start:end])


def are_names(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Several names, none of which is a clause."""
    if any(tokens[at].kind == "mark" and tokens[at].plain in ".。;；" for at in range(start, end)):
        return False
    joints = [at for at in range(start + 1, end) if tokens[at].kind != "quote" and measure_joint(tokens, at, end)]
    deeds = any(begins_deed(tokens, at + measure_joint(tokens, at, end), end) for at in joints)
    text = "".join(token.gap + token.text for token in tokens[start:end])
    return not deeds and len(split_names(text)) > 1
