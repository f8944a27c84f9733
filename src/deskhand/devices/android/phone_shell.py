"""Runs commands on one phone and turns refusals into faults. What to run is up to the callers."""

import asyncio

from deskhand.clock import wait_to_end
from deskhand.core.errors import ActionFailed
from deskhand.core.stop_outcome import StopOutcome, note_outcome
from deskhand.devices.android.adb.client import SHELL_S, AdbClient
from deskhand.devices.android.adb.smart_socket import ShellResult

INJECTION = "INJECT_EVENTS"
INJECTION_ADVICE = 'turn on "USB debugging (Security settings)" in its developer options'


class PhoneShell:
    def __init__(self, adb: AdbClient, serial: str) -> None:
        self.adb = adb
        self.serial = serial

    async def run_command(self, command: str, timeout: float = SHELL_S) -> ShellResult:
        return await self.adb.run_shell(self.serial, command, timeout)

    async def read_output(self, command: str, timeout: float = SHELL_S) -> str:
        """Return what a command prints, whether or not it succeeds."""
        return (await self.run_command(command, timeout)).text.strip()

    async def run_to_end(self, command: str, timeout: float = SHELL_S, revocation: str = "") -> ShellResult:
        """Run a command that acts. Once it was sent, a cancelled caller still waits until it can act no more.

        To hang up is not enough: adbd then sends SIGHUP to the shell, but the program that the shell has started
        goes on, and `input` only asks the system server. On a slow phone the tap came after we had left.
        `revocation` is a command that undoes what is under way, for gestures that would take long to end.
        """
        sent = asyncio.Event()
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
            name = " ".join(command.split()[:2])  # the rest may be a secret that is being typed
            raise ActionFailed(f"The phone {self.serial} refused `{name}`: {result.complaint}.")
        return result.text.strip()

    async def press_keys(self, *codes: int) -> None:
        await self.run_checked("input keyevent " + " ".join(map(str, codes)))
