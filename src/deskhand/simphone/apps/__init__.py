"""The apps on the phone, in the order in which the launcher shows them; a new app is one line here."""

from __future__ import annotations

from .bank import Bank
from .base import App
from .browser import Browser
from .calculator import Calculator
from .clock import Clock
from .contacts import Contacts
from .launcher import Launcher
from .messenger import Messenger
from .notes import Notes
from .photos import Camera, Gallery
from .settings import Settings
from .shop import Shop
from .system import SystemUi
from .weather import Weather

APPS: tuple[type[App], ...] = (
    Launcher,
    SystemUi,
    Settings,
    Clock,
    Calculator,
    Notes,
    Weather,
    Gallery,
    Shop,
    Messenger,
    Contacts,
    Browser,
    Camera,
    Bank,
)
