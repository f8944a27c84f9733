"""Push, pull and the phone's own file tools."""

import os
import socket
import struct
from pathlib import Path

import pytest

from tests.conftest import ConnectedPhone


@pytest.mark.parametrize("size", [0, 1, 65_536, 3_000_001])
async def test_a_file_comes_back_as_it_went(sim: ConnectedPhone, tmp_path: Path, size: int) -> None:
    sent, back = tmp_path / "sent.bin", tmp_path / "back.bin"
    sent.write_bytes(os.urandom(size))
    code, out, err = await sim.adb_run("push", str(sent), "/sdcard/Download/文件.bin")
    assert code == 0, out + err
    code, out, err = await sim.adb_run("pull", "/sdcard/Download/文件.bin", str(back))
    assert code == 0, out + err
    assert back.read_bytes() == sent.read_bytes()


async def test_a_folder_comes_back_as_it_went(sim: ConnectedPhone, tmp_path: Path) -> None:
    (tmp_path / "folder/inner").mkdir(parents=True)
    (tmp_path / "folder/a").write_text("A")
    (tmp_path / "folder/inner/b").write_text("B")
    assert (await sim.adb_run("push", str(tmp_path / "folder"), "/sdcard/"))[0] == 0
    assert (await sim.adb_run("pull", "/sdcard/folder", str(tmp_path / "back")))[0] == 0
    assert (tmp_path / "back/inner/b").read_text() == "B"
    code, out, _ = await sim.adb_run("ls", "/sdcard/folder")
    assert (code, [line.split()[-1] for line in out.splitlines()]) == (0, [".", "..", "a", "inner"])


async def test_pushing_into_a_folder_keeps_the_name_and_the_mode(sim: ConnectedPhone, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/system/bin/sh\n")
    tool.chmod(0o755)
    await sim.adb_run("push", str(tool), "/data/local/tmp/")
    assert (await sim.out("stat -c %a /data/local/tmp/tool")).strip() == "755"


async def test_pulling_what_is_not_there_names_it(sim: ConnectedPhone, tmp_path: Path) -> None:
    code, out, err = await sim.adb_run("pull", "/sdcard/nope", str(tmp_path))
    assert (code, out) == (1, "")
    assert "failed to stat remote object '/sdcard/nope': No such file or directory" in err


@pytest.mark.parametrize(
    ("target", "reason"),
    [("/system/x", "Read-only file system"), ("/data/x", "Permission denied"), ("/sdcard/DCIM/Camera", "")],
)
async def test_pushing_where_nobody_may_write_says_why(
    sim: ConnectedPhone, tmp_path: Path, target: str, reason: str
) -> None:
    (tmp_path / "x").write_bytes(bytes(300_000))
    code, out, err = await sim.adb_run("push", str(tmp_path / "x"), target)
    if reason:
        assert code == 1
        assert f"remote couldn't create file: {reason}" in out + err
    else:
        assert await sim.out("ls /sdcard/DCIM/Camera") == "x\n"


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("mkdir -p /sdcard/a/b; ls /sdcard/a", "b\n"),
        ("cd /sdcard; mkdir n; echo x > n/f; mv n/f n/g; cat n/g; ls n", "x\ng\n"),
        ("cd /sdcard; echo x > f; cp f Download; cat Download/f", "x\n"),
        ("cd /sdcard; touch p1.txt p2.txt q; ls p*.txt", "p1.txt\np2.txt\n"),
        ("cd /sdcard; echo x > f; rm f; ls f 2>&1", "ls: f: No such file or directory\n"),
        ("cd /sdcard; mkdir d; rmdir d; test -e d || echo gone", "gone\n"),
        ("rm -f /sdcard/nope; echo $?", "0\n"),
        ("rm -rf /sdcard/Download; ls -d /sdcard/Download 2>/dev/null || echo gone", "gone\n"),
        ("printf 12345 > /sdcard/f; stat -c '%s %F %n' /sdcard/f", "5 regular file /sdcard/f\n"),
        ("ls / | grep sdcard", "sdcard\n"),
        ("readlink -f /sdcard", "/storage/emulated/0\n"),
        ("echo *.nothing", "*.nothing\n"),
        ("touch /sdcard/f; chmod 600 /sdcard/f; echo $?", "0\n"),
        ("df | wc -l", "3\n"),
        ("cat /system/build.prop", "ro.build.version.release=13\n"),
    ],
)
async def test_file_tools(sim: ConnectedPhone, line: str, output: str) -> None:
    _, out, err = await sim.shell(line)
    assert (out, err) == (output, "")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("ls /data", "ls: /data: Permission denied"),
        ("rm /sdcard/nope", "rm: /sdcard/nope: No such file or directory"),
        ("rm /sdcard/DCIM", "rm: /sdcard/DCIM: Is a directory"),
        ("rm -rf /system/app", "rm: /system/app: Read-only file system"),
        ("rm", "rm: Needs 1 argument"),
        ("mkdir /sdcard/DCIM", "mkdir: '/sdcard/DCIM': File exists"),
        ("mkdir /sdcard/x/y", "mkdir: '/sdcard/x/y': No such file or directory"),
        ("rmdir /sdcard/DCIM", "rmdir: /sdcard/DCIM: Directory not empty"),
        ("mv /sdcard/nope /sdcard/x", "mv: bad '/sdcard/nope': No such file or directory"),
        ("mv x", "mv: Needs 2 arguments"),
        ("touch /system/x", "touch: '/system/x': Read-only file system"),
        ("stat /sdcard/nope", "stat: '/sdcard/nope': No such file or directory"),
        ("chmod 600 /sdcard/nope", "chmod: /sdcard/nope: No such file or directory"),
        ("cat /sdcard", "cat: /sdcard: Is a directory"),
        ("ls /system/build.prop/x", "ls: /system/build.prop/x: Not a directory"),
    ],
)
async def test_file_tools_complain_as_toybox_does(sim: ConnectedPhone, line: str, error: str) -> None:
    code, out, err = await sim.shell(line)
    assert (code, out) == (1, "")
    assert err.startswith(error)


async def test_long_listings_show_mode_size_and_name(sim: ConnectedPhone) -> None:
    out = await sim.out("cd /sdcard/Music; printf 12345 > song; ls -l")
    assert out.splitlines()[0] == "total 4"
    assert out.splitlines()[1].startswith("-rw-rw----")
    assert out.splitlines()[1].endswith(" song")
    assert "Size: 5" in await sim.out("stat /sdcard/Music/song")


def open_sync(sim: ConnectedPhone) -> socket.socket:
    """A raw sync conversation, for the messages that adb 36 itself no longer sends."""
    line = socket.create_connection(("127.0.0.1", sim.adb.port), timeout=10)
    for request in (f"host:transport:{sim.serial}", "sync:"):
        line.sendall(f"{len(request):04x}{request}".encode())
        assert line.recv(4, socket.MSG_WAITALL) == b"OKAY"
    return line


def ask(line: socket.socket, kind: bytes, path: bytes, more: bytes = b"") -> None:
    line.sendall(kind + struct.pack("<I", len(path)) + path + more)


async def in_thread(function, *args):
    import asyncio

    return await asyncio.to_thread(function, *args)


async def test_the_first_generation_of_sync_works_as_well(sim: ConnectedPhone) -> None:
    sim.sim.system.files.write_file("/sdcard/f", b"hello")

    def talk() -> None:
        with open_sync(sim) as line:
            ask(line, b"STAT", b"/sdcard/f")
            kind, mode, size, _ = struct.unpack("<4sIII", line.recv(16, socket.MSG_WAITALL))
            assert (kind, oct(mode), size) == (b"STAT", "0o100660", 5)
            ask(line, b"STAT", b"/sdcard/nope")
            assert line.recv(16, socket.MSG_WAITALL) == b"STAT" + bytes(12)
            ask(line, b"LIST", b"/sdcard/nope")
            assert line.recv(20, socket.MSG_WAITALL) == b"DONE" + bytes(16)
            ask(line, b"SEND", b"/sdcard/g,33188", b"DATA\x02\0\0\0hiDONE\x01\0\0\0")
            assert line.recv(8, socket.MSG_WAITALL) == b"OKAY\0\0\0\0"
            ask(line, b"RECV", b"/sdcard/g")
            assert line.recv(18, socket.MSG_WAITALL) == b"DATA\x02\0\0\0hiDONE\0\0\0\0"
            ask(line, b"RECV", b"/sdcard/nope")
            assert line.recv(8, socket.MSG_WAITALL)[:4] == b"FAIL"

    await in_thread(talk)


@pytest.mark.parametrize(
    "message",
    [
        b"WHAT\0\0\0\0",
        b"SEND\x04\0\0\0/a/b",
        b"SND2\x09\0\0\0/sdcard/gSND2" + struct.pack("<II", 0o644, 1),
        b"SEND\x0b\0\0\0/sdcard/g,1JUNK\0\0\0\0",
    ],
)
async def test_sync_refuses_what_it_does_not_understand(sim: ConnectedPhone, message: bytes) -> None:
    def talk() -> bytes:
        with open_sync(sim) as line:
            line.sendall(message)
            return line.recv(4, socket.MSG_WAITALL)

    assert await in_thread(talk) == b"FAIL"
