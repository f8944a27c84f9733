"""Crashes the browser in every way there is and counts the processes left running after each: none."""

import asyncio
import os
import signal
import sys
from collections import Counter
from pathlib import Path

from deskhand.bench.rows import Row
from deskhand.clock import SystemClock

CRASHES = 200
AT_ONCE = 4
GONE_S = 10.0
# A parent that starts a browser, reports it, and never ends by itself. Half a second cheaper than a whole device.
_PARENT = """
import asyncio, sys
from deskhand.settings.schema import BrowserSettings
from deskhand.devices.browser.browser_process import start_browser

async def main():
    chromium = await start_browser(BrowserSettings())
    context, _ = await chromium.open_context()
    await context.new_page()
    sys.stdout.write("up\\n")
    sys.stdout.flush()
    await asyncio.Event().wait()

asyncio.run(main())
"""
_WAYS = ("parent", "parent and driver", "browser, then parent", "guard, then parent", "all frozen, then parent")


async def run_suite(out: Path) -> list[Row]:
    del out
    left: Counter[str] = Counter()
    gate = asyncio.Semaphore(AT_ONCE)

    async def crash_once(number: int) -> None:
        async with gate:
            way = _WAYS[number % len(_WAYS)]
            left[way] += await _crash_browser(way)

    await asyncio.gather(*(crash_once(number) for number in range(CRASHES)))
    note = ", ".join(f"{way}: {count}" for way, count in left.items() if count)
    return [Row(f"processes left by {CRASHES} crashes", sum(left.values()), "left", limit=0, note=note)]


async def _crash_browser(way: str) -> int:
    """Return the number of processes that outlive the crash."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _PARENT, stdout=asyncio.subprocess.PIPE, start_new_session=True
    )
    assert parent.stdout is not None
    await parent.stdout.readline()
    started = _find_descendants(parent.pid)
    guards = {pid for pid in started if "browser.process_guard" in _read_command(pid)}
    drivers = {pid for pid in started if "driver/node" in _read_command(pid)}
    browser = {pid for guard in guards for pid in _find_descendants(guard)}
    if way == "all frozen, then parent":
        _send_signal(browser, signal.SIGSTOP)
    _send_signal({"parent and driver": drivers, "guard, then parent": guards}.get(way, set()), signal.SIGKILL)
    if way == "browser, then parent":
        _send_signal({pid for pid in browser if "--type=" not in _read_command(pid)}, signal.SIGKILL)
    parent.kill()
    await parent.wait()
    return await _count_survivors(started)


async def _count_survivors(pids: set[int]) -> int:
    clock = SystemClock()
    deadline = clock.now() + GONE_S
    while (alive := {pid for pid in pids if _read_command(pid)}) and clock.now() < deadline:
        await clock.sleep(0.05)
    _send_signal(alive, signal.SIGKILL)
    return len(alive)


def _find_descendants(root: int) -> set[int]:
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it ended between the listing and the read
    found = {root}
    while new := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= new
    return found - {root}


def _read_command(pid: int) -> str:
    """Return the command line, empty for a process that has ended: a zombie has none either."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def _send_signal(pids: set[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
