"""How a task ended, in the language of its goal. The log keeps the engine's own, English, sentences."""

import re
from collections.abc import Sequence

from deskhand.cli.console import as_markup
from deskhand.core.statuses import TaskStatus
from deskhand.fault_words import to_chinese
from deskhand.language import language_of
from deskhand.task.events import EndCause
from deskhand.task.state import TaskState

_CHINESE: list[tuple[re.Pattern[str], str]] = [
    (re.compile(pattern, re.DOTALL), chinese)
    for pattern, chinese in (
        (r"stopped by the user; (.*)", "用户停止了任务；{0}"),
        (r"stopped by the user", "用户停止了任务"),
        (r"the limit of (\S+) steps was reached", "达到了 {0} 步的上限"),
        (r"the time limit of (\S+) s was reached", "超过了 {0} 秒的时限"),
        (r"(\d+) steps failed in a row; the last one: (.*)", "连续 {0} 步失败；最后一次：{1}"),
        (r"(\d+) steps changed nothing", "连续 {0} 步没有任何变化"),
        (r"the user said no to this: (.*)", "用户不同意：{0}"),
        (r"the user is needed: (.*)", "需要用户：{0}"),
        (r"the program that started it went away", "启动它的程序退出了"),
        (
            r"its program ended in the middle of it: deskhand resume (\S+) goes on",
            "它的程序中途退出了：用 deskhand resume {0} 继续",
        ),
        (r"the goal is reached", "目标达成了"),
        (r"no reason was given", "没有说明原因"),
    )
]
# A word or two may stand in a sentence without being its repetition.
_WORTH_POINTING = 12
_STILL_RUNNING = ("it still runs", "仍在运行")
_ENDS: dict[TaskStatus, tuple[str, str, str, str]] = {
    TaskStatus.FULFILLED: ("✔", "green", "fulfilled", "完成"),
    TaskStatus.REJECTED: ("✘", "red", "rejected", "未完成"),
}
_UNDER_WAY = {
    TaskStatus.CREATED: "已创建",
    TaskStatus.PENDING: "进行中",
    TaskStatus.ON_HOLD: "等待用户",
    TaskStatus.INTERRUPTED: "中断",
}


def tell_status(status: TaskStatus, cause: EndCause | None) -> str:
    """Return one word. What the user has stopped is not called rejected."""
    return "stopped" if status is TaskStatus.REJECTED and cause == "stopped" else status.value


def tell_end(state: TaskState, told: Sequence[str] = ()) -> str:
    """Return the line, in markup, that says how the task ended, or that it has not.

    `told`: sentences that stand above it; it points to them.
    """
    zh = language_of(state.goal) == "zh"
    colon = "：" if zh else ": "
    if not state.over:
        why = _STILL_RUNNING[zh]
        if state.status is TaskStatus.INTERRUPTED:
            why = _translate_reason(state.reason) if zh else state.reason
        return f"[yellow]… {_UNDER_WAY[state.status] if zh else state.status.value}[/yellow]{colon}{as_markup(why)}"
    reason = as_markup(_point_to_told(_translate_reason(state.reason) if zh else state.reason, told, zh))
    if state.cause == "stopped":
        return f"[yellow]■[/yellow] {reason}"
    mark, colour, english, chinese = _ENDS[state.status]
    return f"[{colour}]{mark} {chinese if zh else english}[/{colour}]{colon}{reason}"


def tell_numbers(state: TaskState, spent: str) -> str:
    """Return steps, time and, with models, what was spent; and where to read more."""
    zh = language_of(state.goal) == "zh"
    took = state.ended - state.started if state.ended else None
    parts = [f"{state.step} 步" if zh else f"{state.step} step{'' if state.step == 1 else 's'}"]
    if took is not None:
        parts.append(f"{took:.1f} 秒" if zh else f"{took:.1f} s")
    if calls := state.usage.calls:
        parts.append(
            f"{calls} 次模型调用，{spent}" if zh else f"{calls} model call{'' if calls == 1 else 's'}, {spent}"
        )
    return f"[dim]{('，' if zh else ', ').join(parts)} · deskhand show {state.task_id}[/dim]"


def _point_to_told(reason: str, told: Sequence[str], zh: bool) -> str:
    for sentence in sorted(told, key=len, reverse=True):
        whole = sentence.rstrip(".。 ")
        if len(whole) >= _WORTH_POINTING and whole in reason:
            before, _, behind = reason.partition(whole)
            seen = ("见上" if zh else "see above") if before.strip() else ("原因见上" if zh else "for the reason above")
            return f"{before}{seen}{behind}"
    return reason


def _translate_reason(reason: str) -> str:
    for pattern, chinese in _CHINESE:
        if found := pattern.fullmatch(reason):
            return chinese.format(*map(to_chinese, found.groups()))
    return to_chinese(reason)
