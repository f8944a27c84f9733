"""What needs the user: one object at every door, answered in plain words, kept in the conversation, never confused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from deskhand.core.human import UserReply, UserRequest
from deskhand.engine.budget import Budget
from deskhand.engine.run import Task
from deskhand.engine.safety.authority import Authority
from deskhand.models.scripted.http_server import ModelServer
from deskhand.sessions.device_jobs import DeviceJobs
from tests.server.conftest import House, Serve, Talking, call, calls, model, until

WECHAT = "com.tencent.mm"
OPEN = "打开微信，找到张三"


def send(words: str) -> str:
    return f"打开微信，找到张三，发送消息“{words}”"


def sent_by(house: House, phone: str) -> list[str]:
    """What really went out from this phone to Zhang San."""
    chats = house.services.hand.simulated.phones[phone].read_state()["apps"][WECHAT]["chats"]
    return [
        one["text"] for one in chats.get("张三", {}).get("messages", []) if one.get("mine", one.get("from") == "me")
    ]


async def asked(talking: Talking) -> dict[str, Any]:
    """The next message that carries a request."""
    while True:
        event = await talking.until("message")
        if "request" in event:
            return event


async def open_requests(house: House) -> list[Any]:
    return (await house.get("/api/requests"))["requests"]


async def test_a_request_says_device_app_action_text_recipient_picture_and_time(serve: Serve) -> None:
    script = [call("chat", device_id="sim:a", message=send("把钱转给我")), "好了。"]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
        house.talking("帮我问候张三", session_id="s") as talking,
    ):
        event = await asked(talking)
        request = event["request"]
        assert request["device"] == "sim:a"
        assert (request["app"], request["recipient"], request["content"]) == ("微信", "张三", "把钱转给我")
        assert request["doing"] == "点击“发送”"
        assert request["expires"] > house.services.hand.clock.wall()
        for words in ("sim:a", "微信", "张三", "把钱转给我", "发送", request["id"]):
            assert words in event["content"], words
        # The same object in the list of all requests, at its task, and in the task's events.
        assert await open_requests(house) == [request]
        task = f"/api/tasks/{request['task_id']}"
        assert (await house.get(f"{task}/requests"))["requests"] == [request]
        events = (await house.get(f"{task}/events", limit=1000))["events"]
        assert [one["event"]["request"] for one in events if one["event"]["type"] == "person_asked"] == [request]
        picture = await house.client.get(f"{task}/frames/{request['frame']}")
        assert picture.headers["content-type"] == "image/jpeg"
        async with house.talking("否", session_id="s"):
            await talking.rest()
        assert await open_requests(house) == []
        assert "把钱转给我" not in sent_by(house, "a")


@pytest.mark.parametrize(
    ("words", "goes_out"),
    [
        ("yes please", True),
        ("好，发吧", True),
        ("OK, send it!", True),
        ("no thanks", False),
        ("先别发", False),
    ],
)
async def test_an_answer_in_plain_words_counts_and_is_kept(serve: Serve, words: str, goes_out: bool) -> None:
    script = [call("chat", device_id="sim", message=send("改天吧")), "好了。"]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
        house.talking("回复张三", session_id="s") as talking,
    ):
        request = (await asked(talking))["request"]
        async with house.talking(words, session_id="s"):
            events = await talking.rest()
        assert ("改天吧" in sent_by(house, "")) is goes_out
        verdict = "yes" if goes_out else "no"
        answer = {"content": words, "request_id": request["id"], "verdict": verdict, "device_id": "sim"}
        (kept,) = [event for event in events if event["type"] == "answer"]
        assert answer.items() <= kept.items()
        stored = (await house.get("/api/layered-agent/sessions/s"))["entries"]
        assert [one["event"] for one in stored if one["event"]["type"] == "answer"] == [kept]
    # The planner is told as well, and its call has its own result.
    (result,) = [event["result"] for event in events if event["type"] == "tool_result"]
    assert [one["answer"] for one in result["asked"]] == [words]
    told = decider.requests[-1].body["messages"]
    assert [message["role"] for message in told] == ["system", "user", "assistant", "tool"]
    assert words in told[-1]["content"]


async def test_words_that_are_no_answer_are_kept_and_asked_about_again(serve: Serve) -> None:
    script = [call("chat", device_id="sim", message=send("改天吧")), "好了。"]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
        house.talking("回复张三", session_id="s") as talking,
    ):
        first = await asked(talking)
        async with house.talking("yes, but write “明天吧” instead", session_id="s") as second:
            again = await asked(second)
            assert again["request"] == first["request"]
            assert second.seen[0] == {**second.seen[0], "type": "answer", "verdict": None}
            assert await open_requests(house) == [first["request"]]
            await house.post("/api/layered-agent/abort", session_id="s")
        await talking.rest()
        assert "改天吧" not in sent_by(house, "")


async def test_of_two_requests_at_once_the_answer_goes_to_the_one_it_names(serve: Serve) -> None:
    both = calls(
        ("chat", {"device_id": "sim:a", "message": send("第一")}),
        ("chat", {"device_id": "sim:b", "message": send("第二")}),
    )
    async with (
        ModelServer([both, "好了。"]) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
        house.talking("回复张三", session_id="s") as talking,
    ):
        requests = {one["request"]["device"]: one["request"] for one in [await asked(talking), await asked(talking)]}
        assert {device: request["content"] for device, request in requests.items()} == {
            "sim:a": "第一",
            "sim:b": "第二",
        }
        async with house.talking("yes", session_id="s") as unclear:
            again = [await asked(unclear), await asked(unclear)]
        assert {one["request"]["id"] for one in again} == {one["id"] for one in requests.values()}
        assert len(await open_requests(house)) == 2
        async with house.talking("yes for sim:b", session_id="s") as answering:
            await answering.until("tool_result")
        assert (sent_by(house, "a"), sent_by(house, "b")[-1:]) == (sent_by(house, "a"), ["第二"])
        assert "第一" not in sent_by(house, "a")
        refused = await house.post(
            "/api/layered-agent/chat", 400, message="yes", session_id="s", request_id=requests["sim:b"]["id"]
        )
        assert "no open request" in refused["detail"]
        async with house.talking("no", session_id="s", request_id=requests["sim:a"]["id"]):
            events = await talking.rest()
        assert "第一" not in sent_by(house, "a")
    assert [event["verdict"] for event in events if event["type"] == "answer"] == [None, "yes", "no"]


async def test_one_yes_for_all_is_said_as_such(serve: Serve) -> None:
    both = calls(
        ("chat", {"device_id": "sim:a", "message": send("第一")}),
        ("chat", {"device_id": "sim:b", "message": send("第二")}),
    )
    async with (
        ModelServer([both, "好了。"]) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
        house.talking("回复张三", session_id="s") as talking,
    ):
        await asked(talking)
        await asked(talking)
        async with house.talking("全部同意", session_id="s"):
            await talking.rest()
        assert (sent_by(house, "a")[-1], sent_by(house, "b")[-1]) == ("第一", "第二")


async def test_a_job_of_a_conversation_is_a_task_like_any_other(serve: Serve) -> None:
    """It is listed as running, takes commands and answers, and an abort is journaled as one."""
    script = [
        call("chat", device_id="sim", message=send("改天吧")),
        "好了。",
        call("chat", device_id="sim", message=OPEN),
    ]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
    ):
        async with house.talking("回复张三", session_id="s") as talking:
            request = (await asked(talking))["request"]
            task_id = request["task_id"]
            view = await house.get(f"/api/tasks/{task_id}")
            assert view["running"]
            (device,) = [one for one in (await house.get("/api/devices"))["devices"] if one["device_id"] == "sim"]
            assert device["task_id"] == task_id
            await house.post("/api/devices/sim/take-over")
            await house.post("/api/devices/sim/hand-back")
            # Answered by the other door, it is in the conversation all the same.
            await house.post(f"/api/tasks/{task_id}/requests/{request['id']}", verdict="no", text="not today")
            events = await talking.rest()
        (answer,) = [event for event in events if event["type"] == "answer"]
        assert (answer["content"], answer["verdict"]) == ("not today", "no")
        async with house.talking("打开微信", session_id="s") as talking:
            running = await until(lambda: next(iter(house.services.tasks.running), ""))
            await house.post("/api/layered-agent/abort", session_id="s")
            await talking.rest()
        ended = await house.get(f"/api/tasks/{running}")
        assert (ended["cause"], ended["reason"]) == ("stopped", "Aborted by the user.")


class SlowWatcher:
    """A conversation whose disk takes its time to note that a job has begun."""

    def __init__(self) -> None:
        self.began: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def note_start(self, run: Task) -> None:
        self.began.set_result(run.task_id)
        await asyncio.Event().wait()

    async def ask_user(self, run: Task, request: UserRequest) -> None:
        raise AssertionError

    async def note_reply(self, run: Task, request: UserRequest, reply: UserReply) -> None:
        raise AssertionError


async def test_an_abort_is_journaled_as_one_however_early_it_comes(serve: Serve) -> None:
    async with serve(chat={"inner_steps": 20}) as house:
        hand, watcher = house.services.hand, SlowWatcher()
        budget = Budget(hand.settings.budget)
        jobs = DeviceJobs(hand, house.services.tasks, hand.settings, budget, watcher, Authority())
        job = asyncio.create_task(jobs.run_job("sim", OPEN))
        task_id = await watcher.began
        job.cancel()
        await asyncio.wait({job})
        ended = await house.get(f"/api/tasks/{task_id}")
    assert (ended["cause"], ended["reason"]) == ("stopped", "Aborted by the user.")


async def test_a_job_is_stopped_by_the_command_of_a_task(serve: Serve) -> None:
    script = [call("chat", device_id="sim", message=send("改天吧")), "好了。"]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
        house.talking("回复张三", session_id="s") as talking,
    ):
        request = (await asked(talking))["request"]
        await house.post(f"/api/tasks/{request['task_id']}/commands", command="stop", text="enough")
        async with asyncio.timeout(60):
            events = await talking.rest()
    (result,) = [event["result"] for event in events if event["type"] == "tool_result"]
    assert (result["success"], result["result"]) == (False, "enough")
    assert events[-1]["type"] == "done"
