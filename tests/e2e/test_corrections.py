"""Words and help in the middle of the work, with the whole house and no model: the phone tells the truth."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from deskhand.build import Deskhand
from deskhand.core.commands import InjectPrompt
from deskhand.core.statuses import TaskStatus
from deskhand.engine.run import Task
from deskhand.settings.schema import Settings
from deskhand.task.events import Decided, PlanMade

CLOCK = "com.android.deskclock"


class Desk:
    def __init__(self, hand: Deskhand, folder: Path) -> None:
        self.hand = hand
        self.memory = folder / "data" / "prompts.json"

    @property
    def phone(self) -> dict[str, Any]:
        return self.hand.simulated.phones["desk"].read_state()

    @property
    def alarms(self) -> dict[str, bool]:
        return {alarm["time"]: alarm["on"] for alarm in self.phone["apps"][CLOCK]["alarms"]}


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[Desk]:
    settings = Settings.model_validate({"data_dir": folder / "data", "settle": {"patience_ms": 0}})
    async with Deskhand(settings) as hand:
        yield Desk(hand, folder)


async def until(run: Task, kind: type[Any]) -> None:
    async for record in run.events():
        if isinstance(record.event, kind):
            return
    raise AssertionError(f"the task ended without {kind.__name__}")


async def test_what_is_said_along_the_way_is_done_and_its_type_is_learned(tmp_path: Path) -> None:
    goal = "open Settings, wait 2 seconds, turn on Bluetooth"
    async with desk(tmp_path) as place, place.hand.start(goal, device="sim:desk") as run:
        await until(run, PlanMade)
        await run.say("also set an alarm for 5")
        state = await run.wait()
        assert state.status is TaskStatus.FULFILLED, state.reason
        assert [part.title for part in state.plan][-1] == "set an alarm for 5"
        assert place.alarms["05:00"] is True
        assert place.phone["settings"]["global"]["bluetooth_on"] == "1"
    learned = json.loads(place.memory.read_text(encoding="utf-8"))
    assert {name: (entry["uses"], entry["success_rate"]) for name, entry in learned.items()} == {
        "settings": (1, 1.0),
        "alarm": (1, 1.0),
    }


async def test_what_is_taken_back_is_not_done_and_is_not_missed(tmp_path: Path) -> None:
    goal = "打开设置，等待2秒，打开蓝牙，然后打开时钟，新建一个 5:10 的闹钟"
    async with desk(tmp_path) as place, place.hand.start(goal, device="sim:desk") as run:
        await until(run, PlanMade)
        await run.say("跳过第二个")
        state = await run.wait()
        assert state.status is TaskStatus.FULFILLED, state.reason
        assert "05:10" not in place.alarms
        assert place.phone["settings"]["global"]["bluetooth_on"] == "1"


async def test_what_is_changed_is_done_as_it_was_changed(tmp_path: Path) -> None:
    goal = "open Settings, wait 2 seconds, turn on Bluetooth, then open Clock, set an alarm for 5:10"
    async with desk(tmp_path) as place, place.hand.start(goal, device="sim:desk") as run:
        await until(run, PlanMade)
        await run.say("change the alarm to 5:20")
        state = await run.wait()
        assert state.status is TaskStatus.FULFILLED, state.reason
        assert place.alarms["05:20"] is True
        assert "05:10" not in place.alarms


async def test_help_is_followed_at_once_and_the_work_comes_to_its_end(tmp_path: Path) -> None:
    goal = "打开设置，等待1秒，打开蓝牙"
    async with desk(tmp_path) as place, place.hand.start(goal, device="sim:desk", loop="single") as run:
        await until(run, Decided)
        run.send(InjectPrompt(content="回到主屏幕，然后重新开始"))
        state = await run.wait()
        assert state.status is TaskStatus.FULFILLED, state.reason
        assert place.phone["settings"]["global"]["bluetooth_on"] == "1"
        log = [record.event for record in await place.hand.journal.read(run.task_id)]
    moves = [planned.action.kind for event in log if isinstance(event, Decided) for planned in event.decision.actions]
    assert moves.count("open_app") == 2
    assert moves.index("home") > moves.index("open_app")


async def test_memory_is_kept_where_the_settings_say_broken_or_not(tmp_path: Path) -> None:
    mine = tmp_path / "mine" / "prompts.json"
    mine.parent.mkdir()
    mine.write_text("{ broken", encoding="utf-8")
    settings = Settings.model_validate({"data_dir": tmp_path / "data", "prompt_memory": {"path": mine}})
    async with Deskhand(settings) as hand:
        state = await hand.run("open Settings", device="sim:desk")
    assert state.status is TaskStatus.FULFILLED, state.reason
    assert json.loads(mine.read_text(encoding="utf-8"))["settings"]["uses"] == 1
    assert [file.read_text() for file in mine.parent.glob("prompts.json.broken-*")] == ["{ broken"]
    assert not (tmp_path / "data" / "prompts.json").exists()
