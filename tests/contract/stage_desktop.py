"""The desktop's stages: a private X server, and the board as a program of GTK, Qt and Tk that fills its screen."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.error import ConnectionClosedError, XError

from deskhand.clock import SystemClock
from deskhand.core.actions import ActionKind, OpenApp
from deskhand.core.geometry import Rect
from deskhand.devices.desktop.device import open_desktop
from deskhand.devices.desktop.windows import find_active_id, title_of
from deskhand.settings.schema import DesktopSettings
from tests.contract.stage import PLAIN, Board, Felt, until
from tests.devices.desktop.desktop_stage import SYSTEM_PYTHON

APPS = Path(__file__).parent / "apps"
ENTRY = "[Desktop Entry]\nType=Application\nName={name}\nStartupWMClass={name}\nExec={command}\n{more}"


class DesktopStage:
    words: ClassVar[frozenset[ActionKind]] = frozenset({
        "click", "double_click", "right_click", "middle_click", "move", "long_press", "drag", "scroll", "type", "key",
        "hotkey", "open_app", "open_url", "switch_window", "manage_window",
    })  # fmt: skip
    looks: ClassVar[tuple[str, ...]] = (PLAIN,)
    tree: ClassVar[bool] = True
    pushes: ClassVar[bool] = True
    aims: ClassVar[bool] = True
    toolkit: ClassVar[str]
    other_app = "Other"
    address = "deskhand-test://somewhere"

    def __init__(self, folder: Path, look: str) -> None:
        self._folder = folder
        self._line = folder / "line"

    async def __aenter__(self) -> Self:
        self._install()
        settings = DesktopSettings(display="own")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_DATA_HOME", str(self._folder))
            self.device = await open_desktop(settings, clock=SystemClock())
        try:
            self._display = Display(self.device.display)
            self._size = (settings.width, settings.height)
            await self.device.act(OpenApp(name="Board"))
            await until(self._fills_the_screen, "the board to fill the screen")
        except BaseException:
            await self.device.close()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        with suppress(ConnectionClosedError):
            self._display.close()
        await self.device.close()

    def _install(self) -> None:
        """`.desktop` files for the board and its neighbours."""
        menu = self._folder / "applications"
        menu.mkdir(parents=True)
        page = f"{SYSTEM_PYTHON} {APPS / 'page.py'}"
        programs = {
            "Board": (f"{SYSTEM_PYTHON} {APPS / self.toolkit}_board.py {self._line}", ""),
            "Other": (f"{page} Other", ""),
            "Second": (f"{page} Second", ""),
            "Address": (f"{page} Address %u", "MimeType=x-scheme-handler/deskhand-test;\n"),
        }
        for name, (command, more) in programs.items():
            text = ENTRY.format(name=name, command=command, more=more)
            (menu / f"{name.lower()}.desktop").write_text(text, encoding="utf-8")

    # --- the board -------------------------------------------------------------------------------------------

    async def _ask(self, word: str, **facts: object) -> dict[str, Any]:
        async with asyncio.timeout(20):
            reader, writer = await asyncio.open_unix_connection(self._line, limit=2**26)
            try:
                writer.write(json.dumps({"do": word, **facts}).encode() + b"\n")
                return json.loads(await reader.readline())
            finally:
                writer.close()

    async def _fills_the_screen(self) -> bool:
        with suppress(ConnectionError, FileNotFoundError):
            return (await self._ask("look"))["places"]["Board"] == [0, 0, *self._size]
        return False

    async def reset(self) -> None:
        for window in await self.device.list_windows():
            if window.title != "Board":
                with suppress(ProcessLookupError):
                    os.kill(window.pid, signal.SIGKILL)
        await until(self._alone, "the board alone")
        await self._ask("reset")

    async def _alone(self) -> bool:
        return len(await self.device.list_windows()) == 1 and await self.where() == "Board"

    async def board(self) -> Board:
        facts = await self._ask("look")
        return Board(
            places={name: Rect(*box) for name, box in facts["places"].items()},
            texts=facts["texts"],
            agreed=facts["agreed"],
            pressed=facts["pressed"],
            scrolled=(facts["scrolled"][0], facts["scrolled"][1]),
            felt=tuple(Felt(**one) for one in facts["felt"]),
        )

    async def where(self) -> str:
        with suppress(XError):  # it went away while being looked at
            if active := find_active_id(self._display):
                return title_of(self._display, self._display.create_resource_object("window", active))
        return ""

    async def paint(self) -> None:
        await self._ask("paint")

    async def hang(self, seconds: float) -> None:
        await self._ask("hang", seconds=seconds)

    async def deeper(self) -> None:
        raise NotImplementedError("a desktop has no way back")

    async def second(self) -> None:
        await self.device.act(OpenApp(name="Second"))

    # --- trouble ---------------------------------------------------------------------------------------------

    async def lose(self) -> None:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect("/tmp/.X11-unix/X" + self.device.display.removeprefix(":"))
            (pid,) = struct.unpack("i8x", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        os.kill(pid, signal.SIGKILL)

    async def attach_crooked(self) -> None:
        """On a display where something moves small new windows aside, so that what is seen is not where it is."""
        rogue = asyncio.ensure_future(self._move_aside())
        try:
            settings = DesktopSettings(display=self.device.display)
            guest = await open_desktop(settings, clock=SystemClock())
            await guest.close()
        finally:
            rogue.cancel()
            await asyncio.gather(rogue, return_exceptions=True)

    async def _move_aside(self) -> None:
        display = Display(self.device.display)
        try:
            display.screen().root.change_attributes(event_mask=X.SubstructureNotifyMask)
            middle = self._size[0] // 2
            while True:
                for _ in range(display.pending_events()):
                    event = display.next_event()
                    if event.type == X.MapNotify:
                        place = event.window.get_geometry()
                        if abs(place.x - middle) < 20 and place.width < 20:
                            event.window.configure(x=place.x + 6)
                display.sync()
                await asyncio.sleep(0.001)
        finally:
            display.close()


class GtkStage(DesktopStage):
    name: ClassVar[str] = "desktop-gtk"
    toolkit: ClassVar[str] = "gtk"


class QtStage(DesktopStage):
    name: ClassVar[str] = "desktop-qt"
    toolkit: ClassVar[str] = "qt"


class TkStage(DesktopStage):
    name: ClassVar[str] = "desktop-tk"
    toolkit: ClassVar[str] = "tk"
    tree: ClassVar[bool] = False
