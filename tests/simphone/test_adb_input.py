"""Touches, keys and text over adb, and what the phone's body makes of them."""

import asyncio
import base64
import re
import time

import pytest

from tests.conftest import ConnectedPhone

NOTES = "com.miui.notes"


async def settled(sim: ConnectedPhone) -> None:
    async with asyncio.timeout(10):
        while sim.phone.display.is_animating():
            await asyncio.sleep(0.01)


async def focus_a_field(sim: ConnectedPhone) -> None:
    """Tap the first text field that the contacts' tree shows."""
    sim.phone.apps.launch_app("com.android.contacts")
    await settled(sim)
    xml = sim.phone.windows.dump_hierarchy()
    match = re.search(r'class="android.widget.EditText"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', xml)
    assert match, xml
    x1, y1, x2, y2 = map(int, match.groups())
    await sim.out(f"input tap {(x1 + x2) // 2} {(y1 + y2) // 2}")
    await settled(sim)
    assert sim.phone.windows.focused_field is not None


def typed(sim: ConnectedPhone) -> str:
    assert sim.phone.windows.focused_field is not None
    return sim.phone.windows.focused_field.text


async def test_a_tap_reaches_what_lies_there(sim: ConnectedPhone) -> None:
    await sim.out("uiautomator dump")
    xml = await sim.out("cat /sdcard/window_dump.xml")
    match = re.search(r'(?:text|content-desc)="(?:设置|Settings)"[^>]*bounds="\[(\d+),(\d+)\]\[(\d+),(\d+)\]"', xml)
    assert match
    x1, y1, x2, y2 = map(int, match.groups())
    await sim.out(f"input touchscreen tap {(x1 + x2) / 2} {(y1 + y2) / 2}")
    assert sim.phone.windows.foreground[0] == "com.android.settings"


async def test_a_swipe_lasts_as_long_as_it_says(sim: ConnectedPhone) -> None:
    began = time.monotonic()
    await sim.out("input swipe 540 1800 540 600 400")
    assert time.monotonic() - began >= 0.4


async def test_a_swipe_opens_the_locked_phone(sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("locked")
    await sim.out("input swipe 540 2000 540 500 100")
    assert not sim.phone.is_locked


async def test_a_tap_during_a_swipe_is_served_at_once(sim: ConnectedPhone) -> None:
    swipe = asyncio.create_task(sim.shell("input swipe 900 1200 200 1200 3000"))
    await asyncio.sleep(0.2)
    assert (await sim.shell("input keyevent 24"))[0] == 0
    assert not swipe.done()
    assert (await swipe)[0] == 0


async def test_a_swipe_goes_on_when_its_asker_is_killed(sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("locked")
    line = "echo > /sdcard/began; input swipe 540 2000 540 500 600"
    process = await asyncio.create_subprocess_exec(
        sim.adb.path, "-P", str(sim.adb.port), "-s", sim.serial, "shell", line
    )
    async with asyncio.timeout(30):
        while not sim.sim.system.files.has_path("/sdcard/began"):
            await asyncio.sleep(0.01)
    process.kill()
    await process.wait()
    async with asyncio.timeout(10):
        while sim.phone.is_locked:
            await asyncio.sleep(0.02)


async def test_drag_and_drop_holds_before_it_moves(sim: ConnectedPhone) -> None:
    began = time.monotonic()
    await sim.out("input draganddrop 540 1800 540 600 100")
    assert time.monotonic() - began >= 0.6


async def test_motion_events_make_a_gesture_by_hand(sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("locked")
    line = "input motionevent DOWN 540 2000; " + "".join(f"input motionevent MOVE 540 {y}; " for y in (1500, 800))
    await sim.out(line + "input motionevent UP 540 400")
    assert not sim.phone.is_locked


async def test_keys_go_by_number_and_by_name(sim: ConnectedPhone) -> None:
    sim.phone.apps.launch_app("com.android.settings")
    await sim.out("input keyevent 3")
    assert sim.phone.windows.foreground[0] == "com.android.launcher3"
    sim.phone.apps.launch_app("com.android.settings")
    await sim.out("input keyevent KEYCODE_HOME")
    assert sim.phone.windows.foreground[0] == "com.android.launcher3"
    await sim.out("input keyevent POWER")
    assert not sim.phone.awake
    await sim.out("input keyevent --longpress WAKEUP NO_SUCH_KEY 9999")
    assert sim.phone.awake


async def test_text_is_typed_with_percent_s_for_a_space(sim: ConnectedPhone) -> None:
    await focus_a_field(sim)
    await sim.out("input text 'a%sb%%s100%'")
    assert typed(sim) == "a b% 100%"
    await sim.out("input keycombination 113 29; input keyevent DEL")
    assert typed(sim) == ""


async def test_only_the_first_word_is_typed(sim: ConnectedPhone) -> None:
    await focus_a_field(sim)
    await sim.out("input text hello world")
    assert typed(sim) == "hello"


async def test_text_that_is_not_ascii_fails_and_types_nothing(sim: ConnectedPhone) -> None:
    await focus_a_field(sim)
    code, out, err = await sim.shell("input text 你好")
    assert (code, out) == (255, "")
    assert err.startswith(
        "\nException occurred while executing 'text':\n"
        "java.lang.NullPointerException: Attempt to get length of null array\n"
        "\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:"
    )
    assert typed(sim) == ""


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("input tap 1", 'java.lang.IllegalArgumentException: Argument expected after "1"'),
        ("input tap a b", "Error: Invalid arguments for command: tap"),
        ("input swipe 1 2 3", 'Argument expected after "3"'),
        ("input swipe 1 2 3 4 long", "Error: Invalid arguments for command: swipe"),
        ("input motionevent HOVER 1 2", "Unknown action: HOVER"),
        ("input keyevent", 'Argument expected after "keyevent"'),
        ("input keycombination 4", "keycombination requires at least 2 keycodes"),
        ("input text", 'Argument expected after "text"'),
    ],
)
async def test_wrong_arguments_give_the_real_exception(sim: ConnectedPhone, line: str, error: str) -> None:
    code, out, err = await sim.shell(line)
    assert (code, out) == (255, "")
    assert error in err


async def test_input_without_a_known_command_explains_itself(sim: ConnectedPhone) -> None:
    code, out, _ = await sim.shell("input")
    assert (code, out.splitlines()[0]) == (255, "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]")
    assert await sim.shell("input fly") == (0, "Unknown command: fly\n", "")
    assert "trackball" in await sim.out("input help")


async def test_events_of_hardware_the_phone_lacks_go_nowhere(sim: ConnectedPhone) -> None:
    assert await sim.out("input press; input roll 1 2; input trackball roll 1 1; input -d 0 press") == ""


async def test_the_adb_keyboard_types_any_text_once_it_is_set(sim: ConnectedPhone) -> None:
    await focus_a_field(sim)
    message = base64.b64encode("明天下午两点开会 😀".encode()).decode()
    told = "Broadcasting: Intent { act=ADB_INPUT_B64 flg=0x400000 (has extras) }\nBroadcast completed: result=0\n"
    assert await sim.out(f"am broadcast -a ADB_INPUT_B64 --es msg {message}") == told
    assert typed(sim) == ""
    await sim.out("ime enable com.android.adbkeyboard/.AdbIME; ime set com.android.adbkeyboard/.AdbIME")
    assert await sim.out(f"am broadcast -a ADB_INPUT_B64 --es msg {message}") == told
    assert typed(sim) == "明天下午两点开会 😀"
    await sim.out("am broadcast -a ADB_CLEAR_TEXT")
    assert typed(sim) == ""
    await sim.out("am broadcast -a ADB_INPUT_TEXT --es msg '你 好'; am broadcast -a ADB_INPUT_CHARS --eia chars 97,98")
    assert typed(sim) == "你 好ab"
    await sim.out("am broadcast -a ADB_INPUT_CODE --ei code 67")
    assert typed(sim) == "你 好a"
    await sim.out(
        "am broadcast -a ADB_INPUT_B64 --es msg %%%; am broadcast -a OTHER; am broadcast -a ADB_EDITOR_CODE --ei code 6"
    )


async def test_ime_lists_enables_sets_and_resets(sim: ConnectedPhone) -> None:
    latin, adb = "com.android.inputmethod.latin/.LatinIME", "com.android.adbkeyboard/.AdbIME"
    assert await sim.out("ime list -s") == f"{latin}\n"
    assert await sim.out("ime list -s -a") == f"{latin}\n{adb}\n"
    assert (await sim.out("ime list -a")).startswith(f"{latin}:\n  mId={latin} ")
    assert await sim.shell(f"ime set {adb}") == (
        255, "", f"Unknown input method {adb} cannot be selected for user #0\n",
    )  # fmt: skip
    assert await sim.out(f"ime enable {adb}") == f"Input method {adb}: now enabled for user #0\n"
    assert await sim.out(f"ime enable {adb}") == f"Input method {adb}: already enabled for user #0\n"
    assert await sim.out(f"ime set --user 0 {adb}") == f"Input method {adb} selected for user #0\n"
    assert await sim.out("settings get secure default_input_method") == f"{adb}\n"
    assert await sim.out("settings get secure enabled_input_methods") == f"{latin}:{adb}\n"
    assert await sim.out("ime disable com.android.adbkeyboard/com.android.adbkeyboard.AdbIME") == (
        f"Input method {adb}: now disabled for user #0\n"
    )
    assert sim.phone.ime == latin
    assert (await sim.out("ime reset")).startswith("Reset current and enabled IMEs for user #0\n")
    assert (await sim.shell("ime set"))[0] == (await sim.shell("ime fly"))[0] == (await sim.shell("ime"))[0] == 255
