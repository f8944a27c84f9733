"""Finds an adb binary and starts the adb server with it. Talking to the server is `adb`'s business."""

import asyncio
import contextlib
import importlib.util
import os
import shutil
from pathlib import Path

from deskhand.core.errors import DeviceSetup
from deskhand.settings.schema import AdbSettings

START_TIMEOUT_S = 20.0
LOCAL_HOSTS = {"127.0.0.1", "localhost", "::1"}


def find_adb(settings: AdbSettings) -> Path:
    """The adb to start the server with: the one told, the one inside adbutils, or the one on PATH."""
    if settings.path is not None:
        if _runnable(settings.path):
            return settings.path
        raise DeviceSetup(f"There is no adb program at {settings.path}: correct the setting adb.path or remove it.")
    for candidate in (_packaged_adb(), shutil.which("adb")):
        if candidate and _runnable(Path(candidate)):
            return Path(candidate)
    raise DeviceSetup("No adb program was found: install it with `pip install adbutils`, or set adb.path to yours.")


def _packaged_adb() -> Path | None:
    spec = importlib.util.find_spec("adbutils")
    return Path(spec.origin).parent / "binaries" / "adb" if spec and spec.origin else None


def _runnable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


async def start_server(settings: AdbSettings) -> None:
    """Start the adb server on the settings' port and wait until it answers; it outlives this process."""
    if settings.host not in LOCAL_HOSTS:
        raise DeviceSetup(f"No adb server answers at {settings.host}:{settings.port}: start one there.")
    adb = await asyncio.to_thread(find_adb, settings)
    process = await asyncio.create_subprocess_exec(
        str(adb), "-P", str(settings.port), "start-server",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            _, said = await process.communicate()
    except TimeoutError:
        raise DeviceSetup(f"The adb server did not start within {START_TIMEOUT_S:.0f} seconds ({adb}).") from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        reason = said.decode("utf-8", "replace").strip().splitlines()
        raise DeviceSetup(f"The adb server can't be started with {adb}: {reason[-1] if reason else 'no reason given'}.")
