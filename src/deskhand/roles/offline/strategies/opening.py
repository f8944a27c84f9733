"""Open and close: apps, addresses, pages, switches. What 打开 means is decided by what it is applied to."""

import re
from dataclasses import replace
from typing import Literal

from deskhand.app_names import fold_name as fold_app
from deskhand.app_names import load_known_names
from deskhand.core.actions import ASKS_BACK, Back, Home, ManageWindow, OpenApp, OpenUrl, Scroll, Type
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.memory import OpenMemory
from deskhand.roles.offline.outcome import Failed, Finished, Outcome, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies import obstacles
from deskhand.roles.offline.strategies.homes import is_kind_of
from deskhand.roles.offline.strategies.hunting import locate_thing
from deskhand.roles.offline.strategies.toggling import toggle_switch
from deskhand.roles.offline.strategies.touching import find_thing, tap_thing
from deskhand.screen.grounding.find import Candidate, find_nearest_names
from deskhand.screen.grounding.query import Query, read_description
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word, synonyms_of


def is_switch(scene: Scene, name: str) -> bool:
    """True if it can be on or off: by its name, or because it stands beside a switch on this screen."""
    bare = read_description(name).name or name
    if any(is_same_word(bare, word) for word in load_lexicon().extra["toggles"]):
        return True
    if any(is_kind_of(kind, name) for kind in load_lexicon().extra["toggle_kinds"]):
        return True
    beside, thing = scene.find_element(name, "checkable").best, scene.find_element(name, "clickable").best
    if beside is None or scene.on_home_screen:
        return False
    return beside.score >= 0.7 and (thing is None or thing.score - beside.score < 0.1)


def open_thing(step: say.Open, scene: Scene) -> Outcome:
    name = bare_app_name(step.name)
    if not scene.memory.open.way:
        scene.remember_record(OpenMemory(way=_choose_way(scene, step.name, name)))
    match scene.memory.open.way:
        case "switch":
            return toggle_switch(say.Toggle(step.source, name, True), scene)
        case "touch":
            return find_thing(say.Find(step.source, step.name), scene)
        case "entry":
            return tap_thing(say.Tap(step.source, step.name, "double_click"), scene)
        case "part":
            return tap_thing(say.Tap(step.source, step.name), scene)
        case "icon":
            return _open_by_icon(scene, name)
        case "page":
            return _open_by_hunting(scene, step, name)
        case _:
            return _open_by_name(scene, step, name)


def _choose_way(scene: Scene, said: str, name: str) -> Literal["switch", "touch", "part", "entry", "app", "icon"]:
    query = read_description(said)
    if is_switch(scene, name):
        return "switch"
    if query.ordinal or query.relation or query.position:
        return "touch"
    if scene.is_web_page and "tab" in query.roles and query.name:
        return "part"  # a page has no apps, and the tab may be said to belong to it only by its kind
    if scene.is_desktop and (kind := _read_kind(said, query)):
        return kind
    here = scene.find_element(name, "clickable").best if not scene.first and not scene.on_home_screen else None
    if here is not None and here.score >= 0.95 and here.target.clickable:
        return "touch"
    return "app" if scene.can_do("open_app") else "icon"


_ENTRY = re.compile(r"(?:the\s+|my\s+)?(?:folder|file|directory|document)\s|文件夹|文件|目录|文档", re.IGNORECASE)


def _read_kind(said: str, query: Query) -> Literal["", "part", "entry"]:
    """`the Tools menu`, `the folder Papers`: what is called so is a part of a program, and no program."""
    if query.roles & {"menu", "tab", "button", "link"} and query.name:
        return "part"
    return "entry" if "item" in query.roles and query.name and _ENTRY.match(said.strip()) else ""


def bare_app_name(said: str) -> str:
    """The bare name: no article, no `app`, `应用`, `软件`."""
    name = re.sub(r"^(the|my|a|an)\s+", "", said.strip(), flags=re.IGNORECASE)
    bare = re.sub(r"\s*(应用程序|应用|软件|程序|\bapp\b|\bapplication\b)\s*$", "", name, flags=re.IGNORECASE)
    return bare.strip() or name


def _open_by_name(scene: Scene, step: say.Open, name: str) -> Outcome:
    memory = scene.memory.open
    tried = memory.tried
    if tried and not scene.trouble:
        if scene.covered:
            seen = ", ".join(f"“{text}”" for text in find_nearest_names(name, scene.tree, 3))
            return obstacles.dismiss_dialog(scene) or scene.fail_with(
                f"“{name}”被系统界面挡住了：{seen}。", f"“{name}” is covered by a system window: {seen}."
            )
        if scene.on_home_screen and not memory.looked:
            scene.remember_record(replace(memory, looked=True))
            return make_act(scene.say("等应用打开", "Waiting for the app to open"), OpenApp(name=tried[-1]))
        scene.judge_last(not scene.on_home_screen)
        if scene.on_home_screen:
            return scene.fail_with(
                f"“{name}”没有打开：桌面仍在最前面。", f"“{name}” did not open: the home screen is still in front."
            )
        return _tell_opened(scene, name)
    if tried:
        scene.judge_last(False, scene.trouble)
        memory = replace(memory, error=memory.error or scene.trouble)
    inside = not scene.first and not scene.on_home_screen
    others = [s for s in synonyms_of(name) if s not in tried][:1] if tried else [name]
    if others and len(tried) < (1 if inside else 2):
        scene.remember_record(replace(memory, tried=(*tried, others[0])))
        return make_act(scene.say(f"打开应用“{others[0]}”", f"Opening the app “{others[0]}”"), OpenApp(name=others[0]))
    scene.remember_record(replace(memory, way="page" if inside else "icon"))
    return _open_by_hunting(scene, step, name) if inside else _open_by_icon(scene, name)


def _open_by_icon(scene: Scene, name: str) -> Outcome:
    """On the home screen, by the icon's name; pages are turned until they repeat."""
    memory = scene.memory.open
    if memory.touched:
        if scene.on_home_screen or scene.trouble:
            return _fail_no_app(scene, name)
        scene.judge_last(True)
        return scene.finish_with(f"打开了“{name}”", f"opened {name}", Proof("front", name, scene.app))
    if not scene.on_home_screen and not memory.went_home:
        if not scene.can_do("home"):
            return _fail_no_app(scene, name)
        scene.remember_record(replace(memory, went_home=True))
        return make_act(scene.say("回到桌面找图标", "Going to the home screen"), Home())
    found = scene.find_element(name, "clickable").best
    if found is not None and found.score >= 0.9:
        scene.remember_record(replace(memory, touched=name))
        return make_act(scene.say(f"点击图标“{name}”", f"Clicking the icon “{name}”"), touch_element(found.target))
    if away := obstacles.dismiss_dialog(scene):
        return away
    if scene.print in memory.pages or len(memory.pages) >= 5 or not scene.can_do("scroll"):
        return _fail_no_app(scene, name)
    scene.remember_record(replace(memory, pages=(*memory.pages, scene.print)))
    return make_act(
        scene.say("翻到下一页桌面", "Turning to the next page of icons"), Scroll(direction="right", pages=0.8)
    )


def _fail_no_app(scene: Scene, name: str) -> Failed:
    error = scene.memory.open.error
    if error and name in error:  # the device has said the same, and which apps there are
        return scene.fail_with(f"{error}。", f"{error}.")
    told = scene.say(f"（{error}）", f" ({error})") if error else ""
    return scene.fail_with(f"没有名为“{name}”的应用{told}。", f"There is no app called “{name}”{told}.")


def _open_by_hunting(scene: Scene, step: say.Open, name: str) -> Outcome:
    outcome = find_thing(say.Find(step.source, name), scene)
    return _fail_no_app(scene, name) if isinstance(outcome, Failed) and scene.memory.open.error else outcome


def visit_address(step: say.Visit, scene: Scene) -> Outcome:
    """By the device itself, else by typing into an address bar."""
    if scene.memory.open.went:
        if scene.trouble:
            return scene.fail_with(
                f"打不开 {step.url}：{scene.trouble}。", f"{step.url} can't be opened: {scene.trouble}."
            )
        # a browser that shows an error instead of the page
        openers = tuple(fold_name(words) for words in load_lexicon().extra["unreachable"])
        if told := next((e.text for e in scene.elements if e.text and fold_name(e.text).startswith(openers)), ""):
            scene.judge_last(False, told)
            return scene.fail_with(f"打不开 {step.url}：“{told}”", f"{step.url} can't be opened: “{told}”")
        scene.judge_last(True)
        return scene.finish_with(f"打开了 {step.url}", f"opened {step.url}", Proof("front", step.url, scene.app))
    scene.remember_record(OpenMemory(went=True))
    if scene.can_do("open_url"):
        url = step.url if re.match(r"[a-z]+:", step.url, re.IGNORECASE) else f"http://{step.url}"
        return make_act(scene.say(f"访问 {url}", f"Visiting {url}"), OpenUrl(url=url))
    bar = scene.find_element("address bar", "editable").best
    if bar is None or not bar.target.editable:
        return scene.fail_with("没有看到可以输入网址的地方。", "There is no address bar to type into.")
    typing = Type(text=step.url, clear_first=True, press_enter=True, target=bar.label)
    return make_act(scene.say(f"输入网址 {step.url}", f"Typing {step.url}"), touch_element(bar.target), typing)


def close_thing(step: say.Close, scene: Scene) -> Outcome:
    if not scene.memory.open.way:
        scene.remember_record(OpenMemory(way=_choose_closing(scene, step.target)))
    memory = scene.memory.open
    if memory.way == "switch":
        return toggle_switch(say.Toggle(step.source, step.target, False), scene)
    if memory.way == "window":
        return _close_window(scene, step.target)
    if memory.closed:
        changed = memory.print != scene.print
        scene.judge_last(changed)
        if not changed:
            return scene.fail_with(
                f"“{step.target}”没有关掉：画面没有变化。", f"“{step.target}” did not close: the screen is unchanged."
            )
        return scene.finish_with(f"关闭了“{step.target}”", f"closed “{step.target}”", Proof("changed"))
    scene.remember_record(replace(memory, closed=True, print=scene.print))
    parts = obstacles.find_dialog(scene)
    button = obstacles.find_refusal(parts) if parts else None
    if button is not None:
        return make_act(scene.say("关闭对话框", "Closing the dialog"), touch_element(button))
    going_back = make_act(scene.say("返回以关闭", "Going back to close it"), Back())
    if means_here(step.target) and scene.can_do("back"):
        return going_back
    closer = scene.find_element("Close", "clickable").best
    if closer is not None:
        return make_act(scene.say("点击关闭", "Clicking close"), touch_element(closer.target))
    if scene.find_element(step.target).status == "nothing" and not _is_in_front(scene, step.target):
        found = locate_thing(scene, step.target, "clickable", stages=("scroll",))
        if not isinstance(found, Candidate):
            scene.remember_record(replace(memory, closed=False))
            return found
    return going_back


def _choose_closing(scene: Scene, target: str) -> Literal["switch", "window", "close"]:
    """A dialog in front that is meant is put away by its own button."""
    if is_switch(scene, target):
        return "switch"
    dialog = means_here(target) and bool(obstacles.find_dialog(scene))
    return "window" if scene.is_desktop and not dialog else "close"


def _close_window(scene: Scene, target: str) -> Outcome:
    """By the window manager; done when the window is gone, else what it asks is told."""
    if not scene.memory.open.closed:
        scene.remember_record(replace(scene.memory.open, closed=True))
        title = "" if means_here(target) else bare_app_name(target)
        return make_act(scene.say(f"关闭“{target}”", f"Closing “{target}”"), ManageWindow(change="close", title=title))
    scene.judge_last(not scene.trouble, scene.trouble)
    if scene.trouble:
        return scene.fail_with(f"{scene.trouble}。", f"{scene.trouble}.")
    if ASKS_BACK in scene.told:
        asked = scene.told.partition(ASKS_BACK)[2].strip(": ")
        return scene.fail_with(
            f"“{target}”还没有关掉，它在问：{asked}。请在目标里说明怎么回答。",
            f"“{target}” is not closed yet; it asks: {asked}. Say in the goal how to answer.",
        )
    return scene.finish_with(f"关闭了“{target}”", f"closed “{target}”", Proof("gone", target, scene.told))


def _tell_opened(scene: Scene, name: str) -> Finished:
    """Say which program it was, where a name may mean several."""
    told = scene.told if scene.is_desktop else _name_other_app(scene, name)
    note = (f"（{told}）", f" ({told})") if told else ("", "")
    return scene.finish_with(f"打开了“{name}”{note[0]}", f"opened {name}{note[1]}", Proof("front", name, scene.app))


def _name_other_app(scene: Scene, name: str) -> str:
    """Return the name of the app in front where users do not call it by this one: `Notess` opens Notes."""
    known = load_known_names().get(scene.app, ())
    if not known or any(fold_app(each) == fold_app(name) for each in known):
        return ""
    return next((each for each in known if each.isascii() != scene.zh), known[0])


def means_here(target: str) -> bool:
    """True if it means whatever is in front: the page, the screen, the dialog."""
    bare = fold_name(target).removeprefix("the").removeprefix("this")
    return any(bare == fold_name(word) for word in load_lexicon().extra["here"])


def _is_in_front(scene: Scene, name: str) -> bool:
    front, bare = fold_name(scene.app + scene.briefing.observation.title), bare_app_name(name)
    return any(fold_name(word) in front for word in (bare, *synonyms_of(bare)) if fold_name(word))
