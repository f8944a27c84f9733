"""AutoGLM-phone's text: `<think>…</think><answer>do(action="Tap", element=[x,y])</answer>`, closing tags optional.

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
    describe,
)
from deskhand.core.decisions import Decision, PlannedAction, StepReport
from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, Picture, StepRequest, Turn
from deskhand.models.dialects.call_grammar import Call, Value, squeeze
from deskhand.models.dialects.shared import (
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

_TAG = r"[<＜]\s*{0}\s*[>＞]"
_THINK = re.compile(_TAG.format("think(?:ing)?"))
_THOUGHT_ENDS = re.compile(_TAG.format("/think(?:ing)?"))
_ANSWER = re.compile(_TAG.format("answer"))

Read = Callable[[Call, Scale, str], Action]


def _text(call: Call, *keys: str) -> str:
    value = next((call.named[key] for key in keys if key in call.named), None)
    if value is None and len(call.args) == 1:
        value = call.args[0]
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _needed(call: Call, *keys: str) -> str:
    if text := _text(call, *keys):
        return text
    raise Unparsable(f'{_name(call)} needs {keys[0]}="…".')


def _name(call: Call) -> str:
    said = call.named.get("action")
    return said if isinstance(said, str) else call.name


def _place(call: Call) -> Value:
    return next((call.named[key] for key in ("element", "point", "position") if key in call.named), None)


def _swipe(call: Call, scale: Scale, thought: str) -> Action:
    return make(Swipe, **path(call.named.get("start"), call.named.get("end"), scale, "Swipe"))


def _type(call: Call, scale: Scale, thought: str) -> Action:
    if "text" not in call.named and not call.args:
        raise Unparsable('Type needs text="…".')
    # AutoGLM's own client empties the field before it types.
    return make(Type, text=_text(call, "text"), clear_first=True)


def _note(call: Call, scale: Scale, thought: str) -> Action:
    """`Note(message="True")` means "keep what this page says": the thought is what the model saw of it."""
    said = _text(call, "message", "content", "text")
    kept = thought if squeeze(said) in ("", "true") else said
    if not kept:
        raise Unparsable('Note needs message="…" with what is to be remembered.')
    return make(Memorize, text=kept[:4000])


_READERS: dict[str, Read] = {
    "launch": lambda call, scale, _: make(OpenApp, name=_needed(call, "app", "app_name", "name")),
    "tap": lambda call, scale, _: make(Click, **point(_place(call), scale, "Tap")),
    "click": lambda call, scale, _: make(Click, **point(_place(call), scale, "Tap")),
    "type": _type,
    "typename": _type,
    "swipe": _swipe,
    "longpress": lambda call, scale, _: make(LongPress, **point(_place(call), scale, "Long Press")),
    "doubletap": lambda call, scale, _: make(DoubleClick, **point(_place(call), scale, "Double Tap")),
    "back": lambda call, scale, _: Back(),
    "home": lambda call, scale, _: Home(),
    "wait": lambda call, scale, _: make(Wait, seconds=seconds(call.named.get("duration", *call.args[:1] or (1,)))),
    "takeover": lambda call, scale, thought: make(
        TakeOver, reason=(_text(call, "message") or thought or "a person is needed")[:2000]
    ),
    "note": _note,
}
# Words that end a step without touching the screen.
_ENDINGS = frozenset({"finish", "interact", "callapi"})
_COMMANDS = frozenset({"do", *_READERS, *_ENDINGS})


class AutoGlm:
    name = "autoglm"

    def ask(self, situation: StepRequest) -> ModelRequest:
        words = manual(situation.language, self.name)
        scale = scale_of(situation, "thousandths")
        older = as_data("history", list_older_steps(situation.past))
        task = "\n\n".join(part for part in (situation.task, older) if part)
        turns = [Turn("user", (words.section("task", task=task),))] if situation.past else []
        for step in recent_steps(situation.past):
            if step.actions or step.thought:
                turns.append(Turn("model", (_retold(step, scale),)))
            turns.append(Turn("user", (as_data("history", describe_outcome(step)),)))
        parts: list[str | Picture] = [situation.picture] if situation.picture else []
        if not situation.past:
            parts.append(words.section("task", task=task))
        if situation.elements:
            parts.append(
                words.section(
                    "elements", elements=as_data("screen", list_elements(situation.elements, scale.from_frame))
                )
            )
        screen = json.dumps({"current_app": situation.app}, ensure_ascii=False)
        parts.append(words.section("screen", screen=screen, now=situation.now))
        turns.append(Turn("user", tuple(parts)))
        return ModelRequest(
            role="operator",
            system=words.section("system", role=situation.role),
            turns=tuple(turns),
            temperature=0.0,
            top_p=0.85,
            frequency_penalty=0.2,
        )

    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        check_complete(reply, "the action")
        thought, answer, tagged = split(reply.text)
        calls = find_calls(answer, _COMMANDS, alone=tagged, inline=("do", "finish"))
        thought = (thought or reply.thinking).strip()
        endings = [call for call in calls if _word(call) in _ENDINGS]
        acts = [call for call in calls if _word(call) not in _ENDINGS]
        # "finish" behind actions is said before their outcome was seen: act first, it will be said again.
        if acts:
            scale = scale_of(situation, "thousandths")
            return acting([_planned(call, scale, thought) for call in acts], situation, thought)
        return _ending(endings[0], thought)


def split(text: str) -> tuple[str, str, bool]:
    """Thought, answer, and whether the answer was tagged as such."""
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


def _word(call: Call) -> str:
    """The action's name in one spelling, whether written as do(action="Tap") or as Tap()."""
    name = squeeze(call.name)
    if name != "do":
        return name
    said = call.named.get("action", call.args[0] if call.args else None)
    if not isinstance(said, str):
        raise Unparsable('do() needs action="…".')
    word = squeeze(said)
    if word not in _COMMANDS or word == "do":
        raise Unparsable(f"There is no action {said!r}.")
    return word


def _planned(call: Call, scale: Scale, thought: str) -> PlannedAction:
    word = _word(call)
    if squeeze(call.name) == "do" and "action" not in call.named:
        call = Call(call.name, call.args[1:], call.named)
    action = _READERS[word](call, scale, thought)
    # A tap with a message is AutoGLM's way of saying that it pays, sends or gives something away.
    sensitive = _text(Call(call.name, (), call.named), "message") if word in ("tap", "click") else ""
    return PlannedAction(action=action, sensitive=sensitive[:500])


def _ending(call: Call, thought: str) -> Decision:
    word = _word(call)
    said, thought = _text(call, "message", "instruction", "content")[:2000], thought[:2000]
    if word == "finish":
        return Decision(kind="done", message=said, thought=thought)
    # What it thought is the best of questions, and in the language of the task.
    if word == "interact":
        return Decision(kind="ask", message=said or thought or "There are several choices: which one?", thought=thought)
    return Decision(kind="supplement", message=said or thought or "A summary of the page is needed.", thought=thought)


# --- its own words for what was done -------------------------------------------------------------------------


def _retold(step: StepReport, scale: Scale) -> str:
    said = (
        "\n".join(write(report.action, scale) for report in step.actions[:5])
        or f"finish(message={in_quotes(step.message)})"
    )
    return f"<think>{step.thought[:300]}</think><answer>{said}</answer>"


def write(action: Action, scale: Scale) -> str:
    """An action as AutoGLM would have written it."""

    def at(x: int, y: int) -> str:
        return "[{},{}]".format(*scale.from_frame(x, y))

    match action:
        case Click():
            return f'do(action="Tap", element={at(action.x, action.y)})'
        case DoubleClick():
            return f'do(action="Double Tap", element={at(action.x, action.y)})'
        case LongPress():
            return f'do(action="Long Press", element={at(action.x, action.y)})'
        case Swipe():
            return f'do(action="Swipe", start={at(action.x, action.y)}, end={at(action.to_x, action.to_y)})'
        case Type():
            return f'do(action="Type", text={in_quotes(action.text[:300])})'
        case OpenApp():
            return f'do(action="Launch", app={in_quotes(action.name)})'
        case Back():
            return 'do(action="Back")'
        case Home():
            return 'do(action="Home")'
        case Wait():
            return f'do(action="Wait", duration="{action.seconds:g} seconds")'
        case TakeOver():
            return f'do(action="Take_over", message={in_quotes(action.reason[:300])})'
        case Memorize() | Answer():
            return f'do(action="Note", message={in_quotes(action.text[:300])})'
        case _:
            return f'do(action="Note", message={in_quotes(describe(action)[:300])})'
