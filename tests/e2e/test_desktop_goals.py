"""Goals about windows and keys on real programs, judged by the window manager, xprop and files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.exams.desktop_room import Room, open_room

MAXIMIZED = "_NET_WM_STATE_MAXIMIZED_VERT, _NET_WM_STATE_MAXIMIZED_HORZ"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    """A terminal behind, an editor with a file in front."""
    with open_room(tmp_path / "room") as room:
        (room.home / "list.txt").write_text("milk\n", encoding="utf-8")
        room.start_program(("xterm",))
        room.start_program(("mousepad", "~/list.txt"))
        room.wait_until(lambda: room.in_front("mousepad"), "the editor in front")
        yield room


@pytest.mark.parametrize(
    ("goal", "closed", "left"),
    [
        ("close Mousepad", "mousepad", "xterm"),
        ("Close the window", "mousepad", "xterm"),
        ("关闭 xterm", "xterm", "mousepad"),
    ],
)
async def test_the_window_that_is_meant_is_closed_and_no_other(room: Room, goal: str, closed: str, left: str) -> None:
    fulfilled, reason = await room.run_goal(goal)
    assert fulfilled, reason
    assert not room.shows(closed)
    assert room.shows(left)


@pytest.mark.parametrize("goal", ["close Thunar", "close the Preferences window", "关闭计算器"])
async def test_what_is_not_open_can_not_be_closed(room: Room, goal: str) -> None:
    fulfilled, reason = await room.run_goal(goal)
    assert not fulfilled, reason
    assert room.shows("xterm")
    assert room.shows("mousepad")


async def test_a_window_that_asks_back_is_not_closed(room: Room) -> None:
    fulfilled, reason = await room.run_goal("type “eggs ” and close Mousepad")
    assert not fulfilled
    assert "asks" in reason
    assert room.shows("mousepad")
    assert room.read("list.txt") == "milk\n"


@pytest.mark.parametrize(
    ("goal", "state"),
    [
        ("maximize the window", MAXIMIZED),
        ("把窗口最大化", MAXIMIZED),
        ("minimize Mousepad", "window state: Iconic"),
    ],
)
async def test_a_window_is_arranged(room: Room, goal: str, state: str) -> None:
    assert state not in room.state_of("mousepad")
    fulfilled, reason = await room.run_goal(goal)
    assert fulfilled, reason
    assert state in room.state_of("mousepad")
    assert state not in room.state_of("xterm")


async def test_a_window_that_is_not_there_can_not_be_arranged(room: Room) -> None:
    fulfilled, reason = await room.run_goal("maximize Thunar")
    assert not fulfilled, reason
    assert MAXIMIZED not in room.state_of("mousepad") + room.state_of("xterm")


async def test_a_document_is_typed_into_where_it_has_the_keyboard(room: Room) -> None:
    fulfilled, reason = await room.run_goal("type “eggs ” and press Ctrl+S")
    assert fulfilled, reason
    room.wait_until(lambda: room.read("list.txt") == "eggs milk\n", "the saved document")


@pytest.mark.parametrize("goal", ["type “echo once >> out.txt” and press Enter", "输入“echo once >> out.txt”，按回车"])
async def test_a_terminal_gets_the_keys_once(tmp_path: Path, goal: str) -> None:
    with open_room(tmp_path / "room") as room:
        room.start_program(("xterm",))
        fulfilled, reason = await room.run_goal(goal)
        assert fulfilled, reason
        room.wait_until(lambda: room.read("out.txt"), "the file that the command writes")
        assert room.read("out.txt") == "once\n"
