"""The last sentence of a task: true to what was done, on one line, and never more similar than it is."""

import re

import pytest

from deskhand.language import language_of
from tests.roles.handset import Handset


@pytest.mark.parametrize(
    ("goal", "told"), [("open Notess", "Opened Notess (Notes)."), ("open the Notes app", "Opened Notes.")]
)
async def test_an_app_that_was_meant_is_called_by_its_own_name(goal: str, told: str) -> None:
    assert (await Handset(locale=language_of(goal)).run(goal)).message == told


@pytest.mark.parametrize("goal", ["click Foo", "点击不存在的按钮"])
async def test_what_is_only_on_the_screen_is_not_called_similar(goal: str) -> None:
    told = (await Handset(locale=language_of(goal)).run(goal)).message
    assert "for example" in told or "例如" in told
    assert not any(word in told for word in ("similar", "nearest", "相近", "接近"))


@pytest.mark.parametrize(("goal", "similar"), [("click the Settings of the moon", "Settings"), ("点击设置页", "设置")])
async def test_what_is_similar_is_called_so(goal: str, similar: str) -> None:
    told = (await Handset(locale=language_of(goal)).run(goal)).message
    assert re.search(f"(similar names: |名字相近的有：)“{similar}”", told), told


@pytest.mark.parametrize("goal", ["delete the note “Shopping list”", "删除备忘录“购物清单”"])
async def test_a_name_of_several_lines_is_told_on_one(goal: str) -> None:
    ended = await Handset(locale=language_of(goal)).run(goal)
    assert ended.kind == "done", ended.message
    assert len(ended.message.splitlines()) == 1
