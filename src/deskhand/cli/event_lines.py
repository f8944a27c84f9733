"""Events as lines of text for the user, in the language of the goal: none where there is nothing to say."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from deskhand.cli.console import as_markup
from deskhand.cli.typed_input import tell_how_to_answer
from deskhand.core.action_words import tell_action
from deskhand.core.llm import Language
from deskhand.core.planning import GateDecision, GateTrigger, QualityReport, ReplanReason
from deskhand.core.statuses import ExecStatus
from deskhand.fault_words import to_chinese
from deskhand.language import language_of
from deskhand.sessions.request_words import describe_request
from deskhand.task import events

# Rulings that lead to a check, whose result is told, or to nothing.
_QUIET_OUTCOMES = ("CONTINUE", "QUALITY_CHECK")


# The worker's name where no model has a say; beside a device, it would read as if that were offline.
WITHOUT_MODEL = "offline"


class _HeldLine(NamedTuple):
    """A line that is told later, or not at all if the task ends with its sentence. `brief`: until the step's end.

    `short` is told in its place while the sentence itself waits for the end, where it is told as `late`.
    """

    sentence: str
    line: str
    brief: bool = False
    short: str = ""
    late: str = ""


class EventLines:
    """Follows one task. A sentence that is also its end is told once.

    The worker without a model tries other ways after a failure and then ends with its sentence: that is told at the
    end, and on the way only that something failed. A model's task ends with its own words: its failures are told where
    they happen, and the end points to them (`told`).
    """

    def __init__(self, language: Language = "en") -> None:
        self._language: Language = language
        self._goal = ""
        self._without_model = False
        self._held: list[_HeldLine] = []
        self._kept: list[_HeldLine] = []
        self.told: list[str] = []

    def describe_record(self, record: events.Record) -> list[str]:
        """Return the lines of this record, behind those that were held back until now."""
        event = record.event
        if isinstance(event, events.TaskCreated):
            self._language, self._goal = language_of(event.goal), event.goal
            self._without_model = event.worker == WITHOUT_MODEL
        if isinstance(event, events.TaskResumed):
            self._kept, self.told = [], []
        if isinstance(event, events.TaskEnded):
            return self._tell_rest(event.reason)
        if (last := self._find_last_word(event)) is not None:
            # The worker ends with the sentence in the language of the goal, the device says it in English.
            last = last._replace(sentence=self._translate_detail(last.sentence))
            if not any(_is_same(last.sentence, held.sentence) for held in self._held):
                self._held.append(last)
            return []
        lines = self._describe_work(record) or self._describe_plan(event) or self._describe_dialogue(event)
        if record.unknown:  # the entry is of a newer version, which had more to say
            more = self._choose_words(f"第 {record.seq} 条还有", f"entry {record.seq} also has")
            lines.append(f"     [dim]{more} {as_markup(', '.join(record.unknown))}[/dim]")
        if lines:
            return [*self._release_lines(), *lines]
        return self._release_lines(lambda held: held.brief) if isinstance(event, events.StepFinished) else []

    def _release_lines(self, is_told: Callable[[_HeldLine], bool] = lambda _: True) -> list[str]:
        """Return the lines that were held back and are to be told; at a step's end, the others stay held."""
        due = [held for held in self._held if is_told(held)]
        self._held = [held for held in self._held if held not in due]
        return [line for held in due if (line := self._release_line(held))]

    def _release_line(self, held: _HeldLine) -> str:
        if self._without_model and held.late:
            if not _find_same(held.sentence, [kept.sentence for kept in self._kept]):
                self._kept.append(held)
            return held.short
        if _find_same(held.sentence, self.told):
            return held.short
        self.told.append(held.sentence)
        return held.line

    def _tell_rest(self, reason: str) -> list[str]:
        """Return what was kept for the end and is not what the task ends with."""
        rest = [*((held, held.late) for held in self._kept), *((held, held.line) for held in self._held)]
        self._kept, self._held, lines = [], [], list[str]()
        told = [reason, self._translate_detail(reason)]
        for held, line in rest:
            if not _find_same(held.sentence, told) and not _find_same(held.sentence, self.told):
                told.append(held.sentence)
                lines.append(line)
        return lines

    def _choose_words(self, chinese: str, english: str) -> str:
        return chinese if self._language == "zh" else english

    def _translate_detail(self, detail: str) -> str:
        return to_chinese(detail) if self._language == "zh" else detail

    def _find_last_word(self, event: events.Event) -> _HeldLine | None:
        """Return a sentence that the task may end with, and its line."""
        match event:
            case events.Ruled(ruling=ruling) if ruling.outcome not in _QUIET_OUTCOMES:
                line = f"     [yellow]{as_markup(self._translate_detail(ruling.reason))}[/yellow]"
                return _HeldLine(ruling.reason, line, late=line)
            case events.GateClosed(report=report) if line := self._describe_check(report):
                is_good = report.decision in (GateDecision.CONTINUE, GateDecision.DONE)
                return _HeldLine(report.reason, line, late="" if is_good else line)
            case events.ActionEnded(step=step, status=status, detail=detail) if status is not ExecStatus.EXECUTED:
                return self._describe_failure(step, status, detail)
            case events.StepFinished(report=report) if report.error:
                error = as_markup(self._translate_detail(report.error))
                line = f"{report.step:>3}  [red]{error}[/red]"
                return _HeldLine(report.error, line, late=line)
            case events.QueueFlushed(dropped=dropped, reason=reason):
                count = len(dropped)
                skipped = self._choose_words(
                    f"跳过后面 {count} 个动作", f"skipped {count} more {_make_plural('action', count)}"
                )
                line = f"     [yellow]{skipped}: {as_markup(self._translate_detail(reason))}[/yellow]"
                return _HeldLine(reason, line, short=f"     [yellow]{skipped}[/yellow]", late=line)
            case events.UserAsked(request=request) if not request.expires:  # there was nobody to ask
                return _HeldLine(request.text, self._describe_question(request.text))
            case _:
                return None

    def _describe_failure(self, step: int, status: ExecStatus, detail: str) -> _HeldLine:
        slow = status is ExecStatus.TIMEOUT
        failed = self._choose_words("超时", "timed out") if slow else self._choose_words("失败", "failed")
        why = as_markup(self._translate_detail(detail))
        late = self._choose_words(f"第 {step} 步{failed}", f"step {step} {failed}")
        return _HeldLine(
            detail,
            f"     [red]{failed}: {why}[/red]",
            brief=True,
            short=f"     [red]{failed}[/red]",
            late=f"     [red]{late}: {why}[/red]",
        )

    def _describe_question(self, text: str) -> str:
        return f"[bold yellow]? {as_markup(text, one_line=True)}[/bold yellow]"

    def _describe_check(self, report: QualityReport) -> str:
        """A check without a model that finds all well on the way, or at the end, is nothing new."""
        reason, by_model = as_markup(report.reason), report.by == "model"
        match report.decision:
            case GateDecision.CONTINUE:
                return (
                    f"     [dim]{self._choose_words('检查', 'checked')}: {reason}[/dim]" if by_model and reason else ""
                )
            case GateDecision.DONE:
                told = reason and (by_model or report.trigger is not GateTrigger.FINAL_CHECK)
                return f"     [green]{self._choose_words('检查通过', 'checked')}: {reason}[/green]" if told else ""
            case GateDecision.SUPPLEMENT:
                return f"     [yellow]{self._choose_words('还缺资料', 'more has to be known')}: {reason}[/yellow]"
            case _:
                return f"     [red]{self._choose_words('检查没有通过', 'the check failed')}: {reason}[/red]"

    def _describe_work(self, record: events.Record) -> list[str]:
        match record.event:
            case events.TaskCreated(goal=goal, device=device, worker=worker):
                by = self._choose_words("无模型", "no model") if worker == WITHOUT_MODEL else worker
                named = f"{device} · {by} · {self._choose_words('任务', 'run')} {record.task_id}"
                return [f"[bold]{as_markup(goal)}[/bold]", f"[dim]{as_markup(named)}[/dim]"]
            case events.TaskResumed():
                return [f"[bold]{self._choose_words('继续任务', 'resumed')}[/bold]"]
            case events.ActionIntended(step=step, number=number, action=action) if action.kind != "answer":
                label = f"{step:>3}" if number == 1 else "   "
                return [f"{label}  {as_markup(tell_action(action, self._language), one_line=True)}"]
            case events.Unreadable(why=why, body=body):
                stored = as_markup(f": {body}" if body else "", one_line=True)
                broken = self._choose_words(f"第 {record.seq} 条读不出来", f"entry {record.seq} can't be read")
                return [f"     [red]{broken} ({as_markup(why)}){stored}[/red]"]
            case events.DeviceReopened(because=because):
                return [f"     [yellow]{as_markup(self._translate_detail(because))}[/yellow]"]
            case events.Answered(text=text):
                return [f"     [green]{as_markup(text)}[/green]"]
            case _:
                return []

    def _describe_plan(self, event: events.Event) -> list[str]:
        match event:
            case events.PlanMade(reason=reason, because=because, subtasks=subtasks):
                first = reason is ReplanReason.FIRST_PLAN
                if first and len(subtasks) == 1:
                    return []  # it is the goal
                head = self._choose_words("计划", "plan") if first else self._describe_new_plan(because)
                mixed = len({part.role for part in subtasks}) > 1
                parts = [
                    f"     {number}. {part.title}" + (f" [{part.role}]" if mixed else "")
                    for number, part in enumerate(subtasks, 1)
                ]
                return [f"[blue]{as_markup(line)}[/blue]" for line in (head, *parts)]
            case events.SubtaskStarted(subtask=subtask, went_on=went_on) if subtask.title != self._goal:
                again = self._choose_words("（继续）", " (going on)") if went_on else ""
                return [f"[blue]▸ {as_markup(subtask.title)}{again}[/blue]"]
            case events.Supplemented(need=need, materials=materials, trouble=trouble):
                nothing = self._choose_words("没有找到", "nothing found")
                found = ", ".join(material.title for material in materials) or ("" if trouble else nothing)
                told = "; ".join(part for part in (found, trouble) if part)
                looked = f"{self._choose_words('查了', 'looked up')} {need}: {told}"
                return [f"     [blue]{as_markup(looked)}[/blue]"]
            case events.TodoEdited(understood=understood) if understood:
                return [f"     [blue]{as_markup(understood)}[/blue]"]
            case _:
                return []

    def _describe_new_plan(self, because: str) -> str:
        head, why = self._choose_words("新计划", "new plan"), self._translate_detail(because)
        before = [*(held.sentence for held in (*self._kept, *self._held)), *self.told]
        if not why or _find_same(why, before):
            return head
        self.told.append(why)
        return f"{head}: {why}"

    def _describe_dialogue(self, event: events.Event) -> list[str]:
        match event:
            case events.UserAsked(request=request):
                how = tell_how_to_answer(request.kind, self._language)
                first, *more = describe_request(request, self._language)
                told = [f"[yellow]  {as_markup(line, one_line=True)}[/yellow]" for line in more]
                return [self._describe_question(first), *told, f"[dim]  ({how})[/dim]"]
            case events.UserReplied(reply=reply):
                verdict = self._choose_words("同意" if reply.verdict == "yes" else "不同意", reply.verdict)
                said = reply.text if reply.verdict == "yes" and reply.text else f"{verdict} {reply.text}".strip()
                late = (
                    self._choose_words("（没有人及时回答）", " (nobody answered in time)")
                    if reply.by == "timeout"
                    else ""
                )
                return [f"     [yellow]→ {as_markup(said)}{late}[/yellow]"]
            case events.UserSaid(text=text):
                return [f"     [yellow]{self._choose_words('你', 'you')}: {as_markup(text)}[/yellow]"]
            case events.UserActed(action=action):
                told = f"{self._choose_words('你动手', 'by hand')}: {tell_action(action, self._language)}"
                return [f"     [yellow]{as_markup(told, one_line=True)}[/yellow]"]
            case events.Warned(text=text):
                return [f"     [yellow]{as_markup(text)}[/yellow]"]
            case events.Corrected(text=text):
                stuck = self._choose_words("卡住了，换个办法", "stuck, so it tries another way")
                return [f"     [yellow]{stuck}: {as_markup(text)}[/yellow]"]
            case _:
                return []


def _make_plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _is_same(one: str, other: str) -> bool:
    """True if one sentence holds the other; a full stop or what was done so far may follow."""
    one, other = one.rstrip(".。… "), other.rstrip(".。… ")
    return one == other or (bool(one and other) and (one in other or other in one))


def _find_same(sentence: str, others: Iterable[str]) -> bool:
    return any(_is_same(sentence, other) for other in others)
