"""`deskhand devices`: what can be named after --device, and how it stands."""

import json
from dataclasses import asdict
from typing import NoReturn

from rich.markup import escape

from deskhand.build import Deskhand
from deskhand.cli.command_runner import run_loop
from deskhand.cli.output import make_console, make_table
from deskhand.settings.load import load


def devices(*, as_json: bool) -> NoReturn:
    run_loop(_devices(as_json), as_json=as_json)


async def _devices(as_json: bool) -> int:
    async with Deskhand(load()) as hand:
        found = await hand.devices()
    if as_json:
        print(json.dumps({"devices": [asdict(info) for info in found]}, ensure_ascii=False))
        return 0
    console = make_console()
    table = make_table(console, "device", "state", "")
    for info in found:
        table.add_row(escape(info.id), info.state, escape(info.detail))
    console.print(table)
    return 0
