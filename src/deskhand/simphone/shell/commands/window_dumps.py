"""The long texts of `dumpsys window` and `dumpsys activity`, in the lines that clients look for."""

from __future__ import annotations

import zlib

from deskhand.simphone.shell.commands.command import CommandCall
from deskhand.simphone.shell.commands.intents import to_full_activity, to_short_component


def hash_code_of(name: str) -> str:
    """Return an object's hash code, the same for the same name."""
    return f"{zlib.crc32(name.encode()) & 0xFFFFFFF:x}"


def _read_component(call: CommandCall) -> str:
    package, activity = call.phone.windows.foreground
    return f"{package}/{to_full_activity(package, activity)}"


def describe_focused_window(call: CommandCall) -> str:
    """Name the window in focus; the keyguard, the shade and a dark screen are one window of the system."""
    if call.phone.is_locked or not call.phone.awake or call.phone.apps.system_ui.shade_shown:
        return f"Window{{{hash_code_of('shade')} u0 NotificationShade}}"
    component = _read_component(call)
    return f"Window{{{hash_code_of(component)} u0 {component}}}"


def _describe_record(call: CommandCall) -> str:
    """Name the record of the activity in front, or behind the keyguard and the shade."""
    front = call.phone.apps.front
    component = _read_component(call)
    if call.phone.is_locked or call.phone.apps.system_ui.shade_shown:
        app = call.phone.apps.find_app(front)
        component = f"{front}/{to_full_activity(front, app.page.activity or app.activity)}"
    package = component.split("/")[0]
    return f"ActivityRecord{{{hash_code_of(component)} u0 {to_short_component(component)} t{_task_id_of(package)}}}"


def _task_id_of(package: str) -> int:
    return 1 + zlib.crc32(package.encode()) % 97


def to_java_bool(value: bool) -> str:
    return str(value).lower()


def dump_policy(call: CommandCall) -> str:
    awake, locked = call.phone.awake, call.phone.is_locked
    screen = "ON" if awake else "OFF"
    return f"""WINDOW MANAGER POLICY STATE (dumpsys window policy)
    mSafeMode=false mSystemReady=true mSystemBooted=true
    mCameraLensCoverState=CAMERA_LENS_COVER_ABSENT
    mWakeGestureEnabledSetting=true
    mUserRotationMode=USER_ROTATION_LOCKED mUserRotation=ROTATION_0
    mAwake={to_java_bool(awake)}
    mScreenOnEarly={to_java_bool(awake)} mScreenOnFully={to_java_bool(awake)}
    mKeyguardDrawComplete={to_java_bool(awake)} mWindowManagerDrawComplete={to_java_bool(awake)}
    mShowingLockscreen={to_java_bool(locked)} mShowingDream=false mDreamingLockscreen={to_java_bool(locked)}
    isKeyguardShowing={to_java_bool(locked)}
    KeyguardServiceDelegate
      showing={to_java_bool(locked)}
      showingAndNotOccluded={to_java_bool(locked)}
      inputRestricted={to_java_bool(locked)}
      occluded=false
      secure=false
      dreaming=false
      systemIsReady=true
      deviceHasKeyguard=true
      enabled=true
      bootCompleted=true
      screenState=SCREEN_STATE_{screen}
      interactiveState=INTERACTIVE_STATE_{"AWAKE" if awake else "SLEEP"}
      KeyguardStateMonitor
        mIsShowing={to_java_bool(locked)}
        mSimSecure=false
        mInputRestricted={to_java_bool(locked)}"""


def dump_displays(call: CommandCall) -> str:
    width, height = call.phone.size
    short, long = sorted(call.phone.size)
    turn = call.phone.rotation
    return f"""WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 (organized)
    init={short}x{long} {call.phone.density}dpi cur={width}x{height} app={width}x{height} \
rng={short}x{short}-{long}x{long}
    deferred=false mLayoutNeeded=false mTouchExcludeRegion=SkRegion((0,0,{width},{height}))

  mLayoutSeq=412
  mCurrentFocus={describe_focused_window(call)}
  mFocusedApp={_describe_record(call)}
  DisplayRotation
    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED
    mRotation={90 * turn} mDeferredRotationPauseCount=0
    mCurrentRotation=ROTATION_{90 * turn} mLandscapeRotation=ROTATION_90 mPortraitRotation=ROTATION_0
  DisplayPolicy
    mAwake={to_java_bool(call.phone.awake)} mScreenOnEarly={to_java_bool(call.phone.awake)}
    mTopFullscreenOpaqueWindowState={describe_focused_window(call)}
    mShowingDream=false mDreamingLockscreen={to_java_bool(call.phone.is_locked)}"""


def dump_windows(call: CommandCall) -> str:
    names = ["StatusBar", "NavigationBar0", _read_component(call)]
    if call.phone.is_locked:
        names.insert(0, "NotificationShade")
    if call.phone.windows.is_keyboard_shown:
        names.insert(0, "InputMethod")
    blocks = [
        f"  Window #{index} Window{{{hash_code_of(name)} u0 {name}}}:\n"
        f"    mDisplayId=0 rootTaskId=1 mSession=Session{{{hash_code_of('s' + name)} 5120:u0a10112}}\n"
        f"    mOwnerUid=10112 showForAllUsers=false package={name.split('/')[0]} appop=NONE\n"
        f"    isOnScreen=true\n    isVisible=true"
        for index, name in enumerate(names)
    ]
    return "WINDOW MANAGER WINDOWS (dumpsys window windows)\n" + "\n".join(
        [*blocks, "", "  mHasPermanentDpad=false", "  mTopFocusedDisplayId=0", f"  mRotation={call.phone.rotation}"]
    )


def dump_activities(call: CommandCall) -> str:
    record = _describe_record(call)
    package = record.split(" u0 ")[1].split("/")[0]
    number = _task_id_of(package)
    return f"""ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)
Display #0 (activities from top to bottom):
  * Task{{{hash_code_of("task" + package)} #{number} type=standard A=10112:{package} U=0 visible=true \
visibleRequested=true mode=fullscreen translucent=false sz=1}}
    mBounds=Rect(0, 0 - 0, 0)
    mResumedActivity: {record}
    * Hist  #0: {record}
      packageName={package} processName={package}
      state=RESUMED stopped=false delayedResume=false finishing=false

    topResumedActivity={record}

  ResumedActivity: {record}

ActivityTaskSupervisor state:
  topDisplayFocusedRootTask=Task{{{hash_code_of("task" + package)} #{number} type=standard A=10112:{package}}}
  KeyguardController:
    mKeyguardShowing={to_java_bool(call.phone.is_locked)}
    mAodShowing=false
    mKeyguardGoingAway=false
  LockTaskController:
    mLockTaskModeState=NONE"""


def dump_top(call: CommandCall) -> str:
    record = _describe_record(call)
    component = record.split(" u0 ")[1].split(" ")[0]
    package = component.split("/")[0]
    return f"""TASK {package} id={_task_id_of(package)} userId=0
  ACTIVITY {component} {hash_code_of(component)} pid=5120
    Local Activity {hash_code_of("local" + component)} State:
      mResumed=true mStopped=false mFinished=false"""


def dump_recents(call: CommandCall) -> str:
    lines = ["ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)", "mRecentsUid=10071", "  Recent tasks:"]
    packages = [str(name) for name in call.phone.read_state()["recent"]]
    lines += [
        f"  * Recent #{index}: Task{{{hash_code_of('task' + name)} #{_task_id_of(name)} type=standard A=10112:{name}}}"
        for index, name in enumerate(packages)
    ]
    return "\n".join(lines)
