"""Functions as a user would write them."""

import asyncio
from typing import Any

NUMBER = 3


def get_battery_info(device_id: str) -> dict[str, Any]:
    """How full the battery of a device is."""
    return {"device_id": device_id, "percent": 86}


async def slow_sum(a: int, b: int) -> int:
    await asyncio.sleep(0)
    return a + b


def broken() -> float:
    return 1 / 0


async def forever() -> None:
    await asyncio.Event().wait()


def chat(message: str) -> str:
    """Called like one of the conversation's own tools."""
    return message
