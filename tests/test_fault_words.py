"""What a device complains of is told to a person in the language of the goal."""

import re
import tomllib
from pathlib import Path

import pytest

import deskhand
from deskhand import fault_words
from deskhand.fault_words import to_chinese
from tests.roles.handset import Handset

SOURCES = Path(deskhand.__file__).parent
WORDS = SOURCES / "fault_words.toml"


async def test_a_chinese_goal_is_refused_in_chinese_and_an_english_one_in_english() -> None:
    chinese = await Handset().run("打开淘宝")
    assert "手机 handset 上没有应用“淘宝”，有的应用例如：" in chinese.message
    assert "is not on the phone" not in chinese.message
    english = await Handset().run("Open Telegram")
    assert "The app 'Telegram' is not on the phone handset. Some apps on it:" in english.message


def test_what_is_taken_over_is_taken_over_whole() -> None:
    told = to_chinese("""The field should hold 'it holds, "x"' but holds ''.""")
    assert told == """输入框里应是“it holds, "x"”，却是“”"""
    assert to_chinese("Something nobody foresaw.") == "Something nobody foresaw."


REASONS = re.compile(
    r'(?:why = |return |hindrance = |_PAUSED = )f?(["\'])((?:[a-z]|{\w+} came).*?)\1(?:, now)?$', re.MULTILINE
)


def test_why_actions_were_skipped_is_told_in_chinese() -> None:
    rooms = ("engine/observer.py", "engine/inner/action_queue.py")
    reasons = [found[2] for room in rooms for found in REASONS.finditer((SOURCES / room).read_text())]
    assert len(reasons) >= 7
    for reason in reasons:
        said = re.sub(r"\{[^}]*\}", "Notes", reason)
        assert re.search("[\u4e00-\u9fff]", to_chinese(said)), said


@pytest.mark.parametrize("sentence", tomllib.loads((SOURCES / "fault_words.toml").read_text())["sentences"])
def test_each_sentence_is_still_one_that_a_device_or_the_engine_says(sentence: str) -> None:
    # a string may be broken over lines; its pieces stand in the source as they are told
    rooms = ("devices", "engine", "build")
    sources = "".join(path.read_text() for room in rooms for path in (SOURCES / room).rglob("*.py"))
    sources += (SOURCES / "engine" / "safety" / "risk_words.toml").read_text()
    said = re.sub(r'"\s*\n\s*f?"', "", sources)
    for piece in re.split(r"\{\w+\}", sentence):
        assert len(piece) < 8 or piece.strip() in said, piece
    assert len(fault_words.load_sentences()) > 5
