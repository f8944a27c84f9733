"""What Deskhand keeps is for its user alone, whatever the umask, in folders that it makes and in those of before."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from deskhand.private_files import prepare_data_folder
from tests.cli.conftest import LIMIT_S, Cli


def open_to_others(folder: Path) -> list[str]:
    found = [folder, *folder.rglob("*")]
    return [f"{file} {file.stat().st_mode & 0o777:o}" for file in found if file.stat().st_mode & 0o077]


async def work(cli: Cli) -> None:
    """Everything that leaves files behind: a task with pictures and code, a conversation, the server."""
    ran = await cli("run", "打开设置", preexec=lambda: os.umask(0o002))
    assert ran.code == 0, ran.err
    await cli("chat", "打开设置", preexec=lambda: os.umask(0o002))
    serving = await cli.start("serve", "--port", "0", preexec=lambda: os.umask(0o002))
    await serving.line("answers at")
    assert open_to_others(cli.data) == [], "with -wal and -shm of those who write"
    serving.send(signal.SIGTERM)
    await serving.ended()


async def test_a_new_folder_is_private(cli: Cli) -> None:
    await work(cli)
    assert open_to_others(cli.data) == []
    names = {file.name for file in cli.data.iterdir()}
    assert {"journal.db", "conversations.db", "frames", "locks", "server-token"} <= names


async def test_a_folder_of_before_becomes_private_with_all_that_is_in_it(cli: Cli) -> None:
    await work(cli)
    for file in (cli.data, *cli.data.rglob("*")):
        file.chmod(0o755 if file.is_dir() else 0o644)
    assert (await cli("run", "打开设置")).code == 0
    assert open_to_others(cli.data) == []


def test_what_is_not_ours_keeps_its_rights(tmp_path: Path) -> None:
    """Somebody may have chosen their home as the data folder."""
    shared, ours = tmp_path / "shared.txt", tmp_path / "journal.db"
    for file in (shared, ours):
        file.write_text("")
        file.chmod(0o644)
    (tmp_path / "locks").symlink_to("/etc")
    before = Path("/etc").stat().st_mode
    tmp_path.chmod(0o755)
    prepare_data_folder(tmp_path)
    modes = [path.stat().st_mode & 0o777 for path in (tmp_path, shared, ours)]
    assert modes == [0o755, 0o644, 0o600]
    assert Path("/etc").stat().st_mode == before


async def read_terminal(cli: Cli, words: str, *args: str) -> str:
    """Start a command on a terminal, wait until it has said these words, and end it."""
    ours, theirs = os.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deskhand", *args, env=cli.env, stdin=theirs, stdout=theirs, stderr=theirs
    )
    cli.started.append(process)
    os.close(theirs)
    written = b""
    async with asyncio.timeout(LIMIT_S):
        while words.encode() not in written:
            written += await asyncio.to_thread(os.read, ours, 65_536)
        process.terminate()
        await process.wait()
    os.close(ours)
    return written.decode()


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["mcp", "--http", "--port", "0"]], ids=["serve", "mcp"])
async def test_a_new_token_is_shown_on_a_terminal_once(cli: Cli, command: list[str]) -> None:
    shown = await read_terminal(cli, "Bearer TOKEN", *command)
    token = (cli.data / "server-token").read_text().strip()
    assert f"shown only this once: {token}" in shown
    assert token not in await read_terminal(cli, "Bearer TOKEN", *command)
