"""The apps on the phone, in the order in which the launcher shows them; a new app is one line here."""

from __future__ import annotations

from deskhand.simphone.apps.alarm_clock.app import AlarmClock
from deskhand.simphone.apps.bank import Bank
from deskhand.simphone.apps.calculator import Calculator
from deskhand.simphone.apps.contacts import Contacts
from deskhand.simphone.apps.framework import App
from deskhand.simphone.apps.launcher import Launcher
from deskhand.simphone.apps.messenger.app import Messenger
from deskhand.simphone.apps.notes import Notes
from deskhand.simphone.apps.phone_settings.app import SettingsApp
from deskhand.simphone.apps.photos import Camera, Gallery
from deskhand.simphone.apps.shop.app import Shop
from deskhand.simphone.apps.system_windows import SystemUi
from deskhand.simphone.apps.weather import Weather
from deskhand.simphone.apps.web_browser import WebBrowser

APPS: tuple[type[App], ...] = (
    Launcher,
    SystemUi,
    SettingsApp,
    AlarmClock,
    Calculator,
    Notes,
    Weather,
    Gallery,
    Shop,
    Messenger,
    Contacts,
    WebBrowser,
    Camera,
    Bank,
)
