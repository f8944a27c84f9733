"""`dumpsys`: the front door and the small services. Windows and activities are in `window_dumps`."""

from __future__ import annotations

from deskhand.simphone.shell.commands import notification_tools, window_dumps
from deskhand.simphone.shell.commands.command import CommandCall, Family, Handler
from deskhand.simphone.shell.commands.intents import find_package
from deskhand.simphone.shell.commands.package_manager import apk_path_of, uid_of


async def run_dumpsys(call: CommandCall) -> int:
    args = list(call.args)
    if args[:1] == ["-t"]:
        args = args[2:]
    if not args or args[0] == "-l":
        await call.print_out("Currently running services:\n" + "\n".join(f"  {name}" for name in sorted(SERVICES)))
        return 0
    service = SERVICES.get(args[0])
    if service is None:
        await call.print_err(f"Can't find service: {args[0]}")
        return 0
    return await service(call.with_args(args[1:], args[0]))


async def dump_window(call: CommandCall) -> int:
    sections = {
        "policy": window_dumps.dump_policy,
        "displays": window_dumps.dump_displays,
        "windows": window_dumps.dump_windows,
        "d": window_dumps.dump_displays,
        "p": window_dumps.dump_policy,
        "w": window_dumps.dump_windows,
    }
    words = [arg for arg in call.args if not arg.startswith("-")]
    if not words:
        rule = "-" * 79
        parts = [window_dumps.dump_policy(call), window_dumps.dump_displays(call), window_dumps.dump_windows(call)]
        await call.print_out(f"\n{rule}\n".join(parts))
    elif words[0] in sections:
        await call.print_out(sections[words[0]](call))
    else:
        await call.print_out(f"Bad window command, or no windows match: {words[0]}\nUse -h for help.")
    return 0


async def dump_activity(call: CommandCall) -> int:
    words = [arg for arg in call.args if not arg.startswith("-")]
    match words[:1]:
        case ["activities" | "a"]:
            await call.print_out(window_dumps.dump_activities(call))
        case ["top"]:
            await call.print_out(window_dumps.dump_top(call))
        case ["recents" | "r"]:
            await call.print_out(window_dumps.dump_recents(call))
        case []:
            await call.print_out(f"{window_dumps.dump_recents(call)}\n{window_dumps.dump_activities(call)}")
        case _:
            await call.print_out(f"Bad activity command, or no activities match: {words[0]}\nUse -h for help.")
    return 0


PLUGS = ("ac", "usb", "wireless")


async def dump_battery(call: CommandCall) -> int:
    phone = call.phone
    match call.args:
        case ["set", "level", level] if level.isdecimal():
            phone.battery_level = int(level)
        case ["set", plug, value] if plug in PLUGS:
            phone.charging = value != "0"
        case ["set", "status", value]:
            phone.charging = value == "2"
        case ["unplug"]:
            phone.charging = False
        case ["reset"]:
            phone.battery_level, phone.charging = call.system.battery
        case []:
            await call.print_out(_format_battery(call))
        case _:
            await call.print_err("Unknown set option: " + (call.args[1] if len(call.args) > 1 else call.args[0]))
    return 0


def _format_battery(call: CommandCall) -> str:
    level, charging = call.phone.battery_level, call.phone.charging
    return f"""Current Battery Service state:
  AC powered: false
  USB powered: {window_dumps.to_java_bool(charging)}
  Wireless powered: false
  Dock powered: false
  Max charging current: {500000 if charging else 0}
  Max charging voltage: {5000000 if charging else 0}
  Charge counter: {level * 45000}
  status: {2 if charging else 3}
  health: 2
  present: true
  level: {level}
  scale: 100
  voltage: 4123
  temperature: 271
  technology: Li-ion"""


async def dump_display(call: CommandCall) -> int:
    width, height = call.phone.size
    short, long = sorted(call.phone.size)
    turn = call.phone.rotation
    state = "ON" if call.phone.awake else "OFF"
    await call.print_out(f"""DISPLAY MANAGER (dumpsys display)
  mOnlyCode=false
  mSafeMode=false
  mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, \
uniqueId='local:4619827259835644672', physicalPort=0, orientation={turn}, \
logicalFrame=Rect(0, 0 - {width}, {height}), physicalFrame=Rect(0, 0 - {width}, {height}), \
deviceWidth={width}, deviceHeight={height}}}]
Display States: size=1
  Display Id=0
  Display State={state}
  Display Brightness=0.5
Display Devices: size=1
  DisplayDeviceInfo{{"Built-in Screen": uniqueId="local:4619827259835644672", {short} x {long}, \
modeId 1, defaultModeId 1, density {call.phone.density}, state {state}, type INTERNAL}}
    mCurrentOrientation={turn}
Logical Displays: size=1
  Display 0:
    mDisplayId=0
    mLayerStack=0
    mBaseDisplayInfo=DisplayInfo{{"Built-in Screen", displayId 0, real {short} x {long}, \
rotation 0, density {call.phone.density}, state {state}}}
    mOverrideDisplayInfo=DisplayInfo{{"Built-in Screen", displayId 0, real {width} x {height}, \
rotation {turn}, density {call.phone.density}, state {state}}}""")
    return 0


async def dump_power(call: CommandCall) -> int:
    awake = call.phone.awake
    await call.print_out(f"""POWER MANAGER (dumpsys power)

Power Manager State:
  mDirty=0x0
  mWakefulness={"Awake" if awake else "Asleep"}
  mWakefulnessChanging=false
  mIsPowered={window_dumps.to_java_bool(call.phone.charging)}
  mPlugType={2 if call.phone.charging else 0}
  mBatteryLevel={call.phone.battery_level}
  mStayOn=false
  mBootCompleted=true
  mHoldingWakeLockSuspendBlocker=false
  mHoldingDisplaySuspendBlocker={window_dumps.to_java_bool(awake)}

Display Power: state={"ON" if awake else "OFF"}""")
    return 0


async def dump_input_method(call: CommandCall) -> int:
    phone = call.phone
    shown = window_dumps.to_java_bool(phone.windows.is_keyboard_shown)
    package, _ = phone.windows.foreground
    served = f"android.widget.EditText{{{window_dumps.hash_code_of(package)} VFED..CL. .F...... 0,0-900,120}}"
    await call.print_out(f"""Current Input Method Manager state:
  Input Methods: mMethodMapUpdateCount=1
{"".join(f"  InputMethod #{i}:{chr(10)}    mId={ime}{chr(10)}" for i, ime in enumerate(phone.imes))}\
  Clients:
  mCurMethodId={phone.ime}
  mCurClient=ClientState{{{window_dumps.hash_code_of("client")} uid=10112 pid=5120}} mCurSeq=3
  mCurFocusedWindow={window_dumps.describe_focused_window(call)}
  mCurId={phone.ime} mHaveConnection=true mBoundToMethod=true mVisibleBound={shown}
  mShowRequested={shown} mShowExplicitlyRequested=false mShowForced=false mInputShown={shown}
  mServedView={served if phone.windows.focused_field else "null"}
  mInEditableText={window_dumps.to_java_bool(phone.windows.focused_field is not None)}
  mIsInteractive={window_dumps.to_java_bool(phone.awake)}""")
    return 0


async def dump_package(call: CommandCall) -> int:
    names = [arg for arg in call.args if not arg.startswith("-")]
    if not names:
        await call.print_out("Packages:")
        return 0
    found = find_package(call.phone, names[0])
    if found is None:
        await call.print_out(f"Unable to find package: {names[0]}")
        return 0
    await call.print_out(f"""Packages:
  Package [{found.name}] ({window_dumps.hash_code_of(found.name)}):
    userId={uid_of(found)}
    pkg=Package{{{window_dumps.hash_code_of(found.name)} {found.name}}}
    codePath={apk_path_of(found).removesuffix("/base.apk")}
    versionCode=33 minSdk=24 targetSdk=33
    versionName=13.0
    flags=[ {"SYSTEM " if found.system else ""}HAS_CODE ALLOW_CLEAR_USER_DATA ]
    User 0: ceDataInode=1 installed=true hidden=false suspended=false stopped=false enabled=0""")
    return 0


async def dump_input(call: CommandCall) -> int:
    await call.print_out(
        f"INPUT MANAGER (dumpsys input)\n\nInput Reader State:\n    SurfaceOrientation: {call.phone.rotation}"
    )
    return 0


async def dump_surface_flinger(call: CommandCall) -> int:
    if "--display-id" in call.args:
        await call.print_out('Display 4619827259835644672 (HWC display 0): port=0 pnpId=DSK displayName="SimPhone"')
    return 0


SERVICES: dict[str, Handler] = {
    "window": dump_window,
    "activity": dump_activity,
    "battery": dump_battery,
    "display": dump_display,
    "power": dump_power,
    "input_method": dump_input_method,
    "package": dump_package,
    "input": dump_input,
    "SurfaceFlinger": dump_surface_flinger,
    "notification": notification_tools.dump_notification,
}

COMMANDS: Family = {"dumpsys": run_dumpsys}
