"""Secrets on the command line: nothing that is printed has them, and what is wrong is one sentence."""

import os
import signal
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.conftest import Adb
from tests.devices.conftest import free_port

VALUE = "Walrus-Quartz-58"
GOAL = "打开微信，点击Bob，输入{{secret:USER}}"


async def test_nothing_that_is_printed_has_the_value(cli: Cli) -> None:
    live = await cli("run", GOAL, "--loop", "single", DESKHAND_SECRET_USER=VALUE)
    assert live.code == 0, live.out + live.err
    shown = await cli("show", "last")
    told = await cli("show", "last", "--json")  # the same object as that of run --json
    assert told.json["goal"] == GOAL
    for ended in (live, shown, told):
        assert VALUE not in ended.out + ended.err
        assert "{{secret:USER}}" in ended.out


@pytest.mark.parametrize(
    ("content", "mode", "sentence"),
    [
        ('OTHER = "x"', 0o600, "There is no value for {{secret:USER}}: looked for the variable DESKHAND_SECRET_USER, "),
        (f'USER = "{VALUE}"', 0o640, "can be read by others (mode 640): chmod 600 "),
        (f'USER = "{VALUE}', 0o600, 'is no TOML: write NAME = "value" on each line.'),
    ],
)
async def test_what_is_wrong_is_said_before_anything_is_done(
    cli: Cli, tmp_path: Path, content: str, mode: int, sentence: str
) -> None:
    file = tmp_path / "secrets.toml"  # beside the settings file
    file.write_text(content)
    file.chmod(mode)
    refused = await cli("run", GOAL)
    assert sentence in refused.refused(2)
    assert str(file) in refused.err
    assert VALUE not in refused.out + refused.err
    assert (await cli("runs", "--json")).json in ([], {"runs": []})


SECRETS = {
    "DESKHAND_SECRET_USER": VALUE,
    "OPENAI_API_KEY": f"sk-{VALUE}",
    "MODEL_API_KEY": VALUE,
    "GITHUB_TOKEN": VALUE,
    "AWS_SECRET_ACCESS_KEY": VALUE,
    "DB_PASSWORD": VALUE,
}


def told_a_secret(cli: Cli, *known: int) -> list[str]:
    """Programs that we started, and that have a secret in their environment."""
    found = {pid: name for pid, name in cli.processes().items() if pid not in known}
    assert found, "there is somebody to look at"
    return [name for pid, name in found.items() if VALUE.encode() in Path(f"/proc/{pid}/environ").read_bytes()]


@pytest.mark.parametrize("device", ["browser", "desktop", "sim"])
async def test_no_program_that_we_start_inherits_a_secret(cli: Cli, device: str) -> None:
    running = await cli.start("run", "wait 100 seconds", "--device", device, **SECRETS)
    await running.line("wait")
    assert told_a_secret(cli, running.process.pid) == []
    running.send(signal.SIGINT)
    await running.ended()


async def test_an_adb_server_that_outlives_us_knows_no_secret(cli: Cli, adb: Adb) -> None:
    port = free_port()
    await cli("devices", DESKHAND_ADB__PORT=str(port), **SECRETS)
    try:
        assert told_a_secret(cli, os.getpid()) == []
    finally:
        await Adb(adb.path, port).run("kill-server")
