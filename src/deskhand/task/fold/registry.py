"""The fold's functions by event, and the cheap copy of a state that they all use."""

from collections.abc import Callable
from typing import Any, TypeVar

from deskhand.task.state import TaskState

E = TypeVar("E")
Handler = Callable[[TaskState, E, float], TaskState]
HANDLERS: dict[type, Handler[Any]] = {}


def on_event(kind: type[E]) -> Callable[[Handler[E]], Handler[E]]:
    """Register the decorated function for this event; it gets the state, the event and the wall clock."""

    def register_handler(handler: Handler[E]) -> Handler[E]:
        HANDLERS[kind] = handler
        return handler

    return register_handler


def replace_fields(state: TaskState, **changes: Any) -> TaskState:
    """As that of dataclasses, at a tenth of its cost: a step folds eight events, and the state has sixty fields."""
    assert changes.keys() <= state.__dict__.keys(), "a field that the state does not have"
    after = object.__new__(TaskState)
    after.__dict__.update(state.__dict__, **changes)
    return after
