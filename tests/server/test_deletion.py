"""Tasks and conversations are deleted for good: events, words and pictures, and nothing of anybody else's."""

from __future__ import annotations

from pathlib import Path

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from tests.server.conftest import House, Serve, call, model

NEVER = ScriptedStep(text="x", first_byte_s=600)
WORDS = "打开微信，找到张三，输入“只有我知道的话”"


def traces(folder: Path, words: str) -> list[str]:
    """The files in which these words still are, in whatever form SQLite keeps them."""
    return [file.name for file in folder.rglob("*") if file.is_file() and words.encode() in file.read_bytes()]


async def pictures_of(house: House, task_id: str) -> set[str]:
    steps = (await house.get(f"/api/tasks/{task_id}/report"))["steps"]
    return {step[when] for step in steps for when in ("before", "after")}


def stored(folder: Path) -> set[str]:
    return {file.stem for file in (folder / "frames").rglob("*.jpg")}


async def test_a_task_is_deleted_with_its_words_and_pictures(serve: Serve, tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with serve() as house:
        gone = await house.task(WORDS, loop="single")
        await house.ended(gone)
        # Another phone in the same state: some of its pictures are the same.
        kept = await house.task("打开微信，找到张三", loop="single", device="sim:2")
        await house.ended(kept)
        theirs = await pictures_of(house, kept)
        assert await pictures_of(house, gone) & theirs
        assert traces(data, "只有我知道的话")
        answer = await house.client.delete(f"/api/tasks/{gone}")
        assert (answer.status_code, answer.json()["success"]) == (200, True)
        assert (await house.client.get(f"/api/tasks/{gone}")).status_code == 404
        assert (await house.client.delete(f"/api/tasks/{gone}")).status_code == 404
        assert [task["task_id"] for task in (await house.get("/api/tasks"))["tasks"]] == [kept]
        assert traces(data, "只有我知道的话") == []
        assert theirs <= stored(data)
        events = (await house.get(f"/api/tasks/{kept}/events", limit=1000))["events"]
        assert stored(data) <= {one["event"].get("frame") for one in events}


async def test_a_running_task_is_not_deleted(serve: Serve) -> None:
    async with (
        ModelServer([NEVER]) as operator,
        serve(models={"operator": model(operator, dialect="autoglm")}) as house,
    ):
        task_id = await house.task("look", loop="single")
        answer = await house.client.delete(f"/api/tasks/{task_id}")
        assert (answer.status_code, "stop it before" in answer.json()["detail"]) == (409, True)
        await house.post(f"/api/tasks/{task_id}/commands", command="stop")
        assert (await house.client.delete(f"/api/tasks/{task_id}")).status_code == 200


async def test_reset_and_delete_take_the_tasks_and_pictures_of_a_conversation(serve: Serve, tmp_path: Path) -> None:
    data = tmp_path / "data"
    script = [call("chat", device_id="sim", message=WORDS), "好了。"] * 2
    async with (
        ModelServer(script) as decider,
        serve(models={"assistant": model(decider)}, chat={"inner_steps": 20}) as house,
    ):
        for name in ("first:1", "me@home"):
            await house.chat(WORDS, session_id=name)
        assert len((await house.get("/api/tasks"))["tasks"]) == 2
        await house.post("/api/layered-agent/reset", session_id="first:1")
        assert len((await house.get("/api/tasks"))["tasks"]) == 1
        assert stored(data)
        answer = await house.client.delete("/api/layered-agent/sessions/me@home")
        assert answer.status_code == 200
        assert (await house.client.delete("/api/layered-agent/sessions/me@home")).status_code == 404
        assert (await house.get("/api/tasks"))["tasks"] == []
        assert (await house.get("/api/layered-agent/sessions"))["sessions"] == []
        assert traces(data, "只有我知道的话") == []
        assert stored(data) == set()
