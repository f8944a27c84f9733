"""The access token of the server: made once, kept in a file that only its user can read."""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from deskhand.core.errors import SettingsError
from deskhand.private_files import make_private_folder
from deskhand.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class Token:
    """`fresh`: it was made just now, and is shown only this once."""

    value: str
    file: Path
    fresh: bool

    def accepts_token(self, said: str) -> bool:
        return hmac.compare_digest(said.encode(), self.value.encode())

    def __repr__(self) -> str:
        return f"Token({self.file})"


def token_file_of(settings: Settings) -> Path:
    return settings.server.token_file or settings.data_dir / "server-token"


def read_token(file: Path) -> Token:
    """Return the token in this file; make a new one if there is none."""
    try:
        if not file.parent.is_dir():
            make_private_folder(file.parent)
        try:
            handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            file.chmod(0o600)
            value = file.read_text(encoding="utf-8").strip()
            if len(value) < 16:
                raise SettingsError(
                    f"The token in {file} is too short: delete the file, and a new one is made."
                ) from None
            return Token(value, file, fresh=False)
        with os.fdopen(handle, "w", encoding="utf-8") as new:
            value = secrets.token_urlsafe(32)
            new.write(f"{value}\n")
        return Token(value, file, fresh=True)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The token file {file} can't be used: {error}.") from None
