"""Drags things by a way or to a place: of a list or a grid where they stand in one, else freely; seen afterwards."""

from dataclasses import dataclass, replace
from itertools import pairwise

from deskhand.core.actions import Drag
from deskhand.core.geometry import Rect
from deskhand.core.screen import SHAPE_ID, Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import HandleMemory
from deskhand.roles.offline.outcome import Outcome, look_again, make_act
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.hunting import locate_thing
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.query import read_description

MAX_LOOKS = 3
# Things of one list or grid differ by less than this many pixels in their left or upper edges.
EDGE = 4
# How far a thing is dragged that stands in no list, in pixels; how far beyond the middle of the other one in a list.
FAR, BEYOND = 40, 6
# The grip in the corner of a thing that can be resized is no wider or higher, in pixels.
LARGEST_GRIP = 24
_STEPS: dict[say.Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


@dataclass(frozen=True, slots=True)
class _Grid:
    """The things of one list or grid, row by row; a list has one column."""

    rows: tuple[tuple[Element, ...], ...]

    @property
    def cells(self) -> list[Element]:
        return [cell for row in self.rows for cell in row]

    def locate_cell(self, element: Element) -> tuple[int, int]:
        return next(
            (y, x) for y, row in enumerate(self.rows) for x, cell in enumerate(row) if cell.index == element.index
        )


def shift_thing(step: say.Shift, scene: Scene) -> Outcome:
    """By places of its list; without a number, and outside of any list, just that way."""
    told = (f"拖动了“{step.item}”", f"dragged “{step.item}” {step.direction}")
    item = _find_item(scene, step.item, step.source)
    if scene.memory.handle.phase:
        return _check_moved(scene, step, told)
    if not isinstance(item, Element):
        return item
    grid, (dx, dy) = _find_grid(scene, item), _STEPS[step.direction]
    if not step.places:
        x, y = item.bounds.center
        return _drag_to(scene, item, x + dx * FAR, y + dy * FAR)
    if grid is None:
        return _fail_no_list(scene, step.item)
    y, x = grid.locate_cell(item)
    return _drag_to_cell(scene, item, grid, y + dy * step.places, x + dx * step.places)


def place_thing(step: say.Place, scene: Scene) -> Outcome:
    told = (f"把“{step.item}”拖到了那里", f"dragged “{step.item}” to the {_name_place(step.place)}")
    item = _find_item(scene, step.item, step.source)
    if scene.memory.handle.phase:
        return _check_moved(scene, step, told)
    if not isinstance(item, Element):
        return item
    grid = _find_grid(scene, item)
    if grid is None:
        return _fail_no_list(scene, step.item)
    return _drag_to_cell(scene, item, grid, *_read_place(step.place, grid))


def _name_place(place: str) -> str:
    return f"place {place}" if place.lstrip("-").isdigit() else place


def _find_item(scene: Scene, name: str, source: str) -> Element | Outcome:
    if scene.memory.handle.phase:
        found = scene.find_element(name).best
        if (only := _find_only_shape(scene, name)) is not None:
            return only
        return found.target if found else scene.fail_with(f"“{name}”不见了。", f"“{name}” is gone.")
    if not scene.can_do("drag"):
        return scene.fail_with(f"这个设备不支持“{source}”。", f"This device can't do “{source}”.")
    if (only := _find_only_shape(scene, name)) is not None:
        return only
    found = locate_thing(scene, name, "any", stages=("scroll",))
    return found.element if isinstance(found, Candidate) else found


def _find_only_shape(scene: Scene, name: str) -> Element | None:
    """`the item`, `the shape`: the only one that is drawn, where nothing else could be meant."""
    query = read_description(name)
    shapes = [e for e in scene.elements if e.role == "image" and e.id == SHAPE_ID]
    nameless = query.name.casefold() in ("", "shape", "figure", "图形", "形状") and query.ordinal is None
    listed = any(e.role == "item" for e in scene.elements)
    return shapes[0] if nameless and len(shapes) == 1 and not listed else None


def _find_grid(scene: Scene, item: Element) -> _Grid | None:
    """Return the things of its kind that stand in line with it or with each other; None if it stands alone."""
    alike = [
        e
        for e in scene.elements
        if e.role == item.role
        and e.parent == item.parent
        and e.text
        and abs(e.bounds.height - item.bounds.height) <= EDGE
    ]
    inside = _list_columns(alike, item)
    rows: dict[int, list[Element]] = {}
    for e in sorted(inside, key=lambda e: (e.bounds.top, e.bounds.left)):
        top = next((top for top in rows if abs(top - e.bounds.top) <= EDGE), e.bounds.top)
        rows.setdefault(top, []).append(e)
    grid = _Grid(tuple(tuple(row) for _, row in sorted(rows.items())))
    return grid if len(grid.cells) > 1 else None


def _list_columns(alike: list[Element], item: Element) -> list[Element]:
    """Return the things of its column, and of the columns that have one in each of its rows."""
    own = _keep_evenly_spaced([e for e in alike if abs(e.bounds.left - item.bounds.left) <= EDGE], item)
    tops = [e.bounds.top for e in own]
    beside = [e for e in alike if abs(e.bounds.top - item.bounds.top) <= EDGE and e not in own]
    inside = [*own]
    for first in beside:
        # another column of the grid has a thing in each of its rows
        column = [e for e in alike if abs(e.bounds.left - first.bounds.left) <= EDGE]
        column = [e for e in column if any(abs(e.bounds.top - top) <= EDGE for top in tops)]
        inside += column if len(column) >= len(own) and len(own) > 1 else []
    return inside


def _keep_evenly_spaced(inside: list[Element], item: Element) -> list[Element]:
    """Keep the rows next to it, and next to those, as far apart as the nearest two: what follows is something else."""
    tops = sorted({e.bounds.top for e in inside})
    gaps = [b - a for a, b in pairwise(tops) if b - a > EDGE]
    if not gaps:
        return inside
    pitch, kept = min(gaps), {item.bounds.top}
    for order in (tops, tops[::-1]):
        for top in order:
            if any(abs(abs(top - near) - pitch) <= EDGE or abs(top - near) <= EDGE for near in kept):
                kept.add(top)
    return [e for e in inside if e.bounds.top in kept]


def _read_place(place: str, grid: _Grid) -> tuple[int, int]:
    """Return (row, column) of a place in words or by its number in reading order; -1 if the grid has none."""
    height, width = len(grid.rows), max(len(row) for row in grid.rows)
    if place.lstrip("-").isdigit():
        number = int(place)
        at = number - 1 if number > 0 else len(grid.cells) + number
        if not 0 <= at < len(grid.cells):
            return -1, -1
        return grid.locate_cell(grid.cells[at])
    words = place.split()
    middle_row, middle_column = (height - 1) / 2, (width - 1) / 2
    row = 0 if "top" in words else height - 1 if "bottom" in words else middle_row
    column = 0 if "left" in words else width - 1 if "right" in words else middle_column
    # of an even number none is in the middle
    return (int(row), int(column)) if row == int(row) and column == int(column) else (-1, -1)


def _drag_to_cell(scene: Scene, item: Element, grid: _Grid, row: int, column: int) -> Outcome:
    if not (0 <= row < len(grid.rows) and 0 <= column < len(grid.rows[row])):
        return scene.fail_with("那个位置不在列表里。", "There is no such place in the list.")
    goal = grid.rows[row][column]
    if goal.index == item.index:
        return scene.finish_with("它已经在那里了", "it is there already", Proof("placed", item.text, f"{row} {column}"))
    (x, y), (at_x, at_y) = goal.bounds.center, item.bounds.center
    # a list makes room when the thing that is dragged has passed the middle of another one
    beyond_x = (
        BEYOND * ((x > at_x) - (x < at_x)) if abs(x - at_x) > EDGE * 3 and row == grid.locate_cell(item)[0] else 0
    )
    beyond_y = BEYOND * ((y > at_y) - (y < at_y))
    number = sum(len(line) for line in grid.rows[:row]) + column
    left = min(cell.bounds.left for cell in grid.cells)
    scene.remember_record(
        HandleMemory(
            "begun",
            scene.print,
            goal=number,
            names=tuple(cell.text for cell in grid.cells),
            # of a grid, where things give way in two directions, nothing but its order tells
            box=item.bounds if len(grid.rows[0]) == 1 else None,
        )
    )
    grab_x = left + (item.bounds.left - left) + min(item.bounds.width // 2, 12)
    drop_x = grab_x + (goal.bounds.left - item.bounds.left) + beyond_x
    thought = scene.say(f"拖动“{item.text}”", f"Dragging “{item.text}”")
    return make_act(thought, Drag(x=grab_x, y=at_y, to_x=drop_x, to_y=y + beyond_y, duration_ms=600, target=item.text))


def _drag_to(scene: Scene, item: Element, x: int, y: int) -> Outcome:
    from_x, from_y = item.bounds.center
    scene.remember_record(HandleMemory("begun", scene.print, box=item.bounds))
    thought = scene.say(f"拖动“{item.text}”", f"Dragging “{item.text}”")
    return make_act(
        thought, Drag(x=from_x, y=from_y, to_x=max(1, x), to_y=max(1, y), duration_ms=400, target=item.text)
    )


def _check_moved(scene: Scene, step: say.Shift | say.Place, told: tuple[str, str]) -> Outcome:
    """Its place is read again where its list still stands; a page that has gone on took the drag for its answer."""
    memory = scene.memory.handle
    if scene.trouble:
        return scene.fail_with(f"没有拖动成功：{scene.trouble}。", f"The drag failed: {scene.trouble}.")
    found, only = scene.find_element(step.item).best, _find_only_shape(scene, step.item)
    item = only or (found.element if found is not None else None)
    gone = item is None and memory.print != scene.print and memory.box is not None
    if gone or (item is not None and _is_there(scene, step, item)):
        scene.judge_last(True)
        return scene.finish_with(*told, Proof("changed" if gone else "placed", step.item))
    if memory.looks < MAX_LOOKS:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("再看一眼", "Looking again"))
    scene.judge_last(False)
    return scene.fail_with(f"“{step.item}”不在要求的位置。", f"“{step.item}” is not where it was to be dragged.")


def _is_there(scene: Scene, step: say.Shift | say.Place, item: Element) -> bool:
    memory = scene.memory.handle
    if not memory.names and memory.box is not None and isinstance(step, say.Shift):
        return _has_moved(memory.box, item.bounds, step.direction)
    grid = _find_grid(scene, item)
    if grid is None or memory.goal < 0:
        return False
    wanted = [name for name in memory.names if name != item.text]
    wanted.insert(memory.goal, item.text)
    return [cell.text for cell in grid.cells] == wanted


def _has_moved(before: Rect, now: Rect, way: say.Direction) -> bool:
    dx, dy = _STEPS[way]
    return (now.center[0] - before.center[0]) * dx + (now.center[1] - before.center[1]) * dy > 2


def resize_thing(step: say.Resize, scene: Scene) -> Outcome:
    """Drag its lower right corner; its new size is read back."""
    memory, item = scene.memory.handle, _find_item(scene, step.target, step.source)
    if not isinstance(item, Element):
        return item
    if not memory.phase:
        box, far = item.bounds, FAR // 2 if step.larger else -FAR // 2
        at_x, at_y = _find_corner(scene, item)
        to_x = at_x + (far if step.side != "height" else 0)
        to_y = at_y + (far if step.side != "width" else 0)
        scene.remember_record(HandleMemory("begun", scene.print, box=box))
        thought = scene.say(f"拖动“{step.target}”的右下角", f"Dragging the corner of “{step.target}”")
        return make_act(thought, Drag(x=at_x, y=at_y, to_x=to_x, to_y=to_y, duration_ms=400, target=item.text))
    before = memory.box or item.bounds
    grown = [item.bounds.width - before.width] * (step.side != "height")
    grown += [item.bounds.height - before.height] * (step.side != "width")
    if all((growth > 0) is step.larger and growth != 0 for growth in grown):
        scene.judge_last(True)
        size = f"{item.bounds.width} × {item.bounds.height}"
        return scene.finish_with(
            f"“{step.target}”现在是 {size}", f"“{step.target}” is {size} now", Proof("state", step.target, size)
        )
    if memory.looks < MAX_LOOKS and not scene.trouble:
        scene.remember_record(HandleMemory(memory.phase, memory.print, memory.looks + 1, box=memory.box))
        return look_again(scene.say("再看一眼", "Looking again"))
    scene.judge_last(False)
    return scene.fail_with(f"“{step.target}”的大小没有变。", f"The size of “{step.target}” did not change.")


def _find_corner(scene: Scene, item: Element) -> tuple[int, int]:
    """Return where its corner is taken hold of: at the grip that a page draws there, else at its very edge."""
    box = item.bounds
    grips = [
        e.bounds
        for e in scene.elements
        if e.index != item.index
        and max(e.bounds.width, e.bounds.height) <= LARGEST_GRIP
        and max(abs(e.bounds.right - box.right), abs(e.bounds.bottom - box.bottom)) <= EDGE * 2
    ]
    nearest = min(grips, key=lambda grip: abs(grip.right - box.right) + abs(grip.bottom - box.bottom), default=None)
    return nearest.center if nearest is not None else (box.right - 2, box.bottom - 2)


def _fail_no_list(scene: Scene, name: str) -> Outcome:
    return scene.fail_with(
        f"看不出“{name}”在哪个列表里。", f"What list or grid “{name}” stands in can't be told from this screen."
    )
