"""Every instruction on a desktop program that works and on its sabotaged twin, judged by the program's own state."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.exams.desktop_room import SYSTEM_PYTHON, Room, open_room

PROGRAM = Path(__file__).parent.parent / "apps" / "gtk_saboteur.py"

# goal, what the program's state is then, the troubles that sabotage it
TABLE: dict[str, tuple[str, tuple[str, Any], tuple[str, ...]]] = {
    "click": ("click Greet", ("greeted", True), ("dead",)),
    "click zh": ("点击“Greet”", ("greeted", True), ("dead",)),
    "check": ("check Agree", ("agreed", True), ("springs", "springs-late")),
    "type": ("type “Alice Smith” into Name", ("name", "Alice Smith"), ("short", "emptied")),
    "type zh": ("在“Name”里输入“王小明先生”", ("name", "王小明先生"), ("short",)),
    "select": ("select Green in Colour", ("colour", "Green"), ("springs", "springs-late")),
    "delete": ("delete “Milk”", ("milk", False), ("dead", "stays", "springs-late")),
    "save as": ("save as “report.txt”", ("saved", "report.txt"), ("dead", "stays", "refused", "unnamed")),
}
# The others take minutes together.
FAST = {("check", ""), ("check", "springs"), ("click", "dead"), ("type", "short"), ("save as", "refused")}
CASES = [
    pytest.param(kind, trouble, marks=() if (kind, trouble) in FAST else pytest.mark.slow)
    for kind, (_, _, troubles) in TABLE.items()
    for trouble in ("", *troubles)
]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    with open_room(tmp_path_factory.mktemp("room") / "room") as room:
        yield room


@pytest.mark.parametrize(("kind", "trouble"), CASES)
async def test_only_what_had_its_effect_in_the_program_is_fulfilled(room: Room, kind: str, trouble: str) -> None:
    goal, (name, wanted), _ = TABLE[kind]
    state = room.home / "state.json"
    state.unlink(missing_ok=True)
    room.start_program((SYSTEM_PYTHON, str(PROGRAM), str(state), trouble))
    try:
        room.wait_until(lambda: room.in_front("workbench"), "the program in front")
        fulfilled, reason = await room.run_goal(goal)
        assert fulfilled is not bool(trouble), reason
        assert reason
        if not trouble:
            assert json.loads(state.read_text())[name] == wanted
    finally:
        room.end_last_program()
