"""OpenAI's computer use: `computer_call` items, one action or several in each.

Its pending safety checks are shown to a person with the action they belong to; they are never acknowledged here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from deskhand.core.actions import (
    Action,
    Back,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    Key,
    MiddleClick,
    Move,
    RightClick,
    Scroll,
    Type,
    Wait,
)
from deskhand.core.decisions import Decision, PlannedAction
from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, StepRequest
from deskhand.models.dialects.computer_use import ask_with_computer, decide
from deskhand.models.dialects.shared import PointWord, Scale, make, numbers, path, point, scale_of
from deskhand.prompting.ask_model import check_complete

Fields = Mapping[str, Any]
_BUTTONS: dict[str, PointWord] = {"left": Click, "right": RightClick, "wheel": MiddleClick}


def _free_hand(fields: Fields) -> None:
    """What would be done while keys are held is another action without them."""
    if fields.get("keys"):
        raise Unparsable("Holding keys while using the mouse is not possible here; do it without them.")


def _spot(fields: Fields, scale: Scale) -> dict[str, int]:
    _free_hand(fields)
    return point([fields.get("x"), fields.get("y")], scale, f"The action {fields.get('type')!r}")


def _click(fields: Fields, scale: Scale) -> Action:
    said = str(fields.get("button", "left"))
    if said == "back":
        return Back()
    if said not in _BUTTONS:
        raise Unparsable(f"There is no mouse button {said!r}; there are {', '.join(_BUTTONS)} and back.")
    return make(_BUTTONS[said], **_spot(fields, scale))


def _drag(fields: Fields, scale: Scale) -> Action:
    _free_hand(fields)
    said = fields.get("path")
    stops = [_stop(stop) for stop in cast("list[object]", said)] if isinstance(said, list) else []
    if len(stops) < 2:
        raise Unparsable("A drag needs a path of at least two points.")
    return make(Drag, **path(stops[0], stops[-1], scale, "A drag"))


def _stop(stop: object) -> Any:
    if not isinstance(stop, dict):
        return stop
    fields = cast("dict[str, Any]", stop)
    return [fields.get("x"), fields.get("y")]


def _keys(fields: Fields, scale: Scale) -> Action:
    said = fields.get("keys")
    keys = [key for key in cast("list[object]", said) if isinstance(key, str) and key] if isinstance(said, list) else []
    if not keys:
        raise Unparsable("A keypress needs keys.")
    return make(Key, key=keys[0]) if len(keys) == 1 else make(Hotkey, keys=tuple(keys))


def _scroll(fields: Fields, scale: Scale) -> Action:
    across, down = (numbers([fields.get("scroll_x", 0), fields.get("scroll_y", 0)]) or [0.0, 0.0])[:2]
    spot = _spot(fields, scale)
    if abs(down) >= abs(across):
        direction, share = ("down" if down >= 0 else "up"), abs(down) / scale.height
    else:
        direction, share = ("right" if across > 0 else "left"), abs(across) / scale.width
    return make(Scroll, direction=direction, pages=min(max(share, 0.05), 20), **spot)


def _type(fields: Fields, scale: Scale) -> Action:
    text = fields.get("text")
    if not isinstance(text, str) or not text:
        raise Unparsable("The action 'type' needs text.")
    return make(Type, text=text.rstrip("\n"), press_enter=text.endswith("\n"))


_READERS: dict[str, Callable[[Fields, Scale], Action]] = {
    "click": _click,
    "double_click": lambda fields, scale: make(DoubleClick, **_spot(fields, scale)),
    "move": lambda fields, scale: make(Move, **_spot(fields, scale)),
    "drag": _drag,
    "keypress": _keys,
    "scroll": _scroll,
    "type": _type,
    "wait": lambda fields, scale: Wait(seconds=2),
    # The next step begins with a fresh picture anyway.
    "screenshot": lambda fields, scale: Wait(seconds=0.5),
}


class OpenAiComputer:
    name = "openai-computer"

    def ask(self, situation: StepRequest) -> ModelRequest:
        return ask_with_computer(situation)

    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        check_complete(reply, "the action")
        scale = scale_of(situation, "pixels")
        return decide(reply, [planned for item in reply.native for planned in _planned(item, scale)], situation)


def _planned(item: Fields, scale: Scale) -> list[PlannedAction]:
    said = item.get("actions") or ([item["action"]] if item.get("action") else [])
    if not isinstance(said, list) or not said:
        raise Unparsable("The computer was called without an action.")
    worry = _worry(item.get("pending_safety_checks"))
    actions = [_action(fields, scale) for fields in cast("list[object]", said)]
    return [PlannedAction(action=action, sensitive=worry, held_back=bool(worry)) for action in actions]


def _action(said: object, scale: Scale) -> Action:
    fields = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    reader = _READERS.get(str(fields.get("type")))
    if reader is None:
        raise Unparsable(f"The computer has no action {fields.get('type')!r}; it has {', '.join(_READERS)}.")
    return reader(fields, scale)


def _worry(checks: object) -> str:
    """What the provider is worried about, for the person; anything pending counts, also what we can't read."""
    if not checks:
        return ""
    listed = cast("list[object]", checks) if isinstance(checks, list) else [checks]
    words = [cast("dict[str, Any]", check) if isinstance(check, dict) else {} for check in listed]
    said = [str(check.get("message") or check.get("code") or "") for check in words]
    return "; ".join(part for part in said if part)[:500] or "The provider wants a person to look at this."
