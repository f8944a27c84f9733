"""Switches and checkboxes: look at the state first, touch only when it differs, look again."""

from dataclasses import replace

from deskhand.app_names import is_same_app
from deskhand.core.actions import Click, Key, OpenApp
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.language.phone_slots import is_alarm
from deskhand.roles.offline.outcome import Act, Failed, Finished, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies import obstacles
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import fail_ambiguous, locate_thing
from deskhand.roles.offline.strategies.phone.alarm_list import AlarmRow, names_time, reach_alarm
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.vocabulary import is_same_word

MAX_TOUCHES = 2
CLEAR = 0.9
MAX_LOOKS = 3


def toggle_switch(step: say.Toggle, scene: Scene) -> Outcome:
    if scene.memory.toggle.touches and (confirm := _confirm_dialog(scene)):
        return confirm
    if scene.memory.toggle.menu and (outcome := _look_into_menu(scene, step)):
        return outcome
    control = reach_control(scene, step.target)
    if not isinstance(control, Element):
        return control
    if control.checked is step.on:
        return _finish_as_wanted(scene, step)
    if not control.enabled:
        return scene.fail_with(f"“{step.target}”的开关不可用（灰色）。", f"The switch “{step.target}” is disabled.")
    memory, state = scene.memory.toggle, _name_state(scene, step.on)
    if memory.touches:
        scene.judge_last(False, scene.trouble or scene.say("开关没有变", "the switch did not change"))
        memory = replace(memory, looks=memory.looks + 1)
        scene.remember_record(memory)
        if memory.looks < MAX_LOOKS and not scene.trouble:
            return look_again(scene.say("再看一眼开关", "Looking at the switch again"))
        if memory.touches >= MAX_TOUCHES:
            return scene.fail_with(
                f"点了“{step.target}”的开关，但它没有变成{state}。",
                f"The switch “{step.target}” was touched but is still not {state}.",
            )
    menu = "gone" if control.role == "menu" and scene.is_desktop and scene.kept.taken is not None else ""
    scene.remember_record(replace(memory, touches=memory.touches + 1, looks=0, menu=menu))
    thought = scene.say(f"把“{step.target}”切换为{state}", f"Turning “{step.target}” {state}")
    return make_act(thought, touch_element(control))


def _look_into_menu(scene: Scene, step: say.Toggle) -> Outcome | None:
    """Open the menu that closed once more, read the entry in it, and close it; None if it can be read as it is."""
    memory, taken = scene.memory.toggle, scene.kept.taken
    entry = scene.find_element(step.target, "checkable").best
    if memory.menu == "closed":
        return _finish_as_wanted(scene, step)
    if entry is not None and entry.target.checked is step.on and memory.menu == "opened":
        scene.remember_record(replace(memory, menu="closed"))
        return make_act(scene.say("合上菜单", "Closing the menu"), Key(key="escape"))
    if entry is not None or memory.menu == "opened" or taken is None:
        return None
    scene.remember_record(replace(memory, menu="opened"))
    x, y = taken.trace[1].center
    thought = scene.say(f"再打开“{taken.description}”看看", f"Opening “{taken.description}” again to look")
    return make_act(thought, Click(x=x, y=y, target=taken.trace[0]))


def _finish_as_wanted(scene: Scene, step: say.Toggle) -> Finished:
    state = _name_state(scene, step.on)
    states = ("off", "on")
    # without a touch it was so before
    before = states[not step.on] if scene.memory.toggle.touches else ""
    proof = Proof("state", step.target, states[step.on], before)
    if scene.memory.toggle.touches:
        scene.judge_last(True, scene.say(f"开关现在是{state}", f"the switch is {state} now"))
        return scene.finish_with(f"“{step.target}”现在是{state}状态", f"“{step.target}” is {state} now", proof)
    return scene.finish_with(f"“{step.target}”本来就是{state}状态", f"“{step.target}” was already {state}", proof)


def _name_state(scene: Scene, on: bool) -> str:
    return scene.say("开启" if on else "关闭", "on" if on else "off")


def _confirm_dialog(scene: Scene) -> Act | None:
    """Turning something on may be asked back; what the user asked for is agreed to, once."""
    memory, parts = scene.memory.toggle, obstacles.find_dialog(scene)
    if not parts or memory.agreed or not scene.list_executed():
        return None
    if memory.app is not None and scene.app not in ("", memory.app):
        # a dialog of something else that only happened to come up now
        return obstacles.dismiss_dialog(scene)
    button = obstacles.find_agreement(parts)
    if button is None:
        return None
    scene.remember_record(replace(memory, agreed=True))
    return make_act(scene.say("确认", "Confirming"), touch_element(button))


def reach_control(scene: Scene, target: str) -> Element | Act | Failed:
    """The switch of that name: here, on the page behind a row of that name, or wherever the hunt leads."""
    memory = scene.memory.toggle
    if memory.app is None:
        memory = replace(memory, app=scene.app)
        scene.remember_record(memory)
    if is_alarm(target) and names_time(target):
        alarm = reach_alarm(scene, target)
        return alarm.switch if isinstance(alarm, AlarmRow) else alarm
    finding = scene.find_element(target, "checkable")
    if finding.best is not None:
        return finding.best.target
    if finding.status == "ambiguous":
        return fail_ambiguous(scene, target, finding)
    if memory.inside and (switch := _find_only_switch(scene)):
        return switch
    if scene.on_home_screen and scene.can_do("open_app") and not memory.settings:
        if away := obstacles.dismiss_dialog(scene):
            return away
        scene.remember_record(replace(memory, settings=True, app=None))
        name = scene.say("设置", "Settings")
        return open_home(scene, target) or make_act(scene.say("打开设置", "Opening the settings"), OpenApp(name=name))
    if into := _enter_row(scene, target):
        return into
    if to_settings := _leave_for_settings(scene, target):
        return to_settings
    found = locate_thing(scene, target, "checkable")
    if isinstance(found, Failed) and (silent := scene.find_element(target, "clickable").best) and silent.score >= CLEAR:
        return scene.fail_with(
            f"看到了“{silent.label}”，但它不显示自己是开还是关；要点击它，请说“点击{silent.label}”。",
            f"“{silent.label}” is there, but does not tell whether it is on or off; to click it anyway, say "
            f"“click {silent.label}”.",
        )
    return found.target if isinstance(found, Candidate) else found


def _leave_for_settings(scene: Scene, target: str) -> Act | None:
    """Open the phone's settings, once, from an app that shows no switch of a name that every phone's settings have."""
    memory = scene.memory.toggle
    bare = read_description(target).name or target
    if memory.settings or memory.entered or scene.briefing.observation.at_home is not False:
        return None
    if not scene.can_do("open_app") or is_same_app("Settings", scene.app):
        return None
    if not any(is_same_word(bare, word) for word in load_lexicon().extra["toggles"]):
        return None
    if away := obstacles.dismiss_dialog(scene):
        return away
    scene.remember_record(replace(memory, settings=True, app=None))
    return make_act(scene.say("打开设置", "Opening the settings"), OpenApp(name=scene.say("设置", "Settings")))


def _enter_row(scene: Scene, target: str) -> Act | None:
    """A row called like the switch leads to the page that holds it."""
    memory = scene.memory.toggle
    name = read_description(target).name or target
    row = scene.find_element(name, "clickable").best
    if row is None or row.score < 0.85 or len(memory.entered) >= 2 or row.label in memory.entered:
        return None
    if row.target.editable or row.target.role not in ("item", "group", "text", "link", "button", "tab"):
        return None
    inside = any(is_same_word(name, word) for word in load_lexicon().extra["toggles"])
    scene.remember_record(replace(memory, entered=(*memory.entered, row.label), inside=inside))
    return make_act(scene.say(f"进入“{row.label}”", f"Going into “{row.label}”"), touch_element(row.target))


def _find_only_switch(scene: Scene) -> Element | None:
    """On a page that one thing has to itself, the only switch is the thing's own."""
    switches = [e for e in scene.elements if e.checked is not None and e.role in ("switch", "checkbox")]
    return switches[0] if len(switches) == 1 else None
