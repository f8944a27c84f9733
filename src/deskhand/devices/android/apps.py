"""Finds an installed app by the name a user says, starts it, and waits until it is in front."""

import re
import shlex
from collections.abc import Sequence

from deskhand.app_names import fold_name, load_known_names
from deskhand.core.errors import ActionFailed, AppNotFound, DeviceLocked
from deskhand.core.protocols import Clock
from deskhand.devices.android.app_icons import AppIcons
from deskhand.devices.android.foreground import read_foreground
from deskhand.devices.android.phone_shell import PhoneShell

MAIN = "-a android.intent.action.MAIN -c android.intent.category.LAUNCHER"
# As a launcher starts apps: in a task of their own, brought back as they were left.
LAUNCH_FLAGS = "0x10200000"
COMPONENT = re.compile(r"^\s*([\w.]+)/([\w.$]+)\s*$", re.MULTILINE)
PACKAGE = re.compile(r"^package:([\w.]+)$", re.MULTILINE)
ASKING = re.compile(r"permissioncontroller|packageinstaller|\.lbe\.security|securitypermission")
COMMON_PARTS = {"com", "android", "app", "apps", "google", "org", "net", "cn", "example", "mobile", "client", "www"}
HOME = "-c android.intent.category.HOME -a android.intent.action.MAIN"
# The chooser that comes up while no home screen is the default one.
RESOLVERS = frozenset({"android", "com.android.internal.app"})
# Shown by Settings while the phone starts; no place of its own.
FALLBACK_HOMES = frozenset({"com.android.settings", "com.android.tv.settings"})
# By the folded English name: apps that every phone has under a name of its maker's.
_MAIN_OF = "-a android.intent.action.MAIN -c android.intent.category.APP_"
INTENTS = {
    "settings": "-a android.settings.SETTINGS",
    "clock": "-a android.intent.action.SHOW_ALARMS",
    "camera": "-a android.media.action.STILL_IMAGE_CAMERA",
    "phone": "-a android.intent.action.DIAL",
    "browser": "-a android.intent.action.VIEW -d https://example.com",
    "calculator": f"{_MAIN_OF}CALCULATOR",
    "contacts": f"{_MAIN_OF}CONTACTS",
    "gallery": f"{_MAIN_OF}GALLERY",
    "calendar": f"{_MAIN_OF}CALENDAR",
    "messages": f"{_MAIN_OF}MESSAGING",
    "music": f"{_MAIN_OF}MUSIC",
}
FRONT_S = 10.0
POLL_S = 0.1
CERTAIN = 86.0
NEAR = 50.0
# So many names are told of those that an app may have meant.
SUGGESTED = 8


def names_of(package: str) -> tuple[str, ...]:
    """Return the names a user may call an installed app; an unknown app has only its package name."""
    return load_known_names().get(package) or (package,)


def find_app(name: str, installed: list[str]) -> str | None:
    """Return the installed package that `name` means; None if none, or more than one, is close enough."""
    wanted = fold_name(name)
    for package in installed:
        if name.strip().casefold() == package.casefold():
            return package
    # In the table's order, so that of two clocks the usual one is taken.
    for package in [*(each for each in load_known_names() if each in installed), *installed]:
        if wanted in {fold_name(each) for each in names_of(package)}:
            return package
    part_of = [package for package in installed if any(_is_part_of_name(each, name) for each in names_of(package))]
    if len(part_of) == 1:
        return part_of[0]
    close = [(score, package) for score, package in _score_packages(wanted, installed) if score >= CERTAIN]
    if close and (len(close) == 1 or close[0][0] > close[1][0]):
        return close[0][1]
    return None


def _is_part_of_name(full: str, name: str) -> bool:
    """True if `name` is part of a full name: whole words in English, two or more characters in Chinese."""
    part = name.strip().casefold()
    if part.isascii():
        return bool(re.search(rf"(?<![a-z0-9]){re.escape(part)}(?![a-z0-9])", full.casefold()))
    return len(fold_name(part)) >= 2 and fold_name(part) in fold_name(full)


def suggest_names(name: str, installed: list[str], count: int = SUGGESTED) -> list[str]:
    """Return names of similar apps, else of any installed apps, in the language of `name`."""
    all_names = [names_of(package) for package in (_find_near(name, installed) or installed)[:count]]
    return [next((each for each in names if each.isascii() == name.isascii()), names[0]) for names in all_names]


def describe_missing(name: str, installed: list[str], serial: str, seen: Sequence[str] = ()) -> str:
    """Return the sentence for an app that is not there, with what it may have meant, and not as if that were all.

    `seen`: the labels of the icons, which tell more than the packages that no table knows.
    """
    unknown = all(package not in load_known_names() for package in installed)
    names = ", ".join(seen[:SUGGESTED] if seen and unknown else suggest_names(name, installed))
    if _find_near(name, installed):
        return f"The app {name!r} is not on the phone {serial}. Similar apps on it: {names}."
    if len(installed) > SUGGESTED:
        return f"The app {name!r} is not on the phone {serial}. Some apps on it: {names}."
    return f"The app {name!r} is not on the phone {serial}. Apps on it: {names}."


def _find_near(name: str, installed: list[str]) -> list[str]:
    return [package for score, package in _score_packages(fold_name(name), installed) if score >= NEAR]


def _score_packages(wanted: str, installed: list[str]) -> list[tuple[float, str]]:
    from rapidfuzz import fuzz

    def score_package(package: str) -> float:
        parts = [part for part in package.casefold().split(".") if part not in COMMON_PARTS and len(part) > 2]
        return max(fuzz.ratio(wanted, fold_name(each)) for each in (*names_of(package), *parts))

    return sorted(((score_package(package), package) for package in installed), key=lambda pair: -pair[0])


def list_names_of_same_app(name: str) -> frozenset[str]:
    """Return the folded names under which the launcher may list what the user calls so."""
    wanted = fold_name(name)
    groups = [{fold_name(each) for each in names} for names in load_known_names().values()]
    return frozenset({wanted}.union(*(names for names in groups if wanted in names)))


def find_intent(name: str) -> str:
    """Return the intent that the phone's own app of this kind answers, as arguments of `am`; "" if there is none."""
    wanted = list_names_of_same_app(name)
    return next((intent for word, intent in INTENTS.items() if word in wanted), "")


class PhoneApps:
    """Remembers which apps the phone itself has named: home screens, answers to intents, labels on icons."""

    def __init__(self, shell: PhoneShell, clock: Clock, icons: AppIcons) -> None:
        self._shell = shell
        self._clock = clock
        self._icons = icons
        self._homes: frozenset[str] = frozenset()
        self._named: dict[str, str] = {}
        """The package behind each folded name that the table does not know."""

    async def list_home_packages(self) -> frozenset[str]:
        """Return the packages whose windows are the home screen, as the system resolves its own HOME intent."""
        if not self._homes:
            told = await self._shell.read_output(f"cmd package resolve-activity --brief {HOME}")
            found = {package for package, _ in COMPONENT.findall(told)} - RESOLVERS
            if not found:  # the user has chosen none of several yet
                told = await self._shell.read_output(f"cmd package query-activities --brief {HOME}")
                found = {package for package, _ in COMPONENT.findall(told)} - FALLBACK_HOMES
            self._homes = frozenset(found)
        return self._homes

    async def list_packages(self) -> dict[str, str]:
        """Map each package to the activity its icon starts; to "" if the phone can't tell (before Android 7)."""
        listed = await self._shell.read_output(f"cmd package query-activities --brief {MAIN}")
        found: dict[str, str] = {}
        for package, activity in COMPONENT.findall(listed):
            found.setdefault(package, activity)
        if not found:
            found = dict.fromkeys(PACKAGE.findall(await self._shell.read_output("pm list packages")), "")
        return found

    async def list_names(self) -> tuple[str, ...]:
        packages = await self.list_packages()
        return tuple(dict.fromkeys(name for package in packages for name in names_of(package)))

    async def open_app(self, name: str) -> str:
        installed = await self.list_packages()
        package = await self._find_package(name, installed)
        if package is None:
            return await self._open_by_icon(name, installed)
        await self._start_app(name, package, installed[package])
        return await self._wait_until_in_front(name, package)

    async def _find_package(self, name: str, installed: dict[str, str]) -> str | None:
        """Return the package by the table of well-known names, by what the phone has said, or by its intents."""
        if package := find_app(name, list(installed)) or self._named.get(fold_name(name)):
            return package if package in installed else None
        if intent := find_intent(name):
            told = COMPONENT.findall(await self._shell.read_output(f"cmd package resolve-activity --brief {intent}"))
            answering = [package for package, _ in told if package in installed]
            if answering:
                self._named[fold_name(name)] = answering[-1]
                return answering[-1]
        return None

    async def _open_by_icon(self, name: str, installed: dict[str, str]) -> str:
        """Touch the icon of that name: only the launcher knows an app's label, `cmd package` does not tell it.

        Looking for it leads to the home screen; without such an icon, the app that was in front comes back.
        """
        before = (await read_foreground(self._shell)).package
        seen = await self._icons.touch_icon(list_names_of_same_app(name), await self.list_home_packages())
        if seen is not None:
            if before in installed:
                await self._start_app(before, before, installed[before])
                await self._wait_until_in_front(before, before)
            raise AppNotFound(describe_missing(name, list(installed), self._shell.serial, seen))
        front = await self._wait_until_away(name)
        self._named[fold_name(name)] = front
        return f"{name} is in front"

    async def _wait_until_away(self, name: str) -> str:
        """Return the package that came to the front in place of the home screen."""
        deadline = self._clock.now() + FRONT_S
        while True:
            front = await read_foreground(self._shell)
            if front.package and front.package not in await self.list_home_packages():
                return front.package
            if self._clock.now() >= deadline:
                raise AppNotFound(f"The icon {name!r} was touched, but nothing came to the front.")
            await self._clock.sleep(POLL_S)

    async def _start_app(self, name: str, package: str, activity: str) -> None:
        if activity:
            component = shlex.quote(f"{package}/{activity}")
            result = await self._shell.run_to_end(f"am start {MAIN} -f {LAUNCH_FLAGS} -n {component}")
        else:
            result = await self._shell.run_to_end(f"monkey -p {package} -c android.intent.category.LAUNCHER 1")
        if result.code or "Error:" in result.all_text or "monkey aborted" in result.all_text:
            raise AppNotFound(f"The app {name!r} ({package}) could not be started: {result.complaint}.")

    async def _wait_until_in_front(self, name: str, package: str) -> str:
        deadline = self._clock.now() + FRONT_S
        while True:
            front = await read_foreground(self._shell)
            if front.locked:
                raise DeviceLocked(f"The phone {self._shell.serial} is locked: unlock it and keep its screen on.")
            if front.package == package:
                return f"{name} is in front"
            if ASKING.search(front.package):
                return f"{name} asks for a permission"
            if self._clock.now() >= deadline:
                raise AppNotFound(
                    f"The app {name!r} ({package}) was started but did not come to the front "
                    f"within {FRONT_S:.0f} seconds; {front.package or 'nothing'} is in front."
                )
            await self._clock.sleep(POLL_S)

    async def open_url(self, url: str) -> None:
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", url) or re.match(r"[\w.-]+:\d+(/|$)", url):
            url = f"https://{url}"
        result = await self._shell.run_to_end(f"am start -a android.intent.action.VIEW -d {shlex.quote(url)}")
        if result.code or "Error:" in result.all_text:
            raise ActionFailed(f"No app on the phone {self._shell.serial} can open {url}: {result.complaint}.")
