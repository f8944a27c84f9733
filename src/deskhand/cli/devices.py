"""`deskhand devices`: what can be named after --device, and how it stands."""

from dataclasses import asdict

from deskhand.build import Deskhand
from deskhand.cli.console import as_markup, make_console, make_table
from deskhand.cli.output import print_json
from deskhand.settings.load import load


async def list_devices(as_json: bool) -> int:
    async with Deskhand(load()) as hand:
        found = await hand.list_devices()
    if as_json:
        print_json({"devices": [asdict(info) for info in found]})
        return 0
    console = make_console()
    table = make_table(console, "device", "state", "")
    for info in found:
        table.add_row(as_markup(info.id), info.state, as_markup(info.detail))
    console.print(table)
    return 0
