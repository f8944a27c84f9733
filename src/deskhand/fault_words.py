"""A device's complaint in the language of the goal, by the sentences of fault_words.toml; nothing hangs on them."""

import re
import tomllib
from functools import cache
from pathlib import Path

_SLOT = re.compile(r"\\\{(\w+)\\\}")


def to_chinese(complaint: str) -> str:
    """Translate a device's message; return it unchanged if the table has no sentence for it."""
    for pattern, sentence in load_sentences():
        if found := pattern.fullmatch(complaint):
            told = {slot: _as_chinese(slot, text) for slot, text in found.groupdict().items()}
            return sentence.format(
                **{slot: to_chinese(text) if slot == "said" else text for slot, text in told.items()}
            )
    return complaint


@cache
def load_sentences() -> list[tuple[re.Pattern[str], str]]:
    data = tomllib.loads((Path(__file__).parent / "fault_words.toml").read_text(encoding="utf-8"))
    patterns = {_SLOT.sub(r"(?P<\1>.+?)", re.escape(english)): zh for english, zh in data["sentences"].items()}
    return [(re.compile(pattern, re.DOTALL), zh) for pattern, zh in patterns.items()]


def _as_chinese(slot: str, text: str) -> str:
    """Quotes as they are read instead of Python's, and a list in Chinese commas."""
    quoted = re.fullmatch(r"(['\"])(.*)\1", text, re.DOTALL)
    if quoted:
        return f"“{quoted[2]}”"
    return ("无" if text == "none" else text.replace(", ", "、")) if slot == "near" else text
