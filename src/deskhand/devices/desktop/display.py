"""The display to work on: an existing one, or a private one (Xvfb, window manager, session bus) of our own.

Also builds the environment of its programs, with accessibility switched on.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from Xlib import X
from Xlib.display import Display
from Xlib.protocol import rq

from deskhand.core.errors import DeviceSetup
from deskhand.devices.process_reaper import Child, ProcessReaper

_START_S = 20.0
OWN = "own"

_ACCESSIBLE = {
    "GTK_MODULES": "gail:atk-bridge", "QT_ACCESSIBILITY": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "ACCESSIBILITY_ENABLED": "1",
}  # fmt: skip
# The first that is installed. Any EWMH manager will do; without one, windows are still usable.
_MANAGERS = ("openbox", "xfwm4", "metacity", "marco", "icewm")


@dataclass(frozen=True)
class DesktopDisplay:
    """`environment` is for programs on it, `bus` its session bus ("" for none), `manager` set only if it is ours."""

    display: str
    environment: Mapping[str, str]
    bus: str
    private: bool = False
    manager: Child | None = None


def use_existing_display(display: str, inherited: Mapping[str, str]) -> DesktopDisplay:
    """Return the display of the user's own session."""
    environment = _build_environment(inherited, display)
    return DesktopDisplay(display, environment, inherited.get("DBUS_SESSION_BUS_ADDRESS", ""))


async def start_private_display(
    width: int, height: int, inherited: Mapping[str, str], keeper: ProcessReaper
) -> DesktopDisplay:
    """Start a display of our own, which ends with the keeper."""
    xvfb = shutil.which("Xvfb", path=inherited.get("PATH"))
    if xvfb is None:
        raise DeviceSetup("There is no display, and Xvfb is not installed: install it (Debian: `apt install xvfb`).")
    server = await keeper.launch_process(
        [xvfb, "-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"],
        inherited,
        speaks=True,
    )
    number = (await server.read_first_words(_START_S)).strip()
    if not number.isdigit():
        raise DeviceSetup(f"Xvfb could not be started: {server.read_complaint() or 'it gave no reason'}.")
    environment = _build_environment(inherited, f":{number}") | {"XDG_RUNTIME_DIR": str(keeper.folder)}
    for foreign in ("DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "XAUTHORITY", "DESKTOP_STARTUP_ID"):
        environment.pop(foreign, None)
    bus = await _start_session_bus(environment, keeper)
    if bus:
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus
    manager = await _start_window_manager(environment, keeper)
    return DesktopDisplay(f":{number}", environment, bus, private=True, manager=manager)


class _ForbidLocalUsers(rq.Request):
    """ChangeHosts: delete, for the family "any user of this machine", which python-xlib lacks."""

    _request = rq.Struct(
        rq.Opcode(109), rq.Card8("mode"), rq.RequestLength(), rq.Card8("family"), rq.Pad(1), rq.Card16("length")
    )


def forbid_other_users(display: Display) -> None:
    """Allow only the user who runs Xvfb: a new one lets in every user of the machine."""
    user = f"localuser\0#{os.getuid()}".encode()
    display.change_hosts(X.HostInsert, X.FamilyServerInterpreted, list(user))
    _ForbidLocalUsers(display=display.display, mode=X.HostDelete, family=252, length=0)
    display.sync()


def _build_environment(inherited: Mapping[str, str], display: str) -> dict[str, str]:
    environment = {**inherited, **_ACCESSIBLE, "DISPLAY": display, "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb"}
    for contrary in ("WAYLAND_DISPLAY", "NO_AT_BRIDGE"):
        environment.pop(contrary, None)
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or "C"
    if "utf" not in locale.lower():
        # A program in the C locale drops every character that is not ASCII.
        environment.pop("LC_ALL", None)
        environment["LC_CTYPE"] = environment["LANG"] = "C.UTF-8"
    return environment


async def _start_session_bus(environment: Mapping[str, str], keeper: ProcessReaper) -> str:
    daemon = shutil.which("dbus-daemon", path=environment.get("PATH"))
    if daemon is None:
        return ""
    address = f"unix:path={keeper.folder / 'bus'}"
    bus = await keeper.launch_process(
        [daemon, "--session", f"--address={address}", "--print-address=1", "--nofork", "--nopidfile"],
        environment,
        speaks=True,
    )
    return (await bus.read_first_words(_START_S)).strip()


async def _start_window_manager(environment: Mapping[str, str], keeper: ProcessReaper) -> Child | None:
    for name in _MANAGERS:
        if program := shutil.which(name, path=environment.get("PATH")):
            return await keeper.launch_process([program], environment)
    return None
