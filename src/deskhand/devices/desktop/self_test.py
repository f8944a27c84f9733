"""The desktop's targets for the self-test: small windows, found in the picture, clicked, felt, removed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from Xlib import X
from Xlib.display import Display
from Xlib.xobject.drawable import Window

from deskhand.core.errors import DeviceSetup
from deskhand.core.protocols import Clock
from deskhand.core.screen import Frame
from deskhand.devices.click_test import check_aim
from deskhand.devices.desktop import pointer_and_keyboard
from deskhand.devices.desktop.x_connection import DEAD, Camera, XThread

_SIZE = 12
_PATIENCE_S = 2.0
_POLL_S = 0.01


@dataclass(frozen=True)
class _Target:
    window: Window
    corner: tuple[int, int]
    colour: int


async def check_desktop_aim(x: XThread, camera: Camera, clock: Clock) -> None:
    """In each corner and in the middle; the pointer is put back where it was."""
    before = await x.run(pointer_and_keyboard.pointer)
    targets = await x.run(_put_up)
    try:
        points = await _found(camera, targets, clock)

        async def click(left: int, top: int) -> None:
            await x.run(lambda display: pointer_and_keyboard.click(display, left, top))

        async def landed() -> tuple[int, int] | None:
            deadline = clock.now() + _PATIENCE_S
            while (felt := await x.run(lambda display: _felt(display, targets))) is None and clock.now() < deadline:
                await clock.sleep(_POLL_S)
            return felt

        await check_aim(points, click, landed)
    finally:
        x.post(lambda display: _take_down(display, targets, before))


def _put_up(display: Display) -> list[_Target]:
    root = display.screen().root
    size = root.get_geometry()
    right, bottom = size.width - _SIZE, size.height - _SIZE
    corners = [(0, 0), (right, 0), (0, bottom), (right, bottom), (right // 2, bottom // 2)]
    targets: list[_Target] = []
    for number, (left, top) in enumerate(corners):
        colour = 0xF50A91 + number
        window = root.create_window(
            left, top, _SIZE, _SIZE, 0, X.CopyFromParent,
            override_redirect=True, background_pixel=colour, event_mask=X.ButtonPressMask,
        )  # fmt: skip
        window.map()
        window.configure(stack_mode=X.Above)
        targets.append(_Target(window, (left, top), colour))
    display.sync()
    return targets


async def _found(camera: Camera, targets: Sequence[_Target], clock: Clock) -> list[tuple[int, int]]:
    """Where the picture shows them: what is clicked later is a point of the picture, too."""
    deadline = clock.now() + _PATIENCE_S
    while True:
        frame = await camera.frame()
        points = await asyncio.to_thread(_centres, frame, targets)
        seen = [point for point in points if point is not None]
        if len(seen) == len(targets):
            return seen
        if clock.now() > deadline:
            raise DeviceSetup(
                "The self-test's targets are not in the picture: unlock the screen, or close what covers it."
            )
        await clock.sleep(_POLL_S)


def _centres(frame: Frame, targets: Sequence[_Target]) -> list[tuple[int, int] | None]:
    return [_centre(frame, target.colour) for target in targets]


def _centre(frame: Frame, colour: int) -> tuple[int, int] | None:
    words = frame.pixels.view(np.uint32)[:, :, 0] & 0xFFFFFF
    rows, columns = np.nonzero(words == colour)
    if len(rows) < _SIZE * _SIZE:
        return None
    return int(columns.min() + columns.max() + 1) // 2, int(rows.min() + rows.max() + 1) // 2


def _felt(display: Display, targets: Sequence[_Target]) -> tuple[int, int] | None:
    """The newest click on a target: its corner and the place inside of it, whatever the root's coordinates say."""
    felt = None
    corners = {target.window.id: target.corner for target in targets}
    for _ in range(display.pending_events()):
        event = display.next_event()
        if event.type == X.ButtonPress and event.window.id in corners:
            left, top = corners[event.window.id]
            felt = left + event.event_x, top + event.event_y
    return felt


def _take_down(display: Display, targets: Sequence[_Target], pointer: tuple[int, int]) -> None:
    try:
        for target in targets:
            target.window.destroy()
        pointer_and_keyboard.move(display, *pointer)
    except DEAD:
        return  # the server is gone, and the targets with it
