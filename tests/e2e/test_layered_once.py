"""The layered chat without a model sends once, however few steps an inner loop may take."""

from pathlib import Path
from typing import Any

import pytest

from deskhand.build import Deskhand
from deskhand.clock import SystemClock
from deskhand.devices.android.adb.private_server import run_private_server
from deskhand.engine.budget import Budget
from deskhand.engine.safety.authority import USER
from deskhand.mcp.tool_handlers import UnattendedJobs
from deskhand.sessions.device_jobs import DeviceJobs
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.sessions.tasks import Tasks
from deskhand.settings.schema import AdbSettings, ChatSettings, Settings
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone


def count_sent(phone: Phone, to: str, text: str) -> int:
    chat = phone.read_state()["apps"]["com.tencent.mm"]["chats"].get(to, {"messages": ()})
    return sum(message["text"] == text and message["from"] == "me" for message in chat["messages"])


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("opening", "order", "to", "text"),
    [("打开微信", "给张三发消息“到了”", "张三", "到了"), ("open WeChat", 'send "here" to 李四', "李四", "here")],
)
async def test_an_instruction_handed_out_again_goes_on_and_sends_once(
    tmp_path: Path, limit: int, opening: str, order: str, to: str, text: str
) -> None:
    phone = Phone()
    async with (
        run_private_server(AdbSettings(), SystemClock()) as adb,
        SimPhone(phone) as sim,
        Deskhand(Settings(data_dir=tmp_path, adb=adb, chat=ChatSettings(inner_steps=limit))) as hand,
    ):
        device = f"android:{sim.address}"
        budget = Budget(hand.settings.budget)
        jobs = DeviceJobs(hand, Tasks(hand, SettingsWatch({})), hand.settings, budget, UnattendedJobs(), USER)
        assert (await jobs.run_job(device, opening))["success"] or limit == 1
        results: list[dict[str, Any]] = []
        while not results or results[-1].get("unfinished"):
            results.append(await jobs.run_job(device, order))
            assert count_sent(phone, to, text) <= 1
            assert len(results) < 20
        assert results[-1]["success"], results[-1]["result"]
        assert all(one["steps"] <= limit for one in results)
        assert count_sent(phone, to, text) == 1
