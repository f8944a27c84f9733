"""Secrets in a conversation: named by the person alone, and known to the phone alone."""

from pathlib import Path

import pytest

from deskhand.models.scripted.http_server import ModelServer
from tests.server.conftest import Serve, call, model

VALUE = "Walrus-Quartz-58"


async def test_a_planner_uses_the_secrets_that_the_person_named_and_no_others(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("USER", "OTHER"):
        monkeypatch.setenv(f"DESKHAND_SECRET_{name}", VALUE)
    script = [
        call("chat", device_id="sim", message="打开微信，点击Bob"),
        call("chat", device_id="sim", message="输入{{secret:OTHER}}"),
        call("chat", device_id="sim", message="输入{{secret:USER}}，等待1秒，点击Bob"),
        "好了。",
    ]
    chat = {"inner_steps": 2}
    async with ModelServer(script) as decider, serve(models={"assistant": model(decider)}, chat=chat) as house:
        events = await house.chat("给Bob写{{secret:USER}}")
        fields = [e.value for e in await house.services.hand.pool._open["sim"].elements() if e.editable]
    _, refused, unfinished = [event["result"] for event in events if event["type"] == "tool_result"]
    assert refused["result"] == "The secret OTHER can't be used: the user has not named it."
    assert fields == [VALUE]
    assert "{{secret:USER}}" in unfinished["result"].partition("屏幕上：")[2]
    told = [seen.text for seen in decider.requests]
    kept = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(VALUE in text for text in (*told, str(events)))
    assert not any(VALUE.encode() in content for content in kept)
