"""`content`: queries and changes of the providers that a shell may reach: the settings tables and the address book."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from deskhand.simphone.apps.contacts import Contacts
from deskhand.simphone.shell.commands.command import CommandCall, Family, drop_user_option
from deskhand.simphone.shell.commands.settings_tools import NAMESPACES, put_setting, table_of

Row = dict[str, str]

USAGE = """usage: adb shell content [subcommand] [options]

usage: adb shell content insert --uri <URI> [--user <USER_ID>] --bind <BINDING> [--bind <BINDING>...]
usage: adb shell content update --uri <URI> [--user <USER_ID>] [--where <WHERE>]
usage: adb shell content delete --uri <URI> [--user <USER_ID>] --bind <BINDING> [--bind <BINDING>...] [--where <WHERE>]
usage: adb shell content query --uri <URI> [--user <USER_ID>] [--projection <PROJECTION>] [--where <WHERE>] \
[--sort <SORT_ORDER>]"""
BOOKS = ("contacts/people", "contacts/phones", "com.android.contacts/contacts", "com.android.contacts/data/phones")
# What every phone has and this one has nothing in.
EMPTY = ("sms", "mms", "mms-sms", "call_log", "com.android.calendar")
CONDITION = re.compile(r"""^\s*(\w+)\s*(=|!=|<>|LIKE)\s*(?:'([^']*)'|"([^"]*)"|(\S+))\s*$""", re.IGNORECASE)


async def run_content(call: CommandCall) -> int:
    verb, *args = drop_user_option(call.args) or [""]
    options = _read_options(args)
    uri = options.get("uri", [""])[0]
    if verb not in ("query", "insert", "update", "delete", "call", "read", "gettype"):
        problem = f"[ERROR] Unsupported operation: {verb}\n" if verb else ""
        await call.print_out(f"{problem}{USAGE}")
        return 0
    if not uri.startswith("content://"):
        await call.print_out(f"[ERROR] Content provider URI not specified. Did you specify --uri argument?\n{USAGE}")
        return 0
    place = uri.removeprefix("content://").strip("/")
    authority, _, table = place.partition("/")
    if authority == "settings" and table.split("/")[0] in NAMESPACES:
        return await _serve_settings(call, verb, table, options)
    if place in BOOKS and verb == "query":
        return await _print_rows(call, _list_people(call), options)
    if authority in EMPTY and verb == "query":
        return await _print_rows(call, [], options)
    await call.print_err(
        f"Error while accessing provider:{authority}\njava.lang.IllegalStateException: "
        f"Could not find provider: {authority}"
    )
    return 0


def _read_options(args: list[str]) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    for name, value in pairwise(args):
        if name.startswith("--"):
            options.setdefault(name[2:], []).append(value)
    return options


async def _serve_settings(call: CommandCall, verb: str, table: str, options: dict[str, list[str]]) -> int:
    namespace, _, key = table.partition("/")
    values = table_of(call, namespace)
    rows = [{"_id": str(number), "name": name, "value": values[name]} for number, name in enumerate(sorted(values), 1)]
    rows = [row for row in rows if not key or row["name"] == key]
    bound = dict(_read_binding(word) for word in options.get("bind", []))
    if verb == "query":
        return await _print_rows(call, rows, options)
    if verb == "insert" and {"name", "value"} <= bound.keys():
        put_setting(call, namespace, bound["name"], bound["value"])
        return 0
    keeps = _make_filter(options)
    for row in filter(keeps, rows):
        if verb == "delete":
            call.phone.settings[namespace].pop(row["name"], None)
        elif verb == "update" and "value" in bound:
            put_setting(call, namespace, row["name"], bound["value"])
    return 0


def _read_binding(word: str) -> tuple[str, str]:
    """Read `COLUMN:TYPE:VALUE`."""
    name, _, rest = word.partition(":")
    return name, rest.partition(":")[2]


def _list_people(call: CommandCall) -> list[Row]:
    book = call.phone.apps.find_app(call.phone.skin.package_of(Contacts.package))
    people: list[dict[str, str]] = book.read_state()["contacts"]
    return [
        {"_id": str(number), "display_name": one["name"], "number": one["phone"], "data1": one["phone"]}
        for number, one in enumerate(people, 1)
    ]


def _make_filter(options: dict[str, list[str]]) -> Callable[[Row], bool]:
    parts = [
        found
        for where in options.get("where", [])
        for part in re.split(r"\s+AND\s+", where, flags=re.IGNORECASE)
        if (found := CONDITION.match(part))
    ]

    def fits_row(row: Row) -> bool:
        for found in parts:
            name, sign, wanted = found[1], found[2].upper(), found[3] or found[4] or found[5] or ""
            value = row.get(name, "")
            if sign == "LIKE":
                pattern = re.escape(wanted).replace("%", ".*").replace("_", ".")
                holds = re.fullmatch(pattern, value, re.IGNORECASE) is not None
            else:
                holds = (value == wanted) == (sign == "=")
            if not holds:
                return False
        return True

    return fits_row


async def _print_rows(call: CommandCall, rows: list[Row], options: dict[str, list[str]]) -> int:
    shown = list(filter(_make_filter(options), rows))
    columns = options.get("projection", [""])[0].split(":") if "projection" in options else None
    if not shown:
        await call.print_out("No result found.")
        return 0
    for number, row in enumerate(shown):
        names = columns or list(row)
        await call.print_out(f"Row: {number} " + ", ".join(f"{name}={row.get(name, 'NULL')}" for name in names))
    return 0


COMMANDS: Family = {"content": run_content}
