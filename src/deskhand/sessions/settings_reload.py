"""Settings that follow their file: checked when needed, read again when the content of the file has changed.

A bad file changes nothing: the settings stay as they were, and the error is reported once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from deskhand.core.errors import SettingsError
from deskhand.settings.environment import find_settings_file
from deskhand.settings.explain import ExplainedSetting, list_settings
from deskhand.settings.layers import SettingsTree
from deskhand.settings.load import load, read_layers
from deskhand.settings.schema import Settings


class SettingsWatch:
    """Call `read_current()` at the beginning of each turn or task; what runs keeps what it began with."""

    def __init__(
        self,
        overrides: SettingsTree | None = None,
        file: Path | None = None,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self.overrides = overrides
        self._file = file
        self._report = report
        self._hash = self._hash_content()
        self._settings = load(overrides, file)
        self.trouble = ""

    def read_current(self) -> Settings:
        content = self._hash_content()
        if content == self._hash:
            return self._settings
        self._hash = content
        try:
            self._settings = load(self.overrides, self._file)
            self.trouble = ""
        except SettingsError as bad:
            self.trouble = f"{bad} The settings stay as they were."
            if self._report:
                self._report(self.trouble)
        return self._settings

    def list_settings(self) -> list[ExplainedSetting]:
        """Return every setting as it holds now, and where it comes from."""
        try:
            layers = read_layers(self.overrides, self._file)
        except SettingsError:  # a file that is broken now has not changed what holds
            layers = ()
        return list_settings(self.read_current(), layers)

    def _hash_content(self) -> str:
        file = self._file or find_settings_file()
        try:
            return f"{file}:{hashlib.sha256(file.read_bytes()).hexdigest()}"
        except OSError as error:
            return f"{file}:{error.errno}"
