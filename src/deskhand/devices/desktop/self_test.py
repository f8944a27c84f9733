"""The self-test at attach: shows small windows, finds them in a frame, clicks them, and checks where clicks arrive."""

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
from deskhand.devices.desktop.frames import DesktopCamera
from deskhand.devices.desktop.pointer import click_at, move_pointer, read_pointer
from deskhand.devices.desktop.x_connection import DEAD, XThread

_SIZE = 12
_PATIENCE_S = 2.0
_POLL_S = 0.01


@dataclass(frozen=True)
class _ClickTarget:
    window: Window
    corner: tuple[int, int]
    colour: int


async def check_desktop_aim(x: XThread, camera: DesktopCamera, clock: Clock) -> None:
    """Click targets in each corner and in the middle, then move the pointer back to where it was."""
    before = await x.run_job(read_pointer)
    targets = await x.run_job(_show_targets)
    try:
        points = await _find_targets(camera, targets, clock)

        async def click_target(left: int, top: int) -> None:
            await x.run_job(lambda display: click_at(display, left, top))

        async def read_landing() -> tuple[int, int] | None:
            deadline = clock.now() + _PATIENCE_S
            while (
                landed := await x.run_job(lambda display: _read_click(display, targets))
            ) is None and clock.now() < deadline:
                await clock.sleep(_POLL_S)
            return landed

        await check_aim(points, click_target, read_landing)
    finally:
        x.post_job(lambda display: _remove_targets(display, targets, before))


def _show_targets(display: Display) -> list[_ClickTarget]:
    root = display.screen().root
    size = root.get_geometry()
    right, bottom = size.width - _SIZE, size.height - _SIZE
    corners = [(0, 0), (right, 0), (0, bottom), (right, bottom), (right // 2, bottom // 2)]
    targets: list[_ClickTarget] = []
    for number, (left, top) in enumerate(corners):
        colour = 0xF50A91 + number
        window = root.create_window(
            left, top, _SIZE, _SIZE, 0, X.CopyFromParent,
            override_redirect=True, background_pixel=colour, event_mask=X.ButtonPressMask,
        )  # fmt: skip
        window.map()
        window.configure(stack_mode=X.Above)
        targets.append(_ClickTarget(window, (left, top), colour))
    display.sync()
    return targets


async def _find_targets(camera: DesktopCamera, targets: Sequence[_ClickTarget], clock: Clock) -> list[tuple[int, int]]:
    """Return where the frame shows the targets: later clicks are points of a frame, too."""
    deadline = clock.now() + _PATIENCE_S
    while True:
        frame = await camera.take_frame()
        points = [await asyncio.to_thread(_find_centre, frame, target.colour) for target in targets]
        seen = [point for point in points if point is not None]
        if len(seen) == len(targets):
            return seen
        if clock.now() > deadline:
            raise DeviceSetup(
                "The self-test failed: its targets are not on the screen. Unlock the screen, or close what covers it."
            )
        await clock.sleep(_POLL_S)


def _find_centre(frame: Frame, colour: int) -> tuple[int, int] | None:
    words = frame.pixels.view(np.uint32)[:, :, 0] & 0xFFFFFF
    rows, columns = np.nonzero(words == colour)
    if len(rows) < _SIZE * _SIZE:
        return None
    return int(columns.min() + columns.max() + 1) // 2, int(rows.min() + rows.max() + 1) // 2


def _read_click(display: Display, targets: Sequence[_ClickTarget]) -> tuple[int, int] | None:
    """Return where the last click on a target arrived: the target's corner plus the position inside it."""
    landed = None
    corners = {target.window.id: target.corner for target in targets}
    for _ in range(display.pending_events()):
        event = display.next_event()
        if event.type == X.ButtonPress and event.window.id in corners:
            left, top = corners[event.window.id]
            landed = left + event.event_x, top + event.event_y
    return landed


def _remove_targets(display: Display, targets: Sequence[_ClickTarget], pointer: tuple[int, int]) -> None:
    try:
        for target in targets:
            target.window.destroy()
        move_pointer(display, *pointer)
    except DEAD:
        return  # the server ended, and the targets with it
