"""Text: into fields, out of fields, into search boxes; what was typed is read back before it counts."""

import re
from dataclasses import replace
from zlib import crc32

from deskhand.core.actions import READ_BACK, Click, Swipe, Type
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.dates import is_same_moment, list_days
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
from deskhand.roles.offline.strategies.choosing import select_option
from deskhand.roles.offline.strategies.content.announced import read_announced, refuse_question
from deskhand.roles.offline.strategies.dates.segments import fill_segments, find_segments
from deskhand.roles.offline.strategies.dating import find_heading, pick_date, take_day
from deskhand.roles.offline.strategies.desktop.cells import read_cell_name, write_cell
from deskhand.roles.offline.strategies.desktop.keyboard_typing import (
    draws_document,
    place_text,
    takes_keys,
    type_at_keyboard,
)
from deskhand.roles.offline.strategies.effects import wait_for_effect
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import (
    fail_not_found,
    find_search_box,
    find_search_button,
    locate_thing,
    press_enter,
    wait_for_more,
)
from deskhand.roles.offline.strategies.sliding import slide_by_keys, spin_by_keys
from deskhand.roles.offline.strategies.toggling import toggle_switch
from deskhand.roles.offline.strategies.touching import fail_fixed
from deskhand.roles.offline.strategies.values import has_doubled_ending, is_read_back, is_replacing, tidy_text, value_of
from deskhand.screen.grounding.find import Candidate, find_nearest_names
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word
from deskhand.settings.placeholders import find_secret_names

MAX_TRIES = 2
# A finger misses some percent: after corrections a few percent beside are accepted, and told.
MAX_SLIDES = 4
COARSE = 3


def write_text(step: say.Write, scene: Scene) -> Outcome:
    if scene.is_desktop:
        if step.target and (cell := read_cell_name(scene, step.target)):
            return write_cell(scene, cell, step.text)
        if (placed := place_text(step, scene, _find_only_field(scene))) is not None:
            if not isinstance(placed, say.Write):
                return placed
            step = placed
    if scene.memory.write.shown is not None or (
        not step.target and _find_only_field(scene) is None and takes_keys(scene, step.text)
    ):
        return type_at_keyboard(scene, step.text)
    field = _find_field(scene, step.target or read_announced(scene, step))
    if not isinstance(field, Element):
        return field
    if is_select_box(field):
        return select_option(say.Select(step.source, step.text, step.target), scene)
    if not field.editable or not field.enabled:
        return refuse_question(scene, field) or fail_fixed(scene, field, step.target)
    if scene.memory.write.typed:
        days = list_days(step.text) if scene.memory.write.phase != "opened" else ()
        asked = say.SetValue(step.source, step.target, step.text)
        chosen = take_day(asked, scene, days[0]) if len(days) == 1 else None
        return chosen or _check_written(scene, field, step.text)
    return type_into(scene, field, step.text, clear=is_replacing(step, scene, field))


def _find_only_field(scene: Scene) -> Element | None:
    """The focused field, or the only one there is."""
    fields = scene.list_fields()
    focused = [f for f in fields if f.focused]
    if not focused and scene.is_desktop and draws_document(scene):
        return None  # the only field that is listed may be one of a tool bar
    return (focused or fields)[0] if focused or len(fields) == 1 else None


def is_select_box(field: Element) -> bool:
    return field.role == "combobox" and not field.editable and field.enabled


def type_into(scene: Scene, field: Element, text: str, *, clear: bool = False) -> Act:
    memory = scene.memory.write
    held = "" if clear or memory.typed else field.value
    # a calendar that is there before is no part of the field
    phase = "opened" if list_days(text) and find_heading(scene) is not None else memory.phase
    scene.remember_record(replace(memory, typed=memory.typed + 1, held=held, phase=phase))
    thought = scene.say(f"输入“{text}”", f"Typing “{text}”")
    actions = fill_field(field, text, clear=clear and bool(field.value))
    return make_act(thought, *(actions[1:] if field.focused else actions))


def holds_text(field: Element, text: str, before: str = "") -> bool:
    """True if the whole text is in the field, beside what was there `before`.

    Passwords show dots: their number must do. A secret's is not known here; the device has counted.
    """
    if field.password or find_secret_names(text):
        return len(field.value) >= (1 if find_secret_names(text) else len(text))
    if before.strip():
        return tidy_text(text) in tidy_text(field.value)
    same = is_read_back(field.value, text) or is_same_moment(text, field.value)
    return same or (not field.value and is_read_back(field.name, text))


def _was_read_back(scene: Scene, field: Element, text: str) -> bool:
    """True if the device itself has read the text in this field: it may hold more than a list of elements shows."""
    typed = [one for one in scene.list_reports() if isinstance(one.action, Type) and one.action.text == text]
    # a line that is listed as empty has changed since
    return field.focused and bool(typed) and (field.multiline or bool(field.value)) and typed[-1].detail == READ_BACK


def _check_written(scene: Scene, field: Element, text: str) -> Outcome:
    if scene.memory.write.typed < MAX_TRIES and has_doubled_ending(field, text, scene.memory.write.held):
        return type_into(scene, field, text, clear=True)
    listed = holds_text(field, text, scene.memory.write.held)
    if listed or _was_read_back(scene, field, text):
        scene.judge_last(True, scene.say("文字已在输入框里", "the text is in the field"))
        proof = Proof("text" if listed else "read", field.name, text)
        return scene.finish_with(f"输入了“{text}”", f"typed “{text}”", proof)
    scene.judge_last(False, scene.trouble or scene.say("输入框里没有这段文字", "the text is not in the field"))
    if turned := spin_by_keys(scene, field, text):
        return turned
    # A document is never cleared to type once more.
    if scene.memory.write.typed >= MAX_TRIES or field.source == "atspi":
        return scene.fail_with(
            f"“{text}”没有输入成功，输入框里是“{field.value}”。",
            f"“{text}” could not be typed: the field holds “{field.value}”.",
        )
    return type_into(scene, field, text, clear=True)


def _find_field(scene: Scene, target: str) -> Element | Act | Failed:
    """The named field; without a name the focused one, or the only one there is."""
    if target:
        if edited := _find_edited(scene, target):
            return edited
        found = locate_thing(scene, target, "editable", stages=("scroll", "tabs"))
        return found.target if isinstance(found, Candidate) else found
    if only := _find_only_field(scene):
        return only
    fields = scene.list_fields()
    if not fields and (patient := wait_for_more(scene)):
        return patient
    if not fields:
        names = ", ".join(find_nearest_names("", scene.tree, 4))
        return scene.fail_with(
            f"屏幕上没有可以输入的地方；看到的是：{names}。",
            f"There is no field to type into on this screen; it shows {names}.",
        )
    hints = "、".join(f.text or f.id.rpartition("/")[2] for f in fields)
    return scene.fail_with(
        f"有 {len(fields)} 个输入框（{hints}），请说明用哪一个。",
        f"There are {len(fields)} fields ({hints}); say which one.",
    )


def _find_edited(scene: Scene, target: str) -> Element | None:
    """The field with the keyboard that holds the name of what is meant: that thing is being edited in its place."""
    if scene.find_element(target, "editable").status != "nothing":
        return None
    name, memory = fold_name(read_description(target).name), scene.memory.write
    begun = bool(memory.cleared or memory.typed)  # then it holds another text already
    return next((f for f in scene.list_fields() if f.focused and name and (begun or fold_name(f.value) == name)), None)


def clear_field(step: say.Clear, scene: Scene) -> Outcome:
    query = read_description(step.target)
    bare = "field" in query.roles and not query.name and query.lines != "several"
    field = _find_field(scene, "" if bare else step.target)
    if not isinstance(field, Element):
        return field
    if not field.editable or not field.enabled:
        return fail_fixed(scene, field, step.target)
    if not field.value:
        scene.judge_last(True)
        return scene.finish_with("输入框是空的", "the field is empty", Proof("text", field.name))
    memory = scene.memory.write
    if memory.cleared >= MAX_TRIES:
        scene.judge_last(False)
        return scene.fail_with(
            f"输入框没有清空，里面还有“{field.value}”。", f"The field was not cleared; it holds “{field.value}”."
        )
    scene.remember_record(replace(memory, cleared=memory.cleared + 1))
    clearing = Type(text="", clear_first=True)
    return make_act(scene.say("清空输入框", "Clearing the field"), touch_element(field), clearing)


def search_text(step: say.Search, scene: Scene) -> Outcome:
    """Into a search box (opened first if it is behind a button), then enter if the list did not change by itself."""
    bar = scene.find_element("search", "editable").best
    # a button that searches is no label of the field beside it: a form has several fields
    own = (
        bar is not None
        and bar.target in scene.list_fields()
        and (bar.element is bar.target or not bar.element.clickable)
    )
    box = find_search_box(scene) or (bar.target if bar is not None and own else None)
    memory = scene.memory.write
    if memory.phase in ("typed", "entered"):
        return _check_search(scene, step.text, box)
    if box is not None:
        scene.remember_record(replace(memory, phase="typed", results=_list_results(scene)))
        thought = scene.say(f"搜索“{step.text}”", f"Searching for “{step.text}”")
        return make_act(thought, *fill_field(box, step.text, clear=bool(box.value)))
    button = find_search_button(scene)
    if button is not None and button.name and scene.list_fields():
        # the button of a form that has other fields: pressed now, it would search for nothing
        names = scene.quote_names(field.text or field.id for field in scene.list_fields())
        return scene.fail_with(
            f"这里没有单独的搜索框，只有{names}：请说明每一项填什么。",
            f"There is no search box here, only {names}: say what goes into each of them.",
        )
    if button is not None and memory.phase != "opened":
        scene.remember_record(replace(memory, phase="opened"))
        return make_act(scene.say("打开搜索", "Opening the search"), touch_element(button))
    if memory.phase == "opened" and memory.looks < 1:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("等搜索框出现", "Waiting for the search box"))
    return fail_not_found(scene, scene.say("搜索框", "a search box"), list(find_nearest_names("search", scene.tree)))


def _check_search(scene: Scene, text: str, box: Element | None) -> Outcome:
    if scene.trouble:
        scene.judge_last(False, scene.trouble)
        return scene.fail_with(f"搜索没有成功：{scene.trouble}。", f"The search failed: {scene.trouble}.")
    stands = box is not None and holds_text(box, text)
    memory = scene.memory.write
    changed = memory.results != _list_results(scene)
    if memory.phase == "typed" and stands and not (changed and _is_hit(scene, text)):
        scene.remember_record(replace(memory, phase="entered"))
        if enter := press_enter(scene):
            return enter
    if changed or _is_filtered(scene, text):
        scene.judge_last(True)
        return scene.finish_with(f"搜索了“{text}”", f"searched for “{text}”", Proof("changed", text))
    scene.remember_record(replace(scene.memory.write, looks=memory.looks + 1))
    if stands and (patient := wait_for_effect(scene, memory.looks)):
        return patient
    scene.judge_last(False)
    if not stands:
        return scene.fail_with(f"“{text}”没有输入到搜索框里。", f"“{text}” could not be typed into the search box.")
    return scene.fail_with(
        f"“{text}”在搜索框里，但显示的内容没有变化：看不出搜索过。",
        f"“{text}” is in the search box, but what is shown did not change: nothing shows that it was searched for.",
    )


def _list_results(scene: Scene) -> str:
    """Return what is shown besides the fields, and where, in short."""
    front = scene.briefing.observation.title, scene.briefing.observation.address
    shown = [re.sub(r"\d", "", e.text) for e in scene.elements if e.text and not e.editable and e.role != "button"]
    return str(crc32(repr((scene.app, front, shown)).encode()))


def _is_filtered(scene: Scene, text: str) -> bool:
    """True if everything that is listed fits already, so that a search can't change it."""
    listed = [e for e in scene.elements if e.role == "item" and scene.tree.label_of(e)]
    return bool(listed) and all(fold_name(text) in fold_name(scene.tree.label_of(e)) for e in listed)


def _is_hit(scene: Scene, text: str) -> bool:
    wanted = fold_name(text)
    return any(wanted in fold_name(e.text) for e in scene.elements if e.text and not e.editable)


def set_value(step: say.SetValue, scene: Scene) -> Outcome:
    """A cell or a field is rewritten, a slider is dragged to its share, a list is opened and chosen from."""
    cell = read_cell_name(scene, step.target) if scene.is_desktop else ""
    return write_cell(scene, cell, step.value) if cell else _set_control(step, scene)


def _set_control(step: say.SetValue, scene: Scene) -> Outcome:
    days = list_days(step.value)
    if len(days) == 1 and (parts := find_segments(scene, step.target)):
        return fill_segments(step, scene, parts, days[0])
    field = scene.find_element(step.target, "editable").best or _find_moment_field(scene, step)
    if scene.memory.write.typed:
        if len(days) == 1 and scene.memory.write.phase != "opened" and (chosen := take_day(step, scene, days[0])):
            return chosen
        focused = next((f for f in scene.list_fields() if f.focused), None)
        at = field.target if field else focused
        return _check_written(scene, at, step.value) if at else _fail_unread(scene, step)
    slider = _find_slider(scene, step.target)
    if slider is not None and (field is None or scene.memory.write.slid or _RANGE.fullmatch(slider.hint)):
        return _set_slider(scene, slider, step)
    if scene.memory.write.slid:
        return _check_slider(scene, step)
    return _set_field(scene, field.target, step) if field is not None else _set_otherwise(scene, step)


def _set_otherwise(scene: Scene, step: say.SetValue) -> Outcome:
    """What is neither a field nor a slider here: a switch, or it stands on another page."""
    control = scene.find_element(step.target, "checkable").best
    if control is not None:
        on = step.value.strip().casefold() in {"on", "true", "yes", "开", "开启", "打开"}
        return toggle_switch(say.Toggle(step.source, step.target, on), scene)
    away = open_home(scene, step.target, also_from_an_app=not scene.first and not scene.kept.left_over)
    return away or _set_deeper(scene, step)


def _set_slider(scene: Scene, slider: Element, step: say.SetValue) -> Outcome:
    if ends := _RANGE.fullmatch(slider.hint):
        return _set_page_slider(scene, slider, float(ends[1]), float(ends[2]), step)
    if slider.source == "dom" and scene.can_do("key"):
        return slide_by_keys(step, scene, slider)
    return _check_slider(scene, step) if scene.memory.write.slid else _drag_slider(scene, slider, step)


def _set_field(scene: Scene, field: Element, step: say.SetValue) -> Outcome:
    if is_select_box(field):
        return select_option(say.Select(step.source, step.value, step.target), scene)
    days = list_days(step.value)
    if days and field.enabled and not field.editable:
        return pick_date(step, scene, field, days[0])
    if not (field.editable and field.enabled):
        return fail_fixed(scene, field, step.target)
    return type_into(scene, field, step.value, clear=True)


_FORMATS = {"date": "YYYY-MM-DD", "time": "HH:MM"}


def _find_moment_field(scene: Scene, step: say.SetValue) -> Candidate | None:
    """A field for dates or times often has no name: it is meant where it is the only one of its kind."""
    name = read_description(step.target).name
    wanted = next((hint for word, hint in _FORMATS.items() if is_same_word(name, word)), "")
    fields = [f for f in scene.list_fields() if wanted and f.hint == wanted]
    return Candidate(fields[0], fields[0], 1.0, step.target) if len(fields) == 1 else None


def _set_deeper(scene: Scene, step: say.SetValue) -> Outcome:
    """A row of that name leads to the page, or to the choices."""
    memory = scene.memory.write
    if memory.entered:
        option = scene.find_element(step.value, "clickable").best
        if option is not None and not memory.chosen:
            scene.remember_record(replace(memory, chosen=True))
            return make_act(scene.say(f"选择“{step.value}”", f"Choosing “{step.value}”"), touch_element(option.target))
        if memory.chosen:
            return _check_chosen(scene, step)
    found = locate_thing(scene, step.target, "any" if memory.entered else "clickable")
    if not isinstance(found, Candidate):
        return found
    if memory.entered or not found.target.clickable:
        return scene.fail_with(
            f"在这个页面上无法把“{step.target}”设为“{step.value}”。",
            f"“{step.target}” can't be set to “{step.value}” on this screen.",
        )
    scene.remember_record(replace(memory, entered=True))
    return make_act(scene.say(f"进入“{found.label}”", f"Going into “{found.label}”"), touch_element(found.target))


def _check_chosen(scene: Scene, step: say.SetValue) -> Outcome:
    """The row shows the value now, or the choice itself is marked."""
    memory, value = scene.memory.write, value_of(scene, step.target)
    marked = [e for e in scene.elements if (e.checked or e.selected) and is_same_word(e.text, step.value)]
    if marked or (value and fold_name(step.value) in fold_name(value)):
        scene.judge_last(True)
        return _finish_set(scene, step)
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    return wait_for_effect(scene, memory.looks) or _fail_unread(scene, step)


def _fail_unread(scene: Scene, step: say.SetValue) -> Failed:
    scene.judge_last(False)
    return scene.fail_with(
        f"看不到“{step.target}”现在的值，无法证明它是“{step.value}”。",
        f"What “{step.target}” is now can't be read: that it is “{step.value}” can't be shown.",
    )


def _find_slider(scene: Scene, target: str) -> Element | None:
    sliders = [e for e in scene.elements if e.role == "slider"]
    for candidate in scene.find_element(target).candidates:
        named = candidate.element
        if named.role == "slider":
            return named
        if candidate.score >= 0.7:
            beside = scene.tree.find_control_beside(named, sliders) or scene.tree.find_field_below(named, sliders)
            if beside:
                return beside
    return None


def _read_share(value: str) -> float | None:
    found = re.search(r"-?\d+(?:\.\d+)?", value)
    if found:
        share = float(found[0]) / 100
        return share if 0 <= share <= 1 else None
    words = {"max": 1.0, "maximum": 1.0, "最大": 1.0, "最高": 1.0, "最亮": 1.0, "min": 0.0, "minimum": 0.0, "最小": 0.0,
             "最低": 0.0, "最暗": 0.0, "half": 0.5, "一半": 0.5}  # fmt: skip
    return words.get(value.strip().casefold())


_RANGE = re.compile(r"(-?\d+(?:\.\d+)?) to (-?\d+(?:\.\d+)?)")


def _set_page_slider(scene: Scene, slider: Element, low: float, high: float, step: say.SetValue) -> Outcome:
    """A slider of a web page tells from where to where it goes, and takes a value exactly."""
    given, share = re.search(r"-?\d+(?:\.\d+)?", step.value), _read_share(step.value)
    if given and not step.value.rstrip().endswith(("%", "percent", "％")):
        wanted = float(given[0])
    elif share is not None:
        wanted = low + share * (high - low)
    else:
        return _fail_no_share(scene, step)
    if not low <= wanted <= high:
        return scene.fail_with(
            f"“{step.target}”只能从 {low:g} 到 {high:g}。", f"“{step.target}” goes only from {low:g} to {high:g}."
        )
    memory = scene.memory.write
    if memory.slid and slider.value == f"{wanted:g}":
        scene.judge_last(True)
        return _finish_set(scene, step)
    if memory.slid >= MAX_TRIES:
        return scene.fail_with(
            f"“{step.target}”停在 {slider.value}，没有到 {wanted:g}。",
            f"“{step.target}” stopped at {slider.value}, not at {wanted:g}.",
        )
    scene.remember_record(replace(memory, slid=memory.slid + 1))
    box = slider.bounds
    thumb = min(box.height, box.width)  # its middle never reaches the ends of the slider
    x = round(box.left + thumb / 2 + (box.width - thumb) * (wanted - low) / ((high - low) or 1))
    thought = scene.say(f"把“{step.target}”设为 {wanted:g}", f"Setting “{step.target}” to {wanted:g}")
    press = Click(x=x, y=box.center[1], target=slider.name)
    return make_act(thought, press, Type(text=f"{wanted:g}", target=slider.name))


def _fail_no_share(scene: Scene, step: say.SetValue) -> Failed:
    return scene.fail_with(
        f"“{step.value}”不能用于滑块，请给出百分比。",
        f"“{step.value}” is not a value for a slider: give a percentage.",
    )


def _drag_slider(scene: Scene, slider: Element, step: say.SetValue) -> Outcome:
    if (share := _read_share(step.value)) is None:
        return _fail_no_share(scene, step)
    box, memory = slider.bounds, scene.memory.write
    x = min(box.right - 2, max(box.left + 1, round(box.left + box.width * share) + memory.shift))
    scene.remember_record(replace(memory, slid=memory.slid + 1))
    from_x, y = box.center
    percent = round(share * 100)
    thought = scene.say(f"把“{step.target}”滑到 {percent}%", f"Sliding “{step.target}” to {percent} %")
    return make_act(thought, Swipe(x=from_x, y=y, to_x=x, to_y=y, duration_ms=500, target=slider.text))


def _check_slider(scene: Scene, step: say.SetValue) -> Outcome:
    """A percentage beside the slider tells; a few points beside it are corrected, then accepted."""
    wanted = round((_read_share(step.value) or 0) * 100)
    slider = _find_slider(scene, step.target)
    shown = _read_percent_near(scene, slider) if slider else None
    memory, tries = scene.memory.write, scene.memory.write.slid
    if shown is None:
        return _fail_unread(scene, step)
    if abs(shown - wanted) <= (1 if tries < MAX_SLIDES else COARSE):
        scene.judge_last(True)
        return _finish_set(scene, step, scene.say(f"，显示 {shown}%", f" (it shows {shown} %)"))
    scene.judge_last(False, f"{shown} %")
    if slider is None or tries >= MAX_SLIDES:
        return scene.fail_with(
            f"“{step.target}”停在 {shown}%，没有到 {wanted}%。",
            f"“{step.target}” stopped at {shown} %, not at {wanted} %.",
        )
    scene.remember_record(replace(memory, shift=memory.shift + round((wanted - shown) / 100 * slider.bounds.width)))
    return _drag_slider(scene, slider, step)


def _read_percent_near(scene: Scene, slider: Element) -> int | None:
    texts = [e for e in scene.elements if re.fullmatch(r"\d{1,3}\s*%", e.text.strip())]
    nearest = scene.tree.find_nearest(slider, texts)
    own = re.fullmatch(r"\s*(\d{1,3})(?:\.\d+)?\s*%?\s*", slider.value)
    if nearest is not None:
        return int(re.sub(r"\D", "", nearest.text))
    return int(own[1]) if own else None


def _finish_set(scene: Scene, step: say.SetValue, seen: str = "") -> Finished:
    told = scene.say(f"把“{step.target}”设为“{step.value}”", f"set “{step.target}” to “{step.value}”")
    return Finished(told + seen, Proof("value", step.target, step.value))
