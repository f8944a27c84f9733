"""Events as lines of text for the user: one or more for each event, none where there is nothing to say."""

from deskhand.cli.console import as_markup
from deskhand.cli.typed_input import HOW_TO_ANSWER
from deskhand.core.actions import describe_action
from deskhand.core.planning import GateDecision, ReplanReason
from deskhand.core.statuses import ExecStatus
from deskhand.task import events

_GATE_COLOURS = {GateDecision.DONE: "green", GateDecision.CONTINUE: "dim"}


def lines_of(record: events.Record) -> list[str]:
    lines = _describe_work(record) or _describe_plan(record) or _describe_dialogue(record)
    if record.unknown:  # the entry is of a newer version, which had more to say
        lines.append(f"     [dim]entry {record.seq} also has {as_markup(', '.join(record.unknown))}[/dim]")
    return lines


def _describe_work(record: events.Record) -> list[str]:
    match record.event:
        case events.TaskCreated(goal=goal, device=device, worker=worker):
            return [
                f"[bold]{as_markup(goal)}[/bold]",
                f"[dim]{as_markup(f'{device} · {worker} · run {record.task_id}')}[/dim]",
            ]
        case events.TaskResumed():
            return ["[bold]taken up again[/bold]"]
        case events.ActionIntended(step=step, number=number, action=action):
            label = f"{step:>3}" if number == 1 else "   "
            return [f"{label}  {as_markup(describe_action(action), one_line=True)}"]
        case events.ActionEnded(status=status, detail=detail) if status is not ExecStatus.EXECUTED:
            return [f"     [red]{status.value}: {as_markup(detail)}[/red]"]
        case events.QueueFlushed(dropped=dropped, reason=reason):
            return [f"     [yellow]{len(dropped)} queued dropped: {as_markup(reason)}[/yellow]"]
        case events.StepFinished(report=report) if report.error:
            return [f"{report.step:>3}  [red]{as_markup(report.error)}[/red]"]
        case events.Unreadable(why=why, body=body):
            stored = f": {body}" if body else ""
            return [
                f"     [red]entry {record.seq} can't be read ({as_markup(why)}){as_markup(stored, one_line=True)}[/red]"
            ]
        case events.Answered(text=text):
            return [f"     [green]{as_markup(text)}[/green]"]
        case _:
            return []


def _describe_plan(record: events.Record) -> list[str]:
    match record.event:
        case events.PlanMade(reason=reason, strategy=strategy, because=because, subtasks=subtasks):
            head = "plan" if reason is ReplanReason.FIRST_PLAN else f"new plan ({strategy}, {reason}): {because}"
            parts = [f"     {number}. {part.title} [{part.role}]" for number, part in enumerate(subtasks, 1)]
            return [f"[blue]{as_markup(line)}[/blue]" for line in (head, *parts)]
        case events.SubtaskStarted(subtask=subtask, went_on=went_on):
            return [f"[blue]▸ {as_markup(subtask.title)}{' (going on)' if went_on else ''}[/blue]"]
        case events.Ruled(ruling=ruling) if ruling.rule not in ("worker_done", "periodic_check"):
            return [f"     [yellow]rule {ruling.rule}: {as_markup(ruling.reason)}[/yellow]"]
        case events.GateClosed(report=report):
            colour = _GATE_COLOURS.get(report.decision, "red")
            by = f"model, {report.depth} depth" if report.by == "model" else "rules"
            told = f"gate {report.trigger}: {report.decision} by {by}" + (f": {report.reason}" if report.reason else "")
            return [f"     [{colour}]{as_markup(told)}[/{colour}]"]
        case events.Supplemented(need=need, materials=materials, trouble=trouble):
            found = ", ".join(material.title for material in materials) or ("" if trouble else "nothing found")
            told = "; ".join(part for part in (found, trouble) if part)
            return [f"     [blue]looked up {as_markup(need)}: {as_markup(told)}[/blue]"]
        case _:
            return []


def _describe_dialogue(record: events.Record) -> list[str]:
    match record.event:
        case events.UserAsked(request=request):
            told = f"[bold yellow]? {as_markup(request.text, one_line=True)}[/bold yellow]"
            # Without a time until which it is waited for, there was nobody to ask.
            return [told, f"[dim]  ({HOW_TO_ANSWER[request.kind]})[/dim]"] if request.expires else [told]
        case events.UserReplied(reply=reply):
            said = reply.text if reply.verdict == "yes" and reply.text else f"{reply.verdict} {reply.text}".strip()
            late = " (nobody answered in time)" if reply.by == "timeout" else ""
            return [f"     [yellow]→ {as_markup(said)}{late}[/yellow]"]
        case events.UserSaid(text=text):
            return [f"     [yellow]you: {as_markup(text)}[/yellow]"]
        case events.UserActed(action=action):
            return [f"     [yellow]by hand: {as_markup(describe_action(action), one_line=True)}[/yellow]"]
        case events.TodoEdited(understood=understood) if understood:
            return [f"     [blue]{as_markup(understood)}[/blue]"]
        case events.Warned(text=text):
            return [f"     [yellow]{as_markup(text)}[/yellow]"]
        case events.Corrected(level=level, text=text):
            return [f"     [yellow]stuck ({level}): {as_markup(text)}[/yellow]"]
        case _:
            return []
