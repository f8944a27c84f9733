"""Measures the memory and the unlinked files of a sandbox's whole process tree, read from /proc.

The kernel limits each process separately; only the sum shows many small ones.
"""

import contextlib
import os
import stat
from pathlib import Path

from deskhand.sandbox.result_files import disk_bytes_of

_PAGE = os.sysconf("SC_PAGE_SIZE")


def memory_of_tree(root: int, limit: int) -> int:
    """Return the memory in bytes of `root` and its descendants; exact only if a cheap estimate is over the limit."""
    tree = _list_descendants(root)
    # Shared pages count in each process here, so this is never too low, and mostly sufficient.
    estimate = sum(_resident_bytes_of(pid) for pid in tree)
    return estimate if estimate <= limit else sum(_proportional_bytes_of(pid) for pid in tree)


def size_of_unlinked_files(root: int) -> int:
    """Return the bytes on disk of files without a name, which exist only as long as they are open."""
    held: dict[tuple[int, int], int] = {}
    for pid in _list_descendants(root):
        with contextlib.suppress(OSError):  # ended or closed in between
            for opened in os.listdir(f"/proc/{pid}/fd"):
                info = os.stat(f"/proc/{pid}/fd/{opened}")
                if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
                    held[info.st_dev, info.st_ino] = disk_bytes_of(info)
    return sum(held.values())


def _list_descendants(root: int) -> list[int]:
    found, ahead = list[int](), [root]
    while ahead:
        pid = ahead.pop()
        found.append(pid)
        with contextlib.suppress(OSError, ValueError):  # ended in between
            for thread in os.listdir(f"/proc/{pid}/task"):
                ahead += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text(encoding="ascii").split())
    return found


def _resident_bytes_of(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):  # ended in between
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    return 0


def _proportional_bytes_of(pid: int) -> int:
    """Return the memory of a process with shared pages divided among those who share them."""
    with contextlib.suppress(OSError, ValueError, IndexError):  # ended in between
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
