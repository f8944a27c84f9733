"""The small tools every shell has: echo, test, date, id, ps and their like."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

from deskhand.simphone.shell.commands.command import CommandCall, Family, LoopJump, ShellExit, ShellStreams, to_integer

KERNEL = "5.15.104-android13"
IDENTITY = (
    "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),"
    "1028(sdcard_r),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),"
    "3011(uhid),3012(readtracefs) context=u:r:shell:s0"
)


async def run_echo(call: CommandCall) -> int:
    args, newline, escapes = list(call.args), True, False
    while args and re.fullmatch("-[neE]+", args[0]):
        flag = args.pop(0)
        newline = newline and "n" not in flag
        escapes = (escapes or "e" in flag) and "E" not in flag
    text = " ".join(args)
    await call.stdout.write(((unescape_text(text) if escapes else text) + "\n" * newline).encode())
    return 0


def unescape_text(text: str) -> str:
    table = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "0": "\0", "e": "\x1b"}
    return re.sub(r"\\([ntr\\0e])", lambda match: table[match[1]], text)


async def run_printf(call: CommandCall) -> int:
    if not call.args:
        await call.print_err('printf: Needs 1 argument (see "printf --help")')
        return 1
    template, values = unescape_text(call.args[0]), iter(call.args[1:])

    def fill_in(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        value = next(values, "")
        return match[0] % (to_integer(value or "0") if match[0][-1] in "dxo" else value)

    await call.stdout.write(re.sub(r"%%|%[-0-9.]*[sdxo]", fill_in, template).encode())
    return 0


async def run_true(call: CommandCall) -> int:
    return 0


async def run_false(call: CommandCall) -> int:
    return 1


async def run_test(call: CommandCall) -> int:
    args = list(call.args)
    if call.name == "[" and (not args or args.pop() != "]"):
        await call.print_err("/system/bin/sh: [: missing ]")
        return 2
    negated = args[:1] == ["!"]
    result = _test_holds(call, args[negated:])
    return int(result == negated)


def _test_holds(call: CommandCall, args: list[str]) -> bool:
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
            return files.has_path(call.resolve_path(path))
        case ["-f", path]:
            return files.has_path(call.resolve_path(path)) and not files.find_node(call.resolve_path(path)).is_directory
        case ["-d", path]:
            return files.has_path(call.resolve_path(path)) and files.find_node(call.resolve_path(path)).is_directory
        case ["-s", path]:
            return files.has_path(call.resolve_path(path)) and files.find_node(call.resolve_path(path)).size > 0
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


async def run_sleep(call: CommandCall) -> int:
    units = {"": 1, "s": 1, "m": 60, "h": 3600}
    total = 0.0
    for word in call.args:
        match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)([smh]?)", word)
        if not match:
            await call.print_err(f"sleep: not a number '{word}'")
            return 1
        total += float(match[1]) * units[match[2]]
    if not call.args:
        await call.print_err('sleep: Needs 1 argument (see "sleep --help")')
        return 1
    await call.system.clock.sleep(total)
    return 0


async def run_date(call: CommandCall) -> int:
    args = [arg for arg in call.args if arg != "-u"]
    here = call.phone.today().astimezone()
    now = here.astimezone(UTC) if "-u" in call.args else here
    form = args[0][1:] if args and args[0].startswith("+") else "%a %b %e %H:%M:%S %Z %Y"
    await call.print_out(now.strftime(form.replace("%s", str(int(now.timestamp()))).replace("%N", f"{now:%f}000")))
    return 0


async def run_uptime(call: CommandCall) -> int:
    minutes = int(time.time() - call.system.booted_at) // 60
    await call.print_out(f" {datetime.now():%H:%M:%S} up {minutes} min,  0 users,  load average: 0.10, 0.10, 0.10")
    return 0


async def run_id(call: CommandCall) -> int:
    await call.print_out("2000" if "-u" in call.args else IDENTITY)
    return 0


async def run_whoami(call: CommandCall) -> int:
    await call.print_out("shell")
    return 0


async def run_uname(call: CommandCall) -> int:
    flags = "".join(call.args) or "-s"
    fields = {
        "s": "Linux", "n": "localhost", "r": KERNEL, "v": "#1 SMP PREEMPT Mon Aug 7 00:00:00 UTC 2023",
        "m": "aarch64", "o": "Toybox",
    }  # fmt: skip
    await call.print_out(" ".join(value for key, value in fields.items() if key in flags or "a" in flags))
    return 0


async def run_cd(call: CommandCall) -> int:
    target = call.args[0] if call.args else "/"
    path = call.resolve_path(target)
    files = call.system.files
    if not files.has_path(path) or not files.find_node(path).is_directory:
        reason = "Not a directory" if files.has_path(path) else "No such file or directory"
        await call.print_err(f"/system/bin/sh: cd: {target}: {reason}")
        return 2
    call.shell.cwd = path
    return 0


async def run_pwd(call: CommandCall) -> int:
    await call.print_out(call.shell.cwd)
    return 0


async def run_export(call: CommandCall) -> int:
    for word in call.args:
        name, equals, value = word.partition("=")
        if equals:
            call.shell.variables[name] = value
    return 0


async def run_env(call: CommandCall) -> int:
    await call.print_out("\n".join(f"{name}={value}" for name, value in call.shell.variables.items()))
    return 0


async def run_exit(call: CommandCall) -> int:
    word = call.args[0] if call.args else str(call.shell.status)
    raise ShellExit(int(word) & 0xFF if word.lstrip("-").isdecimal() else 2)


async def run_exec(call: CommandCall) -> int:
    """Run a command in the shell's place: the shell ends with it. Without a command only redirects would count."""
    if not call.args:
        return 0
    raise ShellExit(await call.shell.run_words(call.args, ShellStreams(call.stdin, call.stdout, call.stderr)))


async def run_loop_jump(call: CommandCall) -> int:
    raise LoopJump(max(1, to_integer(call.args[0])) if call.args else 1, leaves=call.name == "break")


async def run_read(call: CommandCall) -> int:
    """Read a line into variables, the last of which takes the rest; the status says whether there was one."""
    names = [arg for arg in call.args if not arg.startswith("-")] or ["REPLY"]
    read_line = getattr(call.stdin, "read_line", None)
    line: bytes = await read_line() if read_line else await call.read_all()
    words = line.decode(errors="replace").splitlines()[:1]
    values = words[0].split(None, len(names) - 1) if words else []
    for index, name in enumerate(names):
        call.shell.variables[name] = values[index].strip() if index < len(values) else ""
    return int(not line.endswith(b"\n"))


async def run_seq(call: CommandCall) -> int:
    numbers = [to_integer(word) for word in call.args]
    first, step, last = {1: (1, 1, *numbers), 2: (numbers[0], 1, numbers[-1])}.get(len(numbers), tuple(numbers))
    await call.stdout.write("".join(f"{n}\n" for n in range(first, last + (1 if step > 0 else -1), step)).encode())
    return 0


async def run_sh(call: CommandCall) -> int:
    """Run `sh -c LINE` or a script file in this same shell."""
    if call.args[:1] == ["-c"] and len(call.args) > 1:
        line = call.args[1]
    elif call.args:
        path = call.resolve_path(call.args[0])
        if not call.system.files.has_path(path):
            await call.print_err(f"/system/bin/sh: can't open {call.args[0]}: No such file or directory")
            return 2
        line = call.system.files.read_file(path).decode(errors="replace")
    else:
        line = (await call.read_all()).decode(errors="replace")
    return await call.shell.run_to_end(line, call.stdin, call.stdout, call.stderr)


async def run_which(call: CommandCall) -> int:
    status = 0 if call.args else 1
    for name in call.args:
        if call.shell.has_command(name):
            await call.print_out(f"/system/bin/{name}")
        else:
            status = 1
    return status


async def run_ps(call: CommandCall) -> int:
    package = call.phone.windows.foreground[0]
    rows = [("root", 1, 0, "init"), ("system", 612, 1, "system_server"), ("u0_a71", 1904, 1, "com.android.systemui")]
    rows += [("u0_a112", 5120, 1, package), ("shell", 4242, 1, "sh")]
    lines = ["USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME                       "]
    lines += [
        f"{user:<12} {pid:>5} {parent:>5} {1320004:>7} {98304:>6} {'do_epoll_wait':<16} {'0':>4} S {name:<27}"
        for user, pid, parent, name in rows
    ]
    await call.print_out("\n".join(lines))
    return 0


async def run_pidof(call: CommandCall) -> int:
    if call.args and call.args[-1] == call.phone.windows.foreground[0]:
        await call.print_out("5120")
        return 0
    return 1


COMMANDS: Family = {
    "echo": run_echo, "printf": run_printf, "true": run_true, ":": run_true, "false": run_false,
    "test": run_test, "[": run_test, "sleep": run_sleep, "date": run_date, "uptime": run_uptime, "id": run_id,
    "whoami": run_whoami, "uname": run_uname, "cd": run_cd, "pwd": run_pwd, "export": run_export,
    "env": run_env, "printenv": run_env, "exit": run_exit, "sh": run_sh, "ps": run_ps, "pidof": run_pidof,
    "exec": run_exec, "break": run_loop_jump, "continue": run_loop_jump, "read": run_read, "seq": run_seq,
    "which": run_which, "sync": run_true,
}  # fmt: skip
