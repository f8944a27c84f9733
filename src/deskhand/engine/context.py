"""The objects that both loops of one task share."""

from dataclasses import dataclass

from deskhand.core.protocols import Clock, Device
from deskhand.engine.human_input import HumanInput
from deskhand.engine.observer import Observer
from deskhand.engine.task_log import TaskLog
from deskhand.settings.schema import Settings


@dataclass(frozen=True, slots=True)
class TaskContext:
    log: TaskLog
    device: Device
    observer: Observer
    human: HumanInput
    clock: Clock
    settings: Settings
