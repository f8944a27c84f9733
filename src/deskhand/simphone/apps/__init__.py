"""The apps on the phone, in the order in which the launcher shows them; a new app is one line here."""

from __future__ import annotations

from deskhand.simphone.apps.bank import Bank
from deskhand.simphone.apps.base import App
from deskhand.simphone.apps.browser import Browser
from deskhand.simphone.apps.calculator import Calculator
from deskhand.simphone.apps.clock import Clock
from deskhand.simphone.apps.contacts import Contacts
from deskhand.simphone.apps.launcher import Launcher
from deskhand.simphone.apps.messenger import Messenger
from deskhand.simphone.apps.notes import Notes
from deskhand.simphone.apps.photos import Camera, Gallery
from deskhand.simphone.apps.settings import Settings
from deskhand.simphone.apps.shop import Shop
from deskhand.simphone.apps.system import SystemUi
from deskhand.simphone.apps.weather import Weather

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
