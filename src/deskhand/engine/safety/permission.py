"""Gets permission for an action: judges it by the policy, and asks the user where that wants approval.

An approval is for one action on one screen, and for the requests that this action leads to. What is risky, and why, is
left to `policy`.
"""

from dataclasses import dataclass, replace

from deskhand.core.actions import Action
from deskhand.core.decisions import PlannedAction
from deskhand.core.irreversible import IrreversibleAct
from deskhand.core.outgoing import OutgoingRequest
from deskhand.core.screen import Observation
from deskhand.engine.human_input import HumanInput, explain_refusal
from deskhand.engine.observer import Observer
from deskhand.engine.safety.approval import is_still_valid
from deskhand.engine.safety.consent import NOWHERE, Scene
from deskhand.engine.safety.once import describe_act, describe_handing_in, find_repeated, judge_doubt, name_screen
from deskhand.engine.safety.policy import ANYTHING, NOTHING, Permit, judge_action, judge_request
from deskhand.engine.safety.request_details import describe_details, describe_outgoing
from deskhand.engine.safety.risk import needs_elements
from deskhand.engine.safety.touched_elements import list_labels
from deskhand.engine.task_log import TaskLog
from deskhand.language import language_of
from deskhand.screen.stillness.self_motion import SelfMotion
from deskhand.settings.schema import PolicySettings

# What was pressed shortly before says what a menu or a question is about.
_RECENT = 12
# Deeds that a label says: a yes to "Send" is none to what the page then pays.
_TELLING = frozenset({"send", "pay", "delete"})


@dataclass(frozen=True, slots=True)
class Agreement:
    """Empty if the user agreed and the screen is as it was; `refused` ends it, `stale` asks for a new look."""

    refused: str = ""
    stale: str = ""


@dataclass(frozen=True, slots=True)
class ActionIntent:
    """What the log is told of an action before it is sent, so that it is known again."""

    act: IrreversibleAct | None = None
    screen: str = ""
    request: IrreversibleAct | None = None


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
        self._acted: Action | None = None
        # An approved action covers the requests that it leads to, until another one is judged.
        self._covers = NOTHING
        self._labels: tuple[str, ...] = ()
        self._before = NOWHERE
        self.intent = ActionIntent()

    async def judge_planned(self, planned: PlannedAction, seen: Observation | None) -> Permit:
        """Judge an action on this screen; observes again where `seen` does not tell enough.

        A decision may take long: what has changed by itself meanwhile is judged as it is now.
        """
        unsafe = {self._policy.look, self._policy.reversible, self._policy.irreversible} != {"allow"}
        listed = unsafe and needs_elements(planned.action)
        if seen is None or (listed and (seen.elements is None or await self._has_changed_since(seen))):
            seen = await self._eyes.observe(listed)
        self._seen = seen
        permit = judge_action(
            planned,
            seen,
            self._policy,
            approved=self._approved_words,
            before=self._before,
            language=language_of(self._log.state.goal),
        )
        act = describe_act(planned, seen, self._log.state.goal)
        request = None if act else describe_handing_in(planned.action, seen, self._log.state.goal)
        self.intent = ActionIntent(act, name_screen(seen), request)
        if act and permit.verdict != "deny":
            permit = self._forbid_repeating(permit, act, seen)
        if permit.risk != "look":
            self._acted, self._labels = planned.action, list_labels(planned.action, seen)
            deed = act.deed if act and permit.verdict == "allow" and permit.risk == "irreversible" else ""
            self._covers = deed
            self._before = Scene(recent=(*self._labels, *self._before.recent)[:_RECENT], agreed=deed)
        return permit

    @property
    def _approved_words(self) -> str:
        """The user's own words: the goal, or the message that an assistant quotes in it: that may say to whom."""
        if not self._goal_approves:
            return ""
        state = self._log.state
        return state.origin.message if state.origin.author == "assistant" and state.origin.message else state.goal

    def _forbid_repeating(self, permit: Permit, act: IrreversibleAct, seen: Observation) -> Permit:
        """Whatever the policy and the goal allow: what was done, or may have been done, is not simply done again."""
        before = find_repeated(act, self._log.state)
        if before is None or (not before.certain and judge_doubt(before, seen) == "undone"):
            return permit
        if before.certain:
            reason = f"{act.what} was carried out in step {before.step} and can't be undone."
        else:
            reason = f"{act.what} may have been carried out in step {before.step} and can't be undone."
        return replace(permit, verdict="ask", reason=reason, repeats=True)

    async def _has_changed_since(self, seen: Observation) -> bool:
        await self._eyes.perception.frame()  # at hand where the device tells of changes, or the decision was quick
        late = self._eyes.perception.surprise
        return late is not None and late.frame.at > seen.frame.at

    async def ask_user(self, action: Action, permit: Permit) -> Agreement:
        """Return the user's answer, for this action on the screen that was just judged."""
        if permit.verdict == "deny":
            return Agreement(refused=permit.reason)
        if action in self._log.state.refused:
            return Agreement(refused=f"the user said no to this before: {permit.reason}")
        assert self._seen, "an action is judged before the user is asked about it"
        agreed = self._seen
        picture = await self._log.journal.keep_frame(agreed.frame)
        about = describe_details(action, agreed, language_of(self._log.state.goal))
        reply = await self._people.ask("approval", permit.reason, action=action, frame=picture, about=about)
        if reply.verdict == "no":
            return Agreement(refused=explain_refusal(reply, permit.reason))
        await (
            self._eyes.perception.recapture_frame()
        )  # an approval is for what is there now, not for what was there a moment ago
        now = await self._eyes.observe(with_elements=agreed.elements is not None)
        if not is_still_valid(agreed, now, action, self._movers):
            return Agreement(stale="The approval has expired, because the screen changed: look again.")
        # Where the label says no deed of its own, the user has agreed to whatever the picture shows.
        deed = self.intent.act.deed if self.intent.act else ""
        self._covers = deed if deed in _TELLING else ANYTHING
        return Agreement()

    # --- requests that the action leads to ---------------------------------------------------------------

    def cover_requests(self) -> None:
        """Let go what follows from here on: the user acts by hand."""
        self._covers = ANYTHING

    def judge_request(self, request: OutgoingRequest) -> Permit:
        """Judge a request that is about to leave the device, as a consequence of the last action."""
        return judge_request(
            request,
            self._policy,
            approved=self._approved_words,
            labels=self._labels,
            scene=replace(self._before, seen=self._seen, action=self._acted),
            covers=self._covers,
            language=language_of(self._log.state.goal),
        )

    async def ask_about_request(self, request: OutgoingRequest) -> str:
        """Return why this request may not go; empty if it may. What it says can't change while the user thinks."""
        permit = self.judge_request(request)
        if permit.verdict == "allow":
            return ""
        if permit.verdict == "deny":
            return permit.reason
        picture = await self._log.journal.keep_frame(await self._eyes.perception.recapture_frame())
        about = describe_outgoing(request, self._acted, self._seen, language_of(self._log.state.goal))
        reply = await self._people.ask("approval", permit.reason, action=self._acted, frame=picture, about=about)
        return explain_refusal(reply, permit.reason) if reply.verdict == "no" else ""
