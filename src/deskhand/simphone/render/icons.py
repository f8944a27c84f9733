"""Icons drawn with plain shapes on a 96 × 96 grid, as anti-aliased masks of any size."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from PIL import Image, ImageDraw

GRID = 96
SCALE = 3
Points = list[tuple[float, float]]


class Pen:
    """Draws on the 96 grid at a finer scale; `cut` makes holes."""

    def __init__(self) -> None:
        self.image = Image.new("L", (GRID * SCALE, GRID * SCALE), 0)
        self._draw = ImageDraw.Draw(self.image)

    def _at(self, points: Points) -> Points:
        return [(x * SCALE, y * SCALE) for x, y in points]

    def line(self, *points: tuple[float, float], width: float = 8, cut: bool = False) -> None:
        fill = 0 if cut else 255
        self._draw.line(self._at(list(points)), fill=fill, width=round(width * SCALE), joint="curve")
        for x, y in points:
            self.disc(x, y, width / 2, cut=cut)

    def disc(self, x: float, y: float, r: float, *, cut: bool = False) -> None:
        box = [(x - r) * SCALE, (y - r) * SCALE, (x + r) * SCALE, (y + r) * SCALE]
        self._draw.ellipse(box, fill=0 if cut else 255)

    def ring(self, x: float, y: float, r: float, width: float = 8) -> None:
        box = [(x - r) * SCALE, (y - r) * SCALE, (x + r) * SCALE, (y + r) * SCALE]
        self._draw.ellipse(box, outline=255, width=round(width * SCALE))

    def box(self, x1: float, y1: float, x2: float, y2: float, r: float = 0, *, cut: bool = False) -> None:
        where = [x1 * SCALE, y1 * SCALE, x2 * SCALE, y2 * SCALE]
        self._draw.rounded_rectangle(where, r * SCALE, fill=0 if cut else 255)

    def frame(self, x1: float, y1: float, x2: float, y2: float, r: float = 8, width: float = 8) -> None:
        where = [x1 * SCALE, y1 * SCALE, x2 * SCALE, y2 * SCALE]
        self._draw.rounded_rectangle(where, r * SCALE, outline=255, width=round(width * SCALE))

    def shape(self, *points: tuple[float, float], cut: bool = False) -> None:
        self._draw.polygon(self._at(list(points)), fill=0 if cut else 255)

    def arc(self, x: float, y: float, r: float, start: float, end: float, width: float = 8) -> None:
        box = [(x - r) * SCALE, (y - r) * SCALE, (x + r) * SCALE, (y + r) * SCALE]
        self._draw.arc(box, start, end, fill=255, width=round(width * SCALE))


Drawing = Callable[[Pen], None]
_DRAWINGS: dict[str, Drawing] = {}


def drawn(*names: str) -> Callable[[Drawing], Drawing]:
    def keep(drawing: Drawing) -> Drawing:
        for name in names:
            _DRAWINGS[name] = drawing
        return drawing

    return keep


@lru_cache(maxsize=512)
def icon_mask(name: str, size: int) -> Image.Image:
    pen = Pen()
    _DRAWINGS[name](pen)
    return pen.image.resize((size, size), Image.Resampling.BOX if size >= GRID else Image.Resampling.LANCZOS)


def icon_names() -> list[str]:
    return sorted(_DRAWINGS)


@drawn("back")
def _back(p: Pen) -> None:
    p.line((58, 20), (30, 48), (58, 76))


@drawn("next")
def _next(p: Pen) -> None:
    p.line((38, 22), (64, 48), (38, 74))


@drawn("up")
def _up(p: Pen) -> None:
    p.line((22, 60), (48, 34), (74, 60))


@drawn("down")
def _down(p: Pen) -> None:
    p.line((22, 36), (48, 62), (74, 36))


@drawn("search")
def _search(p: Pen) -> None:
    p.ring(42, 42, 26)
    p.line((62, 62), (80, 80))


@drawn("add")
def _add(p: Pen) -> None:
    p.line((48, 18), (48, 78))
    p.line((18, 48), (78, 48))


@drawn("remove")
def _remove(p: Pen) -> None:
    p.line((18, 48), (78, 48))


@drawn("plus_circle")
def _plus_circle(p: Pen) -> None:
    p.ring(48, 48, 36, 7)
    p.line((48, 30), (48, 66), width=7)
    p.line((30, 48), (66, 48), width=7)


@drawn("close")
def _close(p: Pen) -> None:
    p.line((24, 24), (72, 72))
    p.line((72, 24), (24, 72))


@drawn("check")
def _check(p: Pen) -> None:
    p.line((18, 50), (40, 72), (78, 28))


@drawn("more")
def _more(p: Pen) -> None:
    for x in (20, 48, 76):
        p.disc(x, 48, 7)


@drawn("menu")
def _menu(p: Pen) -> None:
    for y in (26, 48, 70):
        p.line((18, y), (78, y))


@drawn("trash")
def _trash(p: Pen) -> None:
    p.frame(26, 30, 70, 82, 8, 7)
    p.line((16, 28), (80, 28), width=7)
    p.line((38, 18), (58, 18), width=7)
    p.line((41, 44), (41, 68), width=6)
    p.line((55, 44), (55, 68), width=6)


@drawn("edit")
def _edit(p: Pen) -> None:
    p.shape((18, 78), (22, 58), (60, 20), (76, 36), (38, 74))
    p.line((54, 30), (66, 42), width=4, cut=True)


@drawn("smile")
def _smile(p: Pen) -> None:
    p.ring(48, 48, 36, 7)
    p.disc(36, 40, 5)
    p.disc(60, 40, 5)
    p.arc(48, 48, 20, 20, 160, 6)


@drawn("mic")
def _mic(p: Pen) -> None:
    p.ring(48, 48, 36, 7)
    for r in (8, 17, 26):
        p.arc(36, 48, r, -45, 45, 6)


@drawn("refresh")
def _refresh(p: Pen) -> None:
    p.arc(48, 48, 30, 30, 320, 8)
    p.shape((62, 20), (82, 22), (74, 42))


@drawn("star")
def _star(p: Pen) -> None:
    p.shape((48, 12), (59, 37), (86, 40), (66, 58), (72, 85), (48, 71), (24, 85), (30, 58), (10, 40), (37, 37))


@drawn("backspace")
def _backspace(p: Pen) -> None:
    p.shape((10, 48), (32, 22), (86, 22), (86, 74), (32, 74))
    p.line((46, 38), (66, 58), width=7, cut=True)
    p.line((66, 38), (46, 58), width=7, cut=True)


@drawn("shift")
def _shift(p: Pen) -> None:
    p.shape((48, 14), (82, 50), (64, 50), (64, 78), (32, 78), (32, 50), (14, 50))


@drawn("wifi")
def _wifi(p: Pen) -> None:
    for r in (20, 36, 52):
        p.arc(48, 74, r, 225, 315, 9)
    p.disc(48, 72, 7)


@drawn("bluetooth")
def _bluetooth(p: Pen) -> None:
    p.line((26, 32), (68, 66), (48, 84), (48, 12), (68, 30), (26, 64), width=7)


@drawn("plane")
def _plane(p: Pen) -> None:
    p.shape((48, 8), (56, 20), (56, 38), (88, 60), (88, 68), (56, 58), (56, 74), (66, 84), (66, 88), (48, 84))
    p.shape((48, 8), (40, 20), (40, 38), (8, 60), (8, 68), (40, 58), (40, 74), (30, 84), (30, 88), (48, 84))


@drawn("sun")
def _sun(p: Pen) -> None:
    p.disc(48, 48, 19)
    for a, b in ((48, 8), (48, 88), (8, 48), (88, 48), (20, 20), (76, 76), (20, 76), (76, 20)):
        p.line((48 + (a - 48) * 0.74, 48 + (b - 48) * 0.74), (a, b), width=7)


@drawn("moon")
def _moon(p: Pen) -> None:
    p.disc(46, 50, 36)
    p.disc(62, 38, 30, cut=True)


@drawn("sound")
def _sound(p: Pen) -> None:
    p.shape((10, 36), (28, 36), (50, 16), (50, 80), (28, 60), (10, 60))
    p.arc(50, 48, 18, -50, 50, 7)
    p.arc(50, 48, 34, -50, 50, 7)


@drawn("bell")
def _bell(p: Pen) -> None:
    p.box(26, 18, 70, 66, 22)
    p.box(26, 40, 70, 70)
    p.line((16, 70), (80, 70), width=8)
    p.disc(48, 82, 8)


@drawn("battery")
def _battery(p: Pen) -> None:
    p.frame(28, 18, 68, 86, 8, 7)
    p.box(38, 8, 58, 18, 3)
    p.box(38, 46, 58, 76, 3)


@drawn("info")
def _info(p: Pen) -> None:
    p.ring(48, 48, 37, 7)
    p.disc(48, 30, 6)
    p.line((48, 46), (48, 68))


@drawn("apps")
def _apps(p: Pen) -> None:
    for x in (16, 54):
        for y in (16, 54):
            p.box(x, y, x + 26, y + 26, 6)


@drawn("storage")
def _storage(p: Pen) -> None:
    for y in (16, 40, 64):
        p.box(12, y, 84, y + 18, 6)
        p.disc(26, y + 9, 4, cut=True)


@drawn("lock")
def _lock(p: Pen) -> None:
    p.arc(48, 38, 22, 180, 360, 9)
    p.box(18, 40, 78, 86, 10)
    p.disc(48, 60, 7, cut=True)


@drawn("pin")
def _pin(p: Pen) -> None:
    p.disc(48, 38, 28)
    p.shape((24, 52), (72, 52), (48, 90))
    p.disc(48, 38, 11, cut=True)
