"""Tells what stands in a note, and what the weather is in a place, as the phone's own apps show it."""

import re
from dataclasses import replace

from deskhand.core.actions import Answer
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.outcome import Finished, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.checking import read_value
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import locate_thing
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.tree import measure_distance
from deskhand.screen.grounding.vocabulary import fold_name

_DEGREES = re.compile(r"-?\d{1,3}\s*°\s*[CFcf]?|-?\d{1,3}\s*℃")
LOOKS = 2


def _give_answer(scene: Scene, text: str) -> Outcome:
    scene.remember_record(replace(scene.memory.check, answer=text))
    return make_act(scene.say(f"回答：{text}", f"Answering: {text}"), Answer(text=text))


def read_note(step: say.ReadNote, scene: Scene) -> Outcome:
    """Open the note by its title; what its page holds beside the title is told."""
    if scene.memory.check.answer is not None:
        return Finished(scene.memory.check.answer, Proof("answered"))
    if not scene.can_do("open_app"):
        return read_value(say.Read(step.source, step.target), scene)
    memory = scene.memory.phone
    if memory.phase == "opened":
        return _tell_note(scene, step)
    if not scene.find_shown(step.target):
        if away := dismiss_dialog(scene):
            return away
        if away := open_home(scene, "note", also_from_an_app=not scene.kept.left_over):
            return away
    found = locate_thing(scene, f"“{step.target}”", "clickable", stages=("scroll",))
    if not isinstance(found, Candidate):
        return found
    if fold_name(found.element.text) != fold_name(step.target) and not scene.find_shown(step.target):
        return scene.fail_with(
            f"没有标题是“{step.target}”的笔记。", f"There is no note with the title “{step.target}”."
        )
    scene.remember_record(replace(memory, phase="opened", print=scene.print))
    return make_act(scene.say(f"打开“{step.target}”", f"Opening “{step.target}”"), touch_element(found.target))


def _tell_note(scene: Scene, step: say.ReadNote) -> Outcome:
    memory = scene.memory.phone
    texts = [e for e in scene.elements if (e.value or e.text) and (e.editable or not e.clickable)]
    bodies = [e for e in texts if fold_name(e.value or e.text) != fold_name(step.target)]
    body = max(bodies, key=lambda e: (e.editable, e.bounds.area), default=None)
    titled = any(fold_name(e.value or e.text) == fold_name(step.target) for e in scene.elements)
    if body is not None and titled and memory.print != scene.print:
        return _give_answer(scene, f"{step.target}{scene.say('：', ': ')}{body.value or body.text}")
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if memory.looks < LOOKS:
        return look_again(scene.say("等笔记打开", "Waiting for the note"))
    return scene.fail_with(f"读不出笔记“{step.target}”。", f"The note “{step.target}” can't be read.")


def read_weather(step: say.ReadWeather, scene: Scene) -> Outcome:
    """Choose the place in the weather app; the largest degrees on its page and the word below them are told."""
    if scene.memory.check.answer is not None:
        return Finished(scene.memory.check.answer, Proof("answered"))
    if not scene.can_do("open_app"):
        return read_value(say.Read(step.source, f"{step.place}{scene.say('的天气', ' weather')}"), scene)
    memory = scene.memory.phone
    shown = _find_degrees(scene)
    if shown is None:
        if away := dismiss_dialog(scene):
            return away
        if away := open_home(scene, "weather", also_from_an_app=not scene.kept.left_over):
            return away
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        if memory.looks < LOOKS:
            return look_again(scene.say("等天气出现", "Waiting for the weather"))
        return scene.fail_with("没有看到天气。", "No weather is on the screen.")
    if _is_titled(scene, step.place):
        word = _find_word(scene, shown)
        return _give_answer(scene, f"{step.place}{scene.say('：', ': ')}{shown.text}{f', {word}' if word else ''}")
    found = locate_thing(scene, step.place, "clickable", stages=("scroll",))
    if not isinstance(found, Candidate):
        return found
    if memory.moves:
        return scene.fail_with(f"没能看到“{step.place}”的天气。", f"The weather of “{step.place}” could not be shown.")
    scene.remember_record(replace(memory, moves=1))
    return make_act(scene.say(f"选择“{step.place}”", f"Choosing “{step.place}”"), touch_element(found.target))


def _find_degrees(scene: Scene) -> Element | None:
    texts = [e for e in scene.elements if _DEGREES.fullmatch(e.text.strip())]
    return max(texts, key=lambda e: e.bounds.height, default=None)


def _is_titled(scene: Scene, place: str) -> bool:
    """True if the page is that place's: its name is a heading, which nobody can tap, in the upper third."""
    top = scene.tree.screen.height / 3
    return any(not e.clickable and e.bounds.top < top for e in scene.find_shown(place))


def _find_word(scene: Scene, degrees: Element) -> str:
    """Return the word nearest below the degrees: sunny, 小雨."""
    below = [
        e for e in scene.elements
        if e.text and not e.clickable and e.bounds.top >= degrees.bounds.bottom - 8
        and not any(c.isdigit() for c in e.text)
    ]  # fmt: skip
    nearest = min(below, key=lambda e: measure_distance(e.bounds, degrees.bounds), default=None)
    return nearest.text if nearest is not None else ""
