"""Tools that look at and change the virtual file system: ls, rm, mkdir, mv, cp, stat, touch, df."""

from __future__ import annotations

import stat as modes
import time

from deskhand.simphone.shell.commands.command import Call, Family
from deskhand.simphone.shell.file_system import SDCARD, FileError, Node


def _split(args: list[str]) -> tuple[set[str], list[str]]:
    flags = {flag for arg in args if arg.startswith("-") for flag in arg[1:]}
    return flags, [arg for arg in args if not arg.startswith("-")]


async def ls(call: Call) -> int:
    flags, names = _split(call.args)
    status = 0
    for name in names or ["."]:
        path = call.path(name)
        try:
            node = call.system.files.lookup(path)
            entries = {name: node}
            if node.is_directory and "d" not in flags:
                entries = dict(call.system.files.listing(path))
                if path == "/":
                    entries["sdcard"] = call.system.files.lookup(SDCARD)
                if len(names) > 1:
                    await call.out(f"{name}:")
                if "l" in flags:
                    await call.out(f"total {4 * len(entries)}")
        except FileError as error:
            await call.err(f"ls: {name}: {error}")
            status = 1
            continue
        for entry, child in sorted(entries.items()):
            await call.out(_long(entry, child) if "l" in flags else entry)
    return status


def _long(name: str, node: Node) -> str:
    owner = "root   root    " if node.is_directory and not node.children else "shell  sdcard_rw"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(node.mtime))
    return f"{modes.filemode(node.mode)} 1 {owner:<16} {node.size:>8} {when} {name}"


async def rm(call: Call) -> int:
    flags, names = _split(call.args)
    if not names and "f" not in flags:
        await call.err('rm: Needs 1 argument (see "rm --help")')
        return 1
    status = 0
    for name in names:
        try:
            call.system.files.remove(call.path(name), recursive=bool(flags & {"r", "R"}))
        except FileError as error:
            if "f" not in flags or call.system.files.exists(call.path(name)):
                await call.err(f"rm: {name}: {error}")
                status = 1
    return status


async def mkdir(call: Call) -> int:
    flags, names = _split(call.args)
    status = 0
    for name in names:
        try:
            call.system.files.make_directory(call.path(name), parents="p" in flags)
        except FileError as error:
            await call.err(f"mkdir: '{name}': {error}")
            status = 1
    return status


async def rmdir(call: Call) -> int:
    status = 0
    for name in call.args:
        try:
            call.system.files.remove_directory(call.path(name))
        except FileError as error:
            await call.err(f"rmdir: {name}: {error}")
            status = 1
    return status


async def move_or_copy(call: Call) -> int:
    _, names = _split(call.args)
    if len(names) < 2:
        await call.err(f'{call.name}: Needs 2 arguments (see "{call.name} --help")')
        return 1
    files = call.system.files
    *sources, target = names
    status = 0
    for name in sources:
        path = call.path(target)
        if files.exists(path) and files.lookup(path).is_directory:
            path += "/" + name.rstrip("/").rsplit("/", 1)[-1]
        try:
            if call.name == "mv":
                files.move(call.path(name), path)
            else:
                files.write(path, files.read(call.path(name)))
        except FileError as error:
            await call.err(f"{call.name}: bad '{name}': {error}")
            status = 1
    return status


async def touch(call: Call) -> int:
    for name in call.args:
        try:
            call.system.files.write(call.path(name), b"", append=True)
        except FileError as error:
            await call.err(f"touch: '{name}': {error}")
            return 1
    return 0


async def stat(call: Call) -> int:
    args = list(call.args)
    form = ""
    if args[:1] == ["-c"]:
        form = args[1]
        args = args[2:]
    status = 0
    for name in args:
        try:
            node = call.system.files.lookup(call.path(name))
        except FileError as error:
            await call.err(f"stat: '{name}': {error}")
            status = 1
            continue
        await call.out(_stat_text(form, name, node))
    return status


def _stat_text(form: str, name: str, node: Node) -> str:
    kind = "directory" if node.is_directory else "regular file"
    when = time.strftime("%Y-%m-%d %H:%M:%S.000000000 +0000", time.gmtime(node.mtime))
    if form:
        fields = {
            "%s": node.size, "%n": name, "%Y": node.mtime, "%F": kind, "%i": node.inode,
            "%a": f"{modes.S_IMODE(node.mode):o}", "%A": modes.filemode(node.mode), "%U": "shell", "%y": when,
        }  # fmt: skip
        for key, value in fields.items():
            form = form.replace(key, str(value))
        return form
    return (
        f"  File: {name}\n  Size: {node.size}\t Blocks: {(node.size + 511) // 512}\t IO Blocks: 512\t{kind}\n"
        f"Device: 2ah/42d\t Inode: {node.inode}\t Links: 1\n"
        f"Access: ({modes.S_IMODE(node.mode):04o}/{modes.filemode(node.mode)})\t"
        f"Uid: ( 2000/   shell)\tGid: ( 2000/   shell)\n"
        f"Access: {when}\nModify: {when}\nChange: {when}"
    )


async def chmod(call: Call) -> int:
    """Accepted and without effect, as on /sdcard, whose file system keeps no modes."""
    _, names = _split(call.args)
    for name in names[1:]:
        if not call.system.files.exists(call.path(name)):
            await call.err(f"chmod: {name}: No such file or directory")
            return 1
    return 0


async def df(call: Call) -> int:
    await call.out(
        "Filesystem       1K-blocks     Used Available Use% Mounted on\n"
        "/dev/block/dm-5   112000000 24000000  88000000  22% /data\n"
        "/dev/fuse         112000000 24000000  88000000  22% /storage/emulated"
    )
    return 0


async def readlink(call: Call) -> int:
    _, names = _split(call.args)
    await call.out(call.path(names[0]) if names else "")
    return 0


COMMANDS: Family = {
    "ls": ls, "rm": rm, "mkdir": mkdir, "rmdir": rmdir, "mv": move_or_copy, "cp": move_or_copy,
    "touch": touch, "stat": stat, "chmod": chmod, "df": df, "readlink": readlink, "realpath": readlink,
}  # fmt: skip
