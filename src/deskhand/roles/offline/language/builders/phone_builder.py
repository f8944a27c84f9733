"""Turns the matched sentences of phone_sentences.toml into instructions."""

import re
from collections.abc import Callable, Sequence
from dataclasses import fields

from deskhand.language import is_chinese, to_simplified
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Instruction, NotUnderstood
from deskhand.roles.offline.language.new_things import read_clock, split_times
from deskhand.roles.offline.language.phone_slots import read_duration, split_counted, split_names
from deskhand.screen.grounding.query import parse_chinese_number
from deskhand.screen.grounding.vocabulary import is_same_word

Slots = dict[str, str]
_HALF_TOLD = re.compile(r"[ap]\.?m|o'clock|凌晨|早|上午|中午|下午|傍晚|晚|夜|morning|noon|evening|night", re.IGNORECASE)
_SAID_COUNT = re.compile(r"([两三四五]|\d)个闹钟|\b(two|three|both|2|3) alarms", re.IGNORECASE)
_COUNTS = {"two": 2, "both": 2, "three": 3}


def _build_alarms(slots: Slots, source: str) -> list[Instruction]:
    times, zh = split_times(slots["times"]), is_chinese(source)
    if (said := _SAID_COUNT.search(to_simplified(source))) is not None:
        number = _COUNTS.get((said[2] or "").lower()) or parse_chinese_number(said[1] or said[2])
        if number != len(times):
            return [NotUnderstood(source)]
    label = ("定一个{}的闹钟", "set an alarm for {}")[0 if zh else 1]
    what = "闹钟" if zh else "alarm"
    return [say.Create(label.format(time), what, (("" if zh else "time", time),)) for time in times]


def _build_move(slots: Slots, source: str) -> Instruction:
    """Refused where it is not told which half of the day is meant: 22:45 to 11 may be 11:00 or 23:00."""
    target, time = slots["target"], slots["time"]
    if "old" in slots:
        target = f"the {slots['old']} alarm"
    old, new = read_clock(target), read_clock(time)
    if old and new and old[0] >= 12 and new[0] < 12 and not _HALF_TOLD.search(time) and ":" not in time:
        return NotUnderstood(source)
    return say.MoveAlarm(source, target, time)


def _build_last_message(slots: Slots, source: str) -> Instruction:
    name = slots["to"]
    return say.Read(source, f"{name}的最后一条消息" if is_chinese(source) else f"{name}'s last message")


def _build_note_reading(slots: Slots, source: str) -> Instruction:
    bare = re.sub(r"^(?:my|the|our)\s+|^我的", "", slots["target"].strip(), flags=re.IGNORECASE)
    name = re.sub(r"^(?:note|memo)\s+(?:called\s+)?|\s+(?:note|memo)$", "", bare, flags=re.IGNORECASE)
    return say.ReadNote(source, name.strip("“”"))


def _build_contact(slots: Slots, source: str) -> Instruction:
    what = "联系人" if is_chinese(source) else "contact"
    return say.Create(source, what, (("name", slots["name"]), ("phone", slots["phone"])))


def _build_deletions(slots: Slots, source: str) -> list[Instruction]:
    if is_chinese(source):
        names, kind = split_counted(slots["names"])
        if kind == "闹钟":
            return [
                say.Delete(f"删除{name.removesuffix('的')}的闹钟", f"{name.removesuffix('的')}的闹钟") for name in names
            ]
        return [say.Delete(f"删除{kind}“{name.strip('“”')}”", f"{kind}“{name.strip('“”')}”") for name in names]
    if len(times := split_times(slots["names"])) > 1:
        return [say.Delete(f"delete the {time} alarm", f"the {time} alarm") for time in times]
    names = [name.strip("“”") for name in split_names(slots["names"])]
    return [say.Delete(f"delete the note “{name}”", f"the note “{name}”") for name in names]


def _build_extreme(value: str) -> Callable[[Slots, str], Instruction]:
    return lambda slots, source: say.SetValue(source, slots["target"], value)


BUILDERS: dict[str, Callable[[Slots, str], Instruction | list[Instruction]]] = {
    "refrain": lambda s, t: say.Refrain(t, s.get("deed", ""), s.get("person", ""), s.get("target", "")),
    "photo": lambda s, t: say.TakePhoto(t),
    "join_network": lambda s, t: say.JoinNetwork(t, s["target"], s.get("password", "")),
    "join_it": lambda s, t: NotUnderstood(t),
    "timer": lambda s, t: say.StartTimer(t, read_duration(s["time"]) or 0),
    "alarms": _build_alarms,
    "reschedule": _build_move,
    "own_alarms": lambda s, t: say.ListAlarms(t),
    "last_message": _build_last_message,
    "read_note": _build_note_reading,
    "weather": lambda s, t: say.ReadWeather(t, s["place"]),
    "battery": lambda s, t: say.Read(t, "电量" if is_chinese(t) else "battery level"),
    "favour": lambda s, t: say.Favour(t, s["target"]),
    "set_most": _build_extreme("max"),
    "set_least": _build_extreme("min"),
    "new_contact": _build_contact,
    "delete_each": _build_deletions,
    "delete_contact": lambda s, t: [say.Open("打开通讯录", "通讯录"), say.Delete(f"删除{s['name']}", s["name"])],
}


def join_after(slots: Slots, source: str, before: Sequence[Instruction]) -> Instruction:
    """`打开 Wi-Fi，连接 Cafe-Free`: what one connects to right behind Wi-Fi is a network."""
    last = before[-1] if before else None
    name = last.name if isinstance(last, say.Open) else last.target if isinstance(last, say.Toggle) else ""
    if not is_same_word(name, "wifi"):
        return NotUnderstood(source)
    target, password, zh = slots["target"], slots.get("password", ""), is_chinese(source)
    own = f"连接 Wi-Fi “{target}”" if zh else f"connect to the Wi-Fi “{target}”"
    if password:
        own += f"，密码“{password}”" if zh else f" with the password “{password}”"
    return say.JoinNetwork(own, target, password)


def keep_from(refrain: say.Refrain, others: Sequence[Instruction], inner: Sequence[Instruction]) -> bool:
    """True if nothing else of the goal does what is not to be done, and what that is was understood."""
    if refrain.person:
        return not any(isinstance(step, say.Send) and is_same_word(step.to, refrain.person) for step in others)
    if refrain.target:
        names = [str(getattr(step, slot)) for step in others for slot in ("target", "name") if hasattr(step, slot)]
        return not any(is_same_word(name, refrain.target) for name in names)
    if not inner or any(isinstance(step, NotUnderstood) for step in inner):
        return False
    return not any(_tell_meaning(step) == _tell_meaning(other) for step in inner for other in others)


def _tell_meaning(step: Instruction) -> tuple[object, ...]:
    return (type(step), *(getattr(step, field.name) for field in fields(step) if field.name != "source"))
