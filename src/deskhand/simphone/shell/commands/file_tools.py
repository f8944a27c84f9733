"""Tools that look at and change the virtual file system: ls, rm, mkdir, mv, cp, stat, touch, df."""

from __future__ import annotations

import stat as modes
import time

from deskhand.simphone.shell.commands.command import CommandCall, Family
from deskhand.simphone.shell.file_system import SDCARD, FileError, FileNode


def _split_flags(args: list[str]) -> tuple[set[str], list[str]]:
    flags = {flag for arg in args if arg.startswith("-") for flag in arg[1:]}
    return flags, [arg for arg in args if not arg.startswith("-")]


async def run_ls(call: CommandCall) -> int:
    flags, names = _split_flags(call.args)
    status = 0
    for name in names or ["."]:
        path = call.resolve_path(name)
        try:
            node = call.system.files.find_node(path)
            entries = {name: node}
            if node.is_directory and "d" not in flags:
                entries = dict(call.system.files.list_directory(path))
                if path == "/":
                    entries["sdcard"] = call.system.files.find_node(SDCARD)
                if len(names) > 1:
                    await call.print_out(f"{name}:")
                if "l" in flags:
                    await call.print_out(f"total {4 * len(entries)}")
        except FileError as error:
            await call.print_err(f"ls: {name}: {error}")
            status = 1
            continue
        for entry, child in sorted(entries.items()):
            await call.print_out(_format_long(entry, child) if "l" in flags else entry)
    return status


def _format_long(name: str, node: FileNode) -> str:
    owner = "root   root    " if node.is_directory and not node.children else "shell  sdcard_rw"
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(node.mtime))
    return f"{modes.filemode(node.mode)} 1 {owner:<16} {node.size:>8} {when} {name}"


async def run_rm(call: CommandCall) -> int:
    flags, names = _split_flags(call.args)
    if not names and "f" not in flags:
        await call.print_err('rm: Needs 1 argument (see "rm --help")')
        return 1
    status = 0
    for name in names:
        try:
            call.system.files.remove_path(call.resolve_path(name), recursive=bool(flags & {"r", "R"}))
        except FileError as error:
            if "f" not in flags or call.system.files.has_path(call.resolve_path(name)):
                await call.print_err(f"rm: {name}: {error}")
                status = 1
    return status


async def run_mkdir(call: CommandCall) -> int:
    flags, names = _split_flags(call.args)
    status = 0
    for name in names:
        try:
            call.system.files.make_directory(call.resolve_path(name), parents="p" in flags)
        except FileError as error:
            await call.print_err(f"mkdir: '{name}': {error}")
            status = 1
    return status


async def run_rmdir(call: CommandCall) -> int:
    status = 0
    for name in call.args:
        try:
            call.system.files.remove_directory(call.resolve_path(name))
        except FileError as error:
            await call.print_err(f"rmdir: {name}: {error}")
            status = 1
    return status


async def run_mv_or_cp(call: CommandCall) -> int:
    _, names = _split_flags(call.args)
    if len(names) < 2:
        await call.print_err(f'{call.name}: Needs 2 arguments (see "{call.name} --help")')
        return 1
    files = call.system.files
    *sources, target = names
    status = 0
    for name in sources:
        path = call.resolve_path(target)
        if files.has_path(path) and files.find_node(path).is_directory:
            path += "/" + name.rstrip("/").rsplit("/", 1)[-1]
        try:
            if call.name == "mv":
                files.move_path(call.resolve_path(name), path)
            else:
                files.write_file(path, files.read_file(call.resolve_path(name)))
        except FileError as error:
            await call.print_err(f"{call.name}: bad '{name}': {error}")
            status = 1
    return status


async def run_touch(call: CommandCall) -> int:
    for name in call.args:
        try:
            call.system.files.write_file(call.resolve_path(name), b"", append=True)
        except FileError as error:
            await call.print_err(f"touch: '{name}': {error}")
            return 1
    return 0


async def run_stat(call: CommandCall) -> int:
    args = list(call.args)
    form = ""
    if args[:1] == ["-c"]:
        form = args[1]
        args = args[2:]
    status = 0
    for name in args:
        try:
            node = call.system.files.find_node(call.resolve_path(name))
        except FileError as error:
            await call.print_err(f"stat: '{name}': {error}")
            status = 1
            continue
        await call.print_out(_format_stat(form, name, node))
    return status


def _format_stat(form: str, name: str, node: FileNode) -> str:
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


async def run_chmod(call: CommandCall) -> int:
    """Change nothing, as on /sdcard, whose file system keeps no modes."""
    _, names = _split_flags(call.args)
    for name in names[1:]:
        if not call.system.files.has_path(call.resolve_path(name)):
            await call.print_err(f"chmod: {name}: No such file or directory")
            return 1
    return 0


async def run_df(call: CommandCall) -> int:
    await call.print_out(
        "Filesystem       1K-blocks     Used Available Use% Mounted on\n"
        "/dev/block/dm-5   112000000 24000000  88000000  22% /data\n"
        "/dev/fuse         112000000 24000000  88000000  22% /storage/emulated"
    )
    return 0


async def run_readlink(call: CommandCall) -> int:
    _, names = _split_flags(call.args)
    await call.print_out(call.resolve_path(names[0]) if names else "")
    return 0


COMMANDS: Family = {
    "ls": run_ls, "rm": run_rm, "mkdir": run_mkdir, "rmdir": run_rmdir, "mv": run_mv_or_cp, "cp": run_mv_or_cp,
    "touch": run_touch, "stat": run_stat, "chmod": run_chmod, "df": run_df, "readlink": run_readlink,
    "realpath": run_readlink,
}  # fmt: skip
