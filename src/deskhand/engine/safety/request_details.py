"""Says what an approval is about, in words: the action, what would go out with it, and to whom.

Read from the elements of the screen that was judged; what it does not tell stays empty.
"""

from collections.abc import Sequence
from urllib.parse import urlsplit

from deskhand.app_names import name_app
from deskhand.core.actions import (
    Action,
    Hotkey,
    Key,
    ManageWindow,
    OpenApp,
    OpenUrl,
    PointAction,
    RunCode,
    Scroll,
    SwitchWindow,
    Type,
)
from deskhand.core.human import RequestDetails
from deskhand.core.llm import Language
from deskhand.core.outgoing import OutgoingRequest
from deskhand.core.screen import Element, Observation
from deskhand.engine.safety.sending import find_title, list_filled_fields, read_sending
from deskhand.engine.safety.touched_elements import find_touched

# As much of a field, and of all fields together, as a person reads before a yes.
_FIELD, _CONTENT = 500, 2000
# As much of a message as fits into a question.
_SENT = 200
_VERBS: dict[str, tuple[str, str]] = {
    "click": ("click", "点击"),
    "double_click": ("double-click", "双击"),
    "right_click": ("right-click", "右键点击"),
    "middle_click": ("middle-click", "中键点击"),
    "move": ("point at", "指向"),
    "long_press": ("long-press", "长按"),
    "drag": ("drag", "拖动"),
    "swipe": ("swipe", "滑动"),
    "scroll": ("scroll", "滚动"),
    "type": ("type", "输入"),
    "key": ("press the key", "按键"),
    "hotkey": ("press the keys", "按组合键"),
    "open_app": ("open the app", "打开应用"),
    "open_url": ("open the address", "打开网址"),
    "switch_window": ("switch to the window", "切换到窗口"),
    "manage_window": ("change the window", "改变窗口"),
    "run_code": ("run code", "运行代码"),
}


def describe_details(action: Action, seen: Observation, language: Language) -> RequestDetails:
    """Return what the user needs to know before a yes to this action on this screen."""
    filled, page = list_filled_fields(seen), find_title(seen)
    content = action.code if isinstance(action, RunCode) else _list_content(action, filled)
    return RequestDetails(
        app=name_app(seen.app, language),
        page=page,
        doing=_describe_doing(action, seen, language),
        content=content,
        recipient=_find_recipient(action, seen),
    )


def describe_sending(action: Action, seen: Observation, language: Language) -> str:
    """Return what goes out and to whom, as a part of a question; empty if there is no text."""
    sending = read_sending(action, seen)
    text = " / ".join(sending.texts)
    if not text:
        return ""
    shown = text if len(text) <= _SENT else text[:_SENT] + "…"
    if language == "zh":
        return f"发给{sending.recipient[:_SENT] or '未知的收件人'}：“{shown}”"
    return f"to {sending.recipient[:_SENT] or 'an unknown recipient'}: “{shown}”"


def describe_outgoing(
    request: OutgoingRequest, action: Action | None, seen: Observation | None, language: Language
) -> RequestDetails:
    """Return what the user needs to know before this request of a page leaves; its body may hold passwords."""
    if action is None or seen is None:
        return RequestDetails(doing=f"{request.method} {request.url}", recipient=urlsplit(request.url).hostname or "")
    found = describe_details(action, seen, language)
    doing = f"{found.doing} → {request.method} {request.url}"
    return found.model_copy(
        update={"doing": doing, "recipient": found.recipient or urlsplit(request.url).hostname or ""}
    )


def _describe_doing(action: Action, seen: Observation, language: Language) -> str:
    zh = language == "zh"
    verb = _VERBS.get(action.kind, (action.kind.replace("_", " "),) * 2)[zh]
    named = _name_target(action, seen)
    if not named:
        return verb
    enter = (" and press Enter", "并按回车") if isinstance(action, Type) and action.press_enter else ("", "")
    return f"{verb}“{named}”{enter[1]}" if zh else f'{verb} "{named}"{enter[0]}'


def _name_target(action: Action, seen: Observation) -> str:
    """Return the thing that the action is about. What is really there goes before what the worker calls it."""
    match action:
        case (
            Type(text=name)
            | OpenApp(name=name)
            | OpenUrl(url=name)
            | SwitchWindow(title=name)
            | ManageWindow(title=name)
        ):
            return name
        case PointAction(x=x, y=y, target=target) | Scroll(x=int(x), y=int(y), target=target):
            touched = find_touched(seen, x, y)
            return next((one.text for one in touched if one.text and not one.password), target) or f"({x}, {y})"
        case Key(key=name):
            return name
        case Hotkey(keys=keys):
            return " + ".join(keys)
        case _:
            return ""


def _list_content(action: Action, filled: Sequence[Element]) -> str:
    """Return what stands in the fields; one by itself without its label, as in a chat."""
    lines = [
        _shorten_text(one.value) if len(filled) == 1 else f"{_label_of(one)}{_shorten_text(one.value)}"
        for one in filled
    ]
    if isinstance(action, Type) and action.press_enter and action.text not in (one.value for one in filled):
        lines.append(_shorten_text(action.text))
    return "\n".join(lines)[:_CONTENT]


def _label_of(field: Element) -> str:
    label = field.name or field.hint
    return f"{label}: " if label else ""


def _shorten_text(text: str) -> str:
    return text if len(text) <= _FIELD else text[:_FIELD] + "…"


def _find_recipient(action: Action, seen: Observation) -> str:
    """Return what the fields for recipients hold; where only one field is filled, as in a chat, what that is called."""
    sending = read_sending(action, seen)
    return sending.recipient[:_FIELD] if sending.recipients or len(sending.texts) == 1 else ""
