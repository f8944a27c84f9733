"""The default dialect: one tool call (or the same JSON as text) with the verdict, the decision and its actions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from deskhand.core.actions import ACTION_KINDS, parse_action
from deskhand.core.decisions import Decision, DecisionKind, Expect, PlannedAction, Verdict
from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, Picture, StepRequest, Tool, Turn
from deskhand.core.screen import Element
from deskhand.models.dialects.action_fitting import decide_to_act, list_offered_kinds
from deskhand.models.dialects.call_grammar import CallReader, GrammarError, strip_fence
from deskhand.models.dialects.coordinates import Coordinates, Scale, read_numbers, scale_of
from deskhand.models.dialects.request_parts import describe_elements, describe_past, load_manual
from deskhand.prompting.ask_model import check_complete, describe_first_error, strip_thoughts

TOOL = "step"
_KINDS: tuple[DecisionKind, ...] = ("actions", "done", "fail", "stale", "supplement", "ask")
# Fields of an action beside its point, with the kinds that have them.
_FIELDS: dict[str, tuple[dict[str, Any], frozenset[str]]] = {
    "to_element": ({"type": "integer"}, frozenset({"drag", "swipe"})),
    "to_x": ({"type": "number"}, frozenset({"drag", "swipe"})),
    "to_y": ({"type": "number"}, frozenset({"drag", "swipe"})),
    "direction": ({"type": "string", "enum": ["up", "down", "left", "right"]}, frozenset({"scroll"})),
    "pages": ({"type": "number"}, frozenset({"scroll"})),
    "text": ({"type": "string"}, frozenset({"type", "memorize", "answer"})),
    "clear_first": ({"type": "boolean"}, frozenset({"type"})),
    "press_enter": ({"type": "boolean"}, frozenset({"type"})),
    "key": ({"type": "string"}, frozenset({"key"})),
    "keys": ({"type": "array", "items": {"type": "string"}}, frozenset({"hotkey"})),
    "seconds": ({"type": "number"}, frozenset({"wait"})),
    "name": ({"type": "string"}, frozenset({"open_app"})),
    "url": ({"type": "string"}, frozenset({"open_url"})),
    "title": ({"type": "string"}, frozenset({"switch_window", "manage_window"})),
    "change": (
        {"type": "string", "enum": ["close", "maximize", "minimize", "restore"]},
        frozenset({"manage_window"}),
    ),
    "reason": ({"type": "string"}, frozenset({"take_over"})),
    "language": ({"type": "string", "enum": ["bash", "python"]}, frozenset({"run_code"})),
    "code": ({"type": "string"}, frozenset({"run_code"})),
}


def make_step_schema(kinds: frozenset[str]) -> dict[str, Any]:
    """Return the tool's schema, pruned to what the device can do; flat, because small models get nesting wrong."""
    action: dict[str, Any] = {
        "kind": {"type": "string", "enum": sorted(kinds)},
        "element": {"type": "integer", "description": "number in the list of elements, instead of x and y"},
        "x": {"type": "number"},
        "y": {"type": "number"},
        "target": {"type": "string", "description": "what is there, in words"},
        "sensitive": {"type": "string", "description": "why a person should agree first (pay, send, delete)"},
        "expect_text": {"type": "string", "description": "text that must be on the screen afterwards"},
        "expect_app": {"type": "string"},
    }
    action |= {name: kind for name, (kind, words) in _FIELDS.items() if words & kinds}
    return {
        "type": "object",
        "properties": {
            "last_action": {
                "type": "object",
                "properties": {"success": {"type": "boolean"}, "reason": {"type": "string"}},
                "required": ["success"],
            },
            "thought": {"type": "string"},
            "decision": {"type": "string", "enum": list(_KINDS)},
            "message": {"type": "string"},
            "actions": {"type": "array", "items": {"type": "object", "properties": action, "required": ["kind"]}},
        },
        "required": ["decision"],
    }


class ToolCallsDialect:
    name = "tools"

    def __init__(self, coordinates: Coordinates = "pixels") -> None:
        self._coordinates: Coordinates = coordinates

    def ask(self, situation: StepRequest) -> ModelRequest:
        scale = scale_of(situation, self._coordinates)
        words = load_manual(situation.language, self.name)
        kinds = list_offered_kinds(situation)
        system = words.fill_section("system", role=situation.role, width=scale.width - 1, height=scale.height - 1)
        parts: list[str | Picture] = [situation.task, *describe_past(situation, words)]
        parts += describe_elements(situation, words, scale)
        if situation.picture:
            parts.append(situation.picture)
        parts.append(situation.now)
        return ModelRequest(
            role="operator",
            system=system,
            turns=(Turn("user", tuple(parts)),),
            tools=(Tool(TOOL, words.fill_section("tool"), make_step_schema(frozenset(kinds))),),
            must_call=True,
            temperature=0.0,
        )

    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        check_complete(reply, "the action")
        said = [_read_call(call.name, call.arguments) for call in reply.calls] or [_read_text(reply.text)]
        first, *more = said
        if more:
            first = _join_calls(said)
        scale = scale_of(situation, self._coordinates)
        return _read_decision(first, situation, scale, first.get("thought") or (reply.text if reply.calls else ""))


# --- what was said ---------------------------------------------------------------------------------------


def _read_call(name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    if arguments is None:
        raise Unparsable(f"The arguments of {name!r} are not a JSON object.")
    if name == TOOL:
        return dict(arguments)
    if name in ACTION_KINDS:
        return {"decision": "actions", "actions": [{**arguments, "kind": name}]}
    raise Unparsable(f"There is no tool {name!r}; call {TOOL!r}.")


def _join_calls(said: list[dict[str, Any]]) -> dict[str, Any]:
    """Join several calls of one reply into one decision if all of them act; else they contradict each other."""
    if any(one.get("decision", "actions") != "actions" or not isinstance(one.get("actions"), list) for one in said):
        raise Unparsable(f"The reply calls {TOOL!r} {len(said)} times with different decisions; call it once.")
    actions = [action for one in said for action in one["actions"]]
    return {**said[0], "actions": actions}


def _read_text(text: str) -> dict[str, Any]:
    """Read the JSON object of a reply without tool calls: fenced, bare, or after some words or thoughts."""
    body = strip_fence(strip_thoughts(text)).strip()
    start = 0 if body.startswith("[") else body.find("{")
    if start < 0:
        raise Unparsable(f"The reply contains no JSON object; call the tool {TOOL!r} or answer with its JSON alone.")
    value = _read_json(body[start:])
    if isinstance(value, list):
        return {"decision": "actions", "actions": value}
    said = cast("dict[str, Any]", value)
    inner = said.get("arguments", said.get("parameters"))
    if isinstance(inner, dict) and said.get("name", said.get("tool", TOOL)) == TOOL:
        return cast("dict[str, Any]", inner)
    if "kind" in said and "decision" not in said:
        return {"decision": "actions", "actions": [said]}
    return said


def _read_json(text: str) -> object:
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        reader = CallReader(text)
        try:
            value = reader.read_value()
        except GrammarError as error:
            raise Unparsable(f"The JSON of the reply can't be read: {error}.") from None
        end = reader.at
    if not isinstance(value, dict | list):
        raise Unparsable("The reply is no JSON object.")
    if any(mark in text[end:] for mark in "{}[]"):
        raise Unparsable("The reply contains more than one JSON object; answer with exactly one.")
    return cast("object", value)


# --- what it means ---------------------------------------------------------------------------------------


def _read_decision(said: Mapping[str, Any], situation: StepRequest, scale: Scale, thought: object) -> Decision:
    kind = said.get("decision", "actions" if said.get("actions") else None)
    if kind not in _KINDS:
        raise Unparsable(f"The decision is {kind!r}; it has to be one of {', '.join(_KINDS)}.")
    verdict = read_verdict(said.get("last_action"))
    thought = thought if isinstance(thought, str) else ""
    raw = said.get("message")
    message = raw[:2000] if isinstance(raw, str) else ""
    actions: object = said.get("actions") or []
    if not isinstance(actions, list):
        raise Unparsable("The actions have to be a list.")
    listed = cast("list[object]", actions)
    if kind == "actions":
        planned = [planned for action in listed for planned in _read_actions(action, situation, scale)]
        return decide_to_act(planned, situation, thought, verdict).model_copy(update={"message": message})
    if listed:
        raise Unparsable(f"The decision {kind!r} can't carry actions: act first, and decide {kind!r} when you see it.")
    if kind in ("fail", "supplement", "ask") and not message:
        raise Unparsable(f"The decision {kind!r} needs a message that says why.")
    return Decision(kind=kind, thought=thought[:2000], message=message, verdict=verdict)


def read_verdict(said: object) -> Verdict | None:
    if not isinstance(said, dict):
        return None
    fields = cast("dict[str, object]", said)
    success, reason = fields.get("success"), fields.get("reason")
    if not isinstance(success, bool):
        return None
    return Verdict(success=success, reason=reason[:500] if isinstance(reason, str) else "")


def _read_actions(said: object, situation: StepRequest, scale: Scale) -> list[PlannedAction]:
    """Read one action; text for a place becomes two: the place is clicked first."""
    fields = _drop_empty_fields(said)
    if fields.get("kind") != "type" or not fields.keys() & {"element", "x", "y"}:
        return [read_action(fields, situation, scale)]
    place = {name: fields.pop(name) for name in ("element", "x", "y") if name in fields}
    target = {"target": fields["target"]} if "target" in fields else {}
    click = {"kind": "click", **place, **target}
    return [read_action(click, situation, scale), read_action(fields, situation, scale)]


def _drop_empty_fields(said: object) -> dict[str, Any]:
    """Return the action without fields that are empty because they belong to another kind."""
    if not isinstance(said, dict):
        raise Unparsable("Each action has to be an object with a 'kind'.")
    fields = cast("dict[str, Any]", said)
    return {key: value for key, value in fields.items() if _is_filled_in(fields.get("kind"), key, value)}


def _is_filled_in(kind: object, field: str, value: object) -> bool:
    if value is None:
        return False
    empty = value is False or value in ("", [])
    return not empty or (field in _FIELDS and kind in (*_FIELDS[field][1],))


def read_action(said: object, situation: StepRequest, scale: Scale) -> PlannedAction:
    fields = _drop_empty_fields(said)
    expect = {name: fields.pop(f"expect_{name}", "") for name in ("text", "app")}
    sensitive = fields.pop("sensitive", "")
    fields |= _find_point(fields, "element", "x", "y", situation, scale)
    fields |= _find_point(fields, "to_element", "to_x", "to_y", situation, scale)
    fields.pop("element", None)
    fields.pop("to_element", None)
    try:
        action = parse_action(fields)
        wanted = {name: value for name, value in expect.items() if value}
        return PlannedAction(
            action=action,
            expect=Expect(**wanted) if wanted else None,
            sensitive=sensitive if isinstance(sensitive, str) else str(sensitive or ""),
        )
    except ValidationError as error:
        problem = describe_first_error(error, "the action")
        raise Unparsable(f"The action {fields.get('kind')!r} is not usable: {problem}.") from None


def _find_point(
    fields: Mapping[str, Any], by_number: str, x: str, y: str, situation: StepRequest, scale: Scale
) -> dict[str, int]:
    """Return the point in frame pixels, from an element's number or from x and y; empty if there is neither."""
    number = _to_number(fields.get(by_number))
    if number is not None:
        element = next((e for e in situation.elements if e.index == number), None)
        if element is None or isinstance(number, bool):
            raise Unparsable(f"There is no element [{fields[by_number]}] in the list.")
        return dict(zip((x, y), _visible_center_of(element, situation), strict=True))
    if x not in fields and y not in fields:
        return {}
    found = read_numbers([_to_number(fields.get(x)), _to_number(fields.get(y))])
    if len(found) != 2:
        raise Unparsable(f"A point needs two numbers, {x} and {y}.")
    return dict(zip((x, y), scale.to_frame(*found), strict=True))


def _to_number(said: Any) -> Any:
    """Return the number, which small models write as text."""
    found = read_numbers(said) if isinstance(said, str) else []
    return found[0] if len(found) == 1 else said


def _visible_center_of(element: Element, situation: StepRequest) -> tuple[int, int]:
    """Return the middle of an element, moved onto the frame."""
    width, height = situation.frame
    x, y = element.bounds.center
    return min(max(x, 0), width - 1), min(max(y, 0), height - 1)
