"""A site of our own and a real Chromium for each file; a test may have a device of other settings in its own file."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from deskhand.devices.browser.browser_process import Chromium
from deskhand.devices.browser.device import BrowserDevice
from tests.devices.browser.browser_stage import Site, device_in, running, serving


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[Chromium]:
    async with running() as chromium:
        yield chromium


@pytest_asyncio.fixture(loop_scope="module")
async def device(chromium: Chromium) -> AsyncIterator[BrowserDevice]:
    async with device_in(chromium) as device:
        yield device
