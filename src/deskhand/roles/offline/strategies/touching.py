"""Tap and find: things that are reached and then touched once; what came of it is seen before it counts."""

import re
from dataclasses import replace

from deskhand.core.actions import Key
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.patterns import read_keys
from deskhand.roles.offline.language.tokens import cut_tokens
from deskhand.roles.offline.memory import MoveMemory, Taken, TouchMemory
from deskhand.roles.offline.outcome import Act, Failed, Outcome, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.effects import find_effect, take_sight, wait_for_effect
from deskhand.roles.offline.strategies.hunting import is_control, locate_thing, trace_of
from deskhand.roles.offline.strategies.obstacles import AGREEMENTS
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.vocabulary import is_same_word, synonyms_of

MAX_TRIES = 2


def tap_thing(step: say.Tap, scene: Scene) -> Outcome:
    """Touch it once; it counts when something came of it."""
    memory = scene.memory.touch
    if memory.touched:
        return touch_again(scene, step.target) if scene.trouble else _check_tapped(scene, memory)
    if not scene.can_do(step.gesture):
        return scene.fail_with(f"这个设备不支持“{step.source}”。", f"This device can't do “{step.source}”.")
    # a control such as Delete is somewhere to be seen; only a thing with a name of its own can be searched for
    named = not synonyms_of(read_description(step.target).name)
    stages = ("scroll", *(("pages", "search") if named else ()), "tooltips", "tabs", "folds", "up")
    if scene.is_desktop and (pressed := _press_named_key(step, scene)):
        return pressed
    found = _find_login_button(scene, step.target) or locate_thing(scene, step.target, "clickable", stages=stages)
    if not isinstance(found, Candidate):
        return found
    if done := scene.find_done(lambda act: act.has_pressed(found.label) or act.has_pressed(step.target)):
        return scene.finish_with(
            f"“{step.target}”在第 {done.step} 步已经点击过",
            f"“{step.target}” was clicked before, in step {done.step}",
            Proof("logged", step.target),
        )
    return touch_found(scene, step.target, found, step.gesture)


def _press_named_key(step: say.Tap, scene: Scene) -> Outcome | None:
    """Press the key of `press Delete`, where nothing on the screen is called so; None if it is no such key."""
    memory = scene.memory.move
    if memory.done:
        if memory.print != scene.print and not scene.trouble:
            return scene.finish_with(f"按了 {step.target}", f"pressed {step.target}", Proof("changed", step.target))
        told = scene.trouble or scene.say("什么都没有变化", "nothing changed")
        return scene.fail_with(f"按了 {step.target}，但{told}。", f"{step.target} was pressed, but: {told}.")
    pressing = re.match(r"press|hit|push|按", step.source.strip(), re.IGNORECASE)
    if not pressing or step.gesture != "click" or scene.find_element(step.target, "clickable").status != "nothing":
        return None
    keys = read_keys(cut_tokens(step.target), named=True)
    if not keys:
        return None
    scene.remember_record(MoveMemory(done=True, print=scene.print))
    return make_act(scene.say(f"按 {keys[0]}", f"Pressing {keys[0]}"), Key(key=keys[0]))


def _find_login_button(scene: Scene, target: str) -> Candidate | None:
    """`press login` on a form whose only button says OK: where a password is asked for, that button logs in."""
    asked = is_same_word(read_description(target).name, "log in") and any(e.password for e in scene.elements)
    if not asked or scene.find_element(target, "clickable").status != "nothing":
        return None
    buttons = [e for e in scene.elements if e.role == "button" and e.clickable and e.enabled and e.text]
    only = buttons[0] if len(buttons) == 1 and any(is_same_word(buttons[0].text, word) for word in AGREEMENTS) else None
    return Candidate(only, only, 1.0, only.text) if only is not None else None


def _check_tapped(scene: Scene, memory: TouchMemory) -> Outcome:
    """Something changed by it, or the page did something about it; else it was no click that anybody could prove."""
    proof = find_effect(scene, memory.before, usable=memory.usable) if memory.before else None
    if proof is not None:
        seen = scene.say("点击后画面有变化", "the screen changed") if proof.kind != "reacted" else ""
        scene.judge_last(True, seen)
        return scene.finish_with(f"点击了“{memory.touched}”", f"clicked “{memory.touched}”", proof)
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if patient := wait_for_effect(scene, memory.looks):
        return patient
    scene.judge_last(False, scene.say("点击后没有变化", "nothing changed"))
    if memory.usable:
        return scene.fail_with(
            f"点击了“{memory.touched}”，但什么都没有变化：无法证明它起了作用。",
            f"“{memory.touched}” was clicked, but nothing changed: that it had an effect can't be shown.",
        )
    return scene.fail_with(
        f"点击了“{memory.touched}”，但什么都没有变化：它只是文字，不是可以点击的控件。",
        f"“{memory.touched}” was clicked, but nothing changed: it is mere text, not a control.",
    )


def find_thing(step: say.Find, scene: Scene) -> Outcome:
    """Bring it to the screen, and go into it where it is something to go into."""
    memory = scene.memory.touch
    if memory.touched:
        if scene.trouble:
            return touch_again(scene, step.target)
        if memory.print == scene.print and memory.tries < MAX_TRIES:
            scene.judge_last(False, scene.say("点击后没有变化", "nothing changed"))
            scene.remember_record(replace(memory, touched=""))
        else:
            # a touch that led nowhere shows only that it is there
            proof = Proof("seen" if memory.print == scene.print else "changed", step.target)
            scene.judge_last(True)
            scene.kept = replace(scene.kept, found=step.target)
            return scene.finish_with(f"找到了“{step.target}”", f"found “{step.target}”", proof)
    found = locate_thing(scene, step.target, "clickable")
    if not isinstance(found, Candidate):
        return found
    target = found.target
    if is_control(read_description(step.target)) or target.editable or target.checked is not None:
        return scene.finish_with(f"找到了“{step.target}”", f"found “{step.target}”", Proof("seen", step.target))
    if not target.clickable and target.source != "ocr":
        return scene.finish_with(f"看到了“{step.target}”", f"saw “{step.target}”", Proof("seen", step.target))
    return touch_found(scene, step.target, found, "click")


def touch_found(scene: Scene, description: str, found: Candidate, gesture: say.Gesture) -> Act:
    label = found.label or found.target.role
    memory = scene.memory.touch
    scene.kept = replace(scene.kept, taken=Taken(description, trace_of(found), scene.print))
    before = take_sight(scene, found.aim.bounds)
    scene.remember_record(
        replace(
            memory,
            touched=label,
            print=scene.print,
            tries=memory.tries + 1,
            before=before,
            usable=any(e.clickable for e in (found.target, *scene.tree.ancestors_of(found.target))),
            looks=0,
        )
    )
    return make_act(scene.say(f"点击“{label}”", f"Clicking “{label}”"), touch_element(found.aim, gesture))


def touch_again(scene: Scene, description: str) -> Outcome:
    scene.judge_last(False, scene.trouble)
    if scene.memory.touch.tries >= MAX_TRIES:
        return scene.fail_with(
            f"点击“{description}”没有成功：{scene.trouble}。", f"Clicking “{description}” failed: {scene.trouble}."
        )
    found = scene.find_element(description, "clickable").best
    if found is None:
        return scene.fail_with(f"“{description}”已经不在屏幕上了。", f"“{description}” is no longer on the screen.")
    return touch_found(scene, description, found, "click")


def fail_fixed(scene: Scene, field: Element, name: str) -> Failed:
    """The field that is meant takes no text now: another one would be the wrong one."""
    zh, en = ("只读", "read-only") if field.enabled else ("不可用", "disabled")
    name = name or field.text
    return scene.fail_with(f"“{name}”{zh}，不能输入。", f"“{name}” is {en}: nothing can be typed into it.")
