"""The status bar, the navigation pill and toasts: drawn over everything, invisible to accessibility."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from deskhand.simphone.render.painter import IconOp, Op, RectOp, text_op
from deskhand.simphone.ui.font import line_height, text_width
from deskhand.simphone.ui.nodes import Box, Colour


@dataclass(frozen=True)
class Bars:
    """The content of the bars: the time, the radios (from the global settings), the battery, a toast."""

    today: datetime
    settings: dict[str, str]
    battery: int
    charging: bool
    toast: str


def draw_status_bar(size: tuple[int, int], bars: Bars, ink: Colour) -> list[Op]:
    width, _ = size
    screen = Box(0, 0, *size)
    clock = bars.today.strftime("%H:%M")
    battery, settings = bars.battery, bars.settings
    ops: list[Op] = [text_op(56, 22, clock, 38, ink, screen, bold=True)]
    x = width - 56 - 62
    ops.extend(_draw_battery(x, 32, battery, bars.charging, ink, screen))
    percent = f"{battery}%"
    x -= text_width(percent, 32) + 14
    ops.append(text_op(x, 26, percent, 32, ink, screen))
    for name, on in (
        ("wifi", settings.get("wifi_on") == "1"),
        ("bluetooth", settings.get("bluetooth_on") == "1"),
        ("plane", settings.get("airplane_mode_on") == "1"),
    ):
        if on:
            x -= 56
            ops.append(IconOp(Box(x, 28, x + 42, 70), screen, ink, name))
    return ops


def _draw_battery(x: int, y: int, level: int, charging: bool, ink: Colour, screen: Box) -> list[Op]:
    inside: Colour = (7, 173, 92) if charging else (222, 56, 52) if level <= 15 else ink
    paper: Colour = (255, 255, 255) if sum(ink) < 380 else (30, 32, 36)
    fill = max(round(46 * level / 100), 3)
    return [
        RectOp(Box(x, y, x + 58, y + 32), screen, ink, 9),
        RectOp(Box(x + 3, y + 3, x + 55, y + 29), screen, paper, 7),
        RectOp(Box(x + 6, y + 6, x + 6 + fill, y + 26), screen, inside, 4),
        RectOp(Box(x + 59, y + 10, x + 63, y + 22), screen, ink, 2),
    ]


def draw_pill(size: tuple[int, int], ink: Colour) -> list[Op]:
    width, height = size
    middle = width // 2
    return [RectOp(Box(middle - 170, height - 28, middle + 170, height - 18), Box(0, 0, *size), ink, 5)]


def draw_toast(size: tuple[int, int], text: str) -> list[Op]:
    width, height = size
    screen = Box(0, 0, *size)
    w = text_width(text, 40)
    x, y = (width - w) // 2, height - 380
    box = Box(x - 48, y - 26, x + w + 48, y + line_height(40) + 26)
    return [RectOp(box, screen, (50, 52, 58), 40), text_op(x, y, text, 40, (255, 255, 255), screen)]
