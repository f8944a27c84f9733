"""What a running sandbox takes of the host: memory and unlinked files of its whole process tree, read from /proc.

The kernel limits each process by itself; only the sum shows a crowd of small ones.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from deskhand.sandbox.result_files import taken

_PAGE = os.sysconf("SC_PAGE_SIZE")


def memory_of_tree(root: int, limit: int) -> int:
    """Bytes that the processes below `root` hold; exact only where a cheap estimate is over the limit."""
    tree = _descendants(root)
    # Shared pages count in each process here, so this is never too low, and mostly good enough.
    estimate = sum(_resident(pid) for pid in tree)
    return estimate if estimate <= limit else sum(_proportional(pid) for pid in tree)


def unlinked_files(root: int) -> int:
    """Bytes on disk of files that have no name any more and live only as long as they are held open."""
    held: dict[tuple[int, int], int] = {}
    for pid in _descendants(root):
        with contextlib.suppress(OSError):  # ended or closed in between
            for opened in os.listdir(f"/proc/{pid}/fd"):
                info = os.stat(f"/proc/{pid}/fd/{opened}")
                if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
                    held[info.st_dev, info.st_ino] = taken(info)
    return sum(held.values())


def _descendants(root: int) -> list[int]:
    found, ahead = list[int](), [root]
    while ahead:
        pid = ahead.pop()
        found.append(pid)
        with contextlib.suppress(OSError, ValueError):  # ended in between
            for thread in os.listdir(f"/proc/{pid}/task"):
                ahead += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text(encoding="ascii").split())
    return found


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):  # ended in between
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> int:
    """With shared pages split among those who share them."""
    with contextlib.suppress(OSError, ValueError, IndexError):  # ended in between
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
