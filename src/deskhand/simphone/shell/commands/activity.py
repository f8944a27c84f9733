"""`am` and `monkey`: starting, stopping and telling apps."""

from __future__ import annotations

import base64
import binascii

from deskhand.simphone.shell.commands.command import CommandCall, Family, report_failure
from deskhand.simphone.shell.commands.intents import (
    HOME,
    BadIntent,
    Intent,
    list_launchable,
    read_intent,
    resolve_intent,
    to_full_activity,
    to_short_component,
)

HOME_KEY, ENTER_KEY = 3, 66
LAUNCHER = "android.intent.category.LAUNCHER"


async def run_am(call: CommandCall) -> int:
    if not call.args:
        await call.print_out("Activity manager (activity) commands:\n  help\n      Print this help text.")
        return 255
    command, *args = call.args
    try:
        match command:
            case "start" | "start-activity":
                return await _start_activity(call, read_intent(args))
            case "broadcast":
                return await _send_broadcast(call, read_intent(args))
            case "force-stop" | "kill" | "stop-app":
                return await _stop_packages(call, command, [arg for arg in args if not arg.startswith("-")])
            case "kill-all" | "idle-maintenance" | "wait-for-broadcast-idle":
                return 0
            case "get-current-user":
                await call.print_out("0")
                return 0
            case "startservice" | "start-service" | "start-foreground-service" | "startforegroundservice":
                intent = read_intent(args)
                await call.print_out(f"Starting service: {intent}")
                await call.print_err("Error: Not found; no service started.")
                return 255
            case "instrument":
                name = args[-1] if args else ""
                await call.print_out(
                    "INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS: Error="
                    f"Unable to find instrumentation info for: ComponentInfo{{{name}}}\n"
                    f"INSTRUMENTATION_STATUS_CODE: -1\nINSTRUMENTATION_FAILED: {name}"
                )
                return 1
            case _:
                await call.print_out(f"Unknown command: {command}")
                return 255
    except BadIntent as error:
        return await report_failure(call, command, f"java.lang.IllegalArgumentException: {error}")


async def _stop_packages(call: CommandCall, command: str, packages: list[str]) -> int:
    if not packages:
        reason = f'java.lang.IllegalArgumentException: Argument expected after "{command}"'
        return await report_failure(call, command, reason)
    if command != "kill":  # `kill` only ends what is in the background anyway
        call.phone.apps.stop_app(packages[0])
    return 0


async def _start_activity(call: CommandCall, intent: Intent) -> int:
    if "-S" in intent.options and intent.component:
        await call.print_out(f"Stopping: {intent.component.split('/')[0]}")
        call.phone.apps.stop_app(intent.component.split("/")[0])
    await call.print_out(f"Starting: {intent}")
    if HOME in intent.categories:
        call.phone.input.press_key(HOME_KEY)
        return 0
    if intent.component:
        name, _, activity = intent.component.partition("/")
    else:
        package = resolve_intent(call.phone, intent)
        if package is None:
            await call.print_err(f"Error: Activity not started, unable to resolve {_with_new_task(intent)}")
            return 1
        name, activity = package.name, package.activity
    on_top = call.phone.windows.foreground[0] == name
    began = call.system.clock.now()
    if not call.phone.apps.launch_app(name, activity, intent.data or None):
        missing = f"{name}/{to_full_activity(name, activity)}"
        await call.print_err(f"Error type 3\nError: Activity class {{{missing}}} does not exist.")
        return 1
    if on_top:
        await call.print_err(
            "Warning: Activity not started, intent has been delivered to currently running top-most instance."
        )
    if "-W" in intent.options:
        await _wait_for_launch(call, name, activity, began, on_top)
    return 0


def _with_new_task(intent: Intent) -> Intent:
    intent.flags = intent.flags or "0x10000000"
    return intent


async def _wait_for_launch(call: CommandCall, name: str, activity: str, began: float, on_top: bool) -> None:
    clock = call.system.clock
    while call.phone.display.is_animating() and clock.now() - began < 10:
        await clock.sleep(0.02)
    total = round((clock.now() - began) * 1000)
    await call.print_out(
        f"Status: ok\nLaunchState: {'UNKNOWN (0)' if on_top else 'COLD'}\n"
        f"Activity: {to_short_component(f'{name}/{to_full_activity(name, activity)}')}\n"
        f"TotalTime: {total}\nWaitTime: {total + 3}\nComplete"
    )


async def _send_broadcast(call: CommandCall, intent: Intent) -> int:
    intent.flags = intent.flags or "0x400000"
    await call.print_out(f"Broadcasting: {intent}")
    if "adbkeyboard" in call.phone.ime.lower():
        _tell_keyboard(call, intent)
    await call.print_out(f"Broadcast completed: {_tell_clipper(call, intent)}")
    return 0


def _tell_clipper(call: CommandCall, intent: Intent) -> str:
    """Return the broadcast's result; only the Clipper app, where it is installed, gives one of its own."""
    if intent.action == "clipper.set" and "clipper" in call.phone.conditions and "text" in intent.extras:
        call.phone.clipboard = intent.extras["text"]
        return 'result=-1, data="Text is copied into clipboard."'
    return "result=0"


def _tell_keyboard(call: CommandCall, intent: Intent) -> None:
    """Carry out ADBKeyboard's own actions."""
    phone, extras = call.phone, intent.extras
    match intent.action:
        case "ADB_INPUT_TEXT" if "msg" in extras:
            phone.input.type_text(extras["msg"])
        case "ADB_INPUT_B64" if "msg" in extras:
            try:
                phone.input.type_text(base64.b64decode(extras["msg"]).decode())
            except (binascii.Error, UnicodeDecodeError):
                return  # the real keyboard swallows what it can't decode
        case "ADB_INPUT_CHARS" if "chars" in extras:
            phone.input.type_text("".join(chr(int(code)) for code in extras["chars"].split(",") if code.isdecimal()))
        case "ADB_INPUT_CODE" if extras.get("code", "").isdecimal():
            phone.input.press_key(int(extras["code"]))
        case "ADB_EDITOR_CODE" if extras.get("code", "").isdecimal():
            phone.input.press_key(ENTER_KEY)  # go, search, send, next, done: what the field's action key does
        case "ADB_CLEAR_TEXT":
            phone.input.clear_text()
        case _:
            pass


async def run_monkey(call: CommandCall) -> int:
    await call.print_out("\n".join(f"  bash arg: {arg}" for arg in call.args))
    await call.print_err(f"args: [{', '.join(call.args)}]\n" + "\n".join(f' arg: "{arg}"' for arg in call.args))
    packages = [value for option, value in zip(call.args, call.args[1:], strict=False) if option == "-p"]
    categories = [value for option, value in zip(call.args, call.args[1:], strict=False) if option == "-c"]
    for data in (*packages, *categories):
        await call.print_err(f'data="{data}"')
    if not call.args or not call.args[-1].isdecimal():
        await call.print_err(
            "** Error: Count not specified\nusage: monkey [-p ALLOWED_PACKAGE [-p ALLOWED_PACKAGE] ...]"
        )
        return 255
    package = next((each for each in list_launchable(call.phone) if each.name in packages), None)
    if package is None or (categories and LAUNCHER not in categories):
        await call.print_out("** No activities found to run, monkey aborted.")
        return 252
    call.phone.apps.launch_app(package.name)
    await call.print_out(
        "Events injected: 1\n## Network stats: elapsed time=17ms (0ms mobile, 0ms wifi, 17ms not connected)"
    )
    return 0


COMMANDS: Family = {"am": run_am, "monkey": run_monkey}
