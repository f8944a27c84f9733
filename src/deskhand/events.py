"""Every event that a task's journal can hold, as `Task.events()` yields them."""

from deskhand.task.events import *

__all__ = [
    "ActionEnded", "ActionIntended", "Answered", "ArtifactKept", "Billed", "CommandTaken", "Corrected", "Decided",
    "EndCause", "Event", "ExecutorChanged", "GateClosed", "GateOpened", "LoopMode", "Memorized", "Observed",
    "PlanMade", "QueueFlushed", "Record", "Released", "Reserved", "Ruled", "Settled", "SituationChanged",
    "StepFinished", "SubtaskEnded", "SubtaskStarted", "Supplemented", "TaskCreated", "TaskEnded", "TaskResumed",
    "TaskSummary", "TodoEdited", "Unreadable", "UserActed", "UserAsked", "UserReplied", "UserSaid", "Warned",
    "parse_event",
]  # fmt: skip
