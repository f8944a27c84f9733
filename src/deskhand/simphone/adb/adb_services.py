"""The services that a host may open: shells, exec, sync, framebuffer; everything else is refused in words."""

from __future__ import annotations

import asyncio
import struct

from deskhand.simphone.adb.interactive_shell import run_lines, run_terminal
from deskhand.simphone.adb.sync_service import SyncService
from deskhand.simphone.adb.transport import HostStream
from deskhand.simphone.shell.android_system import SRGB, AndroidSystem
from deskhand.simphone.shell.commands import COMMANDS
from deskhand.simphone.shell.commands.command import Bytes
from deskhand.simphone.shell.interpreter import Shell
from deskhand.simphone.shell.reversed_ports import ReverseRefused

FEATURES = ("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "sendrecv_v2")
SLOW_S = 1.0

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN = 0, 1, 2, 3, 4
PACKET = struct.Struct("<BI")

REFUSALS = {
    "root": "adbd cannot run as root in production builds\n",
    "unroot": "adbd not running as root\n",
    "remount": 'Not running as root. Try "adb root" first.\n',
    "disable-verity": "verity cannot be disabled/enabled - USER build\n",
    "enable-verity": "verity cannot be disabled/enabled - USER build\n",
    "reboot": "reboot refused: the simulated phone restarts only with its process\n",
    "tcpip": "tcpip refused: the simulated phone already listens on TCP\n",
    "usb": "usb refused: the simulated phone has no USB port\n",
}


def make_banner(system: AndroidSystem) -> str:
    names = ("ro.product.name", "ro.product.model", "ro.product.device")
    facts = ";".join(f"{name}={system.properties[name]}" for name in names)
    return f"device::{facts};features={','.join(FEATURES)}"


async def open_service(system: AndroidSystem, stream: HostStream, name: str) -> None:
    """Serve one stream until its end. To return without accepting it is how the protocol refuses."""
    kind, _, rest = name.partition(":")
    service, *options = kind.split(",")
    if service in ("shell", "exec"):
        stream.accept_stream()
        await _apply_trouble(system, stream, rest)
        if "v2" in options:
            await _serve_shell_v2(system, stream, rest, tty="pty" in options)
        else:
            await _serve_shell_v1(system, stream, rest, tty=service == "shell" and not rest)
    elif service == "sync":
        stream.accept_stream()
        await _apply_trouble(system, stream, "sync")
        await SyncService(stream, system.files).serve_requests()
    elif service == "framebuffer":
        stream.accept_stream()
        await _send_framebuffer(system, stream)
    elif service == "reverse":
        stream.accept_stream()
        await _answer_reverse(system, stream, rest)
    elif service in REFUSALS:
        stream.accept_stream()
        await stream.write(REFUSALS[service].encode())


async def _apply_trouble(system: AndroidSystem, stream: HostStream, line: str) -> None:
    """Let the conditions spoil a command, except for the commands that steer the simulation."""
    conditions = system.phone.conditions
    if line.startswith("deskhand-"):
        return
    if conditions & {"drop", "drop-once"}:
        conditions.discard("drop-once")
        stream.cut = True
    if "slow" in conditions:
        await system.clock.sleep(SLOW_S)


async def _serve_shell_v1(system: AndroidSystem, stream: HostStream, line: str, *, tty: bool) -> None:
    """Run a shell whose output and errors share the stream; the host does not learn the exit status."""
    shell = Shell(system, COMMANDS)
    if line:
        await shell.run_to_end(line, stream, stream, stream)
    elif tty:
        await run_terminal(shell, stream, stream)
    else:
        await run_lines(shell, stream, stream, stream)


async def _serve_shell_v2(system: AndroidSystem, stream: HostStream, line: str, *, tty: bool) -> None:
    shell = Shell(system, COMMANDS)
    stdin = _PacketSource(stream)
    stdout, stderr = _PacketSink(stream, STDOUT), _PacketSink(stream, STDERR)
    if line:
        work = shell.run_to_end(line, stdin, stdout, stderr)
    elif tty:
        work = run_terminal(shell, stdin, stdout)
    else:
        work = run_lines(shell, stdin, stdout, stderr)
    pump = asyncio.ensure_future(stdin.pump_packets())
    run = asyncio.ensure_future(work)
    try:
        # The pump ends only when the host has gone, which ends the command as a hang-up does.
        await asyncio.wait({pump, run}, return_when=asyncio.FIRST_COMPLETED)
        if run.done():
            await _PacketSink(stream, EXIT).write(bytes([run.result() & 0xFF]))
    finally:
        pump.cancel()
        run.cancel()
        await asyncio.gather(pump, run, return_exceptions=True)


class _PacketSink:
    """Frames bytes for the shell protocol; a packet always fits one payload, so packets never mix."""

    def __init__(self, stream: HostStream, kind: int) -> None:
        self._stream = stream
        self._kind = kind

    async def write(self, data: Bytes) -> None:
        view = memoryview(data)
        step = self._stream.connection.max_payload - PACKET.size
        for start in range(0, len(view), step):
            chunk = view[start : start + step]
            await self._stream.write(b"".join((PACKET.pack(self._kind, len(chunk)), chunk)))


class _PacketSource:
    """Standard input out of the shell protocol's packets."""

    def __init__(self, stream: HostStream) -> None:
        self._stream = stream
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue()

    async def pump_packets(self) -> None:
        buffer = bytearray()
        while chunk := await self._stream.read():
            buffer += chunk
            while len(buffer) >= PACKET.size:
                kind, length = PACKET.unpack_from(buffer)
                end = PACKET.size + length
                if len(buffer) < end:
                    break
                if kind == STDIN and length:
                    self._inbox.put_nowait(bytes(buffer[PACKET.size : end]))
                elif kind == CLOSE_STDIN:
                    self._inbox.put_nowait(b"")
                del buffer[:end]
        self._inbox.put_nowait(b"")

    async def read(self) -> bytes:
        data = await self._inbox.get()
        if not data:
            self._inbox.put_nowait(b"")  # the end stays readable
        return data


async def _send_framebuffer(system: AndroidSystem, stream: HostStream) -> None:
    """Send version 2 of the header, which names the colour space, and the pixels."""
    width, height, pixels = system.capture.read_pixels()
    red, green, blue, alpha = (0, 8), (8, 8), (16, 8), (24, 8)
    header = (2, 32, SRGB, len(pixels), width, height, *red, *blue, *green, *alpha)
    await stream.write(struct.pack("<14I", *header))
    await stream.write(pixels)


async def _answer_reverse(system: AndroidSystem, stream: HostStream, request: str) -> None:
    """Set up, list and take down the phone's ports that lead to this host."""
    ports, open_on_host = system.reversed_ports, stream.connection.open_on_host
    verb, _, rest = request.partition(":")
    try:
        if verb == "list-forward":
            await stream.write(_frame_text(ports.list_ports("host-1")))  # the only answer without a status
        elif verb == "killforward-all":
            ports.remove_all()
            await stream.write(b"OKAY")
        elif verb == "killforward":
            ports.remove_port(rest)
            await stream.write(b"OKAY")
        elif verb == "forward":
            rebind = not rest.startswith("norebind:")
            name, _, target = rest.removeprefix("norebind:").partition(";")
            bound = ports.add_port(name, target, open_on_host, rebind=rebind)
            port = _frame_text(bound.removeprefix("tcp:")) if name == "tcp:0" else b""
            await stream.write(b"OKAY" + port)
        else:
            raise ReverseRefused(f"bad forward: {request}")
    except ReverseRefused as refusal:
        await stream.write(b"FAIL" + _frame_text(str(refusal)))


def _frame_text(text: str) -> bytes:
    return f"{len(text.encode()):04x}{text}".encode()
