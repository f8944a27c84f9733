"""Data types of a screen: frames, changes between two of them, elements, observations. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from deskhand.core.geometry import Rect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a screen: height × width × 4 bytes, never written to after it is made.

    `order` keeps the device's own channel order, so that no capture pays for a conversion.
    `at` is the monotonic time of capture; `secure` marks a window that refuses to be captured (all black).
    """

    pixels: NDArray[np.uint8]
    order: Literal["RGBA", "BGRA"] = "RGBA"
    at: float = 0.0
    secure: bool = False

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def bounds(self) -> Rect:
        return Rect(0, 0, self.width, self.height)


@dataclass(frozen=True, eq=False)
class Change:
    """The difference between two frames: the number of changed pixels in each tile, in the grid of `after`."""

    before: Frame
    after: Frame
    counts: NDArray[np.uint16]

    @property
    def tiles(self) -> NDArray[np.bool_]:
        return self.counts != 0

    @property
    def fraction(self) -> float:
        return self.share_of(self.tiles)

    def share_of(self, tiles: NDArray[np.bool_]) -> float:
        """Return the share of all pixels that changed inside these tiles."""
        return float(self.counts[tiles].sum()) / (self.after.width * self.after.height)


Role = Literal[
    "button", "text", "field", "checkbox", "radio", "switch", "image", "list", "item", "tab", "link", "slider", "menu",
    "combobox", "dialog", "window", "heading", "progress", "group",
]  # fmt: skip


# The hint of a field that takes the path of a file, which the page then gets.
FILE_HINT = "a file's path"
# The id of a browser's own dialog, which blocks its page until it is answered.
DIALOG_ID = "browser-dialog"
# The id of a plain shape in a drawing, which is named by its kind.
SHAPE_ID = "drawn-shape"


# Width and height of an element without content from which on it is worth to read its picture.
HOLLOW = (160, 80)


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the screen in one normal form, whether it came from a DOM, AT-SPI, uiautomator or OCR.

    `sends`: the request that a link or the button of a form is made for ("POST https://…"), where that is known.
    `error`: what the app says is wrong there since the last action. `multiline`: a field of several lines.
    `expanded`: of what can be unfolded, whether it is; None for anything else.
    """

    index: int
    role: Role
    bounds: Rect
    name: str = ""
    value: str = ""
    hint: str = ""
    id: str = ""
    parent: int | None = None
    enabled: bool = True
    focused: bool = False
    selected: bool = False
    checked: bool | None = None
    clickable: bool = False
    editable: bool = False
    scrollable: bool = False
    password: bool = False
    multiline: bool = False
    expanded: bool | None = None
    sends: str = ""
    error: str = ""
    source: Literal["dom", "atspi", "uiautomator", "ocr"] = "uiautomator"

    @property
    def text(self) -> str:
        """The text that a user reads there."""
        return self.value or self.name or self.hint


@dataclass(frozen=True, slots=True)
class Observation:
    """The screen at one moment. `elements` is None when the device could not list them; `problem` says why.

    `at_home`: whether the home screen is in front; None where the device has none or can't tell.
    `clock`: the device's own time of day as HH:MM; empty where it tells none.
    """

    frame: Frame
    elements: tuple[Element, ...] | None = None
    app: str = ""
    title: str = ""
    problem: str = ""
    address: str = ""
    at_home: bool | None = None
    clock: str = ""


@dataclass(frozen=True, slots=True)
class AppInfo:
    """The app in front: package and activity, or program and window title, or site and page title with its address.

    `at_home`: whether it is the device's home screen, by the device's own answer; None where there is none.
    `clock`: the time of day on the device, as HH:MM; empty where it tells none.
    """

    name: str
    title: str = ""
    address: str = ""
    at_home: bool | None = None
    clock: str = ""


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A device as the pool lists it, attached or not. `open`: it is started or connected, and keeps what was done."""

    id: str
    kind: str
    state: str
    detail: str = ""
    open: bool = False


@dataclass(frozen=True, slots=True)
class SettleResult:
    """The result of the wait for a still screen: what the action changed, and what still moved if it gave up."""

    still: bool
    waited_ms: int
    frames: int
    change: Change
    moving: tuple[Rect, ...] = field(default=())

    @property
    def frame(self) -> Frame:
        """The last frame of the wait."""
        return self.change.after
