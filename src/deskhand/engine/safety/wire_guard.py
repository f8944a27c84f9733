"""Asks about requests that a browser holds back, and lets each of them go or drops it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from deskhand.core.outgoing import Outbox, OutgoingRequest
from deskhand.engine.safety.permission import Permission
from deskhand.engine.safety.policy import judge_request
from deskhand.settings.schema import PolicySettings


class WireGuard:
    """`outbox` is None for a device that sends no requests: then there is nothing to do."""

    def __init__(self, outbox: Outbox | None, permission: Permission) -> None:
        self._outbox = outbox
        self._permission = permission

    def start_holding(self) -> None:
        """Hold from now on what may not go without the user's yes."""
        if self._outbox:
            self._outbox.hold_requests(self._is_to_be_held)

    def _is_to_be_held(self, request: OutgoingRequest) -> bool:
        return self._permission.judge_request(request).verdict != "allow"

    async def settle_requests(self) -> str:
        """Ask about whatever is held; return why something was dropped, empty if all may go."""
        refused = ""
        while self._outbox and self._outbox.held:
            request = self._outbox.held[0]
            if answer := await self._permission.ask_about_request(request):
                refused = refused or answer
                await self._outbox.drop_request(request.id)
            else:
                await self._outbox.release_request(request.id)
        return refused

    def let_user_act(self) -> None:
        """Let everything go until the worker's next action: the user acts by hand."""
        self._permission.cover_requests()

    async def stop_holding(self) -> None:
        """Drop what is still held: nobody is left who could be asked."""
        await _drop_all(self._outbox)


@asynccontextmanager
async def hold_for_task(outbox: Outbox | None, policy: PolicySettings) -> AsyncGenerator[None, None]:
    """Hold what a page sends by itself while it is opened for a task, which then asks about it; drop it on failure."""

    def must_hold(request: OutgoingRequest) -> bool:
        return request.method != "GET" and judge_request(request, policy).verdict != "allow"

    if outbox:
        outbox.hold_requests(must_hold)
    try:
        yield
    except BaseException:
        await _drop_all(outbox)
        raise


async def _drop_all(outbox: Outbox | None) -> None:
    if outbox:
        for request in outbox.held:
            await outbox.drop_request(request.id)
        outbox.hold_requests(None)
