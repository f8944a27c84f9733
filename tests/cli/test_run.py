"""`deskhand run`: what it prints, where, and what it ends with."""

import re
import resource
import signal
from pathlib import Path

import pytest

from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from tests.cli.conftest import Cli
from tests.conftest import Adb, ConnectedPhone

WIFI = "Open Settings, turn on Wi-Fi and verify that Wi-Fi is on"


# --- reached, or not ----------------------------------------------------------------------------------------------


async def test_json_is_one_object_on_stdout_and_nothing_else_anywhere(cli: Cli, sim: ConnectedPhone) -> None:
    ended = await cli("run", WIFI, "--device", f"android:{sim.serial}", "--json")
    told = ended.json
    assert (ended.code, ended.err) == (0, "")
    assert told["status"] == "fulfilled"
    assert told["device"] == f"android:{sim.serial}"
    assert told["model_calls"] == 0
    assert told["exit_code"] == 0
    assert [action["action"]["kind"] for step in told["steps"] for action in step["actions"]][:2] == [
        "open_app",
        "click",
    ]
    assert sim.phone.read_state()["settings"]["global"]["wifi_on"] == "1"


async def test_without_a_device_a_simulated_phone_is_started_and_lines_tell_what_happens(cli: Cli) -> None:
    ended = await cli("run", "打开计算器，计算 12*34，读取结果", "--loop", "single")
    lines = ended.out.splitlines()
    assert (ended.code, ended.err) == (0, "")
    assert lines[0] == "打开计算器，计算 12*34，读取结果"
    assert lines[1].startswith("sim · 无模型 · 任务 ")
    assert "  1  打开应用“计算器”" in lines
    assert "     结果：408" in lines
    assert lines[-2].startswith("✔ 完成：打开了“计算器”")
    assert re.fullmatch(r"\d+ 步，[\d.]+ 秒 · deskhand show \w+", lines[-1])
    assert "\x1b" not in ended.out, "colours are for terminals"


async def test_a_goal_that_nothing_fits_is_rejected(cli: Cli) -> None:
    ended = await cli("run", "打开设置，点击紫色的大象", "--json")
    assert ended.code == 1
    assert ended.json["status"] == "rejected"
    assert "紫色的大象" in ended.json["reason"]


async def test_a_blocked_site_is_refused_in_one_sentence_with_one_full_stop(cli: Cli) -> None:
    address = ("--url", "https://evil.example/pay")
    ended = await cli("run", "read the page", *address, DESKHAND_POLICY__SITES_DENY="evil.example")
    sentence = ended.refused(2)
    assert "evil.example" in sentence
    assert "policy.sites_deny" in sentence
    assert sentence.endswith(".")
    assert not sentence.endswith("..")


async def test_the_step_limit_ends_a_run_and_a_long_reason_stays_on_one_line(cli: Cli) -> None:
    ended = await cli("run", WIFI, "--max-steps", "1")
    assert ended.code == 1
    assert "the limit of 1 steps was reached" in ended.out.splitlines()[-2]
    told = (await cli("show", "last", "--json")).json
    assert (told["cause"], told["exit_code"]) == ("steps", 1)


async def test_a_device_is_named_in_the_settings_file(cli: Cli, sim: ConnectedPhone) -> None:
    Path(cli.env["DESKHAND_CONFIG"]).write_text(f'device = "android:{sim.serial}"\n')
    ended = await cli("run", "打开设置", "--json")
    assert ended.json["device"] == f"android:{sim.serial}"


# --- bad words ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", ["", "   \n "])
async def test_an_empty_goal_is_refused(cli: Cli, goal: str) -> None:
    ended = await cli("run", goal, "--device", "toaster")
    assert "The goal is empty: say what is to be done" in ended.refused(2), "before any device is looked at"


async def test_an_unknown_loop_is_refused(cli: Cli) -> None:
    assert "Unknown loop 'triple': use --loop single or --loop dual" in (
        await cli("run", WIFI, "--loop", "triple")
    ).refused(2)


@pytest.mark.parametrize("args", [(), (WIFI, "--max-steps", "0"), (WIFI, "--no-such-option"), (WIFI, "and", "more")])
async def test_a_wrong_command_line_is_explained(cli: Cli, args: tuple[str, ...]) -> None:
    ended = await cli("run", *args)
    assert ended.code == 2
    assert "Usage: " in ended.err
    assert ended.out == ""


# --- bad devices --------------------------------------------------------------------------------------------------


async def test_an_unknown_device_is_refused_in_json_too(cli: Cli) -> None:
    ended = await cli("run", WIFI, "--device", "toaster", "--json")
    assert "There is no device 'toaster'" in ended.refused(3)
    assert ended.json["status"] == "error"
    assert ended.json["exit_code"] == 3
    assert "toaster" in ended.json["reason"]


async def test_an_unknown_phone_is_refused(cli: Cli) -> None:
    assert "adb sees no phone R58M12" in (await cli("run", WIFI, "-d", "android:R58M12")).refused(3)


@pytest.mark.parametrize(("condition", "sentence"), [("unauthorized", "accept"), ("locked", "unlock")])
async def test_a_phone_that_can_not_be_used_says_what_to_do(cli: Cli, adb: Adb, condition: str, sentence: str) -> None:
    async with SimPhone(Phone(conditions=[condition])) as phone:
        ended = await cli("run", WIFI, "-d", f"android:{phone.address}")
        await adb.run("disconnect", phone.address)
    assert sentence in ended.refused(3)


async def test_a_phone_that_fell_silent_is_called_offline(cli: Cli, sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("offline")
    await sim.becomes("offline")
    assert f"The phone {sim.serial} is offline" in (await cli("run", WIFI, "-d", f"android:{sim.serial}")).refused(3)


async def test_a_phone_that_goes_away_in_the_middle_ends_the_run(cli: Cli, adb: Adb) -> None:
    async with SimPhone(Phone()) as phone:
        running = await cli.start("run", WIFI, "-d", f"android:{phone.address}")
        await running.line("  1  open app")
    ended = await running.ended()
    await adb.run("disconnect", phone.address)
    assert ended.code == 3, ended.out + ended.err
    assert "✘ rejected" in ended.out
    assert "Traceback" not in ended.err


async def test_a_busy_phone_is_refused_or_waited_for(cli: Cli, sim: ConnectedPhone) -> None:
    device = f"android:{sim.serial}"
    # It holds the phone until it is stopped: one that ends by itself may do so before the others have started.
    first = await cli.start("run", "Open Settings and wait 10 minutes", "-d", device)
    await first.line("  1  open app")
    waiting = await cli.start("run", "打开计算器，计算 1+2", "-d", device, "--wait", "100")
    assert f"The device {device} is busy" in (await cli("run", WIFI, "-d", device)).refused(3)
    first.send(signal.SIGINT)
    assert (await first.ended()).code == 130
    assert (await waiting.ended()).code == 0
    assert sim.phone.read_state()["apps"]["com.android.calculator2"]["display"] == "3"


async def test_a_missing_adb_is_named(cli: Cli) -> None:
    assert "/nowhere/adb" in (await cli("run", WIFI, DESKHAND_ADB__PATH="/nowhere/adb")).refused(3)


# --- bad settings and data folders --------------------------------------------------------------------------------


async def test_an_unknown_setting_is_named_with_its_place(cli: Cli) -> None:
    assert "Unknown setting 'nope' in the environment" in (await cli("run", WIFI, DESKHAND_NOPE="1")).refused(2)
    Path(cli.env["DESKHAND_CONFIG"]).write_text("[settle]\nmax_wait_ms = -1\n")
    sentence = (await cli("run", WIFI)).refused(2)
    assert "settle.max_wait_ms" in sentence
    assert cli.env["DESKHAND_CONFIG"] in sentence


async def test_a_data_folder_that_can_not_be_written_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    below = str(tmp_path / "file" / "data")
    sentence = (await cli("run", WIFI, DESKHAND_DATA_DIR=below)).refused(2)
    assert f"The data folder {below} can't be written" in sentence
    assert "DESKHAND_DATA_DIR" in sentence


async def test_a_disk_that_fills_up_ends_the_run_in_a_sentence_and_leaves_the_journal_readable(cli: Cli) -> None:
    """As root no file mode stops us, but a limit on the size of files does, as a full disk would."""
    await cli("run", "打开设置")
    full = (cli.data / "journal.db").stat().st_size + 8192

    def small_disk() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (full, full))

    sentence = (await cli.unmeasured()("run", WIFI, preexec=small_disk)).refused(2)
    assert "space" in sentence
    assert str(cli.data) in sentence
    runs = (await cli("runs", "--json")).json["runs"]
    assert [run["status"] for run in runs][-1] == "fulfilled"
    assert (await cli("show", "last")).code == 0
