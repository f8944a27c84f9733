"""settings, svc, properties and dumpsys: what the system says about itself."""

import pytest

from tests.conftest import ConnectedPhone


async def test_settings_get_put_list_and_delete(sim: ConnectedPhone) -> None:
    assert await sim.out("settings get global wifi_on") == "0\n"
    assert await sim.out("settings get system no_such_setting") == "null\n"
    assert await sim.out("settings put system screen_brightness 200") == ""
    assert sim.phone.settings["system"]["screen_brightness"] == "200"
    listed = (await sim.out("settings list system")).splitlines()
    assert "screen_brightness=200" in listed
    assert listed == sorted(listed)
    assert await sim.out("settings delete system screen_brightness") == "Deleted 1 rows\n"
    assert await sim.out("settings delete system screen_brightness") == "Deleted 0 rows\n"
    assert await sim.out("settings --user 0 get global wifi_on") == "0\n"


async def test_the_keyboard_can_be_chosen_by_settings(sim: ConnectedPhone) -> None:
    both = "com.android.inputmethod.latin/.LatinIME:com.android.adbkeyboard/.AdbIME"
    await sim.out(f"settings put secure enabled_input_methods {both}")
    assert sim.phone.enabled_imes == both.split(":")
    await sim.out("settings put secure default_input_method com.android.adbkeyboard/.AdbIME")
    assert sim.phone.ime == "com.android.adbkeyboard/.AdbIME"
    await sim.out("settings put secure default_input_method no.such/.Keyboard")
    assert sim.phone.ime == "com.android.adbkeyboard/.AdbIME"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("settings frob system x", "Invalid command: frob\n"),
        ("settings get cosmic x", "Invalid namespace 'cosmic'\n"),
        ("settings get system a b", "Too many arguments\n"),
        ("settings put system a", "Bad arguments\n"),
        ("settings get", "Bad arguments\n"),
    ],
)
async def test_settings_refuse_nonsense(sim: ConnectedPhone, line: str, error: str) -> None:
    assert await sim.shell(line) == (255, "", error)


async def test_svc_turns_radios_on_and_off(sim: ConnectedPhone) -> None:
    await sim.out("svc wifi enable; svc data disable; svc power stayon true")
    settings = sim.phone.settings["global"]
    assert (settings["wifi_on"], settings["mobile_data"], settings["stay_on_while_plugged_in"]) == ("1", "0", "7")
    assert (await sim.shell("svc power shutdown"))[0] == (await sim.shell("svc wifi"))[0] == 1
    assert "Available commands:" in (await sim.shell("svc"))[2]


async def test_properties_are_read_and_guarded(sim: ConnectedPhone) -> None:
    assert await sim.out("getprop ro.build.version.sdk; getprop ro.product.model") == "33\nSimPhone\n"
    assert await sim.out("getprop no.such; getprop no.such fallback") == "\nfallback\n"
    assert "[ro.serialno]: [SIM" in await sim.out("getprop")
    assert await sim.out("setprop debug.x 5; getprop debug.x") == "5\n"
    code, _, err = await sim.shell("setprop ro.secure 0")
    assert (code, err) == (1, "Failed to set property 'ro.secure' to '0'.\nSee dmesg for error reason.\n")
    assert (await sim.shell("setprop x"))[0] == 1


async def test_the_window_in_front_has_the_focus(sim: ConnectedPhone) -> None:
    sim.phone.apps.launch_app("com.tencent.mm")
    out = await sim.out("dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'")
    focus, app = out.splitlines()
    assert focus.startswith("  mCurrentFocus=Window{")
    assert focus.endswith(" u0 com.tencent.mm/com.tencent.mm.ui.LauncherUI}")
    assert " u0 com.tencent.mm/.ui.LauncherUI t" in app
    assert "mCurrentFocus" in await sim.out("dumpsys window displays")
    assert "StatusBar}" in await sim.out("dumpsys window windows")
    assert "Bad window command" in await sim.out("dumpsys window curtains")


async def test_a_locked_phone_says_so_everywhere(sim: ConnectedPhone) -> None:
    locked = "mDreamingLockscreen=true"
    assert locked not in await sim.out("dumpsys window")
    sim.phone.conditions.add("locked")
    out = await sim.out("dumpsys window")
    assert locked in out
    assert "isKeyguardShowing=true" in out
    assert "NotificationShade}" in out
    assert "mKeyguardShowing=true" in await sim.out("dumpsys activity activities")
    assert "showing=true" in await sim.out("dumpsys window policy")


async def test_the_resumed_activity_is_named_in_both_ways(sim: ConnectedPhone) -> None:
    sim.phone.apps.launch_app("com.android.settings")
    out = await sim.out("dumpsys activity activities")
    for name in ("mResumedActivity: ", "topResumedActivity=", "ResumedActivity: "):
        line = next(line for line in out.splitlines() if line.strip().startswith(name))
        assert " u0 com.android.settings/" in line
    assert "ACTIVITY com.android.settings/" in await sim.out("dumpsys activity top")
    assert ":com.android.settings}" in await sim.out("dumpsys activity recents")
    assert "RECENT TASKS" in await sim.out("dumpsys activity")
    assert "Bad activity command" in await sim.out("dumpsys activity zoo")


async def test_the_battery_is_told_and_can_be_faked(sim: ConnectedPhone) -> None:
    out = await sim.out("dumpsys battery")
    assert out.startswith("Current Battery Service state:\n  AC powered: false\n")
    assert f"\n  level: {sim.phone.battery_level}\n  scale: 100\n" in out
    before = sim.phone.battery_level
    out = await sim.out("dumpsys battery set level 7; dumpsys battery set usb 1; dumpsys battery")
    assert "  USB powered: true" in out
    assert "  level: 7\n" in out
    await sim.out("dumpsys battery set status 3; dumpsys battery unplug; dumpsys battery reset")
    assert sim.phone.battery_level == before
    assert "Unknown set option: mood" in (await sim.shell("dumpsys battery set mood good"))[2]


async def test_power_and_display_follow_the_screen(sim: ConnectedPhone) -> None:
    assert "mWakefulness=Awake" in await sim.out("dumpsys power")
    await sim.out("input keyevent SLEEP")
    assert "mWakefulness=Asleep" in await sim.out("dumpsys power")
    assert "Display State=OFF" in await sim.out("dumpsys display")
    assert "mAwake=false" in await sim.out("dumpsys window policy")


async def test_the_keyboard_is_told(sim: ConnectedPhone) -> None:
    out = await sim.out("dumpsys input_method")
    assert "mInputShown=false" in out
    assert "mCurMethodId=com.android.inputmethod.latin/.LatinIME" in out
    assert "mServedView=null" in out


async def test_a_package_is_described(sim: ConnectedPhone) -> None:
    out = await sim.out("dumpsys package com.tencent.mm")
    assert "  Package [com.tencent.mm] (" in out
    assert "versionName=" in out
    assert await sim.out("dumpsys package no.such") == "Unable to find package: no.such\n"
    assert await sim.out("dumpsys package") == "Packages:\n"


async def test_dumpsys_knows_what_it_does_not_have(sim: ConnectedPhone) -> None:
    assert await sim.shell("dumpsys nope") == (0, "", "Can't find service: nope\n")
    assert "  battery\n" in await sim.out("dumpsys -l")
    assert "4619827259835644672" in await sim.out("dumpsys -t 5 SurfaceFlinger --display-id")
    assert "Notification List:" in await sim.out("dumpsys notification --noredact")
