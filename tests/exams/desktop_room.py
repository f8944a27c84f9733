"""A desktop of its own for one question: X server, session bus, window manager, an empty home.

It stands for the user's own display: Deskhand is told its name and comes and goes, the programs stay. What became of
them is read by other ways than Deskhand's: files, processes, xprop and wmctrl, libatspi.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from deskhand import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.settings.load import load

SYSTEM_PYTHON = "/usr/bin/python3"
READER = Path(__file__).with_name("read_accessible.py")
PATIENCE_S = 60.0
# Looks, a tenth of a second and more apart, after which windows that stay the same are those of a program at work.
STEADY = 15
GOAL_S = 150.0
_SOFT = {
    "GTK_MODULES": "gail:atk-bridge", "QT_ACCESSIBILITY": "1", "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
    "GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8", "SHELL": "/bin/sh",
    "_JAVA_OPTIONS": "-Djavax.accessibility.assistive_technologies=",
}  # fmt: skip


@dataclass(frozen=True)
class Shown:
    """A window as the window manager lists it."""

    id: str
    pid: int
    app: str
    title: str


class Room:
    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self._folder = folder
        self._started: list[subprocess.Popen[bytes]] = []
        self.environment: dict[str, str] = {}

    # --- the room itself ----------------------------------------------------------------------------------

    def build(self) -> None:
        run = self._folder / "run"
        run.mkdir(mode=0o700)
        base = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "DBUS_", "DISPLAY", "WAYLAND"))}
        base |= _SOFT | {"HOME": str(self.home), "XDG_RUNTIME_DIR": str(run)}
        server = self._start(["Xvfb", "-displayfd", "1", "-screen", "0", "1280x800x24", "-noreset"], base, speaks=True)
        assert server.stdout is not None
        base["DISPLAY"] = ":" + server.stdout.readline().decode().strip()
        address = f"unix:path={run / 'bus'}"
        bus = ["dbus-daemon", "--session", f"--address={address}", "--print-address=1", "--nofork", "--nopidfile"]
        daemon = self._start(bus, base, speaks=True)
        assert daemon.stdout is not None
        base["DBUS_SESSION_BUS_ADDRESS"] = daemon.stdout.readline().decode().strip()
        self.environment = base
        self._start(["openbox"], base)
        self.wait_until(lambda: "_NET_SUPPORTING_WM_CHECK" in self.ask("xprop", "-root"), "a window manager")

    def _start(self, argv: Sequence[str], env: Mapping[str, str], *, speaks: bool = False) -> subprocess.Popen[bytes]:
        out = subprocess.PIPE if speaks else subprocess.DEVNULL
        child = subprocess.Popen(
            argv, env=env, cwd=self.home, stdout=out, stderr=subprocess.DEVNULL, start_new_session=True
        )
        self._started.append(child)
        return child

    def start_program(self, argv: Sequence[str]) -> None:
        """Start a program as the user did before, and wait until its windows stay as they are."""
        before = {shown.id for shown in self.list_windows()}
        self._start([word.replace("~", str(self.home)) for word in argv], self.environment)
        seen: list[frozenset[tuple[str, str]]] = []

        def is_steady() -> bool:
            new = [w for w in self.list_windows() if w.title.strip() and w.id not in before]
            seen.append(frozenset((w.id, w.title) for w in new if not self._is_splash(w)))
            return bool(seen[-1]) and len(seen) > STEADY and set(seen[-STEADY:]) == {seen[-1]}

        self.wait_until(is_steady, f"{argv[0]}'s window")

    def _is_splash(self, window: Shown) -> bool:
        return "SPLASH" in self.ask("xprop", "-id", window.id, "_NET_WM_WINDOW_TYPE")

    def end_last_program(self) -> None:
        """End the program that was started last, and wait until its windows are gone."""
        child = self._started.pop()
        _signal_process(child.pid, signal.SIGKILL)
        child.wait()
        self.wait_until(lambda: all(shown.pid != child.pid for shown in self.list_windows()), "its windows gone")

    def end(self) -> None:
        for pid in self._list_inhabitants():
            _signal_process(pid, signal.SIGKILL)
        for child in self._started:
            _signal_process(child.pid, signal.SIGKILL)
            child.wait()
            if child.stdout is not None:
                child.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _list_inhabitants(self) -> list[int]:
        """Every process whose home is this room."""
        mark, found = f"HOME={self.home}".encode(), list[int]()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found

    # --- what is there ------------------------------------------------------------------------------------

    def ask(self, *argv: str) -> str:
        done = subprocess.run(argv, env=self.environment, capture_output=True, text=True, timeout=30, check=False)
        return done.stdout

    def list_windows(self) -> list[Shown]:
        rows = [line.split(None, 5) for line in self.ask("wmctrl", "-lpx").splitlines()]
        # id, desktop, pid, class, host, title
        return [Shown(r[0], int(r[2]), r[3], r[5] if len(r) > 5 else "") for r in rows if len(r) >= 5]

    def shows(self, words: str) -> bool:
        """True if a window's class or title has these words."""
        return any(words.casefold() in f"{w.app} {w.title}".casefold() for w in self.list_windows())

    def state_of(self, words: str) -> str:
        """Return what xprop tells of the state of the window with these words."""
        window = next((w for w in self.list_windows() if words.casefold() in f"{w.app} {w.title}".casefold()), None)
        return self.ask("xprop", "-id", window.id, "_NET_WM_STATE", "WM_STATE") if window else ""

    def in_front(self, words: str) -> bool:
        answer = re.search(r"0x[0-9a-f]+", self.ask("xprop", "-root", "_NET_ACTIVE_WINDOW"))
        front = int(answer[0], 16) if answer else 0
        return any(
            int(w.id, 16) == front and words.casefold() in f"{w.app} {w.title}".casefold() for w in self.list_windows()
        )

    def read(self, name: str) -> str:
        """Return a file of the home; empty if there is none."""
        file = self.home / name
        return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

    def read_nodes(self) -> list[dict[str, Any]]:
        done = self.ask(SYSTEM_PYTHON, str(READER))
        return json.loads(done) if done.strip() else []

    def says(self, words: str) -> bool:
        """True if a screen reader would find these words somewhere that shows."""
        nodes = [node for node in self.read_nodes() if node["showing"]]
        return any(words in node["name"] or words in node["text"] for node in nodes)

    def cell(self, row: int, column: int) -> str:
        done = self.ask(SYSTEM_PYTHON, str(READER), "cell", str(row), str(column))
        return str(json.loads(done)) if done.strip() else ""

    def wait_until(self, condition: Callable[[], Any], what: str = "", seconds: float = PATIENCE_S) -> Any:
        deadline = time.monotonic() + seconds
        while not (answer := condition()):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {what}")
            time.sleep(0.1)
        return answer

    # --- the run ------------------------------------------------------------------------------------------

    async def run_goal(self, goal: str) -> tuple[bool, str]:
        """Carry out a goal as `deskhand run` would; return its own word and its sentence."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            settings = load({"data_dir": str(self._folder / "data"), "device": "desktop"})
            async with Deskhand(settings) as hand, hand.start(goal, device="desktop", max_steps=40) as task:
                state = await task.wait()
        return state.status is TaskStatus.FULFILLED, state.reason


def _signal_process(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


@contextmanager
def open_room(folder: Path) -> Iterator[Room]:
    room = Room(folder)
    try:
        room.build()
        yield room
    finally:
        room.end()
