"""Tasks over HTTP: everything that the command line can do with a run."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from deskhand.core.commands import InjectPrompt, ResetContext
from deskhand.core.errors import UsageError
from deskhand.server import schemas
from deskhand.server.problems import ANYWHERE, document_statuses
from deskhand.server.shared_services import Services, Shared
from deskhand.server.sse import LARGEST, EventStream, LastEventId, document_stream, parse_event_id
from deskhand.server.task_report import report_of
from deskhand.sessions.tasks import UnknownTask

router = APIRouter(prefix="/api/tasks", tags=["tasks"], responses=ANYWHERE)
requests_router = APIRouter(prefix="/api/requests", tags=["tasks"], responses=ANYWHERE)

TaskId = Annotated[str, Path(min_length=1, max_length=100)]
RequestId = Annotated[str, Path(min_length=1, max_length=100)]
FrameName = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
After = Annotated[int, Query(ge=0, le=LARGEST)]


@router.post("", status_code=201, responses=document_statuses(400, 402, 404, 409, 503))
async def create(body: schemas.TaskRequest, shared: Shared) -> schemas.TaskView:
    """Start a task. It runs on whether or not a client watches."""
    run = await shared.tasks.create_task(
        body.goal, device=body.device, url=body.url, loop=body.loop, max_steps=body.max_steps, wait_s=body.wait_s
    )
    return schemas.to_task_view(run.state, running=True)


@router.get("", responses=document_statuses(503))
async def listed(shared: Shared, limit: Annotated[int, Query(ge=1, le=1000)] = 50) -> schemas.TaskList:
    """Tasks of this user, the newest first, whichever program ran them."""
    return schemas.TaskList(tasks=await shared.hand.journal.runs(limit))


@router.get("/{task_id}", responses=document_statuses(404, 503))
async def get(task_id: TaskId, shared: Shared) -> schemas.TaskView:
    return await _view_task(task_id, shared)


@router.delete("/{task_id}", responses=document_statuses(404, 409, 503))
async def delete(task_id: TaskId, shared: Shared) -> schemas.CommandResult:
    """Delete a past task with its pictures and files. It can't be undone."""
    gone = await shared.tasks.delete_task(task_id)
    return schemas.CommandResult(success=True, message=f"{gone} events deleted.")


@router.get("/{task_id}/events", responses=document_statuses(404, 503))
async def events(
    task_id: TaskId, shared: Shared, after: After = 0, limit: Annotated[int, Query(ge=1, le=1000)] = 200
) -> schemas.EventPage:
    """What happened, page by page: ask again with `after` = `next`."""
    state = await shared.tasks.read_state(task_id)
    page = await shared.hand.journal.read(task_id, after, limit)
    return schemas.EventPage(events=page, next=page[-1].seq if page else after, over=state.over)


@router.get(
    "/{task_id}/events/stream",
    response_class=EventStream,
    responses={**document_stream("each event as it comes, until the task's end"), **document_statuses(404, 503)},
)
async def stream(task_id: TaskId, shared: Shared, after: After = 0, last_event_id: LastEventId = None) -> EventStream:
    """What happens, as it happens. With `Last-Event-ID`, or `after`, from there on."""
    await shared.tasks.read_state(task_id)
    return EventStream(shared.feeds.stream_events(task_id, parse_event_id(last_event_id, after)))


@router.post("/{task_id}/commands", responses=document_statuses(400, 404, 409, 503))
async def command(task_id: TaskId, body: schemas.TaskCommand, shared: Shared) -> schemas.TaskView:
    """Pause, resume, stop, inject words for the worker, or reset its context."""
    await shared.tasks.read_state(task_id)
    if body.command == "resume" and not shared.tasks.is_at_work(task_id):
        run = await shared.tasks.resume_task(task_id, body.budget)
        return schemas.to_task_view(run.state, running=True)
    run = shared.tasks.get_running(task_id)
    match body.command:
        case "pause":
            await run.pause()
        case "resume":
            run.resume()
        case "stop":
            await run.stop(body.text or "stopped by the user")
        case "inject":
            if not body.text.strip():
                raise UsageError("Nothing to inject: `text` is empty.")
            run.send(InjectPrompt(content=body.text))
        case "reset":
            run.send(ResetContext())
    return await _view_task(task_id, shared)


@router.post("/{task_id}/messages", responses=document_statuses(400, 404, 409, 503))
async def say(task_id: TaskId, body: schemas.MessageRequest, shared: Shared) -> schemas.TaskView:
    """Send the task a message: it changes the to-do list, or goes to the worker."""
    await shared.tasks.read_state(task_id)
    await shared.tasks.get_running(task_id).say(body.text)
    return await _view_task(task_id, shared)


@router.get("/{task_id}/requests", responses=document_statuses(404, 503))
async def requests(task_id: TaskId, shared: Shared) -> schemas.RequestList:
    """List what the task needs the user for: questions, approvals, take-overs."""
    return schemas.RequestList(requests=list((await shared.tasks.read_state(task_id)).requests))


@router.post("/{task_id}/requests/{request_id}", responses=document_statuses(400, 404, 409, 503))
async def answer(
    task_id: TaskId, request_id: RequestId, body: schemas.RequestAnswer, shared: Shared
) -> schemas.TaskView:
    """Answer one of them: `yes` with the answer in `text`, or `no`."""
    await shared.tasks.read_state(task_id)
    shared.tasks.get_running(task_id).answer(request_id, body.verdict, body.text)
    return await _view_task(task_id, shared)


@requests_router.get("")
async def all_requests(shared: Shared) -> schemas.RequestList:
    """Everything that the running tasks need the user for, the one that expires first at the top."""
    return schemas.RequestList(requests=shared.states.list_requests())


@router.get("/{task_id}/todo", responses=document_statuses(404, 503))
async def todo(task_id: TaskId, shared: Shared) -> schemas.TodoList:
    """The plan. It is changed by saying so: POST to messages."""
    state = await shared.tasks.read_state(task_id)
    return schemas.TodoList(current=state.subtask.id if state.subtask else None, subtasks=list(state.plan))


@router.get("/{task_id}/report", responses=document_statuses(404, 503))
async def report(task_id: TaskId, shared: Shared) -> schemas.TaskReport:
    """The whole run: steps with the names of their pictures, gates, costs."""
    state = await shared.tasks.read_state(task_id)
    records = await shared.hand.journal.read(task_id)
    return report_of(state, records, running=task_id in shared.tasks.running)


@router.get("/{task_id}/costs", responses=document_statuses(404, 503))
async def costs(task_id: TaskId, shared: Shared) -> schemas.TaskCosts:
    state = await shared.tasks.read_state(task_id)
    return schemas.TaskCosts(total=state.usage, by_role=dict(state.spend))


@router.get(
    "/{task_id}/frames/{name}",
    response_class=Response,
    responses={
        200: {"description": "a picture of a step", "content": {"image/jpeg": {}}},
        **document_statuses(404, 503),
    },
)
async def frame(task_id: TaskId, name: FrameName, shared: Shared) -> Response:
    await shared.tasks.read_state(task_id)
    picture = await shared.hand.journal.load_frame(name)
    if picture is None:
        raise UnknownFrame(name)
    return Response(picture, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=31536000, immutable"})


class UnknownFrame(UnknownTask):
    def __init__(self, name: str) -> None:
        Exception.__init__(self, f"Picture {name!r} not found.")


async def _view_task(task_id: str, shared: Services) -> schemas.TaskView:
    return schemas.to_task_view(await shared.tasks.read_state(task_id), running=task_id in shared.tasks.running)
