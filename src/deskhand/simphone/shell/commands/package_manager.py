"""`pm` and the `cmd` front door: what is installed, and polite refusals to change it."""

from __future__ import annotations

import zlib

from deskhand.simphone.body.app_manager import Package
from deskhand.simphone.shell.commands.activity import am
from deskhand.simphone.shell.commands.command import Call, Family, Handler, whole
from deskhand.simphone.shell.commands.ime import ime
from deskhand.simphone.shell.commands.input_tool import input_
from deskhand.simphone.shell.commands.intents import (
    BadIntent,
    full_activity,
    installed,
    launchable,
    package_named,
    read_intent,
    resolve,
    short_component,
)
from deskhand.simphone.shell.commands.screen_tools import wm
from deskhand.simphone.shell.commands.settings_tools import settings

REFUSED = "Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]"


def apk_path(package: Package) -> str:
    if package.system:
        return f"/system/app/{package.name.rsplit('.', 1)[-1].capitalize()}/base.apk"
    salt = f"{zlib.crc32(package.name.encode()):08x}"
    return f"/data/app/~~{salt}==/{package.name}-{salt[::-1]}==/base.apk"


def uid(package: Package) -> int:
    return 10000 + zlib.crc32(package.name.encode()) % 200


async def pm(call: Call) -> int:
    if not call.args:
        await call.out("Package manager (package) commands:\n  help\n    Print this help text.")
        return 255
    command, *args = call.args
    handler = SUBCOMMANDS.get(command)
    if handler is None:
        await call.out(f"Unknown command: {command}")
        return 255
    return await handler(call.with_args(args, command))


async def _list(call: Call) -> int:
    what, *args = call.args or [""]
    match what:
        case "packages" | "package":
            return await _list_packages(call, args)
        case "users":
            await call.out("Users:\n\tUserInfo{0:Owner:c13} running")
        case "features":
            await call.out("feature:android.hardware.touchscreen\nfeature:android.software.input_methods")
        case "permissions" | "libraries" | "instrumentation":
            return 0
        case "":
            await call.err("Error: didn't specify type of data to list")
            return 255
        case _:
            await call.err(f"Error: unknown list type '{what}'")
            return 255
    return 0


async def _list_packages(call: Call, args: list[str]) -> int:
    flags = {arg for arg in args if arg.startswith("-")}
    words = [arg for arg in _without_user(args) if not arg.startswith("-")]
    unknown = flags - {"-3", "-s", "-f", "-e", "-d", "-i", "-l", "-a", "-u", "-U", "--user", "--show-versioncode"}
    if unknown:
        await call.err(f"Error: Unknown option: {sorted(unknown)[0]}")
        return 255
    for package in installed(call.phone):
        if ("-3" in flags and package.system) or ("-s" in flags and not package.system) or "-d" in flags:
            continue
        if words and words[0] not in package.name:
            continue
        line = f"package:{apk_path(package)}={package.name}" if "-f" in flags else f"package:{package.name}"
        line += " versionCode:33" if "--show-versioncode" in flags else ""
        line += "  installer=null" if "-i" in flags else ""
        line += f" uid:{uid(package)}" if "-U" in flags else ""
        await call.out(line)
    return 0


def _without_user(args: list[str]) -> list[str]:
    if "--user" in args:
        at = args.index("--user")
        return args[:at] + args[at + 2 :]
    return args


async def _path(call: Call) -> int:
    args = _without_user(call.args)
    package = package_named(call.phone, args[0]) if args else None
    if package is None:
        return 1
    await call.out(f"package:{apk_path(package)}")
    return 0


async def _resolve_activity(call: Call) -> int:
    """`resolve-activity` shows the one that would start, `query-activities` all that could."""
    brief = "--brief" in call.args
    components = "--components" in call.args
    try:
        intent = read_intent([arg for arg in call.args if arg not in ("--brief", "--components")])
    except BadIntent as error:
        await call.err(f"Error: {error}")
        return 255
    if intent.component:
        chosen = package_named(call.phone, intent.component.split("/")[0])
        found = [chosen] if chosen else []
    elif (
        call.name == "query-activities"
        and not intent.package
        and "android.intent.category.LAUNCHER" in intent.categories
    ):
        found = launchable(call.phone)
    else:
        chosen = resolve(call.phone, intent)
        found = [chosen] if chosen else []
    if not found:
        await call.out("No activities found" if call.name == "query-activities" else "No activity found")
        return 0
    if call.name == "query-activities" and brief:
        await call.out(f"{len(found)} activities found:")
    for index, package in enumerate(found):
        name = short_component(f"{package.name}/{full_activity(package.name, package.activity)}")
        if components:
            await call.out(name)
        elif brief and call.name == "resolve-activity":
            await call.out(f"priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n{name}")
        elif brief:
            await call.out(
                f"  Activity #{index}:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 "
                f"isDefault=false\n    {name}"
            )
        else:
            await call.out(
                f"  ActivityInfo:\n    name={full_activity(package.name, package.activity)}\n"
                f"    packageName={package.name}\n    enabled=true exported=true directBootAware=false"
            )
    return 0


async def _install(call: Call) -> int:
    """Every way to install ends here. A streamed package is taken in first, or the host would see a broken pipe."""
    if call.name == "install" and "-S" in call.args and call.args.index("-S") + 1 < len(call.args):
        left = whole(call.args[call.args.index("-S") + 1])
        while left > 0 and (chunk := await call.stdin.read()):
            left -= len(chunk)
    await call.err(REFUSED)
    return 1


async def _uninstall(call: Call) -> int:
    names = [arg for arg in _without_user(call.args) if not arg.startswith("-")]
    known = bool(names) and package_named(call.phone, names[0]) is not None
    reason = "DELETE_FAILED_USER_RESTRICTED" if known else "DELETE_FAILED_INTERNAL_ERROR"
    await call.out(f"Failure [{reason}]")
    return 1


async def _clear(call: Call) -> int:
    await call.out("Failed")
    return 1


async def _not_allowed(call: Call) -> int:
    await call.err(
        f"\nException occurred while executing '{call.name}':\njava.lang.SecurityException: "
        f"Shell cannot change component state for {call.args[0] if call.args else 'null'} to the given state"
    )
    return 255


async def _enable(call: Call) -> int:
    package = package_named(call.phone, call.args[0].split("/")[0]) if call.args else None
    if package is None:
        name = call.args[0] if call.args else "null"
        await call.err(f"\nException occurred while executing 'enable':\n"
                       f"java.lang.IllegalArgumentException: Unknown package: {name}")  # fmt: skip
        return 255
    await call.out(f"Package {package.name} new state: enabled")
    return 0


async def _nothing(call: Call) -> int:
    return 0


SUBCOMMANDS: dict[str, Handler] = {
    "list": _list,
    "path": _path,
    "resolve-activity": _resolve_activity,
    "query-activities": _resolve_activity,
    "install": _install,
    "install-create": _install,
    "install-incremental": _install,
    "uninstall": _uninstall,
    "clear": _clear,
    "disable": _not_allowed,
    "disable-user": _not_allowed,
    "hide": _not_allowed,
    "enable": _enable,
    "grant": _nothing,
    "revoke": _nothing,
}


async def cmd(call: Call) -> int:
    if not call.args:
        await call.err("cmd: No service specified; use -l to list all services")
        return 20
    service, *args = call.args
    if service == "-l":
        await call.out("Currently running services:\n" + "\n".join(f"  {name}" for name in sorted(SERVICES)))
        return 0
    handler = SERVICES.get(service)
    if handler is None:
        await call.err(f"cmd: Can't find service: {service}")
        return 20
    return await handler(call.with_args(args, service))


async def _clipboard(call: Call) -> int:
    """Android 13's clipboard service has no shell commands; clients must find that out."""
    await call.err("No shell command implementation.")
    return 255


async def _status_bar(call: Call) -> int:
    match call.args:
        case ["expand-notifications" | "expand-settings" | "collapse"]:
            return 0
        case _:
            await call.out(f"Unknown command: {call.args[0]}" if call.args else "Status bar commands:\n  help")
            return 255


SERVICES: dict[str, Handler] = {
    "package": pm,
    "activity": am,
    "input": input_,
    "input_method": ime,
    "window": wm,
    "settings": settings,
    "clipboard": _clipboard,
    "statusbar": _status_bar,
}

COMMANDS: Family = {"pm": pm, "cmd": cmd}
