"""Verify, wait until, ask and read: what is true is seen, never assumed."""

import re
from collections.abc import Callable
from dataclasses import replace

from deskhand.core.actions import Answer, Wait
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Condition
from deskhand.roles.offline.language.sums import read_number
from deskhand.roles.offline.memory import HuntMemory
from deskhand.roles.offline.outcome import Act, Failed, Finished, Outcome, make_act
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.calculating import read_display
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import fail_not_found, locate_thing
from deskhand.roles.offline.strategies.message_reading import read_last_message, read_request
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.roles.offline.strategies.opening import bare_app_name
from deskhand.roles.offline.strategies.toggling import reach_control
from deskhand.roles.offline.strategies.touching import find_thing
from deskhand.roles.offline.strategies.values import (
    asks_amount,
    has_digit,
    read_price,
    read_state,
    strip_price,
    value_of,
)
from deskhand.screen.grounding.find import ENOUGH, Candidate, find_nearest_names
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word, synonyms_of

# Seconds between looks: soon at first, then patiently.
WAITS = (1.0, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0)
WAIT_S = 1.0
# Waits on a web page before it is looked for below the fold.
SEEK_AFTER = 3
# Conditions of something that is on the page somewhere.
_SEEN = ("visible", "contains", "equals")

# (True, False or None for "can't be told here"; what was seen)
SeenTruth = tuple[bool | None, str]


def verify_condition(step: say.Verify, scene: Scene) -> Outcome:
    truth = settle_truth(step.condition, scene)
    if not isinstance(truth, tuple):
        return truth
    holds, seen = truth
    scene.judge_last(bool(holds), seen)
    if holds:
        return scene.finish_with(f"确认：{seen}", f"verified: {seen}", Proof("seen", seen))
    return scene.fail_with(
        f"“{step.condition.source}”不成立：{seen}。", f"“{step.condition.source}” does not hold: {seen}."
    )


def answer_question(step: say.Ask, scene: Scene) -> Outcome:
    if scene.memory.check.answer is not None:
        return Finished(scene.memory.check.answer, Proof("answered"))
    truth = settle_truth(step.condition, scene, certain=False)
    if not isinstance(truth, tuple):
        return truth
    holds, seen = truth
    if holds is None:
        return scene.fail_with(
            f"无法回答“{step.condition.source}”：{seen}。", f"“{step.condition.source}” can't be answered: {seen}."
        )
    text = scene.say(f"{'是' if holds else '否'}：{seen}", f"{'yes' if holds else 'no'}: {seen}")
    return _give_answer(scene, text)


def wait_until(step: say.WaitUntil, scene: Scene) -> Outcome:
    holds, seen = check_condition(step.condition, scene)
    if holds:
        scene.judge_last(True, seen)
        return scene.finish_with(f"等到了：{seen}", f"waited until {seen}", Proof("seen", seen))
    turns = scene.memory.check.turns
    if turns >= SEEK_AFTER and holds is None and scene.is_web_page and step.condition.kind in _SEEN:
        sought = step.condition.value or step.condition.subject
        found = locate_thing(scene, sought, "any", stages=("scroll",))
        if isinstance(found, Act):
            return found
    if turns >= len(WAITS):
        scene.judge_last(False, seen)
        said = step.condition.source
        return scene.fail_with(
            f"等了 {sum(WAITS):g} 秒，“{said}”仍不成立：{seen}。",
            f"After {sum(WAITS):g} s of waiting “{said}” still does not hold: {seen}.",
        )
    scene.remember_record(replace(scene.memory.check, turns=turns + 1))
    return make_act(scene.say("等待", "Waiting"), Wait(seconds=WAITS[turns]))


def read_value(step: say.Read, scene: Scene) -> Outcome:
    """Find the value and answer with it."""
    if scene.memory.check.answer is not None:
        return Finished(scene.memory.check.answer, Proof("answered"))
    if asked := read_request(step.target):
        return read_last_message(step, asked, scene)
    owner, part = _split_owner(step.target)
    sought = part if scene.memory.check.at_owner else step.target
    if value := _read_here(scene, step, sought):
        return _give_answer(scene, scene.say(f"{step.target}：{value}", f"{step.target}: {value}"))
    away = owner and not scene.memory.check.at_owner and not scene.on_home_screen
    if away and scene.find_element(step.target).best is None:
        return _go_to_owner(step, owner, scene)
    if to_app := open_home(scene, step.target, also_from_an_app=not scene.first and not scene.kept.left_over):
        return to_app
    found = locate_thing(scene, sought, "any", stages=("scroll", "tabs"))
    if not isinstance(found, Candidate):
        return found
    text = found.element.text or scene.tree.label_of(found.element)
    if text and (has_digit(text) or not asks_amount(step.source)):
        return _give_answer(scene, text)
    return fail_not_found(scene, step.target, list(find_nearest_names("", scene.tree)))


def _read_here(scene: Scene, step: say.Read, sought: str) -> str | None:
    value = read_display(scene) if _means_result(step.target) else None
    value = value or value_of(scene, sought)
    if asks_amount(step.source) and not has_digit(value or ""):
        # `how much is the watch`: what stands beside its name may be anything, an amount is one
        return read_price(scene, strip_price(sought))
    return value


_OWNED = (re.compile(r"(?P<owner>.+?)的(?P<part>.+)"), re.compile(r"(?P<owner>.+?)['’]s (?P<part>.+)"))


def _split_owner(target: str) -> tuple[str, str]:
    """`韩梅的电话号码`, `Emma's phone number`: whose, and what. What controls are called (Delete) owns nothing."""
    found = next((m for pattern in _OWNED if (m := pattern.fullmatch(target))), None)
    if found is None or synonyms_of(found["owner"]):
        return "", target
    return found["owner"], found["part"]


def _go_to_owner(step: say.Read, owner: str, scene: Scene) -> Outcome:
    """Open the owner's page first: it shows what belongs to the owner."""
    outcome = find_thing(say.Find(step.source, owner), scene)
    if not isinstance(outcome, Finished):
        return outcome
    scene.remember_record(HuntMemory())
    scene.remember_record(replace(scene.memory.check, at_owner=True))
    return read_value(step, scene)


def _give_answer(scene: Scene, text: str) -> Act:
    scene.remember_record(replace(scene.memory.check, answer=text))
    return make_act(scene.say(f"回答：{text}", f"Answering: {text}"), Answer(text=text))


def _means_result(target: str) -> bool:
    bare = target.casefold().removeprefix("the ").strip()
    return is_same_word(bare, "result") or bare in {"计算器的结果", "显示的结果", "result of the calculation"}


def settle_truth(condition: Condition, scene: Scene, certain: bool = True) -> SeenTruth | Act | Failed:
    """Looked at where it can be seen: a dialog is put away, the page scrolled, a row gone into, a moment given.

    `certain`: a no is looked at twice, since what was just done may need a moment to show.
    """
    holds, seen = check_condition(condition, scene)
    if holds is None and (away := dismiss_dialog(scene)):
        return away
    if holds or (holds is False and not certain):
        return holds, seen
    if condition.kind in ("on", "off") and holds is None:
        control = reach_control(scene, condition.subject)
        return check_condition(condition, scene) if isinstance(control, Element) else control
    memory = scene.memory.check
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if not memory.looks:
        return make_act(scene.say("再看一眼", "Looking again"), Wait(seconds=WAIT_S))
    if condition.kind in _SEEN and holds is None:
        found = locate_thing(scene, condition.subject, "any", stages=("scroll",))
        if isinstance(found, Act):
            return found
    return check_condition(condition, scene)


def check_condition(condition: Condition, scene: Scene) -> SeenTruth:
    return _LOOKS[condition.kind](condition, scene)


def _check_on(condition: Condition, scene: Scene) -> SeenTruth:
    wanted = condition.kind == "on"
    control = scene.find_element(condition.subject, "checkable").best
    if control is not None:
        state = bool(control.target.checked)
        told_zh, told_en = ("开启", "on") if state else ("关闭", "off")
        return state is wanted, scene.say(
            f"“{condition.subject}”是{told_zh}状态", f"“{condition.subject}” is {told_en}"
        )
    value = value_of(scene, condition.subject)
    told = read_state(value) if value else None
    if told is None:
        return None, _describe_unseen(scene, condition.subject)
    return told is wanted, scene.say(f"“{condition.subject}”显示“{value}”", f"“{condition.subject}” shows “{value}”")


def _describe_unseen(scene: Scene, subject: str) -> str:
    names = ", ".join(f"“{n}”" for n in find_nearest_names(subject, scene.tree, 4))
    return scene.say(
        f"屏幕上没有看到“{subject}”，看到的是 {names}", f"“{subject}” is not on the screen; it shows {names}"
    )


def _check_visible(condition: Condition, scene: Scene) -> SeenTruth:
    if _is_shown(scene, condition.subject):
        return True, scene.say(f"看到了“{condition.subject}”", f"“{condition.subject}” is on the screen")
    return None, _describe_unseen(scene, condition.subject)


def _is_shown(scene: Scene, text: str) -> bool:
    """True if something shows it. What this goal typed into a field shows nothing but that it was typed."""
    wanted = fold_name(text)
    own = [e for e in scene.elements if e.editable and _is_typed(scene, e.value, wanted)]
    shown = [e for e in scene.elements if e not in own]
    if len(wanted) > 1 and any(wanted in fold_name(e.text) for e in shown if e.text):
        return True
    found = scene.find_element(text)
    return found.status != "nothing" and any(c.element not in own for c in found.candidates if c.score >= ENOUGH)


def _is_typed(scene: Scene, value: str, wanted: str) -> bool:
    return wanted in fold_name(value) and any(fold_name(typed) in fold_name(value) for typed in scene.kept.typed)


def _check_hidden(condition: Condition, scene: Scene) -> SeenTruth:
    if not _is_shown(scene, condition.subject):
        return True, scene.say(f"没有“{condition.subject}”", f"“{condition.subject}” is not there")
    return False, scene.say(f"“{condition.subject}”还在屏幕上", f"“{condition.subject}” is still on the screen")


def _compare_value(condition: Condition, scene: Scene, fits: Callable[[str], bool]) -> SeenTruth:
    value = read_display(scene) if _means_result(condition.subject) else None
    value = value if value is not None else value_of(scene, condition.subject)
    if value is None:
        return None, _describe_unseen(scene, condition.subject)
    return fits(value), scene.say(f"“{condition.subject}”是“{value}”", f"“{condition.subject}” is “{value}”")


def _check_equals(condition: Condition, scene: Scene) -> SeenTruth:
    def is_equal(value: str) -> bool:
        number, shown = read_number(condition.value), read_number(value)
        return is_same_word(value, condition.value) if number is None or shown is None else shown == number

    return _compare_value(condition, scene, is_equal)


def _check_contains(condition: Condition, scene: Scene) -> SeenTruth:
    holds, seen = _compare_value(condition, scene, lambda value: fold_name(condition.value) in fold_name(value))
    if holds:
        return holds, seen
    # "the list shows Milk": said of a place rather than of a value
    if _is_shown(scene, condition.value):
        return True, scene.say(f"看到了“{condition.value}”", f"“{condition.value}” is on the screen")
    return holds, seen if holds is not None else _describe_unseen(scene, condition.value)


def _check_selected(condition: Condition, scene: Scene) -> SeenTruth:
    finding = scene.find_element(condition.subject)
    if not finding.candidates or finding.status == "nothing":
        return None, _describe_unseen(scene, condition.subject)
    chosen = any(_is_chosen(scene, c.element) for c in finding.candidates)
    word = scene.say("已选中" if chosen else "没有选中", "selected" if chosen else "not selected")
    return chosen, scene.say(f"“{condition.subject}”{word}", f"“{condition.subject}” is {word}")


def _is_chosen(scene: Scene, element: Element) -> bool:
    around = [element, *scene.tree.descendants_of(element), *list(scene.tree.ancestors_of(element))[:1]]
    return any(e.selected or e.checked for e in around)


def _check_empty(condition: Condition, scene: Scene) -> SeenTruth:
    field = scene.find_element(condition.subject, "editable").best
    value = field.target.value if field is not None else value_of(scene, condition.subject)
    if value is None:
        return None, _describe_unseen(scene, condition.subject)
    return not value, scene.say(f"“{condition.subject}”里是“{value}”", f"“{condition.subject}” holds “{value}”")


def _check_enabled(condition: Condition, scene: Scene) -> SeenTruth:
    found = scene.find_element(condition.subject, "clickable").best
    if found is None:
        return None, _describe_unseen(scene, condition.subject)
    able = found.target.enabled
    word = scene.say("可用" if able else "不可用", "enabled" if able else "disabled")
    seen = scene.say(f"“{condition.subject}”{word}", f"“{condition.subject}” is {word}")
    return able is (condition.kind == "enabled"), seen


def _check_open(condition: Condition, scene: Scene) -> SeenTruth:
    name = bare_app_name(condition.subject)
    front = fold_name(f"{scene.app} {scene.briefing.observation.title}")
    named = any(fold_name(word) in front for word in (name, *synonyms_of(name)) if len(fold_name(word)) > 1)
    if named or _is_shown(scene, name):
        return True, scene.say(f"“{name}”在前台", f"{name} is in front")
    return False, scene.say(f"前台是 {scene.app}", f"{scene.app} is in front")


_LOOKS: dict[str, Callable[[Condition, Scene], SeenTruth]] = {
    "on": _check_on,
    "off": _check_on,
    "visible": _check_visible,
    "hidden": _check_hidden,
    "contains": _check_contains,
    "equals": _check_equals,
    "selected": _check_selected,
    "empty": _check_empty,
    "enabled": _check_enabled,
    "disabled": _check_enabled,
    "open": _check_open,
}
