"""Holds every worker to "nothing irreversible twice": knows an act again that the log has as done, or as begun.

A worker that goes on by itself may repeat what its goal says twice. Behind a hint, a fresh start, a new plan, a resume,
or an outcome that nobody knows, the same act needs an approval of its own.
"""

from typing import Literal

import xxhash

from deskhand.core.actions import Action, Hotkey, Key, Type, points_of
from deskhand.core.decisions import PlannedAction
from deskhand.core.irreversible import DoneAct, IrreversibleAct, fold_text
from deskhand.core.outgoing import OutgoingRequest
from deskhand.core.screen import Element, Observation
from deskhand.engine.safety.approval import count_texts
from deskhand.engine.safety.request_risk import may_change_something
from deskhand.engine.safety.risk import assess_risk
from deskhand.engine.safety.touched_elements import find_touched
from deskhand.task.state import TaskState

# The upper part of a screen, in which apps say whom or what the page is about.
_TOP = 0.15
_MOST_VALUES, _LONGEST = 20, 500
_ENTER = ("enter", "return")


def describe_act(planned: PlannedAction, seen: Observation, goal: str) -> IrreversibleAct | None:
    """Return how this action is known again; None if it can be undone."""
    found = assess_risk(planned, seen)
    if found.risk != "irreversible":
        return None
    label = found.label or _label_of(planned.action, seen)
    return _make_act(planned.action, seen, goal, label, found.deed.name if found.deed else "")


def describe_handing_in(action: Action, seen: Observation, goal: str) -> IrreversibleAct | None:
    """Return how a press is known again that is made to hand something in to a server; None if it is not."""
    pressed = [one for x, y in points_of(action) for one in find_touched(seen, x, y)]
    keys = (action.key,) if isinstance(action, Key) else action.keys if isinstance(action, Hotkey) else ()
    enters = any(key.casefold() in _ENTER for key in keys) or (isinstance(action, Type) and action.press_enter)
    sent = [one.sends.partition(" ") for one in (seen.elements or () if enters else pressed) if one.sends]
    if not any(may_change_something(OutgoingRequest("", method, url, page=True)) for method, _, url in sent):
        return None
    return _make_act(action, seen, goal, _label_of(action, seen), "")


def _make_act(action: Action, seen: Observation, goal: str, label: str, deed: str) -> IrreversibleAct:
    values = _list_values(action, seen)
    return IrreversibleAct(
        what=f'{action.kind.replace("_", " ")} "{label}"',
        deed=deed,
        label=fold_text(label),
        app=seen.app,
        values=values,
        shown=_count_shown(values, seen.elements or ()),
        names=_list_names(seen, fold_text(goal)),
    )


def _label_of(action: Action, seen: Observation) -> str:
    for x, y in points_of(action):
        return next((one.text for one in find_touched(seen, x, y) if one.text), action.kind)
    keys = (action.key,) if isinstance(action, Key) else action.keys if isinstance(action, Hotkey) else (action.kind,)
    return "+".join(keys)


def _list_values(action: Action, seen: Observation) -> tuple[str, ...]:
    typed = [action.text] if isinstance(action, Type) else []
    held = [one.value for one in seen.elements or () if one.editable and one.value and not one.password]
    return tuple(fold_text(text)[:_LONGEST] for text in (*typed, *held)[:_MOST_VALUES])


def _list_names(seen: Observation, goal: str) -> tuple[str, ...]:
    lowest = _TOP * seen.frame.height
    above = [one for one in seen.elements or () if one.bounds.bottom <= lowest and not one.editable]
    return tuple(dict.fromkeys(text for one in above if (text := fold_text(one.text)) and text in goal))


def name_screen(seen: Observation) -> str:
    """Return a short name for what can be read on a screen; empty if that is not known."""
    if seen.elements is None:
        return ""
    marks = sorted(repr((one.name, one.checked)) for one in seen.elements if one.checked is not None)
    texts = sorted(count_texts(seen).items())
    return xxhash.xxh3_64_hexdigest(repr((seen.app, texts, marks)).encode())


def find_repeated(act: IrreversibleAct, state: TaskState) -> DoneAct | None:
    """Return what this would repeat, or may repeat; None if the worker may do it as far as that goes."""
    return next((done for done in reversed(list_held(state)) if done.act.is_same_as(act)), None)


def list_held(state: TaskState) -> tuple[DoneAct, ...]:
    """Return the acts that the worker may not repeat by itself."""
    current = state.subtask.id if state.subtask else ""
    return tuple(
        done
        for done in state.acts
        if (not done.certain or done.attempt != state.attempt) and not _is_planned_apart(done.subtask, current)
    )


def _is_planned_apart(earlier: str, current: str) -> bool:
    """True if both were wanted side by side: two subtasks of one plan, or the user's own addition to it."""
    if earlier == current:
        return False
    plan, dot, _ = current.partition(".")
    return current.startswith("+") or bool(dot and earlier.partition(".")[0] == plan)


def list_doubts(state: TaskState) -> tuple[DoneAct, ...]:
    """Return the acts of which nobody knows whether they were carried out, and which were not done since."""
    acts = state.acts
    return tuple(
        one
        for at, one in enumerate(acts)
        if not one.certain and not any(late.certain and late.act.is_same_as(one.act) for late in acts[at + 1 :])
    )


def judge_doubt(doubt: DoneAct, seen: Observation) -> Literal["done", "undone", "unknown"]:
    """Return what the screen says about an act whose outcome was never recorded.

    A text that left its field and stands on the screen once more than before was sent. A screen on which every text is
    as it was shows that nothing happened; only a web page may have sent something without a sign.
    """
    elements = seen.elements or ()
    if doubt.act.values and seen.app == doubt.act.app and _has_left_fields(doubt.act, elements):
        return "done"
    same = bool(doubt.screen) and doubt.screen == name_screen(seen)
    return "undone" if same and not any(one.source == "dom" for one in elements) else "unknown"


def _has_left_fields(act: IrreversibleAct, elements: tuple[Element, ...]) -> bool:
    held = {fold_text(one.value) for one in elements if one.editable}
    before = act.shown or (0,) * len(act.values)
    shown = _count_shown(act.values, elements)
    return held.isdisjoint(act.values) and all(now > then for now, then in zip(shown, before, strict=True))


def _count_shown(values: tuple[str, ...], elements: tuple[Element, ...]) -> tuple[int, ...]:
    texts = [{fold_text(one.name), fold_text(one.value)} for one in elements if not one.editable]
    return tuple(sum(value in text for text in texts) for value in values)
