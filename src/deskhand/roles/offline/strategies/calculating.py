"""Sums on a calculator's keys: every key is seen before it is pressed, and the display is checked by own reckoning."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from deskhand.core.actions import Click, OpenApp
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.sums import read_number, work_out
from deskhand.roles.offline.memory import ComputeMemory
from deskhand.roles.offline.outcome import Failed, Outcome, look_again, make_act
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.screen.grounding.vocabulary import fold_name, split_words

# How each sign may be written on a key, and what else a key may be called.
SIGNS: dict[str, tuple[str, ...]] = {
    "*": ("×", "*", "x", "✕", "multiply", "times", "乘", "乘以"),
    "/": ("÷", "/", "divide", "divided by", "除", "除以"),
    "+": ("+", "plus", "add", "加"),
    "-": ("−", "-", "–", "minus", "subtract", "减"),
    "=": ("=", "equals", "result", "calculate", "等于"),
    ".": (".", "point", "dot", "小数点", "点"),
    "%": ("%", "percent", "百分号", "百分比"),
    "(": ("(", "left parenthesis", "左括号"),
    ")": (")", "right parenthesis", "右括号"),
    "^": ("^", "power", "乘方"),
    "C": ("C", "AC", "clear", "all clear", "清除", "清空", "全部清除"),
}
MAX_LOOKS = 3


def compute_sum(step: say.Compute, scene: Scene) -> Outcome:
    memory = scene.memory.compute
    if memory.left is not None:
        return _finish_sum(step, scene)
    keys = _find_keys(scene, [*step.sum, "="])
    if isinstance(keys, list):
        clearing = ("C",) if find_key(scene, "C") is not None else ()
        return _press_keys(scene, step, replace(memory, left=(*clearing, *step.sum, "=")))
    if away := dismiss_dialog(scene):
        return away
    shown = len([d for d in "0123456789" if find_key(scene, d) is not None]) == 10
    if not memory.opened and not shown and not scene.kept.left_over and scene.can_do("open_app"):
        scene.remember_record(replace(memory, opened=True))
        name = scene.say("计算器", "Calculator")
        return make_act(scene.say("打开计算器", "Opening the calculator"), OpenApp(name=name))
    return scene.fail_with(f"没有看到计算器的按键“{keys}”。", f"The calculator has no key “{keys}” on the screen.")


def find_key(scene: Scene, sign: str) -> Element | None:
    """The key of a digit or sign, by what is written on it or what it is called."""
    names = {n.casefold() for n in SIGNS.get(sign, (sign,))}
    for element in scene.elements:
        if not element.clickable or element.editable:
            continue
        if {element.name.strip().casefold(), element.value.strip().casefold()} & names:
            return element
    by_id = {fold_name(n) for n in SIGNS.get(sign, (f"digit{sign}",)) if n.isascii() and len(n) > 2} | {f"digit{sign}"}
    for element in scene.elements:
        if element.clickable and "".join(split_words(element.id.rpartition("/")[2])) in by_id:
            return element
    return None


def _find_keys(scene: Scene, signs: Sequence[str]) -> list[Element] | str:
    """The keys of all signs, in one window; or the first sign that has none."""
    keys: list[Element] = []
    for sign in signs:
        key = find_key(scene, sign)
        if key is None or (keys and _window_of(scene, key) != _window_of(scene, keys[0])):
            return sign
        keys.append(key)
    return keys


def _window_of(scene: Scene, key: Element) -> int | None:
    return next((above.index for above in scene.tree.ancestors_of(key) if above.role in ("window", "dialog")), None)


def _press_keys(scene: Scene, step: say.Compute, memory: ComputeMemory) -> Outcome:
    """Press the keys that are left."""
    scene.remember_record(memory)
    keys = _find_keys(scene, memory.left or ())
    if isinstance(keys, str):
        return scene.fail_with(f"没有看到计算器的按键“{keys}”。", f"The calculator has no key “{keys}” on the screen.")
    clicks = [Click(x=k.bounds.center[0], y=k.bounds.center[1], target=k.text) for k in keys]
    return make_act(scene.say(f"在计算器上按 {step.sum} =", f"Pressing {step.sum} = on the calculator"), *clicks)


def _finish_sum(step: say.Compute, scene: Scene) -> Outcome:
    """Press the keys that were dropped from the queue, then check the display."""
    memory = scene.memory.compute
    if memory.left and not memory.waited:
        # the click that put a dialog away was no key
        pressed = 0 if memory.away else sum(isinstance(a, Click) for a in scene.list_executed())
        errors = memory.errors + (1 if scene.trouble and not pressed else 0)
        memory = replace(memory, left=memory.left[pressed:], away=False, errors=errors)
        if errors > 2:
            return Failed(scene.trouble)
        if memory.left:
            if dismissal := dismiss_dialog(scene):
                scene.remember_record(replace(memory, away=True))
                return dismissal
            return _press_keys(scene, step, memory)
    shown, expected = read_display(scene), work_out(step.sum)
    value = read_number(shown) if shown else None
    if value is not None and expected is not None and math.isclose(value, expected, rel_tol=1e-6, abs_tol=1e-6):
        scene.judge_last(True, f"{step.sum} = {shown}")
        return scene.finish_with(
            f"算出 {step.sum} = {shown}", f"computed {step.sum} = {shown}", Proof("seen", shown or "")
        )
    memory = replace(memory, looks=memory.looks + 1)
    if memory.looks < MAX_LOOKS:
        scene.remember_record(replace(memory, waited=True))
        return look_again(scene.say("看结果", "Looking at the result"))
    scene.judge_last(False, shown or "")
    if find_key(scene, "C") is not None and not memory.again:
        left = ("C", *step.sum, "=")
        return _press_keys(scene, step, replace(memory, left=left, again=True, looks=1, waited=False))
    return scene.fail_with(
        f"{step.sum} 的结果不对：计算器显示“{shown}”。",
        f"The calculator shows “{shown}” for {step.sum}, which is wrong.",
    )


def _is_display(element: Element) -> bool:
    """True for what shows something; a display may take the keyboard, and so be clickable."""
    return not element.clickable or element.editable or (element.role == "group" and element.focused)


def read_display(scene: Scene) -> str | None:
    """Return what a calculator shows: the text above its keys, the one called result first; None without keys."""
    keys = [e for e in (find_key(scene, d) for d in "0123456789") if e is not None]
    if len(keys) < 10:
        return None
    top = min(k.bounds.top for k in keys)
    texts = [e for e in scene.elements if e.text and e.bounds.bottom <= top and _is_display(e)]
    numbers = [e for e in texts if read_number(e.text) is not None]
    called = [e for e in numbers if {"result", "display", "answer"} & set(split_words(e.id))]
    best = max(called or numbers, key=lambda e: e.bounds.height, default=None)
    if best is not None:
        return re.sub(r"^\s*=\s*", "", best.text).strip()
    lowest = max(texts, key=lambda e: e.bounds.bottom, default=None)
    return lowest.text if lowest is not None else None
