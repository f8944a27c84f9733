"""Scrolling, swiping, waiting, keys, back and home."""

from dataclasses import replace

from deskhand.core.actions import Action, Back, Home, Hotkey, Key, Scroll, Swipe, Wait
from deskhand.core.geometry import Rect
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import MoveMemory
from deskhand.roles.offline.outcome import Failed, Outcome, make_act
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.effects import find_effect, take_sight, wait_for_effect
from deskhand.roles.offline.strategies.hunting import find_scroller, is_at_end, locate_thing
from deskhand.screen.grounding.find import Candidate

MAX_SCROLLS = 15


def scroll_screen(step: say.Scrolling, scene: Scene) -> Outcome:
    if step.target:
        found = locate_thing(scene, step.target, "any", stages=("scroll",))
        if not isinstance(found, Candidate):
            return found
        return scene.finish_with(
            f"“{step.target}”在屏幕上", f"“{step.target}” is on the screen", Proof("seen", step.target)
        )
    area = find_scroller(scene)
    if step.area:
        found = scene.find_element(step.area).best or locate_thing(scene, step.area, "any", stages=("scroll",))
        if not isinstance(found, Candidate):
            return found
        area = found.target
    count = scene.memory.move.count
    ended = count > 0 and is_at_end(scene, scene.memory.move.print)
    if (count and not step.to_end) or ended or count >= MAX_SCROLLS:
        scene.judge_last(not ended)
        told = ("滚动到头了", "reached the end") if ended else ("滚动了屏幕", "scrolled")
        return scene.finish_with(*told, Proof("seen" if ended else "changed"))
    scene.remember_record(MoveMemory(count=count + 1, print=scene.print))
    x, y = area.bounds.center if area else (None, None)
    pages = 2.0 if step.to_end else 0.7
    return make_act(
        scene.say("滚动", f"Scrolling {step.direction}"), Scroll(direction=step.direction, pages=pages, x=x, y=y)
    )


def swipe_screen(step: say.Swiping, scene: Scene) -> Outcome:
    frame = scene.briefing.observation.frame
    w, h = frame.width, frame.height
    ends = {
        "up": (w // 2, h * 7 // 10, w // 2, h * 3 // 10),
        "down": (w // 2, h * 3 // 10, w // 2, h * 7 // 10),
        "left": (w * 8 // 10, h // 2, w * 2 // 10, h // 2),
        "right": (w * 2 // 10, h // 2, w * 8 // 10, h // 2),
    }
    x, y, to_x, to_y = ends[step.direction]
    swipe = Swipe(x=x, y=y, to_x=to_x, to_y=to_y)
    thought, told = ("滑动", f"Swiping {step.direction}"), ("滑动了屏幕", f"swiped {step.direction}")
    return _act_once(scene, swipe, thought, told, needs_effect=True)


def wait_seconds(step: say.Pausing, scene: Scene) -> Outcome:
    left = step.seconds if scene.memory.move.left is None else scene.memory.move.left
    if left <= 0:
        return scene.finish_with(f"等了 {step.seconds:g} 秒", f"waited {step.seconds:g} s", Proof("carried"))
    part = min(left, 120.0)
    scene.remember_record(MoveMemory(left=left - part))
    return make_act(scene.say(f"等待 {part:g} 秒", f"Waiting {part:g} s"), Wait(seconds=part))


def go_back(step: say.GoBack, scene: Scene) -> Outcome:
    if not scene.can_do("back"):
        return scene.fail_with("这个设备没有返回键。", "This device has no back button.")
    return _act_once(scene, Back(), ("返回", "Going back"), ("返回了上一页", "went back"), needs_effect=True)


def go_home(step: say.GoHome, scene: Scene) -> Outcome:
    if not scene.can_do("home"):
        return scene.fail_with("这个设备没有主屏幕。", "This device has no home screen.")
    told = ("回到了主屏幕", "went to the home screen")
    if scene.memory.move.done and scene.on_home_screen and not scene.trouble:
        scene.judge_last(True)
        return scene.finish_with(*told, Proof("front", "", scene.app))
    return _act_once(scene, Home(), ("回到主屏幕", "Going home"), told, needs_effect=not scene.on_home_screen)


def press_key(step: say.PressKey, scene: Scene) -> Outcome:
    name = "+".join(step.keys)
    one = len(step.keys) == 1
    if not scene.can_do("key" if one else "hotkey"):
        return scene.fail_with(f"这个设备不能按 {name}。", f"This device can't press {name}.")
    action = Key(key=step.keys[0]) if one else Hotkey(keys=step.keys)
    hands_in = name.casefold() in ("enter", "return") and any(f.focused for f in scene.list_fields())
    thought, told = (f"按 {name}", f"Pressing {name}"), (f"按了 {name}", f"pressed {name}")
    return _act_once(scene, action, thought, told, needs_effect=hands_in)


def refuse_in_goal(step: say.Another | say.StartAgain, scene: Scene) -> Outcome:
    """It helps a worker on; as a part of the goal there is nothing that it could mean."""
    return scene.fail_with(
        f"“{step.source}”只能在任务进行中说。", f"“{step.source}” can only be said while a task is running."
    )


def _act_once(
    scene: Scene, action: Action, thought: tuple[str, str], evidence: tuple[str, str], *, needs_effect: bool = False
) -> Outcome:
    """Act; the next time, it is finished if something came of it. The texts are in Chinese and in English.

    Many keys have no effect that is seen (a copy, a volume): then the sentence says that none was.
    """
    memory = scene.memory.move
    if not memory.done:
        scene.remember_record(MoveMemory(done=True, before=take_sight(scene, Rect(0, 0, 0, 0))))
        return make_act(scene.say(*thought), action)
    if scene.trouble:
        scene.judge_last(False, scene.trouble)
        return Failed(scene.trouble)
    if proof := find_effect(scene, memory.before, usable=True) if memory.before else None:
        scene.judge_last(True)
        return scene.finish_with(*evidence, proof)
    if not needs_effect:
        unseen = f"{evidence[0]}（画面没有变化）", f"{evidence[1]} (nothing changed on the screen)"
        return scene.finish_with(*unseen, Proof("carried"))
    scene.remember_record(replace(memory, count=memory.count + 1))
    if patient := wait_for_effect(scene, memory.count):
        return patient
    scene.judge_last(False, scene.say("没有变化", "nothing changed"))
    return scene.fail_with(f"{evidence[0]}，但画面没有变化。", f"{evidence[1].capitalize()}, but nothing changed.")
