"""`deskhand-state` and `deskhand-condition`: how a test in another process reads and changes the phone."""

from __future__ import annotations

import json

from deskhand.simphone.conditions import CONDITIONS
from deskhand.simphone.shell.commands.command import CommandCall, Family

USAGE = "usage: deskhand-condition list | add NAME | remove NAME\nNAME is one of: " + " ".join(sorted(CONDITIONS))


async def run_state(call: CommandCall) -> int:
    await call.print_out(json.dumps(call.phone.read_state(), ensure_ascii=False))
    return 0


async def run_condition(call: CommandCall) -> int:
    match call.args:
        case ["list"]:
            await call.print_out("\n".join(sorted(call.phone.conditions)))
        case ["add", name] if name in CONDITIONS:
            call.phone.conditions.add(name)
        case ["remove", name] if name in CONDITIONS:
            call.phone.conditions.discard(name)
        case _:
            await call.print_err(USAGE)
            return 2
    return 0


COMMANDS: Family = {"deskhand-state": run_state, "deskhand-condition": run_condition}
