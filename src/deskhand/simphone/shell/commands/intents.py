"""Reads the intent out of `am`'s arguments and says which app it is for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from deskhand.simphone.body.app_manager import Package
from deskhand.simphone.phone import Phone

VIEW = "android.intent.action.VIEW"
HOME = "android.intent.category.HOME"

# Which app's name answers to a scheme or an action: the phone's own apps decide, by their package names.
SCHEMES = {"http": "browser", "https": "browser", "tel": "dialer", "smsto": "messaging", "sms": "messaging"}
ACTIONS = {"android.settings.": "com.android.settings", "android.intent.action.SET_ALARM": "deskclock",
           "android.intent.action.SHOW_ALARMS": "deskclock", "android.intent.action.DIAL": "dialer",
           "android.media.action.STILL_IMAGE_CAMERA": "camera"}  # fmt: skip
CATEGORIES = {f"android.intent.category.APP_{name.upper()}": name for name in ("calculator", "contacts", "gallery")}

VALUED = {"-a", "-d", "-t", "-c", "-n", "-p", "-f", "-e", "--user", "--display", "--windowingMode", "-i"}
EXTRAS = {"--es", "--ei", "--ez", "--el", "--ef", "--eu", "--eia", "--ela", "--esa", "-e"}


class BadIntent(Exception):
    """The arguments can't be an intent; the text is Android's."""


@dataclass
class Intent:
    action: str = ""
    data: str = ""
    component: str = ""
    package: str = ""
    type: str = ""
    flags: str = ""
    categories: list[str] = field(default_factory=list[str])
    extras: dict[str, str] = field(default_factory=dict[str, str])
    options: set[str] = field(default_factory=set[str])

    def __str__(self) -> str:
        parts = [
            f"act={self.action}" if self.action else "",
            f"cat=[{','.join(self.categories)}]" if self.categories else "",
            f"dat={redact_uri(self.data)}" if self.data else "",
            f"typ={self.type}" if self.type else "",
            f"flg={self.flags}" if self.flags else "",
            f"pkg={self.package}" if self.package else "",
            f"cmp={to_short_component(self.component)}" if self.component else "",
            "(has extras)" if self.extras else "",
        ]
        return "Intent { " + " ".join(part for part in parts if part) + " }"


def read_intent(args: list[str]) -> Intent:
    intent = Intent()
    words = iter(args)
    for word in words:
        if word in EXTRAS:
            key = _take_value(words, word)
            intent.extras[key] = _take_value(words, word)
        elif word in VALUED:
            _set_option(intent, word, _take_value(words, word))
        elif word.startswith("-"):
            intent.options.add(word)
        elif ":" in word:
            intent.data = word
        elif "/" in word:
            intent.component = word
        else:
            intent.package = word
    if not intent.action and intent.data:
        intent.action = VIEW
    return intent


def _take_value(words: Iterator[str], option: str) -> str:
    value = next(words, None)
    if value is None:
        raise BadIntent(f'Argument expected after "{option}"')
    return value


def _set_option(intent: Intent, option: str, value: str) -> None:
    match option:
        case "-a":
            intent.action = value
        case "-d":
            intent.data = value
        case "-t":
            intent.type = value
        case "-c":
            intent.categories.append(value)
        case "-n":
            if "/" not in value:
                raise BadIntent(f"Bad component name: {value}")
            intent.component = value
        case "-p":
            intent.package = value
        case "-f":
            try:
                intent.flags = hex(int(value, 0))
            except ValueError:
                raise BadIntent(f"Bad flags: {value}") from None
        case _:
            pass  # users, displays and window modes: this phone has one of each


def redact_uri(uri: str) -> str:
    """Return a URI as Android logs it: with hosts, without paths and numbers."""
    scheme, _, rest = uri.partition(":")
    if scheme in ("http", "https", "ftp", "rtsp"):
        return f"{scheme}://{rest.removeprefix('//').split('/')[0]}/..."
    if scheme in ("tel", "sip", "sms", "smsto", "mailto"):
        return f"{scheme}:{re.sub(r'[^-@.]', 'x', rest)}"
    return uri


def to_full_activity(package: str, activity: str) -> str:
    return package + activity if activity.startswith(".") else activity


def to_short_activity(package: str, activity: str) -> str:
    return activity.removeprefix(package) if activity.startswith(package + ".") else activity


def to_short_component(component: str) -> str:
    package, _, activity = component.partition("/")
    return f"{package}/{to_short_activity(package, activity)}"


def list_installed(phone: Phone) -> list[Package]:
    """Return the apps with screens, and the keyboards, which have none."""
    keyboards = [Package(*_to_package(ime)) for ime in phone.imes]
    return [*phone.apps.list_packages(), *keyboards]


def _to_package(ime: str) -> tuple[str, str, str, str, bool]:
    package, _, service = ime.partition("/")
    return package, package, package, service, "adbkeyboard" not in package


def list_launchable(phone: Phone) -> list[Package]:
    """Return the packages that have an icon on the launcher."""
    shown = {app.package for app in phone.apps.list_launchable()}
    return [package for package in phone.apps.list_packages() if package.name in shown]


def find_package(phone: Phone, name: str) -> Package | None:
    return next((package for package in list_installed(phone) if package.name == name), None)


def resolve_intent(phone: Phone, intent: Intent) -> Package | None:
    """Return the app that an intent without a component starts."""
    if HOME in intent.categories:
        return find_package(phone, phone.skin.home)
    if intent.package:
        return next((package for package in list_launchable(phone) if package.name == intent.package), None)
    wanted = ""
    if intent.data:
        wanted = SCHEMES.get(intent.data.partition(":")[0], "")
    for prefix, name in ACTIONS.items():
        if intent.action.startswith(prefix):
            wanted = name
    for category in intent.categories:
        wanted = CATEGORIES.get(category, wanted)
    if not wanted:
        return None
    # by the names that the apps are written with: a maker's own tell nothing of what they are for
    answering = (app for app in phone.apps.by_package.values() if wanted in type(app).package.lower())
    app = next(answering, None)
    return find_package(phone, app.package) if app else None
