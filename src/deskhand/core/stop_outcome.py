"""What became of an action that was on its way to the device when its caller was cancelled.

The device says it in the CancelledError itself: a subclass of it would not be turned into a TimeoutError by
`asyncio.timeout` (Python 3.11 compares the class), and a return value does not exist any more.
"""

import asyncio
from enum import StrEnum

from deskhand.core.actions import Action, ActionKind

_SENT_IN_PARTS: frozenset[ActionKind] = frozenset(
    {"type", "scroll", "drag", "swipe", "long_press", "open_app", "open_url", "switch_window", "manage_window"}
)


class StopOutcome(StrEnum):
    """`CUT_SHORT`: a part of it may be done. `UNKNOWN` is also what a device means that says nothing."""

    NOT_SENT = "not_sent"
    DONE = "done"
    CUT_SHORT = "cut_short"
    UNKNOWN = "unknown"


def note_outcome(stop: asyncio.CancelledError, outcome: StopOutcome) -> None:
    stop.args = (outcome,)


def outcome_of(stop: asyncio.CancelledError) -> StopOutcome:
    said = stop.args[0] if stop.args else None
    return said if isinstance(said, StopOutcome) else StopOutcome.UNKNOWN


def complete_outcome(stop: asyncio.CancelledError, action: Action) -> None:
    """Complete what was said of the part that was under way to what is true of the whole action."""
    said = outcome_of(stop) if stop.args else StopOutcome.NOT_SENT
    if action.kind in _SENT_IN_PARTS and said is not StopOutcome.UNKNOWN:
        said = StopOutcome.CUT_SHORT
    note_outcome(stop, said)
