"""Defines the proofs of an instruction: what was seen after the act that was not so before.

No instruction is finished without one. Its words are the user's, its proof is what the evaluator checks again.
"""

from dataclasses import dataclass
from typing import Literal

# sent: it stands in the conversation as mine · gone: its list or its screen is seen, without it
# state: a switch or a window, read back
# text: a field, read back · value: a choice or a slider, read back · front: the app or page in front
# seen: it is shown · changed: something changed that does not move by itself · reacted: the page did something unseen
# answered: read from the screen and told · carried: nothing but the device's word; its sentence must say so
ProofKind = Literal[
    "sent", "gone", "state", "text", "value", "front", "seen", "changed", "reacted", "answered", "carried"
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proof:
    """`before` and `after` are what was seen of the subject, as a user would read it."""

    kind: ProofKind
    subject: str = ""
    after: str = ""
    before: str = ""
