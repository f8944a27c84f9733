"""`nc`: a connection from the phone, which reaches the host through what `adb reverse` has set up."""

from __future__ import annotations

import asyncio

from deskhand.simphone.shell.commands.command import CommandCall, Family

OWN_NAMES = ("localhost", "127.0.0.1")


async def run_nc(call: CommandCall) -> int:
    words = [arg for arg in call.args if not arg.startswith("-")]
    if len(words) != 2:
        await call.print_err("nc: Needs 2 arguments (HOST PORT)")
        return 1
    host, port = words
    if host not in OWN_NAMES:
        await call.print_err("nc: connect: Network is unreachable")
        return 1
    link = await call.system.reversed_ports.open_port(f"tcp:{port}")
    if link is None:
        await call.print_err("nc: connect: Connection refused")
        return 1

    async def send_input() -> None:
        while chunk := await call.stdin.read():
            await link.write(chunk)

    sending = asyncio.ensure_future(send_input())
    try:
        while chunk := await link.read():
            await call.stdout.write(chunk)
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        link.close_stream()
    return 0


COMMANDS: Family = {"nc": run_nc, "netcat": run_nc}
