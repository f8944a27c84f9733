"""Tap, find, select, delete: things that are reached and then touched once."""

from dataclasses import replace

from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.new_things import write_clock
from deskhand.roles.offline.memory import HuntMemory, Taken
from deskhand.roles.offline.outcome import Act, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies import obstacles
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import is_control, locate_thing, trace_of
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.vocabulary import synonyms_of

MAX_TRIES = 2


def tap_thing(step: say.Tap, scene: Scene) -> Outcome:
    """Touch it once; it counts when the device carried it out."""
    memory = scene.memory.touch
    if memory.touched:
        if scene.trouble:
            return _touch_again(scene, step.target)
        changed = memory.print != scene.print
        scene.judge_last(True, scene.say("点击后画面有变化", "the screen changed") if changed else "")
        return scene.finish_with(f"点击了“{memory.touched}”", f"clicked “{memory.touched}”")
    if not scene.can_do(step.gesture):
        return scene.fail_with(f"这个设备不支持“{step.source}”。", f"This device can't do “{step.source}”.")
    # a control such as Delete is somewhere to be seen; only a thing with a name of its own can be searched for
    named = not synonyms_of(read_description(step.target).name)
    stages = ("scroll", "search", "tabs", "up") if named else ("scroll", "tabs", "up")
    found = locate_thing(scene, step.target, "clickable", stages=stages)
    if not isinstance(found, Candidate):
        return found
    if done := scene.find_done(lambda act: act.has_pressed(found.label) or act.has_pressed(step.target)):
        return scene.finish_with(
            f"“{step.target}”在第 {done.step} 步已经点击过", f"“{step.target}” was clicked before, in step {done.step}"
        )
    return _touch_found(scene, step.target, found, step.gesture)


def find_thing(step: say.Find, scene: Scene) -> Outcome:
    """Bring it to the screen, and go into it where it is something to go into."""
    memory = scene.memory.touch
    if memory.touched:
        if scene.trouble:
            return _touch_again(scene, step.target)
        if memory.print == scene.print and memory.tries < MAX_TRIES:
            scene.judge_last(False, scene.say("点击后没有变化", "nothing changed"))
            scene.remember_record(replace(memory, touched=""))
        else:
            scene.judge_last(True)
            scene.kept = replace(scene.kept, found=step.target)
            return scene.finish_with(f"找到了“{step.target}”", f"found “{step.target}”")
    found = locate_thing(scene, step.target, "clickable")
    if not isinstance(found, Candidate):
        return found
    target = found.target
    if is_control(read_description(step.target)) or target.editable or target.checked is not None:
        return scene.finish_with(f"找到了“{step.target}”", f"found “{step.target}”")
    if not target.clickable and target.source != "ocr":
        return scene.finish_with(f"看到了“{step.target}”", f"saw “{step.target}”")
    return _touch_found(scene, step.target, found, "click")


def select_option(step: say.Select, scene: Scene) -> Outcome:
    """Open the list that holds it if it is not shown, then touch the option."""
    memory = scene.memory.touch
    if memory.touched:
        if scene.trouble:
            return _touch_again(scene, step.option)
        scene.judge_last(True)
        return scene.finish_with(f"选择了“{step.option}”", f"selected “{step.option}”")
    finding = scene.find_element(step.option, "clickable")
    if finding.best is None and step.source_name and not memory.unfolded:
        source = locate_thing(scene, step.source_name, "clickable")
        if not isinstance(source, Candidate):
            return source
        scene.remember_record(HuntMemory())
        scene.remember_record(replace(memory, unfolded=True))
        thought = scene.say(f"展开“{step.source_name}”", f"Opening “{step.source_name}”")
        return make_act(thought, touch_element(source.target))
    found = locate_thing(scene, step.option, "clickable", stages=("scroll", "search", "tabs"))
    if not isinstance(found, Candidate):
        return found
    return _touch_found(scene, step.option, found, "click")


def delete_thing(step: say.Delete, scene: Scene) -> Outcome:
    """By a delete button in its row, by its menu, or on its own page; asked back, yes; then it must be gone."""
    memory = scene.memory.delete
    name, phase = memory.name or read_description(step.target).name or step.target, memory.phase
    if phase and scene.trouble:
        return scene.fail_with(f"删除“{name}”时出错：{scene.trouble}。", f"Deleting “{name}” failed: {scene.trouble}.")
    if phase == "asked":
        return _check_deleted(scene, name)
    button = _find_delete_button(scene) if phase else None
    if phase and button is None and (away := obstacles.dismiss_dialog(scene)):
        return away
    if button is not None:
        scene.remember_record(replace(memory, phase="asked"))
        return make_act(scene.say("点击删除", "Clicking delete"), touch_element(button))
    if phase == "held":
        scene.remember_record(replace(memory, phase="opening"))
        found = scene.find_element(name, "clickable").best
        if found is not None:
            return make_act(scene.say(f"打开“{name}”", f"Opening “{name}”"), touch_element(found.target))
    if phase:
        return scene.fail_with(
            f"这里无法删除“{name}”：没有找到删除按钮。", f"“{name}” can't be deleted here: no delete button was found."
        )
    return open_home(scene, step.target) or _begin_delete(scene, write_clock(step.target), name)


def _begin_delete(scene: Scene, description: str, name: str) -> Outcome:
    beside = scene.find_element(f"Delete next to “{name}”", "clickable")
    found = locate_thing(scene, description, "clickable")
    if not isinstance(found, Candidate):
        return found
    # 读书笔记 may be a note called 读书 or just that: whether it is gone is told by what stood there
    memory = replace(scene.memory.delete, name=found.element.text or name)
    if beside.best is not None and beside.best.target.index != found.target.index:
        scene.remember_record(replace(memory, phase="asked"))
        return make_act(scene.say(f"删除“{name}”", f"Deleting “{name}”"), touch_element(beside.best.target))
    gesture: say.Gesture = "long_press" if scene.can_do("long_press") else "right_click"
    if not scene.can_do(gesture):
        gesture = "click"
    scene.remember_record(replace(memory, phase="opening" if gesture == "click" else "held"))
    return make_act(scene.say(f"长按“{name}”", f"Holding “{name}”"), touch_element(found.target, gesture))


def _find_delete_button(scene: Scene) -> Element | None:
    finding = scene.find_element("Delete", "clickable")
    if finding.best is not None:
        return finding.best.target
    return finding.candidates[0].target if finding.status == "ambiguous" else None


def _check_deleted(scene: Scene, name: str) -> Outcome:
    memory, parts = scene.memory.delete, obstacles.find_dialog(scene)
    if parts and not memory.agreed:
        button = obstacles.find_agreement(parts, "delete")
        if button is not None:
            scene.remember_record(replace(memory, agreed=True))
            return make_act(scene.say("确认删除", "Confirming the deletion"), touch_element(button))
    gone = not scene.find_shown(name)
    if not gone and memory.looks < 1:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("再看一眼", "Looking again"))
    scene.judge_last(gone)
    if not gone:
        return scene.fail_with(f"“{name}”仍然在屏幕上，没有删除成功。", f"“{name}” is still there; it was not deleted.")
    return scene.finish_with(f"删除了“{name}”", f"deleted “{name}”")


def _touch_found(scene: Scene, description: str, found: Candidate, gesture: say.Gesture) -> Act:
    label = found.label or found.target.role
    memory = scene.memory.touch
    scene.kept = replace(scene.kept, taken=Taken(description, trace_of(found), scene.print))
    scene.remember_record(replace(memory, touched=label, print=scene.print, tries=memory.tries + 1))
    return make_act(scene.say(f"点击“{label}”", f"Clicking “{label}”"), touch_element(found.aim, gesture))


def _touch_again(scene: Scene, description: str) -> Outcome:
    scene.judge_last(False, scene.trouble)
    if scene.memory.touch.tries >= MAX_TRIES:
        return scene.fail_with(
            f"点击“{description}”没有成功：{scene.trouble}。", f"Clicking “{description}” failed: {scene.trouble}."
        )
    found = scene.find_element(description, "clickable").best
    if found is None:
        return scene.fail_with(f"“{description}”已经不在屏幕上了。", f"“{description}” is no longer on the screen.")
    return _touch_found(scene, description, found, "click")
