"""UI-TARS's text: `Thought: …` and `Action: click(start_box='(x,y)')`, with all the ways it writes a point."""

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
    describe,
)
from deskhand.core.decisions import Decision, PlannedAction, StepReport
from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, Picture, StepRequest, Turn
from deskhand.models.dialects.call_grammar import Call, Reader, Value, squeeze
from deskhand.models.dialects.shared import (
    Coordinates,
    PointWord,
    Scale,
    acting,
    in_quotes,
    make,
    manual,
    path,
    point,
    scale_of,
    seconds,
)
from deskhand.models.dialects.text_commands import find_calls
from deskhand.prompting.ask_model import check_complete
from deskhand.prompting.describe import describe_outcome, list_elements, list_older_steps, recent_steps
from deskhand.prompting.templates import as_data

_ACTION = re.compile(r"(?:^|(?<=\s))\**(?:action|动作|操作)[ \t*]*[:：][*`\s]*", re.IGNORECASE | re.MULTILINE)
_THOUGHT = re.compile(r"\s*(?:\**(?:thought|reflection|action_summary|思考)\**\s*[:：]\**)\s*", re.IGNORECASE)
# The vision tower cuts pictures into squares of this many pixels, and the model counts in those.
_PATCH = 28
_QUOTE = "'"

Read = Callable[[Call, Scale], Action]


def _place(call: Call, *keys: str) -> Value:
    named = next((call.named[key] for key in (*keys, "start_box", "point", "start_point") if key in call.named), None)
    return named if named is not None else call.args[0] if call.args else None


def _at(word: PointWord) -> Read:
    return lambda call, scale: make(word, **point(_place(call), scale, call.name))


def _ends(call: Call, scale: Scale) -> dict[str, int]:
    end = next((call.named[key] for key in ("end_box", "end_point", "to") if key in call.named), None)
    return path(
        _place(call), end if end is not None else (call.args[1] if len(call.args) > 1 else None), scale, call.name
    )


def _type(call: Call, scale: Scale) -> Action:
    said = call.named.get("content", call.named.get("text", call.args[0] if call.args else None))
    if not isinstance(said, str):
        raise Unparsable("type needs content='…'.")
    # A line break at the end is UI-TARS's way of pressing Enter.
    text = said.rstrip("\n")
    return make(Type, text=text, press_enter=text != said)


def _keys(call: Call, scale: Scale) -> Action:
    said = call.named.get("key", call.named.get("hotkey", call.args[0] if call.args else None))
    keys = [part for part in re.split(r"[\s+]+", said) if part] if isinstance(said, str) else []
    if not keys:
        raise Unparsable(f"{call.name} needs key='…'.")
    return make(Key, key=keys[0]) if len(keys) == 1 else make(Hotkey, keys=tuple(keys))


def _scroll(call: Call, scale: Scale) -> Action:
    spot = point(_place(call), scale, "scroll") if _place(call) is not None else {}
    direction = call.named.get("direction", "down")
    return make(Scroll, direction=direction.lower() if isinstance(direction, str) else direction, **spot)


def _open(call: Call, scale: Scale) -> Action:
    name = call.named.get("app_name", call.named.get("app", call.args[0] if call.args else None))
    if not isinstance(name, str):
        raise Unparsable("open_app needs app_name='…'.")
    return make(OpenApp, name=name)


_READERS: dict[str, Read] = {
    "click": _at(Click),
    "leftsingle": _at(Click),
    "tap": _at(Click),
    "leftdouble": _at(DoubleClick),
    "doubleclick": _at(DoubleClick),
    "rightsingle": _at(RightClick),
    "rightclick": _at(RightClick),
    "middleclick": _at(MiddleClick),
    "hover": _at(Move),
    "longpress": _at(LongPress),
    "drag": lambda call, scale: make(Drag, **_ends(call, scale)),
    "swipe": lambda call, scale: make(Swipe, **_ends(call, scale)),
    "select": lambda call, scale: make(Drag, **_ends(call, scale)),
    "type": _type,
    "input": _type,
    "hotkey": _keys,
    "press": _keys,
    "scroll": _scroll,
    "wait": lambda call, scale: make(Wait, seconds=seconds(call.named.get("time", *call.args[:1] or (5,)), 5)),
    "pressback": lambda call, scale: Back(),
    "presshome": lambda call, scale: Home(),
    "pressenter": lambda call, scale: Key(key="enter"),
    "openapp": _open,
}
_ENDINGS = frozenset({"finished", "calluser"})
_COMMANDS = frozenset({*_READERS, *_ENDINGS})


class UiTars:
    name = "uitars"

    def __init__(self, coordinates: Coordinates = "thousandths") -> None:
        self._coordinates: Coordinates = coordinates

    def _scale(self, situation: StepRequest) -> Scale:
        scale = scale_of(situation, self._coordinates)
        if self._coordinates == "thousandths" or not situation.picture:
            return scale
        return Scale(_patched(scale.width), _patched(scale.height), situation.frame)

    def ask(self, situation: StepRequest) -> ModelRequest:
        words = manual(situation.language, self.name)
        scale = self._scale(situation)
        older = as_data("history", list_older_steps(situation.past))
        task = "\n\n".join(part for part in (situation.task, older) if part)
        turns = [Turn("user", (words.section("task", task=task),))]
        for step in recent_steps(situation.past):
            if step.actions or step.thought:
                turns.append(Turn("model", (_retold(step, scale),)))
            turns.append(Turn("user", (as_data("history", describe_outcome(step)),)))
        parts: list[str | Picture] = []
        if situation.elements:
            parts.append(
                words.section(
                    "elements", elements=as_data("screen", list_elements(situation.elements, scale.from_frame))
                )
            )
        parts.append(situation.now)
        if situation.picture:
            parts.append(situation.picture)
        turns.append(Turn("user", tuple(parts)))
        system = words.section("system", role=situation.role, width=scale.width, height=scale.height)
        return ModelRequest(role="operator", system=system, turns=tuple(turns), temperature=0.0)

    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        check_complete(reply, "the action")
        thought, said = split(reply.text)
        calls = find_calls(said, _COMMANDS, alone=False)
        acts = [call for call in calls if squeeze(call.name) not in _ENDINGS]
        if acts:
            scale = self._scale(situation)
            planned = [PlannedAction(action=_READERS[squeeze(call.name)](call, scale)) for call in acts]
            return acting(planned, situation, thought)
        return _ending(calls[0], thought)


def _patched(side: int) -> int:
    return max(1, round(side / _PATCH)) * _PATCH


def split(text: str) -> tuple[str, str]:
    """Thought and action; the action is what follows the first `Action:` that a command comes after."""
    for mark in _ACTION.finditer(text):
        if squeeze(Reader(text, mark.end()).at_call()) in _COMMANDS:
            return _THOUGHT.sub("", text[: mark.start()], count=1).strip(), text[mark.end() :].lstrip()
    return "", text


def _ending(call: Call, thought: str) -> Decision:
    said = next(
        (v for v in (call.named.get("content"), call.named.get("message"), *call.args) if isinstance(v, str)), ""
    )
    if squeeze(call.name) == "finished":
        return Decision(kind="done", message=said[:2000], thought=thought[:2000])
    message = said or thought or "The model asks for a person."
    return Decision(kind="ask", message=message[:2000], thought=thought[:2000])


# --- its own words for what was done -------------------------------------------------------------------------


def _retold(step: StepReport, scale: Scale) -> str:
    said = "\n\n".join(write(report.action, scale) for report in step.actions[:5]) or "wait()"
    return f"Thought: {step.thought[:300]}\nAction: {said}"


def write(action: Action, scale: Scale) -> str:
    """An action as UI-TARS would have written it."""

    def at(x: int, y: int) -> str:
        return "'({},{})'".format(*scale.from_frame(x, y))

    names: dict[type[Action], str] = {
        Click: "click", DoubleClick: "left_double", RightClick: "right_single", LongPress: "long_press",
    }  # fmt: skip
    match action:
        case Click() | DoubleClick() | RightClick() | LongPress():
            return f"{names[type(action)]}(start_box={at(action.x, action.y)})"
        case Drag() | Swipe():
            return f"drag(start_box={at(action.x, action.y)}, end_box={at(action.to_x, action.to_y)})"
        case Scroll():
            spot = f"start_box={at(action.x, action.y)}, " if action.x is not None and action.y is not None else ""
            return f"scroll({spot}direction='{action.direction}')"
        case Type():
            enter = "\n" if action.press_enter else ""
            return f"type(content={in_quotes(action.text[:300] + enter, _QUOTE)})"
        case Key() | Hotkey():
            return f"hotkey(key='{action.key if isinstance(action, Key) else ' '.join(action.keys)}')"
        case OpenApp():
            return f"open_app(app_name={in_quotes(action.name, _QUOTE)})"
        case Back():
            return "press_back()"
        case Home():
            return "press_home()"
        case _:
            return f"wait()  # {describe(action)[:100]}"
