"""Attaching: a private display or an existing one, several monitors, the self-test, and nothing left behind."""

import asyncio
import gc
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest
from Xlib import X
from Xlib.display import Display
from Xlib.protocol import rq

from deskhand.clock import SystemClock
from deskhand.core import actions
from deskhand.core.errors import DeviceSetup, NoElements
from deskhand.devices.click_test import check_aim
from deskhand.devices.desktop.device import open_desktop
from deskhand.settings.schema import DesktopSettings
from tests.devices.desktop.desktop_stage import SYSTEM_PYTHON, keep_out_of_the_home, staged, wait_for


@pytest.fixture(autouse=True)
def _away_from_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keep_out_of_the_home(monkeypatch, tmp_path / "home")


OWN = DesktopSettings(display="own", width=800, height=600)


def tagged(tag: str) -> list[int]:
    """Processes that were started with this word in their environment."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and tag.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


async def test_without_a_display_a_private_one_is_started_and_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("DESKTOP_TEST_TAG", "private-display")
    device = await open_desktop(DesktopSettings(width=900, height=700), clock=SystemClock(), name="desk")
    monkeypatch.delenv("DESKTOP_TEST_TAG")
    try:
        assert device.id == "desk"
        assert (await device.frame()).size == (900, 700)
        assert len(tagged("private-display")) >= 4
        folders = list(Path("/tmp").glob("deskhand-*/bus"))
        assert folders
    finally:
        await device.close()
    assert tagged("private-display") == []


@pytest.mark.skipif(os.getuid() != 0 or shutil.which("setpriv") is None, reason="only root can pose as another user")
async def test_a_private_display_is_closed_to_other_users() -> None:
    device = await open_desktop(OWN, clock=SystemClock())
    path = "/tmp/.X11-unix/X" + device.display.removeprefix(":")
    # The handshake of the protocol; the answer's first byte says whether one is let in.
    knock = (
        f"import socket; s = socket.socket(socket.AF_UNIX); s.connect({path!r}); "
        "s.sendall(b'l' + bytes([0, 11]) + bytes(9)); raise SystemExit(40 + s.recv(1)[0])"
    )
    try:
        for who, answer in (("65534", 40), ("0", 41)):
            visitor = await asyncio.create_subprocess_exec(
                "setpriv", f"--reuid={who}", "--clear-groups", SYSTEM_PYTHON, "-c", knock
            )
            assert await visitor.wait() == answer
    finally:
        await device.close()


async def test_the_sessions_display_is_used_when_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = await open_desktop(OWN, clock=SystemClock())
    try:
        monkeypatch.setenv("DISPLAY", mine.display)
        monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
        guest = await open_desktop(DesktopSettings(), clock=SystemClock())
        try:
            assert guest.display == mine.display
            assert (await guest.frame()).size == (800, 600)
            # The accessibility bus is found by its address on the root window.
            assert await guest.elements() == ()
        finally:
            await guest.close()
        assert (await mine.frame()).size == (800, 600)
    finally:
        await mine.close()


async def test_a_display_that_is_not_there_is_a_clear_sentence() -> None:
    with pytest.raises(DeviceSetup, match=r"The X display ':987' can't be opened.*check DISPLAY"):
        await open_desktop(DesktopSettings(display=":987"), clock=SystemClock())


async def test_without_xvfb_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DeviceSetup, match="apt install xvfb"):
        await open_desktop(DesktopSettings(), clock=SystemClock())


async def test_without_window_manager_and_bus_it_still_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for program in ("Xvfb", "xterm", "xkbcomp", "sh"):
        (tmp_path / program).symlink_to(shutil.which(program) or f"/missing/{program}")
    monkeypatch.setenv("PATH", str(tmp_path))
    device = await open_desktop(OWN, clock=SystemClock())
    try:
        await device.act(actions.OpenApp(name="xterm"))
        assert (await device.app()).name == "XTerm"
        heard = tmp_path / "heard"
        await device.act(actions.Type(text=f"echo 好 > {heard}", press_enter=True))
        await wait_for(lambda: heard.exists() and heard.read_text(encoding="utf-8") == "好\n")
        with pytest.raises(NoElements, match="at-spi2-core"):
            await device.elements()
    finally:
        await device.close()


HOLDER = """
import asyncio, sys
from deskhand.core.actions import OpenApp
from deskhand.clock import SystemClock
from deskhand.settings.schema import DesktopSettings
from deskhand.devices.desktop.device import open_desktop

async def main():
    device = await open_desktop(DesktopSettings(display="own"), clock=SystemClock())
    await device.act(OpenApp(name="xterm"))
    print("open", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["kill -9", "kill"])
async def test_nothing_outlives_a_killed_parent(how: signal.Signals) -> None:
    tag = f"killed-parent-{how.name}"
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, env=os.environ | {"DESKTOP_TEST_TAG": tag}, stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    async with asyncio.timeout(60):
        assert await holder.stdout.readline() == b"open\n"
    assert len(tagged(tag)) >= 6
    holder.send_signal(how)
    await holder.wait()
    await wait_for(lambda: not tagged(tag), "every process to be gone")


async def test_nothing_outlives_a_killed_keeper(tmp_path: Path) -> None:
    noise: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: noise.append(context["message"]))
    async with staged(tmp_path / "share") as stage:
        await stage.device.act(actions.OpenApp(name="xterm"))
        window = (await stage.device.list_windows())[-1]
        keeper = int(Path(f"/proc/{window.pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(keeper, signal.SIGKILL)
        await wait_for(lambda: not Path(f"/proc/{window.pid}").exists(), "the program to die with its keeper")
    del stage
    gc.collect()
    assert noise == []


async def test_the_self_test_refuses_a_click_that_lands_off() -> None:
    felt: list[tuple[int, int]] = []

    async def click(x: int, y: int) -> None:
        felt.append((x + 3, y))

    async def landed() -> tuple[int, int] | None:
        return felt[-1]

    with pytest.raises(DeviceSetup, match=r"at \(10, 20\) landed at \(13, 20\), 3 px off"):
        await check_aim([(10, 20)], click, landed)


async def test_the_self_test_refuses_when_clicks_do_not_arrive() -> None:
    mine = await open_desktop(OWN, clock=SystemClock())
    display = Display(mine.display)
    try:
        root = display.screen().root
        root.grab_pointer(False, X.ButtonPressMask, X.GrabModeAsync, X.GrabModeAsync, X.NONE, X.NONE, X.CurrentTime)
        display.sync()
        with pytest.raises(DeviceSetup, match="did not arrive: unlock the screen"):
            await open_desktop(DesktopSettings(display=mine.display), clock=SystemClock())
    finally:
        display.close()
        await mine.close()


async def test_the_self_test_leaves_no_trace() -> None:
    device = await open_desktop(OWN, clock=SystemClock())
    try:

        async def blank() -> bool:
            pixels = (await device.frame()).pixels
            return bool((pixels == pixels[0, 0]).all())

        await wait_for(blank, "the targets to be gone")
    finally:
        await device.close()


class SetMonitor(rq.Request):
    """RandR 1.5's; python-xlib's own can't be packed."""

    _request = rq.Struct(
        rq.Card8("opcode"), rq.Opcode(43), rq.RequestLength(), rq.Window("window"), rq.Card32("name"),
        rq.Bool("primary"), rq.Bool("automatic"), rq.Card16("outputs"), rq.Int16("x"), rq.Int16("y"),
        rq.Card16("width"), rq.Card16("height"), rq.Card32("width_mm"), rq.Card32("height_mm"),
    )  # fmt: skip


async def test_two_monitors_are_one_picture_and_both_can_be_clicked() -> None:
    device = await open_desktop(DesktopSettings(display="own", width=1600, height=600), clock=SystemClock())
    display = Display(device.display)
    try:
        root = display.screen().root
        for number, left in enumerate((0, 800)):
            SetMonitor(
                display=display.display, opcode=display.display.get_extension_major("RANDR"), window=root,
                name=display.intern_atom(f"monitor-{number}"), primary=number == 0, automatic=False, outputs=0,
                x=left, y=0, width=800, height=600, width_mm=200, height_mm=150,
            )  # fmt: skip
        assert {m.x for m in root.xrandr_get_monitors().monitors} == {0, 800}
        window = root.create_window(
            900, 100, 400, 300, 0, X.CopyFromParent,
            override_redirect=True, background_pixel=0xFF8800, event_mask=X.ButtonPressMask,
        )  # fmt: skip
        window.map()
        display.sync()

        async def painted() -> bool:
            return (await device.frame()).pixels[250, 1000].tolist() == [0x00, 0x88, 0xFF, 0xFF]

        await wait_for(painted)
        assert (await device.frame()).size == (1600, 600)
        await device.act(actions.Click(x=1250, y=350))

        def felt() -> tuple[int, int] | None:
            display.sync()
            events = [display.next_event() for _ in range(display.pending_events())]
            return next(((e.root_x, e.root_y) for e in events if e.type == X.ButtonPress), None)

        assert await wait_for(felt) == (1250, 350)
    finally:
        display.close()
        await device.close()


async def test_a_resized_screen_gives_frames_of_its_new_size() -> None:
    device = await open_desktop(OWN, clock=SystemClock())
    display = Display(device.display)
    try:
        assert (await device.frame()).size == (800, 600)
        root = display.screen().root
        screen = root.xrandr_get_screen_resources()
        display.xrandr_set_crtc_config(screen.crtcs[0], screen.config_timestamp, 0, 0, 0, 1, [])
        root.xrandr_set_screen_size(640, 480, 160, 120)
        display.sync()

        async def resized() -> bool:
            return (await device.frame()).size == (640, 480)

        await wait_for(resized)
        await device.act(actions.Click(x=639, y=479))
    finally:
        display.close()
        await device.close()


async def test_opening_again_and_again_leaks_neither_processes_nor_files() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        device = await open_desktop(OWN, clock=SystemClock())
        await device.close()
        await device.close()
    await wait_for(lambda: len(list(Path("/proc/self/fd").iterdir())) <= before + 1, "files to be closed")
