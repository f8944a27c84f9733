"""Reads the process environment: folders of the user, the settings file, what child programs inherit."""

import os
from pathlib import Path


def read_session_environment() -> dict[str, str]:
    """Return the environment for programs started by a device: ours without our own settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DESKHAND_")}


def find_user_folder(variable: str, fallback: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / fallback) / "deskhand"


def find_settings_file() -> Path:
    """Return the path of the settings file: `DESKHAND_CONFIG`, else the user's config folder (TOML before JSON)."""
    if named := os.environ.get("DESKHAND_CONFIG"):
        return Path(named)
    toml = find_user_folder("XDG_CONFIG_HOME", ".config") / "config.toml"
    flat = toml.with_suffix(".json")
    return flat if flat.exists() and not toml.exists() else toml
