"""Sections, branches and menus: opened to see what is inside."""

from deskhand.core.actions import Move
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import HandleMemory, HuntMemory
from deskhand.roles.offline.outcome import Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.hunting import locate_thing
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.query import read_description

MAX_LOOKS = 3
# An entry that is only similar is another entry.
CLEAR = 0.8
# Words for something that unfolds; alone they name none.
_KINDS = frozenset(
    {"section", "panel", "accordion", "part", "details", "menu", "tree", "folder", "区域", "部分", "面板"}
)
# What is drawn on a thing that unfolds.
_SIGNS = frozenset({"+", "▸", "▶", "►", "☰", "≡", "⋮", "⋯", "…", "▾", "▼"})


def reveal_thing(step: say.Reveal, scene: Scene) -> Outcome:
    """Open a menu for the entry in it: by the pointer where that is enough, else by a click.

    What has the entry's name before the menu is open is something else, and would be taken for it.
    """
    memory = scene.memory.handle
    entry = scene.find_element(step.thing, "clickable").best
    if entry is not None and entry.score >= CLEAR:
        if not memory.phase and not _is_open(scene, step.target):
            return scene.fail_with(
                f"“{step.thing}”在打开“{step.target}”之前就看得到，不知道是不是指它。",
                f"“{step.thing}” is to be seen before “{step.target}” is opened: it may not be the one that is meant.",
            )
        scene.judge_last(True)
        return scene.finish_with(f"打开了“{step.target}”", f"opened “{step.target}”", Proof("seen", step.thing))
    if memory.phase and memory.looks < MAX_LOOKS:
        scene.remember_record(HandleMemory(memory.phase, memory.print, memory.looks + 1))
        return look_again(scene.say("等它展开", "Waiting for it to open"))
    if memory.phase == "sent":
        return scene.fail_with(
            f"打开“{step.target}”后没有看到“{step.thing}”。", f"“{step.thing}” is not inside “{step.target}”."
        )
    found = locate_thing(scene, step.target, "clickable")
    if not isinstance(found, Candidate):
        return found
    scene.remember_record(HuntMemory())
    if memory.phase or not scene.can_do("move"):
        scene.remember_record(HandleMemory("sent", scene.print))
        return make_act(scene.say(f"打开“{step.target}”", f"Opening “{step.target}”"), touch_element(found.aim))
    scene.remember_record(HandleMemory("begun", scene.print))
    x, y = found.aim.bounds.center
    thought = scene.say(f"把指针移到“{step.target}”上", f"Pointing at “{step.target}”")
    return make_act(thought, Move(x=x, y=y, target=found.label))


def _is_open(scene: Scene, name: str) -> bool:
    found = scene.find_element(name, "clickable").best
    return found is not None and bool(found.target.expanded or found.element.expanded)


def find_nameless_fold(scene: Scene, description: str, *, expanded: bool) -> Element | None:
    """Return the only thing that unfolds, where the description names none of them."""
    query = read_description(description)
    name = query.name.casefold()
    if name and name not in _KINDS and "menu" not in query.roles:
        return None
    if name and name not in _KINDS and scene.find_element(description, "clickable").status != "nothing":
        return None
    if "menu" in query.roles and expanded and (sign := _find_sign(scene)) is not None:
        return sign
    folds = [e for e in scene.elements if e.expanded is not None and e.clickable and not e.editable]
    others = [e for e in folds if e.expanded is not expanded]
    return (others or folds)[0] if len(others or folds) == 1 else None


def _find_sign(scene: Scene) -> Element | None:
    signs = [e for e in scene.elements if e.clickable and e.text.strip() in _SIGNS]
    return signs[0] if len(signs) == 1 else None
