"""One phone that adb sees, as a Device: reads it with screencap and uiautomator, acts with `input` and `am`."""

import asyncio
import math
import re
from collections.abc import AsyncIterator

from deskhand.core import actions
from deskhand.core.actions import Action, ActionKind
from deskhand.core.errors import DeviceLocked, DeviceOffline, DeviceSetup, NoElements, NotPossible, UnknownDevice
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock
from deskhand.core.screen import AppInfo, DeviceInfo, Element, Frame
from deskhand.core.stop_outcome import complete_outcome
from deskhand.devices.android.adb.client import AdbClient, ListedPhone
from deskhand.devices.android.app_icons import AppIcons
from deskhand.devices.android.apps import PhoneApps
from deskhand.devices.android.elements import read_elements
from deskhand.devices.android.foreground import read_foreground
from deskhand.devices.android.frames import CaptureMethod, ScreenCapture
from deskhand.devices.android.keys import BACK, HOME, SHORTCUTS, to_key_codes
from deskhand.devices.android.phone_shell import PhoneShell
from deskhand.devices.android.scrolling import SWIPE_SHARE, find_scroll_area, plan_stroke, start_strokes_at
from deskhand.devices.android.typing import COMBINATIONS_SINCE, AndroidTyper
from deskhand.devices.click_test import TOLERANCE_PX, check_points

CAPABILITIES: frozenset[ActionKind] = frozenset(
    {
        "click", "double_click", "long_press", "drag", "swipe", "scroll", "type", "key", "hotkey", "open_app",
        "open_url", "back", "home",
    }
)  # fmt: skip

DUMP = "/data/local/tmp/deskhand.xml"
# uiautomator itself gives up on a screen that keeps changing after 10 seconds.
DUMP_S = 25.0
ATTACH_S = 5.0
POLL_S = 0.1
OVERRIDE = re.compile(r"Override size: (\d+)x(\d+)")
TRANSIENT_STATES = {"authorizing", "connecting", "offline"}
SCROLL_MS = 400


class AndroidDevice:
    """Remembers how the screen is best captured, and the elements read since the last action."""

    def __init__(
        self, shell: PhoneShell, clock: Clock, name: str, sdk: int, method: CaptureMethod | None = None
    ) -> None:
        self._name = name
        self._shell = shell
        self._sdk = sdk
        self._capture = ScreenCapture(shell, clock, method)
        self._apps = PhoneApps(shell, clock, AppIcons(shell, clock, self._dump_elements))
        self._typer = AndroidTyper(shell, clock, self._dump_elements, sdk)
        self._dumping = asyncio.Lock()
        self._size: tuple[int, int] | None = None
        self._seen: tuple[Element, ...] | None = None

    @property
    def id(self) -> str:
        return self._name

    @property
    def capabilities(self) -> frozenset[ActionKind]:
        return CAPABILITIES

    # --- looking ------------------------------------------------------------------------------------------------

    async def frame(self) -> Frame:
        frame = await self._capture.take_frame()
        if frame.secure and (await read_foreground(self._shell)).asleep:
            raise DeviceLocked(f"The screen of the phone {self._shell.serial} is off: wake the phone and unlock it.")
        self._size = frame.size
        return frame

    async def elements(self) -> tuple[Element, ...]:
        self._seen = await self._dump_elements()
        return self._seen

    async def _dump_elements(self) -> tuple[Element, ...]:
        """Read the elements in one round trip. The old dump is removed first: a failed dump must not return it."""
        async with self._dumping:  # uiautomator can run only once at a time
            result = await self._shell.run_command(f"rm -f {DUMP}; uiautomator dump {DUMP} >&2; cat {DUMP}", DUMP_S)
        if b"<hierarchy" in result.stdout:
            return read_elements(result.stdout)
        if b"idle state" in result.stderr:
            raise NoElements("The elements can't be read: the screen keeps changing.")
        if b"null root" in result.stderr:
            raise NoElements("The elements can't be read: the window in front has none.")
        raise NoElements(f"The elements can't be read: {result.complaint}.")

    async def app(self) -> AppInfo:
        front = await read_foreground(self._shell)
        if front.locked or front.asleep:
            raise DeviceLocked(f"The phone {self._shell.serial} is locked: unlock it and keep its screen on.")
        at_home = front.package in await self._apps.list_home_packages()
        return AppInfo(front.package, front.activity, at_home=at_home, clock=front.clock)

    async def apps(self) -> tuple[str, ...]:
        return await self._apps.list_names()

    def changes(self) -> AsyncIterator[None] | None:
        return None

    # --- acting -------------------------------------------------------------------------------------------------

    async def act(self, action: Action) -> str:
        seen, self._seen = self._seen, None
        check_points(action, self._size)
        try:
            return await self._send_action(action, seen)
        except asyncio.CancelledError as stop:
            complete_outcome(stop, action)
            raise

    async def _send_action(self, action: Action, seen: tuple[Element, ...] | None) -> str:
        match action:
            case actions.Type():
                return await self._typer.type_text(action, seen)
            case actions.OpenApp():
                return await self._apps.open_app(action.name)
            case actions.OpenUrl():
                await self._apps.open_url(action.url)
            case actions.Scroll():
                await self._scroll_pages(action, seen)
            case actions.Hotkey():
                await self._press_keys(*action.keys)
            case actions.Key():
                await self._press_keys(action.key)
            case actions.Back():
                await self._shell.press_keys(BACK)
            case actions.Home():
                await self._shell.press_keys(HOME)
            case _:
                await self._perform_gesture(action)
        return ""

    async def _perform_gesture(self, action: Action) -> None:
        match action:
            case actions.Click(x=x, y=y):
                await self._shell.run_checked(f"input tap {x} {y}")
            case actions.DoubleClick(x=x, y=y):
                await self._shell.run_checked(f"input tap {x} {y} && input tap {x} {y}")
            case actions.LongPress(x=x, y=y, duration_ms=ms):
                await self._send_swipe((x, y), (x, y), ms)
            case actions.Swipe(x=x, y=y, to_x=to_x, to_y=to_y, duration_ms=ms):
                await self._send_swipe((x, y), (to_x, to_y), ms)
            case actions.Drag(x=x, y=y, to_x=to_x, to_y=to_y, duration_ms=ms):
                await self._send_swipe((x, y), (to_x, to_y), ms, "draganddrop")
            case _:
                raise NotPossible(f"A phone can't do {action.kind.replace('_', ' ')!r}.")

    async def _send_swipe(self, start: tuple[int, int], end: tuple[int, int], ms: int, word: str = "swipe") -> None:
        """Move a finger. When cancelled, lift it: the system drops the rest of the gesture."""
        lift = f"input motionevent CANCEL {start[0]} {start[1]} || input motionevent UP {start[0]} {start[1]}"
        command = f"input {word} {start[0]} {start[1]} {end[0]} {end[1]} {ms}"
        await self._shell.run_checked(command, 30 + ms / 1000, lift)

    async def _scroll_pages(self, action: actions.Scroll, seen: tuple[Element, ...] | None) -> None:
        width, height = self._size or (await self.frame()).size
        point = (action.x, action.y) if action.x is not None and action.y is not None else (width // 2, height // 2)
        area = find_scroll_area(point, seen or (), Rect(0, 0, width, height))
        times = math.ceil(action.pages / SWIPE_SHARE)
        start, end = plan_stroke(action.direction, action.pages / times, point, area)
        if seen is None and action.x is not None:
            start, end, times = start_strokes_at(point, start, end, times, area)
        for _ in range(times):
            await self._send_swipe(start, end, SCROLL_MS)

    async def _press_keys(self, *keys: str) -> None:
        codes = to_key_codes(keys)
        if len(codes) == 1:
            await self._shell.press_keys(codes[0])
        elif tuple(codes) in SHORTCUTS:
            await self._shell.press_keys(SHORTCUTS[codes[0], codes[1]])
        elif self._sdk >= COMBINATIONS_SINCE:
            await self._shell.run_checked("input keycombination " + " ".join(map(str, codes)))
        else:
            raise NotPossible("Keys can't be pressed together on this phone: that needs Android 12 or later.")

    async def close(self) -> None:
        """Wait until the user's keyboard is restored; the adb server keeps running for others."""
        await self._typer.wait_for_keyboard()


# --- finding and attaching --------------------------------------------------------------------------------------


async def list_phone_infos(adb: AdbClient) -> list[DeviceInfo]:
    """Return every phone adb sees, usable or not; `detail` is its model, or what to do about its state."""
    return [
        DeviceInfo(f"android:{phone.serial}", "android", phone.state, str(phone.fault))
        if phone.fault
        else DeviceInfo(f"android:{phone.serial}", "android", "ready", phone.model)
        for phone in await adb.list_phones()
    ]


async def attach_phone(
    serial: str, *, adb: AdbClient, clock: Clock, name: str = "", method: CaptureMethod | None = None
) -> AndroidDevice:
    """Attach to a phone by serial, or by `host:port` over Wi-Fi; raises the typed error for its state.

    `name` is the device's id if that is not `android:SERIAL`; `method` is how to capture its screen, if known.
    """
    phone = await _wait_for_phone(serial, adb, clock)
    if phone.fault is not None:
        raise phone.fault
    shell = PhoneShell(adb, serial, clock)
    facts = (await shell.read_output("getprop ro.build.version.sdk; getprop sys.boot_completed; wm size")).splitlines()
    sdk, booted, *sizes = [*facts, "", ""]
    if booted != "1":
        raise DeviceOffline(f"The phone {serial} is still starting up: try again in a minute.")
    device = AndroidDevice(shell, clock, name or f"android:{serial}", int(sdk) if sdk.isdecimal() else 0, method)
    await device.app()  # raises if the phone is locked
    if override := OVERRIDE.search("\n".join(sizes)):
        check_size(serial, (int(override[1]), int(override[2])), (await device.frame()).size)
    return device


def check_size(serial: str, touched: tuple[int, int], seen: tuple[int, int]) -> None:
    """Raise DeviceSetup if touches would miss: they use the size set by `wm size`, but some phones' pictures don't."""
    off = max(abs(one - other) for one, other in zip(sorted(touched), sorted(seen), strict=True))
    if off > TOLERANCE_PX:
        raise DeviceSetup(
            f"Touches on the phone {serial} would land up to {off} px off: it is set to {touched[0]}×{touched[1]}, "
            f"but its pictures are {seen[0]}×{seen[1]}. Run `adb -s {serial} shell wm size reset`."
        )


async def _wait_for_phone(serial: str, adb: AdbClient, clock: Clock) -> ListedPhone:
    """Return the phone as adb lists it, connected first if it is an address; waits while its state is transient."""
    deadline = clock.now() + ATTACH_S
    if re.fullmatch(r"\S+:\d+", serial) and serial not in {phone.serial for phone in await adb.list_phones()}:
        await adb.connect_address(serial)
    while True:
        phones = await adb.list_phones()
        phone = next((each for each in phones if each.serial == serial), None)
        if phone is None:
            known = ", ".join(each.serial for each in phones) or "none"
            raise UnknownDevice(f"adb sees no phone {serial}: check the cable and the name. Phones it sees: {known}.")
        if phone.state not in TRANSIENT_STATES or clock.now() >= deadline:
            return phone
        await clock.sleep(POLL_S)
