"""Finds an adb binary and starts the adb server with it. Talking to the server is up to `client`."""

import asyncio
import contextlib
import importlib.util
import os
import shutil
from pathlib import Path

from deskhand.core.errors import DeviceSetup
from deskhand.settings.environment import read_session_environment
from deskhand.settings.schema import AdbSettings

START_TIMEOUT_S = 20.0
LOCAL_HOSTS = {"127.0.0.1", "localhost", "::1"}


def find_adb(settings: AdbSettings) -> Path:
    """Return the adb to start the server with: the one of the settings, of adbutils, or on PATH."""
    if settings.path is not None:
        if _is_executable(settings.path):
            return settings.path
        raise DeviceSetup(f"There is no adb program at {settings.path}: correct or remove adb.path in the settings.")
    for candidate in (_find_packaged_adb(), shutil.which("adb")):
        if candidate and _is_executable(Path(candidate)):
            return Path(candidate)
    raise DeviceSetup("No adb program was found: install it with `pip install adbutils`, or set adb.path to yours.")


def _find_packaged_adb() -> Path | None:
    spec = importlib.util.find_spec("adbutils")
    return Path(spec.origin).parent / "binaries" / "adb" if spec and spec.origin else None


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


async def start_server(settings: AdbSettings) -> None:
    """Start the adb server on the settings' port and wait until it answers; it outlives this process."""
    if settings.host not in LOCAL_HOSTS:
        raise DeviceSetup(
            f"No adb server answers at {settings.host}:{settings.port}: "
            f"run `adb -a -P {settings.port} nodaemon server` there, or correct adb.host in the settings."
        )
    adb = await asyncio.to_thread(find_adb, settings)
    process = await asyncio.create_subprocess_exec(
        str(adb), "-P", str(settings.port), "start-server",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        env=read_session_environment(),  # it outlives us, with all that it inherited
    )  # fmt: skip
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            _, said = await process.communicate()
    except TimeoutError:
        raise DeviceSetup(
            f"The adb server timed out: `{adb} start-server` took more than {START_TIMEOUT_S:.0f} seconds. "
            "Run it by hand to see why."
        ) from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.returncode:
        reason = said.decode("utf-8", "replace").strip().splitlines()
        raise DeviceSetup(
            f"The adb server could not be started with {adb}: {reason[-1] if reason else 'it gave no reason'}."
        )
