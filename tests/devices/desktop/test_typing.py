"""Typed text is there, exactly: English, Chinese, emoji; in GTK, Qt, Tk and a terminal; and it is read back."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from Xlib import Xatom
from Xlib.display import Display

from deskhand.core import actions
from deskhand.core.errors import ActionFailed, TextNotTyped
from deskhand.devices.desktop import clipboard
from deskhand.devices.desktop.clipboard import DesktopClipboard
from deskhand.devices.desktop.typing import holds_text
from tests.devices.desktop.desktop_stage import Stage, middle, staged, wait_for

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXTS = {
    "English": "The quick brown fox, 12*34=? (yes) ~@#{}|\\\"'",
    "Chinese": "你好，世界！这是一个测试。",
    "emoji": "smile 😀👍🏽 family 👨‍👩‍👧 flag 🇩🇪",
    "accents": "Grüße, café naïve — €5 ½ ß ñ",
    "mixed": "混合 mixed テスト 한국어 العربية",
}
LONG = "The paste of a long text, 很长的文字。\n" * 1000


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with staged(tmp_path_factory.mktemp("data") / "share") as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="module", params=["GTK board", "Qt form"])
async def form(request: pytest.FixtureRequest, stage: Stage) -> tuple[Stage, str]:
    await stage.open(request.param)
    return stage, request.param


@pytest_asyncio.fixture(loop_scope="module")
async def tk(stage: Stage) -> Stage:
    await stage.open("Tk entry")
    return stage


@pytest_asyncio.fixture(loop_scope="module")
async def terminal(stage: Stage) -> AsyncIterator[Stage]:
    await stage.clear()
    await stage.device.act(actions.OpenApp(name="XTerm"))
    yield stage
    await stage.clear()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
async def test_text_is_typed_exactly_and_read_back(form: tuple[Stage, str], text: str) -> None:
    stage, app = form
    await stage.device.act(actions.Click(**middle(await stage.element("Name", "field"))))
    told = await stage.device.act(actions.Type(text=text, clear_first=True))
    assert told == "read back"
    await stage.last(app, "text", text=text)
    assert (await stage.element("Name", "field")).value == text


async def test_several_lines_go_into_a_big_field(form: tuple[Stage, str]) -> None:
    stage, app = form
    text = "first line\n第二行\n\tthird 😀"
    await stage.device.act(actions.Click(**middle(await stage.element("Notes", "field"))))
    assert await stage.device.act(actions.Type(text=text, clear_first=True)) == "read back"
    await stage.last(app, "notes", text=text)


async def test_a_long_text_goes_in_whole(form: tuple[Stage, str]) -> None:
    stage, app = form
    await stage.device.act(actions.Click(**middle(await stage.element("Notes", "field"))))
    assert await stage.device.act(actions.Type(text=LONG, clear_first=True)) == "read back"
    await stage.last(app, "notes", text=LONG)


async def test_text_goes_to_the_caret_and_enter_follows_it(form: tuple[Stage, str]) -> None:
    stage, app = form
    await stage.device.act(actions.Click(**middle(await stage.element("Name", "field"))))
    await stage.device.act(actions.Type(text="ab", clear_first=True))
    await stage.device.act(actions.Key(key="Home"))
    await stage.device.act(actions.Type(text="中", press_enter=True))
    await stage.last(app, "activate", text="中ab")


async def test_the_same_text_over_a_selection_of_itself_counts_as_typed(form: tuple[Stage, str]) -> None:
    stage, _ = form
    await stage.device.act(actions.Click(**middle(await stage.element("Name", "field"))))
    await stage.device.act(actions.Type(text="same", clear_first=True))
    changes = stage.device.changes()
    painted = asyncio.ensure_future(anext(changes))
    await asyncio.sleep(0)
    await stage.device.act(actions.Hotkey(keys=("ctrl", "a")))
    async with asyncio.timeout(10):
        await painted
    await changes.aclose()
    await asyncio.sleep(0.3)  # a caret that blinked at that moment is a paint, too
    assert await stage.device.act(actions.Type(text="same")) == "read back"


async def test_an_empty_text_with_clear_first_empties_the_field(form: tuple[Stage, str]) -> None:
    stage, app = form
    await stage.device.act(actions.Click(**middle(await stage.element("Name", "field"))))
    await stage.device.act(actions.Type(text="gone soon", clear_first=True))
    await stage.device.act(actions.Type(text="", clear_first=True))
    await stage.last(app, "text", text="")


async def test_a_password_is_typed_but_never_shown(form: tuple[Stage, str]) -> None:
    stage, _ = form
    await stage.device.act(actions.Click(**middle(await stage.element("Password", "field"))))
    assert await stage.device.act(actions.Type(text="hunter2中", clear_first=True)) == "read back"
    element = await stage.element("Password", "field")
    assert element.password
    assert element.value == ""


async def test_text_goes_to_the_window_with_the_keyboard_before_the_window_manager_says_so(stage: Stage) -> None:
    await stage.open("GTK board")
    (behind,) = [window for window in await stage.device.list_windows() if window.active]
    await stage.open("Qt form")
    await stage.device.act(actions.Click(**middle(await stage.element("Name", "field"))))
    # As it stands for a moment after a click into another window.
    display = Display(stage.device.display)
    display.screen().root.change_property(display.intern_atom("_NET_ACTIVE_WINDOW"), Xatom.WINDOW, 32, [behind.id])
    display.sync()
    assert (await stage.device.app()).name == "qt_app"
    assert await stage.device.act(actions.Type(text="只要一次", clear_first=True)) == "read back"
    await stage.last("Qt form", "text", text="只要一次")
    display.close()
    await stage.clear()


async def test_a_field_that_takes_only_a_part_is_text_not_typed(stage: Stage) -> None:
    await stage.open("GTK board")
    await stage.device.act(actions.Click(**middle(await stage.element("Short", "field"))))
    with pytest.raises(TextNotTyped, match="the field holds '12345'"):
        await stage.device.act(actions.Type(text="123456789"))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
async def test_tk_which_tells_nothing_gets_it_exactly_too(tk: Stage, text: str) -> None:
    told = await tk.device.act(actions.Type(text=text, clear_first=True))
    assert told.startswith("not read back")
    await tk.last("Tk entry", "text", text=text)


@pytest.mark.parametrize(
    "text", [TEXTS["English"], TEXTS["Chinese"], "é€ß日本語"], ids=["English", "Chinese", "others"]
)
async def test_a_terminal_is_typed_into_by_keys(terminal: Stage, text: str) -> None:
    heard = terminal.folder / "terminal.txt"
    heard.unlink(missing_ok=True)
    await terminal.device.act(actions.Type(text=f"cat > {heard}", press_enter=True))
    await wait_for(heard.exists)
    assert await terminal.device.act(actions.Type(text=text, press_enter=True)) == "not read back: a terminal"
    await wait_for(lambda: heard.read_text(encoding="utf-8") == text + "\n", f"{text!r} in the terminal")


async def test_more_strange_characters_than_spare_keys_still_arrive(terminal: Stage) -> None:
    heard = terminal.folder / "many.txt"
    text = "".join(chr(0x4E00 + number) for number in range(150))
    await terminal.device.act(actions.Type(text=f"cat > {heard}", press_enter=True))
    await wait_for(heard.exists)
    await terminal.device.act(actions.Type(text=text, press_enter=True))
    await wait_for(lambda: heard.read_text(encoding="utf-8") == text + "\n", "150 characters in the terminal")


async def test_without_a_window_there_is_nothing_to_type_into(stage: Stage) -> None:
    await stage.clear()
    with pytest.raises(ActionFailed, match="No window has the focus"):
        await stage.device.act(actions.Type(text="hello"))


async def test_the_clipboard_is_given_back_after_a_paste(stage: Stage) -> None:
    other = DesktopClipboard(stage.device.display)
    await other.open_connection()
    other.offer_text("what the user had copied", lambda _client: None)
    await stage.open("GTK board")
    assert await stage.device.act(actions.Type(text="机密")) == "read back"
    reader = DesktopClipboard(stage.device.display)
    await reader.open_connection()

    async def given_back() -> bool:
        return await reader.read_text() == "what the user had copied"

    await wait_for(given_back, "the old clipboard")
    await other.close()
    await reader.close()


@asynccontextmanager
async def busy_before_the_paste(stage: Stage, seconds: float) -> AsyncIterator[asyncio.Event]:
    """A program that is busy from just before it is told to paste, for so long; set when that begins."""
    await stage.open("GTK board")
    await stage.device.act(actions.Click(**middle(await stage.element("Name", "field"))))
    await stage.device.act(actions.Type(text="", clear_first=True))
    (board,) = [window for window in await stage.device.list_windows() if window.active]
    user = DesktopClipboard(stage.device.display)
    await user.open_connection()
    stopped = asyncio.Event()

    def stop(_client: int) -> None:
        # What the user had copied is put aside right before the text is offered in its place.
        if not stopped.is_set():
            os.kill(board.pid, signal.SIGSTOP)
            stopped.set()
            asyncio.get_running_loop().call_later(seconds, os.kill, board.pid, signal.SIGCONT)

    user.offer_text("what the user had copied", stop)
    yield stopped
    await user.close()


async def test_a_program_that_pastes_late_gets_the_text_and_not_what_the_user_had_copied(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard, "_KEEP_S", 0.1)
    async with busy_before_the_paste(stage, 0.5):
        assert await stage.device.act(actions.Type(text="晚了")) == "read back"
    await stage.last("GTK board", "text", text="晚了")


async def test_a_paste_that_is_cancelled_reaches_no_program_that_comes_late(stage: Stage) -> None:
    async with busy_before_the_paste(stage, 0.5) as begun:
        typing = asyncio.ensure_future(stage.device.act(actions.Type(text="晚了")))
        await begun.wait()
        await asyncio.sleep(0.2)
        typing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await typing
        await all_keys_released(stage)
        await stage.device.act(actions.Key(key="x"))
        await stage.last("GTK board", "text", text="x")
    assert await stage.device.act(actions.Type(text="还在", clear_first=True)) == "read back"


async def test_caps_lock_does_not_turn_the_letters(stage: Stage) -> None:
    await stage.open("GTK board")
    await stage.device.act(actions.Click(**middle(await stage.element("Name", "field"))))
    await stage.device.act(actions.Key(key="CapsLock"))
    await stage.device.act(actions.Type(text="Mixed Case", clear_first=True))
    await stage.last("GTK board", "text", text="Mixed Case")


async def all_keys_released(stage: Stage) -> None:
    display = Display(stage.device.display)
    await wait_for(lambda: not any(display.query_keymap()), "all keys released")
    display.close()


async def test_typing_that_is_cancelled_leaves_no_key_pressed(terminal: Stage) -> None:
    heard = terminal.folder / "cancelled.txt"
    await terminal.device.act(actions.Type(text=f"cat > {heard}", press_enter=True))
    typing = asyncio.ensure_future(terminal.device.act(actions.Type(text="One of MANY lines\n" * 2_000)))
    await wait_for(lambda: heard.exists() and heard.stat().st_size, "the first lines")
    typing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await typing
    await all_keys_released(terminal)
    await terminal.device.act(actions.Type(text="\nstill here", press_enter=True))
    await wait_for(lambda: heard.read_text().endswith("\nstill here\n"), "what was typed afterwards")
    assert len(heard.read_text().splitlines()) < 2_000


@pytest.mark.parametrize(
    ("after", "text", "before", "replaced", "verdict"),
    [
        ("hello", "hello", "", (0, 0), True),
        ("abXcd", "X", "abcd", (2, 2), True),
        ("aXd", "X", "abcd", (1, 3), True),
        ("aXd", "X", "abcd", None, True),
        ("a", "a", "a", (0, 1), True),
        ("a", "a", "a", (1, 1), False),
        ("a", "a", "a", None, False),
        ("hell", "hello", "", (0, 0), False),
        ("hello!", "hello", "", None, False),
    ],
)
async def test_what_counts_as_typed(
    after: str, text: str, before: str, replaced: tuple[int, int] | None, verdict: bool
) -> None:
    assert holds_text(after, text, before, replaced) is verdict
