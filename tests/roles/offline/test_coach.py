"""The coach without a model: a person's words, in many ways of saying them, and help for a worker that is stuck."""

from dataclasses import dataclass

import numpy as np
import pytest

from deskhand.core.actions import Click
from deskhand.core.decisions import ActionReport, StepReport
from deskhand.core.geometry import Rect
from deskhand.core.human import (
    AddTodo,
    Amendment,
    AmendRequest,
    ChangeTodo,
    Lesson,
    LessonRequest,
    RemoveTodo,
    StuckRequest,
    TodoEdit,
)
from deskhand.core.protocols import Coach
from deskhand.core.screen import Element, Frame, Observation
from deskhand.core.statuses import ExecStatus, SubtaskStatus
from deskhand.core.subtask import Subtask
from deskhand.roles.offline.coach import OfflineCoach
from deskhand.roles.offline.detour import is_for_now
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import NotUnderstood
from deskhand.roles.task_types import find_task_type

DONE, NOW, READY = SubtaskStatus.FULFILLED, SubtaskStatus.PENDING, SubtaskStatus.READY


def todo(*parts: tuple[str, SubtaskStatus]) -> tuple[Subtask, ...]:
    return tuple(
        Subtask(id=f"1.{n}", title=title, status=status, task_type=find_task_type(title))
        for n, (title, status) in enumerate(parts, 1)
    )


ENGLISH = todo(
    ("open Settings, turn on Wi-Fi", DONE),
    ("open Notes, create a note titled Shopping", NOW),
    ("set an alarm for 7", READY),
    ("send “hi” to Bob", READY),
)
CHINESE = todo(
    ("打开设置，打开蓝牙", DONE),
    ("打开笔记，新建笔记标题是购物", NOW),
    ("定一个7点的闹钟", READY),
    ("给张三发消息“你好”", READY),
)


async def say(words: str, items: tuple[Subtask, ...] | None = None) -> Amendment:
    listed = items if items is not None else (CHINESE if any(c >= "\u4e00" for c in words) else ENGLISH)
    current = next((part for part in listed if part.status is NOW), None)
    request = AmendRequest(words, "the goal", listed, current, ("operator", "technician", "analyst"))
    coach: Coach = OfflineCoach()
    amendment = await coach.amend(request)
    assert amendment.understood
    return amendment


def removed(edits: tuple[TodoEdit, ...]) -> list[str]:
    return [edit.id for edit in edits if isinstance(edit, RemoveTodo)]


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("also set an alarm for 8", "set an alarm for 8"),
        ("Also, please turn on Bluetooth.", "turn on Bluetooth"),
        ("and then open Settings", "open Settings"),
        ("then open Settings", "open Settings"),
        ("oh and send “bye” to Ann", "send “bye” to Ann"),
        ("one more thing: open Clock", "open Clock"),
        ("when you're done, open Clock", "open Clock"),
        ("Once that is done open Clock!", "open Clock"),
        ("after that, open Clock", "open Clock"),
        ("finally go home", "go home"),
        ("add a step: open Clock", "open Clock"),
        ("add to the list: open Clock", "open Clock"),
        ("don't forget to open Clock", "open Clock"),
        ("I also want you to open Clock", "open Clock"),
        ("open Clock as well", "open Clock"),
        ("could you turn on Bluetooth too", "turn on Bluetooth"),
        ("compute 6*7 and then read the result", "compute 6*7, read the result"),
        ("delete the note Shopping", "delete the note Shopping"),
        ("还要定一个8点的闹钟", "定一个8点的闹钟"),
        ("另外打开设置", "打开设置"),
        ("再打开蓝牙", "打开蓝牙"),
        ("然后给李四发消息“再见”", "给李四发消息“再见”"),
        ("还有，帮我打开时钟", "打开时钟"),
        ("对了，还要打开时钟", "打开时钟"),
        ("顺便打开计算器", "打开计算器"),
        ("最后回到主屏幕", "回到主屏幕"),
        ("加一个任务：打开时钟", "打开时钟"),
        ("完成后打开时钟", "打开时钟"),
        ("做完之后打开时钟", "打开时钟"),
        ("别忘了打开时钟", "打开时钟"),
        ("打开时钟", "打开时钟"),
    ],
)
async def test_one_more_thing_comes_at_the_end(words: str, title: str) -> None:
    (edit,) = (await say(words)).edits
    assert isinstance(edit, AddTodo)
    assert (edit.title, edit.after) == (title, "")
    assert edit.task_type == find_task_type(title)
    assert not any(isinstance(step, NotUnderstood) for step in parse_goal(edit.title))


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("first turn off Wi-Fi", "turn off Wi-Fi"),
        ("but first, turn off Wi-Fi", "turn off Wi-Fi"),
        ("before that, open Clock", "open Clock"),
        ("now open Calculator", "open Calculator"),
        ("next, open Calculator", "open Calculator"),
        ("先打开蓝牙", "打开蓝牙"),
        ("首先打开时钟", "打开时钟"),
        ("接下来打开时钟", "打开时钟"),
    ],
)
async def test_what_comes_first_comes_behind_the_one_under_way(words: str, title: str) -> None:
    (edit,) = (await say(words)).edits
    assert isinstance(edit, AddTodo)
    assert (edit.title, edit.after) == (title, "1.2")


async def test_an_addition_carries_its_proof_its_role_and_no_pronoun() -> None:
    (alarm,) = (await say("also set an alarm for 7")).edits
    assert isinstance(alarm, AddTodo)
    assert (alarm.done_when, alarm.role) == ("“07:00” is visible", "operator")
    (code,) = (await say("also run `ls`")).edits
    assert isinstance(code, AddTodo)
    assert (code.title, code.role) == ("run `ls`", "technician")
    (off,) = (await say("turn it off afterwards", todo(("turn on Bluetooth", NOW)))).edits
    assert isinstance(off, AddTodo)
    assert (off.title, off.done_when) == ("turn Bluetooth off", "“Bluetooth” is off")


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("skip the third one", ["1.3"]),
        ("Skip the 3rd.", ["1.3"]),
        ("skip number 4", ["1.4"]),
        ("skip #4", ["1.4"]),
        ("skip step three", ["1.3"]),
        ("skip 3", ["1.3"]),
        ("skip the second one", ["1.2"]),
        ("skip this one", ["1.2"]),
        ("skip it", ["1.2"]),
        ("skip the next one", ["1.3"]),
        ("cancel the last one", ["1.4"]),
        ("skip the third and the fourth", ["1.3", "1.4"]),
        ("skip 3 and 4", ["1.3", "1.4"]),
        ("skip the rest", ["1.3", "1.4"]),
        ("remove item 3 from the list", ["1.3"]),
        ("delete the third one", ["1.3"]),
        ("Skip the alarm", ["1.3"]),
        ("please skip the alarm.", ["1.3"]),
        ("actually, cancel the alarm", ["1.3"]),
        ("forget about the alarm", ["1.3"]),
        ("never mind the message", ["1.4"]),
        ("don't send the message", ["1.4"]),
        ("don’t send the message to Bob any more", ["1.4"]),
        ("do not set the alarm", ["1.3"]),
        ("no need to set the alarm", ["1.3"]),
        ("no need for the alarm", ["1.3"]),
        ("you don't have to message Bob", ["1.4"]),
        ("I don't need the alarm anymore", ["1.3"]),
        ("the alarm isn't needed any more", ["1.3"]),
        ("跳过第三个", ["1.3"]),
        ("跳过第3个", ["1.3"]),
        ("请跳过第三个，谢谢", ["1.3"]),
        ("跳过这个", ["1.2"]),
        ("跳过闹钟", ["1.3"]),
        ("不要发消息了", ["1.4"]),
        ("不要给张三发消息了", ["1.4"]),
        ("别定闹钟了", ["1.3"]),
        ("不用定闹钟了", ["1.3"]),
        ("第三个不用做了", ["1.3"]),
        ("第三项取消", ["1.3"]),
        ("把第三个去掉", ["1.3"]),
        ("取消最后一个", ["1.4"]),
        ("下一个不要了", ["1.3"]),
        ("跳过第三和第四个", ["1.3", "1.4"]),
    ],
)
async def test_what_is_no_longer_wanted_is_removed(words: str, ids: list[str]) -> None:
    amendment = await say(words)
    assert removed(amendment.edits) == ids
    assert len(amendment.edits) == len(ids)
    assert amendment.message == ""


async def test_a_thing_is_known_by_its_name_in_the_other_language() -> None:
    assert removed((await say("skip the alarm", CHINESE)).edits) == ["1.3"]
    assert removed((await say("跳过闹钟", ENGLISH)).edits) == ["1.3"]


@pytest.mark.parametrize(
    "words",
    [
        "stop after this", "Stop after this one.", "stop when this is done", "that's enough", "That’s enough, thanks!",
        "that's all for now", "finish this one, then stop", "just finish this one", "nothing else after this",
        "no more after this", "做完这个就停", "做完这个就停吧", "这个做完就结束", "完成当前任务后就停", "够了",
        "到此为止", "就这样吧", "剩下的都不用做了", "后面的不用做了",
    ],
)  # fmt: skip
async def test_enough_ends_the_list_behind_the_one_under_way(words: str) -> None:
    amendment = await say(words)
    assert removed(amendment.edits) == ["1.3", "1.4"]


@pytest.mark.parametrize("words", ["stop", "Stop everything!", "cancel everything", "forget it all", "停", "全部取消"])
async def test_stop_ends_the_one_under_way_as_well(words: str) -> None:
    assert removed((await say(words)).edits) == ["1.2", "1.3", "1.4"]


@dataclass
class Changed:
    words: str
    id: str
    title: str
    done_when: str = ""


@pytest.mark.parametrize(
    "case",
    [
        Changed("instead of the alarm, open Clock", "1.3", "open Clock"),
        Changed("instead of setting an alarm open Clock", "1.3", "open Clock"),
        Changed("open Clock instead of the alarm", "1.3", "open Clock"),
        Changed("change the third to open Clock", "1.3", "open Clock"),
        Changed("change the third one to: open Clock", "1.3", "open Clock"),
        Changed("replace number 3 with turn on Bluetooth", "1.3", "turn on Bluetooth", "“Bluetooth” is on"),
        Changed("skip the alarm and open Clock instead", "1.3", "open Clock"),
        Changed("open Calculator instead", "1.2", "open Calculator"),
        Changed("change the alarm to 8", "1.3", "set an alarm for 8", "“08:00” is visible"),
        Changed("make the alarm for 6:30 pm", "1.3", "set an alarm for 6:30 pm", "“18:30” is visible"),
        Changed("change number 4 to “hello”", "1.4", "send “hello” to Bob", "“hello” is visible"),
        Changed("把第三个改成打开时钟", "1.3", "打开时钟"),
        Changed("第三个换成打开时钟", "1.3", "打开时钟"),
        Changed("把闹钟改成8点", "1.3", "定一个8点的闹钟", "看到“08:00”"),
        Changed("闹钟改到8点半", "1.3", "定一个8点半的闹钟", "看到“08:30”"),
        Changed("不要定闹钟了，改成打开时钟", "1.3", "打开时钟"),
        Changed("用打开时钟代替第三个", "1.3", "打开时钟"),
        Changed("把消息改成“再见”", "1.4", "给张三发消息“再见”", "看到“再见”"),
    ],
    ids=lambda case: case.words,
)
async def test_one_thing_becomes_another(case: Changed) -> None:
    (edit,) = (await say(case.words)).edits
    assert edit == ChangeTodo(id=case.id, title=case.title, done_when=case.done_when)


async def test_an_item_can_be_drawn_forward() -> None:
    for words, items in (("do the fourth one first", ENGLISH), ("先做第四个", CHINESE)):
        gone, again = (await say(words)).edits
        assert gone == RemoveTodo(id="1.4")
        assert isinstance(again, AddTodo)
        assert (again.title, again.after) == (items[3].title, "1.2")


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ("skip the alarm and turn on Bluetooth", ["remove", "add"]),
        ("skip the alarm. Also open Clock.", ["remove", "add"]),
        ("turn on Bluetooth and skip the message", ["add", "remove"]),
        ("skip the alarm, change the fourth to open Clock", ["remove", "change"]),
        ("跳过闹钟，打开时钟", ["remove", "add"]),
        ("跳过第三个，另外打开时钟", ["remove", "add"]),
    ],
)
async def test_several_wishes_in_one_breath(words: str, kinds: list[str]) -> None:
    assert [edit.edit for edit in (await say(words)).edits] == kinds


@pytest.mark.parametrize("words", ["scroll down", "go back", "close the pop-up", "try another one", "向下滚动", "返回"])
async def test_a_mere_move_is_for_the_worker_now(words: str) -> None:
    amendment = await say(words)
    assert amendment.edits == ()
    assert is_for_now(amendment.message)


@pytest.mark.parametrize(
    "words",
    [
        "be quick", "the price should be under 20", "use the other account", "skip the banana",
        "don't send the message to Alice", "also dance a little", "instead of the banana, open Clock now, if you like",
        "快一点", "价格要低于20", "别给李四发消息", "x" * 3000, "?", "“”", "skip " * 300,
    ],
)  # fmt: skip
async def test_what_is_no_change_of_the_list_is_passed_on(words: str) -> None:
    amendment = await say(words)
    assert amendment.edits == ()
    assert amendment.message == words.strip()


async def test_without_anybody_at_work_it_says_that_it_did_not_understand() -> None:
    amendment = await say("be quick", ENGLISH[2:])
    assert (amendment.edits, amendment.message) == ((), "")
    assert "not understood" in amendment.understood
    assert "没有听懂" in (await say("快一点", ENGLISH[2:])).understood


async def test_the_person_is_told_what_was_done_in_their_own_language() -> None:
    assert (await say("skip the third one")).understood == "Removed number 3 (“set an alarm for 7”)."
    assert (await say("跳过第三个")).understood == "去掉了第3项“定一个7点的闹钟”。"
    done = await say("skip the first one")
    assert (done.edits, done.message) == ((), "")
    assert done.understood == "Number 1 (“open Settings, turn on Wi-Fi”) is done already."
    assert (await say("跳过第一个")).understood == "第1项“打开设置，打开蓝牙”已经完成。"
    assert (await say("skip the ninth one")).understood == "There is no number 9: the list has 4 items."
    assert (await say("把第一个改成打开时钟")).understood == "第1项“打开设置，打开蓝牙”已经完成。"
    assert (await say("also open Clock")).understood == "Added at the end: “open Clock”."
    assert (await say("stop after this", ENGLISH[:2])).understood == (
        "Stopping after this one. There is nothing else on the list."
    )


async def test_what_is_said_twice_is_done_once() -> None:
    assert removed((await say("skip the alarm. Skip the third one, and change the third to open Clock.")).edits) == [
        "1.3"
    ]


async def test_two_items_that_fit_alike_are_left_alone() -> None:
    twins = todo(("set an alarm for 7", READY), ("set an alarm for 8", READY), ("open Notes", NOW))
    assert (await say("skip the alarm", twins)).edits == ()
    assert removed((await say("skip the alarm for 8", twins)).edits) == ["1.2"]


# --- stuck -----------------------------------------------------------------------------------------------------

FRAME = Frame(np.zeros((2400, 1080, 4), np.uint8))
LIST = Element(0, "list", Rect(0, 100, 1080, 2300), scrollable=True)
DIALOG = Element(1, "dialog", Rect(100, 800, 900, 1500), name="Update now?")
PROGRESS = Element(2, "progress", Rect(400, 1000, 600, 1200))
TWINS = tuple(Element(n, "button", Rect(40, 300 * n, 1040, 300 * n + 90), name="Bob", clickable=True) for n in (3, 4))


def stuck(*elements: Element, title: str = "find Bob", **more: object) -> StuckRequest:
    seen = Observation(FRAME, elements, app=str(more.pop("app", "com.example")))
    return StuckRequest("the goal", Subtask(id="1.1", title=title), "nothing changes", seen, **more)  # type: ignore[arg-type] # hand-written


async def advice(request: StuckRequest, count: int) -> list[str]:
    """What is said one after the other, each time with what was said before."""
    coach: Coach = OfflineCoach()
    given: tuple[str, ...] = ()
    for _ in range(count):
        asked = StuckRequest(
            request.goal, request.subtask, request.because, request.observation, request.history, given
        )
        given = (*given, (await coach.correct(asked)).text)
    return list(given)


async def test_help_is_chosen_by_what_is_on_the_screen_and_never_repeated() -> None:
    everything = await advice(stuck(LIST, DIALOG, PROGRESS), 9)
    assert everything[:6] == [
        "close the pop-up",
        "wait 3 seconds",
        "scroll down",
        "scroll up",
        "go back",
        "go home, then start again",
    ]
    assert len(set(everything)) == 9
    assert (await advice(stuck(), 2)) == ["go back", "go home, then start again"]
    assert (await advice(stuck(LIST, app="com.android.launcher3"), 2)) == ["scroll down", "scroll up"]
    assert (await advice(stuck(LIST, title="找到张三"), 3)) == ["向下滚动", "向上滚动", "返回"]


async def test_another_candidate_is_proposed_where_one_was_touched_and_more_fit() -> None:
    touched = StepReport(step=1, actions=(ActionReport(action=Click(x=540, y=945), status=ExecStatus.EXECUTED),))
    assert (await advice(stuck(*TWINS, history=(touched,)), 1)) == ["try another one"]
    assert (await advice(stuck(TWINS[0], history=(touched,)), 1)) == ["go back"]
    assert (await advice(stuck(*TWINS), 1)) == ["go back"]


async def test_all_help_is_understood_by_the_worker_as_something_to_be_done_now() -> None:
    for title in ("find Bob", "找到张三"):
        for text in await advice(stuck(LIST, DIALOG, PROGRESS, *TWINS, title=title), 12):
            assert is_for_now(text), text


async def test_without_a_model_prompts_stay_as_they_are() -> None:
    coach: Coach = OfflineCoach()
    assert await coach.improve(LessonRequest("goal", "read", "old", False, "it failed")) == Lesson()
