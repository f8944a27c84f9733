"""`deskhand bench`: runs the suites and prints their rows with the limits they are held to."""

import asyncio
import importlib
import pkgutil
from dataclasses import asdict
from pathlib import Path

from rich.table import Table

from deskhand import bench as room
from deskhand.bench.rows import Row
from deskhand.cli.console import make_console
from deskhand.cli.output import print_json
from deskhand.core.errors import UsageError


async def run_bench(names: list[str], out: Path, as_json: bool) -> int:
    """Each suite is a module with `async def run_suite(out: Path) -> list[Row]`; exit code 1 when a limit is broken."""
    suites = _list_suites()
    if unknown := sorted(set(names) - set(suites)):
        raise UsageError(f"There is no suite {unknown[0]!r}: use {', '.join(suites)}.")
    await asyncio.to_thread(out.mkdir, parents=True, exist_ok=True)
    results: dict[str, list[Row]] = {}
    for name in names or suites:
        results[name] = await importlib.import_module(f"{room.__name__}.{name}").run_suite(out)
        if not as_json:
            _print_rows(name, results[name])
    if as_json:
        print_json({name: [asdict(row) for row in rows] for name, rows in results.items()})
    return 1 if any(row.ok is False for rows in results.values() for row in rows) else 0


def _list_suites() -> list[str]:
    """Modules of the bench room that are suites: those with a `run_suite`."""
    names = [module.name for module in pkgutil.iter_modules(room.__path__)]
    return [name for name in names if hasattr(importlib.import_module(f"{room.__name__}.{name}"), "run_suite")]


def _print_rows(name: str, rows: list[Row]) -> None:
    table = Table(name, "measured", "limit", "", box=None, header_style="bold", title_justify="left")
    for row in rows:
        limit = "" if row.limit is None else f"{'≤' if row.better == 'less' else '≥'} {row.limit:g} {row.unit}"
        mark = {True: "[green]✔[/]", False: "[red]✘[/]", None: ""}[row.ok]
        table.add_row(row.what, f"{row.value:.4g} {row.unit}", limit, f"{mark} {row.note}")
    make_console().print(table)
