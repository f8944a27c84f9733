"""The dialect of UI-TARS: `Thought: …` and `Action: click(start_box='(x,y)')`, in all its notations of a point."""

from __future__ import annotations

import re
from collections.abc import Callable

from deskhand.core.actions import (
    Action,
    Back,
    Click,
    DoubleClick,
    Drag,
    Home,
    Hotkey,
    Key,
    LongPress,
    MiddleClick,
    Move,
    OpenApp,
    RightClick,
    Scroll,
    Swipe,
    Type,
    Wait,
    describe_action,
)
from deskhand.core.decisions import Decision, PlannedAction, StepReport
from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, Picture, StepRequest, Turn
from deskhand.models.dialects.action_fitting import (
    PointAction,
    decide_to_act,
    make_action,
    make_key_press,
    read_seconds,
)
from deskhand.models.dialects.call_grammar import CallReader, CommandCall, Value, normalize_name, quote_text
from deskhand.models.dialects.coordinates import Coordinates, Scale, read_path, read_point, scale_of
from deskhand.models.dialects.request_parts import describe_elements, describe_task, load_manual, retell_steps
from deskhand.models.dialects.text_commands import find_calls
from deskhand.prompting.ask_model import check_complete

_ACTION = re.compile(r"(?:^|(?<=\s))\**(?:action|动作|操作)[ \t*]*[:：][*`\s]*", re.IGNORECASE | re.MULTILINE)
_THOUGHT = re.compile(r"\s*(?:\**(?:thought|reflection|action_summary|思考)\**\s*[:：]\**)\s*", re.IGNORECASE)
# The vision tower cuts pictures into squares with this side in pixels; the model counts in those.
_PATCH = 28
_QUOTE = "'"

ActionReader = Callable[[CommandCall, Scale], Action]


def _place_of(call: CommandCall, *keys: str) -> Value:
    named = next((call.named[key] for key in (*keys, "start_box", "point", "start_point") if key in call.named), None)
    return named if named is not None else call.args[0] if call.args else None


def _make_point_reader(word: PointAction) -> ActionReader:
    return lambda call, scale: make_action(word, **read_point(_place_of(call), scale, call.name))


def _read_path(call: CommandCall, scale: Scale) -> dict[str, int]:
    end = next((call.named[key] for key in ("end_box", "end_point", "to") if key in call.named), None)
    return read_path(
        _place_of(call), end if end is not None else (call.args[1] if len(call.args) > 1 else None), scale, call.name
    )


def _read_typing(call: CommandCall, scale: Scale) -> Action:
    said = call.named.get("content", call.named.get("text", call.args[0] if call.args else None))
    if not isinstance(said, str):
        raise Unparsable("type needs content='…'.")
    # A line break at the end is UI-TARS's way of pressing Enter.
    text = said.rstrip("\n")
    return make_action(Type, text=text, press_enter=text != said)


def _read_keys(call: CommandCall, scale: Scale) -> Action:
    said = call.named.get("key", call.named.get("hotkey", call.args[0] if call.args else None))
    keys = [part for part in re.split(r"[\s+]+", said) if part] if isinstance(said, str) else []
    if not keys:
        raise Unparsable(f"{call.name} needs key='…'.")
    return make_key_press(keys)


def _read_scroll(call: CommandCall, scale: Scale) -> Action:
    spot = read_point(_place_of(call), scale, "scroll") if _place_of(call) is not None else {}
    direction = call.named.get("direction", "down")
    return make_action(Scroll, direction=direction.lower() if isinstance(direction, str) else direction, **spot)


def _read_app(call: CommandCall, scale: Scale) -> Action:
    name = call.named.get("app_name", call.named.get("app", call.args[0] if call.args else None))
    if not isinstance(name, str):
        raise Unparsable("open_app needs app_name='…'.")
    return make_action(OpenApp, name=name)


_READERS: dict[str, ActionReader] = {
    "click": _make_point_reader(Click),
    "leftsingle": _make_point_reader(Click),
    "tap": _make_point_reader(Click),
    "leftdouble": _make_point_reader(DoubleClick),
    "doubleclick": _make_point_reader(DoubleClick),
    "rightsingle": _make_point_reader(RightClick),
    "rightclick": _make_point_reader(RightClick),
    "middleclick": _make_point_reader(MiddleClick),
    "hover": _make_point_reader(Move),
    "longpress": _make_point_reader(LongPress),
    "drag": lambda call, scale: make_action(Drag, **_read_path(call, scale)),
    "swipe": lambda call, scale: make_action(Swipe, **_read_path(call, scale)),
    "select": lambda call, scale: make_action(Drag, **_read_path(call, scale)),
    "type": _read_typing,
    "input": _read_typing,
    "hotkey": _read_keys,
    "press": _read_keys,
    "scroll": _read_scroll,
    "wait": lambda call, scale: make_action(
        Wait, seconds=read_seconds(call.named.get("time", *call.args[:1] or (5,)), 5)
    ),
    "pressback": lambda call, scale: Back(),
    "presshome": lambda call, scale: Home(),
    "pressenter": lambda call, scale: Key(key="enter"),
    "openapp": _read_app,
}
_ENDINGS = frozenset({"finished", "calluser"})
_COMMANDS = frozenset({*_READERS, *_ENDINGS})
_POINT_COMMANDS: dict[type[Action], str] = {
    Click: "click", DoubleClick: "left_double", RightClick: "right_single", LongPress: "long_press",
}  # fmt: skip


class UiTarsDialect:
    name = "uitars"

    def __init__(self, coordinates: Coordinates = "thousandths") -> None:
        self._coordinates: Coordinates = coordinates

    def _scale_of(self, situation: StepRequest) -> Scale:
        scale = scale_of(situation, self._coordinates)
        if self._coordinates == "thousandths" or not situation.picture:
            return scale
        return Scale(_round_to_patches(scale.width), _round_to_patches(scale.height), situation.frame)

    def ask(self, situation: StepRequest) -> ModelRequest:
        words = load_manual(situation.language, self.name)
        scale = self._scale_of(situation)
        task = words.fill_section("task", task=describe_task(situation))
        turns = [Turn("user", (task,)), *retell_steps(situation, lambda step: _retell_step(step, scale))]
        parts: list[str | Picture] = [*describe_elements(situation, words, scale), situation.now]
        if situation.picture:
            parts.append(situation.picture)
        turns.append(Turn("user", tuple(parts)))
        system = words.fill_section("system", role=situation.role, width=scale.width, height=scale.height)
        return ModelRequest(role="operator", system=system, turns=tuple(turns), temperature=0.0)

    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        check_complete(reply, "the action")
        thought, said = split_thought(reply.text)
        calls = find_calls(said, _COMMANDS, alone=False)
        acts = [call for call in calls if normalize_name(call.name) not in _ENDINGS]
        if acts:
            scale = self._scale_of(situation)
            planned = [PlannedAction(action=_READERS[normalize_name(call.name)](call, scale)) for call in acts]
            return decide_to_act(planned, situation, thought)
        return _read_ending(calls[0], thought)


def _round_to_patches(side: int) -> int:
    return max(1, round(side / _PATCH)) * _PATCH


def split_thought(text: str) -> tuple[str, str]:
    """Return thought and action; the action follows the first `Action:` that a command comes after."""
    for mark in _ACTION.finditer(text):
        if normalize_name(CallReader(text, mark.end()).peek_call_name()) in _COMMANDS:
            return _THOUGHT.sub("", text[: mark.start()], count=1).strip(), text[mark.end() :].lstrip()
    return "", text


def _read_ending(call: CommandCall, thought: str) -> Decision:
    said = next(
        (v for v in (call.named.get("content"), call.named.get("message"), *call.args) if isinstance(v, str)), ""
    )
    if normalize_name(call.name) == "finished":
        return Decision(kind="done", message=said[:2000], thought=thought[:2000])
    message = said or thought or "The model asks for the user."
    return Decision(kind="ask", message=message[:2000], thought=thought[:2000])


# --- its own words for what was done -------------------------------------------------------------------------


def _retell_step(step: StepReport, scale: Scale) -> str:
    said = "\n\n".join(write_action(report.action, scale) for report in step.actions[:5]) or "wait()"
    return f"Thought: {step.thought[:300]}\nAction: {said}"


def write_action(action: Action, scale: Scale) -> str:
    """Return the action as UI-TARS would have written it."""

    def write_point(x: int, y: int) -> str:
        return "'({},{})'".format(*scale.from_frame(x, y))

    match action:
        case Click() | DoubleClick() | RightClick() | LongPress():
            return f"{_POINT_COMMANDS[type(action)]}(start_box={write_point(action.x, action.y)})"
        case Drag() | Swipe():
            return f"drag(start_box={write_point(action.x, action.y)}, end_box={write_point(action.to_x, action.to_y)})"
        case Scroll():
            spot = (
                f"start_box={write_point(action.x, action.y)}, "
                if action.x is not None and action.y is not None
                else ""
            )
            return f"scroll({spot}direction='{action.direction}')"
        case Type():
            enter = "\n" if action.press_enter else ""
            return f"type(content={quote_text(action.text[:300] + enter, _QUOTE)})"
        case Key() | Hotkey():
            return f"hotkey(key='{action.key if isinstance(action, Key) else ' '.join(action.keys)}')"
        case OpenApp():
            return f"open_app(app_name={quote_text(action.name, _QUOTE)})"
        case Back():
            return "press_back()"
        case Home():
            return "press_home()"
        case _:
            return f"wait()  # {describe_action(action)[:100]}"
