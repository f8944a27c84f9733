"""The commands of the phone's shell, one file a family; `COMMANDS` is all of them by name."""

from deskhand.simphone.commands import (
    activity,
    basics,
    control,
    dumpsys,
    filters,
    gestures,
    keyboards,
    packages,
    screen,
    settings,
    storage,
)
from deskhand.simphone.commands.base import Handler

FAMILIES = (
    activity, basics, control, dumpsys, filters, gestures, keyboards, packages, screen, settings, storage
)  # fmt: skip
COMMANDS: dict[str, Handler] = {name: handler for family in FAMILIES for name, handler in family.COMMANDS.items()}
