"""Where the desktop lives: a display that is there, or a private one (Xvfb, window manager, session bus) of our own.

Also the environment in which its programs are started, with accessibility switched on.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

from Xlib import X
from Xlib.display import Display
from Xlib.protocol import rq

from deskhand.core.errors import DeviceSetup
from deskhand.devices.process_reaper import Child, Keeper

_START_S = 20.0
OWN = "own"

_ACCESSIBLE = {
    "GTK_MODULES": "gail:atk-bridge",
    "QT_ACCESSIBILITY": "1",
    "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "ACCESSIBILITY_ENABLED": "1",
}
# The first that is there. Any EWMH manager will do; without one, windows are still usable.
_MANAGERS = (("openbox",), ("xfwm4",), ("metacity",), ("marco",), ("icewm",))


@dataclass(frozen=True)
class Place:
    """A display to work on: its name, the environment for programs on it, its session bus ("" for none), and the
    window manager where it is ours."""

    display: str
    environment: Mapping[str, str]
    bus: str
    private: bool = False
    manager: Child | None = None


def existing(display: str, inherited: Mapping[str, str]) -> Place:
    """The user's own session."""
    environment = _environment(inherited, display)
    return Place(display, environment, inherited.get("DBUS_SESSION_BUS_ADDRESS", ""))


async def private(width: int, height: int, inherited: Mapping[str, str], keeper: Keeper) -> Place:
    """A display of our own, which lives and dies with the keeper."""
    xvfb = shutil.which("Xvfb", path=inherited.get("PATH"))
    if xvfb is None:
        raise DeviceSetup("There is no display and no Xvfb to make one: install it (Debian: `apt install xvfb`).")
    server = await keeper.launch(
        [xvfb, "-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-noreset"],
        inherited,
        speaks=True,
    )
    number = (await server.first_words(_START_S)).strip()
    if not number.isdigit():
        raise DeviceSetup(f"Xvfb did not start: {server.complaint() or 'it said nothing'}.")
    environment = _environment(inherited, f":{number}") | {"XDG_RUNTIME_DIR": str(keeper.folder)}
    for foreign in ("DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "XAUTHORITY", "DESKTOP_STARTUP_ID"):
        environment.pop(foreign, None)
    bus = await _session_bus(environment, keeper)
    if bus:
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus
    manager = await _window_manager(environment, keeper)
    return Place(f":{number}", environment, bus, private=True, manager=manager)


class _ForbidLocalUsers(rq.Request):
    """ChangeHosts: delete, for the family "any user of this machine", which python-xlib does not know."""

    _request = rq.Struct(
        rq.Opcode(109), rq.Card8("mode"), rq.RequestLength(), rq.Card8("family"), rq.Pad(1), rq.Card16("length")
    )


def keep_to_ourselves(display: Display) -> None:
    """A fresh Xvfb lets every user of the machine in; from now on only the one who runs it."""
    user = f"localuser\0#{os.getuid()}".encode()
    display.change_hosts(X.HostInsert, X.FamilyServerInterpreted, list(user))
    _ForbidLocalUsers(display=display.display, mode=X.HostDelete, family=252, length=0)
    display.sync()


def _environment(inherited: Mapping[str, str], display: str) -> dict[str, str]:
    environment = {**inherited, **_ACCESSIBLE, "DISPLAY": display, "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb"}
    for contrary in ("WAYLAND_DISPLAY", "NO_AT_BRIDGE"):
        environment.pop(contrary, None)
    locale = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG") or "C"
    if "utf" not in locale.lower():
        # A program in the C locale drops every character that is not ASCII.
        environment.pop("LC_ALL", None)
        environment["LC_CTYPE"] = environment["LANG"] = "C.UTF-8"
    return environment


async def _session_bus(environment: Mapping[str, str], keeper: Keeper) -> str:
    daemon = shutil.which("dbus-daemon", path=environment.get("PATH"))
    if daemon is None:
        return ""
    address = f"unix:path={keeper.folder / 'bus'}"
    bus = await keeper.launch(
        [daemon, "--session", f"--address={address}", "--print-address=1", "--nofork", "--nopidfile"],
        environment,
        speaks=True,
    )
    return (await bus.first_words(_START_S)).strip()


async def _window_manager(environment: Mapping[str, str], keeper: Keeper) -> Child | None:
    for name, *arguments in _MANAGERS:
        if program := shutil.which(name, path=environment.get("PATH")):
            return await keeper.launch([program, *arguments], environment)
    return None
