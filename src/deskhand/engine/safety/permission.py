"""Whether an action may be carried out now: what the policy says, and the person's yes where it wants one.

A yes is for one action on one screen. What is risky, and why, is `policy`'s matter.
"""

from dataclasses import dataclass

from deskhand.core.actions import Action
from deskhand.core.decisions import PlannedAction
from deskhand.core.screen import Observation
from deskhand.engine.human_input import HumanInput, explain_refusal
from deskhand.engine.observer import Observer
from deskhand.engine.safety.approval import still_good
from deskhand.engine.safety.policy import Permit, judge, wants_elements
from deskhand.engine.task_log import TaskLog
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.settings.schema import PolicySettings


@dataclass(frozen=True, slots=True)
class Agreement:
    """Empty when the person agreed and the screen is as it was; `refused` ends it, `stale` asks for a new look."""

    refused: str = ""
    stale: str = ""


class Permission:
    def __init__(
        self,
        log: TaskLog,
        eyes: Observer,
        people: HumanInput,
        policy: PolicySettings,
        movers: SelfMotion,
        *,
        goal_approves: bool,
    ) -> None:
        self._log = log
        self._eyes = eyes
        self._people = people
        self._policy = policy
        self._movers = movers
        self._goal_approves = goal_approves
        self._seen: Observation | None = None

    async def of(self, planned: PlannedAction, seen: Observation | None) -> Permit:
        """What the policy says of an action on this screen; looks for itself where `seen` does not tell enough.

        A decision may take long: what has changed by itself meanwhile is judged as it is now.
        """
        unsafe = {self._policy.look, self._policy.reversible, self._policy.irreversible} != {"allow"}
        listed = unsafe and wants_elements(planned.action)
        if seen is None or (listed and (seen.elements is None or await self._moved_on(seen))):
            seen = await self._eyes.observe(listed)
        self._seen = seen
        approved = self._log.state.goal if self._goal_approves else ""
        return judge(planned, seen, self._policy, approved=approved)

    async def _moved_on(self, seen: Observation) -> bool:
        await self._eyes.perception.frame()  # at hand where the device tells of changes, or the decision was quick
        late = self._eyes.perception.surprise
        return late is not None and late.frame.at > seen.frame.at

    async def asked(self, action: Action, permit: Permit) -> Agreement:
        """The person's answer, for this action on the screen that was just judged."""
        if permit.verdict == "deny":
            return Agreement(refused=permit.reason)
        if action in self._log.state.refused:
            return Agreement(refused=f"the person said no to this before: {permit.reason}")
        assert self._seen, "an action is judged before a person is asked about it"
        agreed = self._seen
        picture = await self._log.journal.keep_frame(agreed.frame)
        reply = await self._people.ask("approval", permit.reason, action=action, frame=picture)
        if reply.verdict == "no":
            return Agreement(refused=explain_refusal(reply, permit.reason))
        await (
            self._eyes.perception.recapture_frame()
        )  # a yes is for what is there now, not for what was there a moment ago
        now = await self._eyes.observe(with_elements=agreed.elements is not None)
        if not still_good(agreed, now, action, self._movers):
            return Agreement(stale="The screen changed since this was agreed to, so the yes has expired: look again.")
        return Agreement()
