"""Anthropic's computer use: its own screen tool for acting, and our tools for judging and ending a step."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from deskhand.core.actions import (
    Action,
    Click,
    DoubleClick,
    Drag,
    Hotkey,
    MiddleClick,
    Move,
    RightClick,
    Scroll,
    Wait,
)
from deskhand.core.decisions import Decision, PlannedAction
from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, StepRequest
from deskhand.models.dialects.action_fitting import PointAction, make_action, make_key_press, read_seconds
from deskhand.models.dialects.computer_use import make_computer_request, read_decision, read_typing, refuse_held_keys
from deskhand.models.dialects.coordinates import Scale, read_path, read_point, scale_of
from deskhand.prompting.ask_model import check_complete

Fields = Mapping[str, Any]
ActionReader = Callable[[Fields, Scale], list[Action]]
# A wheel click moves about a tenth of the screen.
_PAGES_A_CLICK = 0.1
# `ctrl++` is Ctrl and plus.
_KEY = re.compile(r"[^+]+|(?<=\+)\+|^\+$")


def _make_point_reader(word: PointAction) -> ActionReader:
    def read_point_action(fields: Fields, scale: Scale) -> list[Action]:
        refuse_held_keys(fields.get("text"))
        return [make_action(word, **read_point(fields.get("coordinate"), scale, "A click"))]

    return read_point_action


def _read_keys(fields: Fields, scale: Scale) -> list[Action]:
    """Read keys in xdotool's syntax: a plus holds them together, a space presses one after the other."""
    said, repeat = fields.get("text"), fields.get("repeat", 1)
    chords = [_KEY.findall(chord) for chord in said.split()] if isinstance(said, str) else []
    if not chords or not all(chords) or not isinstance(repeat, int) or not 1 <= repeat <= 10:
        raise Unparsable('The action "key" needs "text" with a key such as "Return" or "ctrl+s".')
    return [make_key_press(keys) for keys in chords] * repeat


def _read_scroll(fields: Fields, scale: Scale) -> list[Action]:
    refuse_held_keys(fields.get("text"))
    spot = read_point(fields["coordinate"], scale, "A scroll") if fields.get("coordinate") is not None else {}
    amount = fields.get("scroll_amount", 5)
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        raise Unparsable('The action "scroll" needs a number as "scroll_amount".')
    pages = min(max(amount * _PAGES_A_CLICK, 0.05), 20)
    return [make_action(Scroll, direction=fields.get("scroll_direction", "down"), pages=pages, **spot)]


def _read_drag(fields: Fields, scale: Scale) -> list[Action]:
    refuse_held_keys(fields.get("text"))
    return [make_action(Drag, **read_path(fields.get("start_coordinate"), fields.get("coordinate"), scale, "A drag"))]


def _read_triple_click(fields: Fields, scale: Scale) -> list[Action]:
    """Read it as selecting the whole field, its usual purpose: no device has a triple click of its own."""
    return [*_make_point_reader(Click)(fields, scale), make_action(Hotkey, keys=("ctrl", "a"))]


_READERS: dict[str, ActionReader] = {
    "left_click": _make_point_reader(Click),
    "right_click": _make_point_reader(RightClick),
    "middle_click": _make_point_reader(MiddleClick),
    "double_click": _make_point_reader(DoubleClick),
    "triple_click": _read_triple_click,
    "mouse_move": _make_point_reader(Move),
    "left_click_drag": _read_drag,
    "key": _read_keys,
    "type": lambda fields, scale: [read_typing(fields.get("text"))],
    "scroll": _read_scroll,
    "wait": lambda fields, scale: [make_action(Wait, seconds=read_seconds(fields.get("duration")))],
    # The next step begins with a fresh picture anyway.
    "screenshot": lambda fields, scale: [make_action(Wait, seconds=0.5)],
}


class AnthropicComputerDialect:
    name = "anthropic-computer"

    def ask(self, situation: StepRequest) -> ModelRequest:
        return make_computer_request(situation)

    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        check_complete(reply, "the action")
        scale = scale_of(situation, "pixels")
        actions = [action for item in reply.native for action in _read_actions(item, scale)]
        return read_decision(reply, [PlannedAction(action=action) for action in actions], situation)


def _read_actions(item: Fields, scale: Scale) -> list[Action]:
    fields = item.get("input")
    if not isinstance(fields, dict):
        raise Unparsable("The computer tool was called without input.")
    inputs = cast("dict[str, Any]", fields)
    name = inputs.get("action", item.get("name"))
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is None:
        raise Unparsable(f"The computer tool has no action {name!r} here; it has {', '.join(_READERS)}.")
    return reader(inputs, scale)
