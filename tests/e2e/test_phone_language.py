"""The simulated phone speaks the language of the goal; app names of both languages work on either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.settings.schema import Settings


def house(folder: Path, **settings: Any) -> Deskhand:
    return Deskhand(Settings.model_validate({"data_dir": folder / "data", **settings}))


async def run_goal(hand: Deskhand, goal: str) -> tuple[str, str]:
    """Carry a goal out; returns the phone's language and the app in front."""
    state = await hand.run(goal, device="sim")
    assert state.status is TaskStatus.FULFILLED, state.reason
    phone = hand.simulated.phones[""]
    return phone.locale, phone.windows.foreground[0]


async def test_a_goal_meets_a_phone_of_its_own_language(tmp_path: Path) -> None:
    async with house(tmp_path) as hand:
        assert await run_goal(hand, "Open Settings, turn on Bluetooth") == ("en", "com.android.settings")
        assert await run_goal(hand, "打开计算器") == ("zh", "com.android.calculator2")
        assert hand.simulated.phones[""].read_state()["settings"]["global"]["bluetooth_on"] == "1", "the same phone"
        assert await run_goal(hand, "Open 设置") == ("zh", "com.android.settings"), "what it names is Chinese"


@pytest.mark.parametrize("locale", ["zh", "en"])
@pytest.mark.parametrize("goal", ["Open Calculator", "打开计算器"])
async def test_the_settings_decide_and_app_names_of_both_languages_work(tmp_path: Path, locale: str, goal: str) -> None:
    async with house(tmp_path, simphone={"locale": locale}) as hand:
        assert await run_goal(hand, goal) == (locale, "com.android.calculator2")


async def test_a_language_that_was_chosen_on_the_phone_stays(tmp_path: Path) -> None:
    async with house(tmp_path) as hand:
        await run_goal(hand, "Open Calculator")
        hand.simulated.phones[""].locale = "zh"
        assert await run_goal(hand, "Open Settings") == ("zh", "com.android.settings")


async def test_the_settings_say_whose_android_the_simulated_phone_has(tmp_path: Path) -> None:
    async with house(tmp_path, simphone={"skin": "maker"}) as hand:
        assert await run_goal(hand, "Open WeChat") == ("en", "com.tencent.mm")
        assert hand.simulated.phones[""].read_state()["skin"] == "maker"
