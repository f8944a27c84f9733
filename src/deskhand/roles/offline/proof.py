"""Defines the proofs of an instruction: what was seen after the act that was not so before.

No instruction is finished without one of a kind that it needs (`evidence/needs.py`). Its words are the user's, its
proof travels in the bookmark, and the evaluator checks it again.
"""

from dataclasses import dataclass
from typing import Literal

# sent: it stands in the conversation as mine · gone: its list or its screen is seen, without it
# state: a switch or a window, read back
# text: a field, read back from the list of elements · read: a field, read back by the device
# value: a choice or a slider, read back · front: the app or page in front
# seen: it is shown · changed: something changed that does not move by itself · reacted: the page did something unseen
# placed: seen at its new place · saved: under that name, no dialog left · entered: the form is gone, the inside is seen
# calling: the call screen with that name · answered: read from the screen and told
# logged: the log of this task says that it was done before · carried: nothing but the device's word, and the sentence
# says so
ProofKind = Literal[
    "sent", "gone", "state", "text", "read", "value", "front", "seen", "changed", "reacted", "placed", "saved",
    "entered", "calling", "answered", "logged", "carried",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Proof:
    """`before` and `after` are what was seen of the subject, as a user would read it; `where` is the app or page."""

    kind: ProofKind
    subject: str = ""
    after: str = ""
    before: str = ""
    where: str = ""
