"""The notification shade from the shell: `cmd statusbar`, `cmd notification` and `dumpsys notification`."""

from __future__ import annotations

import zlib

from deskhand.simphone.apps.notification import Notification
from deskhand.simphone.shell.commands.command import CommandCall

STATUS_BAR_HELP = """Status bar commands:
  help
    Print this help text.

  expand-notifications
    Open the notifications panel.

  expand-settings
    Open the notifications panel and expand quick settings if present.

  collapse
    Collapse the notifications and settings panel."""
POST_USAGE = "usage: cmd notification post [flags] <tag> <text>"
VALUED_FLAGS = ("-t", "--title", "-i", "--icon", "-I", "--large-icon", "-S", "--style", "-c", "--content-intent")


async def run_status_bar(call: CommandCall) -> int:
    system = call.phone.apps.system_ui
    match call.args:
        case ["expand-notifications" | "expand-settings"]:
            if not call.phone.is_locked and call.phone.awake:
                system.expand_shade()
        case ["collapse"]:
            system.collapse_shade()
        case [] | ["help" | "-h"]:
            await call.print_out(STATUS_BAR_HELP)
            return 0 if call.args else 255
        case _:
            await call.print_out(f"Unknown command: {call.args[0]}")
            return 255
    call.phone.settle_screen()
    return 0


async def run_notification(call: CommandCall) -> int:
    system = call.phone.apps.system_ui
    match call.args:
        case ["list"]:
            await call.print_out("\n".join(map(_describe_key, system.list_notifications())))
        case ["post", *rest]:
            title, words = _read_post(rest)
            if len(words) < 2:
                await call.print_out(POST_USAGE)
                return 0
            system.post_notification(words[0], title or words[0], " ".join(words[1:]))
            call.phone.settle_screen()
            await call.print_out(f"posting:\n  {title or words[0]}: {' '.join(words[1:])}")
        case _:
            await call.print_out("usage: cmd notification SUBCMD [args]\n\nSUBCMDs:\n  list\n  post [flags] TAG TEXT")
    return 0


def _read_post(words: list[str]) -> tuple[str, list[str]]:
    """Return the title and the words that are no flags."""
    title, rest, left = "", list[str](), list(words)
    while left:
        word = left.pop(0)
        if word in VALUED_FLAGS and left:
            value = left.pop(0)
            title = value if word in ("-t", "--title") else title
        elif not word.startswith("-"):
            rest.append(word)
    return title, rest


def _describe_key(one: Notification) -> str:
    return f"0|{one.package}|{zlib.crc32(one.tag.encode()) % 10_000}|{one.tag}|10112"


async def dump_notification(call: CommandCall) -> int:
    """Say what is in the shade; titles and texts only with `--noredact`, as since Android 6."""
    shown = "--noredact" in call.args
    lines = ["Current Notification Manager state:", "  Notification List:"]
    for one in call.phone.apps.system_ui.list_notifications():
        key = _describe_key(one)
        number = key.split("|")[2]
        code = f"0x{zlib.crc32(key.encode()):08x}"
        lines += [
            f"    NotificationRecord({code}: pkg={one.package} user=UserHandle{{0}} id={number} tag={one.tag}"
            f" importance=3 key={key}: Notification(channel=default flags={'0x10' if one.open else '0x2'}))",
            f"      opPkg={one.package}",
            "      extras={",
            f"          android.title=String {_show_text(one.title, shown)}",
            f"          android.text=String {_show_text(one.text, shown)}",
            "      }",
        ]
    await call.print_out("\n".join(lines))
    return 0


def _show_text(text: str, shown: bool) -> str:
    return f"({text})" if shown else f"[length={len(text)}]"
