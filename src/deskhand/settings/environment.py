"""Reads the process environment: folders of the user, the settings file, what child programs inherit."""

import os
import re
from collections import ChainMap
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

# Our own variables, and what is a secret by its name: no program that we start needs them.
_SECRET = re.compile(
    r"(.*_)?(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASS|CREDENTIALS?|AUTHORIZATION)(_.*)?", re.IGNORECASE
)
# Secrets that are out of the environment for a moment; they are still ours to read.
_withheld: dict[str, str] = {}
_withholding = 0


def read_environment() -> Mapping[str, str]:
    """Return the whole environment, for ourselves."""
    return ChainMap(dict(os.environ), _withheld)


def read_session_environment() -> dict[str, str]:
    """Return the environment for programs started by a device: ours without settings, keys and secrets."""
    return {name: value for name, value in os.environ.items() if not is_secret_name(name)}


@contextmanager
def withhold_secrets() -> Generator[None, None, None]:
    """Take the secrets out of the environment while a library starts a program that inherits all of it."""
    global _withholding
    _withholding += 1
    _withheld.update({name: value for name, value in os.environ.items() if is_secret_name(name)})
    for name in _withheld:
        os.environ.pop(name, None)
    try:
        yield
    finally:
        _withholding -= 1
        if not _withholding:
            os.environ.update(_withheld)
            _withheld.clear()


def is_secret_name(name: str) -> bool:
    """True for the name of a variable that is ours, or that holds a key, a token or a password."""
    return name.startswith("DESKHAND_") or bool(_SECRET.fullmatch(name))


def find_user_folder(variable: str, fallback: str) -> Path:
    return Path(read_environment().get(variable) or Path.home() / fallback) / "deskhand"


def find_settings_file() -> Path:
    """Return the path of the settings file: `DESKHAND_CONFIG`, else the user's config folder (TOML before JSON)."""
    if named := read_environment().get("DESKHAND_CONFIG"):
        return Path(named)
    toml = find_user_folder("XDG_CONFIG_HOME", ".config") / "config.toml"
    flat = toml.with_suffix(".json")
    return flat if flat.exists() and not toml.exists() else toml
