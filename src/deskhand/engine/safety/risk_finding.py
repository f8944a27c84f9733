"""How far an action can be undone, and why: what every assessment of risk returns."""

from dataclasses import dataclass
from typing import Literal

from deskhand.engine.safety.risk_words import Deed, deed_named

Risk = Literal["look", "reversible", "irreversible"]
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class RiskFinding:
    """`why` says what makes it irreversible; `deed` and `label` are what it was known by.

    `question`: what a yes on the label answers.
    """

    risk: Risk
    why: str = ""
    deed: Deed | None = None
    label: str = ""
    question: str = ""


LOOK, UNDOABLE = RiskFinding("look"), RiskFinding("reversible")


def make_irreversible(why: str, deed_name: str = "", label: str = "") -> RiskFinding:
    return RiskFinding("irreversible", why, deed_named(deed_name) if deed_name else None, label)


def name_deed(deed: Deed, label: str) -> RiskFinding:
    """Return the finding that this label stands for this deed."""
    shown = label if len(label) <= _SHOWN else label[:_SHOWN] + "…"
    return RiskFinding("irreversible", f'"{shown}" {deed.says}', deed, label)
