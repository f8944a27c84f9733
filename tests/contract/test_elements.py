"""The contract on elements: one normal form, true to what the app knows of itself."""

import asyncio
import re
from typing import get_args

import pytest

from deskhand.core.actions import Click, Scroll, Type
from deskhand.core.errors import NoElements
from deskhand.core.geometry import Rect
from deskhand.core.screen import Role
from tests.contract.stage import Stage, listed, until

pytestmark = pytest.mark.asyncio(loop_scope="package")


@pytest.mark.has(tree=True)
async def test_elements_have_the_normal_form(stage: Stage) -> None:
    elements = await stage.device.elements()
    screen = Rect(0, 0, *(await stage.device.frame()).size)
    assert [one.index for one in elements] == list(range(len(elements)))
    for one in elements:
        assert one.role in get_args(Role)
        assert one.bounds.area > 0
        assert one.bounds.intersect_with(screen) == one.bounds, f"{one} reaches out of {screen}"
        assert one.parent is None or 0 <= one.parent < one.index
        assert one.editable or one.role != "field"


@pytest.mark.has(tree=True)
async def test_a_field_tells_its_value_and_a_password_does_not(stage: Stage) -> None:
    places = (await stage.board()).places
    for name, text in (("Password", "hunter2"), ("Name", "Ada 艾达")):
        x, y = places[name].center
        await stage.device.act(Click(x=x, y=y))
        await stage.device.act(Type(text=text))

    async def told() -> bool:
        return (await listed(stage))["Name"].value == "Ada 艾达"

    await until(told, "the value of Name")
    assert (await listed(stage))["Name"].focused
    for one in await stage.device.elements():
        assert "hunter2" not in f"{one.name} {one.value} {one.hint}"


@pytest.mark.has(tree=True)
async def test_a_box_tells_whether_it_is_ticked(stage: Stage) -> None:
    box = (await listed(stage))["Agree"]
    assert box.checked is False
    await stage.device.act(Click(x=box.bounds.center[0], y=box.bounds.center[1]))

    async def ticked() -> bool:
        return (await listed(stage))["Agree"].checked is True

    await until(ticked, "the tick")
    assert (await stage.board()).agreed


@pytest.mark.has(tree=True)
@pytest.mark.needs("scroll")
async def test_what_is_scrolled_out_of_sight_is_not_listed(stage: Stage) -> None:
    place = (await stage.board()).places["Rows"]
    seen = await rows(stage, place)
    assert seen[:2] == ["Row 0", "Row 1"]
    assert len(seen) < 30
    await stage.device.act(Scroll(direction="down", pages=3, x=place.center[0], y=place.center[1]))

    async def gone() -> bool:
        return "Row 0" not in await rows(stage, place)

    await until(gone, "other rows")
    assert await rows(stage, place)


async def rows(stage: Stage, place: Rect) -> list[str]:
    found = [one for one in await stage.device.elements() if re.fullmatch(r"Row \d+", one.name)]
    for one in found:
        assert one.bounds.intersect_with(place) == one.bounds, f"{one} reaches out of {place}"
    return [one.name for one in found]


@pytest.mark.has(tree=True)
async def test_elements_can_be_asked_for_more_than_once_at_a_time(stage: Stage) -> None:
    first, second, _ = await asyncio.gather(stage.device.elements(), stage.device.elements(), stage.device.frame())
    assert [one.name for one in first] == [one.name for one in second]


@pytest.mark.has(tree=False)
async def test_a_screen_without_a_tree_is_said_so(stage: Stage) -> None:
    with pytest.raises(NoElements, match="Board"):
        await stage.device.elements()
