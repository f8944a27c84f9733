"""Collects the contract for every stage: each test only for the devices that say they have what it needs."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.contract.stage import PLAIN, Stage

# A device of the house is registered here, by one line.
STAGES = (
    "tests.contract.stage_browser:BrowserStage",
    "tests.contract.stage_desktop:GtkStage",
    "tests.contract.stage_desktop:QtStage",
    "tests.contract.stage_desktop:TkStage",
    "tests.contract.stage_android:AndroidStage",
)
# What is proven of our own devices beyond the contract.
OURS = ("test_phones.py",)
NOBODY = "nobody"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--stage", action="append", metavar="MODULE:CLASS", help="run the contract against this stage instead of ours"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*words): only for devices that have these words")
    config.addinivalue_line("markers", "lacks(*words): only for devices that lack these words")
    config.addinivalue_line("markers", "has(tree=, pushes=, aims=): only for stages that say so of themselves")
    config.addinivalue_line("markers", "every_look: also at every scale, zoom and rotation of the stage")


def told(config: pytest.Config) -> list[str]:
    return config.getoption("stage", None) or []


def stages(config: pytest.Config) -> list[type[Stage]]:
    parts = [name.partition(":") for name in told(config) or STAGES]
    return [getattr(importlib.import_module(module), name) for module, _, name in parts]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if told(config) and collection_path.name in OURS else None


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
    metafunc.parametrize(fixture, chosen or [NOBODY], ids=names or ["nobody"], indirect=True, scope=scope)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test that concerns none of the stages is not there, rather than skipped."""
    idle = [item for item in items if _is_for_nobody(item)]
    config.hook.pytest_deselected(items=idle)
    items[:] = [item for item in items if item not in idle]


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


def _is_for_nobody(item: pytest.Item) -> bool:
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return any(value is NOBODY for value in parameters.values())
