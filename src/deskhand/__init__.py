"""Deskhand carries out a goal in plain words on a browser, a desktop or a phone.

The public surface: these names, and the modules `actions`, `errors`, `events` and `testing`. All else may move.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deskhand import errors
    from deskhand.build import Deskhand
    from deskhand.core.statuses import TaskStatus
    from deskhand.engine.outer.rules import Rule
    from deskhand.engine.run import Task
    from deskhand.settings.load import load
    from deskhand.settings.schema import Settings
    from deskhand.task.state import TaskState

__version__ = "0.1.0"
__all__ = ["Deskhand", "Rule", "Settings", "Task", "TaskState", "TaskStatus", "__version__", "errors", "load"]

_HOMES = {
    "Deskhand": "build",
    "Rule": "engine.outer.rules",
    "Task": "engine.run",
    "Settings": "settings.schema",
    "TaskState": "task.state",
    "TaskStatus": "core.statuses",
    "load": "settings.load",
}


def __getattr__(name: str) -> Any:
    # Lazy, so that `import deskhand` and `deskhand --help` cost nothing.
    if name == "errors":
        return import_module("deskhand.errors")
    if name in _HOMES:
        return getattr(import_module(f"deskhand.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'deskhand' has no attribute {name!r}")
