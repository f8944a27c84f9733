"""Open and close: apps, addresses, pages, switches. What 打开 means is decided by what it is applied to."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

from deskhand.core.actions import Back, Home, OpenApp, OpenUrl, Scroll, Type
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.lexicon import lexicon
from deskhand.roles.offline.memory import OpenMemory
from deskhand.roles.offline.outcome import Failed, Finished, Outcome, act
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies import obstacles
from deskhand.roles.offline.strategies.homes import is_a
from deskhand.roles.offline.strategies.hunting import locate
from deskhand.roles.offline.strategies.toggling import toggle
from deskhand.roles.offline.strategies.touching import find, touch
from deskhand.screen.grounding.find import Candidate, nearest_names
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.vocabulary import fold, same_word, synonyms


def is_switch(scene: Scene, name: str) -> bool:
    """Is it something that is on or off: by its name, or because it stands beside a switch here?"""
    bare = read_description(name).name or name
    if any(same_word(bare, word) for word in lexicon().extra["toggles"]):
        return True
    if any(is_a(kind, name) for kind in lexicon().extra["toggle_kinds"]):
        return True
    beside, thing = scene.find(name, "checkable").best, scene.find(name, "clickable").best
    if beside is None or scene.on_home_screen:
        return False
    return beside.score >= 0.7 and (thing is None or thing.score - beside.score < 0.1)


def open_thing(step: say.Open, scene: Scene) -> Outcome:
    name = app_name(step.name)
    if not scene.memory.open.way:
        scene.remember(OpenMemory(way=_way(scene, step.name, name)))
    match scene.memory.open.way:
        case "switch":
            return toggle(say.Toggle(step.source, name, True), scene)
        case "touch":
            return find(say.Find(step.source, step.name), scene)
        case "icon":
            return _by_icon(scene, name)
        case "page":
            return _by_hunting(scene, step, name)
        case _:
            return _by_name(scene, step, name)


def _way(scene: Scene, said: str, name: str) -> Literal["switch", "touch", "app", "icon"]:
    query = read_description(said)
    if is_switch(scene, name):
        return "switch"
    if query.ordinal or query.relation or query.position:
        return "touch"
    if not scene.first and not scene.on_home_screen and _named_here(scene, name):
        return "touch"
    return "app" if scene.can("open_app") else "icon"


def _named_here(scene: Scene, name: str) -> Element | None:
    """A thing on this page that is called exactly so and takes clicks."""
    found = scene.find(name, "clickable").best
    return found.target if found is not None and found.score >= 0.95 and found.target.clickable else None


def app_name(said: str) -> str:
    """The bare name: no article, no `app`, `应用`, `软件`."""
    name = re.sub(r"^(the|my|a|an)\s+", "", said.strip(), flags=re.IGNORECASE)
    return (
        re.sub(r"\s*(应用程序|应用|软件|程序|\bapp\b|\bapplication\b)\s*$", "", name, flags=re.IGNORECASE).strip()
        or name
    )


def _by_name(scene: Scene, step: say.Open, name: str) -> Outcome:
    memory = scene.memory.open
    tried = memory.tried
    if tried and not scene.trouble:
        if scene.covered:
            return obstacles.put_away(scene) or _covered(scene, name)
        if scene.on_home_screen and not memory.looked:
            scene.remember(replace(memory, looked=True))
            return act(scene.say("等应用打开", "Waiting for the app to open"), OpenApp(name=tried[-1]))
        scene.judge(not scene.on_home_screen)
        if scene.on_home_screen:
            return Failed(
                scene.say(
                    f"“{name}”没有打开：桌面仍在最前面。", f"“{name}” did not open: the home screen is still in front."
                )
            )
        return Finished(scene.say(f"打开了“{name}”", f"opened {name}"))
    if tried:
        scene.judge(False, scene.trouble)
        memory = replace(memory, error=memory.error or scene.trouble)
    inside = not scene.first and not scene.on_home_screen
    others = [s for s in synonyms(name) if s not in tried][:1] if tried else [name]
    if others and len(tried) < (1 if inside else 2):
        scene.remember(replace(memory, tried=(*tried, others[0])))
        return act(scene.say(f"打开应用“{others[0]}”", f"Opening the app “{others[0]}”"), OpenApp(name=others[0]))
    scene.remember(replace(memory, way="page" if inside else "icon"))
    return _by_hunting(scene, step, name) if inside else _by_icon(scene, name)


def _covered(scene: Scene, name: str) -> Failed:
    seen = ", ".join(f"“{text}”" for text in nearest_names(name, scene.tree, 3))
    return Failed(scene.say(f"“{name}”被系统界面挡住了：{seen}。", f"“{name}” is covered by the system: {seen}."))


def _by_icon(scene: Scene, name: str) -> Outcome:
    """On the home screen, by the icon's name; pages are turned until they repeat."""
    memory = scene.memory.open
    if memory.touched:
        if scene.on_home_screen or scene.trouble:
            return _no_app(scene, name)
        scene.judge(True)
        return Finished(scene.say(f"打开了“{name}”", f"opened {name}"))
    if not scene.on_home_screen and not memory.went_home:
        scene.remember(replace(memory, went_home=True))
        return (
            act(scene.say("回到桌面找图标", "Going to the home screen"), Home())
            if scene.can("home")
            else _no_app(scene, name)
        )
    found = scene.find(name, "clickable").best
    if found is not None and found.score >= 0.9:
        scene.remember(replace(memory, touched=name))
        return act(scene.say(f"点击图标“{name}”", f"Clicking the icon “{name}”"), touch(found.target))
    if away := obstacles.put_away(scene):
        return away
    if scene.print in memory.pages or len(memory.pages) >= 5 or not scene.can("scroll"):
        return _no_app(scene, name)
    scene.remember(replace(memory, pages=(*memory.pages, scene.print)))
    return act(scene.say("翻到下一页桌面", "Turning to the next page of icons"), Scroll(direction="right", pages=0.8))


def _no_app(scene: Scene, name: str) -> Failed:
    error = scene.memory.open.error
    told = f"（{error}）" if error else ""
    told_en = f" ({error})" if error else ""
    return Failed(scene.say(f"没有名为“{name}”的应用{told}。", f"There is no app called “{name}”{told_en}."))


def _by_hunting(scene: Scene, step: say.Open, name: str) -> Outcome:
    outcome = find(say.Find(step.source, name), scene)
    return _no_app(scene, name) if isinstance(outcome, Failed) and scene.memory.open.error else outcome


def visit(step: say.Visit, scene: Scene) -> Outcome:
    """By the device itself, else by typing into an address bar."""
    if scene.memory.open.went:
        if scene.trouble:
            return Failed(
                scene.say(f"打不开 {step.url}：{scene.trouble}", f"{step.url} can't be opened: {scene.trouble}")
            )
        if told := _unreachable(scene):
            scene.judge(False, told)
            return Failed(scene.say(f"打不开 {step.url}：“{told}”", f"{step.url} can't be opened: “{told}”"))
        scene.judge(True)
        return Finished(scene.say(f"打开了 {step.url}", f"opened {step.url}"))
    scene.remember(OpenMemory(went=True))
    if scene.can("open_url"):
        url = step.url if re.match(r"[a-z]+:", step.url, re.IGNORECASE) else f"http://{step.url}"
        return act(scene.say(f"访问 {url}", f"Visiting {url}"), OpenUrl(url=url))
    bar = scene.find("address bar", "editable").best
    if bar is None:
        return Failed(scene.say("没有看到可以输入网址的地方。", "There is no address bar to type into."))
    typing = Type(text=step.url, clear_first=True, press_enter=True, target=bar.label)
    return act(scene.say(f"输入网址 {step.url}", f"Typing {step.url}"), touch(bar.target), typing)


def _unreachable(scene: Scene) -> str:
    """The browser's own words instead of the page."""
    openers = tuple(fold(words) for words in lexicon().extra["unreachable"])
    return next((e.text for e in scene.elements if e.text and fold(e.text).startswith(openers)), "")


def close_thing(step: say.Close, scene: Scene) -> Outcome:
    if not scene.memory.open.way:
        scene.remember(OpenMemory(way="switch" if is_switch(scene, step.target) else "close"))
    memory = scene.memory.open
    if memory.way == "switch":
        return toggle(say.Toggle(step.source, step.target, False), scene)
    if memory.closed:
        changed = memory.print != scene.print
        scene.judge(changed)
        if not changed:
            return Failed(scene.say(f"“{step.target}”没有关掉。", f"“{step.target}” did not close."))
        return Finished(scene.say(f"关闭了“{step.target}”", f"closed “{step.target}”"))
    scene.remember(replace(memory, closed=True, print=scene.print))
    parts = obstacles.dialog(scene)
    button = obstacles.refusal(parts) if parts else None
    if button is not None:
        return act(scene.say("关闭对话框", "Closing the dialog"), touch(button))
    if means_here(step.target) and scene.can("back"):
        return act(scene.say("返回以关闭", "Going back to close it"), Back())
    closer = scene.find("Close", "clickable").best
    if closer is not None:
        return act(scene.say("点击关闭", "Clicking close"), touch(closer.target))
    if scene.find(step.target).status != "nothing" or _in_front(scene, step.target):
        return act(scene.say("返回以关闭", "Going back to close it"), Back())
    found = locate(scene, step.target, "clickable", stages=("scroll",))
    if isinstance(found, Candidate):
        return act(scene.say("返回以关闭", "Going back to close it"), Back())
    scene.remember(replace(memory, closed=False))
    return found


def means_here(target: str) -> bool:
    """The page, the screen, the dialog: whatever is in front."""
    return any(fold(target).removeprefix("the").removeprefix("this") == fold(w) for w in lexicon().extra["here"])


def _in_front(scene: Scene, name: str) -> bool:
    front = fold(scene.app + scene.briefing.observation.title)
    return any(fold(word) in front for word in (app_name(name), *synonyms(app_name(name))) if fold(word))
