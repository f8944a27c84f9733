"""What `dumpsys window` says is in front, and whether the phone is locked or asleep."""

import re
from dataclasses import dataclass

from deskhand.devices.android.phone_shell import Line

COMPONENT = re.compile(r"\s([\w.]+)/([\w.$]+)")
LOCKED = re.compile(
    r"\b(?:mDreamingLockscreen|mShowingLockscreen|isKeyguardShowing|isStatusBarKeyguard|mKeyguardShowing)=true"
)
ASLEEP = re.compile(r"\bmAwake=false|SCREEN_STATE_OFF")
LINES = "mCurrentFocus=|mFocusedApp=|Lockscreen=|KeyguardShowing=|isStatusBarKeyguard=|mAwake=|screenState="


@dataclass(frozen=True, slots=True)
class Front:
    """The window that gets touches and keys."""

    package: str
    activity: str
    locked: bool
    asleep: bool


async def look_at_front(line: Line) -> Front:
    return read_front(await line.text(f"dumpsys window | grep -E '{LINES}'"))


def read_front(text: str) -> Front:
    package = activity = ""
    # A pop-up window has the focus without naming its app; then the app behind it is the answer.
    for word in ("mFocusedApp=", "mCurrentFocus="):
        for line in text.splitlines():
            if word in line and (found := COMPONENT.search(line)):
                package, activity = found.groups()
    short = activity.removeprefix(package) if activity.startswith(package + ".") else activity
    return Front(package, short, bool(LOCKED.search(text)), bool(ASLEEP.search(text)))
