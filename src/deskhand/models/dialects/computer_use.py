"""The part that both computer-use dialects share: their request, and our own tools beside the provider's.

`report` judges the last action and ends a step; `do` has the actions that a mouse and a keyboard lack.
"""

from __future__ import annotations

from deskhand.core.actions import Type
from deskhand.core.decisions import Decision, DecisionKind, PlannedAction, Verdict
from deskhand.core.errors import Unparsable
from deskhand.core.llm import Computer, ModelReply, ModelRequest, Picture, StepRequest, Tool, ToolCall, Turn
from deskhand.models.dialects.action_fitting import decide_to_act, list_offered_kinds, make_action
from deskhand.models.dialects.coordinates import scale_of
from deskhand.models.dialects.request_parts import describe_elements, describe_past, load_manual
from deskhand.models.dialects.tool_calls import make_step_schema, read_action, read_verdict

REPORT, DO = "report", "do"
_MORE = frozenset(
    {"open_app", "open_url", "switch_window", "manage_window", "back", "home", "long_press", "swipe", "memorize",
     "answer", "take_over"}
)  # fmt: skip
# A phone opens apps too but has no windows; a browser's windows are tabs, and it opens no apps.
_DESKTOP = frozenset({"open_app", "switch_window"})
_ENDINGS: dict[str, DecisionKind] = {
    "done": "done", "fail": "fail", "stale": "stale", "supplement": "supplement", "ask": "ask",
}  # fmt: skip
_REPORT_SCHEMA = {
    "type": "object",
    "properties": {
        "success": {"type": "boolean", "description": "did the last action do what it should?"},
        "reason": {"type": "string"},
        "decision": {"type": "string", "enum": ["go_on", *_ENDINGS]},
        "message": {"type": "string"},
    },
    "required": ["decision"],
}


def make_computer_request(situation: StepRequest) -> ModelRequest:
    if not situation.picture:
        raise Unparsable(
            "A computer-use model needs the picture of the screen: set show to picture or both, or dialect to tools."
        )
    words = load_manual(situation.language, "computer")
    scale = scale_of(situation, "pixels")
    parts: list[str | Picture] = [situation.task, *describe_past(situation, words)]
    parts += describe_elements(situation, words, scale)
    parts += [situation.now, words.fill_section("picture"), situation.picture]
    more = make_step_schema(_MORE & list_offered_kinds(situation))["properties"]["actions"]["items"]
    return ModelRequest(
        role="operator",
        system=words.fill_section("system", role=situation.role),
        turns=(Turn("user", tuple(parts)),),
        tools=(Tool(REPORT, words.fill_section("report"), _REPORT_SCHEMA), Tool(DO, words.fill_section("do"), more)),
        computer=Computer(scale.width, scale.height, desktop=situation.capabilities >= _DESKTOP),
    )


def read_decision(reply: ModelReply, screen: list[PlannedAction], situation: StepRequest) -> Decision:
    """Return one decision from the provider's screen actions and from our own two tools."""
    verdict, ending = _read_report(reply)
    ours = [_read_do_call(call, situation) for call in reply.calls if call.name == DO]
    if ours and screen:
        raise Unparsable(
            f"The reply uses {DO!r} and the computer tool at once; their order is unclear: use one of them."
        )
    if strange := next((call.name for call in reply.calls if call.name not in (REPORT, DO)), ""):
        raise Unparsable(f"There is no tool {strange!r}.")
    if screen or ours:
        return decide_to_act(screen or ours, situation, reply.text, verdict)
    if ending:
        return ending
    raise Unparsable(f"The reply uses no tool: act with the computer tool, or call {REPORT!r} to end the step.")


def refuse_held_keys(keys: object) -> None:
    """Raise if keys are to be held: without them a mouse action would be another one."""
    if keys:
        raise Unparsable("Holding keys while using the mouse is not possible here; do it without them.")


def read_typing(text: object) -> Type:
    """Read the text to type; a line break at its end presses Enter."""
    if not isinstance(text, str) or not text:
        raise Unparsable('The action "type" needs "text".')
    return make_action(Type, text=text.rstrip("\n"), press_enter=text.endswith("\n"))


def _read_report(reply: ModelReply) -> tuple[Verdict | None, Decision | None]:
    call = next((call for call in reply.calls if call.name == REPORT), None)
    if call is None:
        return None, None
    if call.arguments is None:
        raise Unparsable(f"The arguments of {REPORT!r} are not a JSON object.")
    verdict = read_verdict(call.arguments)
    kind, message = call.arguments.get("decision"), call.arguments.get("message")
    if kind not in _ENDINGS:
        return verdict, None
    said = message[:2000] if isinstance(message, str) else ""
    if kind in ("fail", "supplement", "ask") and not said:
        raise Unparsable(f"The decision {kind!r} needs a message that says why.")
    return verdict, Decision(kind=_ENDINGS[kind], message=said, thought=reply.text[:2000], verdict=verdict)


def _read_do_call(call: ToolCall, situation: StepRequest) -> PlannedAction:
    if call.arguments is None:
        raise Unparsable(f"The arguments of {DO!r} are not a JSON object.")
    return read_action(dict(call.arguments), situation, scale_of(situation, "pixels"))
