"""OpenAI's computer use: `computer_call` items, one action or several in each.

Its pending safety checks are shown to the user with the action they belong to; they are never acknowledged here.
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
    MiddleClick,
    Move,
    RightClick,
    Scroll,
    Wait,
)
from deskhand.core.decisions import Decision, PlannedAction
from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, StepRequest
from deskhand.models.dialects.action_fitting import PointAction, make_action, make_key_press
from deskhand.models.dialects.computer_use import make_computer_request, read_decision, read_typing, refuse_held_keys
from deskhand.models.dialects.coordinates import Scale, read_numbers, read_path, read_point, scale_of
from deskhand.prompting.ask_model import check_complete

Fields = Mapping[str, Any]
_BUTTONS: dict[str, PointAction] = {"left": Click, "right": RightClick, "wheel": MiddleClick}


def _read_point(fields: Fields, scale: Scale) -> dict[str, int]:
    refuse_held_keys(fields.get("keys"))
    return read_point([fields.get("x"), fields.get("y")], scale, f"The action {fields.get('type')!r}")


def _read_click(fields: Fields, scale: Scale) -> Action:
    said = str(fields.get("button", "left"))
    if said == "back":
        return Back()
    if said not in _BUTTONS:
        raise Unparsable(f"There is no mouse button {said!r}; there are {', '.join(_BUTTONS)} and back.")
    return make_action(_BUTTONS[said], **_read_point(fields, scale))


def _read_drag(fields: Fields, scale: Scale) -> Action:
    refuse_held_keys(fields.get("keys"))
    said = fields.get("path")
    stops = [_point_of(stop) for stop in cast("list[object]", said)] if isinstance(said, list) else []
    if len(stops) < 2:
        raise Unparsable("A drag needs a path of at least two points.")
    return make_action(Drag, **read_path(stops[0], stops[-1], scale, "A drag"))


def _point_of(stop: object) -> Any:
    if not isinstance(stop, dict):
        return stop
    fields = cast("dict[str, Any]", stop)
    return [fields.get("x"), fields.get("y")]


def _read_keys(fields: Fields, scale: Scale) -> Action:
    said = fields.get("keys")
    keys = [key for key in cast("list[object]", said) if isinstance(key, str) and key] if isinstance(said, list) else []
    if not keys:
        raise Unparsable("A keypress needs keys.")
    return make_key_press(keys)


def _read_scroll(fields: Fields, scale: Scale) -> Action:
    across, down = (read_numbers([fields.get("scroll_x", 0), fields.get("scroll_y", 0)]) or [0.0, 0.0])[:2]
    spot = _read_point(fields, scale)
    if abs(down) >= abs(across):
        direction, share = ("down" if down >= 0 else "up"), abs(down) / scale.height
    else:
        direction, share = ("right" if across > 0 else "left"), abs(across) / scale.width
    return make_action(Scroll, direction=direction, pages=min(max(share, 0.05), 20), **spot)


_READERS: dict[str, Callable[[Fields, Scale], Action]] = {
    "click": _read_click,
    "double_click": lambda fields, scale: make_action(DoubleClick, **_read_point(fields, scale)),
    "move": lambda fields, scale: make_action(Move, **_read_point(fields, scale)),
    "drag": _read_drag,
    "keypress": _read_keys,
    "scroll": _read_scroll,
    "type": lambda fields, scale: read_typing(fields.get("text")),
    "wait": lambda fields, scale: Wait(seconds=2),
    # The next step begins with a fresh picture anyway.
    "screenshot": lambda fields, scale: Wait(seconds=0.5),
}


class OpenAiComputerDialect:
    name = "openai-computer"

    def ask(self, situation: StepRequest) -> ModelRequest:
        return make_computer_request(situation)

    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        check_complete(reply, "the action")
        scale = scale_of(situation, "pixels")
        return read_decision(
            reply, [planned for item in reply.native for planned in _read_actions(item, scale)], situation
        )


def _read_actions(item: Fields, scale: Scale) -> list[PlannedAction]:
    said = item.get("actions") or ([item["action"]] if item.get("action") else [])
    if not isinstance(said, list) or not said:
        raise Unparsable("The computer was called without an action.")
    worry = _describe_safety_checks(item.get("pending_safety_checks"))
    actions = [_read_action(fields, scale) for fields in cast("list[object]", said)]
    return [PlannedAction(action=action, sensitive=worry, held_back=bool(worry)) for action in actions]


def _read_action(said: object, scale: Scale) -> Action:
    fields = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    reader = _READERS.get(str(fields.get("type")))
    if reader is None:
        raise Unparsable(f"The computer has no action {fields.get('type')!r}; it has {', '.join(_READERS)}.")
    return reader(fields, scale)


def _describe_safety_checks(checks: object) -> str:
    """Return the pending safety checks as text for the user; a check that can't be read counts too."""
    if not checks:
        return ""
    listed = cast("list[object]", checks) if isinstance(checks, list) else [checks]
    words = [cast("dict[str, Any]", check) if isinstance(check, dict) else {} for check in listed]
    said = [str(check.get("message") or check.get("code") or "") for check in words]
    return "; ".join(part for part in said if part)[:500] or "The provider wants the user to check this action."
