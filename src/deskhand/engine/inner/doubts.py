"""Settles what nobody knows: whether an action was carried out whose outcome the log does not have.

By what is on the screen where that tells, else by the user. Only what can be undone is ever assumed.
"""

from dataclasses import dataclass
from typing import Literal

from deskhand.core.actions import describe_action
from deskhand.core.commands import InjectPrompt
from deskhand.core.errors import DeviceFault
from deskhand.core.irreversible import DoneAct
from deskhand.core.screen import Observation
from deskhand.engine.context import TaskContext
from deskhand.engine.inner.questions import Questions
from deskhand.engine.inner.step import Step
from deskhand.engine.safety.once import judge_doubt, list_doubts, name_screen
from deskhand.language import is_chinese
from deskhand.task.events import ActionIntended, CommandTaken, DoubtSettled

_SEEN = "it is seen on the screen"
_UNCHANGED = "the screen is as it was before"
# Why the outcome of an act is not known, in Chinese and English.
_INTERRUPTED = ("任务在得知结果之前中断了", "the task was interrupted before its outcome was known")
_NO_ANSWER = ("设备没有回应", "the device did not answer")


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a worker's "done" is not believed. `needs_user`: nobody else can tell, so the work ends here."""

    reason: str
    needs_user: bool = False


class Doubts:
    def __init__(self, context: TaskContext, questions: Questions) -> None:
        self._log = context.log
        self._human = context.human
        self._observer = context.observer
        self._questions = questions

    async def settle_last_action(self) -> None:
        """Find out about an action that was cut off, before a worker goes on. Ends the subtask if nobody can tell."""
        intended = self._log.state.unconfirmed
        if intended is None:
            return
        seen = await self._look_at_screen()
        if intended.act is None:
            if refused := await self._assume_outcome(intended, seen):
                await self._questions.turn_down(refused)
            return
        begun = next(one for one in self._log.state.acts if (one.step, one.number) == (intended.step, intended.number))
        if refused := await self._settle_act(begun, seen, _INTERRUPTED):
            await self._questions.turn_down(refused)

    async def find_objection(self, step: Step) -> Objection | None:
        """Settle what is unknown before a worker's "done" is believed: all it heard of an act may be a time-out."""
        if doubts := list_doubts(self._log.state):
            await step.write_noted()
        for begun in doubts:
            if question := await self._settle_act(begun, await self._look_at_screen(), _NO_ANSWER):
                return Objection(question, needs_user=True)
        undone = self._log.state.undone
        return Objection(f"{undone} was not carried out.") if undone else None

    async def _settle_act(self, begun: DoneAct, seen: Observation | None, why: tuple[str, str]) -> str:
        """By the screen, else by the user; return the question if nobody is there to answer it."""
        verdict = self._judge_by_screen(begun, seen)
        if verdict == "unknown":
            return await self._ask_user(begun, begun.act.what, why)
        await self._write_outcome(begun, begun.act.what, verdict == "done", _SEEN if verdict == "done" else _UNCHANGED)
        return ""

    def _judge_by_screen(self, begun: DoneAct, seen: Observation | None) -> Literal["done", "undone", "unknown"]:
        # A device that was opened anew shows nothing of what it was told before.
        return "unknown" if seen is None or self._log.state.reopened else judge_doubt(begun, seen)

    async def _look_at_screen(self) -> Observation | None:
        try:
            await self._observer.perception.recapture_frame()
            return await self._observer.observe(with_elements=True)
        except DeviceFault:
            return None

    async def _assume_outcome(self, intended: ActionIntended, seen: Observation | None) -> str:
        """What can be undone counts as done if the screen is another one since, and the worker is told to look.

        A page that stands there as before does not tell what its server was handed. Return the question about that if
        nobody is there to answer it.
        """
        same = seen is not None and intended.screen != "" and intended.screen == name_screen(seen)
        action = describe_action(intended.action)
        if (same or self._log.state.reopened) and intended.request:
            return await self._ask_user(intended, intended.request.what, _INTERRUPTED)
        if same or self._log.state.reopened:
            because = self._log.state.reopened or _UNCHANGED
            told = f"The last action ({action}) was not carried out: {because}."
            await self._write_settled(intended, False, because, told)
            return ""
        told = f"It is unknown whether the last action was carried out ({action}): look first."
        await self._write_settled(intended, True, "it is not known", told)
        return ""

    async def _ask_user(self, begun: ActionIntended | DoneAct, what: str, why: tuple[str, str]) -> str:
        question = (
            f"“{what}”可能已经执行过：{why[0]}。要（再）执行一次吗？"
            if is_chinese(self._log.state.goal)
            else f"{what} may have been carried out already: {why[1]}. Do it (again)?"
        )
        reply = await self._human.ask("approval", question, no_goes_on=True)
        if reply.by != "person":
            return question
        again = reply.verdict == "yes"
        because = "the user wants it done" if again else "the user does not want it done again"
        await self._write_outcome(begun, what, not again, because, by_user=True)
        return ""

    async def _write_outcome(
        self, begun: ActionIntended | DoneAct, what: str, done: bool, because: str, *, by_user: bool = False
    ) -> None:
        how = "counts as" if done else "was not"
        told = f"The action of step {begun.step} ({what}) {how} carried out: {because}."
        await self._write_settled(begun, done, because, told, by_user=by_user)

    async def _write_settled(
        self, begun: ActionIntended | DoneAct, done: bool, because: str, told: str, *, by_user: bool = False
    ) -> None:
        settled = DoubtSettled(step=begun.step, number=begun.number, done=done, because=because, by_user=by_user)
        await self._log.record(settled, CommandTaken(command=InjectPrompt(content=told)))
