"""What users and their scripts do with the real adb beside the shell: logcat, reverse, bugreport, content."""

from __future__ import annotations

import asyncio
import zipfile
from pathlib import Path

import pytest

from deskhand.simphone.apps.phone_settings.app import SettingsApp
from deskhand.simphone.apps.phone_settings.device_pages import AboutPage
from tests.conftest import ConnectedPhone


async def test_adb_logcat_shows_the_log_and_ends_when_told_to(sim: ConnectedPhone) -> None:
    """`adb logcat` runs `export ANDROID_LOG_TAGS=…; exec logcat …` on the phone."""
    await sim.out("am start -n com.android.settings/.Settings")
    code, out, err = await sim.adb_run("logcat", "-d")
    assert (code, err) == (0, "")
    assert out.startswith("--------- beginning of main\n")
    assert "I ActivityTaskManager: START u0 {cmp=com.android.settings/" in out
    await sim.adb_run("logcat", "-c")
    assert "START" not in (await sim.adb_run("logcat", "-d"))[1]


async def test_logcat_goes_on_until_its_host_leaves(sim: ConnectedPhone) -> None:
    process = await asyncio.create_subprocess_exec(
        sim.adb.path, "-P", str(sim.adb.port), "-s", sim.serial, "logcat", "-T", "1",
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout
        async with asyncio.timeout(20):
            await process.stdout.readline()
            await sim.out("log -p w -t Mine hello from here")
            while "W Mine    : hello from here" not in (await process.stdout.readline()).decode():
                pass
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize(
    ("filters", "seen"),
    [("", "abc"), ("-s A", "a"), ("-s A:W", ""), ("A:S", "bc"), ("*:E", "c"), ("B:V *:S", "b"), ("*:S", "")],
)
async def test_logcat_filters_by_tag_and_priority(sim: ConnectedPhone, filters: str, seen: str) -> None:
    await sim.out("logcat -c; log -p i -t A a; log -p w -t B b; log -p e -t C c")
    out = await sim.out(f"logcat -d {filters}")
    assert "".join(line[-1] for line in out.splitlines()[1:]) == seen


async def test_logcat_of_a_phone_that_was_just_started_tells_of_its_start(sim: ConnectedPhone) -> None:
    heading, *lines = (await sim.out("logcat -d -t 2")).splitlines()
    assert heading.startswith("-----")
    assert [line.partition(" I ")[2].partition(":")[0].strip() for line in lines] == [
        "ActivityManager",
        "SystemServiceManager",
    ]


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("raw", "你好"),
        ("tag", "W/Mine    : 你好"),
        ("brief", "W/Mine    (  612): 你好"),
        ("time", " W/Mine    (  612): 你好"),
    ],
)
async def test_logcat_writes_lines_in_the_form_that_is_asked_for(sim: ConnectedPhone, form: str, shown: str) -> None:
    await sim.out("log -p w -t Mine 你好")
    assert (await sim.out(f"logcat -d -v {form} -s Mine")).splitlines()[-1].endswith(shown)


@pytest.mark.parametrize("option", ["-t '12-31 23:59:59.999'", "-t '2026-12-31 23:59:59.999'", "-d -e nothing"])
async def test_logcat_leaves_out_what_is_older_or_says_else(sim: ConnectedPhone, option: str) -> None:
    sim.phone.log.clear_lines()
    await sim.out("log -t Mine hello")
    assert "hello" not in await sim.out(f"logcat {option}")
    assert "hello" in await sim.out("logcat -t '01-01 00:00:00.000' -e hel+o")


async def test_adb_reverse_leads_from_the_phone_to_the_host(sim: ConnectedPhone) -> None:
    got: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        got.append(await reader.readline())
        writer.write(b"from the host\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert (await sim.shell("echo hi | nc localhost 8000"))[0] == 1, "nobody listens there yet"
        assert (await sim.adb_run("reverse", "tcp:8000", f"tcp:{port}"))[0] == 0
        assert (await sim.adb_run("reverse", "--list"))[1].split()[1:] == ["tcp:8000", f"tcp:{port}"]
        assert await sim.out("echo hi | nc localhost 8000") == "from the host\n"
        assert got == [b"hi\n"]
        code, _, err = await sim.adb_run("reverse", "--no-rebind", "tcp:8000", "tcp:1")
        assert (code, "cannot rebind" in err) == (1, True)
        assert (await sim.adb_run("reverse", "--remove", "tcp:8000"))[0] == 0
        assert (await sim.adb_run("reverse", "--remove", "tcp:8000"))[0] == 1
        assert (await sim.shell("echo hi | nc localhost 8000"))[0] == 1
        code, chosen, _ = await sim.adb_run("reverse", "tcp:0", f"tcp:{port}")
        assert (code, chosen.strip().isdecimal()) == (0, True)
        assert await sim.out(f"echo hi | nc localhost {chosen.strip()}") == "from the host\n"
        assert (await sim.adb_run("reverse", "--remove-all"))[0] == 0
        assert (await sim.adb_run("reverse", "--list"))[1].strip() == ""


async def test_a_reversed_port_to_which_nobody_listens_is_closed(sim: ConnectedPhone) -> None:
    await sim.adb_run("reverse", "tcp:8001", "tcp:1")
    assert (await sim.shell("echo hi | nc localhost 8001"))[0] == 1
    await sim.adb_run("reverse", "--remove-all")


async def test_adb_bugreport_brings_a_zip(sim: ConnectedPhone, tmp_path: Path) -> None:
    target = tmp_path / "report.zip"
    code, out, err = await sim.adb_run("bugreport", str(target))
    assert code == 0, out + err
    with zipfile.ZipFile(target) as archive:
        name = archive.read("main_entry.txt").decode()
        text = archive.read(name).decode()
    assert "== dumpstate: " in text
    assert "[ro.build.version.release]: [13]" in text
    assert "mCurrentFocus=" in text


async def test_content_reads_and_changes_the_settings(sim: ConnectedPhone) -> None:
    uri = "--uri content://settings/system"
    where = "--where \"name='screen_brightness'\""
    out = await sim.out(f"content query {uri} {where}")
    assert out.startswith("Row: 0 _id=")
    assert out.endswith("name=screen_brightness, value=128\n")
    assert await sim.out(f"content query {uri} --projection value {where}") == "Row: 0 value=128\n"
    await sim.out(f"content insert {uri} --bind name:s:screen_brightness --bind value:i:200")
    assert await sim.out("settings get system screen_brightness") == "200\n"
    await sim.out(f"content update {uri} --bind value:i:90 {where}")
    assert await sim.out("settings get system screen_brightness") == "90\n"
    await sim.out(f"content delete {uri} {where}")
    assert await sim.out("settings get system screen_brightness") == "null\n"
    assert await sim.out(f"content query {uri} --where \"name='nothing'\"") == "No result found.\n"


async def test_content_reads_the_address_book_and_knows_what_it_lacks(sim: ConnectedPhone) -> None:
    out = await sim.out("content query --uri content://com.android.contacts/contacts --projection display_name")
    names = [one["name"] for one in sim.phone.read_state()["apps"]["com.android.contacts"]["contacts"]]
    assert [line.partition("display_name=")[2] for line in out.splitlines()] == names
    for empty in ("sms/inbox", "call_log/calls"):
        assert await sim.out(f"content query --uri content://{empty}") == "No result found.\n"
    code, _, err = await sim.shell("content query --uri content://nobody/here")
    assert (code, "Could not find provider: nobody" in err) == (0, True)
    assert "[ERROR]" in await sim.out("content query")


async def test_the_phone_tells_one_version_everywhere(sim: ConnectedPhone) -> None:
    release = (await sim.out("getprop ro.build.version.release")).strip()
    model = (await sim.out("getprop ro.product.model")).strip()
    build = (await sim.out("getprop ro.build.id")).strip()
    await sim.out("am start -n com.android.settings/.Settings")
    settings = sim.phone.apps.find_app("com.android.settings")
    assert isinstance(settings, SettingsApp)
    settings.push_page(AboutPage(settings))
    sim.phone.settle_screen()
    shown = await sim.out("uiautomator dump /data/local/tmp/x.xml >/dev/null; cat /data/local/tmp/x.xml")
    for fact in (release, model, build):
        assert f'text="{fact}"' in shown, fact


async def test_the_language_is_told_as_android_does(sim: ConnectedPhone) -> None:
    for locale, name in (("en", "en-US\n"), ("zh", "zh-CN\n")):
        sim.phone.locale = locale
        assert await sim.out("getprop persist.sys.locale") == name
        assert await sim.out("settings get system system_locales") == name
