"""Pages whose script never ends: the task says so within one limit, and the next one works in the same browser."""

import time
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from deskhand.build import Deskhand
from deskhand.cli.end_words import tell_end
from deskhand.core.statuses import TaskStatus
from deskhand.settings.load import load
from tests.devices.browser.browser_stage import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

LIMIT_S = 3.0
FROZEN = {
    "by a click": "<button onclick='for(;;);'>Go</button>",
    "after a click": "<button onclick='setTimeout(() => { for(;;); }, 200)'>Go</button>",
    "at load": "<script>for(;;);</script><button>Go</button>",
    "by a timer": "<button>Go</button><script>setTimeout(() => { for(;;); }, 300)</script>",
}
NEXT = """<button onclick="new Image().src = '/told'">Next</button>"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hand(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deskhand]:
    settings = load({"data_dir": tmp_path_factory.mktemp("data"), "browser": {"page_timeout_s": LIMIT_S}})
    async with Deskhand(settings) as hand:
        # The first task starts the browser, which takes a time of its own.
        await hand.run("click Go", device="browser", url="data:text/html,<button>Go</button>")
        yield hand


@pytest.mark.parametrize(
    ("goal", "sentence"),
    [
        ("click Go", "frozen.html did not respond for 3 s: open it again, or use another page."),
        ("点击Go", "frozen.html 在 3 秒内没有响应：请重新打开它，或换一个网页"),
    ],
    ids=["en", "zh"],
)
@pytest.mark.parametrize("how", FROZEN)
async def test_a_frozen_page_is_told_soon_and_blocks_no_later_task(
    hand: Deskhand, site: Site, how: str, goal: str, sentence: str
) -> None:
    begun = time.monotonic()
    ended = await hand.run(goal, device="browser", url=site.page(FROZEN[how], "/frozen.html"))
    took = time.monotonic() - begun
    assert ended.status is TaskStatus.REJECTED
    assert sentence in tell_end(ended)
    assert took < 4 * LIMIT_S, f"ended after {took:.1f} s"
    ended = await hand.run(f"open {site.page(NEXT, '/next.html')}, click Next", device="browser")
    assert (ended.status, "/told" in site.asked) == (TaskStatus.FULFILLED, True), ended.reason
