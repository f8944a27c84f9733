"""What the contract asks of a test stage: a device, and an app on it that tells from its own mouth what reached it.

The suite knows no device. It works a *board*: one app that fills the screen and shows

    Name       a field of one line                Agree      a check box
    Notes      a field of many lines              Press me   a button
    Short      a field that takes 5 characters    Disabled   a button that can't be pressed
    Password   a field that hides what it holds   Rows       Row 0 to Row 299, which scroll both ways
    Pad        an empty place to point at

To prove a device of your own: write such an app for it, a `Stage` that opens both, and run

    pytest tests/contract --stage mypackage.mymodule:MyStage
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, Protocol, Self, TypeVar

from deskhand.core.actions import ActionKind
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Device
from deskhand.core.screen import Element

PLAIN = "plain"
FIELDS = ("Name", "Notes", "Short", "Password")
PARTS = (*FIELDS, "Agree", "Press me", "Disabled", "Rows", "Pad")
SHORT = 5
PATIENCE_S = 20.0
TOLERANCE_PX = 2
ROLES = {"Name": "field", "Notes": "field", "Short": "field", "Password": "field", "Agree": "checkbox",
         "Press me": "button", "Disabled": "button"}  # fmt: skip

Answer = TypeVar("Answer")
# What is in front, as the thing itself says.
Where = Literal["Board", "Deeper", "Second", "Other", "Address", "Home"]


@dataclass(frozen=True, slots=True)
class Felt:
    """One thing that reached the app. Points are pixels of the device's frame; `at` is the app's own time.

    `what`: press, release, move, double (a press that the app takes for the second of two), key.
    `key`: what was struck, in lower case and with its modifiers: `enter`, `left`, `ctrl+a`.
    """

    what: Literal["press", "release", "move", "double", "key"]
    x: int = -1
    y: int = -1
    button: str = ""
    key: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Board:
    """All that the app itself knows at one moment; `scrolled`: how far Rows are from their start."""

    places: dict[str, Rect]
    texts: dict[str, str]
    agreed: bool
    pressed: int
    scrolled: tuple[int, int]
    felt: tuple[Felt, ...]

    def heard(self, what: str) -> list[Felt]:
        return [one for one in self.felt if one.what == what]

    @property
    def keys(self) -> list[str]:
        return [one.key for one in self.felt if one.what == "key"]


class Stage(Protocol):
    """Opened as an async context. The class attributes choose which tests are collected for it.

    `words`: the capabilities that the device has to have. `looks`: scales, zooms and rotations under which
    coordinates are proven, the plain one first. `tree`: whether elements can be listed. `pushes`: whether `changes()`
    tells. `aims`: whether attaching to it proves where clicks land.
    """

    name: ClassVar[str]
    words: ClassVar[frozenset[ActionKind]]
    looks: ClassVar[tuple[str, ...]]
    tree: ClassVar[bool]
    pushes: ClassVar[bool]
    aims: ClassVar[bool]

    other_app: str  # a name for `open_app`; needed with that word
    address: str  # a link for `open_url`; needed with that word

    def __init__(self, folder: Path, look: str) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *exc: object) -> None: ...

    @property
    def device(self) -> Device: ...

    async def reset(self) -> None:
        """The board in front as at first: fields empty, nothing scrolled, no caret; what was felt is forgotten."""
        ...

    async def board(self) -> Board: ...

    async def where(self) -> Where | str:
        """What is in front now, told by anything but the device under test."""
        ...

    async def paint(self) -> None:
        """The app changes its picture by itself."""
        ...

    async def hang(self, seconds: float) -> None:
        """The app stops answering for so long, beginning now."""
        ...

    async def deeper(self) -> None:
        """The app goes one page further, from where `back` returns; needed with that word."""
        ...

    async def second(self) -> None:
        """A window called Second comes to the front of the one called Board; needed with `switch_window`."""
        ...

    async def lose(self) -> None:
        """The device goes away for good: unplugged, killed."""
        ...

    async def attach_crooked(self) -> None:
        """Attach to a device whose clicks land off, which has to raise DeviceSetup; needed with `aims`."""
        ...


async def until(condition: Callable[[], Awaitable[Answer]], what: str, seconds: float = PATIENCE_S) -> Answer:
    """The condition's first true answer."""
    try:
        async with asyncio.timeout(seconds):
            while not (answer := await condition()):
                await asyncio.sleep(0.02)
            return answer
    except TimeoutError:
        raise AssertionError(f"waited in vain for {what}") from None


async def felt(stage: Stage, *whats: str, times: int = 1) -> Board:
    """The board once the last of these was felt, each as many times."""

    async def there() -> Board | None:
        board = await stage.board()
        return board if all(len(board.heard(what)) >= times for what in whats) else None

    return await until(there, f"{whats} to be felt")


def close(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return max(abs(one[0] - other[0]), abs(one[1] - other[1])) <= TOLERANCE_PX


async def listed(stage: Stage) -> dict[str, Element]:
    """The board's parts as the device lists them, by the name or hint that a person reads there."""
    return {
        name: one
        for one in await stage.device.elements()
        for name in (one.name, one.hint)
        if ROLES.get(name) == one.role
    }
