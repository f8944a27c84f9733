"""Every setting is described, to `config show --all` and in docs/settings.md."""

import pytest

from deskhand.settings.explain import describe_setting
from deskhand.settings.schema import Settings
from tests.settings.settings_page import PAGE, list_fields, write_page

QUESTIONS = ("How", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why")


@pytest.mark.parametrize("path", [path for path, _ in list_fields(Settings)], ids=".".join)
def test_every_setting_is_described(path: tuple[str, ...]) -> None:
    text = describe_setting(path)
    assert text.endswith("."), f"write a sentence under {'.'.join(path)} in settings/schema.py"
    unit = {"s": "in seconds", "ms": "in milliseconds", "mb": "in megabytes", "kb": "in kilobytes"}
    assert unit.get(path[-1].rpartition("_")[2], "") in text
    assert text.split()[0] not in QUESTIONS, "say what it is, not what one could ask about it"


@pytest.mark.parametrize("section", Settings.model_fields)
def test_every_section_is_described(section: str) -> None:
    assert describe_setting((section,)).endswith(".")
    assert describe_setting((section,)).split()[0] not in QUESTIONS


def test_the_page_of_settings_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert PAGE.read_text(encoding="utf-8") == write_page(), "docs/settings.md is out of date: make docs"
