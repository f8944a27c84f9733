"""AutoGLM-phone: `<think>…</think><answer>do(action="Tap", element=[x,y])</answer>`, closing tags optional.

Its numbers run from 0 to 999 and stand for thousandths of the screen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from deskhand.core.actions import (
    Action,
    Answer,
    Back,
    Click,
    DoubleClick,
    Home,
    LongPress,
    Memorize,
    OpenApp,
    Swipe,
    TakeOver,
    Type,
    Wait,
    describe_action,
)
from deskhand.core.decisions import Decision, PlannedAction, StepReport
from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, Picture, StepRequest, Turn
from deskhand.models.dialects.action_fitting import decide_to_act, make_action, read_seconds
from deskhand.models.dialects.call_grammar import CommandCall, Value, normalize_name, quote_text
from deskhand.models.dialects.coordinates import Scale, read_path, read_point, scale_of
from deskhand.models.dialects.request_parts import describe_elements, describe_task, load_manual, retell_steps
from deskhand.models.dialects.text_commands import find_calls
from deskhand.prompting.ask_model import check_complete

_TAG = r"[<＜]\s*{0}\s*[>＞]"
_THINK = re.compile(_TAG.format("think(?:ing)?"))
_THOUGHT_ENDS = re.compile(_TAG.format("/think(?:ing)?"))
_ANSWER = re.compile(_TAG.format("answer"))

ActionReader = Callable[[CommandCall, Scale, str], Action]


def _read_text(call: CommandCall, *keys: str) -> str:
    value = next((call.named[key] for key in keys if key in call.named), None)
    if value is None and len(call.args) == 1:
        value = call.args[0]
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _require_text(call: CommandCall, *keys: str) -> str:
    if text := _read_text(call, *keys):
        return text
    raise Unparsable(f'{_name_of(call)} needs {keys[0]}="…".')


def _name_of(call: CommandCall) -> str:
    said = call.named.get("action")
    return said if isinstance(said, str) else call.name


def _place_of(call: CommandCall) -> Value:
    return next((call.named[key] for key in ("element", "point", "position") if key in call.named), None)


def _read_swipe(call: CommandCall, scale: Scale, thought: str) -> Action:
    return make_action(Swipe, **read_path(call.named.get("start"), call.named.get("end"), scale, "Swipe"))


def _read_typing(call: CommandCall, scale: Scale, thought: str) -> Action:
    if "text" not in call.named and not call.args:
        raise Unparsable('Type needs text="…".')
    # AutoGLM's own client empties the field before it types.
    return make_action(Type, text=_read_text(call, "text"), clear_first=True)


def _read_note(call: CommandCall, scale: Scale, thought: str) -> Action:
    """Read `Note(message="True")` as "keep what this page says": the thought has what the model saw of it."""
    said = _read_text(call, "message", "content", "text")
    kept = thought if normalize_name(said) in ("", "true") else said
    if not kept:
        raise Unparsable('Note needs message="…" with what is to be remembered.')
    return make_action(Memorize, text=kept[:4000])


_READERS: dict[str, ActionReader] = {
    "launch": lambda call, scale, _: make_action(OpenApp, name=_require_text(call, "app", "app_name", "name")),
    "tap": lambda call, scale, _: make_action(Click, **read_point(_place_of(call), scale, "Tap")),
    "click": lambda call, scale, _: make_action(Click, **read_point(_place_of(call), scale, "Tap")),
    "type": _read_typing,
    "typename": _read_typing,
    "swipe": _read_swipe,
    "longpress": lambda call, scale, _: make_action(LongPress, **read_point(_place_of(call), scale, "Long Press")),
    "doubletap": lambda call, scale, _: make_action(DoubleClick, **read_point(_place_of(call), scale, "Double Tap")),
    "back": lambda call, scale, _: Back(),
    "home": lambda call, scale, _: Home(),
    "wait": lambda call, scale, _: make_action(
        Wait, seconds=read_seconds(call.named.get("duration", *call.args[:1] or (1,)))
    ),
    "takeover": lambda call, scale, thought: make_action(
        TakeOver, reason=(_read_text(call, "message") or thought or "the user is needed")[:2000]
    ),
    "note": _read_note,
}
# Commands that end a step without touching the screen.
_ENDINGS = frozenset({"finish", "interact", "callapi"})
_COMMANDS = frozenset({"do", *_READERS, *_ENDINGS})
_POINT_COMMANDS: dict[type[Action], str] = {Click: "Tap", DoubleClick: "Double Tap", LongPress: "Long Press"}


class AutoGlmDialect:
    name = "autoglm"

    def ask(self, situation: StepRequest) -> ModelRequest:
        words = load_manual(situation.language, self.name)
        scale = scale_of(situation, "thousandths")
        task = words.fill_section("task", task=describe_task(situation))
        turns = [Turn("user", (task,))] if situation.past else []
        turns += retell_steps(situation, lambda step: _retell_step(step, scale))
        parts: list[str | Picture] = [situation.picture] if situation.picture else []
        if not situation.past:
            parts.append(task)
        parts += describe_elements(situation, words, scale)
        screen = json.dumps({"current_app": situation.app}, ensure_ascii=False)
        parts.append(words.fill_section("screen", screen=screen, now=situation.now))
        turns.append(Turn("user", tuple(parts)))
        return ModelRequest(
            role="operator",
            system=words.fill_section("system", role=situation.role),
            turns=tuple(turns),
            temperature=0.0,
            top_p=0.85,
            frequency_penalty=0.2,
        )

    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        check_complete(reply, "the action")
        thought, answer, tagged = split_thought(reply.text)
        calls = find_calls(answer, _COMMANDS, alone=tagged, inline=("do", "finish"))
        thought = (thought or reply.thinking).strip()
        endings = [call for call in calls if _command_of(call) in _ENDINGS]
        acts = [call for call in calls if _command_of(call) not in _ENDINGS]
        # A "finish" after actions is said before their outcome is seen: act first, it will be said again.
        if acts:
            scale = scale_of(situation, "thousandths")
            return decide_to_act([_read_action(call, scale, thought) for call in acts], situation, thought)
        return _read_ending(endings[0], thought)


def split_thought(text: str) -> tuple[str, str, bool]:
    """Return the thought, the answer, and True if the answer was tagged as such."""
    begun, thought = 0, ""
    if ended := _THOUGHT_ENDS.search(text):
        head = text[: ended.start()]
        opened = _THINK.search(head)
        thought, begun = head[opened.end() if opened else 0 :], ended.end()
    if tag := _ANSWER.search(text, begun):
        thought = thought or _THINK.sub("", text[begun : tag.start()])
        return thought, text[tag.end() :], True
    answer = text[begun:]
    if not begun and (opened := _THINK.search(answer)):
        answer = answer[opened.end() :]
    return thought, answer, False


def _command_of(call: CommandCall) -> str:
    """Return the normalized name of the action, written as do(action="Tap") or as Tap()."""
    name = normalize_name(call.name)
    if name != "do":
        return name
    said = call.named.get("action", call.args[0] if call.args else None)
    if not isinstance(said, str):
        raise Unparsable('do() needs action="…".')
    word = normalize_name(said)
    if word not in _COMMANDS or word == "do":
        raise Unparsable(f"There is no action {said!r}.")
    return word


def _read_action(call: CommandCall, scale: Scale, thought: str) -> PlannedAction:
    word = _command_of(call)
    if normalize_name(call.name) == "do" and "action" not in call.named:
        call = CommandCall(call.name, call.args[1:], call.named)
    action = _READERS[word](call, scale, thought)
    # A tap with a message is AutoGLM's way of saying that it pays, sends or gives something away.
    sensitive = _read_text(CommandCall(call.name, (), call.named), "message") if word in ("tap", "click") else ""
    return PlannedAction(action=action, sensitive=sensitive[:500])


def _read_ending(call: CommandCall, thought: str) -> Decision:
    word = _command_of(call)
    said, thought = _read_text(call, "message", "instruction", "content")[:2000], thought[:2000]
    if word == "finish":
        return Decision(kind="done", message=said, thought=thought)
    # Its thought is the best question, and in the language of the task.
    if word == "interact":
        return Decision(kind="ask", message=said or thought or "There are several choices: which one?", thought=thought)
    return Decision(kind="supplement", message=said or thought or "A summary of the page is needed.", thought=thought)


# --- its own words for what was done -------------------------------------------------------------------------


def _retell_step(step: StepReport, scale: Scale) -> str:
    said = (
        "\n".join(write_action(report.action, scale) for report in step.actions[:5])
        or f"finish(message={quote_text(step.message)})"
    )
    return f"<think>{step.thought[:300]}</think><answer>{said}</answer>"


def write_action(action: Action, scale: Scale) -> str:
    """Return the action as AutoGLM would have written it."""

    def write_point(x: int, y: int) -> str:
        return "[{},{}]".format(*scale.from_frame(x, y))

    match action:
        case Click() | DoubleClick() | LongPress():
            return f'do(action="{_POINT_COMMANDS[type(action)]}", element={write_point(action.x, action.y)})'
        case Swipe():
            start, end = write_point(action.x, action.y), write_point(action.to_x, action.to_y)
            return f'do(action="Swipe", start={start}, end={end})'
        case Type():
            return f'do(action="Type", text={quote_text(action.text[:300])})'
        case OpenApp():
            return f'do(action="Launch", app={quote_text(action.name)})'
        case Back():
            return 'do(action="Back")'
        case Home():
            return 'do(action="Home")'
        case Wait():
            return f'do(action="Wait", duration="{action.seconds:g} seconds")'
        case TakeOver():
            return f'do(action="Take_over", message={quote_text(action.reason[:300])})'
        case Memorize() | Answer():
            return f'do(action="Note", message={quote_text(action.text[:300])})'
        case _:
            return f'do(action="Note", message={quote_text(describe_action(action)[:300])})'
