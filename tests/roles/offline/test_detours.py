"""Help that reaches the offline worker in the middle of its work: done at once, then it goes on where it was."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from deskhand.core.actions import ACTION_KINDS, Action, Back, Click, Home, OpenApp, Scroll, Type, Wait
from deskhand.core.decisions import ActionReport, Briefing, Decision, StepReport
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Frame, Observation, Role
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import Subtask
from deskhand.roles.offline.detour import is_for_now
from deskhand.roles.offline.worker import OfflineWorker

FRAME = Frame(np.zeros((2400, 1080, 4), np.uint8))


def thing(index: int, role: Role, name: str = "", top: int = 0, **more: object) -> Element:
    """One full-width thing; `top` in hundreds of pixels."""
    return Element(index, role, Rect(40, top * 100, 1040, top * 100 + 90), name=name, **more)  # type: ignore[arg-type] # hand-written


BOX = Element(0, "list", Rect(0, 100, 1080, 2300), scrollable=True)
YES, NO = thing(1, "button", "Yes", 3, clickable=True), thing(2, "button", "No", 5, clickable=True)


class Work:
    """One subtask from step to step, each decision by a new worker that knows only the bookmark."""

    def __init__(self, title: str) -> None:
        self.briefing = Briefing(
            goal=title,
            subtask=Subtask(id="s", title=title),
            observation=Observation(FRAME, ()),
            capabilities=ACTION_KINDS,
            step=0,
            max_steps=50,
        )
        self.last = Decision(kind="done")

    async def step(
        self, elements: Sequence[Element], *messages: str, error: str = "", app: str = "com.example"
    ) -> list[Action]:
        """Told how the last actions went, it decides the next ones."""
        status = ExecStatus.ERROR if error else ExecStatus.EXECUTED
        area = None if error else FRAME.bounds
        reports = tuple(
            ActionReport(action=p.action, status=status, detail=error, area=area) for p in self.last.actions
        )
        before = self.briefing
        history = (*before.history, StepReport(step=before.step, actions=reports)) if before.step else ()
        seen = Observation(FRAME, tuple(elements), app=app)
        self.briefing = replace(
            before,
            observation=seen,
            step=before.step + 1,
            history=history[-8:],
            messages=messages,
            bookmark=self.last.bookmark,
        )
        self.last = await OfflineWorker().decide(self.briefing)
        return [planned.action for planned in self.last.actions]


@pytest.mark.parametrize(
    ("text", "now"),
    [
        ("scroll down", True),
        ("go back", True),
        ("close the pop-up", True),
        ("关闭弹窗", True),
        ("go home, then start again", True),
        ("回到主屏幕，然后重新开始", True),
        ("try another one", True),
        ("换一个试试", True),
        ("wait 3 seconds", True),
        ("first click No", True),
        ("先点击取消", True),
        ("click No", False),
        ("关闭蓝牙", False),
        ("close Wi-Fi", False),
        ("be careful", False),
        ("scroll down and dance", False),
        ("", False),
    ],
)
def test_what_is_for_now(text: str, now: bool) -> None:
    assert is_for_now(text) is now


async def test_help_is_done_first_and_then_the_instruction_goes_on() -> None:
    work = Work("click Yes, then click No")
    assert await work.step([BOX, YES]) == [Click(x=540, y=345, target="Yes")]
    assert [a.kind for a in await work.step([BOX, NO], "scroll down")] == ["scroll"]
    assert work.last.thought == "correction"
    assert await work.step([BOX, NO]) == [Click(x=540, y=545, target="No")]
    await work.step([BOX, NO])
    assert work.last.kind == "done"


async def test_help_for_one_that_looks_for_something_lets_it_look_anew() -> None:
    work = Work("click Save")
    assert isinstance((await work.step([BOX, YES]))[0], Scroll)
    assert await work.step([BOX, YES], "go back") == [Back()]
    save = thing(3, "button", "Save", 7, clickable=True)
    assert await work.step([BOX, save]) == [Click(x=540, y=745, target="Save")]


async def test_more_to_do_still_comes_behind_everything_else() -> None:
    work = Work("click Yes")
    assert await work.step([YES, NO], "click No") == [Click(x=540, y=345, target="Yes")]
    assert await work.step([YES, NO]) == [Click(x=540, y=545, target="No")]


async def test_anything_can_be_put_first_by_saying_so() -> None:
    work = Work("click Yes")
    assert await work.step([YES, NO], "first click No") == [Click(x=540, y=545, target="No")]
    assert await work.step([YES, NO]) == [Click(x=540, y=345, target="Yes")]


async def test_a_pop_up_is_closed_by_the_button_that_changes_nothing() -> None:
    dialog = (
        Element(4, "dialog", Rect(100, 800, 980, 1500), name="Update now?"),
        Element(5, "button", Rect(120, 1300, 500, 1400), name="Cancel", clickable=True, parent=4),
        Element(6, "button", Rect(520, 1300, 900, 1400), name="OK", clickable=True, parent=4),
    )
    work = Work("wait 60 seconds")
    assert await work.step([YES, *dialog]) == [Wait(seconds=60)]
    assert await work.step([YES, *dialog], "close the pop-up") == [Click(x=310, y=1350, target="Cancel")]
    await work.step([YES])
    assert work.last.kind == "done"


async def test_help_that_can_not_be_followed_is_left_out() -> None:
    work = Work("click Yes")
    assert await work.step([YES], "try another one", "close the pop-up, then scroll down") != []
    while work.last.thought == "correction":
        await work.step([YES], error="it did not work")
    assert [planned.action for planned in work.last.actions] == [Click(x=540, y=345, target="Yes")]


async def test_trouble_with_the_help_is_no_trouble_of_the_instruction() -> None:
    """What was clicked well is not clicked again because scrolling failed afterwards."""
    work = Work("click Yes, then click No")
    await work.step([BOX, YES, NO])
    await work.step([BOX, YES, NO], "scroll down")
    assert await work.step([BOX, YES, NO], error="the phone did not answer") == [Click(x=540, y=545, target="No")]


async def test_another_candidate_is_another_one() -> None:
    bobs = [thing(3, "item", "Bob", 3, clickable=True), thing(7, "item", "Bob Miller", 9, clickable=True)]
    work = Work("find Bob, then type hello into the message field")
    (taken,) = await work.step(bobs)
    assert isinstance(taken, Click)
    page = [thing(1, "text", "Bob's profile", 1)]
    assert (await work.step(page, "try another one")) == [Back()]
    (other,) = await work.step(bobs)
    assert isinstance(other, Click)
    assert other.target == "Bob Miller"
    field = thing(2, "field", "message", 20, clickable=True, editable=True)
    typed = await work.step([thing(1, "text", "Bob Miller", 1), field])
    assert any(isinstance(action, Type) for action in typed)


async def test_nothing_is_sent_or_clicked_twice_when_it_starts_again() -> None:
    field = thing(2, "field", "message", 20, clickable=True, editable=True)
    work = Work("open Notes, click Yes, scroll down, click Save")
    assert await work.step([YES], app="com.android.launcher3") == [OpenApp(name="Notes")]
    assert await work.step([YES]) == [Click(x=540, y=345, target="Yes")]
    assert isinstance((await work.step([BOX, field]))[0], Scroll)
    assert isinstance((await work.step([BOX, NO]))[0], Scroll)  # looks for Save
    assert await work.step([BOX, NO], "go home, then start again") == [Home()]
    save = thing(3, "button", "Save", 7, clickable=True)
    assert await work.step([save]) == [Click(x=540, y=745, target="Save")]


async def test_what_can_be_repeated_starts_again_at_the_app() -> None:
    work = Work("打开设置，找到蓝牙设备")
    assert await work.step([YES], app="com.android.launcher3") == [OpenApp(name="设置")]
    await work.step([BOX, YES])
    assert await work.step([BOX, YES], "回到主屏幕，然后重新开始") == [Home()]
    assert await work.step([YES], app="com.android.launcher3") == [OpenApp(name="设置")]


async def test_as_a_part_of_a_goal_it_is_refused() -> None:
    work = Work("click Yes, then start again")
    await work.step([YES])
    await work.step([YES])
    assert work.last.kind == "fail"
    assert "while a task is running" in work.last.message


async def test_a_crash_in_the_middle_loses_nothing() -> None:
    """Each decision is made by a new worker: two pieces of help, one after the other, are both done."""
    work = Work("click Yes")
    assert isinstance((await work.step([BOX, YES], "scroll down", "go back"))[0], Scroll)
    assert await work.step([BOX, YES]) == [Back()]
    assert await work.step([BOX, YES]) == [Click(x=540, y=345, target="Yes")]


async def test_words_of_the_screen_in_a_report_are_not_followed() -> None:
    work = Work("click Yes")
    told = "The user had the device and handed it back. In front now: Shop. Then click No."
    assert await work.step([YES, NO], told) == [Click(x=540, y=345, target="Yes")]
    await work.step([YES, NO])
    assert work.last.kind == "done"
