"""The browser's life: found, started, attached to, crashed and reopened; nothing of it is left behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest

from deskhand.clock import SystemClock
from deskhand.core.actions import Click, OpenUrl, Type
from deskhand.core.errors import DeviceGone, DeviceRestarted, DeviceSetup
from deskhand.devices.browser.browser_process import start_browser
from deskhand.devices.browser.device import BrowserDevice, open_browser
from deskhand.devices.browser.executable import find_executable
from deskhand.devices.browser.provider import BrowserProvider
from deskhand.devices.pool import Pool
from deskhand.settings.schema import BrowserSettings
from tests.devices.browser.browser_stage import Site, click, device_in, find, running, script, show


def command_of(pid: int) -> str:
    """Its command line; empty if it has ended by itself meanwhile, as helpers of a browser do."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def below(pid: int) -> set[int]:
    """Every process under that one."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found: set[int] = set()
    queue = [pid]
    while queue:
        for child in children.get(queue.pop(), []):
            found.add(child)
            queue.append(child)
    return found


def running_of(pids: set[int]) -> set[int]:
    """Those that still run; a zombie waits for its parent, not for us."""
    alive: set[int] = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z":
            alive.add(pid)
    return alive


async def gone(pids: set[int]) -> None:
    async with asyncio.timeout(15):
        while running_of(pids):
            await asyncio.sleep(0.05)


@asynccontextmanager
async def launched(settings: BrowserSettings | None = None, **how: str) -> AsyncIterator[BrowserDevice]:
    device = await open_browser(settings or BrowserSettings(), clock=SystemClock(), **how)
    try:
        yield device
    finally:
        await device.close()


# --- found and started --------------------------------------------------------------------------------------------


async def test_a_browser_that_is_not_there_is_said_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.devices.browser.executable.PLACES", ())
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(DeviceSetup, match="No Chromium or Chrome was found: install one"):
        find_executable()
    with pytest.raises(DeviceSetup, match="No browser was found at /no/such"):
        await open_browser(BrowserSettings(executable=Path("/no/such")), clock=SystemClock())


async def test_a_program_that_is_no_browser_is_said_so() -> None:
    with pytest.raises(DeviceSetup, match="could not be started"):
        await open_browser(BrowserSettings(executable=Path("/bin/false")), clock=SystemClock())


async def test_the_browser_gets_none_of_our_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_SECRET_CANARY", canary := f"walrus-{uuid4()}")
    chromium = await start_browser(BrowserSettings())
    try:
        told = [folder for folder in Path("/proc").iterdir() if folder.name.isdigit() and _shows(folder, canary)]
        assert [one for one in told if "--user-data-dir" in command_of(int(one.name))] == []
    finally:
        await chromium.close()


def _shows(process: Path, word: str) -> bool:
    try:
        return word.encode() in (process / "environ").read_bytes()
    except OSError:
        return False  # it has ended meanwhile


async def test_it_opens_the_page_it_is_given_and_has_the_name_it_is_given(site: Site) -> None:
    async with launched(name="browser:shop", url=site.url("/shop.html")) as device:
        assert device.id == "browser:shop"
        assert (await device.app()).title == "Corner Shop"


async def test_a_task_that_names_a_page_begins_there_also_after_another_one(site: Site, tmp_path: Path) -> None:
    url = site.url("/shop.html")
    pool = Pool({"browser": BrowserProvider(BrowserSettings(), SystemClock())}, clock=SystemClock(), locks=tmp_path)
    try:
        async with pool.lease_device(url) as first:
            await first.act(OpenUrl(url=site.url("/form.html")))
        async with pool.lease_device(url) as second:
            assert (await second.app()).title == "Corner Shop"
            assert second.id == url, "by its name it can be leased again, when a task is resumed"
    finally:
        await pool.close()


async def test_a_profile_folder_remembers_between_runs(site: Site, tmp_path: Path) -> None:
    settings = BrowserSettings(profile=tmp_path / "profile")
    url = site.page("<p>hello")
    async with launched(settings, url=url) as device:
        await script(device, "void (localStorage.mark = 'kept')")
        assert (await device.frame()).size == (1280, 800)
        with pytest.raises(DeviceSetup, match="in use"):
            await open_browser(settings, clock=SystemClock())
    async with launched(settings, url=url) as device:
        assert await script(device, "localStorage.mark") == "kept"


async def test_page_zoom_of_a_profile_does_not_move_clicks(site: Site, tmp_path: Path) -> None:
    default = tmp_path / "Default"
    default.mkdir()
    level = 3.8017840169239308  # 200 %
    (default / "Preferences").write_text(f'{{"partition": {{"default_zoom_level": {{"x": {level}}}}}}}')
    page = "<p>above<p><button onclick=\"document.title='hit'\">Small</button>"
    async with launched(BrowserSettings(profile=tmp_path), url=site.page(page)) as device:
        assert await script(device, "devicePixelRatio") == pytest.approx(2, abs=0.01)
        await click(device, "Small")
        assert await script(device, "document.title") == "hit"
        await device.run_self_test()


# --- attached ------------------------------------------------------------------------------------------------------


@asynccontextmanager
async def foreign_browser(folder: Path) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """A browser that somebody else started, with a debugging port."""
    process = await asyncio.create_subprocess_exec(
        str(find_executable()), "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
        "--force-device-scale-factor=1.5", "--window-size=900,700", f"--user-data-dir={folder}", "about:blank",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        async with asyncio.timeout(30):
            while b"DevTools listening on" not in (line := await process.stderr.readline()):
                assert line, "the browser ended"
        yield f"http://127.0.0.1:{line.decode().split(':')[2].split('/')[0]}", process
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        while await process.stderr.read(65536):
            pass


async def test_a_running_browser_is_attached_to_checked_and_left_running(site: Site, tmp_path: Path) -> None:
    async with foreign_browser(tmp_path) as (cdp_url, process):
        async with launched(cdp_url=cdp_url, url=site.url("/form.html")) as device:
            width, _ = (await device.frame()).size
            assert width == pytest.approx(900 * 1.5, abs=2)
            await click(device, "Name", "field")
            await device.act(Type(text="attached"))
            assert (await find(device, "Name", "field")).value == "attached"
        assert process.returncode is None
        async with launched(cdp_url=cdp_url) as device:
            assert (await find(device, "Name", "field")).value == "attached"


@pytest.mark.parametrize("scheme", ["http", "ws"])
@pytest.mark.parametrize("place", [0, 1, 2])
async def test_of_several_tabs_the_one_that_the_user_sees_is_worked_on(
    site: Site, tmp_path: Path, place: int, scheme: str
) -> None:
    addresses = [site.page(f"<title>{word}</title>", f"/{word}.html") for word in ("one", "two", "three")]
    async with foreign_browser(tmp_path) as (cdp_url, _):
        tabs = [ask_browser(f"{cdp_url}/json/new?{address}", "PUT")["id"] for address in addresses]
        ask_browser(f"{cdp_url}/json/activate/{tabs[place]}")
        told = ask_browser(f"{cdp_url}/json/version")["webSocketDebuggerUrl"] if scheme == "ws" else cdp_url
        async with launched(cdp_url=told) as device:
            assert (await device.app()).address == addresses[place]


def ask_browser(url: str, method: str = "GET") -> dict[str, str]:
    """What a user does with the tabs of their browser."""
    with urlopen(Request(url, method=method)) as reply:
        told = reply.read()
    return json.loads(told) if told.startswith(b"{") else {}


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_attaching_to_nothing_is_said_in_one_sentence_without_its_key(scheme: str) -> None:
    url = f"{scheme}://127.0.0.1:9/?token=s3cret"
    with pytest.raises(DeviceSetup, match=f"No browser answers at {scheme}") as told:
        await open_browser(BrowserSettings(), clock=SystemClock(), cdp_url=url)
    assert "s3cret" not in str(told.value)
    (listed,) = await BrowserProvider(BrowserSettings(cdp_url=url), SystemClock()).found()
    assert (listed.state, "s3cret" in listed.detail) == ("unusable", False)


async def test_an_attached_browser_that_is_gone_is_gone(site: Site, tmp_path: Path) -> None:
    async with foreign_browser(tmp_path) as (cdp_url, process), launched(cdp_url=cdp_url) as device:
        os.killpg(process.pid, signal.SIGKILL)
        with pytest.raises(DeviceGone):
            await device.frame()


# --- crashes --------------------------------------------------------------------------------------------------------


async def test_a_crashed_tab_is_reported_once_and_reopened_where_it_was(site: Site) -> None:
    async with running() as chromium, device_in(chromium) as device:
        await show(device, site.page("<title>Here</title>"))
        tab = await device._window.get_front_tab()
        crash = asyncio.ensure_future(tab.cdp.session.send("Page.crash"))
        with pytest.raises(DeviceRestarted, match=r"The tab crashed and was reopened at .*/page\.html"):
            async with asyncio.timeout(15):
                while True:
                    await device.frame()
        crash.cancel()
        assert (await device.app()).title == "Here"
        await device.frame()


async def test_a_crashed_browser_is_reported_once_and_started_again_where_it_was(site: Site) -> None:
    async with launched(url=site.page("<title>Here</title><button onclick='document.title=1'>Go</button>")) as device:
        x, y = (await find(device, "Go")).bounds.center
        old = below(os.getpid())
        for pid in old:
            if "--type=" not in (line := command_of(pid)) and "/chromium" in line.split("\0")[0]:
                os.kill(pid, signal.SIGKILL)
        with pytest.raises(DeviceRestarted, match="browser crashed and was restarted"):
            async with asyncio.timeout(20):
                while True:
                    await device.act(Click(x=x, y=y))
        assert (await device.app()).title == "Here"
        await click(device, "Go")
        assert await script(device, "document.title") == "1"


async def test_a_tab_that_keeps_crashing_is_given_up(site: Site) -> None:
    async with running() as chromium, device_in(chromium) as device:
        with pytest.raises(DeviceGone, match="crashed 4 times in 60 s"):
            for _ in range(6):
                tab = await device._window.get_front_tab()
                crash = asyncio.ensure_future(tab.cdp.session.send("Page.crash"))
                with pytest.raises(DeviceRestarted):
                    async with asyncio.timeout(15):
                        while True:
                            await device.frame()
                crash.cancel()


async def test_a_closed_device_says_so(site: Site) -> None:
    async with launched() as device:
        await device.close()
        with pytest.raises(DeviceGone):
            await device.frame()


# --- nothing is left behind ------------------------------------------------------------------------------------


async def test_closing_leaves_no_process_and_no_folder(site: Site) -> None:
    before = below(os.getpid())
    async with launched() as device:
        await device.act(OpenUrl(url=site.url("/form.html")))
        started = below(os.getpid()) - before
        assert len(started) > 3
        scratch = next(
            part for pid in started for part in command_of(pid).split("\0")
            if part.startswith("/tmp/") and "deskhand-browser-" in part and "profile" not in part
        )  # fmt: skip
        assert Path(scratch).is_dir()
    await gone(started)
    assert not Path(scratch).exists()


VICTIM = """
    import asyncio, sys
    from deskhand.clock import SystemClock
    from deskhand.settings.schema import BrowserSettings
    from deskhand.devices.browser.device import open_browser

    async def main():
        device = await open_browser(BrowserSettings(), clock=SystemClock())
        sys.stdout.write("up\\n")
        sys.stdout.flush()
        await asyncio.Event().wait()

    asyncio.run(main())
"""


@pytest.mark.parametrize("victim", ["parent", "driver and parent", "guard", "frozen browser"])
async def test_no_process_outlives_a_kill_9(victim: str) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(VICTIM), stdout=subprocess.PIPE, start_new_session=True
    )
    assert parent.stdout is not None
    assert await parent.stdout.readline() == b"up\n"
    started = below(parent.pid)
    guard = next(pid for pid in started if "process_guard" in command_of(pid))
    driver = next(pid for pid in started if "driver/node" in command_of(pid))
    if victim == "frozen browser":
        for pid in below(guard):
            os.kill(pid, signal.SIGSTOP)
    if victim == "guard":
        os.kill(guard, signal.SIGKILL)
        await gone(started - {driver})
    if victim == "driver and parent":
        os.kill(driver, signal.SIGKILL)
    parent.kill()
    await parent.wait()
    await gone(started)


# --- the driver ----------------------------------------------------------------------------------------------------


def drivers() -> set[int]:
    """The Node processes that drive the browsers of this process."""
    return {pid for pid in below(os.getpid()) if "run-driver" in command_of(pid)}


async def test_all_browsers_of_a_process_share_one_driver(site: Site) -> None:
    page = site.page("<title>Here</title>")
    async with launched(url=page) as one, launched(url=page) as other:
        assert len(drivers()) == 1
        await one.close()
        assert len(drivers()) == 1
        assert (await other.app()).title == "Here"
    assert drivers() == set()


async def test_a_driver_that_was_killed_is_replaced(site: Site) -> None:
    page = site.page("<title>Here</title>")
    async with launched(url=page) as one, launched(url=page) as other:
        for pid in drivers():
            os.kill(pid, signal.SIGKILL)
        for device in (one, other):
            with pytest.raises(DeviceRestarted):
                async with asyncio.timeout(30):
                    while True:
                        await device.act(Click(x=5, y=5))
            assert (await device.app()).title == "Here"
        assert len(drivers()) == 1
