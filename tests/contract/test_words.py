"""The contract on the other words: keys, apps, addresses, windows, the ways back; and on words a device lacks."""

from contextlib import suppress

import pytest
from pydantic import ValidationError

from deskhand.core.actions import (
    ACTION_KINDS,
    ENGINE_KINDS,
    Back,
    Click,
    Home,
    Hotkey,
    Key,
    OpenApp,
    OpenUrl,
    SwitchWindow,
    Type,
    parse_action,
)
from deskhand.core.errors import ActionFailed, AppNotFound, DeviceFault, ModelFault, NotPossible
from tests.contract.absurd_actions import ABSURD, FIELDS_OF
from tests.contract.stage import Stage, until

pytestmark = pytest.mark.asyncio(loop_scope="package")


async def in_front(stage: Stage, wanted: str) -> None:
    async def there() -> bool:
        return await stage.where() == wanted

    await until(there, f"{wanted} in front")


async def focus(stage: Stage, field: str) -> None:
    x, y = (await stage.board()).places[field].center
    await stage.device.act(Click(x=x, y=y))


async def holds(stage: Stage, field: str, text: str) -> None:
    async def there() -> bool:
        return (await stage.board()).texts[field] == text

    await until(there, f"{text!r} in {field}")


async def test_a_device_has_the_words_it_says_and_refuses_the_others(stage: Stage) -> None:
    assert stage.device.capabilities == stage.words
    assert not stage.device.capabilities & ENGINE_KINDS
    for kind in sorted(ACTION_KINDS - stage.device.capabilities):
        with pytest.raises(NotPossible, match=r"can't|has no"):
            await stage.device.act(parse_action({"kind": kind, **FIELDS_OF[kind]}))
    assert not (await stage.board()).felt


@pytest.mark.needs("key")
async def test_keys_are_struck_by_the_names_people_use(stage: Stage) -> None:
    await focus(stage, "Name")
    await stage.device.act(Type(text="abc"))
    for name in ("Left", "BackSpace", "x", "enter"):
        await stage.device.act(Key(key=name))

    async def struck() -> bool:
        return (await stage.board()).keys[-4:] == ["left", "backspace", "x", "enter"]

    await until(struck, "the four keys")
    await holds(stage, "Name", "axc")


@pytest.mark.needs("key")
async def test_a_key_that_nobody_has_is_refused(stage: Stage) -> None:
    with pytest.raises(NotPossible, match="hyperdrive"):
        await stage.device.act(Key(key="hyperdrive"))


@pytest.mark.needs("hotkey")
async def test_keys_are_struck_together(stage: Stage) -> None:
    await focus(stage, "Name")
    await stage.device.act(Hotkey(keys=("ctrl", "a")))

    async def struck() -> bool:
        return "ctrl+a" in (await stage.board()).keys

    await until(struck, "ctrl+a")


@pytest.mark.needs("open_app")
async def test_an_app_is_opened_by_its_name(stage: Stage) -> None:
    await stage.device.act(OpenApp(name=stage.other_app))
    assert await stage.where() == "Other"
    assert stage.other_app in await stage.device.apps()
    # Once more: it is there already.
    await stage.device.act(OpenApp(name=stage.other_app))
    assert await stage.where() == "Other"


@pytest.mark.needs("open_app")
async def test_an_app_that_is_not_there_is_said_so(stage: Stage) -> None:
    with pytest.raises(AppNotFound, match="Zyxwv Qponm"):
        await stage.device.act(OpenApp(name="Zyxwv Qponm"))
    assert await stage.where() == "Board"


@pytest.mark.lacks("open_app")
async def test_a_device_that_opens_no_apps_offers_none(stage: Stage) -> None:
    assert await stage.device.apps() == ()


@pytest.mark.needs("open_url")
async def test_an_address_is_opened(stage: Stage) -> None:
    await stage.device.act(OpenUrl(url=stage.address))
    await in_front(stage, "Address")


@pytest.mark.needs("switch_window")
async def test_a_window_is_brought_to_the_front_by_its_title(stage: Stage) -> None:
    await stage.second()
    await in_front(stage, "Second")
    await stage.device.act(SwitchWindow(title="Board"))
    assert await stage.where() == "Board"
    await stage.device.act(SwitchWindow(title="Second"))
    assert await stage.where() == "Second"
    with pytest.raises(ActionFailed, match=r"Board.*Second|Second.*Board"):
        await stage.device.act(SwitchWindow(title="Zyxwv Qponm"))


@pytest.mark.needs("back")
async def test_back_leads_where_one_came_from(stage: Stage) -> None:
    await stage.deeper()
    await in_front(stage, "Deeper")
    await stage.device.act(Back())
    await in_front(stage, "Board")


@pytest.mark.needs("home")
async def test_home_leads_home(stage: Stage) -> None:
    await stage.device.act(Home())
    await in_front(stage, "Home")


async def test_the_app_in_front_is_told(stage: Stage) -> None:
    app = await stage.device.app()
    assert "board" in f"{app.name} {app.title}".casefold()


async def test_a_device_keeps_its_name(stage: Stage) -> None:
    assert stage.device.id
    assert stage.device.id == stage.device.id.strip()


@pytest.mark.parametrize("kind", ABSURD)
async def test_what_a_confused_model_writes_is_refused_in_words(stage: Stage, kind: str) -> None:
    """Whatever the parameters: the fault is the model's or a passing one, in one sentence, and the device goes on."""
    if kind not in stage.words:
        return  # that a word is refused as a whole is proven above
    crashed: list[str] = []
    for fields in ABSURD[kind]:
        with suppress(ValidationError):  # it never gets to a device
            action = parse_action({"kind": kind, **fields})
            try:
                await stage.device.act(action)
            except (ModelFault, DeviceFault) as fault:
                crashed += [] if str(fault).strip() else [f"{fields}: without a word"]
            except Exception as error:  # noqa: BLE001 each of them would end the task
                crashed.append(f"{fields}: {error!r}")
    assert crashed == []
    assert (await stage.device.frame()).width
