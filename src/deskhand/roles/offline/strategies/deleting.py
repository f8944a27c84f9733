"""Delete: by a button in its row, by its menu, or on its own page; then its list is seen, and it is not in it."""

import re
from dataclasses import replace

from deskhand.core.actions import Back, Move
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.phone_slots import is_alarm
from deskhand.roles.offline.memory import DeleteMemory, HuntMemory
from deskhand.roles.offline.outcome import Act, Failed, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies import obstacles
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import fail_not_found, locate_thing
from deskhand.roles.offline.strategies.phone.alarm_list import AlarmRow, names_time, reach_alarm
from deskhand.screen.grounding.find import Candidate, find_nearest_names
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.vocabulary import fold_name, load_vocabulary, split_words

# Said of the place in a list, and of nothing else.
_PLACED = re.compile(r"倒数|最下|末尾|bottom|to[ -]last|(?:in|of) the (?:list|page|screen|grid|row)", re.IGNORECASE)
_ABOUT = re.compile(r"(?:the |my )?(?:note|memo) about (?P<en>.+)|关于(?P<zh>.+)的(?:笔记|便签|备忘录)", re.IGNORECASE)
# Said of when it came to be, which a list seldom tells.
_TIMED = re.compile(r"\b(?:newest|latest|most recent|oldest|last taken)\b|最新|最近|最旧|最早|刚拍", re.IGNORECASE)
# What an icon is called that has no other name.
_BINS = frozenset({"trash", "bin", "trashcan", "delete", "remove"})
# Looks, half a second apart, at what still stands there: an app may need a moment.
LOOKS = 3
# How many of the things beside it are kept in mind, to know their list again.
_OTHERS = 12


def delete_thing(step: say.Delete, scene: Scene) -> Outcome:
    memory = scene.memory.delete
    name, phase = memory.name or read_description(step.target).name or step.target, memory.phase
    if phase and scene.trouble:
        return scene.fail_with(f"删除“{name}”时出错：{scene.trouble}。", f"Deleting “{name}” failed: {scene.trouble}.")
    if phase == "asked":
        return _check_deleted(scene, name)
    if phase == "hovered":
        return _delete_hovered(scene, name)
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
    return _refuse_unclear_order(step, scene) or _find_and_begin(step, scene, name)


def _find_and_begin(step: say.Delete, scene: Scene, name: str) -> Outcome:
    """Find what is meant by what kind of thing it is, and begin to delete it."""
    if is_alarm(step.target) and names_time(step.target):
        alarm = reach_alarm(scene, step.target)
        return _hold_row(scene, alarm.row, alarm.row.text or name) if isinstance(alarm, AlarmRow) else alarm
    if about := _ABOUT.fullmatch(step.target.strip()):
        return _delete_about(scene, step.target, (about["en"] or about["zh"]).strip("“”"))
    here = scene.find_element(step.target, "clickable").status != "nothing"
    to_home = open_home(scene, step.target, also_from_an_app=not here and not scene.kept.left_over)
    return to_home or _begin_delete(scene, step.target, name)


def _delete_about(scene: Scene, target: str, topic: str) -> Outcome:
    """`the note about milk`: the one in the list that speaks of it, if it is one."""
    rows = [e for e in scene.elements if e.clickable and e.role in ("item", "group", "button", "link")]
    texts = {row.index: [e.text for e in scene.tree.descendants_of(row) if e.text] for row in rows}
    fitting = [row for row in rows if any(fold_name(topic) in fold_name(text) for text in texts[row.index])]
    if len(fitting) == 1:
        return _hold_row(scene, fitting[0], texts[fitting[0].index][0])
    if len(fitting) > 1:
        names = scene.quote_names(texts[row.index][0] for row in fitting)
        return scene.fail_with(
            f"“{target}”可能是 {names}：请说出名字。", f"“{target}” may be any of {names}: say its name."
        )
    if away := open_home(scene, target, also_from_an_app=not scene.kept.left_over):
        return away
    found = locate_thing(scene, topic, "any", stages=("scroll",))
    if not isinstance(found, Candidate):
        return found
    return fail_not_found(scene, target, list(find_nearest_names(topic, scene.tree)))


def _hold_row(scene: Scene, row: Element, name: str) -> Outcome:
    """Begin with a row that is known to be meant."""
    texts = [e.text for e in scene.tree.descendants_of(row) if e.text and e.checked is None]
    name = next((text for text in texts if not any(c == "\n" for c in text)), name)
    others = _list_others(scene, row, name)
    scene.remember_record(
        replace(scene.memory.delete, name=name, others=others, count=max(1, len(scene.find_shown(name))), phase="held")
    )
    gesture: say.Gesture = "long_press" if scene.can_do("long_press") else "right_click"
    return make_act(scene.say(f"长按“{name}”", f"Holding “{name}”"), touch_element(row, gesture))


def _refuse_unclear_order(step: say.Delete, scene: Scene) -> Failed | None:
    """The last one is the newest to one user and the one at the end to another: what is deleted must be certain."""
    query = read_description(step.target)
    timed = _TIMED.search(step.target) is not None
    if not timed and (query.ordinal is None or query.ordinal > 0 or _PLACED.search(step.target)):
        return None
    return scene.fail_with(
        f"“{step.target}”可能是最新的，也可能是列表末尾的：删除之前请说出名字，或“第一个”“第 3 个”。",
        f"“{step.target}” may be the newest one or the one at the end of the list: "
        "say its name, or “the first”, “the 3rd”, before it is deleted.",
    )


def _begin_delete(scene: Scene, description: str, name: str) -> Outcome:
    beside = _find_beside(scene, name)
    found = locate_thing(scene, description, "clickable")
    if not isinstance(found, Candidate):
        return found
    if not scene.is_web_page and _is_only_similar(found.element.text, description):
        return scene.fail_with(
            f"“{description}”没有找到，只有相似的“{found.element.text}”：要删除它，请说出它的全名。",
            f"“{description}” was not found, only “{found.element.text}”: say its whole name to delete it.",
        )
    # 读书笔记 may be a note called 读书 or just that: whether it is gone is told by what stood there
    name = found.element.text or name
    others = _list_others(scene, found.target, name)
    count, buttons = max(1, len(scene.find_shown(name))), len(scene.find_element("Delete", "clickable").candidates)
    memory = replace(scene.memory.delete, name=name, others=others, count=count, buttons=buttons)
    if beside is not None and beside.index != found.target.index:
        scene.remember_record(replace(memory, phase="asked"))
        return make_act(scene.say(f"删除“{name}”", f"Deleting “{name}”"), touch_element(beside))
    if scene.is_web_page and scene.can_do("move"):
        scene.remember_record(replace(memory, phase="hovered"))
        x, y = found.target.bounds.center
        return make_act(scene.say(f"指向“{name}”", f"Pointing at “{name}”"), Move(x=x, y=y, target=name))
    scene.remember_record(memory)
    return _hold_thing(scene, found, name)


def _is_only_similar(label: str, description: str) -> bool:
    """`the note Shopping` is not the one called “Shopping list”: its name has a word that nobody said."""
    said = fold_name(description)
    return bool(label) and any(fold_name(word) not in said for word in split_words(label) if word.isalpha())


def _delete_hovered(scene: Scene, name: str) -> Outcome:
    """Press the button that came up in its row under the pointer; without one, open its menu."""
    memory, found = scene.memory.delete, scene.find_element(name, "clickable").best
    beside = _find_beside(scene, name)
    if beside is not None and (found is None or beside.index != found.target.index):
        scene.remember_record(replace(memory, phase="asked"))
        return make_act(scene.say(f"删除“{name}”", f"Deleting “{name}”"), touch_element(beside))
    if found is None:
        return scene.fail_with(f"“{name}”已经不在屏幕上了。", f"“{name}” is no longer on the screen.")
    return _hold_thing(scene, found, name)


def _find_beside(scene: Scene, name: str) -> Element | None:
    """Return the button in its row that deletes; there a mere cross does, too."""
    finding = scene.find_element(f"Delete next to “{name}”", "clickable")
    if finding.best is not None:
        return finding.best.target
    rows = scene.find_shown(name)
    crosses = [
        e for e in scene.elements
        if e.clickable and e.enabled and e.text.strip().casefold() in load_vocabulary().crosses
        and any(scene.tree.is_same_row(e, row) for row in rows)
    ]  # fmt: skip
    return crosses[0] if len(crosses) == len(rows) == 1 else None


def _hold_thing(scene: Scene, found: Candidate, name: str) -> Outcome:
    memory = scene.memory.delete
    gesture: say.Gesture = "long_press" if scene.can_do("long_press") and not scene.is_web_page else "right_click"
    if not scene.can_do(gesture):
        gesture = "click"
    scene.remember_record(replace(memory, phase="opening" if gesture == "click" else "held"))
    return make_act(scene.say(f"长按“{name}”", f"Holding “{name}”"), touch_element(found.target, gesture))


def _list_others(scene: Scene, held: Element, name: str) -> tuple[str, ...]:
    """Return texts around it, the nearest first: when they are seen again, its list is seen."""
    row = held.bounds
    apart = [
        e for e in scene.elements
        if e.text and not e.editable and fold_name(e.text) != fold_name(name)
        and not row.contains_point(*e.bounds.center) and not any(d.text for d in scene.tree.descendants_of(e))
    ]  # fmt: skip
    apart.sort(key=lambda e: abs(e.bounds.center[1] - row.center[1]))
    return tuple(dict.fromkeys(e.text for e in apart))[:_OTHERS]


def _find_delete_button(scene: Scene) -> Element | None:
    finding = scene.find_element("Delete", "clickable")
    if scene.is_web_page and finding.status != "nothing" and len(finding.candidates) <= scene.memory.delete.buttons:
        return None  # it was there before, and is about something else
    if finding.best is not None:
        return finding.best.target
    if finding.status == "ambiguous" and not scene.is_web_page:
        return finding.candidates[0].target
    signs = [e for e in scene.elements if e.clickable and not e.text and _BINS & set(split_words(e.id))]
    return signs[0] if len(signs) == 1 else None


def _check_deleted(scene: Scene, name: str) -> Outcome:
    """Agreed to what was asked back; then no question stands, its list is seen, and it is not in it.

    A list may fill again, where an app takes it away before its server agrees: the worker looks again before it leaves.
    """
    memory = scene.memory.delete
    if parts := obstacles.find_dialog(scene) or obstacles.find_question(scene):
        return _answer_question(scene, memory, name, parts)
    left = len(scene.find_shown(name))
    if left >= memory.count:
        return _wait_or_fail(
            scene,
            memory,
            scene.say(f"“{name}”仍然在屏幕上，没有删除成功。", f"“{name}” is still there; it was not deleted."),
        )
    if not _is_list_seen(scene, memory):
        return _return_to_list(scene, memory, name)
    return _look_elsewhere(scene, memory, name)


def _answer_question(scene: Scene, memory: DeleteMemory, name: str, parts: list[Element]) -> Outcome:
    button = None if memory.agreed else obstacles.find_agreement(parts, "delete")
    if button is not None:
        scene.remember_record(replace(memory, agreed=True))
        return make_act(scene.say("确认删除", "Confirming the deletion"), touch_element(button))
    asked = next((e.text for e in parts if e.text), "")
    return _wait_or_fail(
        scene,
        memory,
        scene.say(
            f"“{name}”没有删除：屏幕上还有提示“{asked}”。", f"“{name}” was not deleted: “{asked}” still stands there."
        ),
    )


def _wait_or_fail(scene: Scene, memory: DeleteMemory, reason: str) -> Act | Failed:
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if memory.looks < LOOKS:
        return look_again(scene.say("再看一眼", "Looking again"))
    scene.judge_last(False)
    return Failed(reason)


def _is_list_seen(scene: Scene, memory: DeleteMemory) -> bool:
    """True if what stood beside it is seen, or nothing stood there and no page of its own does now."""
    if not memory.others:
        return not scene.find_shown(memory.name)
    return any(scene.find_shown(other) for other in memory.others)


def _return_to_list(scene: Scene, memory: DeleteMemory, name: str) -> Outcome:
    """Go back to where it was listed: its own page without its name proves nothing."""
    if memory.looks < 1:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("等列表出现", "Waiting for the list"))
    if memory.backs < 2 and scene.can_do("back") and not scene.on_home_screen:
        scene.remember_record(replace(memory, backs=memory.backs + 1, looks=0))
        return make_act(scene.say("回到列表看看", "Going back to the list"), Back())
    scene.judge_last(False)
    return scene.fail_with(
        f"没能看到原来的列表，无法证明“{name}”已经删除。",
        f"The list that it was in is not seen: that “{name}” was deleted can't be shown.",
    )


def _look_elsewhere(scene: Scene, memory: DeleteMemory, name: str) -> Outcome:
    """Not visible is not gone: where its neighbours are not around its place any more, it may be scrolled away."""
    around = all(scene.find_shown(other) for other in memory.others[:2])
    if not around:
        if not memory.hunted:
            scene.remember_record(HuntMemory())
            scene.remember_record(replace(memory, hunted=True))
        found = locate_thing(scene, f"“{name}”", "any", stages=("scroll",))
        if isinstance(found, Act):
            return found
        if isinstance(found, Candidate) and memory.count == 1:
            scene.judge_last(False)
            return scene.fail_with(f"“{name}”还在列表里。", f"“{name}” is still in the list.")
    scene.judge_last(True)
    proof = Proof("gone", name, before=str(memory.count))
    return scene.finish_with(f"删除了“{name}”", f"deleted “{name}”", proof)
