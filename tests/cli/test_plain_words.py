"""What is printed is for a person: no inner talk, no coordinates, nothing twice, in the language of the goal."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from deskhand.core.action_words import tell_action
from deskhand.core.actions import ACTION_KINDS, parse_action
from deskhand.language import has_chinese
from deskhand.models.scripted.http_server import ModelServer
from deskhand.task.journal import SqliteJournal
from tests.cli.conftest import Cli
from tests.conftest import ConnectedPhone
from tests.contract.absurd_actions import FIELDS_OF
from tests.e2e.test_dispatch import act

INNER_TALK = re.compile(
    r"gate|WORKER_|_CHECK|by rules|\bruled?\b|worker_failed|\[operator\]|\(\d+, \d+\)|pages=|clear_first|first_plan"
    r"|under way|every subtask|\bsubtask\b|None|True|False"
)
GOALS = {
    "fulfilled": ("Open Settings, turn on Wi-Fi", "打开设置，打开WLAN"),
    "no such app": ("Open Photoshop", "打开抖音"),
    "not found": ("Open WeChat, click Nobody", "打开微信，点击不存在的人"),
    "not understood": ("frobnicate the whatsit", "买一个"),
    "typed": ("Open Notes, click the search field, type “milk”", "打开微信，点击Bob，输入“好的”，等待1秒"),
    "needs a yes": (
        "Open WeChat, tap Bob, type “hi”, tap “发送”, tap “发送”",
        "打开微信，点击Bob，输入“嗨”，点击更多功能",
    ),
}
ENDS = {"en": r"✔ fulfilled: |✘ rejected: |■ ", "zh": r"✔ 完成：|✘ 未完成：|■ "}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.slow) if case == "not found" else case for case in GOALS]
)
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_every_line_is_plain_said_once_and_in_the_language_of_the_goal(
    cli: Cli, case: str, language: str
) -> None:
    goal = GOALS[case][language == "zh"]
    ended = await cli("run", goal)
    assert ended.code in (0, 1), ended.err
    shown = await cli("show", "last")
    assert shown.out == ended.out, "the same is read afterwards"
    first, head, *lines, last, numbers = ended.out.splitlines()
    assert first == goal
    assert re.match(ENDS[language], last), last
    for line in (*lines, last):
        assert not INNER_TALK.search(line), line
        if language == "zh":
            assert not re.search(r"[A-Za-z]{3,}", own_words(line)), line
        else:
            assert not has_chinese(own_words(line)), line
    assert_told_once((*lines, last))
    assert ("任务" in head) == (language == "zh")
    assert re.match(r"\d+ 步" if language == "zh" else r"\d+ steps?\b", numbers)


def assert_told_once(lines: Iterable[str]) -> None:
    """No sentence, whatever stands before it, and no long part of one is told on two lines."""
    told = [re.sub(r"^[^:：]{0,20}[:：] ?", "", line.strip()).rstrip(".。") for line in lines]
    for place, sentence in enumerate(told):
        others = [*told[:place], *told[place + 1 :]]
        if len(sentence) > (12 if has_chinese(sentence) else 25):
            assert not any(sentence in other for other in others), f"twice: {sentence}"


FAILING = {
    "sim": ("Open Settings, open Photoshop", "打开设置，打开抖音"),
    "browser": ("open http://127.0.0.1:47319/x", "打开http://127.0.0.1:47319/x"),
    "desktop": ("open the app Photoshop", "关闭抖音窗口"),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("device", FAILING)
async def test_what_a_device_complains_of_is_told_once_and_in_the_language_of_the_goal(
    cli: Cli, device: str, language: str
) -> None:
    goal = FAILING[device][language == "zh"]
    ended = await cli("run", goal, "--device", device)
    assert ended.code == 1, ended.err
    assert (await cli("show", "last")).out == ended.out
    _, _, *lines, last, _ = ended.out.splitlines()
    assert_told_once((*lines, last))
    if language == "zh":
        for line in (*lines, last):
            assert not re.search(r"[A-Za-z]{3,}", re.sub(r"https?://\S+|net::\w+", "", own_words(line))), line


async def test_a_models_failures_are_told_where_they_happen_and_the_end_points_to_them(
    cli: Cli, sim: ConnectedPhone
) -> None:
    replies = [act("open_app", name=name) for name in ("抖音", "抖音", "抖音", "抖音")]
    for goal, above in (("Look after Bob", "see above"), ("照看Bob", "见上")):
        async with ModelServer(replies) as server:
            given = ("--device", f"android:{sim.serial}", "--loop", "single", "--model", "scripted", "--free")
            ended = await cli("run", goal, *given, "--base-url", server.url)
        assert ended.code == 1, ended.err
        _, _, *lines, last, _ = ended.out.splitlines()
        assert_told_once((*lines, last))
        assert sum("抖音" in line and ("not on the phone" in line or "没有应用" in line) for line in lines) == 1
        assert above in last


def own_words(line: str) -> str:
    """What is ours: names of things on the screen are in the language of the phone, and addresses in none."""
    line = re.sub(r"“[^”]*”|\"[^\"]*\"|'[^']*'|[（(]--?model[^）)]*[）)]|WLAN|Wi-Fi", "", line)
    listed = re.sub(r"(有的应用例如|名字相近的有|有的是|apps on it)[:：].*", "", line, flags=re.IGNORECASE)
    return re.sub(r"\d+\.\d+\.\d+\.\d+:\d+", "", listed)


async def test_not_understood_says_that_a_model_would_help(cli: Cli) -> None:
    assert "or set a model (--model or models.operator)" in (await cli("run", "frobnicate the whatsit")).out
    assert "配上模型（--model 或 models.operator）" in (await cli("run", "买一个")).out


@pytest.mark.parametrize("kind", sorted(ACTION_KINDS))
@pytest.mark.parametrize("target", ["", "Send"])
def test_every_action_has_words_in_both_languages(kind: str, target: str) -> None:
    fields = dict(FIELDS_OF[kind])
    if target and kind in ("click", "double_click", "right_click", "long_press", "drag", "swipe", "type", "move"):
        fields["target"] = target
    action = parse_action({"kind": kind, **fields})
    english, chinese = tell_action(action, "en"), tell_action(action, "zh")
    assert english
    assert not has_chinese(english)
    assert has_chinese(chinese)
    for told in (english, chinese):
        assert not INNER_TALK.search(told), told
        assert target in told or "target" not in fields


async def test_json_names_the_task_and_the_pictures_of_each_step(cli: Cli) -> None:
    ran = (await cli("run", "打开设置，等待1秒", "--json")).json
    assert ran["task_id"]
    assert "run" not in ran
    opened, waited = ran["steps"][:2]
    assert opened["screen_changed"] is True
    assert waited["screen_changed"] is None, "nobody watched while it waited"
    for step in ran["steps"]:
        for picture in (step["before"], step["after"]):
            assert Path(picture).read_bytes().startswith(b"\xff\xd8")
    assert opened["before"] != opened["after"]
    assert (await cli("show", "last", "--json")).json == ran
    listed = (await cli("show", "last", "--frames")).out
    assert opened["after"] in listed
    first_plan = next(line for line in await read_events(cli) if line["type"] == "plan_made")
    assert first_plan["because"] == ""


async def read_events(cli: Cli) -> list[dict[str, str]]:
    journal = SqliteJournal(cli.data, to_read=True)
    (task_id,) = await journal.find_ids(limit=1)
    records = await journal.read(task_id)
    await journal.close()
    return [record.to_line()["event"] for record in records]
