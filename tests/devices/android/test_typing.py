"""Typing on the simulated phone: every ladder rung, what is read back, and the keyboard that is always put back."""

import asyncio
import time
from contextlib import suppress

import pytest

from deskhand.clock import SystemClock
from deskhand.core.actions import Click, OpenApp, Type
from deskhand.core.errors import ActionFailed, TextNotTyped
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.devices.android.adb.client import AdbClient
from deskhand.devices.android.device import AndroidDevice
from deskhand.devices.android.typing import TypedField, holds_text, split_for_input
from deskhand.simphone.adb.phone_server import SimPhone
from tests.devices.conftest import Attach
from tests.promptness import AT_ONCE_S

NOTES = "com.miui.notes"
SETTINGS = "com.android.settings"
BANK = "com.example.bank"


async def rested(sim: SimPhone) -> None:
    deadline = time.monotonic() + 10
    while sim.phone.display.is_animating():
        assert time.monotonic() < deadline
        await SystemClock().sleep(0.01)


async def tap_id(device: AndroidDevice, sim: SimPhone, name: str) -> None:
    await rested(sim)
    found = next(each for each in await device.elements() if each.id.endswith(f"/{name}"))
    await device.act(Click(x=found.bounds.center[0], y=found.bounds.center[1]))
    await rested(sim)


async def a_new_note(
    attach: Attach, *conditions: str, field: str = "note_title_edit"
) -> tuple[AndroidDevice, SimPhone]:
    device, sim = await attach(app=NOTES)
    await tap_id(device, sim, "new_note")
    await tap_id(device, sim, field)
    sim.phone.conditions.update(conditions)
    return device, sim


def written(sim: SimPhone) -> dict[str, str]:
    note: dict[str, str] = sim.phone.read_state()["apps"][NOTES]["notes"][0]
    return note


@pytest.mark.parametrize(
    "text",
    [
        "hello world",
        "明天下午两点开会",
        "Grüße aus Köln",
        "🎉 好的 👍🏽",
        'it\'s "quoted" $HOME `id` $(id) \\ & ; | > < * ? ~ # ! ( ) { } [ ] ^ = + - @ /',
        "100%s sure, %d%%s % s",
        "-5",
        "a" * 450,
        " leading blank",
    ],
)
async def test_text_arrives_as_it_was_written(attach: Attach, text: str) -> None:
    device, sim = await a_new_note(attach)
    await device.act(Type(text=text))
    assert written(sim)["title"] == text


async def test_lines_and_tabs_are_kept_in_a_field_of_many_lines(attach: Attach) -> None:
    device, sim = await a_new_note(attach, field="note_body_edit")
    await device.act(Type(text="第一行\n第二行"))
    assert written(sim)["body"] == "第一行\n第二行"
    await device.act(Type(text="one\ntwo", clear_first=True))
    assert written(sim)["body"] == "one\ntwo"


async def test_text_is_added_to_what_is_there(attach: Attach) -> None:
    device, sim = await a_new_note(attach)
    await device.act(Type(text="Buy "))
    await device.act(Type(text="牛奶"))
    assert written(sim)["title"] == "Buy 牛奶"


async def test_the_field_is_cleared_first_when_told(attach: Attach) -> None:
    device, sim = await a_new_note(attach)
    await device.act(Type(text="something long that was there before"))
    await device.act(Type(text="new", clear_first=True))
    assert written(sim)["title"] == "new"
    await device.act(Type(text="", clear_first=True))
    assert written(sim)["title"] == ""


async def test_enter_is_pressed_after_the_text_when_told(attach: Attach) -> None:
    device, sim = await a_new_note(attach)
    await device.act(Type(text="Title", press_enter=True))
    assert sim.phone.read_state()["focused"]["key"] == "body"
    assert written(sim)["title"] == "Title"


async def test_without_a_focused_field_nothing_is_typed(attach: Attach) -> None:
    device, sim = await attach(app=NOTES)
    await rested(sim)
    with pytest.raises(ActionFailed, match="click a field first"):
        await device.act(Type(text="hello"))


async def test_the_persons_own_keyboard_is_put_back(attach: Attach) -> None:
    device, sim = await a_new_note(attach)
    before = sim.phone.ime
    await device.act(Type(text="你好"))
    assert sim.phone.ime == before
    assert "adbkeyboard" not in before


async def test_the_keyboard_is_put_back_when_typing_is_cancelled(attach: Attach) -> None:
    device, sim = await a_new_note(attach)
    before = sim.phone.ime
    typing = asyncio.create_task(device.act(Type(text="你好")))
    deadline = time.monotonic() + 10
    while sim.phone.ime == before:
        assert time.monotonic() < deadline
        await SystemClock().sleep(0)
    typing.cancel()
    began = time.monotonic()
    with suppress(asyncio.CancelledError):
        await typing
    assert time.monotonic() - began < AT_ONCE_S
    await device.close()
    assert sim.phone.ime == before


async def test_english_needs_no_other_keyboard(attach: Attach) -> None:
    device, sim = await a_new_note(attach, "ime-denied")
    await device.act(Type(text="plain English"))
    assert written(sim)["title"] == "plain English"


async def test_a_phone_that_denies_the_keyboard_says_what_to_do(attach: Attach) -> None:
    device, sim = await a_new_note(attach, "ime-denied")
    before = sim.phone.ime
    with pytest.raises(TextNotTyped, match="'你好' can't be typed on this phone: install ADBKeyboard"):
        await device.act(Type(text="你好"))
    assert written(sim)["title"] == ""
    assert sim.phone.ime == before


async def test_where_the_keyboard_is_denied_the_clipboard_is_used(attach: Attach) -> None:
    device, sim = await a_new_note(attach, "ime-denied", "clipper")
    await device.act(Type(text="它说 \"你好\" & 'ok'"))
    assert written(sim)["title"] == "它说 \"你好\" & 'ok'"


async def test_a_field_that_swallows_keys_gets_its_text_another_way(attach: Attach) -> None:
    """As when a Chinese keyboard takes the letters for pinyin: what half arrived is cleared first."""
    device, sim = await a_new_note(attach)
    entry = sim.phone.windows.focused_field
    assert entry is not None
    typed: list[str] = []

    def compose() -> None:
        typed.append(entry.text)
        if len(typed) == 1:
            entry.set_text("ni hao")

    entry.on_change = compose
    await device.act(Type(text="nihao"))
    assert entry.text == "nihao"


async def test_a_password_that_half_arrived_is_not_guessed_at(attach: Attach) -> None:
    device, sim = await attach(app=BANK)
    await tap_id(device, sim, "password")
    assert sim.phone.windows.focused_field is not None
    sim.phone.windows.focused_field.set_text("12")
    sim.phone.windows.focused_field.digits_only = True
    with pytest.raises(TextNotTyped, match="holds 3 characters instead of 4") as told:
        await device.act(Type(text="3x"))
    assert "3x" not in str(told.value)


async def test_a_phone_without_adb_keyboard_says_what_to_do(attach: Attach) -> None:
    device, sim = await a_new_note(attach)
    sim.phone.imes[:] = [each for each in sim.phone.imes if "adbkeyboard" not in each]
    with pytest.raises(TextNotTyped, match="install ADBKeyboard"):
        await device.act(Type(text="你好"))


async def test_a_field_that_drops_characters_is_found_out(attach: Attach) -> None:
    device, sim = await a_new_note(attach)
    assert sim.phone.windows.focused_field is not None
    sim.phone.windows.focused_field.digits_only = True
    with pytest.raises(TextNotTyped, match=r"should hold 'tel\. 123' but holds '123'"):
        await device.act(Type(text="tel. 123"))


async def test_a_password_is_accepted_by_its_length(attach: Attach) -> None:
    device, sim = await attach(app=BANK)
    await tap_id(device, sim, "password")
    await device.act(Type(text="123456"))
    assert sim.phone.read_state()["focused"]["text"] == "123456"
    assert sim.phone.windows.focused_field is not None
    sim.phone.windows.focused_field.clear_text()
    sim.phone.windows.focused_field.digits_only = True
    with pytest.raises(TextNotTyped, match="holds 3 characters instead of 6"):
        await device.act(Type(text="abc123"))


async def test_on_a_restless_screen_text_is_typed_but_not_called_checked(attach: Attach) -> None:
    device, sim = await a_new_note(attach, "never-idle")
    assert await device.act(Type(text="hello")) == "typed, but it could not be read back"
    assert await device.act(Type(text="你好", clear_first=True)) == "typed, but it could not be read back"
    sim.phone.conditions.discard("never-idle")
    assert written(sim)["title"] == "你好"


async def test_what_was_seen_before_the_last_action_is_not_trusted(attach: Attach) -> None:
    device, sim = await a_new_note(attach)
    await device.elements()
    await device.act(OpenApp(name="Settings"))
    await rested(sim)
    with pytest.raises(ActionFailed, match="No text field has the focus"):
        await device.act(Type(text="hello"))


async def test_typing_into_a_phone_that_went_away_is_its_fault(attach: Attach, adb_client: AdbClient) -> None:
    device, sim = await a_new_note(attach)
    await device.elements()
    sim.phone.conditions.add("drop")
    with pytest.raises(Exception, match=r"phone .* (disconnected|offline|not connected)"):
        await device.act(Type(text="你好"))


# --- what counts as typed -----------------------------------------------------------------------------------------


def target(before: str, text: str, *, password: bool = False) -> TypedField:
    field = Element(0, "field", Rect(0, 0, 9, 9), editable=True, focused=True, password=password)
    return TypedField(field, before, before + text)


@pytest.mark.parametrize(
    ("before", "text", "found", "typed"),
    [
        ("", "hello", "hello", True),
        ("", "hello", "hell", False),
        ("", "hello", "Hello", False),
        ("ab", "cd", "abcd", True),
        ("ab", "cd", "acdb", True),
        ("ab", "cd", "cdab", True),
        ("ab", "cd", "xcdab", False),
        ("Search", "cats", "cats", True),
        ("", "13800138000", "138 0013 8000", True),
        ("", "+8613800138000", "+86 138-0013-8000", True),
        ("", "1234", "1235", False),
        ("", "a\nb", "a b", True),
        ("", "hello", "hello ", True),
        ("aa", "a", "aaa", True),
    ],
)
def test_what_stands_in_the_field_is_compared_with_what_was_typed(
    before: str, text: str, found: str, typed: bool
) -> None:
    assert holds_text(target(before, text), text, found) is typed


def test_a_text_that_equals_the_hint_reads_as_an_empty_field() -> None:
    field = Element(0, "field", Rect(0, 0, 9, 9), hint="Title", editable=True)
    assert holds_text(TypedField(field, "", "Title"), "Title", "")
    assert holds_text(TypedField(field, "", "!"), "!", "Title!")
    assert not holds_text(TypedField(field, "", "Other"), "Other", "")


def test_a_blank_is_never_sent_as_a_percent_sign_and_an_s() -> None:
    assert split_for_input("50%s") == ["50%", "s"]
    assert split_for_input("a\nb\tc") == ["a", "\n", "b", "\t", "c"]
    assert split_for_input("x" * 450) == ["x" * 200, "x" * 200, "x" * 50]
    assert split_for_input("\r\n") == ["\n"]
