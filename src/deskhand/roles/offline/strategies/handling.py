"""Things that are handled otherwise than by a touch: dragged, hovered over, unfolded; windows, commands.

Each acts once and is done when the device carried it out and, where an effect can be seen, the screen shows another.
"""

from dataclasses import replace
from math import hypot

from deskhand.core.actions import Action, Drag, Hotkey, ManageWindow, Move
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import HandleMemory, HuntMemory
from deskhand.roles.offline.outcome import Act, Failed, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.effects import take_sight
from deskhand.roles.offline.strategies.hunting import locate_thing
from deskhand.roles.offline.strategies.opening import bare_app_name, means_here
from deskhand.roles.offline.strategies.unfolding import find_nameless_fold
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.vocabulary import fold_name

MAX_LOOKS = 3
# Looks at something that was unfolded and still moves.
MOST_MOVING = 8
_KEYS: dict[say.EditCommand, tuple[str, ...]] = {
    "select_all": ("ctrl", "a"),
    "copy": ("ctrl", "c"),
    "cut": ("ctrl", "x"),
    "paste": ("ctrl", "v"),
    "undo": ("ctrl", "z"),
    "redo": ("ctrl", "y"),
    "save": ("ctrl", "s"),
}


def drag_thing(step: say.Drag, scene: Scene) -> Outcome:
    """Pick it up where it is and let go over the other; it counts when it is seen at its new place."""
    if scene.memory.handle.phase:
        return _check_dragged(step, scene)
    if refused := _refuse_unable(scene, scene.can_do("drag"), step):
        return refused
    item = locate_thing(scene, step.item, "any", stages=("scroll",))
    if not isinstance(item, Candidate):
        return item
    onto = scene.find_element(step.onto)
    if onto.best is None:
        scene.remember_record(HuntMemory())
        goal = locate_thing(scene, step.onto, "any", stages=())
        return goal if not isinstance(goal, Candidate) else _drag_between(scene, step, item, goal)
    return _drag_between(scene, step, item, onto.best)


def _drag_between(scene: Scene, step: say.Drag, item: Candidate, onto: Candidate) -> Act:
    (x, y), (to_x, to_y) = item.target.bounds.center, onto.target.bounds.center
    action = Drag(x=x, y=y, to_x=to_x, to_y=to_y, target=item.label)
    act = _begin_act(scene, (f"把“{step.item}”拖到“{step.onto}”", f"Dragging “{step.item}” to “{step.onto}”"), action)
    spot, drop = item.element.bounds, onto.element.bounds
    texts = (item.element.text, onto.element.text)
    scene.remember_record(replace(scene.memory.handle, spot=spot, drop=drop, texts=texts))
    return act


def _check_dragged(step: say.Drag, scene: Scene) -> Outcome:
    memory = scene.memory.handle
    if scene.trouble or memory.spot is None or memory.drop is None:
        scene.judge_last(False, scene.trouble)
        return Failed(scene.trouble or scene.say("没有拖动。", "Nothing was dragged."))
    name = next(iter(memory.texts), "")
    # what only speaks of it is not it
    shown = scene.find_shown(name) if name else [c.element for c in scene.find_element(step.item).candidates]
    onto = scene.find_element(step.onto).best
    left = all(thing.bounds.center != memory.spot.center for thing in shown)
    arrived = any(_has_arrived(scene, thing, memory.spot, memory.drop, onto) for thing in shown)
    if left and (arrived or _is_listed_there(scene, memory.drop, *memory.texts)):
        scene.judge_last(True, scene.say("它在新的位置", "it is at its new place"))
        proof = Proof("placed", step.item, step.onto)
        return scene.finish_with(
            f"把“{step.item}”拖到了“{step.onto}”", f"dragged “{step.item}” to “{step.onto}”", proof
        )
    return _wait_or_fail(
        scene,
        (
            f"拖动了“{step.item}”，但没有看到它在“{step.onto}”那里。",
            f"“{step.item}” was dragged, but it is not seen at “{step.onto}”.",
        ),
    )


def _is_listed_there(scene: Scene, drop: Rect, item: str, onto: str) -> bool:
    """True if the text at that place says both names now: a page may be listed with a line of several things."""
    both = fold_name(item), fold_name(onto)
    there = [
        fold_name(e.text) for e in scene.elements if e.text and not e.editable and e.bounds.intersect_with(drop).area
    ]
    return all(both) and both[0] not in both[1] and any(both[0] in text and both[1] in text for text in there)


def _has_arrived(scene: Scene, thing: Element, spot: Rect, drop: Rect, onto: Candidate | None) -> bool:
    """True if it left its place for that of the other: it is in it or nearer to it by half, or behind it in order."""
    if thing.bounds.center == spot.center:
        return False
    if onto is not None and scene.tree.is_inside(thing, onto.element):
        return True
    before, now = _measure_way(spot, drop), _measure_way(thing.bounds, drop)
    if now <= before / 2 or drop.contains_point(*thing.bounds.center):
        return True
    other = onto.element.bounds if onto is not None else drop
    return _is_behind(spot, drop) is not _is_behind(thing.bounds, other)


def _measure_way(one: Rect, other: Rect) -> float:
    return hypot(one.center[0] - other.center[0], one.center[1] - other.center[1])


def _is_behind(one: Rect, other: Rect) -> bool:
    """True if it comes later in reading order: below, or in the same row to the right."""
    below = one.center[1] - other.center[1]
    return one.center[0] > other.center[0] if abs(below) < min(one.height, other.height) / 2 else below > 0


def hover_thing(step: say.Hover, scene: Scene) -> Outcome:
    if scene.memory.handle.phase:
        return _finish_executed(scene, (f"指针停在“{step.target}”上", f"hovered over “{step.target}”"))
    if refused := _refuse_unable(scene, scene.can_do("move"), step):
        return refused
    found = locate_thing(scene, step.target, "any", stages=("scroll",))
    if not isinstance(found, Candidate):
        return found
    x, y = found.target.bounds.center
    move = Move(x=x, y=y, target=found.label)
    return _begin_act(scene, (f"把指针移到“{step.target}”上", f"Hovering over “{step.target}”"), move)


def expand_thing(step: say.Expand, scene: Scene) -> Outcome:
    done = ("展开", "expanded") if step.expanded else ("收起", "collapsed")
    if scene.memory.handle.phase:
        return _check_expanded(step, scene, done)
    thought = (f"{done[0]}“{step.target}”", f"{'Expanding' if step.expanded else 'Collapsing'} “{step.target}”")
    if (fold := find_nameless_fold(scene, step.target, expanded=step.expanded)) is not None:
        if fold.expanded is step.expanded:
            return scene.finish_with(
                f"“{step.target}”已经{done[0]}", f"“{step.target}” was {done[1]} already", Proof("state", step.target)
            )
        return _begin_fold(scene, thought, fold)
    found = locate_thing(scene, step.target, "clickable", stages=("scroll",))
    if not isinstance(found, Candidate):
        return found
    return _begin_fold(scene, thought, found.target)


def _begin_fold(scene: Scene, thought: tuple[str, str], fold: Element) -> Act:
    """Touch it, and keep its name: once it is open, other things may fit the description as well."""
    scene.remember_record(HandleMemory("begun", scene.print, names=(fold.text,)))
    return make_act(scene.say(*thought), touch_element(fold))


def _check_expanded(step: say.Expand, scene: Scene, done: tuple[str, str]) -> Outcome:
    """By the state of the thing itself where it tells one, else by what else is shown then."""
    told = f"{done[0]}了“{step.target}”", f"{done[1]} “{step.target}”"
    fold = _find_touched_fold(scene)
    if fold is None:
        found = scene.find_element(step.target).best
        fold = found.target if found is not None else find_nameless_fold(scene, step.target, expanded=step.expanded)
    if scene.trouble or fold is None or fold.expanded is None:
        return _finish_still(scene, told)
    if fold.expanded is not step.expanded:
        return _wait_or_fail(scene, (f"“{step.target}”没有{done[0]}。", f"“{step.target}” is not {done[1]}."))
    scene.judge_last(True)
    return scene.finish_with(*told, Proof("state", step.target))


def _find_touched_fold(scene: Scene) -> Element | None:
    """Return the thing that was touched to unfold it, where it tells a state and nothing else has its name."""
    wanted = fold_name(next(iter(scene.memory.handle.names), ""))
    named = [e for e in scene.elements if e.expanded is not None and fold_name(e.text) == wanted]
    return named[0] if wanted and len(named) == 1 else None


def _finish_still(scene: Scene, evidence: tuple[str, str]) -> Outcome:
    """Finish once what came up stands still: a menu that moves is missed by a click, and seems to answer it."""
    memory, shown = scene.memory.handle, take_sight(scene, Rect(0, 0, 0, 0)).words  # a clock never stands still
    if scene.trouble or memory.print == scene.print or memory.goal == shown or memory.looks >= MOST_MOVING:
        return _finish_changed(scene, evidence)
    scene.remember_record(replace(memory, goal=shown, looks=memory.looks + 1))
    return look_again(scene.say("等它停下来", "Waiting until it stands still"))


def arrange_window(step: say.ArrangeWindow, scene: Scene) -> Outcome:
    """By the window manager, else by the button of the window itself."""
    if scene.is_desktop:
        return _arrange_by_manager(step, scene)
    if scene.memory.handle.phase:
        return _finish_changed(scene, ("窗口已调整", f"{step.how}d the window"))
    button = scene.find_element(step.how, "clickable").best
    if refused := _refuse_unable(scene, button is not None, step):
        return refused
    assert button is not None
    return _begin_act(scene, (f"点击“{button.label}”", f"Clicking “{button.label}”"), touch_element(button.target))


def _arrange_by_manager(step: say.ArrangeWindow, scene: Scene) -> Outcome:
    """The device reads what the window has become, and says so."""
    if not scene.memory.handle.phase:
        title = "" if means_here(step.target) else bare_app_name(step.target)
        action = ManageWindow(change=step.how, title=title)
        return _begin_act(scene, ("调整窗口", f"Asking the window manager to {step.how} it"), action)
    scene.judge_last(not scene.trouble, scene.trouble)
    if scene.trouble:
        return scene.fail_with(f"{scene.trouble}。", f"{scene.trouble}.")
    return scene.finish_with("窗口已调整", f"{step.how}d the window", Proof("state", step.target, scene.told))


def edit_content(step: say.Edit, scene: Scene) -> Outcome:
    """By the keys that editors have in common."""
    keys = "+".join(_KEYS[step.command])
    if scene.memory.handle.phase:
        return _finish_executed(scene, (f"按了 {keys}", f"pressed {keys}"))
    if refused := _refuse_unable(scene, scene.can_do("hotkey"), step):
        return refused
    return _begin_act(scene, (f"按 {keys}", f"Pressing {keys}"), Hotkey(keys=_KEYS[step.command]))


def _begin_act(scene: Scene, thought: tuple[str, str], *actions: Action) -> Act:
    scene.remember_record(HandleMemory("begun", scene.print))
    return make_act(scene.say(*thought), *actions)


def _finish_executed(scene: Scene, evidence: tuple[str, str]) -> Outcome:
    """Where no effect is seen, the sentence says so."""
    scene.judge_last(not scene.trouble, scene.trouble)
    if scene.trouble:
        return Failed(scene.trouble)
    if scene.memory.handle.print != scene.print:
        return scene.finish_with(*evidence, Proof("changed"))
    unseen = f"{evidence[0]}（画面没有变化）", f"{evidence[1]} (nothing changed on the screen)"
    return scene.finish_with(*unseen, Proof("carried"))


def _finish_changed(scene: Scene, evidence: tuple[str, str]) -> Outcome:
    if scene.trouble:
        return _finish_executed(scene, evidence)
    if scene.memory.handle.print == scene.print:
        return _wait_or_fail(scene, ("画面没有变化。", "Nothing on the screen changed."))
    scene.judge_last(True, scene.say("画面有变化", "the screen changed"))
    return scene.finish_with(*evidence, Proof("changed"))


def _wait_or_fail(scene: Scene, reason: tuple[str, str]) -> Outcome:
    memory = scene.memory.handle
    if memory.looks >= MAX_LOOKS:
        scene.judge_last(False)
        return scene.fail_with(*reason)
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    return look_again(scene.say("再看一眼", "Looking again"))


def _refuse_unable(scene: Scene, able: bool, step: say.Instruction) -> Failed | None:
    return None if able else scene.fail_with(
        f"这个设备不支持“{step.source}”。", f"This device can't do “{step.source}”."
    )  # fmt: skip
