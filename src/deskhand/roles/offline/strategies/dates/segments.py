"""Date fields made of a box each for the year, the month and the day: each is given its own number."""

from dataclasses import replace
from datetime import date

from deskhand.core.actions import Action
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.outcome import Outcome, fill_field, make_act
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.vocabulary import split_words

MAX_TRIES = 2
# How wide the boxes of one field stand apart at most, in pixels.
_APART = 60
_WORDS = {
    "year": {"year", "yyyy", "yy", "年"},
    "month": {"month", "mm", "月"},
    "day": {"day", "dd", "日"},
}


def find_segments(scene: Scene, target: str) -> dict[str, Element]:
    """Return the boxes of the field that is meant, by what they are for; empty if it has none."""
    meant = [c.target for c in scene.find_element(target, "editable").candidates if c.score > 0]
    for first in meant:
        row = [f for f in scene.list_fields() if scene.tree.is_same_row(f, first)]
        row = [f for f in row if abs(f.bounds.center[0] - first.bounds.center[0]) <= 3 * _APART]
        found = {part: f for part in _WORDS for f in row if _is_for(f, part)}
        if len(found) == len(_WORDS) and first in found.values():
            return found
    return {}


def _is_for(field: Element, part: str) -> bool:
    said = {word for text in (field.name, field.hint) for word in split_words(text)}
    others = {word for other, words in _WORDS.items() if other != part for word in words}
    return bool(said & _WORDS[part]) and not said & others


def fill_segments(step: say.SetValue, scene: Scene, parts: dict[str, Element], day: date) -> Outcome:
    """Done when each of the boxes shows its number."""
    wanted = {"year": day.year, "month": day.month, "day": day.day}
    memory = scene.memory.write
    if all(_read_number(parts[part]) == number for part, number in wanted.items()):
        scene.judge_last(True)
        proof = Proof("value", step.target, step.value)
        return scene.finish_with(f"把“{step.target}”设为 {step.value}", f"set “{step.target}” to {step.value}", proof)
    if memory.slid >= MAX_TRIES:
        scene.judge_last(False)
        held = "-".join(parts[part].value for part in wanted)
        return scene.fail_with(
            f"“{step.target}”里是“{held}”，不是 {step.value}。", f"“{step.target}” holds “{held}”, not {step.value}."
        )
    scene.remember_record(replace(memory, slid=memory.slid + 1))
    actions: list[Action] = []
    for part, number in wanted.items():
        if _read_number(parts[part]) != number:
            digits = f"{number:04d}" if part == "year" else f"{number:02d}"
            actions += fill_field(parts[part], digits, clear=False)
    return make_act(scene.say(f"输入 {step.value}", f"Entering {step.value}"), *actions)


def _read_number(field: Element) -> int | None:
    return int(field.value) if field.value.strip().isdecimal() else None
