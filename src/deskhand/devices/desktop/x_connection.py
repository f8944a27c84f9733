"""Connections to the X server: one that blocks on its own thread, and one whose events the event loop reads.

What is asked of the server is up to the other desktop modules; this one owns sockets and threads.
"""

import asyncio
import contextlib
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from Xlib.display import Display
from Xlib.error import ConnectionClosedError, DisplayError, XError

from deskhand.clock import wait_to_end
from deskhand.core.errors import ActionFailed, DeviceGone, DeviceSetup, DeviceTimeout
from deskhand.core.stop_outcome import StopOutcome, note_outcome

Result = TypeVar("Result")
ANSWER_S = 5.0
CLOSED = "The desktop is closed: open the device again."
# What python-xlib raises if there is no server at the other end, or no longer.
DEAD = (ConnectionClosedError, DisplayError, OSError)


def make_gone_error(name: str) -> DeviceGone:
    return DeviceGone(f"The X server {name} ended: start it and open the desktop again.")


def is_reachable(name: str) -> bool:
    """True if something listens at a local display; others are left to the connection itself.

    python-xlib leaks the sockets of a failed attempt, so it tries only where something answers.
    """
    host, _, number = name.partition(":")
    if host not in ("", "unix"):
        return True
    path = "/tmp/.X11-unix/X" + number.partition(".")[0]
    for address in (path, "\0" + path):
        with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
            probe.settimeout(ANSWER_S)
            probe.connect(address)
            return True
    return False


def connect_display(name: str) -> Display:
    """Open a connection that ignores errors: a request about a window that has just closed is normal."""
    if not is_reachable(name):
        raise ConnectionRefusedError(f"nothing listens at {name}")
    display = Display(name)
    display.set_error_handler(lambda _error, _request: None)
    return display


def _close_socket(display: Display) -> None:
    connection: socket.socket = display.display.socket
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the server closed it first
    finally:
        connection.close()


class XThread:
    """One connection on its own thread, so that a stuck server never blocks the event loop."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=f"x11-{name}")
        self._display: Display | None = None
        self._closed = False

    async def open_connection(self) -> None:
        await self._call_in_thread(self._connect_display)

    def _connect_display(self) -> None:
        try:
            self._display = connect_display(self.name)
        except DEAD as error:
            raise DeviceSetup(
                f"The X display {self.name!r} can't be opened ({error}): check DISPLAY and desktop.display."
            ) from None

    async def run_job(self, job: Callable[[Display], Result]) -> Result:
        """Return the job's result; a dead server is DeviceGone, a silent one DeviceTimeout, a refusal ActionFailed."""
        return await self._call_in_thread(self._bind_display(job))

    async def run_act(self, job: Callable[[Display], Result]) -> Result:
        """Run a job that acts. A cancelled caller waits for one that has begun.

        A server that was stopped for a while carries it out when it goes on: the click came after its task's end.
        """
        begun = threading.Event()
        bound = self._bind_display(job)

        def begin_job() -> Result:
            begun.set()
            return bound()

        work = asyncio.ensure_future(self._call_in_thread(begin_job))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError as stop:
            if not begun.is_set():
                work.cancel()
            await wait_to_end(work)
            failed = not work.cancelled() and work.exception()
            done = StopOutcome.UNKNOWN if failed else StopOutcome.DONE
            note_outcome(stop, done if begun.is_set() else StopOutcome.NOT_SENT)
            raise

    def _bind_display(self, job: Callable[[Display], Result]) -> Callable[[], Result]:
        if self._closed or self._display is None:
            raise DeviceGone(CLOSED)
        display = self._display
        return lambda: job(display)

    def post_job(self, job: Callable[[Display], object]) -> None:
        """Run a job after the current one without waiting: for what must happen even in a cancelled action."""
        display = self._display
        if display is not None and not self._closed:
            self._pool.submit(job, display)

    async def _call_in_thread(self, job: Callable[[], Result]) -> Result:
        try:
            async with asyncio.timeout(ANSWER_S):
                return await asyncio.get_running_loop().run_in_executor(self._pool, job)
        except TimeoutError:
            raise DeviceTimeout(f"The X server {self.name} timed out after {ANSWER_S:g} s.") from None
        except DEAD:
            raise make_gone_error(self.name) from None
        except XError as error:
            raise ActionFailed(f"The X server refused the request: {type(error).__name__}.") from None

    async def close(self) -> None:
        self._closed = True
        if self._display is not None:
            # Wakes a thread that waits for a silent server; the server frees what belongs to the connection.
            _close_socket(self._display)
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)


class XListener(ABC):
    """One connection whose events are processed on the event loop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._display: Display | None = None

    async def open_connection(self) -> None:
        try:
            async with asyncio.timeout(ANSWER_S):
                self._display = await asyncio.to_thread(self._connect_display)
        except TimeoutError:
            raise DeviceTimeout(f"The X server {self._name} timed out after {ANSWER_S:g} s.") from None
        except DEAD:
            raise make_gone_error(self._name) from None
        asyncio.get_running_loop().add_reader(self._display.display.socket, self._process_events)

    @abstractmethod
    def _connect_display(self) -> Display:
        """Connect and set up; called off the event loop."""

    @abstractmethod
    def _process_events(self) -> None:
        """Process what came. To be called after each flush, too: python-xlib reads events then, and the socket
        does not signal them again."""

    def _disconnect(self) -> None:
        if self._display is not None:
            asyncio.get_running_loop().remove_reader(self._display.display.socket)
            _close_socket(self._display)
            self._display = None
