"""Settings: command line > environment > file > default, and errors that name the key and the file."""

from pathlib import Path

import pytest

from deskhand.config import load, settings_file
from deskhand.errors import SettingsError


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "config.toml"
    monkeypatch.setenv("DESKHAND_CONFIG", str(file))
    return file


def test_without_anything_the_defaults_hold(file: Path) -> None:
    settings = load()
    assert settings.settle.max_wait_ms == 3000
    assert settings.executor.max_steps == 50


def test_each_layer_overrides_the_one_below_and_leaves_the_rest(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('device = "android:A"\n[settle]\ninterval_ms = 50\nmax_wait_ms = 100\n[executor]\nmax_steps = 1\n')
    monkeypatch.setenv("DESKHAND_SETTLE__MAX_WAIT_MS", "200")
    monkeypatch.setenv("DESKHAND_EXECUTOR__MAX_STEPS", "2")
    settings = load({"executor": {"max_steps": 3}})
    assert settings.device == "android:A"
    assert settings.settle.interval_ms == 50
    assert settings.settle.max_wait_ms == 200
    assert settings.executor.max_steps == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[settle]\nmax_wait = 5\n", r"Unknown setting 'settle.max_wait' in .*config.toml"),
        ('[settle]\nmax_wait_ms = "soon"\n', r"Bad value for 'settle.max_wait_ms' in .*config.toml: .*integer"),
        ("[settle\n", r"The settings file .*config.toml can't be read"),
        ("settle = 4\n", r"Bad value for 'settle' in .*config.toml"),
    ],
)
def test_a_bad_file_is_one_sentence_naming_key_and_file(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(SettingsError, match=message):
        load()


def test_a_bad_environment_variable_is_named_as_such(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_SETTLE__THRESHOLD", "lots")
    with pytest.raises(SettingsError, match=r"'settle.threshold' in the environment"):
        load()


def test_a_bad_override_is_blamed_on_the_command_line(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"'executor.max_steps' in the command line"):
        load({"executor": {"max_steps": 0}})


def test_an_unreadable_file_is_said_so(file: Path) -> None:
    file.mkdir()
    with pytest.raises(SettingsError, match="can't be read"):
        load()


def test_the_file_lives_in_the_users_config_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DESKHAND_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert settings_file() == tmp_path / "deskhand" / "config.toml"
