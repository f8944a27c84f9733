"""The Android device over the real adb: what it sees, and every word it can act on."""

import asyncio
import time

import pytest

from deskhand.clock import ManualClock, SystemClock
from deskhand.core.actions import (
    ENGINE_KINDS,
    Back,
    Click,
    DoubleClick,
    Drag,
    Home,
    Hotkey,
    Key,
    LongPress,
    Memorize,
    Move,
    OpenApp,
    OpenUrl,
    RightClick,
    Scroll,
    Swipe,
    SwitchWindow,
    Type,
)
from deskhand.core.errors import (
    ActionFailed,
    AppNotFound,
    DeviceGone,
    DeviceLocked,
    DeviceOffline,
    DeviceUnauthorized,
    NoElements,
    NotPossible,
    OutcomeUnknown,
    UnknownDevice,
)
from deskhand.core.geometry import Rect
from deskhand.core.screen import DeviceInfo, Element
from deskhand.devices.android.adb.client import AdbClient, ListedPhone
from deskhand.devices.android.device import AndroidDevice, attach_phone, list_phone_infos
from deskhand.devices.android.scrolling import find_scroll_area, plan_stroke
from deskhand.simphone.adb.phone_server import SimPhone
from tests.devices.conftest import Attach, Plug
from tests.promptness import AT_ONCE_S

LAUNCHER = "com.android.launcher3"
SETTINGS = "com.android.settings"
NOTES = "com.miui.notes"
CALCULATOR = "com.android.calculator2"


async def until(sim: SimPhone, still: bool = True) -> None:
    """Wait until the phone's own animations have ended."""
    deadline = time.monotonic() + 10
    while sim.phone.display.is_animating() == still:
        assert time.monotonic() < deadline, "the phone did not come to rest"
        await SystemClock().sleep(0.01)


def named(elements: tuple[Element, ...], name: str, role: str = "") -> Element:
    found = [each for each in elements if each.name == name and role in ("", each.role)]
    assert found, f"{name!r} is not among {[each.name for each in elements]}"
    return found[0]


async def tap(device: AndroidDevice, sim: SimPhone, name: str, role: str = "") -> None:
    await until(sim)
    x, y = named(await device.elements(), name, role).bounds.center
    await device.act(Click(x=x, y=y))
    await until(sim)


# --- attaching ----------------------------------------------------------------------------------------------------


async def test_a_phone_is_listed_and_attached(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug()
    assert DeviceInfo(f"android:{sim.address}", "android", "ready", "SimPhone") in await list_phone_infos(adb_client)
    device = await attach_phone(sim.address, adb=adb_client, clock=SystemClock())
    assert device.id == f"android:{sim.address}"
    assert device.changes() is None
    await device.close()


async def test_a_phone_on_the_network_is_connected_by_its_address(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug()
    await adb_client.query_server(f"host:disconnect:{sim.address}")
    device = await attach_phone(sim.address, adb=adb_client, clock=SystemClock(), name="mine")
    assert device.id == "mine"


async def test_an_unknown_phone_is_named_beside_the_known_ones(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug()
    with pytest.raises(UnknownDevice, match=f"adb sees no phone R58M12: .*Phones it sees: .*{sim.address}"):
        await attach_phone("R58M12", adb=adb_client, clock=SystemClock())


async def test_an_unauthorized_phone_says_what_to_do(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug("unauthorized")
    with pytest.raises(DeviceUnauthorized, match="accept the prompt on its screen"):
        await attach_phone(sim.address, adb=adb_client, clock=SystemClock())
    listed = {info.id: info for info in await list_phone_infos(adb_client)}
    assert listed[f"android:{sim.address}"].state in {"unauthorized", "authorizing"}
    assert "accept the prompt" in listed[f"android:{sim.address}"].detail


async def test_an_offline_phone_says_what_to_do(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug()
    sim.phone.conditions.add("offline")
    async with asyncio.timeout(10):
        while ListedPhone(sim.address, "offline", "SimPhone") not in await adb_client.list_phones():
            pass
    with pytest.raises(DeviceOffline, match="is offline: unplug it and plug it in again"):
        await attach_phone(sim.address, adb=adb_client, clock=ManualClock())


async def test_a_phone_that_is_still_starting_is_told(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug()
    sim.system.properties["sys.boot_completed"] = ""
    with pytest.raises(DeviceOffline, match="is still starting"):
        await attach_phone(sim.address, adb=adb_client, clock=SystemClock())


async def test_an_old_phone_can_not_press_keys_together_but_can_paste(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug()
    sim.system.properties["ro.build.version.sdk"] = "28"
    device = await attach_phone(sim.address, adb=adb_client, clock=SystemClock())
    await device.act(Hotkey(keys=("ctrl", "v")))
    with pytest.raises(NotPossible, match="needs Android 12 or later"):
        await device.act(Hotkey(keys=("ctrl", "a")))


async def test_a_locked_phone_is_of_no_use(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug("locked")
    with pytest.raises(DeviceLocked, match="is locked: unlock it"):
        await attach_phone(sim.address, adb=adb_client, clock=SystemClock())


async def test_a_phone_that_locks_in_the_middle_is_found_out(attach: Attach) -> None:
    device, sim = await attach()
    sim.phone.conditions.add("locked")
    with pytest.raises(DeviceLocked):
        await device.app()
    with pytest.raises(DeviceLocked):
        await device.act(OpenApp(name="Settings"))


async def test_a_screen_that_is_off_is_no_secure_window(attach: Attach) -> None:
    device, sim = await attach()
    sim.phone.input.press_key(223)
    with pytest.raises(DeviceLocked, match=r"screen of the phone .* is off"):
        await device.frame()


async def test_a_phone_that_goes_away_is_gone_in_every_call(attach: Attach, adb_client: AdbClient) -> None:
    device, sim = await attach()
    await adb_client.query_server(f"host:disconnect:{sim.address}")
    await sim.__aexit__()
    with pytest.raises(DeviceGone, match="not connected any more"):
        await device.act(Click(x=1, y=1))
    with pytest.raises(DeviceGone):
        await device.frame()
    with pytest.raises(DeviceGone):
        await device.elements()


async def test_a_phone_that_drops_in_the_middle_of_an_action_is_a_typed_error(attach: Attach) -> None:
    device, sim = await attach()
    sim.phone.conditions.add("drop-once")
    with pytest.raises(OutcomeUnknown):
        await device.act(Swipe(x=500, y=1500, to_x=500, to_y=500, duration_ms=2000))


async def test_two_phones_work_side_by_side(attach: Attach) -> None:
    (one, sim_one), (two, sim_two) = await attach(name="one"), await attach(name="two")
    await asyncio.gather(one.act(OpenApp(name="Settings")), two.act(OpenApp(name="Calculator")))
    assert sim_one.phone.windows.foreground[0] == SETTINGS
    assert sim_two.phone.windows.foreground[0] == CALCULATOR
    frames = await asyncio.gather(one.frame(), two.frame())
    assert [frame.size for frame in frames] == [(1080, 2400), (1080, 2400)]


# --- seeing -------------------------------------------------------------------------------------------------------


async def test_the_app_in_front_is_told(attach: Attach) -> None:
    device, _ = await attach(app=SETTINGS)
    app = await device.app()
    assert (app.name, app.title) == (SETTINGS, ".Settings")


async def test_elements_have_the_names_that_people_use(attach: Attach) -> None:
    device, sim = await attach(app=SETTINGS)
    await until(sim)
    elements = await device.elements()
    assert [each.index for each in elements] == list(range(len(elements)))
    row = named(elements, "Wi-Fi, Off", "item")
    assert row.clickable
    assert elements[named(elements, "Wi-Fi", "text").parent or 0] == row
    switch = named(elements, "Airplane mode", "switch")
    assert switch.checked is False
    search = next(each for each in elements if each.editable)
    assert (search.role, search.value, search.hint) == ("field", "", "Search settings")
    assert search.id == f"{SETTINGS}:id/search_field"


async def test_a_screen_that_never_rests_has_no_elements(attach: Attach) -> None:
    device, sim = await attach()
    sim.phone.conditions.add("never-idle")
    with pytest.raises(NoElements, match="the screen keeps changing"):
        await device.elements()


async def test_apps_are_named_as_people_name_them(attach: Attach) -> None:
    device, _ = await attach()
    assert {"微信", "WeChat", "设置", "Settings", "Calculator", "时钟"} <= set(await device.apps())


# --- acting -------------------------------------------------------------------------------------------------------


async def test_what_a_phone_can_not_do_is_not_among_its_capabilities(attach: Attach) -> None:
    device, _ = await attach()
    impossible = [RightClick(x=1, y=1), Move(x=1, y=1), SwitchWindow(title="x"), Memorize(text="x")]
    for action in impossible:
        assert action.kind not in device.capabilities
        with pytest.raises(NotPossible, match="A phone can't do"):
            await device.act(action)
    assert not device.capabilities & ENGINE_KINDS


async def test_a_click_lands_on_the_element(attach: Attach) -> None:
    device, sim = await attach(app=SETTINGS)
    await tap(device, sim, "Airplane mode", "switch")
    assert sim.phone.read_state()["settings"]["global"]["airplane_mode_on"] == "1"
    assert named(await device.elements(), "Airplane mode", "switch").checked is True


async def test_a_double_click_clicks_twice(attach: Attach) -> None:
    device, sim = await attach(app=CALCULATOR)
    await until(sim)
    x, y = named(await device.elements(), "7").bounds.center
    await device.act(DoubleClick(x=x, y=y))
    await until(sim)
    assert "77" in {each.name for each in await device.elements()}


async def test_a_point_outside_of_the_frame_is_refused(attach: Attach) -> None:
    device, _ = await attach()
    await device.frame()
    with pytest.raises(NotPossible, match=r"\(1080, 5\) is outside of the screen, which is 1080×2400"):
        await device.act(Click(x=1080, y=5))
    await device.act(Click(x=1079, y=2399))
    await device.act(Click(x=0, y=0))


async def test_a_long_press_opens_the_menu_of_a_note(attach: Attach) -> None:
    device, sim = await attach(app=NOTES)
    await until(sim)
    note = next(each for each in await device.elements() if "Shopping list" in each.name and each.clickable)
    await device.act(LongPress(x=note.bounds.center[0], y=note.bounds.center[1]))
    await until(sim)
    assert named(await device.elements(), "Delete")


async def test_a_swipe_moves_the_list_and_a_scroll_moves_it_back(attach: Attach) -> None:
    device, sim = await attach(app=SETTINGS)
    await until(sim)
    await device.act(Swipe(x=540, y=1900, to_x=540, to_y=700))
    await until(sim)
    names = {each.name for each in await device.elements()}
    assert "About phone" in names
    assert "Wi-Fi" not in names
    await device.act(Scroll(direction="up", pages=2))
    await until(sim)
    assert "Wi-Fi" in {each.name for each in await device.elements()}


async def test_a_scroll_reveals_what_lies_in_its_direction(attach: Attach) -> None:
    device, sim = await attach()
    await until(sim)
    before = {each.name for each in await device.elements()}
    await device.act(Scroll(direction="right", pages=0.5, x=540, y=1200))
    await until(sim)
    await device.elements()
    assert {each.name for each in await device.elements()} != before
    await device.act(Scroll(direction="left", pages=0.5, x=540, y=1200))
    await until(sim)
    assert {each.name for each in await device.elements()} == before


async def test_a_drag_moves_a_slider(attach: Attach) -> None:
    device, sim = await attach(app=SETTINGS)
    await tap(device, sim, "Display", "item")
    slider = next(each for each in await device.elements() if each.role == "slider")
    left, middle = slider.bounds.left + 20, slider.bounds.center[1]
    await device.act(Drag(x=left, y=middle, to_x=slider.bounds.right - 20, to_y=middle))
    assert int(sim.phone.read_state()["settings"]["system"]["screen_brightness"]) > 200


async def test_back_home_and_keys(attach: Attach) -> None:
    device, sim = await attach(app=SETTINGS)
    await tap(device, sim, "Wi-Fi, Off")
    assert sim.phone.windows.foreground[1].endswith("WifiSettings")
    await device.act(Back())
    assert sim.phone.windows.foreground == (SETTINGS, ".Settings")
    await device.act(Home())
    assert sim.phone.windows.foreground[0] == LAUNCHER
    volume = int(sim.phone.read_state()["settings"]["system"]["volume_music"])
    await device.act(Key(key="Volume Up"))
    assert int(sim.phone.read_state()["settings"]["system"]["volume_music"]) == volume + 1
    await device.act(Key(key="recent"))
    assert sim.phone.windows.foreground[0] == "com.android.systemui"


async def test_an_unknown_key_is_the_models_fault(attach: Attach) -> None:
    device, _ = await attach()
    with pytest.raises(NotPossible, match="has no key 'hyper'"):
        await device.act(Key(key="hyper"))


async def test_keys_together_select_copy_and_paste(attach: Attach) -> None:
    device, sim = await attach(app=SETTINGS)
    await tap(device, sim, "", "field")
    await device.act(Type(text="wifi"))
    await device.act(Hotkey(keys=("ctrl", "a")))
    await device.act(Hotkey(keys=("ctrl", "c")))
    assert sim.phone.clipboard == "wifi"
    await device.act(Key(key="delete"))
    await device.act(Hotkey(keys=("ctrl+v",)))
    await device.act(Key(key="ctrl+v"))
    assert sim.phone.read_state()["focused"]["text"] == "wifiwifi"


@pytest.mark.parametrize("name", ["Settings", "设置", "settings app", "com.android.settings", "Setings"])
async def test_an_app_is_opened_by_any_name_for_it(attach: Attach, name: str) -> None:
    device, sim = await attach()
    assert await device.act(OpenApp(name=name)) == f"{name} is in front"
    assert sim.phone.windows.foreground[0] == SETTINGS


async def test_an_app_that_is_open_already_stays_in_front(attach: Attach) -> None:
    device, sim = await attach(app=SETTINGS)
    await device.act(OpenApp(name="设置"))
    assert sim.phone.windows.foreground[0] == SETTINGS


async def test_an_app_that_is_not_installed_is_named_with_the_nearest(attach: Attach) -> None:
    device, sim = await attach()
    with pytest.raises(AppNotFound, match=r"The app 'Calender' is not on the phone .* Similar apps on it: .*Camera"):
        await device.act(OpenApp(name="Calender"))
    with pytest.raises(AppNotFound, match=r"淘宝.*设置"):
        await device.act(OpenApp(name="淘宝"))
    assert sim.phone.windows.foreground[0] == LAUNCHER


async def test_an_app_that_another_window_covers_is_not_called_open(plug: Plug, adb_client: AdbClient) -> None:
    sim = await plug()
    device = await attach_phone(sim.address, adb=adb_client, clock=ManualClock())
    sim.phone.conditions.add("popup")
    await device.act(Key(key="volume_up"))
    with pytest.raises(
        AppNotFound, match=r"was started but did not come to the front .* com\.android\.systemui is in front"
    ):
        await device.act(OpenApp(name="Settings"))


async def test_an_address_opens_in_the_browser(attach: Attach) -> None:
    device, sim = await attach()
    await device.act(OpenUrl(url="example.com/a?b=1&c='2'"))
    assert sim.phone.windows.foreground[0] == "com.android.browser"


async def test_an_address_that_no_app_opens_is_refused(attach: Attach) -> None:
    device, _ = await attach()
    with pytest.raises(ActionFailed, match=r"No app on the phone .* can open weird:thing"):
        await device.act(OpenUrl(url="weird:thing"))


async def test_a_cancelled_swipe_returns_at_once_and_leaves_the_phone_usable(attach: Attach) -> None:
    device, sim = await attach(app=SETTINGS)
    await until(sim)
    swipe = asyncio.create_task(device.act(Swipe(x=540, y=1900, to_x=540, to_y=700, duration_ms=3000)))
    await asyncio.wait([swipe], timeout=0.3)
    began = time.monotonic()
    swipe.cancel()
    await asyncio.wait([swipe])
    assert swipe.cancelled()
    assert time.monotonic() - began < AT_ONCE_S
    await device.act(OpenApp(name="Calculator"))
    assert sim.phone.windows.foreground[0] == CALCULATOR


async def test_a_tap_is_not_held_up_by_a_swipe(attach: Attach) -> None:
    device, _ = await attach()
    swipe = asyncio.create_task(device.act(Swipe(x=540, y=1900, to_x=540, to_y=700, duration_ms=5000)))
    await asyncio.wait([swipe], timeout=0.1)
    await device.act(Key(key="volume_up"))
    assert not swipe.done()
    swipe.cancel()


# --- where a scroll goes ------------------------------------------------------------------------------------------


def test_a_scroll_stays_within_the_list_under_the_point_and_off_the_edges() -> None:
    screen = Rect(0, 0, 1000, 2000)
    inner = Rect(120, 240, 880, 1760)
    the_list = Element(0, "list", Rect(0, 500, 1000, 1000), scrollable=True)
    assert find_scroll_area((500, 700), (the_list,), screen) == Rect(120, 500, 880, 1000)
    assert find_scroll_area((500, 1500), (the_list,), screen) == inner
    sliver = Element(0, "list", Rect(0, 0, 1000, 300), scrollable=True)
    assert find_scroll_area((500, 100), (sliver,), screen) == inner


def test_content_in_a_direction_is_revealed_by_a_swipe_against_it() -> None:
    area = Rect(100, 200, 901, 1201)
    assert plan_stroke("down", 0.5, (500, 700), area) == ((500, 950), (500, 450))
    assert plan_stroke("up", 0.5, (500, 700), area) == ((500, 450), (500, 950))
    assert plan_stroke("right", 0.5, (500, 700), area) == ((700, 700), (300, 700))
    assert plan_stroke("left", 0.5, (500, 700), area) == ((300, 700), (700, 700))
    assert plan_stroke("down", 0.5, (0, 0), area) == ((100, 700), (100, 200))
