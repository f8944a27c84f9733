"""`deskhand devices`: what can be named after --device, and how it stands."""

import json
from dataclasses import asdict
from typing import NoReturn

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from deskhand.build import Deskhand
from deskhand.cli.faults import run_loop
from deskhand.config import load


def devices(*, as_json: bool) -> NoReturn:
    run_loop(_devices(as_json), as_json=as_json)


async def _devices(as_json: bool) -> int:
    async with Deskhand(load()) as hand:
        found = await hand.devices()
    if as_json:
        print(json.dumps({"devices": [asdict(info) for info in found]}, ensure_ascii=False))
        return 0
    table = Table("device", "state", "", box=None, header_style="dim")
    for info in found:
        table.add_row(info.id, info.state, escape(info.detail))
    Console(highlight=False).print(table)
    return 0
