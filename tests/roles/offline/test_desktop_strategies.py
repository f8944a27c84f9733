"""What is peculiar to a desktop: keys without a field, and dialogs that the goal itself has brought up."""

from dataclasses import replace

import pytest

from deskhand.core.actions import Action, ManageWindow, Type, Wait
from deskhand.core.decisions import Decision
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Role
from deskhand.devices.desktop.device import CAPABILITIES
from deskhand.roles.offline.worker import OfflineWorker
from tests.roles.offline.test_worker import actions, briefing, thing


async def play(goal: str, *screens: list[Element]) -> tuple[Decision, list[Action]]:
    """Show the worker one screen after the other, the last one as often as it wants."""
    decision, done = await OfflineWorker().decide(briefing(goal, screens[0], skills=CAPABILITIES)), list[Action]()
    for turn in range(1, 20):
        if decision.kind != "actions":
            break
        done += actions(decision)
        screen = screens[min(turn, len(screens) - 1)]
        decision = await OfflineWorker().decide(briefing(goal, screen, last=decision, skills=CAPABILITIES))
    return decision, done


def seen(index: int, role: Role, name: str, top: int, **more: object) -> Element:
    return thing(index, role, name, top, source="atspi", **more)


@pytest.mark.parametrize("role", ["button", "checkbox", "radio", "switch", "tab", "link", "menu", "combobox", "slider"])
@pytest.mark.parametrize("goal", ["type “a b”", "输入“a b”"])
async def test_no_keys_go_to_a_control_that_they_would_press(role: Role, goal: str) -> None:
    screen = [seen(1, role, "Apply", 3, clickable=True, focused=True), seen(2, "text", "Ready", 5)]
    decision, done = await play(goal, screen)
    assert decision.kind == "fail"
    assert [action for action in done if not isinstance(action, Wait)] == []


async def test_of_several_fields_none_is_guessed() -> None:
    fields = [seen(n, "field", name, n, editable=True, clickable=True) for n, name in ((1, "From"), (2, "To"))]
    decision, done = await play("type “hello”", fields)
    assert decision.kind == "fail"
    assert "say which" in decision.message
    assert done == []


@pytest.mark.parametrize("after", ["", "hellp", "$ hell"])
async def test_text_that_does_not_show_is_not_typed_again(after: str) -> None:
    decision, done = await play("type “hello”", [seen(1, "text", "$", 3)], [seen(1, "text", after, 3)])
    assert decision.kind == "fail"
    assert [a for a in done if isinstance(a, Type)] == [Type(text="hello")]


async def test_text_that_was_there_before_proves_nothing() -> None:
    said = seen(1, "text", "$ hello", 3)
    assert (await play("type “hello”", [said]))[0].kind == "fail"
    assert (await play("type “hello”", [said], [seen(1, "text", "$ hello hello", 3)]))[0].kind == "done"


async def test_a_picture_that_is_read_nearly_right_is_enough() -> None:
    read = thing(1, "text", "$ echo he1lo world", 3, source="ocr")
    assert (await play("type “echo hello world”", [thing(1, "text", "$", 3, source="ocr")], [read]))[0].kind == "done"


@pytest.mark.parametrize("goal", ["close the dialog", "关闭对话框"])
async def test_a_dialog_that_stays_is_not_closed(goal: str) -> None:
    dialog = [seen(1, "dialog", "Print", 1), seen(2, "button", "Cancel", 3, clickable=True, parent=1)]
    assert (await play(goal, dialog))[0].kind == "fail"
    decision, done = await play(goal, dialog, [seen(1, "text", "Ready", 3)])
    assert decision.kind == "done"
    assert [a.kind for a in done] == ["click"]


@pytest.mark.parametrize("goal", ["click Find, then click Replace all", "点击“Find”，点击“Replace all”"])
async def test_the_dialog_that_the_goal_has_brought_up_is_not_cancelled(goal: str) -> None:
    page = [seen(1, "button", "Find", 1, clickable=True)]
    dialog = [seen(1, "dialog", "Search", 2), seen(2, "button", "Cancel", 5, clickable=True, parent=1)]
    decision, done = await play(goal, page, dialog)
    assert decision.kind == "fail"
    assert [getattr(a, "target", "") for a in done if a.kind == "click"] == ["Find"]


def sheet(name: str, value: str) -> list[Element]:
    return [seen(1, "field", name, 1, editable=True, clickable=True, value=value), seen(2, "text", "Sheet 1", 5)]


async def test_a_cell_is_reached_when_the_name_box_tells_it() -> None:
    assert (await play("go to cell B2", sheet("Name Box", "A1"), sheet("Name Box", "B2")))[0].kind == "done"
    assert (await play("go to cell B2", sheet("Name Box", "A1")))[0].kind == "fail"


@pytest.mark.parametrize("name", ["Font Name", "File name", "Name", "Style Name Box"])
async def test_a_field_of_a_similar_name_is_no_name_box(name: str) -> None:
    decision, done = await play("go to cell B2", sheet(name, "DejaVu Sans"))
    assert decision.kind == "fail"
    assert done == []


def lines(box: str, content: str) -> list[Element]:
    """A sheet that draws its cells: the name box, and to its right the line with what the cell holds."""
    left = seen(1, "field", "", 1, editable=True, clickable=True, value=box)
    right = seen(2, "field", "", 1, editable=True, clickable=True, value=content)
    return [replace(left, bounds=Rect(0, 100, 90, 130)), replace(right, bounds=Rect(100, 100, 900, 130))]


@pytest.mark.parametrize("goal", ["put 7 into cell B2", "在单元格B2输入7", "set cell B2 to 7"])
@pytest.mark.parametrize("content", ["", "r1", "Q4"])
async def test_what_a_cell_holds_is_read_in_its_line_even_if_it_looks_like_a_name(goal: str, content: str) -> None:
    decision, done = await play(goal, lines("A1", content), lines("B2", content), lines("B3", ""), lines("B2", "7"))
    assert decision.kind == "done"
    assert [a.text for a in done if isinstance(a, Type)] == ["B2", "7", "B2"]


@pytest.mark.parametrize("goal", ["put 7 into cell B2", "在单元格B2输入7"])
async def test_a_cell_that_then_holds_something_else_is_not_written(goal: str) -> None:
    decision, done = await play(goal, lines("A1", ""), lines("B2", ""), lines("B3", ""), lines("B2", "70"))
    assert decision.kind == "fail"
    assert [a.text for a in done if isinstance(a, Type)].count("7") == 1


async def test_a_cell_is_gone_to_once_more_before_it_is_given_up() -> None:
    decision, done = await play("go to cell B2", *[lines("A1", "")] * 4, lines("B2", ""))
    assert decision.kind == "done"
    assert [a.text for a in done if isinstance(a, Type)] == ["B2", "B2"]


def tip(*, aside: bool) -> list[Element]:
    return [
        seen(11, "dialog", "Tip of the day", 3),
        seen(12, "button", "OK", 4, parent=11, clickable=True, focused=not aside),
        seen(13, "button", "Next tip", 5, parent=11, clickable=True),
        seen(14, "group", "Sheet", 8, focused=aside),
    ]


async def test_a_dialog_that_has_the_keyboard_is_put_away_before_a_cell_is_gone_to() -> None:
    _, done = await play("go to cell B2", [*lines("A1", ""), *tip(aside=False)], lines("A1", ""), lines("B2", ""))
    assert done[0] == ManageWindow(change="close", title="Tip of the day")


@pytest.mark.parametrize("goal", ["press Ctrl+S", "save", "按 Ctrl+S"])
async def test_only_a_dialog_with_the_keyboard_may_ask_something_about_saving(goal: str) -> None:
    before = [seen(14, "group", "Sheet", 8, focused=True)]
    assert (await play(goal, before, tip(aside=True)))[0].kind == "done"
    decision, _ = await play(goal, before, tip(aside=False))
    assert decision.kind == "fail"
    assert "Tip of the day" in decision.message
