"""Colours of the phone's light and dark appearance, and the sizes that all apps share."""

from __future__ import annotations

from dataclasses import dataclass

from deskhand.simphone.ui.nodes import Colour

STATUS_BAR = 96
NAV_BAR = 54


@dataclass(frozen=True)
class Theme:
    back: Colour
    card: Colour
    ink: Colour
    soft: Colour
    faint: Colour
    line: Colour
    accent: Colour
    green: Colour
    red: Colour
    field: Colour
    dark: bool
    sheets: bool = False
    """Dialogs come up at the lower edge, with the agreeing button first."""


LIGHT = Theme(
    back=(243, 244, 247),
    card=(255, 255, 255),
    ink=(25, 28, 33),
    soft=(104, 110, 120),
    faint=(168, 173, 182),
    line=(228, 230, 234),
    accent=(26, 103, 224),
    green=(7, 173, 92),
    red=(222, 56, 52),
    field=(236, 238, 242),
    dark=False,
)
DARK = Theme(
    back=(17, 18, 21),
    card=(31, 33, 37),
    ink=(236, 238, 242),
    soft=(164, 169, 178),
    faint=(108, 113, 122),
    line=(50, 53, 58),
    accent=(92, 154, 255),
    green=(46, 196, 122),
    red=(255, 100, 94),
    field=(46, 49, 54),
    dark=True,
)

AVATARS: tuple[Colour, ...] = (
    (64, 128, 220),
    (228, 120, 60),
    (72, 160, 110),
    (160, 92, 190),
    (214, 84, 112),
    (52, 150, 168),
    (150, 120, 60),
    (96, 104, 180),
)


def avatar_colour_of(name: str) -> Colour:
    return AVATARS[sum(ord(c) for c in name) % len(AVATARS)]
