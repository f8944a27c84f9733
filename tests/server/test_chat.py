"""Layered chat over real HTTP: the routes and shapes, one end for every stream, locks, limits and aborts."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from deskhand.simphone.shell.interpreter import Shell
from tests.server.conftest import House, Serve, call, calls, model, until, write_settings

ZHANG_SAN = "打开微信，找到张三，发送消息“明天下午两点开会”"


def results(events: list[dict[str, Any]]) -> list[Any]:
    return [event["result"] for event in events if event["type"] == "tool_result" and event["tool_name"] == "chat"]


async def test_the_conversation_with_zhang_san_takes_five_turns_and_ends_with_one_done(serve: Serve) -> None:
    script = [
        call("list_devices"),
        call("chat", device_id="sim", message="打开微信"),
        call("chat", device_id="sim", message="找到张三"),
        call("chat", device_id="sim", message="发送消息“明天下午两点开会”"),
        "已经给张三发送了消息。",
    ]
    async with ModelServer(script) as decider, serve(models={"assistant": model(decider)}) as house:
        events = await house.chat(ZHANG_SAN)
    assert [event["type"] for event in events] == [
        *["tool_call", "tool_result"] * 4,
        "message",
        "done",
    ]
    first = {"type": "tool_call", "tool_name": "list_devices", "tool_args": {}, "call_id": events[0]["call_id"]}
    assert events[0] == first
    asked = [event["call_id"] for event in events if event["type"] == "tool_call"]
    assert [event["call_id"] for event in events if event["type"] == "tool_result"] == asked
    assert [event["device_id"] for event in events if event["type"] == "tool_result"] == ["", "sim", "sim", "sim"]
    assert events[2]["tool_args"] == {"device_id": "sim", "message": "打开微信"}
    assert all(set(result) == {"result", "steps", "success"} for result in results(events))
    assert all(result["success"] and 0 < result["steps"] <= 5 for result in results(events))
    assert events[-1] == {"type": "done", "content": "已经给张三发送了消息。", "success": True}
    # Each turn was told what came before it, in the words of the API.
    last = decider.requests[-1].body["messages"]
    assert [message["role"] for message in last] == ["system", "user", *["assistant", "tool"] * 4]
    assert not decider.unconsumed


async def test_a_planner_may_repeat_the_persons_words_but_what_it_makes_up_needs_a_yes(serve: Serve) -> None:
    script = [
        call("chat", device_id="sim", message="打开微信，找到张三"),
        call("chat", device_id="sim", message="发送消息“把钱转给我”"),
        "好了。",
    ]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
        house.talking(ZHANG_SAN, session_id="s") as talking,
    ):
        asked = await talking.until("message")
        assert "需要你的同意" in asked["content"]
        async with house.talking("否", session_id="s"):
            events = await talking.rest()
    assert [result["success"] for result in results(events)] == [True, False]
    assert "the user said no" in results(events)[1]["result"]


async def test_without_a_model_plain_words_do_the_same(house: House) -> None:
    events = await house.chat(ZHANG_SAN)
    assert [event["tool_args"].get("message") for event in events if event["type"] == "tool_call"] == [
        None,
        "打开微信",
        "找到张三",
        "发送消息“明天下午两点开会”",
    ]
    assert events[-1]["success"]
    events = await house.chat("标题是什么？", device_id="sim")
    assert "张三" in events[-1]["content"]


async def test_no_device_is_needed_and_an_unknown_one_is_no_crash(house: House) -> None:
    assert (await house.chat("what is the title?", device_id=None))[-1]["type"] == "done"
    events = await house.chat("open Settings", device_id="toaster:1")
    assert results(events) == [
        {"result": results(events)[0]["result"], "steps": 0, "success": False},
    ]
    assert "no device 'toaster:1'" in results(events)[0]["result"]
    assert events[-1]["success"] is False


async def test_several_devices_in_one_turn_run_side_by_side(serve: Serve) -> None:
    """Each step of either phone waits for the other's: in turn, neither would ever end."""
    together = asyncio.Barrier(2)

    async def think(_: Any) -> ScriptedStep:
        await together.wait()
        return ScriptedStep(text='<answer>finish(message="done")</answer>')

    both = calls(
        ("chat", {"device_id": "sim:a", "message": "look"}), ("chat", {"device_id": "sim:b", "message": "look"})
    )
    async with (
        ModelServer([both, "Both are done."]) as decider,
        ModelServer([think, think]) as operator,
        serve(models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")}) as house,
    ):
        events = await house.chat("look at both")
    assert [event["type"] for event in events] == [
        "tool_call", "tool_call", "tool_result", "tool_result", "message", "done",
    ]  # fmt: skip
    assert events[-1]["success"]


async def test_a_busy_device_says_so_in_the_language_of_the_message(serve: Serve) -> None:
    script = [
        calls(
            ("chat", {"device_id": "sim", "message": "打开设置"}),
            ("chat", {"device_id": "sim", "message": "open Settings"}),
        ),
        "It is busy.",
    ]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}) as house,
        house.services.hand.pool.lease_device("sim"),
    ):
        events = await house.chat("go on")
    assert results(events) == [
        {"result": "设备 sim 正忙", "steps": 0, "success": False},
        {"result": "device sim is busy", "steps": 0, "success": False},
    ]


async def test_a_busy_device_is_waited_for_where_the_settings_say_so(serve: Serve) -> None:
    async with serve(chat={"device_wait_s": 60}) as house, AsyncExitStack() as held:
        await held.enter_async_context(house.services.hand.pool.lease_device("sim"))
        async with house.talking("open Settings", device_id="sim") as talking:
            while (await talking.until("tool_call"))["tool_name"] != "chat":
                pass
            await held.aclose()
            events = await talking.rest()
    assert results(events)[0]["success"]


async def test_two_conversations_never_drive_one_phone_at_once(serve: Serve) -> None:
    hold = asyncio.Event()

    async def think(_: Any) -> ScriptedStep:
        await hold.wait()
        return ScriptedStep(text='<answer>finish(message="done")</answer>')

    look = call("chat", device_id="sim", message="look")
    async with (
        ModelServer([look, look, "busy", "done"]) as decider,
        ModelServer([think]) as operator,
        serve(models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")}) as house,
    ):
        first = asyncio.create_task(house.chat("look", session_id="one"))
        await operator.wait_until(lambda server: len(server.requests) == 1, 60)
        assert results(await house.chat("look", session_id="two")) == [
            {"result": "device sim is busy", "steps": 0, "success": False}
        ]
        hold.set()
        assert results(await first)[0]["success"]


async def test_at_the_step_limit_the_planner_learns_what_was_done_and_what_is_seen(serve: Serve) -> None:
    tap = ScriptedStep(text='<answer>do(action="Launch", app="设置")</answer>')
    home = ScriptedStep(text='<answer>do(action="Home")</answer>')
    async with (
        ModelServer([call("chat", device_id="sim", message="look around"), "It takes longer."]) as decider,
        ModelServer([tap, home, tap, home, tap, home]) as operator,
        serve(models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")}) as house,
    ):
        (result,) = results(await house.chat("look around"))
    assert (result["steps"], result["success"]) == (5, False)
    assert len(operator.requests) == 5
    assert "open app" in result["result"]
    assert "On the screen: " in result["result"]
    assert "WLAN" in result["result"] or "设置" in result["result"]


async def test_the_inner_limit_and_the_limit_of_turns_come_from_the_settings(serve: Serve) -> None:
    launch = ScriptedStep(text='<answer>do(action="Launch", app="设置")</answer>', times=9)
    look = call("chat", device_id="sim", message="look")
    async with (
        ModelServer([look, look, look]) as decider,
        ModelServer([launch]) as operator,
        serve(
            models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")},
            chat={"inner_steps": 1, "max_turns": 2},
        ) as house,
    ):
        events = await house.chat("look")
    assert [result["steps"] for result in results(events)] == [1, 1]
    assert events[-1] == {
        "type": "done",
        "content": "The limit of 2 turns for one message was reached.",
        "success": False,
    }


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (ScriptedStep(status=401, error="no such key"), "refused the key"),
        (ScriptedStep(calls=call("fly").calls, times=3), "There is no tool 'fly'"),
        (ScriptedStep(text="", times=3), "The answer is empty"),
    ],
)
async def test_a_planner_that_fails_ends_the_stream_with_one_error(
    serve: Serve, reply: ScriptedStep, told: str
) -> None:
    async with ModelServer([reply]) as decider, serve(models={"assistant": model(decider, retries=0)}) as house:
        events = await house.chat("hello")
    assert [event["type"] for event in events] == ["error"]
    assert told in events[0]["message"]


async def test_garbage_of_the_executor_is_no_success(serve: Serve) -> None:
    async with (
        ModelServer([call("chat", device_id="sim", message="look"), "It failed."]) as decider,
        ModelServer([ScriptedStep(text="lorem ipsum", times=20)]) as operator,
        serve(models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")}) as house,
    ):
        events = await house.chat("look")
    assert results(events)[0]["success"] is False
    assert events[-1]["success"] is False


async def test_an_action_that_failed_is_told_to_the_executors_model(serve: Serve) -> None:
    launch = ScriptedStep(text='<answer>do(action="Launch", app="No Such App")</answer>')
    finish = ScriptedStep(text='<answer>finish(message="It is not installed.")</answer>')
    async with (
        ModelServer([call("chat", device_id="sim", message="open it"), "It is not there."]) as decider,
        ModelServer([launch, finish]) as operator,
        serve(models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")}) as house,
    ):
        await house.chat("open it")
    told = [m["content"] for m in operator.requests[1].body["messages"] if m["role"] == "user"]
    assert "No Such App" in json.dumps(told[1:])


@pytest.mark.parametrize(
    ("tries", "success"),
    [
        ([("toaster:1", "open Settings"), ("sim", "open Settings")], True),
        ([("sim", "open Setings"), ("sim", "open Settings")], True),
        ([("sim", "click Nowhere"), ("sim", "open Settings")], False),
        ([("toaster:1", "open WeChat"), ("sim", "open Settings")], False),
        ([("sim:a", "click Nowhere"), ("sim:b", "open Settings")], False),
        ([("sim", "open Settings"), ("toaster:1", "open Settings")], False),
        ([("toaster:1", "open Settings")], False),
    ],
)
async def test_a_slip_that_was_made_good_is_no_failure(
    serve: Serve, tries: list[tuple[str, str]], success: bool
) -> None:
    script = [call("chat", device_id=device, message=message) for device, message in tries]
    async with ModelServer([*script, "Done."]) as decider, serve(models={"assistant": model(decider)}) as house:
        assert (await house.chat("open Settings"))[-1]["success"] is success


# --- abort -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["planner", "executor", "wait"])
async def test_an_abort_takes_effect_at_once_wherever_it_hits(serve: Serve, where: str) -> None:
    never = ScriptedStep(text="x", first_byte_s=600)
    wait = ScriptedStep(text='<answer>do(action="Wait", duration="60 seconds")</answer>')
    look = call("chat", device_id="sim", message="look")
    decisions = [never] if where == "planner" else [look]
    async with (
        ModelServer(decisions) as decider,
        ModelServer([wait] if where == "wait" else [never]) as operator,
        serve(models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")}) as house,
    ):
        async with house.talking("look", session_id="s") as talking:
            asked = decider if where == "planner" else operator
            await asked.wait_until(lambda server: len(server.requests) == 1, 60)
            if where == "wait":
                tasks = house.services.hand.journal
                await until(lambda: _waits(tasks))
            begun = time.monotonic()
            assert await house.post("/api/layered-agent/abort", session_id="s") == {
                "success": True,
                "message": "Stopped.",
            }
            took = time.monotonic() - begun
            events = await talking.rest()
        assert events[-1] == {"type": "error", "message": "Aborted by the user."}
        # 0.2 s are promised and measured by the bench; here only that nothing was waited for.
        assert took < 5
        if where != "wait":
            await asked.wait_until(lambda server: server.aborted == 1, 30)
        # The phone is free again, and the conversation goes on.
        async with house.services.hand.pool.lease_device("sim"):
            pass
        assert not (await house.get("/api/layered-agent/sessions/s"))["running"]


async def _waits(journal: Any) -> bool:
    runs = await journal.runs()
    return bool(runs) and any(record.event.type == "action_intended" for record in await journal.read(runs[0].task_id))


async def test_no_adb_command_follows_an_abort(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    launch = ScriptedStep(text='<answer>do(action="Launch", app="设置")</answer>')
    home = ScriptedStep(text='<answer>do(action="Home")</answer>')
    look = call("chat", device_id="sim", message="look")
    async with (
        ModelServer([look]) as decider,
        ModelServer([launch, home] * 50) as operator,
        serve(
            models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")},
            chat={"inner_steps": 100},
        ) as house,
        house.talking("look", session_id="s") as talking,
    ):
        await operator.wait_until(lambda server: len(server.requests) == 3, 60)
        lines: list[str] = []
        shell_run = Shell.run_to_end

        async def heard(shell: Shell, line: str, *streams: Any) -> int:
            lines.append(line)
            return await shell_run(shell, line, *streams)

        monkeypatch.setattr(Shell, "run_to_end", heard)
        await operator.wait_until(lambda server: len(server.requests) == 5, 60)
        assert lines
        await house.post("/api/layered-agent/abort", session_id="s")
        lines.clear()
        await talking.rest()
        await asyncio.sleep(0.5)
        assert lines == []


async def test_a_stream_has_its_one_end_also_when_it_is_aborted_twice(serve: Serve) -> None:
    """The second abort comes while the end is on its way to the disk, which another program holds up."""
    never = ScriptedStep(text="x", first_byte_s=600)
    async with (
        ModelServer([never]) as decider,
        serve(models={"assistant": model(decider)}) as house,
        house.talking("hello", session_id="s") as talking,
    ):
        await decider.wait_until(lambda server: len(server.requests) == 1, 60)
        with closing(sqlite3.connect(house.services.store.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            first = asyncio.create_task(house.services.chats.abort_turn("s"))
            await decider.wait_until(lambda server: server.aborted == 1, 30)
            second = asyncio.create_task(house.services.chats.abort_turn("s"))
            await house.get("/api/health")
            other.execute("ROLLBACK")
        assert await first
        assert await second
        assert await talking.rest() == [{"type": "error", "message": "Aborted by the user."}]


async def test_there_is_nothing_to_abort_in_an_unknown_conversation(house: House) -> None:
    answer = await house.post("/api/layered-agent/abort", session_id="nobody")
    assert answer == {"success": False, "message": "Nothing was running."}


# --- conversations ---------------------------------------------------------------------------------------------


async def test_a_conversation_survives_a_restart_and_goes_on(serve: Serve) -> None:
    async with ModelServer(["My name is Ada.", "You asked for my name."]) as decider:
        async with serve(models={"assistant": model(decider)}) as house:
            await house.chat("What is your name?", session_id="s")
        async with serve(models={"assistant": model(decider)}) as house:
            await house.chat("What did I ask?", session_id="s")
            shown = await house.get("/api/layered-agent/sessions/s")
    told = [message["content"] for message in decider.requests[1].body["messages"][1:]]
    assert told == ["What is your name?", "My name is Ada.", "What did I ask?"]
    assert [entry["event"]["type"] for entry in shown["entries"]] == ["user", "message", "done"] * 2


async def test_conversations_are_listed_shown_and_forgotten(serve: Serve) -> None:
    async with ModelServer(["One.", "Two.", "Three."]) as decider, serve(models={"assistant": model(decider)}) as house:
        await house.chat("first", session_id="a")
        async with house.talking("second") as talking:
            await talking.rest()
        listed = (await house.get("/api/layered-agent/sessions"))["sessions"]
        assert [(talk["title"], talk["session_id"]) for talk in listed] == [
            ("second", talking.session_id),
            ("first", "a"),
        ]
        assert (await house.post("/api/layered-agent/reset", session_id="a"))["success"]
        assert (await house.client.get("/api/layered-agent/sessions/a")).status_code == 404
        await house.chat("third", session_id="a")
    assert [m["content"] for m in decider.requests[-1].body["messages"][1:]] == ["third"]


async def test_reset_stops_what_is_under_way(serve: Serve) -> None:
    never = ScriptedStep(text="x", first_byte_s=600)
    async with ModelServer([never]) as decider, serve(models={"assistant": model(decider)}) as house:
        async with house.talking("hello", session_id="s") as talking:
            await decider.wait_until(lambda server: len(server.requests) == 1, 60)
            await house.post("/api/layered-agent/reset", session_id="s")
            assert (await talking.rest())[-1]["type"] == "error"
        assert (await house.client.get("/api/layered-agent/sessions/s")).status_code == 404


async def test_a_second_message_in_the_middle_is_refused_clearly(serve: Serve) -> None:
    never = ScriptedStep(text="x", first_byte_s=600)
    async with (
        ModelServer([never]) as decider,
        serve(models={"assistant": model(decider)}) as house,
        house.talking("hello", session_id="s"),
    ):
        await decider.wait_until(lambda server: len(server.requests) == 1, 60)
        refused = await house.post("/api/layered-agent/chat", 409, message="again", session_id="s")
        assert "is busy with a message" in refused["detail"]
        await house.post("/api/layered-agent/abort", session_id="s")


async def test_who_has_read_the_end_may_go_on_at_once(serve: Serve) -> None:
    async with ModelServer(["One.", "Two."]) as decider, serve(models={"assistant": model(decider)}) as house:
        chats = house.services.chats
        async for chunk in chats.stream_turn(await chats.send_message("hello", session_id="s")):
            if b'"type": "done"' in chunk:
                going_on = await chats.send_message("and now?", session_id="s")
        told = b"".join([chunk async for chunk in chats.stream_turn(going_on)])
    assert b'"content": "Two."' in told


async def test_who_goes_away_leaves_the_work_going_on(serve: Serve) -> None:
    hold = asyncio.Event()

    async def reply(_: Any) -> str:
        await hold.wait()
        return "I am here all the same."

    async with ModelServer([reply]) as decider, serve(models={"assistant": model(decider)}) as house:
        async with house.talking("hello", session_id="s"):
            await decider.wait_until(lambda server: len(server.requests) == 1, 60)
        hold.set()

        async def ended() -> bool:
            return not (await house.get("/api/layered-agent/sessions/s"))["running"]

        await until(ended)
        shown = await house.get("/api/layered-agent/sessions/s")
    assert shown["entries"][-1]["event"]["content"] == "I am here all the same."


async def test_what_the_planner_is_told_of_a_long_conversation_is_bounded(serve: Serve) -> None:
    long = "x" * 400
    async with (
        ModelServer([long] * 12) as decider,
        serve(models={"assistant": model(decider)}, chat={"context_chars": 2000}) as house,
    ):
        for number in range(12):
            await house.chat(f"message {number}", session_id="s")
    sizes = [sum(len(m["content"]) for m in seen.body["messages"][1:]) for seen in decider.requests]
    assert max(sizes) <= 2000
    assert decider.requests[-1].body["messages"][-1]["content"] == "message 11"
    assert "message 10" in decider.requests[-1].text


# --- tools and instructions ------------------------------------------------------------------------------------


async def test_the_users_own_functions_are_tools(serve: Serve) -> None:
    script = [
        calls(
            ("get_battery_info", {"device_id": "sim"}),
            ("slow_sum", {"a": 2, "b": 3}),
            ("slow_sum", {"a": "two"}),
            ("broken", {}),
        ),
        "Done.",
    ]
    functions = [f"tests.server.own_tools:{name}" for name in ("get_battery_info", "slow_sum", "broken")]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"tools": functions}) as house,
    ):
        events = await house.chat("how full is it?")
    told = [event["result"] for event in events if event["type"] == "tool_result"]
    assert {"device_id": "sim", "percent": 86} in told
    assert 5 in told
    assert any("slow_sum: a: Input should be a valid integer" in str(one) for one in told)
    assert {"error": "broken failed: ZeroDivisionError: division by zero"} in told
    offered = {tool["function"]["name"]: tool["function"] for tool in decider.requests[0].body["tools"]}
    assert offered["get_battery_info"]["description"] == "How full the battery of a device is."
    assert offered["slow_sum"]["parameters"]["required"] == ["a", "b"]


async def test_a_function_that_hangs_is_given_up(serve: Serve) -> None:
    async with (
        ModelServer([call("forever"), "Done."]) as decider,
        serve(
            models={"assistant": model(decider)},
            chat={"tools": ["tests.server.own_tools:forever"], "tool_timeout_s": 0.2},
        ) as house,
    ):
        events = await house.chat("wait")
    assert events[1]["result"] == {"error": "forever timed out after 0.2 s."}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tests.server.own_tools:missing", "can't be loaded"),
        ("no.such.module:f", "can't be loaded"),
        ("tests.server.own_tools:NUMBER", "is not a function"),
        ("tests.server.own_tools:chat", "Two tools are called 'chat'"),
    ],
)
async def test_a_tool_that_can_not_be_used_is_named(serve: Serve, name: str, told: str) -> None:
    """And the message is carried out without it; a conversation is told once."""
    good = "tests.server.own_tools:get_battery_info"
    async with (
        ModelServer([call("get_battery_info", device_id="sim"), "86 %.", "Again."]) as decider,
        serve(models={"assistant": model(decider)}, chat={"tools": [name, good]}) as house,
    ):
        notice, *events = await house.chat("how full is it?", session_id="s")
        assert notice["type"] == "message"
        assert told in notice["content"]
        assert events[1]["result"] == {"device_id": "sim", "percent": 86}
        assert events[-1]["success"]
        assert any(told in trouble for trouble in (await house.get("/api/health"))["troubles"])
        assert [event["type"] for event in await house.chat("again", session_id="s")] == ["message", "done"]


async def test_tools_of_an_mcp_server_are_offered_and_used(serve: Serve, tmp_path: Path) -> None:
    import sys

    script = [calls(("weather", {"city": "Beijing"}), ("storm", {})), "Sunny."]
    command = [sys.executable, str(Path(__file__).with_name("own_mcp_server.py"))]
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"mcp": [{"command": command}]}) as house,
    ):
        events = await house.chat("how is the weather?")
    told = [event["result"] for event in events if event["type"] == "tool_result"]
    assert "sunny in Beijing" in told
    assert any("storm failed" in str(one) for one in told)


async def test_an_mcp_server_that_can_not_be_started_is_named(serve: Serve) -> None:
    async with serve(chat={"mcp": [{"command": ["/no/such/program"]}]}) as house:
        notice, *events = await house.chat("open Settings")
    assert "/no/such/program (chat.mcp) can't be used" in notice["content"]
    assert events[-1]["success"]


async def test_an_mcp_server_that_never_answers_is_given_up(serve: Serve) -> None:
    """Once: the next message does not wait for it again."""
    async with serve(chat={"mcp": [{"command": ["/bin/sleep", "600"]}], "tool_timeout_s": 3}) as house:
        notice, *events = await house.chat("open Settings")
        assert notice["content"] == "The MCP server /bin/sleep (chat.mcp) did not answer within 3 s."
        assert events[-1]["success"]
        begun = time.monotonic()
        assert (await house.chat("what is the title?", device_id="toaster:1"))[-1]["type"] == "done"
        assert time.monotonic() - begun < 3


async def test_an_mcp_server_is_started_once_and_again_after_it_died(serve: Serve, tmp_path: Path) -> None:
    """What it writes to standard error is in a log file, and in the sentence when it can't be started."""
    import os
    import signal
    import sys

    command = [sys.executable, str(Path(__file__).with_name("own_mcp_server.py")), str(tmp_path / "starts")]
    ask = call("weather", city="Beijing")
    broken = [sys.executable, "-c", "raise SystemExit('no licence found')"]
    async with (
        ModelServer([ask, "Sunny."] * 3) as decider,
        serve(models={"assistant": model(decider)}, chat={"mcp": [{"command": command}, {"command": broken}]}) as house,
    ):
        first = await house.chat("how is the weather?", session_id="s")
        assert "no licence found" in first[0]["content"]
        assert first[-1]["success"]
        await house.chat("and now?", session_id="s")
        (pid,) = (tmp_path / "starts").read_text().split()
        os.kill(int(pid), signal.SIGKILL)
        (server, *_) = house.services.chats.servers._servers.values()  # pyright: ignore[reportPrivateUsage]
        await until(lambda: not server.alive)
        events = await house.chat("and now?", session_id="s")
        assert events[1]["result"] == "sunny in Beijing"
        assert len((tmp_path / "starts").read_text().split()) == 2
        log = (tmp_path / "data" / "logs" / f"mcp-{Path(sys.executable).name}.log").read_text()
        assert "weather server is up" in log


async def test_the_planners_instructions_are_a_file_that_can_be_replaced(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "planner.md"
    file.write_text("You are a pirate.")
    async with (
        ModelServer(["Arr.", "Aye."]) as decider,
        serve(models={"assistant": model(decider)}, chat={"instructions": str(file)}) as house,
    ):
        await house.chat("hello", device_id="sim")
        file.unlink()
        (event,) = await house.chat("hello")
    assert decider.requests[0].body["messages"][0]["content"].startswith("You are a pirate.")
    assert "The person means the device sim" in decider.requests[0].text
    assert "planner.md (chat.instructions) can't be read" in event["message"]


async def test_a_relative_path_starts_at_the_settings_file(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planner.md").write_text("You are a pirate.")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    async with (
        ModelServer(["Arr."]) as decider,
        serve(models={"assistant": model(decider)}, chat={"instructions": "planner.md"}) as house,
    ):
        await house.chat("hello")
    assert decider.requests[0].body["messages"][0]["content"].startswith("You are a pirate.")


async def test_ids_and_fields_of_other_clients_are_taken(house: House) -> None:
    """Conversations named after a device, and fields that only other servers know."""
    name = "192.168.1.5:5555"
    events = await house.chat("open Settings", session_id=name, device_id="sim:a", stream=True, user={"name": "me"})
    assert events[-1]["success"]
    assert (await house.get(f"/api/layered-agent/sessions/{name}"))["session_id"] == name
    stopped = await house.post("/api/layered-agent/abort", session_id=name, why="no reason")
    assert stopped["message"] == "Nothing was running."


async def test_the_planner_knows_what_the_executor_can_not_do(serve: Serve) -> None:
    async with ModelServer(["Hello.", "你好。"]) as decider, serve(models={"assistant": model(decider)}) as house:
        await house.chat("hello")
        await house.chat("你好")
    assert "It has no memory" in decider.requests[0].text
    assert "它没有记忆" in decider.requests[1].text


# --- settings --------------------------------------------------------------------------------------------------


async def test_a_changed_file_reaches_the_next_turn_and_a_bad_one_changes_nothing(serve: Serve, tmp_path: Path) -> None:
    async with (
        ModelServer(["One.", "Two."]) as first,
        ModelServer(["Three."]) as second,
        serve(models={"assistant": model(first)}) as house,
    ):
        await house.chat("hello")
        write_settings(tmp_path, models={"assistant": {**model(second), "modle": "x"}})
        await house.chat("hello")
        await house.get("/api/health")
        assert len(house.reported) == 1
        assert "Unknown setting 'models.assistant.modle' in " in house.reported[0]
        assert "config.json" in house.reported[0]
        assert (await house.get("/api/health"))["settings_trouble"] == house.reported[0]
        write_settings(tmp_path, models={"assistant": model(second)})
        await house.chat("hello")
        assert (await house.get("/api/health"))["settings_trouble"] == ""
    assert (len(first.requests), len(second.requests)) == (2, 1)


async def test_keys_are_never_told(serve: Serve) -> None:
    key = "sk-canary-1234567890"
    async with (
        ModelServer([ScriptedStep(status=401, error="wrong")]) as decider,
        serve(models={"assistant": model(decider, api_key=key, retries=0)}) as house,
    ):
        told = [json.dumps(await house.chat("hello", session_id="s"))]
        paths = ("/api/settings", "/api/health", "/api/layered-agent/sessions/s", "/api/openapi.json")
        told += [json.dumps(await house.get(path)) for path in paths]
    assert decider.requests[0].headers["authorization"] == f"Bearer {key}"
    assert key not in "".join(told)
    assert house.token.value not in "".join(told)


# --- the person ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "success"), [("yes", True), ("no", False)])
async def test_what_needs_a_yes_is_asked_for_in_the_conversation(serve: Serve, answer: str, success: bool) -> None:
    risky = ScriptedStep(text='<answer>do(action="Tap", element=[500,500], message="pay 100 yuan")</answer>')
    finish = ScriptedStep(text='<answer>finish(message="paid")</answer>')
    async with (
        ModelServer([call("chat", device_id="sim", message="pay"), "The end."]) as decider,
        ModelServer([risky, finish]) as operator,
        serve(models={"assistant": model(decider), "operator": model(operator, dialect="autoglm")}) as house,
        house.talking("pay", session_id="s") as talking,
    ):
        asked = await talking.until("message")
        assert "Your yes is needed" in asked["content"]
        assert "pay 100 yuan" in asked["content"]
        async with house.talking(answer, session_id="s") as answering:
            events = await talking.rest()
            assert (await answering.rest())[-1] == events[-1]
    assert results(events)[0]["success"] is success
