"""Runs commands on one phone and turns refusals into faults. What to run is up to the callers."""

from deskhand.core.errors import ActionFailed
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

    async def run_checked(self, command: str, timeout: float = SHELL_S) -> str:
        """Run a command that must succeed; raises ActionFailed with the phone's own words."""
        result = await self.run_command(command, timeout)
        if INJECTION in result.complaint:
            raise ActionFailed(f"The phone {self.serial} blocks touches and keys from adb: {INJECTION_ADVICE}.")
        if result.code or b"Exception" in result.stderr:
            name = " ".join(command.split()[:2])  # the rest may be a secret that is being typed
            raise ActionFailed(f"The phone {self.serial} refused `{name}`: {result.complaint}.")
        return result.text.strip()

    async def press_keys(self, *codes: int) -> None:
        await self.run_checked("input keyevent " + " ".join(map(str, codes)))
