"""What suites of goals share: a site of a test's own pages, and a Deskhand a module."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from deskhand.build import Deskhand
from deskhand.settings.load import load
from tests.devices.browser.browser_stage import Site, serving


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hand(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deskhand]:
    async with Deskhand(load({"data_dir": tmp_path_factory.mktemp("data")})) as hand:
        yield hand
