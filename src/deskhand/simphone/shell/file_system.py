"""The phone's virtual file system: directories, files, one symbolic link, and Android's rules on who may write.

`/sdcard` and `/data/local/tmp` are writable; the rest is there to be looked at.
"""

from __future__ import annotations

import errno
import posixpath
import stat
import time
from dataclasses import dataclass, field

BUG_REPORTS = "/data/user_de/0/com.android.shell/files/bugreports"
WRITABLE = ("/storage/emulated/0", "/data/local/tmp", BUG_REPORTS)
SDCARD = "/storage/emulated/0"

DIRECTORIES = (
    "/data/local/tmp", BUG_REPORTS, "/data/data", "/system/bin", "/system/app", "/system/fonts", "/vendor", "/proc",
    "/dev", "/cache", f"{SDCARD}/Android/data", f"{SDCARD}/DCIM/Camera", f"{SDCARD}/Download",
    f"{SDCARD}/Pictures/Screenshots", f"{SDCARD}/Music", f"{SDCARD}/Movies", f"{SDCARD}/Documents",
)  # fmt: skip
SEALED = ("/data", "/data/data", "/data/local")  # the shell user may pass through but not list

ERROR_TEXT = {
    errno.ENOENT: "No such file or directory",
    errno.EACCES: "Permission denied",
    errno.EISDIR: "Is a directory",
    errno.ENOTDIR: "Not a directory",
    errno.EEXIST: "File exists",
    errno.ENOTEMPTY: "Directory not empty",
    errno.EROFS: "Read-only file system",
}


class FileError(Exception):
    """The kernel's answer: an errno and its text."""

    def __init__(self, code: int) -> None:
        super().__init__(ERROR_TEXT[code])
        self.code = code


@dataclass
class FileNode:
    """A file when `children` is None, else a directory."""

    data: bytes = b""
    children: dict[str, FileNode] | None = None
    mode: int = stat.S_IFREG | 0o660
    mtime: int = field(default_factory=lambda: int(time.time()))
    inode: int = 0

    @property
    def is_directory(self) -> bool:
        return self.children is not None

    @property
    def size(self) -> int:
        return 4096 if self.is_directory else len(self.data)


class FileSystem:
    """Paths are absolute; `resolve` makes them so."""

    def __init__(self) -> None:
        self._inodes = 1
        self.root = self._make_node()
        for path in DIRECTORIES:
            self._make_parents(path + "/x")
        self._add_file("/proc/version", b"Linux version 5.15.104-android13 (deskhand) #1 SMP PREEMPT\n")
        self._add_file("/system/build.prop", b"ro.build.version.release=13\n")

    def _add_file(self, path: str, data: bytes) -> None:
        parent, name = self._find_parent(path)
        parent[name] = self._make_file(data)

    def _make_node(self) -> FileNode:
        self._inodes += 1
        return FileNode(children={}, mode=stat.S_IFDIR | 0o771, inode=self._inodes)

    def _make_file(self, data: bytes) -> FileNode:
        self._inodes += 1
        return FileNode(data=data, inode=self._inodes)

    def resolve_path(self, path: str, cwd: str = "/") -> str:
        """Return an absolute, normal path, with /sdcard and its other names followed."""
        full = posixpath.normpath(posixpath.join(cwd, path))
        full = "/" + full.lstrip("/")
        for alias in ("/sdcard", "/mnt/sdcard", "/storage/self/primary"):
            if full == alias or full.startswith(alias + "/"):
                return SDCARD + full[len(alias) :]
        return full

    def find_node(self, path: str) -> FileNode:
        node = self.root
        for part in self._split_path(path):
            if node.children is None:
                raise FileError(errno.ENOTDIR)
            if part not in node.children:
                raise FileError(errno.ENOENT)
            node = node.children[part]
        return node

    def _split_path(self, path: str) -> list[str]:
        return [part for part in self.resolve_path(path).split("/") if part]

    def has_path(self, path: str) -> bool:
        try:
            self.find_node(path)
        except FileError:
            return False
        return True

    def read_file(self, path: str) -> bytes:
        node = self.find_node(path)
        if node.is_directory:
            raise FileError(errno.EISDIR)
        return node.data

    def list_directory(self, path: str) -> dict[str, FileNode]:
        node = self.find_node(path)
        if node.children is None:
            raise FileError(errno.ENOTDIR)
        if self.resolve_path(path) in SEALED:
            raise FileError(errno.EACCES)
        return dict(sorted(node.children.items()))

    def write_file(self, path: str, data: bytes, *, append: bool = False, parents: bool = False) -> FileNode:
        self.check_writable(path)
        if parents:
            self._make_parents(path)
        parent, name = self._find_parent(path)
        node = parent.setdefault(name, self._make_file(b""))
        if node.is_directory:
            raise FileError(errno.EISDIR)
        node.data = node.data + data if append else data
        node.mtime = int(time.time())
        return node

    def make_directory(self, path: str, *, parents: bool = False) -> None:
        self.check_writable(path)
        if parents:
            self._make_parents(path.rstrip("/") + "/x")
            return
        parent, name = self._find_parent(path)
        if name in parent:
            raise FileError(errno.EEXIST)
        parent[name] = self._make_node()

    def remove_path(self, path: str, *, recursive: bool = False) -> None:
        node = self.find_node(path)
        self.check_writable(path)
        if node.is_directory and not recursive:
            raise FileError(errno.EISDIR)
        parent, name = self._find_parent(path)
        del parent[name]

    def remove_directory(self, path: str) -> None:
        node = self.find_node(path)
        if node.children is None:
            raise FileError(errno.ENOTDIR)
        if node.children:
            raise FileError(errno.ENOTEMPTY)
        self.remove_path(path, recursive=True)

    def move_path(self, source: str, target: str) -> None:
        node = self.find_node(source)
        self.check_writable(source)
        self.check_writable(target)
        parent, name = self._find_parent(target)
        old_parent, old_name = self._find_parent(source)
        del old_parent[old_name]
        parent[name] = node

    def check_writable(self, path: str) -> None:
        full = self.resolve_path(path)
        if not full.startswith(tuple(place + "/" for place in WRITABLE)):
            code = errno.EACCES if full.startswith(("/data", "/storage", "/proc", "/dev")) else errno.EROFS
            raise FileError(code)

    def _make_parents(self, path: str) -> None:
        node = self.root
        for part in self._split_path(path)[:-1]:
            if node.children is None:
                raise FileError(errno.ENOTDIR)
            node = node.children.setdefault(part, self._make_node())

    def _find_parent(self, path: str) -> tuple[dict[str, FileNode], str]:
        *above, name = self._split_path(path)
        node = self.find_node("/" + "/".join(above))
        if node.children is None:
            raise FileError(errno.ENOTDIR)
        return node.children, name
