"""The long texts of `dumpsys window` and `dumpsys activity`, in the lines that clients look for."""

from __future__ import annotations

import zlib

from deskhand.simphone.shell.commands.command import Call
from deskhand.simphone.shell.commands.intents import full_activity, short_component


def handle(name: str) -> str:
    """An object's hash code; the same thing has the same one."""
    return f"{zlib.crc32(name.encode()) & 0xFFFFFFF:x}"


def _component(call: Call) -> str:
    package, activity = call.phone.windows.foreground
    return f"{package}/{full_activity(package, activity)}"


def focused_window(call: Call) -> str:
    """The keyguard and a dark screen's shade are one window of the system's."""
    if call.phone.locked or not call.phone.awake:
        return f"Window{{{handle('shade')} u0 NotificationShade}}"
    component = _component(call)
    return f"Window{{{handle(component)} u0 {component}}}"


def _record(call: Call) -> str:
    """The activity in front, or behind the keyguard."""
    front = call.phone.apps.front
    component = _component(call)
    if call.phone.locked:
        app = call.phone.apps.find_app(front)
        component = f"{front}/{full_activity(front, app.page.activity or app.activity)}"
    package = component.split("/")[0]
    return f"ActivityRecord{{{handle(component)} u0 {short_component(component)} t{_task(package)}}}"


def _task(package: str) -> int:
    return 1 + zlib.crc32(package.encode()) % 97


def _bool(value: bool) -> str:
    return str(value).lower()


def policy(call: Call) -> str:
    awake, locked = call.phone.awake, call.phone.locked
    screen = "ON" if awake else "OFF"
    return f"""WINDOW MANAGER POLICY STATE (dumpsys window policy)
    mSafeMode=false mSystemReady=true mSystemBooted=true
    mCameraLensCoverState=CAMERA_LENS_COVER_ABSENT
    mWakeGestureEnabledSetting=true
    mUserRotationMode=USER_ROTATION_LOCKED mUserRotation=ROTATION_0
    mAwake={_bool(awake)}
    mScreenOnEarly={_bool(awake)} mScreenOnFully={_bool(awake)}
    mKeyguardDrawComplete={_bool(awake)} mWindowManagerDrawComplete={_bool(awake)}
    mShowingLockscreen={_bool(locked)} mShowingDream=false mDreamingLockscreen={_bool(locked)}
    isKeyguardShowing={_bool(locked)}
    KeyguardServiceDelegate
      showing={_bool(locked)}
      showingAndNotOccluded={_bool(locked)}
      inputRestricted={_bool(locked)}
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
        mIsShowing={_bool(locked)}
        mSimSecure=false
        mInputRestricted={_bool(locked)}"""


def displays(call: Call) -> str:
    width, height = call.phone.size
    short, long = sorted(call.phone.size)
    turn = call.phone.rotation
    return f"""WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)
  Display: mDisplayId=0 (organized)
    init={short}x{long} {call.phone.density}dpi cur={width}x{height} app={width}x{height} \
rng={short}x{short}-{long}x{long}
    deferred=false mLayoutNeeded=false mTouchExcludeRegion=SkRegion((0,0,{width},{height}))

  mLayoutSeq=412
  mCurrentFocus={focused_window(call)}
  mFocusedApp={_record(call)}
  DisplayRotation
    mCurrentAppOrientation=SCREEN_ORIENTATION_UNSPECIFIED
    mRotation={90 * turn} mDeferredRotationPauseCount=0
    mCurrentRotation=ROTATION_{90 * turn} mLandscapeRotation=ROTATION_90 mPortraitRotation=ROTATION_0
  DisplayPolicy
    mAwake={_bool(call.phone.awake)} mScreenOnEarly={_bool(call.phone.awake)}
    mTopFullscreenOpaqueWindowState={focused_window(call)}
    mShowingDream=false mDreamingLockscreen={_bool(call.phone.locked)}"""


def windows(call: Call) -> str:
    names = ["StatusBar", "NavigationBar0", _component(call)]
    if call.phone.locked:
        names.insert(0, "NotificationShade")
    if call.phone.windows.keyboard_shown:
        names.insert(0, "InputMethod")
    blocks = [
        f"  Window #{index} Window{{{handle(name)} u0 {name}}}:\n"
        f"    mDisplayId=0 rootTaskId=1 mSession=Session{{{handle('s' + name)} 5120:u0a10112}}\n"
        f"    mOwnerUid=10112 showForAllUsers=false package={name.split('/')[0]} appop=NONE\n"
        f"    isOnScreen=true\n    isVisible=true"
        for index, name in enumerate(names)
    ]
    return "WINDOW MANAGER WINDOWS (dumpsys window windows)\n" + "\n".join(
        [*blocks, "", "  mHasPermanentDpad=false", "  mTopFocusedDisplayId=0", f"  mRotation={call.phone.rotation}"]
    )


def activities(call: Call) -> str:
    record = _record(call)
    package = record.split(" u0 ")[1].split("/")[0]
    number = _task(package)
    return f"""ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)
Display #0 (activities from top to bottom):
  * Task{{{handle("task" + package)} #{number} type=standard A=10112:{package} U=0 visible=true \
visibleRequested=true mode=fullscreen translucent=false sz=1}}
    mBounds=Rect(0, 0 - 0, 0)
    mResumedActivity: {record}
    * Hist  #0: {record}
      packageName={package} processName={package}
      state=RESUMED stopped=false delayedResume=false finishing=false

    topResumedActivity={record}

  ResumedActivity: {record}

ActivityTaskSupervisor state:
  topDisplayFocusedRootTask=Task{{{handle("task" + package)} #{number} type=standard A=10112:{package}}}
  KeyguardController:
    mKeyguardShowing={_bool(call.phone.locked)}
    mAodShowing=false
    mKeyguardGoingAway=false
  LockTaskController:
    mLockTaskModeState=NONE"""


def top(call: Call) -> str:
    record = _record(call)
    component = record.split(" u0 ")[1].split(" ")[0]
    package = component.split("/")[0]
    return f"""TASK {package} id={_task(package)} userId=0
  ACTIVITY {component} {handle(component)} pid=5120
    Local Activity {handle("local" + component)} State:
      mResumed=true mStopped=false mFinished=false"""


def recents(call: Call) -> str:
    lines = ["ACTIVITY MANAGER RECENT TASKS (dumpsys activity recents)", "mRecentsUid=10071", "  Recent tasks:"]
    packages = [str(name) for name in call.phone.read_state()["recent"]]
    lines += [
        f"  * Recent #{index}: Task{{{handle('task' + name)} #{_task(name)} type=standard A=10112:{name}}}"
        for index, name in enumerate(packages)
    ]
    return "\n".join(lines)
