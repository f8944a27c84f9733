"""Reads a day and a time of day as people write them, so that two spellings of one can be compared."""

import re
from datetime import date, time

from deskhand.roles.offline.language.new_things import read_clock

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_MONTHS_OF_A_YEAR = 12
_YEAR_FIRST = re.compile(r"(?P<y>\d{4})\s*[-/.年]\s*(?P<m>\d{1,2})\s*[-/.月]\s*(?P<d>\d{1,2})\s*日?")
# As users in the United States write it; elsewhere the day comes first, so it counts only where that can't be meant.
_MONTH_FIRST = re.compile(r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})")
_NAMES = "|".join(f"{month[:3]}[a-z]*" for month in MONTHS)
_NAMED = re.compile(rf"(?P<name>{_NAMES})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})", re.IGNORECASE)
_DAY_FIRST = re.compile(
    rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<name>{_NAMES})\.?,?\s+(?P<y>\d{{4}})", re.IGNORECASE
)
_HEADING = re.compile(
    rf"(?P<name>{_NAMES})\.?[\s,]+(?P<y>\d{{4}})|(?P<zy>\d{{4}})\s*年\s*(?P<zm>\d{{1,2}})\s*月", re.IGNORECASE
)


def read_date(text: str) -> date | None:
    """The only day that this text names as a whole; None for any other text."""
    days = list_days(text)
    return days[0] if len(days) == 1 else None


def list_days(text: str) -> tuple[date, ...]:
    """The days that this text may name as a whole: two for 04/08/2016, with the one of a United States page first."""
    for pattern in (_YEAR_FIRST, _MONTH_FIRST, _NAMED, _DAY_FIRST):
        if found := pattern.fullmatch(text.strip()):
            parts = found.groupdict()
            month = int(parts["m"]) if "m" in parts else _count_month(parts["name"])
            year, day = int(parts["y"]), int(parts["d"])
            both = pattern is _MONTH_FIRST and month != day <= _MONTHS_OF_A_YEAR
            try:
                return (date(year, month, day), *((date(year, day, month),) if both else ()))
            except ValueError:
                return ()
    return ()


def read_month(heading: str) -> tuple[int, int] | None:
    """(year, month) of the heading of a calendar: `April 2016`, `2016年4月`."""
    found = _HEADING.fullmatch(heading.strip())
    if found is None:
        return None
    if found["zy"]:
        return int(found["zy"]), int(found["zm"])
    return int(found["y"]), _count_month(found["name"])


def is_same_moment(one: str, other: str) -> bool:
    """True if both texts are the same day, or the same time of day.

    What may be two days is the one that a field for dates has made of it, if it writes it out in another order.
    """
    if days := list_days(one):
        return days[0] == read_date(other)
    return ":" in one and ":" in other and _read_time(one) is not None and _read_time(one) == _read_time(other)


def _read_time(text: str) -> time | None:
    clock = read_clock(text)
    return time(*clock) if clock else None


def _count_month(name: str) -> int:
    return next(at for at, month in enumerate(MONTHS, 1) if month.startswith(name.casefold()[:3]))
