"""The glass: keeps what is on its way (transitions, switch thumbs, gliding pages) and the last picture."""

from __future__ import annotations

from dataclasses import dataclass

from PIL import Image

from deskhand.simphone.render.motion import DURATIONS, Motion, draw_between, ease_out
from deskhand.simphone.render.painter import Op, PaintedCanvas, paint_ops, paint_over
from deskhand.simphone.ui.nodes import Box, ScrollState

TWEEN = 0.18
GLIDE = 0.24


@dataclass
class _Transition:
    motion: Motion
    before: tuple[Op, ...]
    picture: Image.Image | None
    start: float
    duration: float


@dataclass
class _Tween:
    origin: float
    target: float
    start: float


@dataclass
class _Glide:
    scroll: ScrollState
    origin: float
    target: float
    start: float


class Glass:
    """Time is always passed in, so that every picture is exactly the one of the moment asked for."""

    def __init__(self) -> None:
        self._transition: _Transition | None = None
        self._tweens: dict[str, _Tween] = {}
        self._used: set[str] = set()
        self._glides: list[_Glide] = []
        self._canvas = PaintedCanvas()
        self._drawn: tuple[Op, ...] = ()

    def begin_transition(self, motion: Motion, now: float, scale: float) -> None:
        """Begin to move from the content that was drawn last to whatever is drawn next."""
        if scale > 0:
            known = self._canvas.picture_of(self._drawn)
            self._transition = _Transition(motion, self._drawn, known, now, DURATIONS[motion] * scale)

    def start_glide(self, scroll: ScrollState, target: float, now: float, scale: float) -> None:
        self._glides = [g for g in self._glides if g.scroll is not scroll]
        if scale > 0 and target != scroll.offset:
            self._glides.append(_Glide(scroll, scroll.offset, target, now))
        else:
            scroll.offset = target

    def advance_glides(self, now: float) -> bool:
        """Move gliding pages to where they are now; True if any moved."""
        moving = bool(self._glides)
        for glide in self._glides:
            part = ease_out((now - glide.start) / GLIDE)
            glide.scroll.offset = glide.origin + (glide.target - glide.origin) * part
        self._glides = [g for g in self._glides if now - g.start < GLIDE]
        return moving

    def is_moving(self, now: float) -> bool:
        transition = self._transition
        if transition is not None and now - transition.start >= transition.duration:
            self._transition = None
        return (
            self._transition is not None
            or any(now - glide.start < GLIDE for glide in self._glides)
            or any(now - t.start < TWEEN and t.origin != t.target for t in self._tweens.values())
        )

    def read_tween(self, key: str, target: float, now: float, scale: float) -> float:
        """Return where a thing that belongs at `target` is by now; it starts to move when the target changes."""
        self._used.add(key)
        known = self._tweens.get(key)
        if known is None or scale <= 0:
            self._tweens[key] = _Tween(target, target, now)
            return target
        at = known.origin + (known.target - known.origin) * ease_out((now - known.start) / TWEEN)
        if known.target != target:
            self._tweens[key] = _Tween(at, target, now)
        return at

    def keep_drawn(self, content: tuple[Op, ...]) -> None:
        """Keep the display list for the next transition; forget the tweens of things no longer shown."""
        self._drawn = content
        self._tweens = {key: tween for key, tween in self._tweens.items() if key in self._used}
        self._used = set()

    def draw_picture(
        self, content: tuple[Op, ...], over: tuple[Op, ...], size: tuple[int, int], now: float
    ) -> Image.Image:
        transition = self._transition
        after = self._canvas.show_ops(content, size)
        if transition is None or now - transition.start >= transition.duration:
            self._transition = None
            frame = after.copy()
        else:
            if transition.picture is None:
                transition.picture = paint_ops(transition.before, Box(0, 0, *size))
            progress = (now - transition.start) / transition.duration
            frame = draw_between(transition.motion, transition.picture, after, progress)
        paint_over(frame, over)
        return frame
