"""Tools that read bytes and print some of them: cat, grep, head, tail, wc, sort, base64, gzip."""

from __future__ import annotations

import asyncio
import base64
import binascii
import gzip
import hashlib
import re

from deskhand.simphone.shell.commands.command import BadUsage, CommandCall, Family, to_integer
from deskhand.simphone.shell.file_system import FileError


async def _read_sources(call: CommandCall, names: list[str]) -> tuple[list[tuple[str, bytes]], int]:
    """Return the bytes of the named files, or of standard input, and the status; report missing files."""
    if not names or names == ["-"]:
        return [("-", await call.read_all())], 0
    found: list[tuple[str, bytes]] = []
    status = 0
    for name in names:
        try:
            found.append((name, call.system.files.read_file(call.resolve_path(name))))
        except FileError as error:
            await call.print_err(f"{call.name}: {name}: {error}")
            status = 1
    return found, status


async def run_cat(call: CommandCall) -> int:
    names = [arg for arg in call.args if not arg.startswith("-") or arg == "-"]
    if not names:
        while chunk := await call.stdin.read():
            await call.stdout.write(chunk)
        return 0
    sources, status = await _read_sources(call, names)
    for _, data in sources:
        await call.stdout.write(data)
    return status


def _split_lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    return lines[:-1] if lines[-1] == b"" else lines


async def run_grep(call: CommandCall) -> int:
    flags: set[str] = set()
    patterns: list[str] = []
    names: list[str] = []
    limit: int | None = None
    words = iter(call.args)
    for word in words:
        if word == "-e":
            patterns.append(next(words, ""))
        elif word == "-m":
            limit = to_integer(next(words, "0"))
        elif re.fullmatch("-[EFivncoqlhHwx]+", word):
            flags.update(word[1:])
        elif not patterns:
            patterns.append(word)
        else:
            names.append(word)
    if not patterns:
        await call.print_err('grep: no REGEX (see "grep --help")')
        return 2
    matcher = _compile_patterns(patterns, flags | ({"E"} if call.name == "egrep" else set()))
    sources, failed = await _read_sources(call, names)
    hits = 0
    for name, data in sources:
        hits += await _grep_one(call, name if len(names) > 1 and "h" not in flags else "", data, matcher, flags, limit)
    return 2 if failed else int(hits == 0)


def _compile_patterns(patterns: list[str], flags: set[str]) -> re.Pattern[bytes]:
    if "F" in flags:
        expressions = [re.escape(pattern) for pattern in patterns]
    elif "E" in flags:
        expressions = patterns
    else:
        expressions = [_to_extended(pattern) for pattern in patterns]
    wanted = "|".join(f"(?:{expression})" for expression in expressions)
    if "w" in flags:
        wanted = rf"\b(?:{wanted})\b"
    if "x" in flags:
        wanted = rf"^(?:{wanted})$"
    try:
        return re.compile(wanted.encode(), re.IGNORECASE if "i" in flags else 0)
    except re.error as error:
        raise BadUsage(f"bad REGEX '{patterns[0]}': {error}") from None


def _to_extended(pattern: str) -> str:
    r"""Turn a basic regular expression into an extended one: `\|`, `\+`, `\(` gain meaning, bare ones lose it."""
    return re.sub(r"\\?[|+?(){}]", lambda match: match[0][1:] or "\\" + match[0], pattern)


async def _grep_one(
    call: CommandCall, name: str, data: bytes, matcher: re.Pattern[bytes], flags: set[str], limit: int | None
) -> int:
    hits = 0
    prefix = f"{name}:".encode() if name else b""
    for number, line in enumerate(_split_lines(data), 1):
        match = matcher.search(line)
        if (match is None) != ("v" in flags):
            continue
        hits += 1
        if not flags & {"c", "q", "l"}:
            shown = match[0] if match and "o" in flags else line
            where = f"{number}:".encode() if "n" in flags else b""
            await call.stdout.write(prefix + where + shown + b"\n")
        if limit is not None and hits >= limit:
            break
    if "c" in flags:
        await call.stdout.write(prefix + f"{hits}\n".encode())
    return hits


async def run_head_or_tail(call: CommandCall) -> int:
    count, unit, names = "10", "n", list[str]()
    words = iter(call.args)
    for word in words:
        if word in ("-n", "-c"):
            unit, count = word[1], next(words, "10")
        elif match := re.fullmatch(r"-([nc]?)(\+?\d+)", word):
            unit, count = match[1] or "n", match[2]
        else:
            names.append(word)
    sources, status = await _read_sources(call, names)
    for _, data in sources:
        pieces = _split_lines(data) if unit == "n" else [data[i : i + 1] for i in range(len(data))]
        number = to_integer(count)
        if call.name == "head":
            chosen = pieces[:number]
        else:
            chosen = pieces[number - 1 :] if count.startswith("+") else pieces[max(0, len(pieces) - number) :]
        glue = b"\n" if unit == "n" else b""
        await call.stdout.write(b"".join(piece + glue for piece in chosen))
    return status


async def run_wc(call: CommandCall) -> int:
    flags = "".join(arg[1:] for arg in call.args if arg.startswith("-")) or "lwc"
    names = [arg for arg in call.args if not arg.startswith("-")]
    sources, status = await _read_sources(call, names)
    for name, data in sources:
        counts = {
            "l": data.count(b"\n"),
            "w": len(data.split()),
            "c": len(data),
            "m": len(data.decode(errors="replace")),
        }
        shown = " ".join(str(counts[flag]) for flag in "lwmc" if flag in flags)
        await call.print_out(shown + (f" {name}" if names else ""))
    return status


async def run_sort(call: CommandCall) -> int:
    flags = "".join(arg[1:] for arg in call.args if arg.startswith("-"))
    sources, status = await _read_sources(call, [arg for arg in call.args if not arg.startswith("-")])
    lines = sorted((line for _, data in sources for line in _split_lines(data)), reverse="r" in flags)
    if "u" in flags:
        lines = list(dict.fromkeys(lines))
    await call.stdout.write(b"".join(line + b"\n" for line in lines))
    return status


async def run_base64(call: CommandCall) -> int:
    wrap = 76
    names: list[str] = []
    words = iter(call.args)
    for word in words:
        if word == "-w":
            wrap = to_integer(next(words, "76"))
        elif word.startswith("-w"):
            wrap = to_integer(word[2:])
        elif word != "-d":
            names.append(word)
    sources, status = await _read_sources(call, names)
    data = b"".join(data for _, data in sources)
    if "-d" in call.args:
        try:
            await call.stdout.write(base64.b64decode(data))
        except binascii.Error:
            raise BadUsage("bad input") from None
        return status
    text = base64.b64encode(data)
    step = wrap or max(1, len(text))
    await call.stdout.write(b"".join(text[i : i + step] + b"\n" * bool(wrap) for i in range(0, len(text), step)))
    return status


async def run_gzip(call: CommandCall) -> int:
    """Compress standard input: only the filter exists, for a capture on its way out."""
    level = next((int(arg[1:]) for arg in call.args if re.fullmatch(r"-\d", arg)), 6)
    data = await call.read_all()
    if "-d" in call.args:
        try:
            await call.stdout.write(await asyncio.to_thread(gzip.decompress, data))
        except (OSError, EOFError):
            raise BadUsage("bad magic") from None
    else:
        await call.stdout.write(await asyncio.to_thread(gzip.compress, data, level, mtime=0))
    return 0


async def run_digest(call: CommandCall) -> int:
    algorithm = call.name.removesuffix("sum")
    sources, status = await _read_sources(call, call.args)
    for name, data in sources:
        await call.print_out(f"{hashlib.new(algorithm, data).hexdigest()}  {name}")
    return status


COMMANDS: Family = {
    "cat": run_cat, "grep": run_grep, "egrep": run_grep, "head": run_head_or_tail, "tail": run_head_or_tail,
    "wc": run_wc, "sort": run_sort, "base64": run_base64, "gzip": run_gzip, "md5sum": run_digest,
    "sha1sum": run_digest, "sha256sum": run_digest,
}  # fmt: skip
