"""An action in the user's language, as a line of progress: what is done to what. Coordinates say nothing to a user."""

from deskhand.core import actions
from deskhand.core.actions import Action
from deskhand.core.llm import Language

# English and Chinese of the words that act on one thing, with and without its name.
_POINTED: dict[str, tuple[str, str, str, str]] = {
    "click": ('click "{}"', "click the screen", "点击“{}”", "点击屏幕"),
    "double_click": ('double click "{}"', "double click the screen", "双击“{}”", "双击屏幕"),
    "right_click": ('right click "{}"', "right click the screen", "右键点击“{}”", "右键点击屏幕"),
    "middle_click": ('middle click "{}"', "middle click the screen", "中键点击“{}”", "中键点击屏幕"),
    "long_press": ('press and hold "{}"', "press and hold the screen", "长按“{}”", "长按屏幕"),
    "move": ('point at "{}"', "move the pointer", "指向“{}”", "移动指针"),
    "drag": ('drag "{}"', "drag across the screen", "拖动“{}”", "在屏幕上拖动"),
    "swipe": ('swipe "{}"', "swipe across the screen", "滑动“{}”", "滑动屏幕"),
}
_CHANGES = {
    "close": ("close", "关闭"), "maximize": ("maximize", "最大化"), "minimize": ("minimize", "最小化"),
    "restore": ("restore", "还原"),
}  # fmt: skip
_WAYS = {"up": "上", "down": "下", "left": "左", "right": "右"}


def tell_action(action: Action, language: Language) -> str:
    """Return one short line: `type "Foo" into "Search"`, 在“搜索”里输入“Foo”."""
    zh = language == "zh"
    if action.kind in _POINTED:
        named, unnamed, named_zh, unnamed_zh = _POINTED[action.kind]
        target = getattr(action, "target", "")
        return (named_zh if zh else named).format(target) if target else (unnamed_zh if zh else unnamed)
    return _tell_input(action, zh) or _tell_way(action, zh) or _tell_thought(action, zh)


def _tell_input(action: Action, zh: bool) -> str:
    match action:
        case actions.Type(text="", target=target):
            if zh:
                return f"清空“{target}”" if target else "清空输入框"
            return f'clear "{target}"' if target else "clear the field"
        case actions.Type(text=text, target=target, press_enter=enter):
            if zh:
                return (f"在“{target}”里输入“{text}”" if target else f"输入“{text}”") + ("并回车" if enter else "")
            return f'type "{text}"' + (f' into "{target}"' if target else "") + (" and press Enter" if enter else "")
        case actions.Key(key=key):
            return f"按 {key} 键" if zh else f"press {key}"
        case actions.Hotkey(keys=keys):
            return f"按 {'+'.join(keys)}" if zh else f"press {'+'.join(keys)}"
        case _:
            return ""


def _tell_way(action: Action, zh: bool) -> str:
    match action:
        case actions.Scroll(direction=way):
            return f"向{_WAYS[way]}滚动" if zh else f"scroll {way}"
        case actions.OpenApp(name=name):
            return f"打开应用“{name}”" if zh else f'open app "{name}"'
        case actions.OpenUrl(url=url):
            return f"打开 {url}" if zh else f"open {url}"
        case actions.SwitchWindow(title=title):
            return f"切换到“{title}”" if zh else f'switch to "{title}"'
        case actions.ManageWindow(change=change, title=title):
            en, chinese = _CHANGES[change]
            if zh:
                return f"{chinese}窗口“{title}”" if title else f"{chinese}窗口"
            return f'{en} "{title}"' if title else f"{en} the window"
        case actions.Back():
            return "返回" if zh else "go back"
        case actions.Home():
            return "回到主屏幕" if zh else "go to the home screen"
        case actions.Wait(seconds=seconds):
            return f"等待 {seconds:g} 秒" if zh else f"wait {seconds:g} s"
        case _:
            return ""


def _tell_thought(action: Action, zh: bool) -> str:
    match action:
        case actions.Memorize(text=text):
            return f"记下：{text}" if zh else f"note: {text}"
        case actions.Answer(text=text):
            return f"回答：{text}" if zh else f"answer: {text}"
        case actions.TakeOver(reason=reason):
            return f"请你接手：{reason}" if zh else f"hand over to you: {reason}"
        case actions.RunCode(language=language, code=code):
            first = code.strip().splitlines()[0] if code.strip() else ""
            return f"运行 {language} 代码：{first}" if zh else f"run {language} code: {first}"
        case _:
            return action.kind.replace("_", " ")
