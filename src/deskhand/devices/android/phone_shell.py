"""Runs commands on one phone and turns refusals into faults. What to run is up to the callers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from deskhand.clock import wait_to_end
from deskhand.core.errors import ActionFailed, OutcomeUnknown
from deskhand.core.protocols import Clock
from deskhand.core.stop_outcome import StopOutcome, note_outcome
from deskhand.devices.android.adb.client import SHELL_S, AdbClient
from deskhand.devices.android.adb.smart_socket import ShellResult
from deskhand.devices.android.phone_link import BROKEN, PhoneLink

Seen = TypeVar("Seen")
# How often a connection may break in one command before it counts as gone.
TRIES = 3

INJECTION = "INJECT_EVENTS"
INJECTION_ADVICE = 'turn on "USB debugging (Security settings)" in its developer options'


class PhoneShell:
    """Brings the connection back when it breaks: a look is taken again, an act is never sent a second time."""

    def __init__(self, adb: AdbClient, serial: str, clock: Clock) -> None:
        self.adb = adb
        self.serial = serial
        self._link = PhoneLink(adb, serial, clock)

    async def run_command(self, command: str, timeout: float = SHELL_S) -> ShellResult:
        """Run a command that only looks, or that may be run twice."""
        return await self.look_again(lambda: self.adb.run_shell(self.serial, command, timeout))

    async def look_again(self, look: Callable[[], Awaitable[Seen]]) -> Seen:
        """Return what `look` sees, after a broken connection is back if need be."""
        for _ in range(TRIES - 1):
            try:
                return await look()
            except BROKEN as fault:
                await self._link.restore_connection(fault)
        return await look()

    async def read_output(self, command: str, timeout: float = SHELL_S) -> str:
        """Return what a command prints, whether or not it succeeds."""
        return (await self.run_command(command, timeout)).text.strip()

    async def run_to_end(self, command: str, timeout: float = SHELL_S, revocation: str = "") -> ShellResult:
        """Run a command that acts. Once it was sent, a cancelled caller still waits until it can act no more.

        To hang up is not enough: adbd then sends SIGHUP to the shell, but the program that the shell has started
        goes on, and `input` only asks the system server. On a slow phone the tap came after we had left.
        `revocation` is a command that undoes what is under way, for gestures that would take long to end.
        """
        for _ in range(TRIES - 1):
            sent = asyncio.Event()
            try:
                return await self._send_once(command, timeout, revocation, sent)
            except BROKEN as fault:
                try:
                    await self._link.restore_connection(fault)
                except asyncio.CancelledError as stop:
                    note_outcome(stop, StopOutcome.UNKNOWN if sent.is_set() else StopOutcome.NOT_SENT)
                    raise
                if sent.is_set():
                    raise OutcomeUnknown(
                        f"The connection to the phone {self.serial} broke during `{_name_command(command)}` "
                        "and is back: whether it was carried out is unknown, so look first."
                    ) from None
        return await self._send_once(command, timeout, revocation, asyncio.Event())

    async def _send_once(self, command: str, timeout: float, revocation: str, sent: asyncio.Event) -> ShellResult:
        work = asyncio.ensure_future(self.adb.run_shell(self.serial, command, timeout, sent.set))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError as stop:
            note_outcome(stop, await self._end_command(work, revocation) if sent.is_set() else StopOutcome.NOT_SENT)
            work.cancel()
            await wait_to_end(work)
            raise

    async def _end_command(self, work: "asyncio.Task[ShellResult]", revocation: str) -> StopOutcome:
        last = asyncio.ensure_future(self.run_command(revocation)) if revocation else work
        await wait_to_end(last)
        if last.exception():
            return StopOutcome.UNKNOWN
        if last is work:
            return StopOutcome.CUT_SHORT if last.result().code else StopOutcome.DONE
        return StopOutcome.UNKNOWN if last.result().code else StopOutcome.CUT_SHORT

    async def run_checked(self, command: str, timeout: float = SHELL_S, revocation: str = "") -> str:
        """Run a command that acts and must succeed; raises ActionFailed with the phone's own words."""
        result = await self.run_to_end(command, timeout, revocation)
        if INJECTION in result.complaint:
            raise ActionFailed(f"The phone {self.serial} blocks touches and keys from adb: {INJECTION_ADVICE}.")
        if result.code or b"Exception" in result.stderr:
            raise ActionFailed(f"The phone {self.serial} refused `{_name_command(command)}`: {result.complaint}.")
        return result.text.strip()

    async def press_keys(self, *codes: int) -> None:
        await self.run_checked("input keyevent " + " ".join(map(str, codes)))


def _name_command(command: str) -> str:
    """Return its first two words: the rest may be a secret that is being typed."""
    return " ".join(command.split()[:2])
