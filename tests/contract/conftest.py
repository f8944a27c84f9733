"""Collects the contract for every stage: each test only for the devices that say they have what it needs."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.contract.stage import PLAIN, Stage
from tests.contract.stage_android import AndroidStage
from tests.contract.stage_browser import BrowserStage
from tests.contract.stage_desktop import GtkStage, QtStage, TkStage

STAGES: tuple[type[Stage], ...] = (BrowserStage, GtkStage, QtStage, TkStage, AndroidStage)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stage", action="append", metavar="MODULE:CLASS", help="run the contract against this stage instead of ours"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*words): only for devices that have these words")
    config.addinivalue_line("markers", "lacks(*words): only for devices that lack these words")
    config.addinivalue_line("markers", "has(tree=, pushes=, aims=): only for stages that say so of themselves")
    config.addinivalue_line("markers", "every_look: also at every scale, zoom and rotation of the stage")


def stages(config: pytest.Config) -> tuple[type[Stage], ...]:
    told: list[str] = config.getoption("stage", None) or []
    if not told:
        return STAGES
    parts = [name.partition(":") for name in told]
    return tuple(getattr(importlib.import_module(module), name) for module, _, name in parts)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    fixture = next((name for name in ("opened", "fresh") if name in metafunc.fixturenames), None)
    if fixture is None:
        return
    looks = metafunc.definition.get_closest_marker("every_look") is not None
    chosen = [
        (stage, look)
        for stage in stages(metafunc.config)
        if _concerned(stage, metafunc.definition)
        for look in (stage.looks if looks else (PLAIN,))
    ]
    scope = "package" if fixture == "opened" else "function"
    names = [stage.name if look == PLAIN else f"{stage.name}-{look}" for stage, look in chosen]
    metafunc.parametrize(fixture, chosen, ids=names, indirect=True, scope=scope)


def _concerned(stage: type[Stage], test: pytest.Function) -> bool:
    needed = {word for mark in test.iter_markers("needs") for word in mark.args}
    lacking = {word for mark in test.iter_markers("lacks") for word in mark.args}
    said = {key: value for mark in test.iter_markers("has") for key, value in mark.kwargs.items()}
    return (
        needed <= stage.words
        and not lacking & stage.words
        and all(getattr(stage, key) == value for key, value in said.items())
    )


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    stage, look = request.param
    async with stage(tmp_path_factory.mktemp("stage"), look) as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="package")
async def stage(opened: Stage) -> Stage:
    """The stage that all tests of one device share, with its board as at first."""
    await opened.reset()
    return opened


@pytest_asyncio.fixture(loop_scope="package")
async def fresh(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """A stage of the test's own, which it may ruin."""
    stage, look = request.param
    async with stage(tmp_path_factory.mktemp("stage"), look) as opened:
        await opened.reset()
        yield opened
