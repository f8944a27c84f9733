"""One phone's command line: runs commands on it and turns refusals into sentences. What to run is for others."""

from deskhand.core.errors import ActionFailed
from deskhand.devices.android.adb.client import SHELL_S, AdbClient
from deskhand.devices.android.adb.smart_socket import ShellResult

INJECTION = "INJECT_EVENTS"
INJECTION_ADVICE = 'turn on "USB debugging (Security settings)" in its developer options'


class Line:
    """Holds nothing but whom to talk to."""

    def __init__(self, adb: AdbClient, serial: str) -> None:
        self.adb = adb
        self.serial = serial

    async def run(self, command: str, timeout: float = SHELL_S) -> ShellResult:
        return await self.adb.shell(self.serial, command, timeout)

    async def text(self, command: str, timeout: float = SHELL_S) -> str:
        """What a command prints, whether or not it is content."""
        return (await self.run(command, timeout)).text.strip()

    async def do(self, command: str, timeout: float = SHELL_S) -> str:
        """Run a command that has to work; raises ActionFailed with the phone's own words."""
        result = await self.run(command, timeout)
        if INJECTION in result.complaint:
            raise ActionFailed(f"The phone {self.serial} refuses touches and keys from adb: {INJECTION_ADVICE}.")
        if result.code or b"Exception" in result.stderr:
            name = " ".join(command.split()[:2])  # the rest may be a secret that is being typed
            raise ActionFailed(f"The phone {self.serial} refused `{name}`: {result.complaint}.")
        return result.text.strip()

    async def keys(self, *codes: int) -> None:
        await self.do("input keyevent " + " ".join(map(str, codes)))
