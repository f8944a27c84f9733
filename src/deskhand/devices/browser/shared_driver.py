"""One Playwright driver for all browsers of a process: each is a Node process of its own, with 135 MB."""

import asyncio
import contextlib
from dataclasses import dataclass, field

from playwright.async_api import Error, Playwright, async_playwright

from deskhand.settings.environment import withhold_secrets

ANSWER_S = 5.0


@dataclass(slots=True)
class _Driver:
    """The driver of one event loop, and how many browsers use it."""

    playwright: Playwright | None = None
    users: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


_drivers: dict[asyncio.AbstractEventLoop, _Driver] = {}


async def take_driver() -> Playwright:
    """Return the driver, started if need be; whoever takes it gives it back with `give_back_driver`."""
    driver = _drivers.setdefault(asyncio.get_running_loop(), _Driver())
    async with driver.turn:
        if driver.playwright is not None and not await _is_alive(driver.playwright):
            driver.playwright = None
        if driver.playwright is None:
            with withhold_secrets():  # it can't be given an environment of its own
                driver.playwright = await async_playwright().start()
            driver.users = 0
        driver.users += 1
        return driver.playwright


async def _is_alive(playwright: Playwright) -> bool:
    """True if the driver answers; it may have been killed."""
    try:
        async with asyncio.timeout(ANSWER_S):
            context = await playwright.request.new_context()
            await context.dispose()
    except (Error, TimeoutError):
        return False
    return True


async def give_back_driver(playwright: Playwright) -> None:
    """Stop the driver after its last user."""
    loop = asyncio.get_running_loop()
    driver = _drivers.get(loop)
    if driver is None or driver.playwright is not playwright:
        return  # it has ended, and others use a new one
    async with driver.turn:
        if driver.playwright is not playwright:
            return
        driver.users -= 1
        if driver.users > 0:
            return
        driver.playwright = None
        _drivers.pop(loop, None)
        with contextlib.suppress(Error):
            await playwright.stop()
