"""How makers differ: package names, resource ids, launcher, dialogs and time pickers. The apps' data are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal
from zlib import crc32

LAUNCHER = "com.android.launcher3"
TimePicker = Literal["text", "dial", "wheels"]
_LETTERS = "abcdefghijkmnopqrstuvwxyz"


@dataclass(frozen=True)
class Skin:
    """One maker's Android.

    `packages`: its names for the packages that the apps here are written with.
    `drawer`: the home screen shows the dock alone; a swipe up opens the list of all apps.
    `sheets`: questions come up at the lower edge, inside of the app's own window, the agreeing button first.
    `blank_ids`: resource ids are shortened as a release build does, and nothing has one of Android's own.
    """

    name: str
    locale: str = "zh"
    packages: Mapping[str, str] = field(default_factory=dict[str, str])
    drawer: bool = False
    sheets: bool = False
    blank_ids: bool = False
    time_picker: TimePicker = "text"
    twelve_hours: bool = False

    @property
    def home(self) -> str:
        """The package of the home screen."""
        return self.package_of(LAUNCHER)

    def package_of(self, package: str) -> str:
        return self.packages.get(package, package)

    def rename_id(self, rid: str) -> str:
        """Return a resource id as this maker's build has it."""
        if not self.blank_ids or not rid:
            return rid
        package, _, name = rid.partition(":id/")
        if package == "android":
            return ""
        number, letters = crc32(name.encode()), ""
        for _ in range(3):
            number, at = divmod(number, len(_LETTERS))
            letters += _LETTERS[at]
        return f"{package}:id/{letters}"


_MAKER_PACKAGES = MappingProxyType(
    {
        LAUNCHER: "com.nova.desk",
        "com.android.settings": "com.nova.preferences",
        "com.android.deskclock": "com.nova.timekeeper",
        "com.android.calculator2": "com.nova.sums",
        "com.miui.notes": "com.nova.jotter",
        "com.android.weather": "com.nova.sky",
        "com.android.gallery3d": "com.nova.pictures",
        "com.android.contacts": "com.nova.people",
        "com.android.browser": "com.nova.surf",
        "com.android.camera": "com.nova.lens",
    }
)
STOCK = Skin("stock")
MAKER = Skin(
    "maker",
    locale="en",
    packages=_MAKER_PACKAGES,
    drawer=True,
    sheets=True,
    blank_ids=True,
    time_picker="dial",
    twelve_hours=True,
)
WHEELS = Skin("wheels", packages=_MAKER_PACKAGES, drawer=True, sheets=True, blank_ids=True, time_picker="wheels")
SKINS = {skin.name: skin for skin in (STOCK, MAKER, WHEELS)}
