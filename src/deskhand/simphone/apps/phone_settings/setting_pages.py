"""The page behind each row of Settings, by the row's key."""

from __future__ import annotations

from deskhand.simphone.apps.phone_settings.app_pages import AppsPage
from deskhand.simphone.apps.phone_settings.connection_pages import BluetoothPage, MobilePage, WifiPage
from deskhand.simphone.apps.phone_settings.device_pages import (
    AboutPage,
    BatteryPage,
    DisplayPage,
    LanguagePage,
    NotifyPage,
    SecurityPage,
    SoundPage,
    StoragePage,
    TimePage,
)
from deskhand.simphone.apps.phone_settings.sub_page import SubPage

PAGES: dict[str, type[SubPage]] = {
    "wifi": WifiPage,
    "bluetooth": BluetoothPage,
    "mobile": MobilePage,
    "display": DisplayPage,
    "sound": SoundPage,
    "notify": NotifyPage,
    "battery": BatteryPage,
    "storage": StoragePage,
    "apps": AppsPage,
    "security": SecurityPage,
    "language": LanguagePage,
    "time": TimePage,
    "about": AboutPage,
}
