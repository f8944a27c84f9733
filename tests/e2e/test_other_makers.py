"""Goals on a phone of another make, through the real adb: no table knows its packages, no id its dialogs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.settings.schema import Settings
from deskhand.task.state import TaskState

State = dict[str, Any]
NOTES, CALCULATOR = "com.nova.jotter", "com.nova.sums"

GOALS: dict[str, Callable[[State, TaskState], bool]] = {
    "Open Settings, turn on Bluetooth": lambda state, _: state["settings"]["global"]["bluetooth_on"] == "1",
    'Open Notes and delete the note "Shopping list"': lambda state, _: (
        [each["title"] for each in state["apps"][NOTES]["notes"]] == ["Meeting notes", "Reading notes"]
    ),
    "打开计算器，算一下 7*8+9": lambda state, _: state["apps"][CALCULATOR]["history"] == ["7×8+9=65"],
    "Open Contacts, find Grace and read the phone number": lambda _, ended: (
        "+44 7700 900107" in " ".join(ended.answers)
    ),
    "打开天气": lambda state, _: state["foreground"]["package"] == "com.nova.sky",
    "Go to the home screen": lambda state, _: state["foreground"]["package"] == "com.nova.desk",
}


async def test_goals_are_reached_on_a_phone_of_another_make(tmp_path: Path) -> None:
    tree = {"data_dir": tmp_path, "simphone": {"skin": "maker"}}
    async with Deskhand(Settings.model_validate(tree)) as hand:
        ends = await asyncio.gather(*(hand.run(goal, device=f"sim:{at}") for at, goal in enumerate(GOALS)))
        for at, (goal, holds) in enumerate(GOALS.items()):
            assert ends[at].status is TaskStatus.FULFILLED, f"{goal}: {ends[at].reason}"
            assert holds(hand.simulated.phones[str(at)].read_state(), ends[at]), goal


async def test_an_app_that_is_not_there_is_refused_with_the_labels_that_are(tmp_path: Path) -> None:
    tree = {"data_dir": tmp_path, "simphone": {"skin": "maker"}}
    async with Deskhand(Settings.model_validate(tree)) as hand:
        ended = await hand.run("Open Quicksilver", device="sim")
        assert ended.status is TaskStatus.REJECTED
        assert "Quicksilver" in ended.reason
