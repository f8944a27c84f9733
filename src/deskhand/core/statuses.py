"""The states that tasks, subtasks, actions and the executor go through. Data only."""

from enum import StrEnum


class TaskStatus(StrEnum):
    CREATED = "created"
    PENDING = "pending"
    ON_HOLD = "on_hold"
    FULFILLED = "fulfilled"
    REJECTED = "rejected"
    # Never in a log: what is told of a task that has not ended and whose program is gone.
    INTERRUPTED = "interrupted"


class SubtaskStatus(StrEnum):
    READY = "ready"
    PENDING = "pending"
    FULFILLED = "fulfilled"
    REJECTED = "rejected"


class ExecStatus(StrEnum):
    PENDING = "pending"
    EXECUTED = "executed"
    TIMEOUT = "timeout"
    ERROR = "error"


class ExecutorStatus(StrEnum):
    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"
    STUCK = "stuck"
    COMPLETED = "completed"
    FAILED = "failed"

    @property
    def ended(self) -> bool:
        """True if the worker has ended by itself, with success or failure."""
        return self in (ExecutorStatus.COMPLETED, ExecutorStatus.FAILED, ExecutorStatus.STUCK)


class Situation(StrEnum):
    INIT = "INIT"
    PLAN = "PLAN"
    GET_ACTION = "GET_ACTION"
    EXECUTE_ACTION = "EXECUTE_ACTION"
    SETTLE = "SETTLE"
    QUALITY_CHECK = "QUALITY_CHECK"
    SUPPLEMENT = "SUPPLEMENT"
    FINAL_CHECK = "FINAL_CHECK"
    WAIT_USER = "WAIT_USER"
    DONE = "DONE"
