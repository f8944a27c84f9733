"""Cells of a spreadsheet by their names: gone to, and written into; what a cell then holds is read back."""

import re
from dataclasses import replace
from typing import Literal

from deskhand.core.actions import Key, Type
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import HandleMemory
from deskhand.roles.offline.outcome import Act, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog, find_waiting_dialog
from deskhand.roles.offline.strategies.values import is_read_back
from deskhand.screen.grounding.vocabulary import is_same_word

MAX_LOOKS = 3
_NAME = re.compile(r"[A-Za-z]{1,3}[1-9]\d{0,6}")
_SAID = re.compile(
    rf"(?:the\s+)?(?:cell|单元格)\s*[“\"]?(?P<one>{_NAME.pattern})[”\"]?|(?:the\s+)?[“\"]?(?P<two>{_NAME.pattern})[”\"]?\s*(?:单元格|cell)(?:里|中)?",
    re.IGNORECASE,
)
_NAME_BOX = ("Name Box", "名称框")


def read_cell_name(scene: Scene, target: str) -> str:
    """Return the name of the cell that is meant: one that is called a cell, or that is shown; else empty."""
    if said := _SAID.fullmatch(target.strip()):
        return (said["one"] or said["two"]).upper()
    bare = target.strip().upper()
    return bare if _NAME.fullmatch(bare) and _find_cell(scene, bare) is not None else ""


def go_to_cell(step: say.GoToCell, scene: Scene) -> Outcome:
    """The cell itself where it is listed, else by the box that holds the name of the current cell."""
    if not scene.memory.handle.phase:
        return _go_there(scene, step.cell)
    if not _is_at(scene, step.cell):
        return _wait_or_fail(scene, step.cell)
    scene.judge_last(True)
    return scene.finish_with(
        f"到了单元格 {step.cell}", f"went to cell {step.cell}", Proof("changed", step.cell, step.cell)
    )


def write_cell(scene: Scene, cell: str, text: str) -> Outcome:
    """Go there, type, leave the cell, and read what it then holds."""
    memory = scene.memory.handle
    if not memory.phase:
        return _go_there(scene, cell)
    if scene.trouble:
        scene.judge_last(False, scene.trouble)
        return scene.fail_with(f"单元格 {cell} 没有写成：{scene.trouble}。", f"Cell {cell}: {scene.trouble}.")
    match memory.phase:
        case "begun":
            if not _is_at(scene, cell):
                return _wait_or_fail(scene, cell)
            # what is typed replaces what the cell holds, and Enter leaves it
            scene.remember_record(HandleMemory("typed", scene.print))
            return make_act(scene.say(f"输入“{text}”", f"Typing “{text}”"), Type(text=text), Key(key="enter"))
        case "typed" if _find_cell(scene, cell) is None:
            # a sheet that lists no cells tells the content of the current one in the field for it
            return _go_there(scene, cell, "sent")
        case _:
            return _check_cell(scene, cell, text)


def _go_there(scene: Scene, cell: str, phase: Literal["begun", "sent"] = "begun") -> Outcome:
    thought = scene.say(f"转到单元格 {cell}", f"Going to cell {cell}")
    dialog = find_waiting_dialog(scene)
    if dialog and not any(e.editable for e in dialog) and (away := dismiss_dialog(scene)):
        return away
    shown, box = _find_cell(scene, cell), _find_name_box(scene)
    if shown is None and box is None:
        return scene.fail_with(
            f"屏幕上没有单元格 {cell}，也没有名称框。", f"Neither the cell {cell} nor a name box is shown."
        )
    scene.remember_record(HandleMemory(phase, scene.print))
    if shown is not None:
        return make_act(thought, touch_element(shown))
    assert box is not None
    typing = Type(text=cell, clear_first=True, press_enter=True, target=box.name)
    return make_act(thought, touch_element(box), typing)


def _find_cell(scene: Scene, cell: str) -> Element | None:
    return next((e for e in scene.elements if e.name.upper() == cell and e.role == "item" and not e.editable), None)


def _find_name_box(scene: Scene) -> Element | None:
    """Return the field that is called so, else the one that holds the name of a cell, the first in its row."""
    fields = scene.list_fields()
    named = [f for f in fields if any(is_same_word(f.name, name) for name in _NAME_BOX)]
    holding = sorted((f for f in fields if _NAME.fullmatch(f.value.strip())), key=lambda f: f.bounds.left)
    if named or not holding:
        return named[0] if named else None
    # what a cell holds (“r1”) may look like a name as well: its line stands to the right of the box
    line = holding[0].bounds
    return holding[0] if all(line.top < f.bounds.center[1] < line.bottom for f in holding) else None


def _is_at(scene: Scene, cell: str) -> bool:
    box, shown = _find_name_box(scene), _find_cell(scene, cell)
    if box is not None:
        return box.value.strip().upper() == cell
    return shown is not None and (shown.focused or shown.selected)


def _check_cell(scene: Scene, cell: str, text: str) -> Outcome:
    """What the cell shows is the text, or for a formula what came of it."""
    shown, box = _find_cell(scene, cell), _find_name_box(scene)
    lines = [f for f in scene.list_fields() if box is not None and f.index != box.index]
    held = [shown.value] if shown is not None else [f.value for f in lines]
    formula = text.lstrip().startswith("=")
    good = [v for v in held if is_read_back(v, text) or (formula and shown and v and not v.startswith(("#", "Err:")))]
    if good:
        scene.judge_last(True, scene.say("单元格里是这段文字", "the cell holds it"))
        return scene.finish_with(
            f"单元格 {cell} 里是“{good[0]}”", f"cell {cell} holds “{good[0]}”", Proof("read", cell, good[0])
        )
    if (again := _look_again(scene)) is not None:
        return again
    told = next((v for v in held if v), "")
    return scene.fail_with(
        f"“{text}”已输入，但单元格 {cell} 里是“{told}”。", f"“{text}” was typed, but cell {cell} holds “{told}”."
    )


def _wait_or_fail(scene: Scene, cell: str) -> Outcome:
    if scene.trouble:
        return scene.fail_with(f"{scene.trouble}。", f"{scene.trouble}.")
    if scene.memory.handle.looks == MAX_LOOKS - 1:
        # What was to be typed may have been put off by a window that came up meanwhile; to go there twice does no harm.
        again = _go_there(scene, cell)
        scene.remember_record(replace(scene.memory.handle, looks=MAX_LOOKS))
        return again
    return _look_again(scene) or scene.fail_with(
        f"没有到单元格 {cell}：名称框里不是它。", f"Cell {cell} was not reached: the name box does not show {cell}."
    )


def _look_again(scene: Scene) -> Act | None:
    memory = scene.memory.handle
    if memory.looks >= MAX_LOOKS:
        scene.judge_last(False)
        return None
    scene.remember_record(HandleMemory(memory.phase, memory.print, memory.looks + 1))
    return look_again(scene.say("再看一眼", "Looking again"))
