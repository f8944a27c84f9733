"""Prints what the programs of a session tell a screen reader, by libatspi: run by the distribution's own Python."""

import json
import sys
from typing import Any

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # type: ignore[attr-defined]  # noqa: E402

MOST = 4000


def read_text(node: Any) -> str:
    try:
        text = node.get_text_iface()
        return Atspi.Text.get_text(text, 0, -1) if text else ""
    except GLib.Error:
        return ""


def list_nodes(node: Any, found: list[dict[str, Any]]) -> None:
    if node is None or len(found) >= MOST:
        return
    states = node.get_state_set()
    # GTK 4 calls nothing showing
    lenient = node.get_toolkit_name() == "GTK" and str(node.get_toolkit_version()).startswith("4")
    showing = states.contains(Atspi.StateType.VISIBLE if lenient else Atspi.StateType.SHOWING)
    found.append(
        {
            "role": node.get_role_name(),
            "name": node.get_name() or "",
            "text": read_text(node),
            "showing": showing,
            "checked": states.contains(Atspi.StateType.CHECKED),
            "selected": states.contains(Atspi.StateType.SELECTED),
        }
    )
    # of a sheet's million cells, the first ones
    most = 40 if states.contains(Atspi.StateType.MANAGES_DESCENDANTS) else 200
    for place in range(min(node.get_child_count(), most)):
        try:
            list_nodes(node.get_child_at_index(place), found)
        except GLib.Error:  # gone meanwhile
            continue


def read_cell(row: int, column: int) -> str:
    """Return the text of a cell of the first table on the bus."""
    desktop = Atspi.get_desktop(0)
    queue = [desktop.get_child_at_index(place) for place in range(desktop.get_child_count())]
    while queue:
        node = queue.pop(0)
        if node is None:
            continue
        if node.get_role() == Atspi.Role.TABLE and (table := node.get_table_iface()):
            cell = Atspi.Table.get_accessible_at(table, row, column)
            return read_text(cell) or cell.get_name() or ""
        queue += [node.get_child_at_index(place) for place in range(min(node.get_child_count(), 60))]
    return ""


def main() -> None:
    if sys.argv[1:2] == ["cell"]:
        print(json.dumps(read_cell(int(sys.argv[2]), int(sys.argv[3]))))
        return
    found: list[dict[str, Any]] = []
    desktop = Atspi.get_desktop(0)
    for place in range(desktop.get_child_count()):
        list_nodes(desktop.get_child_at_index(place), found)
    print(json.dumps(found))


main()
