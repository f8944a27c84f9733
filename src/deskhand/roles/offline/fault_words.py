"""A device's complaint in the language of the goal, by the sentences of faults.toml. Nothing hangs on its words."""

import re
import tomllib
from functools import cache
from pathlib import Path

_SLOT = re.compile(r"\\\{(\w+)\\\}")


def to_chinese(complaint: str) -> str:
    """Translate a device's message; return it unchanged if the table has no sentence for it."""
    for pattern, sentence in load_sentences():
        if found := pattern.fullmatch(complaint):
            return sentence.format(**{slot: _as_chinese(slot, text) for slot, text in found.groupdict().items()})
    return complaint


@cache
def load_sentences() -> list[tuple[re.Pattern[str], str]]:
    data = tomllib.loads((Path(__file__).parent / "fault_words.toml").read_text(encoding="utf-8"))
    return [(_to_pattern(english), chinese) for english, chinese in data["sentences"].items()]


def _to_pattern(template: str) -> re.Pattern[str]:
    return re.compile(_SLOT.sub(r"(?P<\1>.+?)", re.escape(template)), re.DOTALL)


def _as_chinese(slot: str, text: str) -> str:
    """Quotes as they are read instead of Python's, and a list in Chinese commas."""
    quoted = re.fullmatch(r"(['\"])(.*)\1", text, re.DOTALL)
    if quoted:
        return f"“{quoted[2]}”"
    return text.replace(", ", "、") if slot == "near" else text
