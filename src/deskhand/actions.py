"""Every action that a device or the engine carries out."""

from deskhand.core.actions import (
    Action,
    ActionKind,
    Answer,
    Back,
    Click,
    DoubleClick,
    Drag,
    Home,
    Hotkey,
    Key,
    LongPress,
    Memorize,
    MiddleClick,
    Move,
    OpenApp,
    OpenUrl,
    RightClick,
    RunCode,
    Scroll,
    Swipe,
    SwitchWindow,
    TakeOver,
    Type,
    Wait,
    describe_action,
    parse_action,
)

__all__ = [
    "Action", "ActionKind", "Answer", "Back", "Click", "DoubleClick", "Drag", "Home", "Hotkey", "Key", "LongPress",
    "Memorize", "MiddleClick", "Move", "OpenApp", "OpenUrl", "RightClick", "RunCode", "Scroll", "Swipe",
    "SwitchWindow", "TakeOver", "Type", "Wait", "describe_action", "parse_action",
]  # fmt: skip
