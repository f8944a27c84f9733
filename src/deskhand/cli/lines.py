"""An event as a person reads it: one line, or none where there is nothing to say."""

from rich.markup import escape

from deskhand.actions import describe
from deskhand.gates import GateDecision, ReplanReason
from deskhand.task.events import (
    ActionEnded,
    ActionIntended,
    Answered,
    GateClosed,
    PlanMade,
    QueueFlushed,
    Record,
    Ruled,
    StepFinished,
    SubtaskStarted,
    Supplemented,
    TaskCreated,
    TaskResumed,
)
from deskhand.types import ExecStatus

_GATE_COLOURS = {GateDecision.DONE: "green", GateDecision.CONTINUE: "dim"}


def lines_of(record: Record) -> list[str]:
    return _of_the_work(record) or _of_the_plan(record)


def _of_the_work(record: Record) -> list[str]:
    match record.event:
        case TaskCreated(goal=goal, device=device, worker=worker):
            return [f"[bold]{escape(goal)}[/bold]", f"[dim]{device} · {worker} · run {record.task_id}[/dim]"]
        case TaskResumed():
            return ["[bold]taken up again[/bold]"]
        case ActionIntended(step=step, number=number, action=action):
            label = f"{step:>3}" if number == 1 else "   "
            return [f"{label}  {escape(describe(action))}"]
        case ActionEnded(status=status, detail=detail) if status is not ExecStatus.EXECUTED:
            return [f"     [red]{status.value}: {escape(detail)}[/red]"]
        case QueueFlushed(dropped=dropped, reason=reason):
            return [f"     [yellow]{len(dropped)} queued dropped: {escape(reason)}[/yellow]"]
        case StepFinished(report=report) if report.error:
            return [f"{report.step:>3}  [red]{escape(report.error)}[/red]"]
        case Answered(text=text):
            return [f"     [green]{escape(text)}[/green]"]
        case _:
            return []


def _of_the_plan(record: Record) -> list[str]:
    match record.event:
        case PlanMade(reason=reason, strategy=strategy, because=because, subtasks=subtasks):
            head = "plan" if reason is ReplanReason.FIRST_PLAN else f"new plan ({strategy}, {reason}): {because}"
            parts = [f"     {number}. {part.title} [{part.role}]" for number, part in enumerate(subtasks, 1)]
            return [f"[blue]{escape(line)}[/blue]" for line in (head, *parts)]
        case SubtaskStarted(subtask=subtask, went_on=went_on):
            return [f"[blue]▸ {escape(subtask.title)}{' (going on)' if went_on else ''}[/blue]"]
        case Ruled(ruling=ruling) if ruling.rule not in ("worker_done", "periodic_check"):
            return [f"     [yellow]rule {ruling.rule}: {escape(ruling.reason)}[/yellow]"]
        case GateClosed(report=report):
            colour = _GATE_COLOURS.get(report.decision, "red")
            told = f"gate {report.trigger}: {report.decision} by {report.by}: {report.reason}"
            return [f"     [{colour}]{escape(told)}[/{colour}]"]
        case Supplemented(need=need, materials=materials, trouble=trouble):
            found = ", ".join(material.title for material in materials) or trouble or "nothing found"
            return [f"     [blue]looked up {escape(need)}: {escape(found)}[/blue]"]
        case _:
            return []
