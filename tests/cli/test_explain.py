"""`deskhand explain` prints how a goal is read, in its language, and does nothing."""

import re

from tests.cli.conftest import Cli


async def test_a_reading_is_printed_with_its_slots(cli: Cli) -> None:
    told = await cli("explain", "turn Bluetooth on and Wi-Fi off", "--json")
    assert told.json["understood"] is True
    assert [(step["kind"], step["target"], step["on"]) for step in told.json["instructions"]] == [
        ("Toggle", "Bluetooth", True),
        ("Toggle", "Wi-Fi", False),
    ]


async def test_no_word_of_a_program_is_printed(cli: Cli) -> None:
    told = await cli("explain", "turn Bluetooth on, scroll down to the end, verify that “A” is shown")
    assert told.code == 0
    assert "on: yes" in told.out
    assert not re.search(r"True|False|None|[{}]|_", told.out), told.out
    told = await cli("explain", "打开蓝牙，确认显示“A”")
    assert "True" not in told.out


async def test_what_is_not_understood_is_told_in_the_language_of_the_goal(cli: Cli) -> None:
    told = await cli("explain", "turn on Wi-Fi every weekday")
    assert told.code == 1
    assert "NOT UNDERSTOOD" in told.out
    assert "model" in told.out
    told = await cli("explain", "打开设置，每天打开蓝牙")
    assert told.code == 1
    assert "没有看懂" in told.out
    assert "模型" in told.out
