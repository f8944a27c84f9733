"""Passes a worker's requests to the user: its questions, the hand-over of the device, and unanswered ones."""

from collections.abc import Sequence

from deskhand.core.actions import TakeOver
from deskhand.core.commands import InjectPrompt
from deskhand.core.decisions import ActionReport, Decision
from deskhand.core.human import UserRequest
from deskhand.core.screen import Frame
from deskhand.core.statuses import ExecStatus, ExecutorStatus
from deskhand.engine.context import TaskContext
from deskhand.engine.human_input import explain_refusal
from deskhand.engine.inner.step import Step, record_status
from deskhand.task.events import CommandTaken


class Questions:
    """`unanswered`: requests that were open when the task was left; a resumed task asks them again."""

    def __init__(self, context: TaskContext, unanswered: Sequence[UserRequest] = ()) -> None:
        self._log = context.log
        self._human = context.human
        self._observer = context.observer
        self._unanswered = list(unanswered)

    @property
    def attended(self) -> bool:
        return self._human.attended

    async def ask_again(self) -> None:
        """Ask what nobody had answered when the task was left."""
        while self._unanswered:
            request = self._unanswered.pop(0)
            reply = await self._human.ask(request.kind, request.text)
            if reply.verdict == "no":
                await self.turn_down(explain_refusal(reply, request.text))
                return
            answer = f'The user was asked "{request.text}" and answered: {reply.text or "yes"}'
            await self._log.record(CommandTaken(command=InjectPrompt(content=answer)))

    async def ask_question(self, step: Step, decision: Decision) -> None:
        """Pass the worker's question to the user, and the answer to the worker's next step."""
        await step.write_noted()
        reply = await self._human.ask("question", decision.message)
        if reply.verdict == "no":
            reason = explain_refusal(reply, decision.message)
            await step.finish_step(thought=decision.thought, message=reason, success=False)
            await self.turn_down(reason)
            return
        answer = f'The user answered your question "{decision.message}": {reply.text or "yes"}'
        step.note_events(CommandTaken(command=InjectPrompt(content=answer)))
        await step.finish_step(thought=decision.thought, message=f"asked the user: {decision.message}")

    async def hand_over(self, step: Step, action: TakeOver, before: Frame) -> tuple[ActionReport | None, str]:
        """Wait until the user hands the device back; return what changed meanwhile, or why they refused."""
        await step.write_noted()
        reply = await self._human.ask("take_over", action.reason)
        if reply.verdict == "no":
            return None, explain_refusal(reply, action.reason)
        change = await self._observer.describe_change(before)
        detail = f"The user had the device and handed it back. {change} {reply.text}".strip()
        return ActionReport(action=action, status=ExecStatus.EXECUTED, detail=detail, changed=True), ""

    async def turn_down(self, reason: str) -> None:
        """End the subtask: what needed the user was not given. Where there is no user, the task still asks for one."""
        decision = None if self._human.attended else "ask"
        await record_status(self._log, ExecutorStatus.FAILED, decision=decision, cause="failed", reason=reason)
