"""Alarms that exist are moved and listed; timers are started. Proven by the list, and by the time that runs down."""

import re
from dataclasses import replace

from deskhand.core.actions import Answer, Scroll
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.new_things import read_clock
from deskhand.roles.offline.outcome import (
    Act,
    Failed,
    Finished,
    Outcome,
    fill_field,
    look_again,
    make_act,
    touch_element,
)
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.roles.offline.strategies.phone.alarm_list import (
    MAX_SCROLLS,
    AlarmRow,
    find_alarms,
    list_alarm_rows,
    reach_alarm,
    reach_alarm_list,
)
from deskhand.roles.offline.strategies.phone.time_picking import pick_time
from deskhand.screen.grounding.vocabulary import fold_name

_SAVING = ("save", "done", "ok", "confirm")
_RUNNING = re.compile(r"(?:(\d{1,2}):)?(\d{1,3}):(\d{2})")
LOOKS = 3


def move_alarm(step: say.MoveAlarm, scene: Scene) -> Outcome:
    clock, memory = read_clock(step.time), scene.memory.phone
    if clock is None:
        return scene.fail_with(f"“{step.time}”不是有效的时间。", f"“{step.time}” is not a time of day.")
    if memory.phase == "done":
        return _check_moved(scene, step, clock)
    if memory.phase == "opened":
        return _set_anew(scene, step, clock)
    alarm = reach_alarm(scene, step.target)
    if not isinstance(alarm, AlarmRow):
        return alarm
    before = tuple(row.told for row in list_alarm_rows(scene))
    scene.remember_record(replace(scene.memory.phone, phase="opened", before=before, looks=0))
    return make_act(scene.say(f"打开闹钟“{alarm.told}”", f"Opening the alarm “{alarm.told}”"), touch_element(alarm.row))


def _set_anew(scene: Scene, step: say.MoveAlarm, clock: tuple[int, int]) -> Outcome:
    picked, memory = pick_time(scene, clock), scene.memory.phone
    if isinstance(picked, Act | Failed):
        return picked
    if picked is None and memory.looks < LOOKS:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("等页面出现", "Waiting for the form"))
    save = find_button(scene, *_SAVING)
    if picked is None or save is None:
        return scene.fail_with("没有看到可以改时间的地方。", "Nothing to change the time with is on the screen.")
    scene.remember_record(replace(memory, phase="done", looks=0))
    return make_act(scene.say("保存", "Saving"), touch_element(save))


def _check_moved(scene: Scene, step: say.MoveAlarm, clock: tuple[int, int]) -> Outcome:
    """The list is seen, with the new time once more than before and without the old one."""
    memory, rows = scene.memory.phone, list_alarm_rows(scene)
    told = f"{clock[0]:02d}:{clock[1]:02d}"
    held = len([row for row in memory.before if row.startswith(told)])
    there = len([row for row in rows if row.clock == clock]) > held
    if there and not find_alarms(scene, step.target):
        scene.judge_last(True)
        return scene.finish_with(
            f"把“{step.target}”改到了 {told}", f"moved “{step.target}” to {told}", Proof("value", step.target, told)
        )
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if memory.looks < LOOKS:
        return look_again(scene.say("看闹钟列表", "Looking at the list of alarms"))
    scene.judge_last(False)
    shown = scene.quote_names(row.told for row in rows)
    return scene.fail_with(
        f"闹钟没有改到 {told}；看到的是 {shown}。", f"No alarm moved to {told}; the list shows {shown}."
    )


def find_button(scene: Scene, *words: str) -> Element | None:
    """Return the button of one of these names, the first that is there."""
    for word in words:
        found = scene.find_element(word, "clickable").best
        if found is not None and found.target.clickable and found.score >= 0.8:
            return found.target
    return None


def list_alarms(step: say.ListAlarms, scene: Scene) -> Outcome:
    """Read the list from its top to its end."""
    if scene.memory.check.answer is not None:
        return Finished(scene.memory.check.answer, Proof("answered"))
    if away := reach_alarm_list(scene):
        return away
    memory, rows = scene.memory.phone, list_alarm_rows(scene)
    if not rows and not memory.before:
        return scene.fail_with("没有看到闹钟列表。", "No list of alarms was seen.")
    told = [f"{row.told} ({scene.say('开', 'on') if row.switch.checked else scene.say('关', 'off')})" for row in rows]
    seen = tuple(dict.fromkeys((*memory.before, *told)))
    if memory.print != scene.print and memory.scrolls < MAX_SCROLLS and scene.can_do("scroll"):
        scene.remember_record(replace(memory, before=seen, print=scene.print, scrolls=memory.scrolls + 1))
        return make_act(scene.say("往下看", "Looking further down"), Scroll(direction="down", pages=0.7))
    text = scene.say("闹钟：", "alarms: ") + scene.say("、", ", ").join(seen)
    scene.remember_record(replace(scene.memory.check, answer=text))
    return make_act(scene.say(f"回答：{text}", f"Answering: {text}"), Answer(text=text))


# --- timers ------------------------------------------------------------------------------------------------


def start_timer(step: say.StartTimer, scene: Scene) -> Outcome:
    memory = scene.memory.phone
    if memory.phase == "done":
        return _check_running(scene, step)
    fields = _find_timer_fields(scene)
    if not fields:
        return _reach_timer(scene)
    for unit, value in _split_seconds(step.seconds, fields).items():
        shown = (fields[unit].value or "0").strip()
        if not shown.isdecimal() or int(shown) != value:
            if memory.moves >= 2 * len(fields):
                return scene.fail_with("计时器的时间没有填进去。", "The time could not be typed into the timer.")
            scene.remember_record(replace(memory, moves=memory.moves + 1))
            return make_act(
                scene.say(f"填写“{value}”", f"Filling in “{value}”"), *fill_field(fields[unit], str(value), clear=True)
            )
    start = find_button(scene, "start", "开始", "启动")
    if start is None:
        return scene.fail_with("没有看到开始按钮。", "No button to start the timer is on the screen.")
    scene.remember_record(replace(memory, phase="done", looks=0))
    return make_act(scene.say("开始计时", "Starting the timer"), touch_element(start))


def _find_timer_fields(scene: Scene) -> dict[int, Element]:
    """Return the fields by the seconds that one of their unit has."""
    units = {
        3600: ("hour", "hours", "小时", "时"),
        60: ("minute", "minutes", "分钟", "分"),
        1: ("second", "seconds", "秒"),
    }
    found: dict[int, Element] = {}
    for field in scene.list_fields():
        name = fold_name(field.name or scene.tree.label_of(field))
        unit = next((unit for unit, words in units.items() if name in {fold_name(word) for word in words}), None)
        if unit is not None:
            found[unit] = field
    return found if 60 in found else {}


def _split_seconds(seconds: int, units: dict[int, Element]) -> dict[int, int]:
    """Return how many of each unit there is; without a field for hours the minutes go on."""
    parts: dict[int, int] = {}
    for unit in sorted(units, reverse=True):
        parts[unit], seconds = divmod(seconds, unit)
    return parts


def _reach_timer(scene: Scene) -> Outcome:
    memory = scene.memory.phone
    if away := dismiss_dialog(scene):
        return away
    if away := open_home(scene, "timer", also_from_an_app=not scene.kept.left_over):
        return away
    tab = scene.find_element("timer tab", "clickable").best
    if tab is not None and not memory.tab and tab.score >= 0.9:
        scene.remember_record(replace(memory, tab=True))
        return make_act(scene.say(f"打开“{tab.label}”", f"Opening “{tab.label}”"), touch_element(tab.target))
    if memory.looks < LOOKS:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("等计时器出现", "Waiting for the timer"))
    if _read_left(scene) is not None:
        return scene.fail_with("已经有一个计时器在走：请先取消它。", "A timer is running already: cancel it first.")
    return scene.fail_with("没有看到可以设置的计时器。", "No timer that can be set is on the screen.")


def _read_left(scene: Scene) -> int | None:
    """Return the seconds that a running timer shows."""
    for element in scene.elements:
        if not element.editable and (found := _RUNNING.fullmatch(element.text.strip())):
            return int(found[1] or 0) * 3600 + int(found[2]) * 60 + int(found[3])
    return None


def _check_running(scene: Scene, step: say.StartTimer) -> Outcome:
    left, memory = _read_left(scene), scene.memory.phone
    pausing = find_button(scene, "pause", "暂停", "stop", "停止")
    if left is not None and pausing is not None and 0 < left <= step.seconds:
        scene.judge_last(True)
        return scene.finish_with(
            f"开始了 {step.seconds} 秒的倒计时，还剩 {left} 秒",
            f"started a timer of {step.seconds} s; {left} s are left",
            Proof("state", "timer", str(left)),
        )
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if memory.looks < LOOKS:
        return look_again(scene.say("看计时器", "Looking at the timer"))
    scene.judge_last(False)
    return scene.fail_with("计时器没有开始走。", "The timer did not start.")
