"""The people whom the phone knows at first; the messenger and the address book both start from them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Person:
    name: str
    phone: str
    handle: str
    region: tuple[str, str]
    sort: str
    """The sort key of the name: pinyin or Latin letters."""


@cache
def load_people() -> tuple[Person, ...]:
    rows = csv.DictReader(Path(__file__).with_name("first_contacts.csv").read_text(encoding="utf-8").splitlines())
    return tuple(
        Person(row["name"], row["phone"], row["handle"], (row["region"], row["region_en"]), row["sort"]) for row in rows
    )
