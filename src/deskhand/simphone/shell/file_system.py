"""The phone's virtual file system: directories, files, one symbolic link, and Android's rules on who may write.

`/sdcard` and `/data/local/tmp` are writable; the rest is there to be looked at.
"""

from __future__ import annotations

import errno
import posixpath
import stat
import time
from dataclasses import dataclass, field

WRITABLE = ("/storage/emulated/0", "/data/local/tmp")
SDCARD = "/storage/emulated/0"

DIRECTORIES = (
    "/data/local/tmp", "/data/data", "/system/bin", "/system/app", "/system/fonts", "/vendor", "/proc",
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
    """What the kernel would answer: an errno and its text."""

    def __init__(self, code: int) -> None:
        super().__init__(ERROR_TEXT[code])
        self.code = code


@dataclass
class Node:
    """A file when `children` is None, else a directory."""

    data: bytes = b""
    children: dict[str, Node] | None = None
    mode: int = stat.S_IFREG | 0o660
    mtime: int = field(default_factory=lambda: int(time.time()))
    inode: int = 0

    @property
    def is_directory(self) -> bool:
        return self.children is not None

    @property
    def size(self) -> int:
        return 4096 if self.is_directory else len(self.data)


class Files:
    """Paths are absolute; `resolve` makes them so."""

    def __init__(self) -> None:
        self._inodes = 1
        self.root = self._directory()
        for path in DIRECTORIES:
            self._make_parents(path + "/x")
        self._put("/proc/version", b"Linux version 5.15.104-android13 (deskhand) #1 SMP PREEMPT\n")
        self._put("/system/build.prop", b"ro.build.version.release=13\n")

    def _put(self, path: str, data: bytes) -> None:
        parent, name = self._parent(path)
        parent[name] = self._file(data)

    def _directory(self) -> Node:
        self._inodes += 1
        return Node(children={}, mode=stat.S_IFDIR | 0o771, inode=self._inodes)

    def _file(self, data: bytes) -> Node:
        self._inodes += 1
        return Node(data=data, inode=self._inodes)

    def resolve(self, path: str, cwd: str = "/") -> str:
        """Absolute and normal, with /sdcard and its other names followed."""
        full = posixpath.normpath(posixpath.join(cwd, path))
        full = "/" + full.lstrip("/")
        for alias in ("/sdcard", "/mnt/sdcard", "/storage/self/primary"):
            if full == alias or full.startswith(alias + "/"):
                return SDCARD + full[len(alias) :]
        return full

    def lookup(self, path: str) -> Node:
        node = self.root
        for part in self._parts(path):
            if node.children is None:
                raise FileError(errno.ENOTDIR)
            if part not in node.children:
                raise FileError(errno.ENOENT)
            node = node.children[part]
        return node

    def _parts(self, path: str) -> list[str]:
        return [part for part in self.resolve(path).split("/") if part]

    def exists(self, path: str) -> bool:
        try:
            self.lookup(path)
        except FileError:
            return False
        return True

    def read(self, path: str) -> bytes:
        node = self.lookup(path)
        if node.is_directory:
            raise FileError(errno.EISDIR)
        return node.data

    def listing(self, path: str) -> dict[str, Node]:
        node = self.lookup(path)
        if node.children is None:
            raise FileError(errno.ENOTDIR)
        if self.resolve(path) in SEALED:
            raise FileError(errno.EACCES)
        return dict(sorted(node.children.items()))

    def write(self, path: str, data: bytes, *, append: bool = False, parents: bool = False) -> Node:
        self.check_writable(path)
        if parents:
            self._make_parents(path)
        parent, name = self._parent(path)
        node = parent.setdefault(name, self._file(b""))
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
        parent, name = self._parent(path)
        if name in parent:
            raise FileError(errno.EEXIST)
        parent[name] = self._directory()

    def remove(self, path: str, *, recursive: bool = False) -> None:
        node = self.lookup(path)
        self.check_writable(path)
        if node.is_directory and not recursive:
            raise FileError(errno.EISDIR)
        parent, name = self._parent(path)
        del parent[name]

    def remove_directory(self, path: str) -> None:
        node = self.lookup(path)
        if node.children is None:
            raise FileError(errno.ENOTDIR)
        if node.children:
            raise FileError(errno.ENOTEMPTY)
        self.remove(path, recursive=True)

    def move(self, source: str, target: str) -> None:
        node = self.lookup(source)
        self.check_writable(source)
        self.check_writable(target)
        parent, name = self._parent(target)
        old_parent, old_name = self._parent(source)
        del old_parent[old_name]
        parent[name] = node

    def check_writable(self, path: str) -> None:
        full = self.resolve(path)
        if not full.startswith(tuple(place + "/" for place in WRITABLE)):
            code = errno.EACCES if full.startswith(("/data", "/storage", "/proc", "/dev")) else errno.EROFS
            raise FileError(code)

    def _make_parents(self, path: str) -> None:
        node = self.root
        for part in self._parts(path)[:-1]:
            if node.children is None:
                raise FileError(errno.ENOTDIR)
            node = node.children.setdefault(part, self._directory())

    def _parent(self, path: str) -> tuple[dict[str, Node], str]:
        *above, name = self._parts(path)
        node = self.lookup("/" + "/".join(above))
        if node.children is None:
            raise FileError(errno.ENOTDIR)
        return node.children, name
