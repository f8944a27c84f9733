"""Tells how a goal is read without a model: each instruction with its slots, and what was not understood."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import cast

from deskhand.language import is_chinese
from deskhand.roles.offline.language.grammar import parse_goal, read_clauses
from deskhand.roles.offline.language.instructions import Condition, Instruction, NotUnderstood
from deskhand.roles.offline.manager import EMPTY_GOAL
from deskhand.roles.offline.technician import split_code

# Instruction: Chinese, English
_KINDS: dict[str, tuple[str, str]] = {
    "Open": ("打开", "open"),
    "Visit": ("访问", "visit"),
    "Close": ("关闭", "close"),
    "Tap": ("点击", "tap"),
    "Write": ("输入", "type"),
    "Clear": ("清空", "clear"),
    "Search": ("搜索", "search"),
    "Find": ("找到", "find"),
    "Select": ("选择", "select"),
    "Toggle": ("开关", "switch"),
    "Scrolling": ("滚动", "scroll"),
    "Swiping": ("滑动", "swipe"),
    "Pausing": ("等待", "wait"),
    "WaitUntil": ("等到", "wait until"),
    "Read": ("读取", "read"),
    "Verify": ("确认", "verify"),
    "Ask": ("回答是否", "answer whether"),
    "Send": ("发送", "send"),
    "SetValue": ("设为", "set"),
    "Delete": ("删除", "delete"),
    "Create": ("新建", "create"),
    "AddToCart": ("加入购物车", "add to cart"),
    "GoBack": ("返回", "go back"),
    "GoHome": ("回到主屏幕", "go home"),
    "Another": ("换一个", "take another"),
    "StartAgain": ("重新开始", "start again"),
    "PressKey": ("按键", "press"),
    "Drag": ("拖动", "drag"),
    "Hover": ("悬停", "hover"),
    "Expand": ("展开", "expand"),
    "Upload": ("上传", "upload"),
    "LogIn": ("登录", "log in"),
    "SaveAs": ("另存为", "save as"),
    "Edit": ("编辑", "edit"),
    "ArrangeWindow": ("窗口", "window"),
    "GoToCell": ("单元格", "cell"),
    "AddTo": ("追加", "add to"),
    "Call": ("呼叫", "call"),
    "Compute": ("计算", "compute"),
    "TakePhoto": ("拍照", "take a photo"),
    "JoinNetwork": ("连接网络", "join the network"),
    "StartTimer": ("开始倒计时", "start a timer"),
    "MoveAlarm": ("改闹钟", "move the alarm"),
    "ListAlarms": ("列出闹钟", "list the alarms"),
    "ReadNote": ("读取笔记", "read the note"),
    "ReadWeather": ("查看天气", "tell the weather"),
    "Favour": ("收藏", "mark as a favourite"),
    "Refrain": ("不做", "leave undone"),
    "RunCode": ("运行代码", "run code"),
    "NotUnderstood": ("没有看懂", "NOT UNDERSTOOD"),
}
_SLOTS: dict[str, str] = {
    "name": "名称",
    "url": "网址",
    "target": "对象",
    "gesture": "手势",
    "text": "文字",
    "replace": "替换",
    "where": "位置",
    "option": "选项",
    "source_name": "来源",
    "on": "打开",
    "direction": "方向",
    "to_end": "到头",
    "seconds": "秒",
    "condition": "条件",
    "to": "给",
    "value": "值",
    "what": "种类",
    "fields": "内容",
    "keys": "按键",
    "item": "对象",
    "onto": "到",
    "expanded": "展开",
    "file": "文件",
    "user": "用户",
    "password": "密码",
    "command": "命令",
    "how": "方式",
    "cell": "单元格",
    "sum": "算式",
    "time": "时间",
    "place": "地点",
    "deed": "事情",
    "person": "人",
}


@dataclass(frozen=True, slots=True)
class ReadStep:
    """One instruction as it was read: its kind, the part of the goal, and its slots by name."""

    kind: str
    source: str
    slots: dict[str, object]


def explain_goal(goal: str) -> list[ReadStep]:
    """Return the reading of a goal, in order."""
    steps: list[ReadStep] = []
    for part, is_code in split_code(goal):
        if is_code:
            steps.append(ReadStep("RunCode", part, {}))
        else:
            steps += [ReadStep(type(step).__name__, step.source, _list_slots(step)) for step in _read_part(part)]
    return steps


def _read_part(part: str) -> tuple[Instruction, ...]:
    """Return the instructions, with those to leave something undone if there is anything else to do."""
    steps = parse_goal(part)
    return steps if any(isinstance(step, NotUnderstood) for step in steps) else read_clauses(part)


def is_understood(steps: list[ReadStep]) -> bool:
    return bool(steps) and all(step.kind != NotUnderstood.__name__ for step in steps)


def describe_reading(goal: str, steps: list[ReadStep]) -> list[str]:
    """Return the lines that tell a user how the goal is read, in its language."""
    zh = is_chinese(goal)
    lines = [f"{number}. {_describe_step(step, zh)}" for number, step in enumerate(steps, 1)]
    if is_understood(steps):
        return [*lines, "每个词都看懂了。" if zh else "Every word is understood."]
    return [*lines, *([] if steps else [EMPTY_GOAL[0 if zh else 1]]), describe_remedy(zh)]


def describe_remedy(zh: bool) -> str:
    """Say what helps when a part of a goal is not understood."""
    if zh:
        return "有一部分没有看懂，所以什么都不会做：名称和文字请加引号，或者配上模型（--model 或 models.operator）。"
    return (
        "A part is not understood, so nothing is done: put names and texts in quotes, "
        "or set a model (--model or models.operator), which could do it."
    )


def _describe_step(step: ReadStep, zh: bool) -> str:
    kind = _KINDS.get(step.kind, (step.kind, step.kind))[0 if zh else 1]
    slots = [
        f"{_SLOTS.get(name, name) if zh else name.replace('_', ' ')}: {_tell_value(value, zh)}"
        for name, value in step.slots.items()
    ]
    told = ("，" if zh else ", ").join(slots)
    return f"{kind}{f' ({told})' if told else ''} ← {step.source}"


def _tell_value(value: object, zh: bool) -> object:
    if isinstance(value, bool):
        return ("是" if value else "否") if zh else ("yes" if value else "no")
    if isinstance(value, dict):
        value = tuple(cast("Mapping[str, object]", value).values())
    if isinstance(value, tuple):
        return " ".join(str(_tell_value(one, zh)) for one in cast("Iterable[object]", value))
    return value


def _list_slots(step: Instruction) -> dict[str, object]:
    values = {field.name: getattr(step, field.name) for field in fields(step) if field.name != "source"}
    return {name: _to_plain(value) for name, value in values.items() if value != "" and value != ()}


def _to_plain(value: object) -> object:
    if isinstance(value, Condition):
        return {
            key: told for key, told in (("is", value.kind), ("subject", value.subject), ("value", value.value)) if told
        }
    return value
