"""Settles what nobody knows: whether an action was carried out whose outcome the log does not have.

By what is on the screen where that tells, else by the user. Only what can be undone is ever assumed.
"""

from typing import Literal

from deskhand.core.actions import describe_action
from deskhand.core.commands import InjectPrompt
from deskhand.core.errors import DeviceFault
from deskhand.core.irreversible import DoneAct
from deskhand.core.screen import Observation
from deskhand.engine.context import TaskContext
from deskhand.engine.inner.questions import Questions
from deskhand.engine.safety.once import judge_doubt, name_screen
from deskhand.language import is_chinese
from deskhand.task.events import ActionIntended, CommandTaken, DoubtSettled


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
            await self._assume_outcome(intended, seen)
            return
        begun = next(one for one in self._log.state.acts if (one.step, one.number) == (intended.step, intended.number))
        verdict = self._judge_by_screen(begun, seen)
        if verdict == "unknown":
            await self._ask_user(intended, begun)
            return
        because = "it is seen on the screen" if verdict == "done" else "the screen is as it was before"
        await self._write_outcome(intended, verdict == "done", because)

    def _judge_by_screen(self, begun: DoneAct, seen: Observation | None) -> Literal["done", "undone", "unknown"]:
        # A device that was opened anew shows nothing of what it was told before.
        return "unknown" if seen is None or self._log.state.reopened else judge_doubt(begun, seen)

    async def _look_at_screen(self) -> Observation | None:
        try:
            await self._observer.perception.recapture_frame()
            return await self._observer.observe(with_elements=True)
        except DeviceFault:
            return None

    async def _assume_outcome(self, intended: ActionIntended, seen: Observation | None) -> None:
        """What can be undone counts as done if the screen is another one since, and the worker is told to look."""
        same = seen is not None and intended.screen != "" and intended.screen == name_screen(seen)
        if same or self._log.state.reopened:
            await self._write_outcome(intended, False, self._log.state.reopened or "the screen is as it was before")
            return
        action = describe_action(intended.action)
        doubt = f"It is unknown whether the last action was carried out ({action}): look first."
        settled = DoubtSettled(step=intended.step, number=intended.number, done=True, because="it is not known")
        await self._log.record(settled, CommandTaken(command=InjectPrompt(content=doubt)))

    async def _ask_user(self, intended: ActionIntended, begun: DoneAct) -> None:
        what = begun.act.what
        question = (
            f"“{what}”可能已经执行过：任务在得知结果之前中断了。要（再）执行一次吗？"
            if is_chinese(self._log.state.goal)
            else f"{what} may have been carried out already: the task was interrupted before its outcome was known. "
            "Do it (again)?"
        )
        reply = await self._human.ask("approval", question)
        if reply.by != "person":
            await self._questions.turn_down(question)
            return
        again = reply.verdict == "yes"
        because = "the user wants it done" if again else "the user does not want it done again"
        await self._write_outcome(intended, not again, because)

    async def _write_outcome(self, intended: ActionIntended, done: bool, because: str) -> None:
        action = describe_action(intended.action)
        told = f"The last action ({action}) {'counts as' if done else 'was not'} carried out: {because}."
        settled = DoubtSettled(step=intended.step, number=intended.number, done=done, because=because)
        await self._log.record(settled, CommandTaken(command=InjectPrompt(content=told)))
