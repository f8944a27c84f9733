"""Devices over HTTP: the list, their screens, and the user's own actions on them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse

from deskhand.core.actions import Action
from deskhand.core.screen import Frame
from deskhand.engine.run import Task
from deskhand.screen.frame import shrink_frame, to_jpeg
from deskhand.server.live_screens import QUALITY, DeviceTouched, Picture
from deskhand.server.problems import ANYWHERE, document_statuses
from deskhand.server.schemas import ActionResult, DeviceList, TaskView, to_task_view
from deskhand.server.shared_services import Services, Shared
from deskhand.sessions.tasks import TaskNotRunning

router = APIRouter(prefix="/api/devices", tags=["devices"], responses=ANYWHERE)

DevicePath = Annotated[str, Path(min_length=1, max_length=2000)]
Side = Annotated[int, Query(ge=100, le=8192, description="no side of the picture is longer")]
_BOUNDARY = "frame"


@router.get("", responses=document_statuses(409))
async def listed(shared: Shared) -> DeviceList:
    """Every device that can be named now."""
    return DeviceList(devices=await shared.states.list_devices())


@router.get(
    "/{device_id}/screenshot",
    response_class=Response,
    responses={200: {"description": "the screen now", "content": {"image/jpeg": {}}}, **document_statuses(404, 409)},
)
async def screenshot(device_id: DevicePath, shared: Shared, side: Side | None = None) -> Response:
    """The screen as it is now, without secrets; a task on it is not disturbed."""
    frame = await shared.hand.take_covered_frame(device_id)
    return Response(await _encode_jpeg(frame, side), media_type="image/jpeg", headers={"Cache-Control": "no-store"})


@router.get(
    "/{device_id}/frames",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "pictures, each when the screen has changed",
            "content": {"multipart/x-mixed-replace": {"schema": {"type": "string"}}},
        },
        **document_statuses(404, 409),
    },
)
async def frames(
    device_id: DevicePath,
    shared: Shared,
    side: Side = 1280,
    rate: Annotated[float, Query(gt=0, le=20, description="pictures a second at most")] = 4.0,
    count: Annotated[int, Query(ge=1, le=1_000_000, description="end after so many pictures")] = 1_000_000,
) -> StreamingResponse:
    """The live screen, for an `<img>`: as it is, then each change. Each part says the size of the screen itself."""
    screen = await shared.screens.open_screen(device_id)
    pictures = shared.screens.stream_pictures(screen, side, rate, count)
    media = f"multipart/x-mixed-replace; boundary={_BOUNDARY}"
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_to_parts(pictures), media_type=media, headers=headers)


async def _to_parts(pictures: AsyncGenerator[Picture, None]) -> AsyncGenerator[bytes, None]:
    """Yield each picture with the boundary behind it: a browser shows a part when it has read where it ends."""
    yield f"--{_BOUNDARY}\r\n".encode()
    async with aclosing(pictures):
        async for one in pictures:
            head = (
                f"Content-Type: image/jpeg\r\nContent-Length: {len(one.jpeg)}\r\n"
                f"X-Screen-Width: {one.width}\r\nX-Screen-Height: {one.height}\r\n\r\n"
            )
            yield head.encode() + one.jpeg + f"\r\n--{_BOUNDARY}\r\n".encode()


async def _encode_jpeg(frame: Frame, side: int | None) -> bytes:
    return await asyncio.to_thread(lambda: to_jpeg(shrink_frame(frame, side) if side else frame, QUALITY))


@router.post("/{device_id}/take-over", responses=document_statuses(400, 404, 409))
async def take_over(device_id: DevicePath, shared: Shared) -> TaskView:
    """The device is yours when this returns; its task waits."""
    run = _find_task(device_id, shared)
    await run.take_over()
    return to_task_view(run.state, running=True)


@router.post("/{device_id}/hand-back", responses=document_statuses(400, 404, 409))
async def hand_back(device_id: DevicePath, shared: Shared) -> TaskView:
    """The task goes on, and is told what changed meanwhile."""
    run = _find_task(device_id, shared)
    await run.hand_back()
    return to_task_view(run.state, running=True)


@router.post("/{device_id}/actions", responses=document_statuses(400, 404, 409))
async def act(device_id: DevicePath, body: Action, shared: Shared) -> ActionResult:
    """Tap, type, press a key … by your own hand: on a device that you took over, or on a free one."""
    try:
        return ActionResult(detail=await shared.tasks.act_by_hand(device_id, body))
    finally:
        shared.hand.bus.publish_message(DeviceTouched(await shared.hand.pool.resolve_id(device_id)))


def _find_task(device_id: str, shared: Services) -> Task:
    if run := shared.tasks.find_on_device(device_id):
        return run
    raise TaskNotRunning(f"No task of this server is on the device {device_id}.")
