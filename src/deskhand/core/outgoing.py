"""Requests that a device holds back before they leave it: the data and the joint. Only browsers have them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class OutgoingRequest:
    """A request that a page is about to send. `body` is empty where there is none or it can't be read.

    `page`: it opens a page, in a tab or a frame; else a script sends it. `repeated`: the browser itself sends a form
    once more, because its result is loaded again.
    """

    id: str
    method: str
    url: str
    body: str = ""
    page: bool = False
    repeated: bool = False


class Outbox(Protocol):
    """Requests that wait. Each stays until it is released or dropped; whatever is not held has left already."""

    def hold_requests(self, must_hold: Callable[[OutgoingRequest], bool] | None) -> None:
        """From now on hold those of which this is true; None lets everything go that comes from now on."""
        ...

    @property
    def held(self) -> tuple[OutgoingRequest, ...]: ...
    async def release_request(self, request_id: str) -> None:
        """Let it go; returns when the page that it leads to has its content."""
        ...

    async def drop_request(self, request_id: str) -> None:
        """Fail it, as if the network had: the page stays as it is."""
        ...


def find_outbox(device: object) -> Outbox | None:
    """Return where a device holds requests back; None for a device that sends none."""
    return getattr(device, "outbox", None)
