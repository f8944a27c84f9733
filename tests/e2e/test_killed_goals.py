"""Goals of several acts, killed in the middle: each of them is done, and none of them more often than it was said."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from deskhand.clock import SystemClock
from deskhand.core.human import UserRequest
from deskhand.core.statuses import TaskStatus
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.settings.schema import AdbSettings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from tests.devices.browser.browser_stage import serving
from tests.e2e.kill_harness import Kill, World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
DOUBTS = ("may have been carried out", "可能已经执行过")


@dataclass
class LongWorld(World):
    """The user knows what was done before the kill, and agrees to the rest."""

    before: int = 0

    def answer(self, request: UserRequest) -> Literal["yes", "no"]:
        return "no" if any(words in request.text for words in DOUBTS) and self.count() > self.before else "yes"


@asynccontextmanager
async def phone_world(folder: Path, goal: str, count: Callable[[Any], int], locale: str) -> AsyncIterator[LongWorld]:
    phone = Phone(locale=locale)
    async with run_private_server(AdbSettings(), SystemClock()) as adb, SimPhone(phone) as sim:
        settings = {"adb": adb.model_dump(mode="json", exclude_unset=True)}
        device = f"android:{sim.address}"
        yield LongWorld(goal, device, folder, lambda: count(phone.read_state()["apps"]), settings=settings)


def count_sent(name: str, text: str) -> Callable[[Any], int]:
    def count(apps: Any) -> int:
        chat = apps["com.tencent.mm"]["chats"].get(name, {"messages": []})
        return sum(one["from"] == "me" and one["text"] == text for one in chat["messages"])

    return count


@pytest.mark.parametrize(
    "kill", [Kill("act", 0.05), Kill("act", 0.3), Kill("act", 0.8), Kill("act", 0.05, nth=2)], ids=str
)
@pytest.mark.parametrize(
    ("goal", "name", "text", "locale"),
    [
        pytest.param("打开微信，给张三发消息“好”，再给张三发消息“好”", "张三", "好", "zh", id="zh"),
        pytest.param('open WeChat, send "hi" to Bob, send "hi" to Bob', "Bob", "hi", "en", id="en"),
    ],
)
async def test_what_is_said_twice_is_sent_twice(
    tmp_path: Path, goal: str, name: str, text: str, locale: str, kill: Kill
) -> None:
    async with phone_world(tmp_path, goal, count_sent(name, text), locale) as world:
        world.before = kill.nth - 1
        await world.run_child(kill)
        if not await world.is_fulfilled():  # else the kill came too late
            state = await world.finish(await world.find_task())
            assert state.status is TaskStatus.FULFILLED, state.reason
        assert world.count() == 2


@pytest.mark.parametrize("late_s", [0.05, 0.6])
async def test_a_button_that_is_named_twice_is_pressed_twice(tmp_path: Path, late_s: float) -> None:
    form = "<title>Form</title><form method=post action=/send><input name=a><button>Send</button></form>"
    with serving() as site:
        site.page(form, "/send")
        page = site.page(form)
        world = LongWorld("click Send, click Send", "browser", tmp_path, lambda: len(site.posted), url=page)
        await world.run_child(Kill("act", late_s))
        if not await world.is_fulfilled():  # else the kill came too late
            state = await world.finish(await world.find_task())
            assert state.status is TaskStatus.FULFILLED, state.reason
        assert world.count() == 2


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize(
    ("goal", "locale"), [("delete the note about milk", "en"), ("删除关于牛奶的便签", "zh")], ids=["en", "zh"]
)
async def test_what_was_asked_when_it_was_killed_is_asked_again_and_done(
    tmp_path: Path, goal: str, locale: str, nth: int
) -> None:
    """Decided on and never begun: the worker goes back to before it, whatever it was about to do."""
    all_notes = len(Phone(locale=locale).read_state()["apps"]["com.miui.notes"]["notes"])

    def count(apps: Any) -> int:
        return all_notes - len(apps["com.miui.notes"]["notes"])

    async with phone_world(tmp_path, goal, count, locale) as world:
        world.attended = True
        assert await world.run_child(Kill("person_asked", nth=nth))
        assert world.count() == 0
        state = await world.finish(await world.find_task())
        assert (world.count(), state.status) == (1, TaskStatus.FULFILLED), state.reason


HANDED_IN = (
    ("type Ann into Name, click Save", "Name", "<button>Save</button>"),
    ("type Ann into Name, press Enter", "Name", "<button>Save</button>"),
    ("在姓名里输入Ann，点击下一步", "姓名", "<button>下一步</button>"),
)


@pytest.mark.parametrize("again", [True, False], ids=["again", "not again"])
@pytest.mark.parametrize(("goal", "label", "button"), HANDED_IN, ids=["save", "enter", "zh"])
async def test_what_a_server_may_have_got_is_not_handed_in_again_unasked(
    tmp_path: Path, goal: str, label: str, button: str, again: bool
) -> None:
    """No word of it says that it can't be undone; but a record that is saved twice is there twice."""
    with serving() as site:
        site.page("<title>Two</title><p>Thank you</p>", "/two")
        form = f"<form method=post action=/two><label>{label} <input name=name></label>{button}</form>"
        page = site.page(f"<title>One</title>{form}")
        world = AskedWorld(goal, "browser", tmp_path, lambda: len(site.posted), url=page, again=again)
        # The third action is the press; the browser dies with its program.
        assert await world.run_child(Kill("action_intended", nth=3))
        done = world.count()
        state = await world.finish(await world.find_task())
        assert len(world.asked) == 1, state.reason
        assert world.count() == done + again
        assert state.status is TaskStatus.FULFILLED or not again, state.reason


@dataclass
class AskedWorld(World):
    """A user who is asked whether it is done again, and wants it or not."""

    again: bool = False

    def __post_init__(self) -> None:
        self.asked: list[str] = []

    def answer(self, request: UserRequest) -> Literal["yes", "no"]:
        self.asked.append(request.text)
        assert any(words in request.text for words in DOUBTS), request.text
        return "yes" if self.again else "no"
