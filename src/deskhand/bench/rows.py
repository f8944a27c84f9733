"""What every suite returns: one measured number a row, with the limit it is held to when there is one."""

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
        """Whether the limit is kept; None when there is none."""
        if self.limit is None:
            return None
        return self.value <= self.limit if self.better == "less" else self.value >= self.limit
