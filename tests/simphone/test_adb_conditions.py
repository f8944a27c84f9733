"""Each trouble of the wire as the real adb sees it, on demand and taken back while running."""

import time
from collections.abc import Awaitable, Callable

import pytest

from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from tests.conftest import Adb, ConnectedPhone, eventually


def works(sim: ConnectedPhone) -> Callable[[], Awaitable[bool]]:
    async def check() -> bool:
        return (await sim.shell("echo hi"))[:2] == (0, "hi\n")

    return check


@pytest.mark.parametrize(
    ("condition", "state", "complaint"),
    [("unauthorized", "unauthorized", "device unauthorized"), ("offline", "offline", "device offline")],
)
async def test_a_phone_refuses_and_then_lets_in(
    sim: ConnectedPhone, condition: str, state: str, complaint: str
) -> None:
    sim.phone.conditions.add(condition)
    await sim.becomes(state)
    code, _, err = await sim.shell("echo hi")
    assert (code, complaint in err) == (1, True), err
    sim.phone.conditions.discard(condition)
    await sim.becomes("device")
    assert await sim.out("echo hi") == "hi\n"


async def test_a_phone_can_be_unauthorized_from_the_start(adb: Adb) -> None:
    async with SimPhone(Phone(conditions=["unauthorized"])) as server:
        _, out, err = await adb.run("connect", server.address)
        assert "failed to authenticate" in out + err
        connected = ConnectedPhone(server.phone, server, adb)
        assert await connected.devices_state() == "unauthorized"
        server.phone.conditions.discard("unauthorized")
        await connected.becomes("device")
        await adb.run("disconnect", server.address)


async def test_a_dropped_connection_breaks_the_command_and_comes_back(sim: ConnectedPhone) -> None:
    await sim.out("deskhand-condition add drop-once")
    code, out, _ = await sim.shell("input keyevent 26; echo hello there")
    assert (code, out) != (0, "hello there\n")
    assert not sim.phone.awake, "what was asked before the break has been done"
    await eventually(works(sim))


async def test_every_command_breaks_until_dropping_is_taken_back(sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("drop")
    for _ in range(2):
        assert (await sim.shell("true"))[0] != 0
        await sim.becomes("device")
    code, _, _ = await sim.adb_run("pull", "/system/build.prop", "/dev/null")
    assert code != 0
    await sim.becomes("device")
    await sim.out("deskhand-condition remove drop")
    assert await sim.out("echo hi") == "hi\n"


async def test_a_slow_phone_takes_a_second_more(sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("slow")
    began = time.monotonic()
    assert await sim.out("echo hi") == "hi\n"
    assert time.monotonic() - began >= 1.0


async def test_some_makers_refuse_to_change_the_keyboard(sim: ConnectedPhone) -> None:
    sim.phone.conditions.add("ime-denied")
    for line in ("ime enable com.android.adbkeyboard/.AdbIME", "settings put secure default_input_method x/.y"):
        code, out, err = await sim.shell(line)
        assert (code, out) == (255, "")
        assert "SecurityException: Permission denial" in err


async def test_conditions_are_listed_and_checked_from_the_shell(sim: ConnectedPhone) -> None:
    assert await sim.out("deskhand-condition add rotated; deskhand-condition list") == "rotated\n"
    assert sim.phone.rotation == 1
    await sim.out("deskhand-condition remove rotated")
    code, _, err = await sim.shell("deskhand-condition add tired")
    assert (code, "NAME is one of: clipper deaf-buttons drop" in err) == (2, True)
