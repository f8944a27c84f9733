"""Reads from `dumpsys window` which app is in front, and whether the phone is locked or asleep."""

import re
from dataclasses import dataclass

from deskhand.devices.android.phone_shell import PhoneShell

COMPONENT = re.compile(r"\s([\w.]+)/([\w.$]+)")
LOCKED = re.compile(
    r"\b(?:mDreamingLockscreen|mShowingLockscreen|isKeyguardShowing|isStatusBarKeyguard|mKeyguardShowing)=true"
)
ASLEEP = re.compile(r"\bmAwake=false|SCREEN_STATE_OFF")
CLOCK = re.compile(r"^clock=(\d\d:\d\d)\s*$", re.MULTILINE)
LINES = "mCurrentFocus=|mFocusedApp=|Lockscreen=|KeyguardShowing=|isStatusBarKeyguard=|mAwake=|screenState="


@dataclass(frozen=True, slots=True)
class Foreground:
    """The window that gets touches and keys. `clock`: the phone's time of day."""

    package: str
    activity: str
    locked: bool
    asleep: bool
    clock: str = ""


async def read_foreground(shell: PhoneShell) -> Foreground:
    return parse_foreground(await shell.read_output(f"date +clock=%H:%M; dumpsys window | grep -E '{LINES}'"))


def parse_foreground(text: str) -> Foreground:
    package = activity = ""
    # A pop-up window has the focus but does not name its app; then the app behind it counts.
    for word in ("mFocusedApp=", "mCurrentFocus="):
        for line in text.splitlines():
            if word in line and (found := COMPONENT.search(line)):
                package, activity = found.groups()
    short = activity.removeprefix(package) if activity.startswith(package + ".") else activity
    clock = CLOCK.search(text)
    return Foreground(
        package, short, bool(LOCKED.search(text)), bool(ASLEEP.search(text)), clock[1] if clock is not None else ""
    )
