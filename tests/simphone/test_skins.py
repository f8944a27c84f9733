"""Other makers' Android: other names for everything, the same data."""

from __future__ import annotations

import pytest

from deskhand.simphone.phone import Phone
from deskhand.simphone.skin import SKINS
from tests.conftest import ConnectedPhone
from tests.simphone.body import Hand

MAKERS = [name for name in SKINS if name != "stock"]
CLOCK = "com.nova.timekeeper"


def open_from_drawer(hand: Hand, name: str) -> None:
    hand.key(3)
    hand.drag(540, 1500, 540, 700)
    hand.tap(name)


@pytest.mark.parametrize("skin", MAKERS)
def test_apps_are_in_a_drawer_that_home_and_back_close(skin: str) -> None:
    hand = Hand(skin=skin, locale="en")
    assert not hand.sees("Notes")
    hand.drag(540, 1500, 540, 700)
    assert hand.sees("Notes")
    hand.key(3)
    assert not hand.sees("Notes")
    open_from_drawer(hand, "Notes")
    assert hand.phone.windows.foreground[0] == "com.nova.jotter"


@pytest.mark.parametrize("skin", MAKERS)
def test_no_resource_id_is_androids_or_tells_what_it_is(skin: str) -> None:
    hand = Hand(skin=skin, locale="en")
    open_from_drawer(hand, "Notes")
    hand.hold("Shopping list")
    hand.tap("Delete")
    ids = {node.get("resource-id", "") for node in hand.nodes()} - {""}
    assert ids
    assert all(each.startswith("com.nova.jotter:id/") and len(each.rpartition("/")[2]) == 3 for each in ids)


def test_a_question_is_a_sheet_over_the_page_that_is_still_listed() -> None:
    hand = Hand(skin="maker")
    open_from_drawer(hand, "Notes")
    hand.tap("Shopping list", "Delete")
    cancel, delete = hand.box("Cancel"), hand.box(hand.all("Delete")[-1])
    assert hand.sees("Milk\nEggs\nBread\nApples"), "the note behind the sheet"
    assert delete[1] < cancel[1], "the agreeing one first"
    assert hand.find("Cancel").get("clickable") == "false", "the view around the words is what can be touched"
    hand.tap("Cancel")
    assert len(hand.state("com.nova.jotter")["notes"]) == 3


def test_a_time_is_chosen_on_a_dial() -> None:
    hand = Hand(skin="maker")
    open_from_drawer(hand, "Clock")
    hand.tap("Add alarm", "6", "45", "PM", "Save")
    assert {"time": "18:45", "label": "", "on": True} in hand.state(CLOCK)["alarms"]
    assert hand.sees("6:45 PM")


def test_a_dial_can_be_typed_into() -> None:
    hand = Hand(skin="maker")
    open_from_drawer(hand, "Clock")
    hand.tap("Add alarm", "Switch to text input mode")
    for field, text in (("Hour", "7"), ("Minute", "32")):
        hand.tap(field)
        hand.phone.input.clear_text()
        hand.phone.input.type_text(text)
    hand.key(4)
    hand.tap("Save")
    assert {"time": "07:32", "label": "", "on": True} in hand.state(CLOCK)["alarms"]


def test_a_time_is_chosen_on_wheels() -> None:
    hand = Hand(skin="wheels", locale="en")
    open_from_drawer(hand, "Clock")
    hand.tap("Add alarm")
    x, y = hand.centre("09")
    hand.drag(x, y, x, y + 3 * 130)
    x, y = hand.centre("00")
    hand.drag(x, y, x, y - 130)
    hand.tap("02", "Save")
    assert {"time": "06:02", "label": "", "on": True} in hand.state(CLOCK)["alarms"]


@pytest.mark.parametrize("skin", SKINS)
def test_what_came_with_the_phone_speaks_its_language_until_it_is_changed(skin: str) -> None:
    phone = Phone(skin=skin, locale="zh")
    notes = phone.apps.find_app(phone.skin.package_of("com.miui.notes"))
    notes.notes[0].body = "自己写的"  # type: ignore[attr-defined]
    phone.set_up_in("en")
    titles = [each["title"] for each in notes.read_state()["notes"]]
    assert titles == ["购物清单", "Meeting notes", "Reading notes"]


async def test_the_phone_itself_says_which_app_is_its_home_screen(sim: ConnectedPhone) -> None:
    ask = "cmd package resolve-activity --brief -c android.intent.category.HOME -a android.intent.action.MAIN"
    assert (await sim.out(ask)).splitlines()[-1] == "com.android.launcher3/.Launcher"
