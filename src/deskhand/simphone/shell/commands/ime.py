"""`ime`: which keyboards there are, which may be used, which one is."""

from __future__ import annotations

from deskhand.simphone.shell.commands.command import CommandCall, Family, drop_user_option, report_failure

DENIED = (
    "java.lang.SecurityException: Permission denial: changing the input method over adb is not allowed "
    'on this device. Turn on "USB debugging (Security settings)" in Developer options.'
)
USAGE = """ime <command>:
  list [-a] [-s]
    prints all enabled input methods.
      -a: see all input methods
      -s: only a single summary line of each
  enable [--user <USER_ID>] <ID>
    allows the given input method ID to be used.
  disable [--user <USER_ID>] <ID>
    disallows the given input method ID to be used.
  set [--user <USER_ID>] <ID>
    switches to the given input method ID.
  reset [--user <USER_ID>]
    reset currently selected/enabled IMEs to the default ones as if
    the device is initially booted with the current locale."""


async def run_ime(call: CommandCall) -> int:
    args = drop_user_option(call.args)
    match args:
        case ["list", *flags]:
            return await _list_imes(call, set(flags))
        case [("enable" | "disable" | "set") as verb, name]:
            return await _change_ime(call, verb, to_canonical_name(name))
        case ["reset"]:
            call.phone.enabled_imes[:] = call.phone.imes[:1]
            call.phone.ime = call.phone.imes[0]
            await call.print_out(
                "Reset current and enabled IMEs for user #0\n"
                f"  Newly selected IME ID: {call.phone.ime}\n  Newly enabled IMEs: {{{call.phone.ime}}}"
            )
            return 0
        case [("enable" | "disable" | "set") as verb]:
            reason = f'java.lang.IllegalArgumentException: Argument expected after "{verb}"'
            return await report_failure(call, verb, reason)
        case [] | ["help" | "-h"]:
            await call.print_out(USAGE)
            return 0 if args else 255
        case _:
            await call.print_out(f"Unknown command: {args[0]}")
            return 255


def to_canonical_name(name: str) -> str:
    """Shorten `pkg/pkg.Class` to `pkg/.Class`, which names the same keyboard."""
    package, _, service = name.partition("/")
    return f"{package}/{service.removeprefix(package)}" if service.startswith(package + ".") else name


async def _list_imes(call: CommandCall, flags: set[str]) -> int:
    names = call.phone.imes if "-a" in flags else call.phone.enabled_imes
    for name in names:
        if "-s" in flags:
            await call.print_out(name)
        else:
            package, _, service = name.partition("/")
            await call.print_out(
                f"{name}:\n  mId={name} mSettingsActivityName=null mIsVrOnly=false "
                "mSupportsSwitchingToNextInputMethod=false mInlineSuggestionsEnabled=false "
                "mSuppressesSpellChecker=false\n  mIsDefaultResId=0x0\n  Service:\n"
                f"    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\n"
                f"    ServiceInfo:\n      name={package}{service}\n      packageName={package}"
            )
    return 0


async def _change_ime(call: CommandCall, verb: str, name: str) -> int:
    done = {"enable": "enabled", "disable": "disabled", "set": "selected"}[verb]
    phone = call.phone
    if "ime-denied" in phone.conditions:
        return await report_failure(call, verb, DENIED)
    known = phone.enabled_imes if verb == "set" else phone.imes
    if name not in known:
        await call.print_err(f"Unknown input method {name} cannot be {done} for user #0")
        return 255
    if verb == "set":
        phone.ime = name
        await call.print_out(f"Input method {name} selected for user #0")
    elif verb == "enable":
        already = name in phone.enabled_imes
        if not already:
            phone.enabled_imes.append(name)
        await call.print_out(f"Input method {name}: {'already' if already else 'now'} enabled for user #0")
    else:
        _disable_ime(call, name)
        await call.print_out(f"Input method {name}: now disabled for user #0")
    return 0


def _disable_ime(call: CommandCall, name: str) -> None:
    phone = call.phone
    if name in phone.enabled_imes:
        phone.enabled_imes.remove(name)
    if phone.ime == name:
        phone.ime = phone.enabled_imes[0] if phone.enabled_imes else phone.imes[0]


COMMANDS: Family = {"ime": run_ime}
