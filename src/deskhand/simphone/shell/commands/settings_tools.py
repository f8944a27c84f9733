"""`settings`, `svc`, `getprop` and `setprop`: the phone's switches and properties."""

from __future__ import annotations

from deskhand.simphone.shell.commands.command import CommandCall, Family, drop_user_option, report_failure
from deskhand.simphone.shell.commands.ime import DENIED

NAMESPACES = ("system", "secure", "global")
VERBS = ("get", "put", "delete", "list", "reset")


async def run_settings(call: CommandCall) -> int:
    args = drop_user_option(call.args)
    if not args:
        await call.print_out("Settings provider (settings) commands:\n  help\n      Print this help text.")
        return 255
    verb, *rest = args
    if verb not in VERBS:
        await call.print_err(f"Invalid command: {verb}")
        return 255
    if not rest:
        await call.print_err("Bad arguments")
        return 255
    namespace, *rest = rest
    if namespace.lower() not in NAMESPACES:
        await call.print_err(f"Invalid namespace '{namespace}'")
        return 255
    return await _carry_out(call, verb, namespace.lower(), rest)


async def _carry_out(call: CommandCall, verb: str, namespace: str, rest: list[str]) -> int:
    denied = "ime-denied" in call.phone.conditions
    match verb, rest:
        case "get", [key]:
            await call.print_out(table_of(call, namespace).get(key, "null"))
        case "put", [("default_input_method" | "enabled_input_methods"), _, *_] if denied:
            return await report_failure(call, "put", DENIED)
        case "put", [key, value, *_]:
            put_setting(call, namespace, key, value)
        case "delete", [key]:
            removed = call.phone.settings[namespace].pop(key, None) is not None
            await call.print_out(f"Deleted {int(removed)} rows")
        case "list", []:
            table = table_of(call, namespace)
            for key in sorted(table):
                await call.print_out(f"{key}={table[key]}")
        case "reset", [_, *_]:
            return 0
        case (("get" | "delete" | "list"), [_, _, *_]):
            await call.print_err("Too many arguments")
            return 255
        case _:
            await call.print_err("Bad arguments")
            return 255
    return 0


def table_of(call: CommandCall, namespace: str) -> dict[str, str]:
    table = dict(call.phone.settings[namespace])
    if namespace == "system":
        table["system_locales"] = call.system.locale
    if namespace == "secure":
        table["enabled_input_methods"] = ":".join(call.phone.enabled_imes)
    return table


def put_setting(call: CommandCall, namespace: str, key: str, value: str) -> None:
    """Change a setting. A keyboard that does not exist is ignored: the system would fall back to the one it had."""
    if key == "default_input_method" and value not in call.phone.imes:
        return
    if key == "enabled_input_methods":
        call.phone.enabled_imes[:] = [ime for ime in value.split(":") if ime in call.phone.imes]
        return
    call.phone.settings[namespace][key] = value


SVC_USAGE = """Available commands:
    help     Show information about the subcommands
    power    Control the power manager
    data     Control mobile data connectivity
    wifi     Control the Wi-Fi manager
    usb      Control Usb state
    nfc      Control NFC functions
    bluetooth Control Bluetooth functions
    system-server System server process related command"""
SVC_SWITCHES = {
    "wifi": ("global", "wifi_on"),
    "data": ("global", "mobile_data"),
    "bluetooth": ("global", "bluetooth_on"),
}


async def run_svc(call: CommandCall) -> int:
    match call.args:
        case [("wifi" | "data" | "bluetooth") as radio, ("enable" | "disable") as verb]:
            put_setting(call, *SVC_SWITCHES[radio], "1" if verb == "enable" else "0")
        case ["power", "stayon", value]:
            put_setting(call, "global", "stay_on_while_plugged_in", "0" if value == "false" else "7")
        case ["power", "shutdown" | "reboot", *_]:
            await call.print_err(
                "java.lang.SecurityException: the simulated phone can't be switched off from its shell"
            )
            return 1
        case [("wifi" | "data" | "bluetooth" | "power") as service, *_]:
            await call.print_err(f"Control the {service} manager\n\nusage: svc {service} [enable|disable]")
            return 1
        case _:
            await call.print_err(SVC_USAGE)
            return 0
    return 0


async def run_getprop(call: CommandCall) -> int:
    properties = call.system.properties | {"persist.sys.locale": call.system.locale}
    if call.args:
        default = call.args[1] if len(call.args) > 1 else ""
        await call.print_out(properties.get(call.args[0], default))
        return 0
    await call.print_out("\n".join(f"[{name}]: [{value}]" for name, value in sorted(properties.items()) if value))
    return 0


async def run_setprop(call: CommandCall) -> int:
    if len(call.args) != 2:
        await call.print_err('setprop: Needs 2 arguments (see "setprop --help")')
        return 1
    name, value = call.args
    if not name.startswith(("debug.", "log.", "persist.log.", "test.")):
        await call.print_err(f"Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason.")
        return 1
    call.system.properties[name] = value
    return 0


COMMANDS: Family = {"settings": run_settings, "svc": run_svc, "getprop": run_getprop, "setprop": run_setprop}
