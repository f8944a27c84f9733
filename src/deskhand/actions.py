"""Every action that a device or the engine carries out."""

from deskhand.core.actions import *
from deskhand.core.actions import describe_action as describe

__all__ = [
    "Action", "ActionKind", "Answer", "Back", "Click", "DoubleClick", "Drag", "Home", "Hotkey", "Key", "LongPress",
    "ManageWindow", "Memorize", "MiddleClick", "Move", "OpenApp", "OpenUrl", "RightClick", "RunCode", "Scroll", "Swipe",
    "SwitchWindow", "TakeOver", "Type", "Wait", "describe", "parse_action",
]  # fmt: skip
