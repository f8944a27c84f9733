"""Code that tries to get out of the sandbox, or to take more than its share. All of it is really run."""

from __future__ import annotations

import asyncio
import os
import platform
import re
import signal
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deskhand.clock import SystemClock
from deskhand.core.decisions import CodeResult
from deskhand.core.errors import ActionFailed
from deskhand.sandbox.code_runner import Sandbox
from deskhand.settings.schema import SandboxSettings

LIMITS: dict[str, Any] = {"time_s": 20, "memory_mb": 128, "output_kb": 4, "processes": 16, "file_mb": 8}
MakeBox = Callable[..., Sandbox]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "sandbox" / "task"


@pytest.fixture
def box(folder: Path) -> MakeBox:
    """`box(time_s=1)`: a sandbox on the test's folder with these limits."""

    def make(**limits: Any) -> Sandbox:
        return Sandbox(SandboxSettings(**{**LIMITS, **limits}), folder, SystemClock())

    return make


def processes_of(token: str) -> list[int]:
    """Every process on the host that has this word in its command line."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if token.encode() in line:
                found.append(int(entry.name))
    return found


# --- ordinary work -------------------------------------------------------------------------------------------------


async def test_bash_and_python_run_and_tell_how_they_ended(box: MakeBox) -> None:
    result = await box().run("bash", 'echo "$((6 * 7))"; echo oops >&2; exit 3')
    assert (result.code, result.output, result.timed_out, result.truncated, result.stopped) == (
        3, "42\noops\n", False, False, "",
    )  # fmt: skip
    result = await box().run("python", "import json, sys\nprint(json.dumps({'a': 1}))\nsys.exit(5)")
    assert (result.code, result.output) == (5, '{"a": 1}\n')
    assert 0 < result.seconds < 20


async def test_code_is_never_read_by_a_shell_that_it_was_not_written_for(box: MakeBox) -> None:
    nasty = "print('''$(id) `id` ; \" ' \\\\ \n| & 你好''')"
    assert (await box().run("python", nasty)).output == "$(id) `id` ; \" ' \\ \n| & 你好\n"


async def test_the_folder_is_home_and_is_kept_between_runs(box: MakeBox, folder: Path) -> None:
    first = await box().run("bash", "pwd; echo ~; echo kept > note.txt; echo 'x = 7' > mine.py")
    assert first.output.splitlines() == ["/home/worker", "/home/worker"]
    assert (folder / "note.txt").read_text() == "kept\n"
    second = await box().run("python", "import mine\nprint(open('note.txt').read(), mine.x)")
    assert second.output == "kept\n 7\n"


async def test_an_empty_folder_is_not_left_lying_around(box: MakeBox, folder: Path) -> None:
    assert (await box().run("bash", "echo > note.txt; rm note.txt; pwd")).output == "/home/worker\n"
    assert not folder.exists()


async def test_files_that_were_written_come_back_and_untouched_ones_do_not(box: MakeBox) -> None:
    first = await box().run("bash", "mkdir out; echo 你好 > out/a.txt; printf 'a\\0b' > b.bin; touch .hidden")
    assert [(f.name, f.size, f.text) for f in first.files] == [("b.bin", 3, ""), ("out/a.txt", 7, "你好\n")]
    second = await box().run("bash", "echo more >> out/a.txt")
    assert [f.name for f in second.files] == ["out/a.txt"]


async def test_what_comes_back_is_bounded(box: MakeBox) -> None:
    result = await box().run("bash", "for i in $(seq 100); do head -c 20000 /dev/zero | tr '\\0' x > f$i; done")
    assert len(result.files) == 8
    assert {(f.size, len(f.text)) for f in result.files} == {(20_000, 4_000)}


async def test_an_own_time_limit_may_be_shorter_but_not_longer(box: MakeBox) -> None:
    assert (await box().run("bash", "sleep 30", timeout=0.3)).stopped == "it took longer than 0.3 s"
    assert (await box(time_s=0.4).run("bash", "sleep 30", timeout=60)).stopped == "it took longer than 0.4 s"


# --- reading and writing outside ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["/root", "/etc/shadow", "/etc/hostname", "/var", "/opt", "/boot", "/sys", "/home/worker/../../root"]
)
async def test_nothing_outside_can_be_read(box: MakeBox, path: str) -> None:
    result = await box().run("bash", f"cat {path} 2>&1 || ls -la {path}")
    assert result.code != 0
    assert "No such file" in result.output or "Permission denied" in result.output


async def test_neither_the_users_home_nor_the_data_folder_is_there(box: MakeBox, folder: Path) -> None:
    secret = folder.parent.parent / "journal.db"
    secret.parent.mkdir(parents=True)
    secret.write_text("hush")
    key = Path.home() / ".ssh"
    code = f"ls -la '{Path.home()}' '{key}' ~/.ssh; cat '{secret}'; ls '{folder}' '{Path.cwd()}'; ls /home /tmp /run"
    result = await box().run("bash", code)
    assert "hush" not in result.output
    assert result.output.count("No such file") + result.output.count("Permission denied") == 6
    assert re.findall(r"^\w+$", result.output, re.MULTILINE) == ["worker", "code"]


@pytest.mark.parametrize(
    "path", ["/x", "/usr/x", "/etc/passwd", "/home/x", "/run/x", "/run/code/main.sh", "/dev/x", "/bin/x", "/root/x"]
)
async def test_nothing_outside_can_be_written(box: MakeBox, path: str) -> None:
    result = await box().run("bash", f"echo hacked > {path}")
    assert result.code != 0
    assert not Path("/x").exists()
    assert "hacked" not in Path("/etc/passwd").read_text()


@pytest.mark.parametrize(
    "path",
    ["/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/1/oom_score_adj",
     "/sys/power/state", "/dev/mem", "/dev/sda", "/dev/vda", "/dev/kmsg"],
)  # fmt: skip
async def test_the_kernels_own_files_can_not_be_written(box: MakeBox, path: str) -> None:
    assert (await box().run("bash", f"echo -1000 > {path}")).code != 0


async def test_tmp_is_private_small_and_gone_afterwards(box: MakeBox) -> None:
    token = f"deskhand-{os.getpid()}"
    result = await box().run("bash", f"echo x > /tmp/{token}; ls /tmp; df --output=size -B1M /tmp /dev/shm | tail -n 2")
    assert result.output.split() == [token, "64", "64"]
    assert not Path("/tmp", token).exists()
    assert (await box().run("bash", "ls /tmp")).output == ""


async def test_a_setuid_program_gives_no_rights(box: MakeBox) -> None:
    result = await box().run(
        "bash", "grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status; id -u; mount -t tmpfs x /tmp"
    )
    assert result.output.split()[:7] == ["CapEff:", "0" * 16, "CapBnd:", "0" * 16, "NoNewPrivs:", "1", "65534"]
    assert result.code != 0


async def test_no_new_namespaces_can_be_made(box: MakeBox) -> None:
    result = await box().run("bash", "unshare --user --map-root-user id; unshare --mount id; unshare --net id")
    assert "uid=" not in result.output


# --- links ----------------------------------------------------------------------------------------------------------


async def test_a_link_out_of_the_folder_leads_nowhere_from_inside(box: MakeBox, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hush")
    code = f"ln -s '{tmp_path}/secret' a; ln -s /etc/shadow b; ln -s ../../../../../../../../etc/shadow c; cat a b c"
    result = await box().run("bash", code)
    assert "hush" not in result.output
    assert "root:" not in result.output


async def test_reading_files_back_follows_no_link(box: MakeBox, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("hush")
    code = f"""
        ln -s '{outside}/secret.txt' file
        ln -s '{outside}' folder
        ln -s /proc/self/environ env
        ln -s . loop
        mkfifo pipe
        echo fine > plain
    """
    result = await box().run("bash", code)
    assert [(f.name, f.text) for f in result.files] == [("plain", "fine\n")]
    # and what is there already does not confuse the next run
    assert (await box().run("bash", "cat plain")).output == "fine\n"


async def test_a_hard_link_to_a_file_outside_can_not_be_made(box: MakeBox) -> None:
    result = await box().run("bash", "ln /etc/passwd here || ln /usr/bin/env here || ln /run/code/main.sh here")
    assert result.code != 0
    assert result.files == ()


async def test_strange_names_and_deep_folders_are_survived(box: MakeBox) -> None:
    code = "import os\nopen(b'a\\n\\xff', 'w').write('x')\n"
    assert [f.name for f in (await box().run("python", code)).files] == [
        "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"
    ]
    deep = "import os, time\nfor _ in range(3000):\n    os.mkdir('d'); os.chdir('d')\ntime.sleep(60)"
    assert "files and folders" in (await box().run("python", deep)).stopped
    assert (await box().run("bash", "rm -rf d; ls")).code == 0


# --- more than its share -------------------------------------------------------------------------------------------


async def test_a_fork_bomb_is_contained(box: MakeBox) -> None:
    mark = f"bomb-{uuid.uuid4()}"  # in the command line of each of its processes, for others run sandboxes as well
    code = f"""
import os, sys, time
if len(sys.argv) == 1:
    os.execv(sys.executable, [sys.executable, __file__, "{mark}"])
while True:
    try:
        os.fork()
    except OSError:
        time.sleep(0.05)
"""
    running = asyncio.create_task(box(time_s=3).run("python", code))
    most = 0
    while not running.done():
        most = max(most, len(processes_of(mark)))
        await asyncio.sleep(0.1)
    assert running.result().timed_out
    assert 1 < most <= 16
    assert not processes_of(mark)


async def test_a_bash_fork_bomb_is_contained(box: MakeBox) -> None:
    mark = f"bomb-{uuid.uuid4()}"
    result = await box(time_s=5).run("bash", f"exec bash -c ':(){{ :|:& }};:; wait' {mark}")
    assert "Resource temporarily unavailable" in result.output or result.timed_out
    assert not processes_of(mark)


async def test_a_memory_bomb_is_contained(box: MakeBox) -> None:
    result = await box().run("python", "x = []\nwhile True:\n    x.append(bytearray(1 << 20))")
    assert result.code != 0
    assert "MemoryError" in result.output or "of memory" in result.stopped


@pytest.mark.parametrize(
    "hold",
    [
        "import mmap\nm = mmap.mmap(-1, 1 << 30)\nfor i in range(0, 1 << 30, 4096): m[i] = 1",
        "import os\nfor _ in range(10):\n    if os.fork() == 0: break\nx = b'x' * (60 << 20)",
    ],
    ids=["shared memory", "a crowd of small ones"],
)
async def test_memory_is_limited_as_a_whole(box: MakeBox, hold: str) -> None:
    result = await box().run("python", f"{hold}\nimport time\ntime.sleep(60)")
    assert result.stopped == "it used more than 128 MB of memory"


@pytest.mark.parametrize(
    "hide",
    [
        "os.memfd_create('x')",
        "open('/dev/shm/x', 'wb').write(bytes(80 << 20))",
        "open('/tmp/x', 'wb').write(bytes(80 << 20))",
        "ctypes.CDLL(None, use_errno=True).shmget(0, 1 << 20, 0o1600) != -1 or 1 / 0",
    ],
)
async def test_memory_that_no_process_shows_can_not_be_had(box: MakeBox, hide: str) -> None:
    result = await box(file_mb=200).run("python", f"import os, ctypes\n{hide}\nprint('got it')")
    assert result.code != 0
    assert "got it" not in result.output


async def test_processes_that_share_memory_are_not_counted_twice(box: MakeBox) -> None:
    code = "import os, time\nx = b'x' * (40 << 20)\nfor _ in range(8):\n    if os.fork() == 0: break\ntime.sleep(1)"
    result = await box().run("python", code)
    assert (result.code, result.stopped) == (0, "")


async def test_an_endless_loop_ends_at_the_time_limit(box: MakeBox) -> None:
    result = await box(time_s=1).run("bash", "while :; do :; done")
    assert (result.timed_out, result.code, result.stopped) == (True, 137, "it took longer than 1 s")


async def test_the_processor_time_is_limited_even_if_nobody_watches(box: MakeBox) -> None:
    assert (await box(time_s=7).run("bash", "ulimit -Ht")).output == "8\n"


async def test_endless_output_is_cut_in_the_middle_and_ended(box: MakeBox) -> None:
    result = await box().run("bash", "echo begin; yes; echo never")
    assert result.truncated
    assert result.stopped == "it wrote more than 256 kB"
    assert len(result.output) < 4200
    assert result.output.startswith("begin\n")
    assert "bytes left out" in result.output


async def test_long_output_keeps_its_beginning_and_its_end(box: MakeBox) -> None:
    result = await box().run("bash", "seq 10000; exit 4")
    assert (result.code, result.truncated, result.stopped) == (4, True, "")
    assert result.output.startswith("1\n2\n3\n")
    assert result.output.endswith("9999\n10000\n")
    left_out = re.search(r"… (\d+) bytes left out …", result.output)
    assert left_out
    assert int(left_out[1]) == 48894 - 4096


async def test_a_huge_file_is_contained(box: MakeBox, folder: Path) -> None:
    result = await box().run(
        "bash", "head -c 100M /dev/zero > huge; ls -l huge; truncate -s 1T sparse; fallocate -l 1G f"
    )
    assert result.code != 0
    assert (folder / "huge").stat().st_size <= 8 << 20
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 17 << 20


async def test_many_files_are_as_bad_as_a_huge_one_and_can_be_tidied_up(box: MakeBox) -> None:
    result = await box().run("bash", "for i in $(seq 60); do head -c 1M /dev/zero > f$i; done; sleep 60")
    assert result.stopped == "its files took more than 8 MB"
    result = await box().run("bash", "sleep 0.4; rm f*; ls")
    assert (result.code, result.output, result.stopped) == (0, "", "")


async def test_files_without_a_name_count_too(box: MakeBox) -> None:
    code = (
        "import os, time\nheld = []\nfor n in range(20):\n    held.append(open('f', 'wb'))\n    os.unlink('f')\n"
        "    held[-1].write(bytes(1 << 20))\n    held[-1].flush()\ntime.sleep(60)"
    )
    result = await box().run("python", code)
    assert result.stopped == "its files took more than 8 MB"


async def test_a_flood_of_tiny_files_is_ended(box: MakeBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deskhand.sandbox.code_runner.MAX_ENTRIES", 300)  # ten thousand take a slow disk half a minute
    code = "import os, time\nfor n in range(400): os.close(os.open(f'f{n}', os.O_CREAT))\ntime.sleep(60)"
    assert (await box().run("python", code)).stopped.startswith("it made more than 300 files and folders")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can look into every folder")
async def test_files_can_not_be_hidden_in_a_closed_folder(box: MakeBox) -> None:
    result = await box().run("bash", "mkdir d; chmod 300 d; sleep 60")
    assert "can't be read" in result.stopped
    assert (await box().run("bash", "chmod 700 d; rm -r d")).code == 0


# --- staying alive -------------------------------------------------------------------------------------------------

ESCAPES = {
    "background": "sleep {n} & echo started",
    "nohup": "nohup sleep {n} > /dev/null 2>&1 & echo started",
    "setsid": "setsid --fork sleep {n} < /dev/null > /dev/null 2>&1; echo started",
    "double fork": "( ( setsid sleep {n} > /dev/null 2>&1 & ) & ); echo started",
    "deaf": "bash -c 'trap \"\" TERM HUP INT; sleep {n}; sleep {n}' > /dev/null 2>&1 & disown -a; echo started",
}


@pytest.mark.parametrize("code", ESCAPES.values(), ids=ESCAPES.keys())
async def test_nothing_outlives_the_code(box: MakeBox, code: str) -> None:
    seconds = 70_000 + os.getpid()
    result = await box().run("bash", code.format(n=seconds))
    assert (result.code, result.output, result.stopped) == (0, "started\n", "")
    assert not processes_of(f"\0{seconds}")


@pytest.mark.parametrize("code", ESCAPES.values(), ids=ESCAPES.keys())
async def test_nothing_outlives_a_cancellation(box: MakeBox, code: str, folder: Path) -> None:
    seconds = 80_000 + os.getpid()
    running = asyncio.create_task(box().run("bash", f"{code.format(n=seconds)}; touch ready; sleep {seconds}"))
    async with asyncio.timeout(20):
        while not (folder / "ready").exists():
            await asyncio.sleep(0.02)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not processes_of(f"\0{seconds}")


@pytest.mark.parametrize("after", [0, 0.005, 0.01, 0.02, 0.03])
async def test_a_cancellation_in_the_middle_of_starting_leaves_nothing(box: MakeBox, after: float) -> None:
    seconds = 90_000 + os.getpid()
    running = asyncio.create_task(box().run("bash", f"sleep {seconds}"))
    await asyncio.sleep(after)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not processes_of(f"\0{seconds}")
    assert (await box().run("bash", "echo fine")).output == "fine\n"


@pytest.mark.parametrize("after", [0.01, 0.05, 0.2])
async def test_nothing_outlives_a_second_and_a_third_cancellation(box: MakeBox, after: float) -> None:
    seconds = 40_000 + os.getpid()
    running = asyncio.create_task(box().run("bash", f"sleep {seconds}"))
    await asyncio.sleep(after)
    while not running.done():
        running.cancel()
        await asyncio.sleep(0)
    assert running.cancelled()
    assert not processes_of(f"\0{seconds}")


async def test_it_dies_with_the_program_that_started_it(tmp_path: Path) -> None:
    seconds = 60_000 + os.getpid()
    program = f"""
import asyncio, pathlib
from deskhand.clock import SystemClock
from deskhand.settings.schema import SandboxSettings
from deskhand.sandbox.code_runner import Sandbox
box = Sandbox(SandboxSettings(), pathlib.Path({str(tmp_path / "box")!r}), SystemClock())
asyncio.run(box.run("bash", "touch ready; sleep {seconds}"))
"""
    started = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    async with asyncio.timeout(30):
        while not (tmp_path / "box" / "ready").exists():
            await asyncio.sleep(0.02)
        started.send_signal(signal.SIGKILL)
        await started.wait()
        while processes_of(f"\0{seconds}"):
            await asyncio.sleep(0.02)


# --- looking at and hurting others ---------------------------------------------------------------------------------


async def test_processes_of_the_host_can_neither_be_seen_nor_hurt(box: MakeBox) -> None:
    victim = subprocess.Popen(["sleep", "600"])
    try:
        code = f"""
            ls -d /proc/[0-9]* | wc -l
            kill -9 {victim.pid} {os.getpid()} {os.getppid()}; cat /proc/{victim.pid}/cmdline
            kill -9 $PPID; kill -9 1; kill -9 -1; echo unreached
        """
        result = await box().run("bash", code)
        assert int(result.output.split()[0]) <= 5
        assert "sleep" not in result.output
        assert victim.poll() is None
    finally:
        victim.kill()
        victim.wait()


async def test_the_process_that_stands_for_init_tells_nothing_of_the_host(
    box: MakeBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESKHAND_TEST_SECRET", "hush-hush")
    code = "cat /proc/1/cmdline; ls -l /proc/*/fd /proc/1/cwd /proc/1/root/; cat /proc/1/root/etc/shadow /proc/1/maps"
    result = await box(output_kb=100).run("bash", code)
    assert "hush-hush" not in result.output
    assert "root:" not in result.output
    environments = await box().run("bash", "env; tr '\\0' '\\n' < /proc/1/environ")
    assert set(re.findall(r"^([A-Z_]+)=", environments.output, re.MULTILINE)) == {
        "PATH", "HOME", "USER", "LANG", "TERM", "PWD", "SHLVL", "_", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE",
    }  # fmt: skip


async def test_no_open_file_of_ours_is_handed_down(box: MakeBox) -> None:
    result = await box().run("python", "import os\nprint(sorted(os.listdir('/proc/self/fd')))")
    assert result.output == "['0', '1', '2', '3']\n"  # 3 is the listing itself


async def test_there_is_no_terminal_to_type_into(box: MakeBox) -> None:
    assert (await box().run("bash", "echo x > /dev/tty")).code != 0


async def test_keyrings_are_out_of_reach(box: MakeBox) -> None:
    call = {"x86_64": 250, "aarch64": 219}[platform.machine()]
    code = f"import ctypes as c\nprint(c.CDLL(None, use_errno=True).syscall({call}, 0, -3, 1), c.get_errno())"
    assert (await box().run("python", code)).output == "-1 1\n"


# --- the network ---------------------------------------------------------------------------------------------------


@pytest.fixture
def listener() -> Iterator[int]:
    """The port of a server of the host that says hello."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            with client:
                client.sendall(b"hello from the host")

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join()


def visit(port: int) -> str:
    return f"import socket\nprint(socket.create_connection(('127.0.0.1', {port}), 5).recv(100).decode())"


async def test_there_is_no_network(box: MakeBox, listener: int) -> None:
    result = await box().run("python", visit(listener))
    assert result.code != 0
    assert "ConnectionRefusedError" in result.output
    result = await box().run("bash", "cat /sys/class/net/* /proc/net/dev | grep -c :; exec 3<>/dev/tcp/192.0.2.1/80")
    assert result.code != 0
    assert "Network is unreachable" in result.output


async def test_the_network_is_there_when_the_user_allowed_it(box: MakeBox, listener: int) -> None:
    result = await box(network=True).run("python", visit(listener))
    assert (result.code, result.output) == (0, "hello from the host\n")


@pytest.mark.parametrize("network", [False, True])
async def test_the_hosts_nameless_sockets_are_never_there(box: MakeBox, network: bool) -> None:
    """The session bus and the X server listen on such ones; they belong to the network, not to the file system."""
    name = f"\0deskhand-{os.getpid()}-{network}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        code = f"import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect({name!r})\nprint('in')"
        result = await box(network=network).run("python", code)
    assert result.code != 0
    assert "in\n" not in result.output


async def test_the_machine_below_can_not_be_called(box: MakeBox) -> None:
    result = await box().run("python", "import socket\nsocket.socket(socket.AF_VSOCK)")
    assert "Address family not supported" in result.output


# --- without bubblewrap --------------------------------------------------------------------------------------------


@pytest.fixture
def no_bwrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A host whose PATH has everything but bubblewrap."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("prlimit", "bash", "python3"):
        (programs / name).symlink_to(f"/usr/bin/{name}")
    monkeypatch.setenv("PATH", str(programs))


@pytest.mark.usefixtures("no_bwrap")
async def test_without_bubblewrap_nothing_is_run(box: MakeBox, folder: Path) -> None:
    with pytest.raises(ActionFailed, match=r"bubblewrap.*is not installed.*allow_unsandboxed"):
        await box().run("bash", "touch ran")
    assert not folder.exists()


@pytest.mark.usefixtures("no_bwrap")
async def test_without_bubblewrap_it_runs_bare_when_the_user_allowed_that(box: MakeBox, folder: Path) -> None:
    bare = box(allow_unsandboxed=True)
    result = await bare.run("bash", "pwd; env | grep -c SECRET; echo x > a.txt; exit 2")
    assert (result.code, result.output.splitlines()) == (2, [str(folder), "0"])
    assert [f.name for f in result.files] == ["a.txt"]
    assert (await bare.run("python", "print(6 * 7)")).output == "42\n"


@pytest.mark.usefixtures("no_bwrap")
async def test_bare_code_has_limits_too(box: MakeBox) -> None:
    seconds = 50_000 + os.getpid()
    result = await box(allow_unsandboxed=True, time_s=0.5).run("bash", f"sleep {seconds} & sleep {seconds}")
    assert result.timed_out
    result = await box(allow_unsandboxed=True).run("bash", f"sleep {seconds} & echo x")
    assert (result.code, result.output) == (0, "x\n")
    assert not processes_of(f"\0{seconds}")


async def test_a_sandbox_that_can_not_be_set_up_says_why(box: MakeBox, folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "bin"
    broken.mkdir()
    (broken / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (broken / "bwrap").chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{broken}:{os.environ['PATH']}")
        with pytest.raises(ActionFailed, match=r"The sandbox could not be started: .*bwrap: "):
            await box().run("bash", "echo hi")


def test_a_result_says_all_by_itself() -> None:
    assert CodeResult(code=0, output="") == CodeResult(0, "", False, False, 0.0, "", ())
