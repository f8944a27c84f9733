"""What an app has to say in the notification shade. Data only."""

from __future__ import annotations

from dataclasses import dataclass, field

from deskhand.simphone.ui.nodes import Action


@dataclass(frozen=True)
class Notification:
    """`tag` tells the notifications of one app apart; one without `open` can't be tapped, nor swept away."""

    package: str
    tag: str
    title: str
    text: str
    open: Action | None = field(default=None, compare=False)
