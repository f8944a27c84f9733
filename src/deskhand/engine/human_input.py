"""Asks the user of one task: a question, an approval, a hand on the device. Waits for the answer until a time-out."""

import asyncio
import secrets

from deskhand.app_names import name_app
from deskhand.core.actions import Action
from deskhand.core.errors import DeviceError, UsageError
from deskhand.core.human import Asker, RequestDetails, RequestKind, UserReply, UserRequest
from deskhand.core.protocols import Clock
from deskhand.engine.observer import Observer
from deskhand.engine.task_log import FromState, TaskLog
from deskhand.language import language_of
from deskhand.settings.schema import PeopleSettings
from deskhand.task.events import Event, SituationChanged, UserAsked, UserReplied
from deskhand.task.state import TaskState
from deskhand.task.transitions import When, follow_table


class HumanInput:
    """The user of the task. Where there is none (`attended` is False), the answer is no at once.

    What nobody answered stays open in the log: a resumed task asks it again.
    """

    def __init__(
        self, log: TaskLog, observer: Observer, clock: Clock, settings: PeopleSettings, *, attended: bool
    ) -> None:
        self.attended = attended
        self._log = log
        self._observer = observer
        self._clock = clock
        self._settings = settings
        self._open: dict[str, asyncio.Future[UserReply]] = {}

    @property
    def asked(self) -> bool:
        """True while an answer is waited for."""
        return bool(self._open)

    async def ask(
        self,
        kind: RequestKind,
        text: str,
        *,
        action: Action | None = None,
        frame: str = "",
        about: RequestDetails | None = None,
        then: When = "answered",
        asker: Asker = "worker",
        no_goes_on: bool = False,
    ) -> UserReply:
        """Return the user's reply, or the configured default after the time-out. `then`: where a yes leads.

        `no_goes_on`: the user's no is an answer like any other, with which the work goes on. Without `about` and
        `frame`, the request has the app and the picture of the moment.
        """
        timeout = self._settings.timeout_s
        details = about or RequestDetails(app=name_app(self._log.state.app, language_of(self._log.state.goal)))
        request = UserRequest(
            **dict(details),
            id=secrets.token_hex(3),
            task_id=self._log.task_id,
            device=self._log.state.device,
            kind=kind,
            asker=asker,
            text=text,
            action=action,
            frame=frame or await self._keep_picture(),
            expires=self._clock.wall() + timeout if self.attended else None,
        )
        if not self.attended:
            await self._log.record(_move_situation("ask", text), UserAsked(request=request))
            return UserReply(request_id=request.id, verdict="no", by="nobody")
        answered = self._open[request.id] = asyncio.get_running_loop().create_future()
        try:
            await self._log.record(_move_situation("ask", text), UserAsked(request=request))
            async with asyncio.timeout(timeout):
                reply = await answered
        except TimeoutError:
            # A question has no answer that could be assumed.
            agreed = self._settings.on_timeout == "allow" and kind == "approval"
            reply = UserReply(request_id=request.id, verdict="yes" if agreed else "no", by="timeout")
        finally:
            del self._open[request.id]
        goes_on = reply.verdict == "yes" or (no_goes_on and reply.by == "person")
        await self._log.record(UserReplied(reply=reply), *((_move_situation(then),) if goes_on else ()))
        return reply

    async def _keep_picture(self) -> str:
        """Return the name of the screen's picture; empty if nobody is there to see it, or it can't be taken."""
        if not self.attended:
            return ""
        try:
            return await self._log.journal.keep_frame(await self._observer.perception.frame())
        except DeviceError:
            return ""

    def take_reply(self, reply: UserReply) -> None:
        answered = self._open.get(reply.request_id)
        if answered is None or answered.done():
            raise UsageError(f"There is no open request {reply.request_id!r}: it was answered, or it timed out.")
        answered.set_result(reply)


def _move_situation(when: When, because: str = "") -> FromState:
    """Choose the change of situation that goes with it; none if the outer loop has moved on meanwhile.

    While another answer is waited for as well, the first one alone ends no waiting.
    """

    def choose_event(state: TaskState) -> tuple[Event, ...]:
        if when == "answered" and len(state.requests) > 1:
            return ()
        after = follow_table(state.situation, when)
        return (SituationChanged(situation=after, because=because),) if after is not state.situation else ()

    return choose_event


def explain_refusal(reply: UserReply, wanted: str) -> str:
    """Return why something that needed the user is not done, for the worker, the planner and the user."""
    match reply.by:
        case "person":
            return f"the user said no to this{f' ({reply.text})' if reply.text else ''}: {wanted}"
        case "timeout":
            return f"nobody answered in time: {wanted}"
        case "nobody":
            return wanted
