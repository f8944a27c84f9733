"""Any phone that adb sees, as a Device: looks by screencap and uiautomator, acts by `input` and `am`."""

import asyncio
import math
import re
from collections.abc import AsyncIterator

from deskhand.core import actions as words
from deskhand.core.actions import Action, ActionKind
from deskhand.core.errors import DeviceLocked, DeviceOffline, DeviceSetup, NoElements, NotPossible, UnknownDevice
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Clock
from deskhand.core.screen import AppInfo, DeviceInfo, Element, Frame
from deskhand.devices.android.adb.client import AdbClient, Listed
from deskhand.devices.android.apps import Apps
from deskhand.devices.android.elements import read_elements
from deskhand.devices.android.foreground import look_at_front
from deskhand.devices.android.frames import Capture, Way
from deskhand.devices.android.keys import BACK, HOME, SHORTCUTS, combination
from deskhand.devices.android.phone_shell import Line
from deskhand.devices.android.typing import COMBINATIONS_SINCE, Typist
from deskhand.devices.click_test import TOLERANCE_PX

CAPABILITIES: frozenset[ActionKind] = frozenset(
    {
        "click", "double_click", "long_press", "drag", "swipe", "scroll", "type", "key", "hotkey", "open_app",
        "open_url", "back", "home",
    }
)  # fmt: skip

DUMP = "/data/local/tmp/deskhand.xml"
# uiautomator itself gives up on a restless screen after 10 seconds.
DUMP_S = 25.0
ATTACH_S = 5.0
POLL_S = 0.1
OVERRIDE = re.compile(r"Override size: (\d+)x(\d+)")
PASSING_STATES = {"authorizing", "connecting", "offline"}
# A swipe stays clear of the edges, where Android's own gestures begin, and covers at most this share.
MARGIN = 0.12
SWIPE_SHARE = 0.6
SCROLL_MS = 400
# A stroke that would have to be shorter than this share of the wanted one starts elsewhere instead.
LEAST_STROKE = 0.2


class AndroidDevice:
    """One phone. Keeps how its screen is best captured, and what was last seen on it."""

    def __init__(self, line: Line, clock: Clock, name: str, sdk: int, way: Way | None = None) -> None:
        self._name = name
        self._line = line
        self._sdk = sdk
        self._capture = Capture(line, clock, way)
        self._apps = Apps(line, clock)
        self._typist = Typist(line, clock, self._dump, sdk)
        self._dumping = asyncio.Lock()
        self._size: tuple[int, int] | None = None
        self._seen: tuple[Element, ...] | None = None  # since the last action

    @property
    def id(self) -> str:
        return self._name

    @property
    def capabilities(self) -> frozenset[ActionKind]:
        return CAPABILITIES

    @property
    def capture_way(self) -> str | None:
        """How pictures are taken: raw, gzip or png; None before the first one."""
        return self._capture.way

    # --- seeing -------------------------------------------------------------------------------------------------

    async def frame(self) -> Frame:
        frame = await self._capture.frame()
        if frame.secure and (await look_at_front(self._line)).asleep:
            raise DeviceLocked(f"The screen of the phone {self._line.serial} is off: wake and unlock it.")
        self._size = frame.size
        return frame

    async def elements(self) -> tuple[Element, ...]:
        self._seen = await self._dump()
        return self._seen

    async def _dump(self) -> tuple[Element, ...]:
        """One round trip. The old dump is removed first: a failed one must not show yesterday's screen."""
        async with self._dumping:  # uiautomator can run only once at a time
            result = await self._line.run(f"rm -f {DUMP}; uiautomator dump {DUMP} >&2; cat {DUMP}", DUMP_S)
        if b"<hierarchy" in result.stdout:
            return read_elements(result.stdout)
        said = result.stderr.decode("utf-8", "replace")
        if "idle state" in said:
            raise NoElements("The elements can't be listed: the screen never rests.")
        if "null root" in said:
            raise NoElements("The elements can't be listed: the window in front shows none.")
        raise NoElements(f"The elements can't be listed: {result.complaint}.")

    async def app(self) -> AppInfo:
        front = await look_at_front(self._line)
        if front.locked or front.asleep:
            raise DeviceLocked(f"The phone {self._line.serial} is locked: unlock it and keep its screen on.")
        return AppInfo(front.package, front.activity)

    async def apps(self) -> tuple[str, ...]:
        return await self._apps.names()

    def changes(self) -> AsyncIterator[None] | None:
        return None

    # --- acting -------------------------------------------------------------------------------------------------

    async def act(self, action: Action) -> str:
        seen, self._seen = self._seen, None
        self._check_points(action)
        match action:
            case words.Type():
                return await self._typist.type(action, seen)
            case words.OpenApp():
                return await self._apps.open(action.name)
            case words.OpenUrl():
                await self._apps.open_url(action.url)
            case words.Scroll():
                await self._scroll(action, seen)
            case words.Hotkey():
                await self._press(*action.keys)
            case words.Key():
                await self._press(action.key)
            case words.Back():
                await self._line.keys(BACK)
            case words.Home():
                await self._line.keys(HOME)
            case _:
                await self._touch(action)
        return ""

    async def _touch(self, action: Action) -> None:
        match action:
            case words.Click(x=x, y=y):
                await self._line.do(f"input tap {x} {y}")
            case words.DoubleClick(x=x, y=y):
                await self._line.do(f"input tap {x} {y} && input tap {x} {y}")
            case words.LongPress(x=x, y=y, duration_ms=ms):
                await self._swipe((x, y), (x, y), ms)
            case words.Swipe(x=x, y=y, to_x=to_x, to_y=to_y, duration_ms=ms):
                await self._swipe((x, y), (to_x, to_y), ms)
            case words.Drag(x=x, y=y, to_x=to_x, to_y=to_y, duration_ms=ms):
                await self._swipe((x, y), (to_x, to_y), ms, "draganddrop")
            case _:
                raise NotPossible(f"A phone can't do {action.kind.replace('_', ' ')!r}.")

    async def _swipe(self, start: tuple[int, int], end: tuple[int, int], ms: int, word: str = "swipe") -> None:
        await self._line.do(f"input {word} {start[0]} {start[1]} {end[0]} {end[1]} {ms}", 30 + ms / 1000)

    async def _scroll(self, action: words.Scroll, seen: tuple[Element, ...] | None) -> None:
        width, height = self._size or (await self.frame()).size
        point = (action.x, action.y) if action.x is not None and action.y is not None else (width // 2, height // 2)
        area = scroll_area(point, seen or (), Rect(0, 0, width, height))
        times = math.ceil(action.pages / SWIPE_SHARE)
        start, end = scroll_path(action.direction, action.pages / times, point, area)
        if seen is None and action.x is not None:
            start, end, times = strokes_from(point, start, end, times, area)
        for _ in range(times):
            await self._swipe(start, end, SCROLL_MS)

    async def _press(self, *keys: str) -> None:
        codes = combination(keys)
        if len(codes) == 1:
            await self._line.keys(codes[0])
        elif tuple(codes) in SHORTCUTS:
            await self._line.keys(SHORTCUTS[codes[0], codes[1]])
        elif self._sdk >= COMBINATIONS_SINCE:
            await self._line.do("input keycombination " + " ".join(map(str, codes)))
        else:
            raise NotPossible("This phone's Android is too old to press keys together; 12 or later is needed.")

    def _check_points(self, action: Action) -> None:
        if self._size is None:
            return
        width, height = self._size
        for x, y in words.points_of(action):
            if x >= width or y >= height:
                raise NotPossible(f"The point ({x}, {y}) is outside of the screen, which is {width}×{height}.")

    async def close(self) -> None:
        """Leave the phone as it was found; the adb server keeps running for others."""
        await self._typist.settle_keyboard()


def scroll_area(point: tuple[int, int], seen: tuple[Element, ...], screen: Rect) -> Rect:
    """The smallest scrollable thing at the point, else the screen; without the screen's edges."""
    edge_x, edge_y = int(screen.width * MARGIN), int(screen.height * MARGIN)
    inner = Rect(edge_x, edge_y, screen.right - edge_x, screen.bottom - edge_y)
    around = [each.bounds for each in seen if each.scrollable and each.bounds.contains(*point)]
    area = min(around, key=lambda each: each.area, default=screen).intersect(inner)
    return area if area.width > edge_x and area.height > edge_y else inner


def scroll_path(
    direction: words.Direction, share: float, point: tuple[int, int], area: Rect
) -> tuple[tuple[int, int], tuple[int, int]]:
    """From where to where a finger goes to reveal what lies in `direction`, through the point if there is room."""
    across = direction in ("left", "right")
    low, high = (area.left, area.right - 1) if across else (area.top, area.bottom - 1)
    length = int((high - low) * share)
    middle = min(max(point[0] if across else point[1], low + length // 2), high - length // 2)
    near, far = middle - length // 2, middle + length // 2
    start, end = (far, near) if direction in ("down", "right") else (near, far)
    if across:
        y = min(max(point[1], area.top), area.bottom - 1)
        return (start, y), (end, y)
    x = min(max(point[0], area.left), area.right - 1)
    return (x, start), (x, end)


def strokes_from(
    point: tuple[int, int], start: tuple[int, int], end: tuple[int, int], times: int, area: Rect
) -> tuple[tuple[int, int], tuple[int, int], int]:
    """The same way for a finger that starts on the point, in more and shorter strokes where room is short.

    For a screen whose elements are not known: whatever scrolls at the point follows only what starts on it.
    """
    across, down = end[0] - start[0], end[1] - start[1]
    to_x = min(max(point[0] + across, area.left), area.right - 1)
    to_y = min(max(point[1] + down, area.top), area.bottom - 1)
    wanted, got = abs(across) + abs(down), abs(to_x - point[0]) * bool(across) + abs(to_y - point[1]) * bool(down)
    if got < wanted * LEAST_STROKE:
        return start, end, times
    place = (to_x if across else point[0], to_y if down else point[1])
    return point, place, math.ceil(times * wanted / got)


# --- finding and attaching --------------------------------------------------------------------------------------


async def list_phones(adb: AdbClient) -> list[DeviceInfo]:
    """Every phone adb sees, usable or not; the detail says what it is or what to do about it."""
    return [
        DeviceInfo(
            id=f"android:{phone.serial}",
            kind="android",
            state="ready" if phone.trouble is None else phone.state,
            detail=phone.model if phone.trouble is None else str(phone.trouble),
        )
        for phone in await adb.devices()
    ]


async def connect(
    serial: str, *, adb: AdbClient, clock: Clock, name: str = "", way: Way | None = None
) -> AndroidDevice:
    """Attach to a phone by serial, or by `host:port` over Wi-Fi; raises the typed error for its state.

    `name` is the id it goes by, when that is not `android:SERIAL`; `way` how its pictures come, when that is known.
    """
    phone = await _attach(serial, adb, clock)
    if phone.trouble is not None:
        raise phone.trouble
    line = Line(adb, serial)
    facts = (await line.text("getprop ro.build.version.sdk; getprop sys.boot_completed; wm size")).splitlines()
    sdk, booted, *sizes = [*facts, "", ""]
    if booted != "1":
        raise DeviceOffline(f"The phone {serial} is still starting: try again in a moment.")
    device = AndroidDevice(line, clock, name or f"android:{serial}", int(sdk) if sdk.isdecimal() else 0, way)
    await device.app()  # a locked phone is of no use
    if override := OVERRIDE.search("\n".join(sizes)):
        check_size(serial, (int(override[1]), int(override[2])), (await device.frame()).size)
    return device


def check_size(serial: str, touched: tuple[int, int], seen: tuple[int, int]) -> None:
    """Touches are counted on the size a phone was told to have; pictures, on some phones, on its panel's own."""
    off = max(abs(one - other) for one, other in zip(sorted(touched), sorted(seen), strict=True))
    if off > TOLERANCE_PX:
        raise DeviceSetup(
            f"A touch on the phone {serial} would land up to {off} px off: it is set to {touched[0]}×{touched[1]}, "
            f"but its pictures are {seen[0]}×{seen[1]}. Undo that by `adb -s {serial} shell wm size reset`."
        )


async def _attach(serial: str, adb: AdbClient, clock: Clock) -> Listed:
    """The phone's entry in adb's list, connected first if it is an address; passing states are waited out."""
    deadline = clock.now() + ATTACH_S
    phones = await adb.devices()
    if re.fullmatch(r"\S+:\d+", serial) and serial not in {phone.serial for phone in phones}:
        await adb.connect(serial)
        phones = await adb.devices()
    while True:
        phone = next((each for each in phones if each.serial == serial), None)
        if phone is None:
            known = ", ".join(each.serial for each in phones) or "none at all"
            raise UnknownDevice(f"adb sees no phone {serial}; it sees {known}.")
        if phone.state not in PASSING_STATES or clock.now() >= deadline:
            return phone
        await clock.sleep(POLL_S)
        phones = await adb.devices()
