"""The assistant without a model: which device is meant, what it is told, and when it is enough."""

import json
from typing import Any

import pytest

from deskhand.core.llm import ModelReply, ToolCall, ToolResult, Turn
from deskhand.roles.offline.assistant import OfflineAssistant

DEVICES = [
    {"device_id": name, "kind": name.partition(":")[0], "state": "ready", "open": ":" in name, "detail": ""}
    for name in ("sim", "android:A1")
]
MORE = [
    {"device_id": name, "kind": name.partition(":")[0], "state": state, "open": ":" in name, "detail": ""}
    for name, state in (
        ("sim", "ready"),
        ("sim:a", "busy"),
        ("sim:b", "ready"),
        ("browser", "ready"),
        ("desktop", "ready"),
    )
]
OK: dict[str, Any] = {"result": "It is done.", "steps": 2, "success": True}
FAILED: dict[str, Any] = {"result": "It was not found.", "steps": 1, "success": False}
LIMIT: dict[str, Any] = {"result": "Not finished.", "steps": 5, "success": False, "unfinished": True}
AT_LIMIT: dict[str, Any] = {"result": "It was not found.", "steps": 5, "success": False}


async def talked(
    said: str,
    *results: dict[str, Any],
    device: str = "",
    before: tuple[Turn, ...] = (),
    devices: list[dict[str, Any]] = DEVICES,
) -> list[Any]:
    """The rounds of calls, each as (device, message), and the last words. Results are given out in their order."""
    assistant, left = OfflineAssistant(device), list(results)
    turns, rounds = [*before, Turn("user", (said,))], list[Any]()
    while True:
        reply: ModelReply = await assistant.answer(turns, ())
        if not reply.calls:
            return [*rounds, reply.text]
        calls = tuple(ToolCall(c.name, c.arguments, f"c{len(turns)}-{n}") for n, c in enumerate(reply.calls))
        told = [devices if call.name == "list_devices" else (left.pop(0) if left else OK) for call in calls]
        turns.append(Turn("model", calls))
        turns.append(Turn("user", tuple(ToolResult(c.id, json.dumps(r)) for c, r in zip(calls, told, strict=True))))
        if calls[0].name == "chat":
            given = [call.arguments or {} for call in calls]
            rounds.append([(one["device_id"], one["message"]) for one in given])


@pytest.mark.parametrize(
    ("said", "rounds"),
    [
        ("open Settings, turn on Wi-Fi", [[("sim", "open Settings")], [("sim", "turn on Wi-Fi")]]),
        ("on android:A1 open Settings", [[("android:A1", "open Settings")]]),
        ("turn on Wi-Fi on android:A1", [[("android:A1", "turn on Wi-Fi")]]),
        (
            "On sim:a open Settings, and on sim:b open the calculator",
            [[("sim:a", "open Settings"), ("sim:b", "open the calculator")]],
        ),
        (
            "在 sim:a 上打开设置，在 sim:b 上打开微信，找到张三",
            [[("sim:a", "打开设置"), ("sim:b", "打开微信")], [("sim:b", "找到张三")]],
        ),
        ("sim:a and sim:b: open Settings", [[("sim:a", "open Settings"), ("sim:b", "open Settings")]]),
        ("open Settings on all devices", [[("sim", "open Settings"), ("android:A1", "open Settings")]]),
        ("open Settings on all phones", [[("android:A1", "open Settings")]]),
        ("在所有手机上打开设置", [[("android:A1", "打开设置")]]),
        ("what is the title?", [[("sim", "what is the title")]]),
        ("电量多少？", [[("sim", "电量多少")]]),
    ],
)
async def test_each_device_is_told_what_is_said_of_it(said: str, rounds: list[Any]) -> None:
    assert (await talked(said))[:-1] == rounds


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("open Settings on all phones", ["sim:a", "sim:b"]),
        ("Every phone: open Settings", ["sim:a", "sim:b"]),
        ("每部手机打开设置", ["sim:a", "sim:b"]),
        ("所有设备打开设置", ["sim", "sim:a", "sim:b", "browser", "desktop"]),
    ],
)
async def test_all_phones_are_the_started_ones_and_no_browser(said: str, meant: list[str]) -> None:
    """The phone that is only started when it is used counts where there is no other."""
    (calls, _) = await talked(said, devices=MORE)
    assert [device for device, _ in calls] == meant
    (calls, _) = await talked("open Settings on all phones", devices=[MORE[0], *MORE[3:]])
    assert [device for device, _ in calls] == ["sim"]


async def test_the_device_of_the_request_is_meant_when_none_is_named() -> None:
    assert (await talked("open Settings", device="sim:x"))[0] == [("sim:x", "open Settings")]


async def test_the_device_of_the_conversation_is_meant_when_none_is_named() -> None:
    call = ToolCall("chat", {"device_id": "sim:old", "message": "open Settings"}, "c")
    before = (Turn("user", ("x",)), Turn("model", (call,)), Turn("user", (ToolResult("c", json.dumps(OK)),)))
    assert (await talked("turn on Wi-Fi", before=before))[0] == [("sim:old", "turn on Wi-Fi")]


async def test_what_stopped_at_its_limit_goes_on_and_is_given_up_at_last() -> None:
    rounds = await talked("open Settings", LIMIT, OK)
    assert rounds == [[("sim", "open Settings")], [("sim", "open Settings")], "It is done."]
    rounds = await talked("open Settings", LIMIT, LIMIT, LIMIT, OK)
    assert (len(rounds), rounds[-1]) == (4, "Not finished.")


@pytest.mark.parametrize("limits", [1, 2])
@pytest.mark.parametrize("place", [0, 1, 2])
async def test_after_an_instruction_that_took_several_rounds_the_others_follow(place: int, limits: int) -> None:
    """Whichever of them it was: the end of the first part is not the end of the message."""
    results = [*[OK] * place, *[LIMIT] * limits, OK]
    orders = ["打开微信", "点击张三", "输入“你好”", "点击“发送”"]
    rounds = await talked("，".join(orders), *results)
    told = [message for ((_, message),) in rounds[:-1]]
    assert told == [*orders[:place], *[orders[place]] * limits, *orders[place:]]


@pytest.mark.parametrize(
    ("said", "part"),
    [
        ("open Settings, frobnicate the whatsit", "frobnicate the whatsit"),
        ("打开设置，然后订机票", "订机票"),
        ("on sim:a open Settings, on sim:b frobnicate the whatsit", "frobnicate the whatsit"),
        ("turn on Wi-Fi on sim:a whatever the whatsit", "whatever the whatsit"),
        ("在 sim:a 上打开设置，sim:b", "sim:b"),
    ],
)
async def test_what_is_not_understood_whole_is_not_begun(said: str, part: str) -> None:
    (words,) = await talked(said, devices=MORE)
    assert part in words


@pytest.mark.parametrize("failed", [FAILED, AT_LIMIT])
async def test_what_failed_is_not_tried_again_and_nothing_follows_it(failed: dict[str, Any]) -> None:
    """However many steps it took: a message may have been sent with the last of them."""
    assert await talked("open Settings, turn on Wi-Fi", failed) == [[("sim", "open Settings")], "It was not found."]


async def test_a_battery_that_is_not_in_sight_is_looked_for_in_the_settings() -> None:
    rounds = await talked("电量多少？", FAILED)
    assert [message for ((_, message),) in rounds[:-1]] == ["电量多少", "打开设置", "电量多少"]


@pytest.mark.parametrize(("said", "told"), [("hello there", "not understood"), ("你好", "没有看懂")])
async def test_what_is_no_instruction_is_answered_with_a_hint(said: str, told: str) -> None:
    (words,) = await talked(said)
    assert told in words
