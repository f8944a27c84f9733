"""Reads the values of secrets from where they are kept: variables, a file of the user's own, the system's keyring.

Reads on each call and caches nothing. The settings name the places.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from deskhand.core.errors import SettingsError
from deskhand.settings.placeholders import VARIABLE, make_placeholder


def variable_of(name: str) -> str:
    """Return the variable of a secret: `DESKHAND_SECRET_MAIL_PASSWORD` for `mail-password`."""
    return VARIABLE + re.sub(r"\W", "_", name, flags=re.ASCII).upper()


def find_secret(name: str, variables: Mapping[str, str], file: Path, keyring: str) -> str:
    """Return a secret's value; raises SettingsError, naming every place that was searched, if there is none."""
    value = variables.get(variable_of(name)) or _read_from_file(name, file) or _read_from_keyring(name, keyring)
    if value:
        return value
    places = [f"the variable {variable_of(name)}", f"{name} in {file}"]
    if keyring:
        places.append(f'"{keyring}" in the keyring' + ("" if _has_keyring() else " (pip install 'deskhand[keyring]')"))
    raise SettingsError(f"There is no value for {make_placeholder(name)}: looked for {', '.join(places)}.")


def _read_from_file(name: str, file: Path) -> str | None:
    try:
        mode = file.stat().st_mode & 0o777
        if mode & 0o077:
            raise SettingsError(f"The secrets file {file} can be read by others (mode {mode:o}): chmod 600 {file}")
        kept = tomllib.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except tomllib.TOMLDecodeError:
        # The parser's message is left out: it quotes the line.
        raise SettingsError(f'The secrets file {file} is no TOML: write NAME = "value" on each line.') from None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(
            f"The secrets file {file} can't be read: {getattr(error, 'strerror', 'no text')}."
        ) from None
    value = kept.get(name)
    if value is not None and not isinstance(value, str):
        raise SettingsError(f'The secret {name} in {file} is no text: write {name} = "value".')
    return value


def _has_keyring() -> bool:
    return find_spec("keyring") is not None


def _read_from_keyring(name: str, service: str) -> str | None:
    if not service or not _has_keyring():
        return None
    import keyring
    from keyring.errors import KeyringError, NoKeyringError

    try:
        return keyring.get_password(service, name)
    except NoKeyringError:
        return None
    except KeyringError as error:
        raise SettingsError(f"The keyring does not give out {name}: {type(error).__name__}.") from None
