"""am, monkey, pm and cmd: starting, stopping and listing apps, with the real texts."""

import pytest

from tests.conftest import ConnectedPhone

LAUNCHER = "-c android.intent.category.LAUNCHER"


async def test_am_start_by_component(sim: ConnectedPhone) -> None:
    line = "am start -n com.android.settings/.Settings"
    assert await sim.shell(line) == (0, "Starting: Intent { cmp=com.android.settings/.Settings }\n", "")
    assert sim.phone.windows.foreground[0] == "com.android.settings"
    code, _, err = await sim.shell(line)
    assert (code, err) == (
        0,
        "Warning: Activity not started, intent has been delivered to currently running top-most instance.\n",
    )


async def test_am_start_can_wait_for_the_launch(sim: ConnectedPhone) -> None:
    out = await sim.out("am start -W -n com.tencent.mm/com.tencent.mm.ui.LauncherUI")
    assert "Status: ok\nLaunchState: COLD\nActivity: com.tencent.mm/.ui.LauncherUI\nTotalTime: " in out
    assert out.endswith("Complete\n")
    assert not sim.phone.display.is_animating()


async def test_am_start_opens_an_address_in_the_browser(sim: ConnectedPhone) -> None:
    out = await sim.out("am start -a android.intent.action.VIEW -d https://example.com/a/b")
    assert out == "Starting: Intent { act=android.intent.action.VIEW dat=https://example.com/... }\n"
    assert sim.phone.windows.foreground[0] == "com.android.browser"


async def test_am_start_goes_to_settings_and_home_by_action(sim: ConnectedPhone) -> None:
    await sim.out("am start -a android.settings.SETTINGS")
    assert sim.phone.windows.foreground[0] == "com.android.settings"
    await sim.out("am start -a android.intent.action.MAIN -c android.intent.category.HOME")
    assert sim.phone.windows.foreground[0] == "com.android.launcher3"


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        ("am start -n a.b/.C", 1, "Error type 3\nError: Activity class {a.b/a.b.C} does not exist.\n"),
        (
            "am start -n com.tencent.mm/.Nope", 1,
            "Error type 3\nError: Activity class {com.tencent.mm/com.tencent.mm.Nope} does not exist.\n",
        ),
        (
            "am start -a android.intent.action.VIEW -d foo:bar", 1,
            "Error: Activity not started, unable to resolve "
            "Intent { act=android.intent.action.VIEW dat=foo:bar flg=0x10000000 }\n",
        ),
        (
            "am start -n nonsense", 255,
            "\nException occurred while executing 'start':\n"
            "java.lang.IllegalArgumentException: Bad component name: nonsense\n",
        ),
        ("am start -f many x.y/.z", 255, "\nException occurred while executing 'start':\n"
         "java.lang.IllegalArgumentException: Bad flags: many\n"),
        ("am start -a", 255, "\nException occurred while executing 'start':\n"
         'java.lang.IllegalArgumentException: Argument expected after "-a"\n'),
        ("am force-stop", 255, "\nException occurred while executing 'force-stop':\n"
         'java.lang.IllegalArgumentException: Argument expected after "force-stop"\n'),
        ("am startservice a.b/.C", 255, "Error: Not found; no service started.\n"),
        ("cmd nope", 20, "cmd: Can't find service: nope\n"),
        ("cmd", 20, "cmd: No service specified; use -l to list all services\n"),
        ("cmd clipboard get", 255, "No shell command implementation.\n"),
        ("pm list", 255, "Error: didn't specify type of data to list\n"),
        ("pm list cats", 255, "Error: unknown list type 'cats'\n"),
        ("pm list packages -Z", 255, "Error: Unknown option: -Z\n"),
    ],
)  # fmt: skip
async def test_errors_are_androids(sim: ConnectedPhone, line: str, code: int, error: str) -> None:
    got, _, err = await sim.shell(line)
    assert (got, err) == (code, error)


async def test_force_stop_sends_the_app_away(sim: ConnectedPhone) -> None:
    sim.phone.apps.launch_app("com.tencent.mm")
    assert await sim.out("am force-stop com.tencent.mm") == ""
    assert sim.phone.windows.foreground[0] == "com.android.launcher3"
    out = await sim.out("am start -S -n com.tencent.mm/.ui.LauncherUI -f 0x10000000 --es k v -t text/plain")
    assert out == (
        "Stopping: com.tencent.mm\nStarting: Intent { typ=text/plain flg=0x10000000 "
        "cmp=com.tencent.mm/.ui.LauncherUI (has extras) }\n"
    )
    await sim.out("am kill com.tencent.mm; am kill-all")
    assert sim.phone.windows.foreground[0] == "com.tencent.mm"


async def test_monkey_starts_an_app_by_its_icon(sim: ConnectedPhone) -> None:
    code, out, err = await sim.shell(f"monkey -p com.tencent.mm {LAUNCHER} 1")
    assert code == 0
    assert "  bash arg: com.tencent.mm\n" in out
    assert "Events injected: 1\n" in out
    assert "args: [-p, com.tencent.mm, -c, android.intent.category.LAUNCHER, 1]" in err
    assert sim.phone.windows.foreground[0] == "com.tencent.mm"


@pytest.mark.parametrize("package", ["no.such.app", "com.android.systemui", "com.android.adbkeyboard"])
async def test_monkey_finds_nothing_to_run(sim: ConnectedPhone, package: str) -> None:
    code, out, _ = await sim.shell(f"monkey -p {package} {LAUNCHER} 1")
    assert (code, out.splitlines()[-1]) == (252, "** No activities found to run, monkey aborted.")


async def test_monkey_wants_a_count(sim: ConnectedPhone) -> None:
    code, _, err = await sim.shell("monkey -p com.tencent.mm")
    assert (code, "Count not specified" in err) == (255, True)


async def test_am_answers_small_questions(sim: ConnectedPhone) -> None:
    assert await sim.out("am get-current-user") == "0\n"
    assert await sim.shell("am fly") == (255, "Unknown command: fly\n", "")
    assert (await sim.shell("am"))[0] == 255
    code, out, _ = await sim.shell("am instrument -w com.github.uiautomator/Runner")
    assert (code, out.splitlines()[-1]) == (1, "INSTRUMENTATION_FAILED: com.github.uiautomator/Runner")


async def test_packages_are_listed_and_filtered(sim: ConnectedPhone) -> None:
    everything = (await sim.out("pm list packages")).split()
    assert {"package:com.tencent.mm", "package:com.android.settings", "package:com.android.adbkeyboard"} <= set(
        everything
    )
    third, system = (await sim.out("pm list packages -3")).split(), (await sim.out("pm list packages -s")).split()
    assert "package:com.tencent.mm" in third
    assert "package:com.android.settings" in system
    assert sorted(third + system) == sorted(everything)
    assert await sim.out("cmd package list packages --user 0 tencent") == "package:com.tencent.mm\n"
    assert "/base.apk=com.tencent.mm\n" in await sim.out("pm list packages -f")
    assert "com.tencent.mm versionCode:33  installer=null uid:10" in await sim.out(
        "pm list packages --show-versioncode -i -U tencent"
    )
    assert await sim.out("pm list packages -d") == ""


async def test_paths_of_packages(sim: ConnectedPhone) -> None:
    assert (await sim.out("pm path com.tencent.mm")).startswith("package:/data/app/")
    assert (await sim.out("pm path com.android.settings")).startswith("package:/system/app/")
    assert await sim.shell("pm path no.such") == (1, "", "")


async def test_activities_are_resolved(sim: ConnectedPhone) -> None:
    brief = await sim.out("cmd package resolve-activity --brief com.tencent.mm")
    assert brief.splitlines() == [
        "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true",
        "com.tencent.mm/.ui.LauncherUI",
    ]
    assert await sim.out("cmd package resolve-activity --brief no.such") == "No activity found\n"
    many = await sim.out(f"cmd package query-activities --brief -a android.intent.action.MAIN {LAUNCHER}")
    assert "    com.tencent.mm/.ui.LauncherUI\n" in many
    plain = await sim.out(f"cmd package query-activities --components -a android.intent.action.MAIN {LAUNCHER}")
    assert "com.android.settings/.Settings" in plain.split()
    assert "packageName=com.tencent.mm" in await sim.out(
        "cmd package resolve-activity -n com.tencent.mm/.ui.LauncherUI"
    )


async def test_cmd_is_a_door_to_the_same_services(sim: ConnectedPhone) -> None:
    assert await sim.out("cmd settings get global wifi_on") == await sim.out("settings get global wifi_on")
    assert await sim.out("cmd window size") == "Physical size: 1080x2400\n"
    assert "input_method" in await sim.out("cmd -l")
    assert await sim.out("cmd statusbar collapse") == ""
    assert (await sim.shell("cmd statusbar dance"))[0] == 255
    await sim.out("cmd activity start -n com.tencent.mm/.ui.LauncherUI; cmd input keyevent HOME")
    assert sim.phone.windows.foreground[0] == "com.android.launcher3"


async def test_packages_do_not_change_from_the_shell(sim: ConnectedPhone) -> None:
    assert await sim.shell("pm clear com.tencent.mm") == (1, "Failed\n", "")
    assert (await sim.shell("pm disable com.tencent.mm"))[0] == 255
    assert await sim.out("pm enable com.tencent.mm") == "Package com.tencent.mm new state: enabled\n"
    assert (await sim.shell("pm enable no.such"))[0] == 255
    assert await sim.shell("pm uninstall no.such") == (1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n", "")
    assert (await sim.shell("pm"))[0] == (await sim.shell("pm fly"))[0] == 255
    assert await sim.out("pm grant com.tencent.mm android.permission.CAMERA; pm list users") == (
        "Users:\n\tUserInfo{0:Owner:c13} running\n"
    )
