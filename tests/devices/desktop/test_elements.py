"""What is on the desktop, in our normal form: what a person could see and hit, and nothing else."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from deskhand.core import actions
from deskhand.core.errors import NoElements
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from tests.devices.desktop.desktop_stage import Stage, inside, middle, staged, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="module")
GTK, QT, TK = "GTK board", "Qt form", "Tk entry"
SCREEN = Rect(0, 0, 1280, 800)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with staged(tmp_path_factory.mktemp("data") / "share") as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="module")
async def fresh(stage: Stage) -> AsyncIterator[Stage]:
    await stage.clear()
    yield stage
    await stage.clear()


async def front(stage: Stage) -> tuple[Element, ...]:
    """The elements of the front window, which come first."""
    elements = await stage.device.elements()
    tops = [e.index for e in elements if e.parent is None]
    return elements[: tops[1]] if len(tops) > 1 else elements


def named(elements: tuple[Element, ...]) -> dict[str, Element]:
    return {f"{e.role} {e.name}": e for e in elements}


async def test_an_empty_desktop_has_no_elements(fresh: Stage) -> None:
    assert await fresh.device.elements() == ()
    assert (await fresh.device.app()).name == "desktop"


@pytest.mark.parametrize("app", [GTK, QT])
async def test_the_elements_of_a_form(stage: Stage, app: str) -> None:
    await stage.open(app)
    await stage.element("Disabled")
    elements = await front(stage)
    found = named(elements)
    for index, element in enumerate(elements):
        assert element.index == index
        assert element.parent is None or element.parent < index
        assert inside(element.bounds, SCREEN)
        assert element.source == "atspi"
    window = next(e for e in elements if e.role == "window")
    assert "测试" in window.name
    assert found["button Press me"].enabled
    assert found["button Press me"].clickable
    assert not found["button Disabled"].enabled
    assert found["checkbox Agree"].checked is False
    assert found["field Name"].editable
    assert found["field Name"].focused
    assert found["field Password"].password
    assert any(e.role == "combobox" and e.value == "Red" for e in elements)
    assert "text Name" not in found or not found["text Name"].clickable


@pytest.mark.parametrize("app", [GTK, QT])
async def test_a_checkbox_tells_that_it_was_checked(stage: Stage, app: str) -> None:
    await stage.open(app)
    await stage.device.act(actions.Click(**middle(await stage.element("Agree"))))
    await stage.last(app, "toggled", active=True)

    async def checked() -> bool:
        return (await stage.element("Agree")).checked is True

    await wait_for(checked)
    await stage.device.act(actions.Click(**middle(await stage.element("Agree"))))


@pytest.mark.parametrize("app", [GTK, QT])
async def test_only_the_visible_rows_of_a_long_list_are_there(stage: Stage, app: str) -> None:
    await stage.open(app)
    await stage.element("Row 0")
    elements = await front(stage)
    rows = [e for e in elements if e.name.startswith("Row ")]
    assert 4 <= len(rows) <= 20
    assert [row.name for row in rows] == [f"Row {number}" for number in range(len(rows))]
    container = elements[rows[0].parent or 0]
    assert container.scrollable
    await stage.device.act(actions.Scroll(direction="down", pages=1, **middle(rows[2])))

    async def scrolled() -> bool:
        return all(e.name != "Row 0" for e in await front(stage))

    await wait_for(scrolled, "the list to scroll")
    await stage.device.act(actions.Scroll(direction="up", pages=5, **middle(rows[2])))
    await stage.element("Row 0")


async def test_a_click_on_a_row_that_is_told_selects_that_row(stage: Stage) -> None:
    await stage.open(QT)
    await stage.device.act(actions.Click(**middle(await stage.element("Row 3"))))

    async def selected() -> bool:
        return (await stage.element("Row 3")).selected

    await wait_for(selected)


async def test_a_dropped_down_list_can_be_chosen_from(fresh: Stage) -> None:
    await fresh.open(GTK)
    combo = next(e for e in await fresh.device.elements() if e.role == "combobox")
    await fresh.device.act(actions.Click(**middle(combo)))
    choice = await fresh.element("蓝色")
    await fresh.device.act(actions.Click(**middle(choice)))

    async def chosen() -> bool:
        return any(e.role == "combobox" and e.value == "蓝色" for e in await fresh.device.elements())

    await wait_for(chosen)


async def test_what_a_dialog_covers_is_not_told(fresh: Stage) -> None:
    await fresh.open(GTK)
    await fresh.device.act(actions.Click(**middle(await fresh.element("Open dialog"))))
    ok = await fresh.element("OK")
    elements = await fresh.device.elements()
    front = next(window for window in await fresh.device.list_windows() if window.active)
    for element in elements:
        x, y = element.bounds.center
        if front.bounds.contains_point(x, y) and element.role not in ("window", "dialog"):
            assert inside(element.bounds, front.bounds), f"{element} lies under the dialog"
    assert elements[0].role in ("dialog", "window")
    await fresh.device.act(actions.Click(**middle(ok)))


async def test_a_window_behind_another_is_told_as_far_as_it_shows(fresh: Stage) -> None:
    await fresh.open(QT)
    await fresh.move_window("Qt", Rect(20, 60, 440, 620))
    await fresh.open(GTK)
    await fresh.move_window("GTK", Rect(700, 60, 1150, 660))
    elements = await wait_for(lambda: both(fresh))
    assert "GTK" in elements[0].name
    await fresh.move_window("GTK", Rect(20, 60, 470, 660))

    async def covered() -> bool:
        return all(e.name != "Colour" for e in await fresh.device.elements())

    await wait_for(covered, "the Qt form to be covered")


async def both(stage: Stage) -> tuple[Element, ...] | None:
    elements = await stage.device.elements()
    names = {e.name for e in elements}
    return elements if {"Hang", "Colour"} <= names else None


async def test_a_program_without_a_tree_is_no_elements(fresh: Stage) -> None:
    await fresh.open(TK)
    with pytest.raises(NoElements, match="'Tk 测试 entry', has no accessibility tree"):
        await fresh.device.elements()


async def test_a_hung_program_does_not_hang_the_list(fresh: Stage) -> None:
    await fresh.open(QT)
    await fresh.open(GTK)
    gtk = next(window for window in await fresh.device.list_windows() if window.active)
    os.kill(gtk.pid, signal.SIGSTOP)
    async with asyncio.timeout(10):
        with pytest.raises(NoElements, match="timed out"):
            await fresh.device.elements()
        # Behind another one it is only left out.
        await fresh.device.act(actions.SwitchWindow(title="Qt form"))
        assert "Press me" in {e.name for e in await fresh.device.elements()}
        await fresh.device.act(actions.Click(x=5, y=5))
        await fresh.device.frame()


async def test_the_calculator_computes_and_its_display_is_read(fresh: Stage) -> None:
    await fresh.device.act(actions.OpenApp(name="galculator"))
    await fresh.element("=")

    async def shows(text: str) -> bool:
        return any(e.role == "text" and e.value.strip() == text for e in await fresh.device.elements())

    for key, shown in zip("12*34=", ["1", "12", "12", "3", "34", "408"], strict=True):
        button = await fresh.element(key, "button")
        # It ignores a press while the button before is still flashing.
        while button.checked:
            button = await fresh.element(key, "button")
        await fresh.device.act(actions.Click(**middle(button)))
        await wait_for(lambda shown=shown: shows(shown), f"{shown} on the display")
