"""The actions: one discriminated union with full validation, and the properties of each action.

A device lists the actions that it supports; only those are offered to a worker.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator


class FrozenModel(BaseModel):
    """Base of everything that crosses an edge: immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Coordinate = Annotated[int, Field(ge=0, le=65_535)]
Milliseconds = Annotated[int, Field(ge=0, le=60_000)]
Direction = Literal["up", "down", "left", "right"]


# How a device's words about an action begin when a scroll moved nothing.
SCROLL_ENDED = "nothing scrolls further"
# What they say when a text field was read after typing, and holds the text.
READ_BACK = "read back"
# What they say when a window that was asked to close has a question first.
ASKS_BACK = "asks back"
# How they begin when a page shows that it did not accept what was done.
PAGE_ERROR = "the page reports an error"
# How they begin when a page did nothing at all about a click.
PAGE_IDLE = "the page did nothing"


class PointAction(FrozenModel):
    """An action at one point. `target` is what the worker believes is there, in words, for users and policy."""

    x: Coordinate
    y: Coordinate
    target: str = ""


class Click(PointAction):
    kind: Literal["click"] = "click"


class DoubleClick(PointAction):
    kind: Literal["double_click"] = "double_click"


class RightClick(PointAction):
    kind: Literal["right_click"] = "right_click"


class MiddleClick(PointAction):
    kind: Literal["middle_click"] = "middle_click"


class Move(PointAction):
    kind: Literal["move"] = "move"


class LongPress(PointAction):
    kind: Literal["long_press"] = "long_press"
    duration_ms: Milliseconds = 800


class PathAction(PointAction):
    """From (x, y) to (to_x, to_y)."""

    to_x: Coordinate
    to_y: Coordinate


class Drag(PathAction):
    """Pick up at one point, put down at another."""

    kind: Literal["drag"] = "drag"
    duration_ms: Milliseconds = 600


class Swipe(PathAction):
    """A finger's flick: content follows."""

    kind: Literal["swipe"] = "swipe"
    duration_ms: Milliseconds = 300


class Scroll(FrozenModel):
    """Reveal what lies in `direction`, by a share of the scrolled area; without a point, in the middle."""

    kind: Literal["scroll"] = "scroll"
    direction: Direction = "down"
    pages: Annotated[float, Field(gt=0, le=20)] = 0.5
    x: Coordinate | None = None
    y: Coordinate | None = None
    target: str = ""

    @model_validator(mode="after")
    def _whole_point(self) -> Scroll:
        if (self.x is None) != (self.y is None):
            raise ValueError("a scroll needs both x and y, or neither")
        return self


class Type(FrozenModel):
    """Text into the field that has the focus; the device reads it back."""

    kind: Literal["type"] = "type"
    text: Annotated[str, Field(max_length=100_000)]
    clear_first: bool = False
    press_enter: bool = False
    target: str = ""


class Key(FrozenModel):
    kind: Literal["key"] = "key"
    key: Annotated[str, Field(min_length=1, max_length=40)]


class Hotkey(FrozenModel):
    kind: Literal["hotkey"] = "hotkey"
    keys: Annotated[tuple[Annotated[str, Field(min_length=1, max_length=40)], ...], Field(min_length=1, max_length=5)]


class Wait(FrozenModel):
    kind: Literal["wait"] = "wait"
    seconds: Annotated[float, Field(gt=0, le=120)] = 1.0


class OpenApp(FrozenModel):
    kind: Literal["open_app"] = "open_app"
    name: Annotated[str, Field(min_length=1, max_length=200)]


class OpenUrl(FrozenModel):
    kind: Literal["open_url"] = "open_url"
    url: Annotated[str, Field(min_length=1, max_length=8_000)]


class SwitchWindow(FrozenModel):
    kind: Literal["switch_window"] = "switch_window"
    title: Annotated[str, Field(min_length=1, max_length=500)]


class ManageWindow(FrozenModel):
    """By the window manager; without a title, the window in front."""

    kind: Literal["manage_window"] = "manage_window"
    change: Literal["close", "maximize", "minimize", "restore"]
    title: Annotated[str, Field(max_length=500)] = ""


class Back(FrozenModel):
    kind: Literal["back"] = "back"


class Home(FrozenModel):
    kind: Literal["home"] = "home"


class Memorize(FrozenModel):
    kind: Literal["memorize"] = "memorize"
    text: Annotated[str, Field(min_length=1, max_length=4_000)]


class Answer(FrozenModel):
    """Something read from the screen or worked out, told to the user."""

    kind: Literal["answer"] = "answer"
    text: Annotated[str, Field(min_length=1, max_length=20_000)]


class TakeOver(FrozenModel):
    """The user has to act on the device (log in, captcha) and hand it back."""

    kind: Literal["take_over"] = "take_over"
    reason: Annotated[str, Field(min_length=1, max_length=2_000)]


class RunCode(FrozenModel):
    kind: Literal["run_code"] = "run_code"
    language: Literal["bash", "python"] = "bash"
    code: Annotated[str, Field(min_length=1, max_length=100_000)]


Action = Annotated[
    Click | DoubleClick | RightClick | MiddleClick | Move | LongPress | Drag | Swipe | Scroll | Type | Key | Hotkey
    | Wait | OpenApp | OpenUrl | SwitchWindow | ManageWindow | Back | Home | Memorize | Answer | TakeOver | RunCode,
    Field(discriminator="kind"),
]  # fmt: skip

ActionKind = Literal[
    "click", "double_click", "right_click", "middle_click", "move", "long_press", "drag", "swipe", "scroll", "type",
    "key", "hotkey", "wait", "open_app", "open_url", "switch_window", "manage_window", "back", "home", "memorize",
    "answer", "take_over", "run_code",
]  # fmt: skip

ACTION_KINDS: frozenset[ActionKind] = frozenset(get_args(ActionKind))
# Actions that the engine itself carries out; the device carries out every other one.
ENGINE_KINDS: frozenset[ActionKind] = frozenset({"wait", "memorize", "answer", "take_over", "run_code"})
# Doing these twice ends in the same state as doing them once, so one retry after a time-out is safe.
REPEATABLE_KINDS: frozenset[ActionKind] = frozenset(
    {"move", "wait", "open_app", "open_url", "switch_window", "home", "memorize", "answer"}
)
# After these the screen is expected to move, so it is watched until it is still.
SETTLING_KINDS: frozenset[ActionKind] = frozenset(ACTION_KINDS - ENGINE_KINDS - {"move"})
# After these a long transition is normal: an app starts, a heavy page loads in pieces.
OPENING_KINDS: frozenset[ActionKind] = frozenset({"open_app", "open_url"})

_ACTION: TypeAdapter[Action] = TypeAdapter(Action)


def parse_action(data: Any) -> Action:
    """Return an Action from a mapping; raises pydantic's ValidationError with every field that is wrong."""
    return _ACTION.validate_python(data)


def points_of(action: Action) -> list[tuple[int, int]]:
    """Return every point of the frame that the action touches."""
    points: list[tuple[int, int]] = []
    if isinstance(action, PointAction | Scroll) and action.x is not None and action.y is not None:
        points.append((action.x, action.y))
    if isinstance(action, PathAction):
        points.append((action.to_x, action.to_y))
    return points


def describe_action(action: Action, *, points: bool = False) -> str:
    """Return one short line: `click "Send"`. Where it aims at is told only with `points`, or if it has no name."""
    fields = action.model_dump(
        exclude_defaults=True, exclude={"kind", "x", "y", "to_x", "to_y", "target", "duration_ms"}
    )
    words = [action.kind.replace("_", " ")]
    if target := getattr(action, "target", ""):
        words.append(f'"{target}"')
    words += [
        f'"{value}"' if isinstance(value, str) else f"{name}={_format_value(value)}" for name, value in fields.items()
    ]
    if points or not target:
        words += [f"({x}, {y})" for x, y in points_of(action)]
    return " ".join(words)


def _format_value(value: object) -> str:
    """Return the value as text, rounded: 0.8 pages three times is 2.4, not 2.4000000000000004."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
