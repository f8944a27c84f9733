"""The troubles a phone can be put into, by name, with what each one does."""

CONDITIONS = {
    "unauthorized": "asks every host for a key and accepts none",
    "offline": "takes the connection and then says nothing",
    "drop": "the connection breaks in the middle of every command",
    "drop-once": "the connection breaks in the middle of the next command, once",
    "slow": "every shell command takes a second more",
    "ime-denied": "changing the keyboard over adb is refused, as on some makers' phones",
    "locked": "the lock screen is shown; swipe up to open it",
    "rotated": "the screen is turned to landscape",
    "never-idle": "the element tree can't be read because the screen never rests",
    "clipper": "the Clipper app is installed, through which adb can fill the clipboard",
    "popup": "a system dialog appears after the next touch or key",
}
