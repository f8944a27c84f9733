"""A page that is busy, and a caller that leaves: once it is gone, nothing of its action arrives any more."""

import asyncio
import time

import pytest

from deskhand.core.actions import Action, Click, DoubleClick, Key, Type
from deskhand.core.stop_outcome import StopOutcome, outcome_of
from deskhand.devices.browser.device import BrowserDevice
from tests.devices.browser.browser_stage import Site, find, script, show

pytestmark = pytest.mark.asyncio(loop_scope="module")

# The page is busy for a second from the first movement of the mouse, or the first key, on: what was sent together
# with it waits in Chromium's queue.
BUSY = """<script>window.felt = []; let once = false
function drag_feet() { if (once) return; once = true; const end = Date.now() + 1000; while (Date.now() < end); }
addEventListener("mousemove", drag_feet, true); addEventListener("beforeinput", drag_feet, true)
addEventListener("keydown", e => { if (e.key == "Enter") drag_feet() }, true)
for (const kind of ["click", "dblclick", "input", "keyup"]) addEventListener(kind, () => felt.push(Date.now() / 1000))
</script><button style="width:200px;height:80px">Target</button><input autofocus aria-label="Field">"""


@pytest.mark.parametrize("kind", ["click", "double_click", "type", "key"])
@pytest.mark.parametrize("seconds", [0.0, 0.2, 0.5])
async def test_nothing_arrives_after_a_stop_on_a_busy_page(
    device: BrowserDevice, site: Site, kind: str, seconds: float
) -> None:
    await show(device, site.page(BUSY))
    x, y = (await find(device, "Target")).bounds.center
    action: Action = {
        "click": Click(x=x, y=y), "double_click": DoubleClick(x=x, y=y), "type": Type(text="word"),
        "key": Key(key="enter"),
    }[kind]  # fmt: skip
    await script(device, "document.querySelector('input').focus()")
    said: list[StopOutcome] = []

    async def act() -> None:
        try:
            await device.act(action)
        except asyncio.CancelledError as stop:
            said.append(outcome_of(stop))
            raise

    work = asyncio.ensure_future(act())
    await asyncio.sleep(seconds)
    for _ in range(2):
        work.cancel()
        await asyncio.sleep(0.01)
    await asyncio.wait({work}, timeout=15)
    ended = time.time()
    # The page answers only when it is no longer busy, so that what waits in its queue comes first.
    felt = await script(device, "new Promise(done => setTimeout(() => done(felt), 50))")
    assert [at for at in felt if at > ended + 0.02] == [], said
    if said == [StopOutcome.DONE]:
        assert felt
    if said == [StopOutcome.NOT_SENT]:
        assert not felt
