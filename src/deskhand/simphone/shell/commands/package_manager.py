"""`pm` and the `cmd` front door: what is installed, and polite refusals to change it."""

from __future__ import annotations

import zlib

from deskhand.simphone.body.app_manager import Package
from deskhand.simphone.shell.commands.activity import run_am
from deskhand.simphone.shell.commands.command import (
    CommandCall,
    Family,
    Handler,
    drop_user_option,
    report_failure,
    to_integer,
)
from deskhand.simphone.shell.commands.ime import run_ime
from deskhand.simphone.shell.commands.input_tool import run_input
from deskhand.simphone.shell.commands.intents import (
    BadIntent,
    find_package,
    list_installed,
    list_launchable,
    read_intent,
    resolve_intent,
    to_full_activity,
    to_short_component,
)
from deskhand.simphone.shell.commands.notification_tools import run_notification, run_status_bar
from deskhand.simphone.shell.commands.screen_tools import run_wm
from deskhand.simphone.shell.commands.settings_tools import run_settings

REFUSED = "Failure [INSTALL_FAILED_USER_RESTRICTED: Install canceled by user]"


def apk_path_of(package: Package) -> str:
    if package.system:
        return f"/system/app/{package.name.rsplit('.', 1)[-1].capitalize()}/base.apk"
    salt = f"{zlib.crc32(package.name.encode()):08x}"
    return f"/data/app/~~{salt}==/{package.name}-{salt[::-1]}==/base.apk"


def uid_of(package: Package) -> int:
    return 10000 + zlib.crc32(package.name.encode()) % 200


async def run_pm(call: CommandCall) -> int:
    if not call.args:
        await call.print_out("Package manager (package) commands:\n  help\n    Print this help text.")
        return 255
    command, *args = call.args
    handler = SUBCOMMANDS.get(command)
    if handler is None:
        await call.print_out(f"Unknown command: {command}")
        return 255
    return await handler(call.with_args(args, command))


async def _run_list(call: CommandCall) -> int:
    what, *args = call.args or [""]
    match what:
        case "packages" | "package":
            return await _list_packages(call, args)
        case "users":
            await call.print_out("Users:\n\tUserInfo{0:Owner:c13} running")
        case "features":
            await call.print_out("feature:android.hardware.touchscreen\nfeature:android.software.input_methods")
        case "permissions" | "libraries" | "instrumentation":
            return 0
        case "":
            await call.print_err("Error: didn't specify type of data to list")
            return 255
        case _:
            await call.print_err(f"Error: unknown list type '{what}'")
            return 255
    return 0


async def _list_packages(call: CommandCall, args: list[str]) -> int:
    flags = {arg for arg in args if arg.startswith("-")}
    words = [arg for arg in drop_user_option(args) if not arg.startswith("-")]
    unknown = flags - {"-3", "-s", "-f", "-e", "-d", "-i", "-l", "-a", "-u", "-U", "--user", "--show-versioncode"}
    if unknown:
        await call.print_err(f"Error: Unknown option: {sorted(unknown)[0]}")
        return 255
    for package in list_installed(call.phone):
        if ("-3" in flags and package.system) or ("-s" in flags and not package.system) or "-d" in flags:
            continue
        if words and words[0] not in package.name:
            continue
        line = f"package:{apk_path_of(package)}={package.name}" if "-f" in flags else f"package:{package.name}"
        line += " versionCode:33" if "--show-versioncode" in flags else ""
        line += "  installer=null" if "-i" in flags else ""
        line += f" uid:{uid_of(package)}" if "-U" in flags else ""
        await call.print_out(line)
    return 0


async def _show_path(call: CommandCall) -> int:
    args = drop_user_option(call.args)
    package = find_package(call.phone, args[0]) if args else None
    if package is None:
        return 1
    await call.print_out(f"package:{apk_path_of(package)}")
    return 0


async def _resolve_activity(call: CommandCall) -> int:
    """Show the activity that would start (`resolve-activity`) or all that could (`query-activities`)."""
    brief = "--brief" in call.args
    components = "--components" in call.args
    try:
        intent = read_intent([arg for arg in call.args if arg not in ("--brief", "--components")])
    except BadIntent as error:
        await call.print_err(f"Error: {error}")
        return 255
    if intent.component:
        chosen = find_package(call.phone, intent.component.split("/")[0])
        found = [chosen] if chosen else []
    elif (
        call.name == "query-activities"
        and not intent.package
        and "android.intent.category.LAUNCHER" in intent.categories
    ):
        found = list_launchable(call.phone)
    else:
        chosen = resolve_intent(call.phone, intent)
        found = [chosen] if chosen else []
    if not found:
        await call.print_out("No activities found" if call.name == "query-activities" else "No activity found")
        return 0
    if call.name == "query-activities" and brief:
        await call.print_out(f"{len(found)} activities found:")
    for index, package in enumerate(found):
        name = to_short_component(f"{package.name}/{to_full_activity(package.name, package.activity)}")
        if components:
            await call.print_out(name)
        elif brief and call.name == "resolve-activity":
            await call.print_out(f"priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n{name}")
        elif brief:
            await call.print_out(
                f"  Activity #{index}:\n    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 "
                f"isDefault=false\n    {name}"
            )
        else:
            await call.print_out(
                f"  ActivityInfo:\n    name={to_full_activity(package.name, package.activity)}\n"
                f"    packageName={package.name}\n    enabled=true exported=true directBootAware=false"
            )
    return 0


async def _refuse_install(call: CommandCall) -> int:
    """Refuse every way to install. A streamed package is read first, or the host would see a broken pipe."""
    if call.name == "install" and "-S" in call.args and call.args.index("-S") + 1 < len(call.args):
        left = to_integer(call.args[call.args.index("-S") + 1])
        while left > 0 and (chunk := await call.stdin.read()):
            left -= len(chunk)
    await call.print_err(REFUSED)
    return 1


async def _refuse_uninstall(call: CommandCall) -> int:
    names = [arg for arg in drop_user_option(call.args) if not arg.startswith("-")]
    known = bool(names) and find_package(call.phone, names[0]) is not None
    reason = "DELETE_FAILED_USER_RESTRICTED" if known else "DELETE_FAILED_INTERNAL_ERROR"
    await call.print_out(f"Failure [{reason}]")
    return 1


async def _refuse_clear(call: CommandCall) -> int:
    await call.print_out("Failed")
    return 1


async def _refuse_state_change(call: CommandCall) -> int:
    name = call.args[0] if call.args else "null"
    reason = f"java.lang.SecurityException: Shell cannot change component state for {name} to the given state"
    return await report_failure(call, call.name, reason)


async def _enable_package(call: CommandCall) -> int:
    package = find_package(call.phone, call.args[0].split("/")[0]) if call.args else None
    if package is None:
        name = call.args[0] if call.args else "null"
        return await report_failure(call, "enable", f"java.lang.IllegalArgumentException: Unknown package: {name}")
    await call.print_out(f"Package {package.name} new state: enabled")
    return 0


async def _do_nothing(call: CommandCall) -> int:
    return 0


SUBCOMMANDS: dict[str, Handler] = {
    "list": _run_list,
    "path": _show_path,
    "resolve-activity": _resolve_activity,
    "query-activities": _resolve_activity,
    "install": _refuse_install,
    "install-create": _refuse_install,
    "install-incremental": _refuse_install,
    "uninstall": _refuse_uninstall,
    "clear": _refuse_clear,
    "disable": _refuse_state_change,
    "disable-user": _refuse_state_change,
    "hide": _refuse_state_change,
    "enable": _enable_package,
    "grant": _do_nothing,
    "revoke": _do_nothing,
}


async def run_cmd(call: CommandCall) -> int:
    if not call.args:
        await call.print_err("cmd: No service specified; use -l to list all services")
        return 20
    service, *args = call.args
    if service == "-l":
        await call.print_out("Currently running services:\n" + "\n".join(f"  {name}" for name in sorted(SERVICES)))
        return 0
    handler = SERVICES.get(service)
    if handler is None:
        await call.print_err(f"cmd: Can't find service: {service}")
        return 20
    return await handler(call.with_args(args, service))


async def _refuse_clipboard(call: CommandCall) -> int:
    """Refuse, since Android 13's clipboard service has no shell commands; clients must find that out."""
    await call.print_err("No shell command implementation.")
    return 255


SERVICES: dict[str, Handler] = {
    "package": run_pm,
    "activity": run_am,
    "input": run_input,
    "input_method": run_ime,
    "window": run_wm,
    "settings": run_settings,
    "clipboard": _refuse_clipboard,
    "statusbar": run_status_bar,
    "notification": run_notification,
}

COMMANDS: Family = {"pm": run_pm, "cmd": run_cmd}
