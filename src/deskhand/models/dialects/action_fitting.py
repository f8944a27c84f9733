"""Actions from a model's reply: made with checked fields, and fitted to what the device can do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from deskhand.core.actions import (
    Action,
    ActionKind,
    Back,
    Click,
    DoubleClick,
    Drag,
    FrozenModel,
    Home,
    Hotkey,
    Key,
    LongPress,
    MiddleClick,
    Move,
    OpenApp,
    OpenUrl,
    RightClick,
    Scroll,
    Swipe,
)
from deskhand.core.decisions import Decision, PlannedAction, Verdict
from deskhand.core.errors import NotPossible, Unparsable
from deskhand.core.llm import StepRequest
from deskhand.models.dialects.call_grammar import Value
from deskhand.prompting.ask_model import describe_first_error

A = TypeVar("A", bound=FrozenModel)
PointAction = type[Click] | type[DoubleClick] | type[RightClick] | type[MiddleClick] | type[Move] | type[LongPress]

# Kinds that need no device; running code is only offered where the engine says so.
_DEVICE_FREE: frozenset[ActionKind] = frozenset({"wait", "memorize", "answer", "take_over"})
MAX_ACTIONS = 10
MAX_WAIT_S = 60.0


def make_action(word: type[A], **fields: Any) -> A:
    """Return the action; raise Unparsable, for the model, if a field is wrong."""
    try:
        return word(**fields)
    except ValidationError as error:
        problem = describe_first_error(error, "the action")
        raise Unparsable(f"The action {word.__name__.lower()!r} is not usable: {problem}.") from None


def make_key_press(keys: Sequence[str]) -> Key | Hotkey:
    return make_action(Key, key=keys[0]) if len(keys) == 1 else make_action(Hotkey, keys=tuple(keys))


def read_seconds(value: Value, default: float = 1.0) -> float:
    """Return the seconds of 2, "2 seconds", "1.5s" or "3秒": at least a moment, at most a minute."""
    if isinstance(value, str):
        match = re.match(r"\s*(\d{1,6}(?:\.\d{1,6})?)", value)
        value = float(match[1]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return min(max(float(value), 0.1), MAX_WAIT_S)


def list_offered_kinds(situation: StepRequest) -> frozenset[ActionKind]:
    """Return the kinds of action to offer: the device's own and those that need no device."""
    return situation.capabilities | _DEVICE_FREE


def fit_action(action: Action, situation: StepRequest) -> Action:
    """Return the action, or one with the same intent that this device can do; raise NotPossible if there is none."""
    can = list_offered_kinds(situation)
    if action.kind in can:
        return action
    other: Action | None = None
    match action:
        case Swipe() | Drag():
            other = _replace_path(action, situation, can)
        case Scroll() if "swipe" in can:
            other = _to_swipe(action, situation)
        case Hotkey(keys=(key,)) if "key" in can:
            other = Key(key=key)
        case Key(key=key) if "hotkey" in can:
            other = Hotkey(keys=(key,))
        case Key(key=key) if key.casefold() in ("back", "home") and key.casefold() in can:
            other = Back() if key.casefold() == "back" else Home()
        case OpenApp(name=name) if "open_url" in can and re.match(r"(?:https?://)?[\w-]+(?:\.[\w-]+)+", name):
            other = OpenUrl(url=name if "://" in name else f"https://{name}")
        case _:
            pass
    if other is None:
        words = ", ".join(sorted(can))
        raise NotPossible(f"This device can't do {action.kind!r}; it can do: {words}.")
    return other


def _replace_path(action: Swipe | Drag, situation: StepRequest, can: frozenset[ActionKind]) -> Action | None:
    """Return a scroll or a drag for a swipe that the device lacks, and a slow swipe for a drag."""
    x, y, to_x, to_y = action.x, action.y, action.to_x, action.to_y
    if isinstance(action, Drag):
        slow = Swipe(x=x, y=y, to_x=to_x, to_y=to_y, target=action.target, duration_ms=1200)
        return slow if "swipe" in can else None
    if "scroll" not in can:
        return Drag(x=x, y=y, to_x=to_x, to_y=to_y, target=action.target) if "drag" in can else None
    across, down = to_x - x, to_y - y
    width, height = situation.frame
    if abs(down) >= abs(across):
        return Scroll(direction="down" if down < 0 else "up", pages=_clamp_pages(abs(down) / height), x=x, y=y)
    return Scroll(direction="right" if across < 0 else "left", pages=_clamp_pages(abs(across) / width), x=x, y=y)


def _clamp_pages(share: float) -> float:
    return min(max(share, 0.05), 20.0)


def _to_swipe(action: Scroll, situation: StepRequest) -> Swipe:
    width, height = situation.frame
    x = width // 2 if action.x is None else action.x
    y = height // 2 if action.y is None else action.y
    reach = min(action.pages, 0.6)
    ahead, aside = round(height * reach / 2), round(width * reach / 2)
    dx, dy = {"down": (0, ahead), "up": (0, -ahead), "right": (aside, 0), "left": (-aside, 0)}[action.direction]
    return Swipe(
        x=_clamp_to_side(x + dx, width), y=_clamp_to_side(y + dy, height),
        to_x=_clamp_to_side(x - dx, width), to_y=_clamp_to_side(y - dy, height), duration_ms=500,
    )  # fmt: skip


def _clamp_to_side(value: int, size: int) -> int:
    return min(max(value, 0), size - 1)


def decide_to_act(
    actions: Iterable[PlannedAction], situation: StepRequest, thought: str = "", verdict: Verdict | None = None
) -> Decision:
    """Return the decision to act, every action fitted to the device."""
    planned = tuple(item.model_copy(update={"action": fit_action(item.action, situation)}) for item in actions)
    if not planned:
        raise Unparsable("The reply asks for no action and does not say that the task is done.")
    if len(planned) > MAX_ACTIONS:
        raise Unparsable(f"The reply asks for {len(planned)} actions at once; ask for at most {MAX_ACTIONS}.")
    return Decision(kind="actions", actions=planned, thought=thought[:2000], verdict=verdict)
