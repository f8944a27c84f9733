"""The apps on the phone, in the order in which the launcher shows them; a new app is one line here."""

from __future__ import annotations

from .base import App
from .launcher import Launcher
from .messenger import Messenger
from .system import SystemUi

APPS: tuple[type[App], ...] = (
    Launcher,
    SystemUi,
    Messenger,
)
