"""Connections to the X server: one blocking connection a thread, faults in our words, and the damage signal.

What is asked of the server lives in the other desktop modules; this one owns sockets and threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from mss import MSS
from mss.exception import ScreenShotError
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError, XError
from Xlib.ext import damage
from Xlib.protocol.event import ClientMessage

from deskhand.core.errors import ActionFailed, BadFrame, DeviceGone, DeviceSetup, DeviceTimeout
from deskhand.core.screen import Frame

if TYPE_CHECKING:
    from deskhand.core.protocols import Clock

Result = TypeVar("Result")
_ANSWER_S = 5.0
# What python-xlib raises when there is no server at the other end, or no longer.
DEAD = (ConnectionClosedError, DisplayError, OSError)
# mss only asserts that there is a reply; with a dead server there is none.
_CAPTURE_FAULTS = (ScreenShotError, AssertionError, ValueError)
# The pad byte of a 24-bit visual is whatever the last painter left there; a frame's fourth byte is constant.
_OPAQUE = np.uint32(0xFF000000)


def gone(name: str) -> DeviceGone:
    return DeviceGone(f"The X server {name} is gone: open the desktop again.")


async def opened(name: str, connect: Callable[[], Display]) -> Display:
    """A connection made off the loop."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            return await asyncio.to_thread(connect)
    except TimeoutError:
        raise DeviceTimeout(f"The X server {name} did not answer within {_ANSWER_S:g} s.") from None
    except DEAD:
        raise gone(name) from None


def reachable(name: str) -> bool:
    """Whether a local display is listened at; others are left to the connection itself.

    python-xlib leaks the sockets of a failed attempt, so it only gets to try where somebody answers.
    """
    host, _, number = name.partition(":")
    if host not in ("", "unix"):
        return True
    path = "/tmp/.X11-unix/X" + number.partition(".")[0]
    for address in (path, "\0" + path):
        with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
            probe.settimeout(_ANSWER_S)
            probe.connect(address)
            return True
    return False


def connect(name: str) -> Display:
    """A connection that keeps quiet: a request about a window that has just gone is no news."""
    if not reachable(name):
        raise ConnectionRefusedError(f"nothing listens at {name}")
    display = Display(name)
    display.set_error_handler(lambda _error, _request: None)
    return display


class XThread:
    """One connection on one thread of its own, so that a stuck server never holds up the event loop."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"x11-{name}")
        self._display: Display | None = None
        self._closed = False

    async def open(self) -> None:
        await self._call(self._connect)

    def _connect(self) -> None:
        try:
            self._display = connect(self.name)
        except DEAD as error:
            raise DeviceSetup(f"The X display {self.name!r} can't be opened: {error}. Check DISPLAY.") from None

    async def run(self, job: Callable[[Display], Result]) -> Result:
        """The job's result; a dead server is DeviceGone, a silent one DeviceTimeout, a refusal ActionFailed."""
        if self._closed or self._display is None:
            raise DeviceGone("The desktop is closed.")
        display = self._display
        return await self._call(lambda: job(display))

    def post(self, job: Callable[[Display], object]) -> None:
        """Do it after what is under way, with nobody waiting: for what has to happen even in a cancelled action."""
        display = self._display
        if display is not None and not self._closed:
            self._pool.submit(job, display)

    async def _call(self, job: Callable[[], Result]) -> Result:
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await asyncio.get_running_loop().run_in_executor(self._pool, job)
        except TimeoutError:
            raise DeviceTimeout(f"The X server {self.name} did not answer within {_ANSWER_S:g} s.") from None
        except DEAD:
            raise gone(self.name) from None
        except XError as error:
            raise ActionFailed(f"The X server refused: {type(error).__name__}.") from None

    async def close(self) -> None:
        self._closed = True
        if self._display is not None:
            # Wakes a thread that waits for a silent server; the server frees what belongs to the connection.
            hang_up(self._display)
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)


def hang_up(display: Display) -> None:
    connection: socket.socket = display.display.socket
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the server went first
    finally:
        connection.close()


class Camera:
    """Shared-memory pictures of the whole root window, all monitors, pixels as the server keeps them."""

    def __init__(self, name: str, clock: Clock) -> None:
        self._name = name
        self._clock = clock
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"x11-camera-{name}")
        self._mss: MSS | None = None
        self.stale = False

    async def frame(self) -> Frame:
        try:
            async with asyncio.timeout(_ANSWER_S):
                return await asyncio.get_running_loop().run_in_executor(self._pool, self._grab)
        except TimeoutError:
            raise DeviceTimeout(f"The X server {self._name} gave no picture within {_ANSWER_S:g} s.") from None
        except RuntimeError as error:
            raise DeviceGone("The desktop is closed.") from error

    def _grab(self) -> Frame:
        try:
            return self._shoot()
        except _CAPTURE_FAULTS:
            # The screen may have been made smaller a moment ago; a new look at it tells.
            self._drop()
        try:
            return self._shoot()
        except _CAPTURE_FAULTS as error:
            self._drop()
            if reachable(self._name):
                raise BadFrame(f"The screen can't be captured: {error}.") from None
            raise gone(self._name) from None

    def _shoot(self) -> Frame:
        if self.stale:
            self._drop()
        if self._mss is None:
            self._mss = MSS(display=self._name)
        box = self._mss.monitors[0]
        words = np.frombuffer(self._mss.grab(box).raw, np.uint32)
        np.bitwise_or(words, _OPAQUE, out=words)
        pixels = words.view(np.uint8).reshape(box["height"], box["width"], 4)
        pixels.setflags(write=False)
        return Frame(pixels, "BGRA", self._clock.now())

    def _drop(self) -> None:
        self.stale = False
        # Forgotten first: closing a dead connection raises after it was freed, and freeing it twice aborts.
        camera, self._mss = self._mss, None
        if camera is not None:
            with contextlib.suppress(ScreenShotError):
                camera.close()

    async def close(self) -> None:
        with contextlib.suppress(RuntimeError):  # closed before
            self._pool.submit(self._drop)
        self._pool.shutdown(wait=False)


class Damage:
    """Wakes those who wait for the picture to change. Silent on the wire while nobody waits."""

    def __init__(self, name: str, on_resize: Callable[[], None]) -> None:
        self._name = name
        self._on_resize = on_resize
        self._display: Display | None = None
        self._damage = 0
        self._bells: set[asyncio.Event] = set()
        self._dead = False

    async def open(self) -> None:
        self._display = await opened(self._name, self._connect)
        asyncio.get_running_loop().add_reader(self._display.display.socket, self._read)

    def _connect(self) -> Display:
        display = connect(self._name)
        if not display.has_extension("DAMAGE"):
            display.close()
            raise DeviceSetup(f"The X server {self._name} has no DAMAGE extension: start it with one.")
        display.damage_query_version()
        root = display.screen().root
        root.change_attributes(event_mask=X.StructureNotifyMask)
        self._damage = root.damage_create(damage.DamageReportNonEmpty)
        self._echo = root.create_window(-1, -1, 1, 1, 0, X.CopyFromParent)
        display.sync()
        return display

    def _read(self) -> None:
        """Also after each flush: python-xlib takes in what came meanwhile, and nothing on the socket tells of it."""
        while (display := self._display) is not None and self._heard(display):
            pass

    def _heard(self, display: Display) -> bool:
        """Whether anything came."""
        try:
            events = {display.next_event().type for _ in range(display.pending_events())}
        except DEAD:
            self._dead = True
            self._stop()
            self._ring()
            return False
        if X.ConfigureNotify in events:
            self._on_resize()
        if X.ClientMessage in events:
            self._ring()
        if self._bells and events - {X.ClientMessage}:
            self._arm(display, echo=True)
        return bool(events)

    def _ring(self) -> None:
        for bell in self._bells:
            bell.set()

    def _arm(self, display: Display, *, echo: bool) -> None:
        """Ask for the next paint. The echo comes back when the server has done so: whoever looks after it
        misses nothing, for a paint from then on is an event of its own."""
        display.damage_subtract(self._damage)
        if echo:
            self._echo.send_event(ClientMessage(window=self._echo, client_type=Xatom.STRING, data=(8, b"\0" * 20)))
        display.flush()

    async def changes(self) -> AsyncIterator[None]:
        """One item each time something was painted; paints that come together are told once."""
        bell = asyncio.Event()
        self._bells.add(bell)
        try:
            if self._display is not None:
                self._arm(self._display, echo=False)
                self._read()
            while True:
                await bell.wait()
                bell.clear()
                if self._dead:
                    raise gone(self._name)
                if self._display is None:
                    return
                yield
        finally:
            self._bells.discard(bell)

    async def pause(self, seconds: float) -> None:
        """Until the next paint, at most this long."""
        bell = asyncio.Event()
        self._bells.add(bell)
        try:
            if self._display is not None:
                self._arm(self._display, echo=False)
                self._read()
            async with asyncio.timeout(seconds):
                await bell.wait()
        except TimeoutError:
            return
        finally:
            self._bells.discard(bell)

    def _stop(self) -> None:
        if self._display is not None:
            asyncio.get_running_loop().remove_reader(self._display.display.socket)
            hang_up(self._display)
            self._display = None

    async def close(self) -> None:
        self._stop()
        self._ring()
