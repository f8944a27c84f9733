"""`deskhand config show`: every setting, its value, and where that comes from. Keys are masked."""

import json
from typing import Any, NoReturn

from rich.markup import escape

from deskhand.cli.command_runner import run_loop
from deskhand.cli.output import make_console, make_table
from deskhand.settings.environment import settings_file
from deskhand.settings.explain import explained
from deskhand.settings.load import put_together, read_layers


def show(*, every: bool, as_json: bool) -> NoReturn:
    run_loop(_show(every, as_json), as_json=as_json)


async def _show(every: bool, as_json: bool) -> int:
    layers = read_layers()
    rows = explained(put_together(layers), layers)
    if as_json:
        told = [{"key": key, "value": value, "origin": origin} for key, value, origin in rows]
        print(json.dumps({"file": str(settings_file()), "settings": told}, ensure_ascii=False))
        return 0
    console = make_console()
    table = make_table(console, "setting", "value", "from")
    for key, value, origin in rows:
        if every or origin != "default":
            table.add_row(escape(key), escape(_shown(value)), escape(origin))
    console.print(table if table.row_count else "Everything is at its default: --all shows it.")
    return 0


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
