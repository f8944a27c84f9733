"""Builds the command line of a sandbox: what the code sees of the system, and its limits. `process_tree` runs it."""

import os
from pathlib import Path
from typing import Literal

from deskhand.settings.schema import SandboxSettings

Language = Literal["bash", "python"]

HOME = "/home/worker"
NOBODY = 65534
# Where root's sandbox finds the folder: the user nobody has no access to its real path.
_ROOTS_DOOR = "/mnt"
PATH = "/usr/local/bin:/usr/bin:/bin"
_SCRATCH_BYTES = 64 * 1024 * 1024
_OPEN_FILES = 256
_INTERPRETERS: dict[Language, tuple[str, ...]] = {
    "bash": ("bash", "--noprofile", "--norc"),
    "python": ("python3", "-u"),
}
# What programs need to run; the rest of /etc may reveal the host and its users.
_ETC = (
    "alternatives", "ca-certificates", "fonts", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime",
    "mime.types", "nsswitch.conf", "passwd", "protocols", "services", "ssl/certs", "timezone",
)  # fmt: skip
_ETC_NETWORK = ("hosts", "resolv.conf")


def build_environment(home: str) -> dict[str, str]:
    # PYTHONPATH: the code file is elsewhere, and files that earlier code wrote may be modules.
    return {
        "PATH": PATH, "HOME": home, "USER": "worker", "LANG": "C.UTF-8", "TERM": "dumb",
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": home,
    }  # fmt: skip


def build_limits(settings: SandboxSettings, seconds: float, processes: int | None = None) -> list[str]:
    """Return the command prefix that sets limits which the kernel enforces."""
    megabyte = 1024 * 1024
    limits = {
        # RLIMIT_DATA, not RLIMIT_AS: many runtimes reserve far more addresses than they ever use.
        "data": settings.memory_mb * megabyte,
        "fsize": settings.file_mb * megabyte,
        "cpu": int(seconds) + 1,
        "nofile": _OPEN_FILES,
        "core": 0,
    }
    if processes is not None:
        limits["nproc"] = processes
    return ["prlimit", *(f"--{name}={value}" for name, value in limits.items()), "--"]


def build_interpreter(language: Language, file: str) -> list[str]:
    return [*_INTERPRETERS[language], file]


def build_bwrap_command(
    bwrap: str,
    settings: SandboxSettings,
    language: Language,
    seconds: float,
    folder: Path,
    *,
    code_fd: int,
    filter_fd: int | None,
    status_fd: int,
) -> list[str]:
    """Return the sandbox's command line. Code and filter are open files, so that nothing of them is left on disk."""
    as_root = os.geteuid() == 0
    home = _ROOTS_DOOR if as_root else str(folder)
    code_file = f"/run/code/main.{'py' if language == 'python' else 'sh'}"
    command = [
        *(_become_nobody(folder) if as_root else []),
        bwrap, "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session",
        "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox", "--json-status-fd", str(status_fd),
        *(["--share-net"] if settings.network else []),
        *_bind_system(settings.network),
        "--proc", "/proc", "--dev", "/dev",
        "--size", str(_SCRATCH_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev",
        "--size", str(_SCRATCH_BYTES), "--tmpfs", "/tmp",
        "--bind", home, HOME, "--chdir", HOME,
        "--perms", "0444", "--ro-bind-data", str(code_fd), code_file,
        "--remount-ro", "/",
        *(["--seccomp", str(filter_fd)] if filter_fd is not None else []),
        "--clearenv",
    ]  # fmt: skip
    for name, value in build_environment(HOME).items():
        command += ["--setenv", name, value]
    # The sandbox's init process counts as well.
    return [*command, *build_limits(settings, seconds, settings.processes + 1), *build_interpreter(language, code_file)]


def _become_nobody(folder: Path) -> list[str]:
    """Run root's sandbox as nobody: the kernel does not limit the number of root's processes.

    Each program here execs the next one, so that the sandbox stays our own child and dies with us.
    """
    return [
        "unshare", "--mount", "sh", "-c", f'mount --bind "$0" {_ROOTS_DOOR} && exec "$@"', str(folder),
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
    ]  # fmt: skip


def _bind_system(network: bool) -> list[str]:
    binds = ["--ro-bind", "/usr", "/usr"]
    for folder in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", folder)
        if path.is_symlink():
            binds += ["--symlink", str(path.readlink()), str(path)]
        else:
            binds += ["--ro-bind-try", str(path), str(path)]
    for name in (*_ETC, *(_ETC_NETWORK if network else ())):
        # A symbolic link may lead out of what is bound (resolv.conf into /run), so its target is bound in its place.
        binds += ["--ro-bind-try", str(Path("/etc", name).resolve()), f"/etc/{name}"]
    return binds
