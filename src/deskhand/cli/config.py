"""`deskhand config show`: every setting, its value, where that comes from, and what it does. Keys are masked."""

import json
from typing import Any

from deskhand.cli.console import as_markup, make_console, make_table
from deskhand.cli.output import print_json
from deskhand.settings.environment import find_settings_file
from deskhand.settings.explain import list_settings
from deskhand.settings.load import make_settings, read_layers


async def show_settings(every: bool, as_json: bool) -> int:
    layers = read_layers()
    rows = list_settings(make_settings(layers), layers)
    if as_json:
        settings = [row._asdict() for row in rows]
        print_json({"file": str(find_settings_file()), "settings": settings})
        return 0
    console = make_console()
    table = make_table(console, "setting", "value", "from", *(["what it does"] if every else []))
    for row in rows:
        if every or row.origin != "default":
            shown = (row.key, _format_value(row.value), row.origin, row.description)
            table.add_row(*(as_markup(text, one_line=True) for text in shown[: len(table.columns)]))
    console.print(table if table.row_count else "Every setting has its default value. To list them: config show --all")
    return 0


def _format_value(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
