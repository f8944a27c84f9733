"""Builds the instruction for a new note, contact or alarm: what it is, and what it is to hold."""

import re
from dataclasses import replace

from deskhand.language import is_chinese
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.language.new_things import has_only_time, read_clock, read_day, read_fields, split_times
from deskhand.screen.grounding.vocabulary import is_same_word

Slots = dict[str, str]
_COUNT = re.compile(r"(?:[二两三四五六七八九十几]|\d+)[个条则篇份]|two|three|four|five|several|a few", re.IGNORECASE)


def build_create(slots: Slots, source: str) -> Instruction | list[Instruction]:
    what = slots["what"]
    fields = (*read_fields(slots.get("fields", ""), what), *read_fields(slots.get("more", ""), what))
    if any(_COUNT.fullmatch(text) for label, text in fields if not label) or not all(text for _, text in fields):
        return say.NotUnderstood(source)  # several at once; or `titled` without a title
    made = say.Create(source, slots["what"], _name_head(fields))
    if fields and any(is_same_word(what, timer) for timer in ("timer", "倒计时")):
        return say.NotUnderstood(source)  # how long it runs is told by a length of time, and that alone
    return _build_alarms(made) if is_same_word(made.what, "alarm") else made


def _name_head(fields: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """笔记“待办”，内容“…”: what stands before the content is the title."""
    known = {label for label, _ in fields}
    if "content" not in known or known & {"title", "name"}:
        return fields
    return tuple((label or "title", value) for label, value in fields)


def _build_alarms(step: say.Create) -> Instruction | list[Instruction]:
    """One for each time; a time with more than a time in it (every weekday, 每天) is not understood."""
    step = replace(step, fields=_join_day(step.fields))
    timed = [read_clock(text) or len(split_times(text)) > 1 for _, text in step.fields]
    at = next((k for k, (label, _) in enumerate(step.fields) if label in ("time", "") and timed[k]), None)
    if at is None:
        return step
    label, said = step.fields[at]
    times = split_times(said)
    if len(times) == 1:
        return step if has_only_time(said) else say.NotUnderstood(step.source)
    return [
        replace(
            step,
            source=step.source.replace(said, time, 1),
            fields=(*step.fields[:at], (label, time), *step.fields[at + 1 :]),
        )
        for time in times
    ]


def _join_day(fields: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """`an alarm tomorrow at 7:30`: the day belongs to the time; it is no label."""
    day = next((text for label, text in fields if not label and read_day(text) and not read_clock(text)), "")
    at = next((k for k, (label, text) in enumerate(fields) if label == "time" and read_clock(text)), None)
    if not day or at is None:
        return fields
    rest = tuple(pair for pair in fields if pair != ("", day))
    return tuple((label, f"{text} {day}" if label == "time" else text) for label, text in rest)


def build_wake(slots: Slots, source: str) -> Instruction | list[Instruction]:
    zh = is_chinese(source)
    return build_create(
        {"what": "闹钟" if zh else "alarm", "fields": f"{'时间' if zh else 'for '}{slots['time']}"}, source
    )
