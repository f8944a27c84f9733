"""The result of every suite: one measured number a row, with its limit if there is one."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    value: float
    unit: str = "×"
    limit: float | None = None
    better: Literal["less", "more"] = "less"
    note: str = ""

    @property
    def ok(self) -> bool | None:
        """True if the limit is kept; None if there is none."""
        if self.limit is None:
            return None
        return self.value <= self.limit if self.better == "less" else self.value >= self.limit
