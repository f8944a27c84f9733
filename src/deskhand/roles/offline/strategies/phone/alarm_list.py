"""Finds alarms in a clock's list by their time, however that is written: 22:45, 10:45 PM, 晚上10:45."""

import re
from dataclasses import dataclass, replace

from deskhand.core.actions import Scroll
from deskhand.core.screen import Element
from deskhand.roles.offline.language.new_things import read_clock
from deskhand.roles.offline.outcome import Act, Failed, look_again, make_act, touch_element
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.screen.grounding.vocabulary import fold_name

Clock = tuple[int, int]
_SHOWN = re.compile(r"(?:[上下中]午|凌晨|早上|晚上)?\s*\d{1,2}[:：]\d{2}(?:\s*[ap]\.?m\.?)?", re.IGNORECASE)
_NAMED = re.compile(r"^(?:the|my|an?)\s+|\s*(?:alarm|的?(?:[那这]个)?闹钟)$|^alarm\s+(?:at|for)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AlarmRow:
    """One alarm as its list shows it; `row` is what is tapped to edit it."""

    clock: Clock
    label: str
    row: Element
    switch: Element

    @property
    def told(self) -> str:
        return f"{self.clock[0]:02d}:{self.clock[1]:02d}" + (f" {self.label}" if self.label else "")


def list_alarm_rows(scene: Scene) -> list[AlarmRow]:
    """Return each time that stands in one row with a switch, from top to bottom."""
    switches = [e for e in scene.elements if e.checked is not None and e.role in ("switch", "checkbox")]
    rows: list[AlarmRow] = []
    for element in scene.elements:
        clock = read_clock(element.text) if _SHOWN.fullmatch(element.text.strip()) else None
        row = scene.tree.row_of(element)
        switch = next((s for s in switches if scene.tree.is_inside(s, row) or scene.tree.is_same_row(s, element)), None)
        if clock is not None and switch is not None:
            label = next((text for text in _list_texts(scene, row) if not _SHOWN.fullmatch(text.strip())), "")
            rows.append(AlarmRow(clock, label, row, switch))
    return rows


def _list_texts(scene: Scene, row: Element) -> list[str]:
    inside = [e for e in scene.tree.descendants_of(row) if e.text and e.checked is None]
    return [e.text for e in inside if not any(d.text for d in scene.tree.descendants_of(e))]


def find_alarms(scene: Scene, target: str) -> list[AlarmRow]:
    """Return the alarms that a description fits: by the time it names, else by the label."""
    rows, clock = list_alarm_rows(scene), read_clock(_NAMED.sub("", target.strip()))
    if clock is not None:
        # a clock of twelve hours says 10:45 of 22:45 too: only what the goal itself leaves open is taken as such
        return [row for row in rows if row.clock == clock]
    wanted = fold_name(_NAMED.sub("", target.strip()).strip("“”"))
    return [row for row in rows if wanted and fold_name(row.label) == wanted]


MAX_SCROLLS = 6


def names_time(target: str) -> bool:
    """True if an alarm is named by its time rather than by a label."""
    return read_clock(_NAMED.sub("", target.strip())) is not None


def reach_alarm_list(scene: Scene) -> Act | None:
    """Bring the clock's list of alarms to the screen; None once it is there, or nothing more can be done for it."""
    if list_alarm_rows(scene):
        return None
    if away := dismiss_dialog(scene):
        return away
    if away := open_home(scene, "alarm", also_from_an_app=not scene.kept.left_over):
        return away
    memory = scene.memory.phone
    tab = scene.find_element("alarm tab", "clickable").best
    if tab is not None and not memory.tab and tab.score >= 0.9:
        scene.remember_record(replace(memory, tab=True))
        return make_act(scene.say(f"打开“{tab.label}”", f"Opening “{tab.label}”"), touch_element(tab.target))
    if memory.looks < 2:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("等闹钟列表出现", "Waiting for the list of alarms"))
    return None


def reach_alarm(scene: Scene, target: str) -> AlarmRow | Act | Failed:
    """Find the one alarm that is meant, further down if need be."""
    if away := reach_alarm_list(scene):
        return away
    found = find_alarms(scene, target)
    if len(found) == 1:
        return found[0]
    shown = scene.quote_names(row.told for row in found or list_alarm_rows(scene))
    if len(found) > 1:
        return scene.fail_with(
            f"“{target}”有多个：{shown}。请说清楚是哪一个。", f"“{target}” may be any of {shown}: say which one."
        )
    memory = scene.memory.phone
    if memory.print != scene.print and memory.scrolls < MAX_SCROLLS and scene.can_do("scroll"):
        scene.remember_record(replace(memory, print=scene.print, scrolls=memory.scrolls + 1))
        return make_act(scene.say("往下找闹钟", "Looking further down"), Scroll(direction="down", pages=0.7))
    if not shown:
        return scene.fail_with("没有看到闹钟列表。", "No list of alarms was seen.")
    return scene.fail_with(
        f"没有“{target}”；看到的闹钟是 {shown}。", f"There is no “{target}”; the alarms seen are {shown}."
    )
