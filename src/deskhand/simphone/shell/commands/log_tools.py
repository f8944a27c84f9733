"""`logcat`, `log` and the bug reports."""

from __future__ import annotations

import fnmatch
import io
import re
import zipfile
from dataclasses import dataclass, field

from deskhand.simphone.body.system_log import LogLine
from deskhand.simphone.shell.commands.command import BufferSink, CommandCall, Family, to_integer
from deskhand.simphone.shell.file_system import BUG_REPORTS

FOLLOW_EVERY_S = 0.1
PRIORITIES = "VDIWEF"
VALUED = ("-b", "-n", "-r", "-f", "-D", "--pid", "--uid")
BUGREPORTZ_USAGE = """usage: bugreportz [-h | -v]
  -h: to display this help message
  -p: display progress
  -v: to display the version
  or no arguments to generate a zipped bugreport"""
HEADING = "--------- beginning of main"


@dataclass
class LogRequest:
    """What a call of `logcat` asks for."""

    filters: list[str] = field(default_factory=list[str])  # TAG:PRIORITY
    count: int = 0  # the newest lines; 0: all
    since: str = ""  # MM-DD hh:mm:ss.mmm, as in the lines themselves
    form: str = "threadtime"
    pattern: str = ""
    ends: bool = False  # with the last line there is

    def wants_line(self, line: LogLine) -> bool:
        return line.stamp >= self.since and _is_wanted(line, self.filters) and bool(re.search(self.pattern, line.text))


async def run_logcat(call: CommandCall) -> int:
    """Show the log, and go on with it until the host leaves unless it is told to end (`-d`, `-t`, `-c`)."""
    request = _read_options(call)
    if "-c" in call.args or "--clear" in call.args:
        call.phone.log.clear_lines()
        return 0
    if "-g" in call.args:
        await call.print_out(
            "main: ring buffer is 256 KiB (4 KiB consumed), max entry is 5120 B, max payload is 4068 B"
        )
        return 0
    lines = [line for line in call.phone.log.read_lines() if request.wants_line(line)]
    shown = lines[-request.count :] if request.count else lines
    await call.print_out("\n".join([HEADING, *(line.write_as(request.form) for line in shown)]))
    seen = lines[-1].number if lines else 0
    while not request.ends:
        await call.system.clock.sleep(FOLLOW_EVERY_S)
        for line in call.phone.log.read_lines(seen):
            seen = line.number
            if request.wants_line(line):
                await call.print_out(line.write_as(request.form))
    return 0


def _read_options(call: CommandCall) -> LogRequest:
    request = LogRequest(ends=any(flag in call.args for flag in ("-d", "-t")))
    args = list(call.args)
    while args:
        word = args.pop(0)
        if word in ("-t", "-T") and args:
            if re.match(r"\d+-\d", args[0]):
                request.since = _join_time(args)
            else:
                request.count = to_integer(args.pop(0))
        elif word in ("-v", "--format") and args:
            request.form = args.pop(0)
        elif word in ("-e", "--regex") and args:
            request.pattern = args.pop(0)
        elif word in VALUED and args:
            args.pop(0)
        elif word == "-s":
            request.filters.append("*:S")
        elif not word.startswith("-"):
            request.filters.append(word if ":" in word else f"{word}:V")
    return request


def _join_time(args: list[str]) -> str:
    """Take a time from the words, in quotes or as two of them; a year before it is dropped."""
    told = args.pop(0)
    if " " not in told and args and ":" in args[0]:
        told += f" {args.pop(0)}"
    return re.sub(r"^\d{4}-", "", told)


def _is_wanted(line: LogLine, filters: list[str]) -> bool:
    """Apply the filter for the line's tag, else the one for all tags; without any, everything is shown."""
    chosen = [word.rpartition(":") for word in filters]
    for wanted in (line.tag, "*"):
        for tag, _, least in reversed(chosen):
            if tag == wanted or (tag != "*" and wanted != "*" and fnmatch.fnmatchcase(line.tag, tag)):
                return least.upper() in PRIORITIES and PRIORITIES.index(line.priority) >= PRIORITIES.index(
                    least.upper()
                )
    return True


async def run_log(call: CommandCall) -> int:
    """Write a line: `log -p i -t TAG words`."""
    args, priority, tag = list(call.args), "I", "log"
    while len(args) > 1 and args[0] in ("-p", "-t"):
        flag, value = args.pop(0), args.pop(0)
        priority, tag = (value[:1].upper(), tag) if flag == "-p" else (priority, value)
    call.phone.log.write_line(priority if priority in PRIORITIES else "I", tag, " ".join(args))
    return 0


SECTIONS = ("getprop", "dumpsys window", "dumpsys activity activities", "dumpsys battery", "dumpsys notification",
            "settings list global", "logcat -d")  # fmt: skip


async def _write_report(call: CommandCall) -> str:
    parts = ["=" * 56, f"== dumpstate: {call.phone.today():%Y-%m-%d %H:%M:%S}", "=" * 56]
    for line in SECTIONS:
        out = BufferSink()
        await call.shell.run_to_end(line, call.stdin, out, out)
        parts.append(f"------ {line.upper()} ({line}) ------\n{out.data.decode(errors='replace')}")
    return "\n".join(parts)


async def run_bugreport(call: CommandCall) -> int:
    rule = "=" * 77
    await call.print_err(
        f"{rule}\nWARNING: flat bugreports are deprecated, use adb bugreport <zip_file> instead\n{rule}"
    )
    await call.print_out(await _write_report(call))
    return 0


async def run_bugreportz(call: CommandCall) -> int:
    """Pack the report as the real one does, with its progress if `-p` asks for it."""
    if "-v" in call.args:
        await call.print_err("1.1")
        return 0
    if [arg for arg in call.args if arg != "-p"]:
        await call.print_err(BUGREPORTZ_USAGE)
        return 0 if "-h" in call.args else 1
    name = f"bugreport-simphone-{call.phone.build_id}-{call.phone.today():%Y-%m-%d-%H-%M-%S}"
    path = f"{BUG_REPORTS}/{name}.zip"
    if "-p" in call.args:
        await call.print_out(f"BEGIN:{path}\nPROGRESS:10/100")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}.txt", await _write_report(call))
        archive.writestr("main_entry.txt", f"{name}.txt")
        archive.writestr("version.txt", "2.0")
    call.system.files.write_file(path, packed.getvalue())
    if "-p" in call.args:
        await call.print_out("PROGRESS:100/100")
    await call.print_out(f"OK:{path}")
    return 0


COMMANDS: Family = {
    "logcat": run_logcat, "log": run_log, "bugreport": run_bugreport, "bugreportz": run_bugreportz,
}  # fmt: skip
