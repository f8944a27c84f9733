"""`screencap`, `wm` and `uiautomator`: the screen as pixels, as numbers and as a tree."""

from __future__ import annotations

import re

from deskhand.simphone.body.window_manager import NeverIdle
from deskhand.simphone.shell.android_system import make_screencap_header
from deskhand.simphone.shell.commands.command import CommandCall, Family
from deskhand.simphone.shell.file_system import FileError

IDLE_LIMIT_S = 10.0
IDLE_POLL_S = 0.02
DUMP_PATH = "/sdcard/window_dump.xml"

SCREENCAP_USAGE = """usage: screencap [-hp] [-d display-id] [FILENAME]
   -h: this message
   -p: save the file as a png.
   -d: specify the physical display ID to capture (default: 4619827259835644672)
       see "dumpsys SurfaceFlinger --display-id" for valid display IDs.
If FILENAME ends with .png it will be saved as a png.
If FILENAME is not given, the results will be printed to stdout."""


async def run_screencap(call: CommandCall) -> int:
    names: list[str] = []
    png = False
    words = iter(call.args)
    for word in words:
        if word == "-p":
            png = True
        elif word == "-d":
            next(words, None)
        elif word.startswith("-"):
            await call.print_err(SCREENCAP_USAGE)
            return 0 if word == "-h" else 1
        else:
            names.append(word)
    target = names[0] if names else None
    if png or (target or "").endswith(".png"):
        pieces = [await call.system.capture.read_png()]
    else:
        width, height, pixels = call.system.capture.read_pixels()
        pieces = [make_screencap_header(width, height), pixels]
    if target is None:
        for piece in pieces:
            await call.stdout.write(piece)
        return 0
    try:
        call.system.files.write_file(call.resolve_path(target), b"".join(pieces))
    except FileError as error:
        await call.print_err(f"Error opening file: {target} ({error})")
        return 1
    return 0


async def run_wm(call: CommandCall) -> int:
    match call.args:
        case ["size"]:
            width, height = sorted(call.phone.size)
            await call.print_out(f"Physical size: {width}x{height}")
            if call.system.size_override:
                await call.print_out("Override size: {}x{}".format(*call.system.size_override))
        case ["size", "reset"]:
            call.system.size_override = None
        case ["size", text]:
            return await _override_size(call, text)
        case ["density"]:
            await call.print_out(f"Physical density: {call.phone.density}")
            if call.system.density_override:
                await call.print_out(f"Override density: {call.system.density_override}")
        case ["density", "reset"]:
            call.system.density_override = None
        case ["density", text]:
            return await _override_density(call, text)
        case ["dismiss-keyguard"]:
            call.phone.input.press_key(82)
        case []:
            await call.print_out(
                "Window manager (window) commands:\n  help\n  size [reset|WxH|WdpxHdp] [-d DISPLAY_ID]"
            )
            return 255
        case _:
            await call.print_out(f"Unknown command: {call.args[0]}")
            return 255
    return 0


async def _override_size(call: CommandCall, text: str) -> int:
    """Remember the size and report it; the simulated panel itself keeps its pixels."""
    match = re.fullmatch(r"(\d+)x(\d+)", text)
    if not match:
        await call.print_err(f"Error: bad size {text}")
        return 255
    call.system.size_override = int(match[1]), int(match[2])
    return 0


async def _override_density(call: CommandCall, text: str) -> int:
    if not text.isdecimal():
        await call.print_err(f"Error: bad number {text}")
        return 255
    if int(text) < 72:
        await call.print_err("Error: density must be >= 72")
        return 255
    call.system.density_override = int(text)
    return 0


async def run_uiautomator(call: CommandCall) -> int:
    if call.args[:1] != ["dump"]:
        await call.print_err(
            "Usage: uiautomator <subcommand> [options]\n\nAvailable subcommands:\n\nhelp: displays help message\n\n"
            "dump: creates an XML dump of current UI hierarchy\n"
            "    dump [--verbose][file]\n"
            "      [--compressed]: dumps compressed layout information.\n"
            "      [file]: the location where the dumped XML should be stored, default is\n"
            f"      {DUMP_PATH}"
        )
        return 0 if call.args[:1] == ["help"] else 1
    names = [arg for arg in call.args[1:] if not arg.startswith("--")]
    target = names[0] if names else DUMP_PATH
    await _wait_for_idle(call)
    try:
        xml = call.phone.windows.dump_hierarchy()
    except NeverIdle:
        await call.print_err("ERROR: could not get idle state.")
        return 0  # the real command fails with status 0, too
    if target in ("/dev/tty", "/dev/stdout", "/proc/self/fd/1"):
        await call.stdout.write(xml.encode())
    else:
        try:
            call.system.files.write_file(call.resolve_path(target), xml.encode())
        except FileError as error:
            await call.print_err(f"java.io.FileNotFoundException: {target}: open failed: EACCES ({error})")
            return 1
    await call.print_out(f"UI hierchary dumped to: {target}")
    return 0


async def _wait_for_idle(call: CommandCall) -> None:
    clock = call.system.clock
    deadline = clock.now() + IDLE_LIMIT_S
    while call.phone.display.is_animating() and clock.now() < deadline:
        await clock.sleep(IDLE_POLL_S)


COMMANDS: Family = {"screencap": run_screencap, "wm": run_wm, "uiautomator": run_uiautomator}
