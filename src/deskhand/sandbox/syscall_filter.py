"""Builds a seccomp filter that denies system calls which bypass namespaces or hide memory from `resource_watch`.

All other calls are allowed: namespaces, not this filter, isolate the code.
"""

import errno
import platform
import socket
import struct
from dataclasses import dataclass

_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
# Offsets in the filter's input: the call's number, the machine, the low half of the first argument.
_NUMBER, _MACHINE, _FIRST = 0, 4, 16
_NEVER = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class _MachineCalls:
    audit: int
    socket: int
    denied: tuple[int, ...]
    foreign: int = _NEVER  # numbers from here on belong to another calling convention


# In this order: shmget and memfd (memory that no process shows as its own), keyrings (not namespaced),
# bpf, perf, userfaultfd and io_uring (large surfaces that no script needs).
_MACHINES = {
    "x86_64": _MachineCalls(
        0xC000003E, 41, (29, 319, 447, 248, 249, 250, 321, 298, 323, 425, 426, 427), foreign=0x40000000
    ),
    "aarch64": _MachineCalls(0xC00000B7, 198, (194, 279, 447, 217, 218, 219, 280, 241, 282, 425, 426, 427)),
}


def _encode_step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def _encode_denial(error: int) -> bytes:
    return _encode_step(_RETURN, _ERRNO | error)


def build_seccomp_filter(network: bool) -> bytes:
    """Return the filter's program for this machine; empty if the machine is unknown.

    The host's network includes its abstract sockets (session bus, X server), so local sockets are denied with it.
    """
    machine = _MACHINES.get(platform.machine())
    if machine is None:
        return b""
    families = [socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, *([] if network else [socket.AF_UNIX])]
    program = [
        _encode_step(_LOAD, _MACHINE),
        _encode_step(_EQUAL, machine.audit, yes=1),
        _encode_denial(errno.EPERM),
        _encode_step(_LOAD, _NUMBER),
        _encode_step(_AT_LEAST, machine.foreign, no=1),
        _encode_denial(errno.EPERM),
    ]
    for number in machine.denied:
        program += [_encode_step(_EQUAL, number, no=1), _encode_denial(errno.EPERM)]
    program += [_encode_step(_EQUAL, machine.socket, yes=1), _encode_step(_RETURN, _ALLOW), _encode_step(_LOAD, _FIRST)]
    for family in families:
        program += [_encode_step(_EQUAL, family, no=1), _encode_step(_RETURN, _ALLOW)]
    return b"".join([*program, _encode_denial(errno.EAFNOSUPPORT)])
