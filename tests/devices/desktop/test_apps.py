"""Programs and windows by the names people use."""

import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from deskhand.core import actions
from deskhand.core.errors import ActionFailed, AppNotFound
from deskhand.devices.desktop import apps as desktop_apps
from deskhand.devices.desktop.apps import DesktopApp, find_app, read_desktop_file, suggest_apps
from tests.devices.desktop.desktop_stage import Stage, staged, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with staged(tmp_path_factory.mktemp("data") / "share", app_timeout_s=15) as stage:
        yield stage


def entry(folder: Path, name: str, **fields: str) -> Path:
    file = folder / f"{name}.desktop"
    lines = {"Type": "Application", "Name": name, "Exec": "sh", **fields}
    file.write_text("[Desktop Entry]\n" + "\n".join(f"{key}={value}" for key, value in lines.items()), encoding="utf-8")
    return file


async def test_names_are_read_in_english_and_chinese(tmp_path: Path) -> None:
    file = entry(
        tmp_path, "Writer", **{"Name[zh_CN]": "文字处理", "GenericName": "Word Processor", "Name[de]": "Schreiber"}
    )
    app = read_desktop_file(file, None)
    assert app is not None
    assert {"Writer", "文字处理"} <= set(app.words)
    assert "Word Processor" in app.kinds
    assert "Schreiber" not in app.words + app.kinds


@pytest.mark.parametrize(
    "fields",
    [
        {"NoDisplay": "true"}, {"Hidden": "true"}, {"Type": "Link"}, {"TryExec": "/not/there"},
        {"Exec": "no-such-program"}, {"Exec": '"'},
    ],
)  # fmt: skip
async def test_what_a_menu_would_not_show_is_not_there(tmp_path: Path, fields: dict[str, str]) -> None:
    assert read_desktop_file(entry(tmp_path, "Ghost", **fields), None) is None


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe garbage", b"[Other]\nName=x", b"Name=x\n[Desktop Entry", b"[Desktop Entry]\nType"]
)
async def test_a_damaged_file_is_passed_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.desktop").write_bytes(content)
    assert desktop_apps.list_installed([tmp_path, tmp_path / "missing"], None) == []


async def test_the_users_own_file_wins(tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    mine.mkdir()
    theirs.mkdir()
    entry(mine, "editor", Name="My Editor")
    entry(theirs, "editor", Name="Their Editor")
    assert [app.name for app in desktop_apps.list_installed([mine, theirs], None)] == ["My Editor"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Calculator", "Galculator"), ("the calculator", "Galculator"), ("计算器", "Galculator"),
        ("galculater", "Galculator"),
        ("text editor", "Mousepad"), ("文本编辑器", "Mousepad"), ("mousepad", "Mousepad"), ("Browser", "Chromium"),
        ("浏览器", "Chromium"), ("GTK board", "GTK board"), ("Photoshop", None), ("x", None),
    ],
)  # fmt: skip
async def test_a_program_is_found_by_what_people_call_it(wanted: str, found: str | None) -> None:
    apps = [
        DesktopApp("Galculator", ("galculator", "Galculator"), "galculator", ("calculator", "计算器")),
        DesktopApp("Mousepad", ("Mousepad",), "mousepad %U", ("Text Editor", "文本编辑器")),
        DesktopApp("Chromium", ("Chromium Web Browser", "Chromium 网页浏览器"), "chromium %U", ("browser", "浏览器")),
        DesktopApp("GTK board", ("GTK board",), "gtk"),
        DesktopApp("Vim", ("Vim",), "vim", ("Text Editor",), terminal=True),
    ]
    app = find_app(wanted, apps)
    assert (app.name if app else None) == found


SHELF: dict[str, dict[str, str]] = {
    "thunar": {"Name": "Thunar File Manager", "Exec": "thunar %F", "GenericName": "File Manager"},
    "thunar-bulk-rename": {"Name": "Bulk Rename", "Exec": "thunar --bulk-rename %F"},
    "org.gnome.TextEditor": {"Name": "Text Editor", "Exec": "gnome-text-editor %U"},
    "jedit": {"Name": "jEdit", "GenericName": "Programmer's Text Editor", "Exec": "jedit", "Categories": "TextEditor;"},
    "org.gnome.gedit": {"Name": "gedit", "GenericName": "Text Editor", "Exec": "gedit %U", "Categories": "TextEditor;"},
    "libreoffice-startcenter": {"Name": "LibreOffice Start Center", "Exec": "libreoffice %U", "GenericName": "Office"},
    "libreoffice-calc": {"Name": "LibreOffice Calc", "Exec": "libreoffice --calc %U", "Categories": "Spreadsheet;"},
    "libreoffice-writer": {
        "Name": "LibreOffice Writer",
        "Exec": "libreoffice --writer %U",
        "Categories": "WordProcessor;",
    },
    "org.gnome.Calculator": {"Name": "Calculator", "Exec": "gnome-calculator", "Categories": "Calculator;"},
    "org.kde.kcalc": {"Name": "KCalc", "Exec": "kcalc", "Categories": "Calculator;"},
    "idle-python3.11": {"Name": "IDLE (using Python-3.11)", "Exec": "python3.11 -n", "GenericName": "Python IDE"},
}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Thunar", "Thunar File Manager"),
        ("Thunar file manager", "Thunar File Manager"),
        ("Bulk Rename", "Bulk Rename"),
        ("the file manager", "Thunar File Manager"),
        ("GNOME Text Editor", "Text Editor"),
        ("gnome-text-editor", "Text Editor"),
        ("gedit", "gedit"),
        ("jEdit", "jEdit"),
        ("LibreOffice", "LibreOffice Start Center"),
        ("Calc", "LibreOffice Calc"),
        ("LibreOffice Calc", "LibreOffice Calc"),
        ("libreoffice-writer", "LibreOffice Writer"),
        ("word processor", "LibreOffice Writer"),
        ("GNOME Calculator", "Calculator"),
        ("calculator", "Calculator"),
        ("KCalc", "KCalc"),
        ("kcalc calculator", "KCalc"),
        ("IDLE", "IDLE (using Python-3.11)"),
        ("gedit and maximize the window", None),
        ("Calc and Writer", None),
        ("open office", None),
        ("Photoshop", None),
        ("editor of photos", None),
        ("QCalc", None),
    ],
)
async def test_a_name_means_the_program_that_it_names(tmp_path: Path, wanted: str, found: str | None) -> None:
    for name, fields in SHELF.items():
        entry(tmp_path, name, **fields)
        program = tmp_path / fields["Exec"].split()[0]
        program.touch(mode=0o755)
    app = find_app(wanted, desktop_apps.list_installed([tmp_path], str(tmp_path)))
    assert (app.name if app else None) == found


async def test_the_command_line_is_filled_in() -> None:
    app = DesktopApp("Web", ("Web",), "browser --name=%c --pct=100%% %U -x 'two words' %i")
    assert app.build_argv("http://a/") == ["browser", "--name=Web", "--pct=100%", "http://a/", "-x", "two words"]
    assert app.build_argv() == ["browser", "--name=Web", "--pct=100%", "-x", "two words"]
    assert suggest_apps("wep", [app]) == ["Web"]


async def test_the_apps_are_listed(stage: Stage) -> None:
    assert {"GTK board", "Galculator", "Mousepad", "XTerm"} <= set(await stage.device.apps())


async def test_an_app_opens_in_front_and_a_second_time_is_only_brought_there(stage: Stage) -> None:
    assert "shows" in await stage.device.act(actions.OpenApp(name="mousepad"))
    assert (await stage.device.app()).name == "Mousepad"
    await stage.open("GTK board")
    assert (await stage.device.app()).name == "gtk_app"
    assert "open already" in await stage.device.act(actions.OpenApp(name="Mousepad"))
    assert (await stage.device.app()).name == "Mousepad"
    assert sum(window.app == "Mousepad" for window in await stage.device.list_windows()) == 1
    await stage.clear()


async def test_mousepad_takes_chinese_and_shows_it(stage: Stage) -> None:
    await stage.device.act(actions.OpenApp(name="Mousepad"))
    assert await stage.device.act(actions.Type(text="第一行 hello 😀\n第二行")) == "read back"
    assert any(e.value == "第一行 hello 😀\n第二行" for e in await stage.device.elements())
    await stage.clear()


async def test_an_unknown_app_is_told_with_the_nearest_names(stage: Stage) -> None:
    with pytest.raises(AppNotFound, match=r"no app called 'Galaxy'. Similar apps: .*Galculator"):
        await stage.device.act(actions.OpenApp(name="Galaxy"))


async def test_an_app_that_ends_without_a_window_is_an_error_with_its_words(stage: Stage) -> None:
    entry(stage.folder / "applications", "Crasher", Exec="sh -c 'echo out of paper >&2; exit 7'")
    with pytest.raises(AppNotFound, match=r"Crasher showed no window: it ended with status 7 \(out of paper\)"):
        await stage.device.act(actions.OpenApp(name="Crasher"))


async def test_a_web_address_is_handed_to_the_browser(stage: Stage) -> None:
    said = stage.folder / "address"
    entry(
        stage.folder / "applications", "000-browser", Name="Test Browser", MimeType="x-scheme-handler/testweb;",
        Exec=f"xterm -T page -e sh -c 'echo $0 > {said}; cat' %u",
    )  # fmt: skip
    told = await stage.device.act(actions.OpenUrl(url="testweb://local/a?b=1&c=中"))
    assert "Test Browser shows 'page'" in told
    await wait_for(lambda: said.exists() and said.read_text(encoding="utf-8") == "testweb://local/a?b=1&c=中\n")
    with pytest.raises(AppNotFound, match="No installed app opens 'gopher' addresses"):
        await stage.device.act(actions.OpenUrl(url="gopher://x"))
    await stage.clear()


async def test_windows_are_listed_and_switched(stage: Stage) -> None:
    await stage.open("GTK board")
    await stage.open("Qt form")
    assert [window.title for window in await stage.device.list_windows()] == ["GTK 测试 board", "Qt 测试 form"]
    await stage.device.act(actions.SwitchWindow(title="gtk 测试"))
    assert (await stage.device.app()).title == "GTK 测试 board"
    assert [window.title for window in await stage.device.list_windows()] == ["Qt 测试 form", "GTK 测试 board"]
    await stage.device.act(actions.SwitchWindow(title="qt_app"))
    assert (await stage.device.app()).title == "Qt 测试 form"
    with pytest.raises(
        ActionFailed, match=r"no window called 'Photoshop'\. Open windows: 'GTK 测试 board', 'Qt 测试 form'"
    ):
        await stage.device.act(actions.SwitchWindow(title="Photoshop"))
    await stage.clear()


async def test_a_stopped_program_can_still_be_switched_away_from(stage: Stage) -> None:
    await stage.open("GTK board")
    await stage.open("Qt form")
    front = next(window for window in await stage.device.list_windows() if window.active)
    os.kill(front.pid, signal.SIGSTOP)
    await stage.device.act(actions.SwitchWindow(title="GTK"))
    assert (await stage.device.app()).name == "gtk_app"
    await stage.clear()
