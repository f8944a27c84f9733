"""Gives subtasks to the worker by commands, and knows whose events still count."""

from deskhand.bus import Mailbox
from deskhand.core.commands import Command, Pause, StartTask
from deskhand.core.protocols import Clock
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import Subtask
from deskhand.engine.outer.coaching import Coaching
from deskhand.engine.task_log import TaskLog


class Assignments:
    def __init__(self, log: TaskLog, commands: Mailbox[Command], coaching: Coaching, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._begun = clock.now()
        self._since = 0.0
        self._commands = commands
        self._coaching = coaching
        # The subtask that was given out last and not given up since: only its events count, and none from before
        # the last order was taken, which may have been given for the same subtask.
        self.current_id = ""
        self._orders = 0  # on their way to the worker

    async def assign_subtask(self, subtask: Subtask, *, go_on: bool = False) -> None:
        """`go_on`: the worker has begun it before, and has its prompt already."""
        prompt = "" if go_on else await self._coaching.make_prompt(subtask)
        self.current_id = subtask.id
        self._orders += 1
        self._commands.post_message(
            StartTask(
                task_id=subtask.id,
                description=subtask.title,
                system_prompt=prompt,
                done_when=subtask.done_when,
                role=subtask.role,
                task_type=subtask.task_type,
                go_on=go_on,
            )
        )

    def note_order_taken(self) -> None:
        self._orders -= 1
        if self._since != self._log.state.subtask_since:  # not just sent back to go on
            self._since, self._begun = self._log.state.subtask_since, self._clock.now()

    @property
    def seconds(self) -> float:
        """For how long the subtask is under way."""
        return self._clock.now() - self._begun

    def take_back(self) -> None:
        """Withdraw what was given out; it may still be on its way to the worker."""
        self.current_id = ""
        self._commands.post_message(Pause(by="planner"))

    def is_current(self, subtask_id: str) -> bool:
        subtask = self._log.state.subtask
        if subtask is None or subtask_id != self.current_id or self._orders:
            return False
        return subtask.id == subtask_id and subtask.status is SubtaskStatus.PENDING
