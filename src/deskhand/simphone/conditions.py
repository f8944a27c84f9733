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
    "deaf-buttons": "buttons and rows of apps look as ever and do nothing",
    "springing-switches": "a switch springs back as soon as it was turned",
    "stuck-dialogs": "a dialog stays, and does nothing, whatever is pressed in it",
    "refused-deletions": "a question before a deletion closes, and nothing is deleted",
    "failed-sending": "messages stand in the conversation, and after 4 s with a mark that they were not delivered",
    "forgetful": "what is saved in notes, contacts and alarms is not kept",
    "short-fields": "fields take only the first three letters of what is typed",
    "no-service": "a call ends before it begins",
}
