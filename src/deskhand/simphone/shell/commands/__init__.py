"""The commands of the phone's shell, one file a family; `COMMANDS` is all of them by name."""

from deskhand.simphone.shell.commands import (
    activity,
    content_tool,
    deskhand_tools,
    dumpsys,
    file_tools,
    ime,
    input_tool,
    log_tools,
    net_tools,
    package_manager,
    screen_tools,
    settings_tools,
    small_tools,
    text_tools,
)
from deskhand.simphone.shell.commands.command import Handler

FAMILIES = (
    activity, small_tools, deskhand_tools, dumpsys, text_tools, input_tool, ime, package_manager, screen_tools,
    settings_tools, file_tools, log_tools, content_tool, net_tools,
)  # fmt: skip
COMMANDS: dict[str, Handler] = {name: handler for family in FAMILIES for name, handler in family.COMMANDS.items()}
