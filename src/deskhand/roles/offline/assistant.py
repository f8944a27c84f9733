"""The model-free assistant: hands plain instructions to the devices that the user names, one after the other.

On one device instructions go in their order, on several devices side by side. Keeps nothing: its place is what was
called so far.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, cast

from deskhand.core.llm import ModelReply, Tool, ToolCall, ToolResult, Turn
from deskhand.language import is_chinese
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal

# An instruction that stopped at the executor's limit is handed out again: its job goes on from there.
TRIES = 3

_NAMED = re.compile(
    r"(?<![A-Za-z0-9_:])(?:sim|android|browser|desktop)(?::[A-Za-z0-9_.:-]*[A-Za-z0-9_])?(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|every|each) (?:of )?(?:the |my )?(?:devices?|phones?)\b|(?:所有|全部|每[一]?[台部个])的?(?:设备|手机)",
    re.IGNORECASE,
)
_PHONES = re.compile(r"phone|手机", re.IGNORECASE)
_PHONE_KINDS = ("android", "sim")
# What stands around a device's name and says nothing else: "on sim:a", "在手机 sim:a 上", "sim:a:".
_BEFORE = re.compile(
    r"(?:\b(?:on|in|with|using|at)\b\s*)?(?:\bthe\b\s*)?(?:\b(?:device|phone)\b\s*)?$|[在用让]\s*(?:设备|手机)?\s*$",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"^\s*(?:上面?|里|中)?\s*[:：,，]?\s*")
_JOINTS = re.compile(
    r"^(?:and|then|然后|并且?|和|再)\s*|[\s,，;；、]*(?:\b(?:and|then)|然后|并且?|和|再)$", re.IGNORECASE
)
_MARKS = " ,，。;；、"
_BATTERY = re.compile(r"电量|电池|battery", re.IGNORECASE)


@dataclass
class DeviceOrders:
    """The instructions for one device, and the results so far: (instruction, result)."""

    device: str
    orders: list[str]
    results: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])

    def next_order(self) -> str:
        """The next instruction; empty when all is done, or when one failed for good."""
        done = sum(1 for _, result in self.results if result.get("success"))
        if done >= len(self.orders):
            return ""
        failed = list(takewhile(lambda result: not result.get("success"), (one for _, one in reversed(self.results))))
        # What stopped at its limit may go on from there; what failed otherwise would fail, or act, again.
        hopeless = any(not result.get("unfinished") for result in failed) or len(failed) >= TRIES
        return "" if failed and hopeless else self.orders[done]


class OfflineAssistant:
    """An Assistant that needs no model. `device` is meant when none is named."""

    def __init__(self, device: str = "") -> None:
        self._device = device

    async def answer(self, turns: Sequence[Turn], tools: Sequence[Tool]) -> ModelReply:
        said, since = _split_at_last_words(turns)
        zh = is_chinese(said)
        called = _pair_calls(since)
        listed = next((result for call, result in called if call.name == "list_devices"), None)
        if listed is None:
            return ModelReply(calls=(ToolCall("list_devices", {}),), stop="tools")
        lines, unread = self._sort_by_device(said, _list_usable(listed), _list_phones(listed), _find_last_device(turns))
        if not lines or unread:
            return ModelReply(text=_tell_unclear(unread if lines else [], zh), stop="refused")
        for call, result in called:
            if call.name == "chat":
                _note_result(lines, call, result)
        orders = [(line.device, order) for line in lines if (order := line.next_order())]
        if orders:
            calls = tuple(ToolCall("chat", {"device_id": device, "message": order}) for device, order in orders)
            return ModelReply(calls=calls, stop="tools")
        return ModelReply(text=_tell_results(lines, zh))

    def _sort_by_device(
        self, said: str, ids: list[str], phones: list[str], before: str
    ) -> tuple[list[DeviceOrders], list[str]]:
        """Each device that is named with what is said behind its name; without a name, the one that is meant.

        Beside it, the words that are no instruction.
        """
        found = _find_mentions(said, ids)
        if not found:
            devices = [self._device or before or (ids[0] if ids else "")]
            if everywhere := _ALL.search(said):
                devices = phones if _PHONES.search(everywhere[0]) else ids
            orders, unread = _read_orders(_strip_joints(" ".join(_strip_joints(part) for part in _ALL.split(said))))
            return [DeviceOrders(device, orders) for device in devices if device and orders], unread
        lines: dict[str, DeviceOrders] = {}
        pending: list[str] = []
        unread: list[str] = []
        for device, words in _split_portions(said, found):
            orders, unknown = _read_orders(words)
            unread += unknown
            pending.append(device)
            if orders:
                for name in pending:
                    lines.setdefault(name, DeviceOrders(name, [])).orders.extend(orders)
                pending = []
        return list(lines.values()), [*unread, *pending]


def _split_at_last_words(turns: Sequence[Turn]) -> tuple[str, Sequence[Turn]]:
    for index in range(len(turns) - 1, -1, -1):
        said = [part for part in turns[index].parts if isinstance(part, str)]
        if turns[index].speaker == "user" and said:
            return "\n".join(said), turns[index + 1 :]
    return "", ()


def _pair_calls(turns: Sequence[Turn]) -> list[tuple[ToolCall, Any]]:
    """Every call with what it came to, in order."""
    results = {part.id: part.text for turn in turns for part in turn.parts if isinstance(part, ToolResult)}
    calls = [part for turn in turns for part in turn.parts if isinstance(part, ToolCall)]
    return [(call, _read_json(results[call.id])) for call in calls if call.id in results]


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _list_usable(listed: Any) -> list[str]:
    """The devices that can be used now."""
    rows = cast("list[dict[str, Any]]", listed) if isinstance(listed, list) else []
    return [str(row["device_id"]) for row in rows if row.get("state") in ("ready", "busy")]


def _list_phones(listed: Any) -> list[str]:
    """The phones that can be used now. The simulated one that is only started when it is used counts if alone."""
    rows = cast("list[dict[str, Any]]", listed) if isinstance(listed, list) else []
    usable = _list_usable([row for row in rows if row.get("kind") in _PHONE_KINDS])
    unopened = {str(row["device_id"]) for row in rows if row.get("kind") == "sim" and not row.get("open")}
    return [one for one in usable if one not in unopened] or usable


def _find_last_device(turns: Sequence[Turn]) -> str:
    """The one that was worked on last in this conversation."""
    calls = [part for turn in turns for part in turn.parts if isinstance(part, ToolCall) and part.name == "chat"]
    return str((calls[-1].arguments or {}).get("device_id", "")) if calls else ""


def _find_mentions(said: str, ids: list[str]) -> list[re.Match[str]]:
    listed = "|".join(re.escape(name) for name in sorted(ids, key=len, reverse=True))
    pattern = re.compile(f"{_NAMED.pattern}|(?:{listed})(?![A-Za-z0-9_:])" if listed else _NAMED.pattern, re.IGNORECASE)
    found = [match for match in pattern.finditer(said) if ":" in match[0] or match[0] in ids]
    # "desktop" or "browser" alone may be a word like any other: only with its preposition is it a name.
    return [match for match in found if ":" in match[0] or _is_led_in(said, match)]


def _is_led_in(said: str, match: re.Match[str]) -> bool:
    return bool(re.search(r"(?:\b(?:on|with|using)\s+(?:the\s+)?|[在用让]\s*)$", said[: match.start()], re.IGNORECASE))


def _split_portions(said: str, found: list[re.Match[str]]) -> list[tuple[str, str]]:
    """(device, what it is to do). A name stands before its instructions, or behind: "turn on Wi-Fi on sim:b"."""
    leading = bool(_read_orders(_strip_joints(said[: found[0].start()]))[0])
    portions: list[tuple[str, str]] = []
    for number, match in enumerate(found):
        if leading:
            begin = found[number - 1].end() if number else 0
            words = said[begin : match.start()]
        else:
            end = found[number + 1].start() if number + 1 < len(found) else len(said)
            words = said[match.end() : end]
        portions.append((match[0], _strip_joints(words)))
    if leading and (rest := _strip_joints(said[found[-1].end() :])):
        portions[-1] = (portions[-1][0], f"{portions[-1][1]}, {rest}")
    return portions


def _strip_joints(words: str) -> str:
    """Words without what only leads from one device to the next."""
    words = _BEFORE.sub("", _BEHIND.sub("", words).rstrip()).strip(_MARKS)
    return _JOINTS.sub("", words).strip(_MARKS)


def _read_orders(words: str) -> tuple[list[str], list[str]]:
    """The instructions of a text, one by one, and the parts of it that are none."""
    steps = parse_goal(words) if words else ()
    unread = [step.source for step in steps if isinstance(step, say.NotUnderstood)]
    return ([], unread) if len(unread) == len(steps) else ([step.source for step in steps], unread)


def _note_result(lines: list[DeviceOrders], call: ToolCall, result: Any) -> None:
    given = call.arguments or {}
    line = next((line for line in lines if line.device == given.get("device_id")), None)
    if line is None:
        return
    outcome = cast("dict[str, Any]", result) if isinstance(result, dict) else {}
    line.results.append((str(given.get("message", "")), outcome))
    # The battery's level is in a phone's settings, whatever app is in front.
    asked = line.results[-1][0]
    if not outcome.get("success") and _BATTERY.search(asked) and len(line.orders) == 1 and outcome.get("steps"):
        line.orders = ["打开设置" if is_chinese(asked) else "open Settings", asked]
        line.results = [pair for pair in line.results if pair[0] != asked]


def _tell_results(lines: list[DeviceOrders], zh: bool) -> str:
    told: list[str] = []
    for line in lines:
        done = [str(result.get("result", "")) for _, result in line.results if result.get("success")]
        failed = [str(result.get("result", "")) for _, result in line.results[-1:] if not result.get("success")]
        head = f"{line.device}{'：' if zh else ': '}" if len(lines) > 1 else ""
        told.append(head + " ".join(part.strip() for part in (*done, *failed) if part.strip()))
    return "\n".join(told)


def _tell_unclear(parts: list[str], zh: bool) -> str:
    """Say which parts were not understood, if the others were, and what can be said."""
    if zh:
        told = (
            f"没有看懂这部分：{'、'.join(f'“{part}”' for part in parts)}，所以什么都没有做。" if parts else "没有看懂。"
        )
        return (
            f"{told}可以说：在 sim 上打开设置；打开微信，给张三发消息“…”；标题是什么？"
            "配上模型（models.assistant）就能听懂更随意的说法。"
        )
    quoted = ", ".join(f"“{part}”" for part in parts)
    told = f"This part was not understood: {quoted}; so nothing was done." if parts else "This was not understood."
    return (
        f'{told} Try: "on sim open Settings", "turn on Wi-Fi on sim:b", "what is the title?"; '
        "or set a model (models.assistant), which understands more."
    )
