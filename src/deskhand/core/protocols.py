"""The Protocols that a device, a worker, a planner, a model and a clock implement.

`Journal` lives with its events, in `task.journal`.
"""

from collections.abc import AsyncIterator, Sequence
from decimal import Decimal
from typing import Literal, Protocol

from deskhand.core.actions import Action, ActionKind
from deskhand.core.decisions import Briefing, CodeResult, Decision, Usage
from deskhand.core.human import Amendment, AmendRequest, Correction, Lesson, LessonRequest, StuckRequest
from deskhand.core.llm import ModelReply, ModelRequest, StepRequest, Tool, Turn
from deskhand.core.planning import Depth, GateRequest, Material, Plan, PlanRequest, QualityReport
from deskhand.core.screen import AppInfo, Element, Frame, SettleResult


class Clock(Protocol):
    def now(self) -> float: ...
    def wall(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class Device(Protocol):
    """Does, never decides. Coordinates are pixels of its own frames. Faults are raised as DeviceError.

    Every call may be cancelled at any await and leaves the device usable; none of them waits for the screen
    to become still (the engine settles) and none retries by itself. A cancelled `act` raises CancelledError only
    when nothing of the action can reach the device any more, and says in it what became of it (`stop_outcome`).
    """

    @property
    def id(self) -> str: ...
    @property
    def capabilities(self) -> frozenset[ActionKind]: ...
    async def frame(self) -> Frame: ...
    async def elements(self) -> tuple[Element, ...]:
        """Return the elements on the screen, in reading order; raises NoElements if the tree can't be read now."""
        ...

    async def app(self) -> AppInfo: ...
    async def apps(self) -> tuple[str, ...]:
        """Return the names that `open_app` understands, as a user would say them."""
        ...

    async def act(self, action: Action) -> str:
        """Carry out one action; returns a short note on the result (may be empty)."""
        ...

    def changes(self) -> AsyncIterator[None] | None:
        """Return a push signal for each time the picture may have changed; None if the device has none."""
        ...

    async def close(self) -> None: ...


class Worker(Protocol):
    """Decides one step at a time. Keeps no state between calls: its position is the briefing's bookmark."""

    @property
    def needs_elements(self) -> bool: ...
    async def decide(self, briefing: Briefing) -> Decision: ...


class CodeRunner(Protocol):
    """Runs code in a folder of its own, within limits, and leaves nothing running behind."""

    async def run(self, language: Literal["bash", "python"], code: str, timeout: float | None = None) -> CodeResult:
        """Return the result, however the code ends; raises DeviceError if it can't be run at all."""
        ...


class Planner(Protocol):
    """Splits a goal into subtasks, and again when a plan did not work out."""

    async def plan(self, request: PlanRequest) -> Plan: ...
    async def supplement(self, need: str, goal: str) -> tuple[Material, ...]:
        """Return the material found about `need` outside of the screen; empty if there is none.

        Raises LookupFailed when a source can't be asked; it carries the material of the others.
        """
        ...


class Source(Protocol):
    """A place outside of the screen where material for a task is looked up."""

    async def look_up(self, need: str, goal: str) -> tuple[Material, ...]:
        """Return material about `need`; raises LookupFailed, in one sentence, when the source can't be asked."""
        ...


class Coach(Protocol):
    """Handles the user's messages, helps a stuck worker, and learns for the next time."""

    async def amend(self, request: AmendRequest) -> Amendment:
        """Return the changes that a user's message in the middle of the work asks for."""
        ...

    async def correct(self, request: StuckRequest) -> Correction:
        """Return what a stuck worker should do instead; never a correction that it was given already."""
        ...

    async def improve(self, request: LessonRequest) -> Lesson:
        """Return a better prompt for the next task of this type."""
        ...


class Assistant(Protocol):
    """Leads a conversation: replies, or calls tools. Keeps no state between calls."""

    async def answer(self, turns: Sequence[Turn], tools: Sequence[Tool]) -> ModelReply:
        """Return its next text, its next calls, or both; a reply without calls ends its turn."""
        ...


class PromptMemory(Protocol):
    """Keeps the prompts learned for each type of task, in a file that a user can read and edit.

    It never stops a task: `trouble` is the error of the last call, empty if there was none.
    """

    @property
    def trouble(self) -> str: ...

    async def pick(self, task_type: str) -> str:
        """Return the prompt for a task of this type; empty if none is known."""
        ...

    async def learn(
        self, task_type: str, *, success: bool, prompt: str = "", corrections: tuple[str, ...] = ()
    ) -> None:
        """Count one more use; `prompt` replaces the one that is kept, empty leaves it."""
        ...


class Judge(Protocol):
    """Rates the quality of the work. Never acts."""

    @property
    def needs_elements(self) -> bool: ...
    async def check(self, request: GateRequest) -> QualityReport: ...


class Model(Protocol):
    """Answers one request. Raises ModelUnavailable, or BudgetSpent where its calls are paid for.

    Cancelling `ask` closes the connection.
    """

    @property
    def name(self) -> str: ...
    async def ask(self, request: ModelRequest) -> ModelReply: ...
    async def close(self) -> None: ...


class Dialect(Protocol):
    """Writes the request for a step for one family of models, and reads its reply."""

    @property
    def name(self) -> str: ...
    def ask(self, situation: StepRequest) -> ModelRequest: ...
    def read(self, reply: ModelReply, situation: StepRequest) -> Decision:
        """Return the decision in frame pixels; raises ModelFault with a sentence that helps the model do better."""
        ...


class Budget(Protocol):
    """Money that can't be overspent: the worst case is set aside before a call and settled after it."""

    def ceiling(self, role: str, tier: Depth | None = None) -> Decimal:
        """Return the most that one operation of this role, or of this tier, may cost."""
        ...

    async def reserve(self, amount: Decimal, role: str, tier: Depth | None = None) -> "Reservation": ...


class Reservation(Protocol):
    """Money set aside for one call; ended exactly once."""

    def settle(self, cost: Decimal) -> None: ...
    def release(self) -> None: ...


class Ledger(Protocol):
    """Records paid calls. When `reserve` returns, the worst case of the call survives a kill -9."""

    async def reserve(self, call: str, role: str, model: str, amount: Decimal) -> None: ...
    def release(self, call: str) -> None:
        """Record that the call was not made, or was refused: it costs nothing."""
        ...

    def bill(self, role: str, model: str, usage: Usage, *, call: str = "", certain: bool = True) -> None:
        """Record the cost of the call. `certain` is False when the reply was lost and the worst case was taken."""
        ...


class ScreenReader(Protocol):
    """Reads the text on a picture, for screens without a list of elements."""

    async def elements(self, frame: Frame, device_id: str = "") -> tuple[Element, ...]: ...


class Settle(Protocol):
    """Waits until a device's screen is still, or gives up and reports it."""

    async def __call__(self, device: Device, before: Frame) -> SettleResult: ...
    async def wait_for_animation_completion(self, device: Device, before: Frame) -> SettleResult:
        """Wait in the same way where a long transition is normal."""
        ...
