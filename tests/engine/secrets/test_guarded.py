"""The doors around a task on a real phone and with a real sandbox: what passes them, in each direction."""

import traceback
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from deskhand.clock import SystemClock
from deskhand.core.actions import Action, Click, Key, Memorize, OpenApp, SwitchWindow, Type
from deskhand.core.errors import ActionFailed, DeviceFault, TextNotTyped
from deskhand.core.screen import Frame
from deskhand.engine.secrets.grants import Grants
from deskhand.engine.secrets.guarded_device import GuardedDevice
from deskhand.engine.secrets.guarded_journal import GuardedJournal
from deskhand.engine.secrets.guarded_parts import GuardedCode
from deskhand.engine.secrets.pictures import PictureCover
from deskhand.engine.secrets.vault import HIDDEN, Vault
from deskhand.sandbox.code_runner import Sandbox
from deskhand.screen.ocr.screen_text import ScreenText
from deskhand.settings.schema import SandboxSettings
from deskhand.simphone.phone import Phone
from deskhand.task.events import ActionIntended, TaskCreated, UserSaid
from deskhand.task.journal import SqliteJournal
from tests.engine.conftest import Journaled

VALUE = "Walrus-Quartz-58"


@pytest.fixture
async def vault() -> Vault:
    vault = Vault({"USER": VALUE}.__getitem__)
    await vault.learn_values(["USER"])
    return vault


@pytest.fixture
def guarded(device: Journaled, vault: Vault) -> GuardedDevice:
    grants = Grants()
    grants.add_named_secrets([UserSaid(text="Use {{secret:USER}}")])
    return GuardedDevice(device, vault, grants)


@pytest.fixture
async def reader() -> AsyncIterator[ScreenText]:
    reader = ScreenText()
    yield reader
    reader.close()


async def typed(guarded: GuardedDevice) -> None:
    """Into the line of a browser, where it can be read."""
    await guarded.act(OpenApp(name="浏览器"))
    field = next(element for element in await guarded.elements() if element.editable)
    x, y = field.bounds.center
    await guarded.act(Click(x=x, y=y))
    await guarded.act(Type(text="{{secret:USER}}"))


def plain(frame: Frame) -> bool:
    return np.unique(frame.pixels[..., :3]).size == 1


async def reads(reader: ScreenText, frame: Frame) -> bool:
    return any("quartz" in line.text.casefold() for line in await reader.read_lines(frame))


async def test_the_phone_gets_the_value_and_says_the_placeholder(guarded: GuardedDevice, device: Journaled) -> None:
    await typed(guarded)
    sent = device.sent[-1]
    assert isinstance(sent, Type)
    assert sent.text == VALUE
    (field,) = [element for element in await guarded.elements() if element.editable]
    assert field.value == "{{secret:USER}}"
    assert VALUE in [element.value for element in await guarded.read_bare_elements()]


async def test_what_is_left_of_a_value_after_deleting_is_not_shown(guarded: GuardedDevice, device: Journaled) -> None:
    """Else a few letters at a time would give all of it away."""
    await typed(guarded)
    await guarded.elements()
    for _ in range(len(VALUE) - 3):
        await guarded.act(Key(key="delete"))
    (field,) = [element for element in await device.elements() if element.editable]
    assert field.value == VALUE[:3]
    (field,) = [element for element in await guarded.elements() if element.editable]
    assert (field.value, field.password) == (HIDDEN, True)
    await guarded.act(Type(text="", clear_first=True))
    await guarded.elements()
    await guarded.act(Type(text="Wal"))
    (field,) = [element for element in await guarded.elements() if element.editable]
    assert field.value == "Wal", "once it was empty, it is a field like any other"


async def test_the_log_has_no_value_where_there_is_no_room_for_its_placeholder(
    journal: SqliteJournal, guarded: GuardedDevice
) -> None:
    vault = Vault(lambda name: VALUE)
    await vault.learn_values(["MAIL_PASSWORD"])
    door = GuardedJournal(journal, vault, PictureCover(guarded, None, vault), Grants())
    note = Memorize(text="x" * (4000 - len(VALUE)) + VALUE)
    created = TaskCreated(goal="g", device="d", worker="w", max_steps=1)
    await door.append("t", [created, ActionIntended(step=1, number=1, action=note)])
    kept = (await journal.read("t"))[-1].event
    assert isinstance(kept, ActionIntended)
    assert isinstance(kept.action, Memorize)
    assert kept.action.text.endswith("xxx•••")


async def test_a_window_is_found_by_the_title_that_was_shown(guarded: GuardedDevice, device: Journaled) -> None:
    device.faults.append(ActionFailed(f"There is no window {VALUE} - Mail."))
    with pytest.raises(ActionFailed, match=r"^There is no window \{\{secret:USER\}\} - Mail\.$"):
        await guarded.act(SwitchWindow(title="{{secret:USER}} - Mail"))
    assert device.sent[-1] == SwitchWindow(title=f"{VALUE} - Mail")


async def test_whatever_goes_wrong_is_told_without_the_value(guarded: GuardedDevice, device: Journaled) -> None:
    device.faults += [RuntimeError(f"input text {VALUE!r} failed"), TextNotTyped("The field holds 'Walrus-Qu'.")]
    with pytest.raises(RuntimeError, match=r"^input text '\{\{secret:USER\}\}' failed$"):
        await guarded.act(Type(text="{{secret:USER}}"))
    with pytest.raises(TextNotTyped) as caught:
        await guarded.act(Type(text="{{secret:USER}}"))
    assert str(caught.value) == "The field does not hold what was typed into it ({{secret:USER}})."
    assert caught.value.__suppress_context__


async def test_a_traceback_has_no_value_either(guarded: GuardedDevice, device: Journaled) -> None:
    async def fail(_: Action) -> None:
        try:
            raise OSError(f"can't send {VALUE}")
        except OSError as error:
            raise ActionFailed(f"{VALUE} was not sent") from error

    device.on_act = fail
    with pytest.raises(ActionFailed) as caught:
        await guarded.act(Type(text="{{secret:USER}}"))
    assert VALUE not in "".join(traceback.format_exception(caught.value))


async def test_a_field_that_took_a_part_of_it_shows_nothing(guarded: GuardedDevice, device: Journaled) -> None:
    await typed(guarded)
    await device.act(Type(text=VALUE[:10], clear_first=True))
    (field,) = [element for element in await guarded.elements() if element.editable]
    assert field.value == HIDDEN


async def test_where_the_value_shows_the_picture_is_covered(
    guarded: GuardedDevice, vault: Vault, reader: ScreenText
) -> None:
    await typed(guarded)
    frame = await guarded.frame()
    assert await reads(reader, frame)
    for cover in (PictureCover(guarded, None, vault), PictureCover(guarded, reader, vault)):
        shown = await cover.cover_frame(frame)
        assert not await reads(reader, shown)
        assert not plain(shown)
        assert await cover.cover_frame(frame) is shown


async def test_a_picture_that_no_list_tells_about_is_read_and_else_not_shown(
    guarded: GuardedDevice, vault: Vault, reader: ScreenText, phone: Phone
) -> None:
    await typed(guarded)
    phone.conditions.add("never-idle")
    frame = await guarded.frame()
    shown = await PictureCover(guarded, reader, vault).cover_frame(frame)
    assert not plain(shown)
    assert not await reads(reader, shown)
    assert plain(await PictureCover(guarded, None, vault).cover_frame(frame))


async def test_a_picture_from_before_the_last_action_is_not_judged_by_what_is_listed_now(
    guarded: GuardedDevice, vault: Vault, reader: ScreenText
) -> None:
    await typed(guarded)
    frame = await guarded.frame()
    await guarded.act(Type(text="", clear_first=True))
    assert plain(await PictureCover(guarded, None, vault).cover_frame(frame))
    shown = await PictureCover(guarded, reader, vault).cover_frame(frame)
    assert not plain(shown)
    assert not await reads(reader, shown)


async def test_without_secrets_nothing_is_touched(device: Journaled) -> None:
    vault = Vault({}.__getitem__)
    guarded = GuardedDevice(device, vault, Grants())
    frame = await guarded.frame()
    assert await PictureCover(guarded, None, vault).cover_frame(frame) is frame
    assert await guarded.elements() is guarded.listed


async def test_code_gets_no_value_and_shows_none(vault: Vault, tmp_path: Path) -> None:
    code = GuardedCode(Sandbox(SandboxSettings(), tmp_path, SystemClock()), vault)
    with pytest.raises(DeviceFault, match="code does not get its value"):
        await code.run("bash", "echo {{secret:USER}}")
    result = await code.run("bash", f"echo {VALUE} | tee out.txt")
    assert result.output.strip() == "{{secret:USER}}"
    assert [file.text.strip() for file in result.files] == ["{{secret:USER}}"]
