"""Date pickers: opens the calendar of a field that takes no typing, turns its pages to the month, takes the day."""

import re
from collections import Counter
from dataclasses import replace
from datetime import date

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.dates import is_same_moment, read_date, read_month
from deskhand.roles.offline.outcome import Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.tree import measure_distance
from deskhand.screen.grounding.vocabulary import split_words

MAX_PAGES = 240
# Pages that are turned before the calendar is looked at again.
AT_ONCE = 6
MAX_LOOKS = 3
# A month has more days than this, a page rarely as many other numbers below a month's name.
FEWEST_DAYS = 20
# How far the arrows may stand outside of the days, in pixels.
MARGIN = 60
_YEAR = re.compile(r"\d{4}\s*年?")
_DAY = re.compile(r"0?[1-9]|[12]\d|3[01]")
_BACKWARD = ({"prev", "previous", "上一月", "上个月"}, {"‹", "«", "<", "◀", "←"})
_FORWARD = ({"next", "下一月", "下个月"}, {"›", "»", ">", "▶", "→"})


def pick_date(step: say.SetValue, scene: Scene, field: Element, day: date) -> Outcome:
    """Done when the field itself shows the day; what may be two days (04/08/2016), as it is written in the goal."""
    sure = read_date(step.value) is not None and is_same_moment(step.value, field.value)
    if sure or field.value.strip() == step.value.strip():
        scene.judge_last(True)
        return scene.finish_with(
            f"把“{step.target}”设为 {step.value}",
            f"set “{step.target}” to {step.value}",
            Proof("value", step.target, field.value),
        )
    memory, heading = scene.memory.handle, find_heading(scene)
    if memory.phase == "chosen" or memory.looks > MAX_PAGES:
        return _wait_for_field(step, scene, field)
    if heading is None and memory.phase:
        return _wait_for_field(step, scene, field)
    if heading is None:
        scene.remember_record(replace(memory, phase="begun", looks=0))
        return make_act(scene.say("打开日历", "Opening the calendar"), touch_element(field))
    return _turn_or_take(scene, step, heading, day)


def take_day(step: say.SetValue, scene: Scene, day: date) -> Outcome | None:
    """Choose the day in the calendar that came up while it was typed: many forget what is only typed.

    None if there is no calendar, or the day was chosen.
    """
    heading = find_heading(scene)
    return (
        None if heading is None or scene.memory.handle.phase == "chosen" else _turn_or_take(scene, step, heading, day)
    )


def _turn_or_take(scene: Scene, step: say.SetValue, heading: Element, day: date) -> Outcome:
    memory = scene.memory.handle
    year, month = read_month(heading.text) or _read_split_month(scene, heading) or (day.year, day.month)
    pages = (day.year - year) * 12 + day.month - month
    if pages:
        arrow = _find_arrow(scene, heading, _FORWARD if pages > 0 else _BACKWARD)
        if arrow is None or not arrow.enabled:
            return scene.fail_with(f"日历翻不到 {step.value}。", f"The calendar can't be turned to {step.value}.")
        turns = min(abs(pages), AT_ONCE)
        scene.remember_record(replace(memory, phase="begun", looks=memory.looks + turns))
        thought = scene.say(f"翻到 {day.year} 年 {day.month} 月", f"Turning to {day:%B %Y}")
        return make_act(thought, *([touch_element(arrow)] * turns))
    cell = _find_day(scene, heading, day)
    if cell is None:
        return scene.fail_with(f"日历上不能选 {step.value}。", f"{step.value} can't be chosen in the calendar.")
    scene.remember_record(replace(memory, phase="chosen", looks=0))
    return make_act(scene.say(f"选择 {step.value}", f"Choosing {step.value}"), touch_element(cell))


def _wait_for_field(step: say.SetValue, scene: Scene, field: Element) -> Outcome:
    memory = scene.memory.handle
    if memory.looks >= MAX_LOOKS:
        scene.judge_last(False)
        return scene.fail_with(
            f"“{step.target}”里是“{field.value}”，不是 {step.value}。",
            f"“{step.target}” holds “{field.value}”, not {step.value}.",
        )
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    return look_again(scene.say("再看一眼", "Looking again"))


def find_heading(scene: Scene) -> Element | None:
    """The month and year above the days of a calendar, in one text or in two beside each other."""
    texts = [e for e in scene.elements if e.text and not e.editable and len(e.text) < 30]
    months = [e for e in texts if read_month(e.text) or _read_split_month(scene, e)]
    heading = next((e for e in months if len({day.text for day in _list_days(scene, e)}) >= FEWEST_DAYS), None)
    return heading or _find_dated_heading(scene)


def _find_dated_heading(scene: Scene) -> Element | None:
    """What stands above days that tell their dates, as the month of most of them: it may be drawn in pieces."""
    cells = [(e, day) for e in scene.elements if e.clickable and not e.editable and (day := _read_cell(e))]
    if len(cells) < FEWEST_DAYS:
        return None
    (year, month), _ = Counter((day.year, day.month) for _, day in cells).most_common(1)[0]
    first = min((e for e, _ in cells), key=lambda e: (e.bounds.top, e.bounds.left))
    above = [e for e in scene.elements if e.clickable and e.bounds.bottom <= first.bounds.top]
    nearest = scene.tree.find_nearest(first, above) or first
    middle = sum(e.bounds.center[0] for e, _ in cells) // len(cells)
    box = Rect(middle, nearest.bounds.top, middle + 1, nearest.bounds.bottom)
    return replace(nearest, name=f"{year}年{month}月", value="", bounds=box)


def _read_cell(element: Element) -> date | None:
    return read_date(element.text) or read_date(element.hint)


def _list_days(scene: Scene, heading: Element) -> list[Element]:
    """All numbers of days below it, whether they can be chosen or not."""
    below = [e for e in scene.elements if e.bounds.top >= heading.bounds.top and not e.editable]
    return [e for e in below if _DAY.fullmatch(e.text.strip()) or read_date(e.text)]


def _read_split_month(scene: Scene, month: Element) -> tuple[int, int] | None:
    years = [e for e in scene.elements if _YEAR.fullmatch(e.text.strip()) and scene.tree.is_same_row(e, month)]
    nearest = scene.tree.find_nearest(month, [e for e in years if e.index != month.index])
    return read_month(f"{month.text} {nearest.text}") if nearest is not None else None


def _find_arrow(scene: Scene, heading: Element, signs: tuple[set[str], set[str]]) -> Element | None:
    """The nearest control to the heading that says so and belongs to the calendar: a form has its own Next."""
    days = [e.bounds for e in _list_days(scene, heading)]
    left, right = min(b.left for b in days) - MARGIN, max(b.right for b in days) + MARGIN
    top, bottom = heading.bounds.top - MARGIN, min(b.top for b in days)
    arrows = [e for e in scene.elements if e.clickable and _has_sign(e, *signs)]
    own = [e for e in arrows if left <= e.bounds.left and e.bounds.right <= right and top <= e.bounds.top <= bottom]
    return scene.tree.find_nearest(heading, own)


def _has_sign(element: Element, words: set[str], marks: set[str]) -> bool:
    said = {word for text in (element.text, element.hint, element.id) for word in split_words(text)}
    return bool(words & said) or element.text.strip() in marks


def _find_day(scene: Scene, heading: Element, day: date) -> Element | None:
    """The cell below the heading; where days of the months around are shown as well, early ones come first."""
    below = [e for e in scene.elements if e.bounds.top >= heading.bounds.top and e.clickable and e.enabled]
    if dated := [e for e in below if _read_cell(e) == day]:
        return dated[0]
    cells = [e for e in below if e.text.strip().lstrip("0") == str(day.day)]
    cells.sort(key=lambda e: (e.bounds.top, e.bounds.left))
    if len(cells) > 2:  # other numbers on the page: the calendar is near its heading
        cells = sorted(cells, key=lambda e: measure_distance(e.bounds, heading.bounds))[:1]
    return (cells[0] if day.day <= 15 else cells[-1]) if cells else None
