"""Health, settings, costs, and the console's cookie."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from deskhand import __version__
from deskhand.core.decisions import Usage
from deskhand.server.access import COOKIE, read_cookie
from deskhand.server.problems import ANYWHERE, document_statuses
from deskhand.server.schemas import CostOverview, Health, SettingsView, TaskCost
from deskhand.server.shared_services import Shared
from deskhand.server.task_report import usage_of_conversation

router = APIRouter(prefix="/api", tags=["server"], responses=ANYWHERE)


@router.get("/health", responses={503: {"model": Health, "description": "nothing can be stored"}})
async def health(shared: Shared, response: Response) -> Health:
    """Whether the server can work: it writes to its disk to find out."""
    shared.watch.read_current()
    disk = await shared.disk.find_trouble()
    response.status_code = 503 if disk else 200
    return Health(
        status="failing" if disk else "ok",
        version=__version__,
        seconds=shared.hand.clock.wall() - shared.since,
        running_tasks=len(shared.tasks.running),
        settings_trouble=shared.watch.trouble,
        troubles=[trouble for trouble in (disk, shared.watch.trouble, *shared.chats.troubles) if trouble],
    )


@router.get("/settings", responses=document_statuses(503))
async def settings(shared: Shared) -> SettingsView:
    """Every setting and where it comes from. Keys are never told."""
    return SettingsView(settings=shared.states.list_settings())


@router.get("/costs", responses=document_statuses(503))
async def costs(shared: Shared, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> CostOverview:
    """What the newest tasks and conversations have cost."""
    runs = await shared.hand.journal.runs(limit)
    talks = [
        usage_of_conversation(await shared.store.read(talk.session_id))
        for talk in await shared.store.list_conversations(limit)
    ]
    conversations = sum(talks, Usage())
    tasks = [TaskCost(task_id=run.task_id, goal=run.goal, usage=run.usage) for run in runs]
    return CostOverview(
        total=sum((task.usage for task in tasks), conversations), tasks=tasks, conversations=conversations
    )


@router.post("/session", status_code=204, response_class=Response)
async def log_in(shared: Shared) -> Response:
    """Give a browser a cookie in place of the token. It expires after `server.session_hours`."""
    response = Response(status_code=204)
    response.set_cookie(
        COOKIE,
        shared.sessions.open_session(),
        max_age=shared.sessions.seconds,
        httponly=True,
        samesite="strict",
        path="/",
    )
    return response


@router.delete("/session", status_code=204, response_class=Response)
async def log_out(request: Request, shared: Shared) -> Response:
    """End the session: its cookie opens nothing any more, and its streams end."""
    shared.sessions.end_session(read_cookie(request.headers.get("cookie", "")))
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", path="/")
    return response
