"""Sliders that a page draws itself: moved by the arrow keys, with the number that they show as the proof."""

import re
from dataclasses import replace

from deskhand.core.actions import Key
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.outcome import Act, Outcome, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene

# Keys that are pressed before the number is read again.
AT_ONCE = 20
MAX_TURNS = 12
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def slide_by_keys(step: say.SetValue, scene: Scene, slider: Element) -> Outcome:
    wanted, shown = _read_number(step.value), read_shown(scene, slider)
    if wanted is None or shown is None:
        return scene.fail_with(
            f"看不出“{step.target}”现在是多少。", f"What “{step.target}” is set to can't be read on this screen."
        )
    memory = scene.memory.write
    if shown == wanted:
        scene.judge_last(True)
        return scene.finish_with(
            f"把“{step.target}”设为 {wanted:g}",
            f"set “{step.target}” to {wanted:g}",
            Proof("value", step.target, f"{shown:g}"),
        )
    # `shift` is what the slider showed before, in thousandths
    stuck = memory.slid and memory.shift == round(shown * 1000)
    if stuck or memory.slid >= MAX_TURNS:
        scene.judge_last(False)
        return scene.fail_with(
            f"“{step.target}”停在 {shown:g}，没有到 {wanted:g}。",
            f"“{step.target}” stopped at {shown:g}, not at {wanted:g}.",
        )
    scene.remember_record(replace(memory, slid=memory.slid + 1, shift=round(shown * 1000)))
    presses = min(AT_ONCE, max(1, round(abs(wanted - shown))))
    key = Key(key="right" if wanted > shown else "left")
    focus = () if slider.focused else (touch_element(slider),)
    thought = scene.say(f"把“{step.target}”调到 {wanted:g}", f"Moving “{step.target}” to {wanted:g}")
    return make_act(thought, *focus, *([key] * presses))


def spin_by_keys(scene: Scene, field: Element, text: str) -> Act | None:
    """Turn a field with a number by the arrow keys, where it takes no typed digits; None where that is no way."""
    wanted, memory = _read_number(text), scene.memory.write
    if wanted is None or field.multiline or not (scene.is_web_page and scene.can_do("key")):
        return None
    shown = _read_number(field.value)
    if memory.slid and (shown is None or memory.slid >= MAX_TURNS or memory.shift == round(shown * 1000)):
        return None
    scene.remember_record(replace(memory, slid=memory.slid + 1, shift=round((shown or 0) * 1000) if shown else -1))
    # what it makes of half a number is seen after one turn
    presses = 1 if shown is None else min(AT_ONCE, max(1, round(abs(wanted - shown))))
    key = Key(key="up" if shown is None or wanted > shown else "down")
    focus = () if field.focused else (touch_element(field),)
    thought = scene.say(f"用方向键调到 {wanted:g}", f"Turning it to {wanted:g} by the arrow keys")
    return make_act(thought, *focus, *([key] * presses))


def read_shown(scene: Scene, slider: Element) -> float | None:
    """Its own value, else the nearest text that is nothing but a number."""
    if (own := _read_number(slider.value)) is not None:
        return own
    numbers = [e for e in scene.elements if not e.clickable and not e.editable and _NUMBER.fullmatch(e.text.strip())]
    others = [e.index for e in scene.elements if e.role == "slider" and e.index != slider.index]
    if others:  # each has its own number, behind it or before it, with no other slider between
        ends = min((at for at in others if at > slider.index), default=len(scene.elements) + slider.index)
        begins = max((at for at in others if at < slider.index), default=-1)
        behind = [e for e in numbers if slider.index < e.index < ends]
        numbers = behind or [e for e in numbers if begins < e.index < slider.index]
    nearest = scene.tree.find_nearest(slider, numbers)
    return _read_number(nearest.text) if nearest is not None else None


def _read_number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text.strip()) else None
