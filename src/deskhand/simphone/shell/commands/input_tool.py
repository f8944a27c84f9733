"""`input`: touches, keys and text, with the timing and the error texts of Android 13."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from deskhand.simphone.keycodes import to_key_code
from deskhand.simphone.shell.commands.command import Arguments, CommandCall, Family, JavaException, report_exception

MOVE_EVERY_S = 0.016
LONG_PRESS_S = 0.5
DOUBLE_TAP_S = 0.04
ENTER = 66

SOURCES = (
    "touchnavigation", "touchscreen", "joystick", "stylus", "touchpad",
    "gamepad", "dpad", "mouse", "keyboard", "trackball",
)  # fmt: skip

USAGE = (
    "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n\nThe sources are: \n"
    + "".join(f"      {source}\n" for source in SOURCES)
    + """
-d: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)
The commands and default sources are:
      text <string> (Default: touchscreen)
      keyevent [--longpress|--doubletap] <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard, """
    + "the key order is important here.)"
)

NON_ASCII_FRAMES = (
    "com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:307)",
    "com.android.server.input.InputShellCommand.runText(InputShellCommand.java:282)",
    "com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:221)",
)


async def run_input(call: CommandCall) -> int:
    if not call.args:
        await call.print_out(USAGE)
        return 255
    args = Arguments(call.args, "input")
    command = args.take_required()
    try:
        action = command
        if action in SOURCES:
            action = args.take_required()
        if action == "-d":
            args.take_required()
            action = args.take_required()
        return await _run_action(call, action, args)
    except JavaException as error:
        return await report_exception(call, command, error)


async def _run_action(call: CommandCall, action: str, args: Arguments) -> int:
    if action in ("help", "-h"):
        await call.print_out(USAGE)
        return 0
    gesture = ACTIONS.get(action)
    if gesture is None:
        await call.print_out(f"Unknown command: {action}")
        return 0
    try:
        await gesture(call, args)
    except ValueError:
        text = f"Error: Invalid arguments for command: {action}"
        raise JavaException("java.lang.IllegalArgumentException", text) from None
    return 0


def _take_point(args: Arguments) -> tuple[int, int]:
    return int(float(args.take_required())), int(float(args.take_required()))


async def _tap_point(call: CommandCall, args: Arguments) -> None:
    x, y = _take_point(args)
    call.phone.input.touch_down(x, y)
    call.phone.input.touch_up(x, y)


async def _swipe_path(call: CommandCall, args: Arguments) -> None:
    start, end = _take_point(args), _take_point(args)
    await call.system.carry_out(_drag_finger(call, start, end, _take_duration(args), hold=0))


async def _drag_and_drop(call: CommandCall, args: Arguments) -> None:
    start, end = _take_point(args), _take_point(args)
    await call.system.carry_out(_drag_finger(call, start, end, _take_duration(args), hold=LONG_PRESS_S))


def _take_duration(args: Arguments) -> float:
    word = args.take_next()
    milliseconds = int(word) if word is not None else -1
    return (milliseconds if milliseconds >= 0 else 300) / 1000


async def _drag_finger(
    call: CommandCall, start: tuple[int, int], end: tuple[int, int], seconds: float, *, hold: float
) -> None:
    clock, phone = call.system.clock, call.phone
    phone.input.touch_down(*start)
    if hold:
        await clock.sleep(hold)
    began = clock.now()
    while (passed := clock.now() - began) < seconds:
        part = passed / seconds
        phone.input.touch_move(*(int(a + (b - a) * part) for a, b in zip(start, end, strict=True)))
        await clock.sleep(min(MOVE_EVERY_S, seconds - passed))
    phone.input.touch_move(*end)
    phone.input.touch_up(*end)


async def _send_motion_event(call: CommandCall, args: Arguments) -> None:
    action = args.take_required().upper()
    touch = {
        "DOWN": call.phone.input.touch_down,
        "MOVE": call.phone.input.touch_move,
        "UP": call.phone.input.touch_up,
        "CANCEL": call.phone.input.touch_cancel,
    }.get(action)
    if touch is None:
        raise JavaException("java.lang.IllegalArgumentException", f"Unknown action: {action}")
    touch(*_take_point(args))


async def _type_text(call: CommandCall, args: Arguments) -> None:
    text = unescape_spaces(args.take_required())
    if not text.isascii():
        reason = "Attempt to get length of null array"
        raise JavaException("java.lang.NullPointerException", reason, *NON_ASCII_FRAMES)
    for index, line in enumerate(text.split("\n")):
        if index:
            call.phone.input.press_key(ENTER)
        if line:
            call.phone.input.type_text(line)


def unescape_spaces(text: str) -> str:
    """Turn `%s` into a space; a percent sign before anything else stands for itself."""
    return text.replace("%s", " ")


async def _send_key_event(call: CommandCall, args: Arguments) -> None:
    word: str | None = args.take_required()
    flags: set[str] = set()
    while word is not None and word.startswith("--"):
        flags.add(word)
        word = args.take_next()
    while word is not None:
        for _ in range(2 if "--doubletap" in flags else 1):
            if "--longpress" in flags:
                await call.system.clock.sleep(LONG_PRESS_S)
            call.phone.input.press_key(to_key_code(word))
            if "--doubletap" in flags:
                await call.system.clock.sleep(DOUBLE_TAP_S)
        word = args.take_next()


async def _send_key_combination(call: CommandCall, args: Arguments) -> None:
    word = args.take_required()
    if word == "-t":
        int(args.take_required())
        word = args.take_required()
    codes = [to_key_code(each) for each in (word, *args.take_rest())]
    if len(codes) < 2:
        reason = "keycombination requires at least 2 keycodes"
        raise JavaException("java.lang.IllegalArgumentException", reason)
    call.phone.input.press_together(codes)


async def _press_trackball(call: CommandCall, args: Arguments) -> None:
    """Do nothing, as a real phone without a trackball."""


async def _roll_trackball(call: CommandCall, args: Arguments) -> None:
    _take_point(args)


ACTIONS: dict[str, Callable[[CommandCall, Arguments], Awaitable[None]]] = {
    "tap": _tap_point,
    "swipe": _swipe_path,
    "draganddrop": _drag_and_drop,
    "motionevent": _send_motion_event,
    "text": _type_text,
    "keyevent": _send_key_event,
    "keycombination": _send_key_combination,
    "press": _press_trackball,
    "roll": _roll_trackball,
}

COMMANDS: Family = {"input": run_input}
