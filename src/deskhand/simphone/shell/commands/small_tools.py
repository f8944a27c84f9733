"""The small tools every shell has: echo, test, date, id, ps and their like."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from deskhand.simphone.shell.commands.command import Call, Exit, Family, whole

KERNEL = "5.15.104-android13"
IDENTITY = (
    "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),"
    "1028(sdcard_r),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),"
    "3011(uhid),3012(readtracefs) context=u:r:shell:s0"
)


async def echo(call: Call) -> int:
    args, newline, escapes = list(call.args), True, False
    while args and re.fullmatch("-[neE]+", args[0]):
        flag = args.pop(0)
        newline = newline and "n" not in flag
        escapes = (escapes or "e" in flag) and "E" not in flag
    text = " ".join(args)
    await call.stdout.write(((unescape(text) if escapes else text) + "\n" * newline).encode())
    return 0


def unescape(text: str) -> str:
    table = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "0": "\0", "e": "\x1b"}
    return re.sub(r"\\([ntr\\0e])", lambda match: table[match[1]], text)


async def printf(call: Call) -> int:
    if not call.args:
        await call.err('printf: Needs 1 argument (see "printf --help")')
        return 1
    template, values = unescape(call.args[0]), iter(call.args[1:])

    def fill(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = next(values, "")
        return match[0] % (whole(value or "0") if match[0][-1] in "dxo" else value)

    await call.stdout.write(re.sub(r"%%|%[-0-9.]*[sdxo]", fill, template).encode())
    return 0


async def true(call: Call) -> int:
    return 0


async def false(call: Call) -> int:
    return 1


async def test(call: Call) -> int:
    args = list(call.args)
    if call.name == "[" and (not args or args.pop() != "]"):
        await call.err("/system/bin/sh: [: missing ]")
        return 2
    negated = args[:1] == ["!"]
    result = _holds(call, args[negated:])
    return int(result == negated)


def _holds(call: Call, args: list[str]) -> bool:
    files = call.system.files
    match args:
        case [] | [""]:
            return False
        case [_]:
            return True
        case ["-z", text]:
            return not text
        case ["-n", text]:
            return bool(text)
        case ["-e" | "-r" | "-w", path]:
            return files.exists(call.path(path))
        case ["-f", path]:
            return files.exists(call.path(path)) and not files.lookup(call.path(path)).is_directory
        case ["-d", path]:
            return files.exists(call.path(path)) and files.lookup(call.path(path)).is_directory
        case ["-s", path]:
            return files.exists(call.path(path)) and files.lookup(call.path(path)).size > 0
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, operator, right] if left.lstrip("-").isdecimal() and right.lstrip("-").isdecimal():
            a, b = int(left), int(right)
            return {"-eq": a == b, "-ne": a != b, "-lt": a < b, "-le": a <= b, "-gt": a > b, "-ge": a >= b}.get(
                operator, False
            )
        case _:
            return False


async def sleep(call: Call) -> int:
    units = {"": 1, "s": 1, "m": 60, "h": 3600}
    total = 0.0
    for word in call.args:
        match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)([smh]?)", word)
        if not match:
            await call.err(f"sleep: not a number '{word}'")
            return 1
        total += float(match[1]) * units[match[2]]
    if not call.args:
        await call.err('sleep: Needs 1 argument (see "sleep --help")')
        return 1
    await call.system.clock.sleep(total)
    return 0


async def date(call: Call) -> int:
    args = [arg for arg in call.args if arg != "-u"]
    now = datetime.now(UTC) if "-u" in call.args else datetime.now().astimezone()
    form = args[0][1:] if args and args[0].startswith("+") else "%a %b %e %H:%M:%S %Z %Y"
    await call.out(now.strftime(form.replace("%s", str(int(now.timestamp()))).replace("%N", f"{now:%f}000")))
    return 0


async def uptime(call: Call) -> int:
    minutes = int(time.time() - call.system.booted_at) // 60
    await call.out(f" {datetime.now():%H:%M:%S} up {minutes} min,  0 users,  load average: 0.10, 0.10, 0.10")
    return 0


async def id_(call: Call) -> int:
    await call.out("2000" if "-u" in call.args else IDENTITY)
    return 0


async def whoami(call: Call) -> int:
    await call.out("shell")
    return 0


async def uname(call: Call) -> int:
    flags = "".join(call.args) or "-s"
    fields = {
        "s": "Linux", "n": "localhost", "r": KERNEL, "v": "#1 SMP PREEMPT Mon Aug 7 00:00:00 UTC 2023",
        "m": "aarch64", "o": "Toybox",
    }  # fmt: skip
    await call.out(" ".join(value for key, value in fields.items() if key in flags or "a" in flags))
    return 0


async def cd(call: Call) -> int:
    target = call.args[0] if call.args else "/"
    path = call.path(target)
    files = call.system.files
    if not files.exists(path) or not files.lookup(path).is_directory:
        reason = "Not a directory" if files.exists(path) else "No such file or directory"
        await call.err(f"/system/bin/sh: cd: {target}: {reason}")
        return 2
    call.shell.cwd = path
    return 0


async def pwd(call: Call) -> int:
    await call.out(call.shell.cwd)
    return 0


async def export(call: Call) -> int:
    for word in call.args:
        name, equals, value = word.partition("=")
        if equals:
            call.shell.variables[name] = value
    return 0


async def env(call: Call) -> int:
    await call.out("\n".join(f"{name}={value}" for name, value in call.shell.variables.items()))
    return 0


async def exit_(call: Call) -> int:
    word = call.args[0] if call.args else str(call.shell.status)
    raise Exit(int(word) & 0xFF if word.lstrip("-").isdecimal() else 2)


async def sh(call: Call) -> int:
    """`sh -c LINE`, or a script file, in this same shell's world."""
    if call.args[:1] == ["-c"] and len(call.args) > 1:
        line = call.args[1]
    elif call.args:
        path = call.path(call.args[0])
        if not call.system.files.exists(path):
            await call.err(f"/system/bin/sh: can't open {call.args[0]}: No such file or directory")
            return 2
        line = call.system.files.read(path).decode(errors="replace")
    else:
        line = (await call.read_all()).decode(errors="replace")
    return await call.shell.run(line, call.stdin, call.stdout, call.stderr)


async def which(call: Call) -> int:
    status = 0 if call.args else 1
    for name in call.args:
        if call.shell.knows(name):
            await call.out(f"/system/bin/{name}")
        else:
            status = 1
    return status


async def ps(call: Call) -> int:
    package = call.phone.windows.foreground[0]
    rows = [("root", 1, 0, "init"), ("system", 612, 1, "system_server"), ("u0_a71", 1904, 1, "com.android.systemui")]
    rows += [("u0_a112", 5120, 1, package), ("shell", 4242, 1, "sh")]
    lines = ["USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME                       "]
    lines += [
        f"{user:<12} {pid:>5} {parent:>5} {1320004:>7} {98304:>6} {'do_epoll_wait':<16} {'0':>4} S {name:<27}"
        for user, pid, parent, name in rows
    ]
    await call.out("\n".join(lines))
    return 0


async def pidof(call: Call) -> int:
    if call.args and call.args[-1] == call.phone.windows.foreground[0]:
        await call.out("5120")
        return 0
    return 1


async def logcat(call: Call) -> int:
    """The phone keeps no log: `-d` shows only the buffer's heading, `-c` has nothing to clear."""
    if "-c" not in call.args:
        await call.out("--------- beginning of main")
    return 0


COMMANDS: Family = {
    "echo": echo, "printf": printf, "true": true, ":": true, "false": false, "test": test, "[": test,
    "sleep": sleep, "date": date, "uptime": uptime, "id": id_, "whoami": whoami, "uname": uname, "cd": cd,
    "pwd": pwd, "export": export, "env": env, "printenv": env, "exit": exit_, "sh": sh, "ps": ps,
    "pidof": pidof, "which": which, "logcat": logcat, "sync": true,
}  # fmt: skip
