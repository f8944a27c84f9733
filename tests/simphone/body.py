"""A hand for tests of the phone's body: finds nodes in the hierarchy, touches their centres, and owns the clock."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from deskhand.simphone.phone import Phone

MORNING = datetime(2026, 3, 4, 9, 41)


class Hand:
    """Time stands still except when the hand lets it pass."""

    def __init__(self, *, locale: str = "", conditions: Iterable[str] = (), skin: str = "stock") -> None:
        self.time = 1000.0
        self.phone = Phone(
            now=lambda: self.time,
            today=lambda: MORNING + timedelta(seconds=self.time - 1000.0),
            conditions=conditions,
            locale=locale,
            skin=skin,
        )

    def wait(self, seconds: float = 1.0) -> None:
        self.time += seconds

    def nodes(self) -> list[ET.Element]:
        return list(ET.fromstring(self.phone.windows.dump_hierarchy().encode()).iter("node"))

    def texts(self) -> list[str]:
        return [node.get("text", "") for node in self.nodes() if node.get("text")]

    def all(self, wanted: str) -> list[ET.Element]:
        """By text, description, or the last part of the resource id."""
        return [
            node
            for node in self.nodes()
            if wanted in (node.get("text"), node.get("content-desc"))
            or node.get("resource-id", "").rpartition("/")[2] == wanted
        ]

    def find(self, wanted: str) -> ET.Element:
        found = self.all(wanted)
        assert found, f"no {wanted!r} among {self.texts()}"
        return found[0]

    def sees(self, wanted: str) -> bool:
        return bool(self.all(wanted))

    def box(self, wanted: str | ET.Element) -> tuple[int, int, int, int]:
        node = self.find(wanted) if isinstance(wanted, str) else wanted
        x1, y1, x2, y2 = (int(n) for n in re.findall(r"-?\d+", node.get("bounds", "")))
        return x1, y1, x2, y2

    def centre(self, wanted: str | ET.Element) -> tuple[int, int]:
        x1, y1, x2, y2 = self.box(wanted)
        return (x1 + x2) // 2, (y1 + y2) // 2

    def press(self, x: float, y: float, seconds: float = 0.05) -> None:
        self.phone.input.touch_down(x, y)
        self.wait(seconds)
        self.phone.input.touch_up(x, y)

    def tap(self, *wanted: str | ET.Element) -> None:
        for each in wanted:
            self.press(*self.centre(each))
            self.wait()

    def hold(self, wanted: str | ET.Element) -> None:
        self.press(*self.centre(wanted), seconds=0.7)
        self.wait()

    def drag(self, x1: float, y1: float, x2: float, y2: float, steps: int = 8) -> None:
        self.phone.input.touch_down(x1, y1)
        for i in range(1, steps + 1):
            self.wait(0.02)
            self.phone.input.touch_move(x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps)
        self.phone.input.touch_up(x2, y2)
        self.wait()

    def scroll_to(self, wanted: str) -> None:
        width, height = self.phone.size
        for _ in range(20):
            if self.sees(wanted):
                return
            self.drag(width / 2, height * 0.7, width / 2, height * 0.4)
        raise AssertionError(f"{wanted!r} is nowhere in the list")

    def key(self, *codes: int) -> None:
        for code in codes:
            self.phone.input.press_key(code)
            self.wait()

    def open(self, name: str) -> None:
        """From the home screen, swiping to the second page if need be."""
        self.key(3)
        if not self.sees(name):
            width, height = self.phone.size
            self.drag(width * 0.8, height / 2, width * 0.2, height / 2)
        self.tap(name)

    def write(self, field: str, text: str) -> None:
        self.tap(field)
        assert self.phone.input.type_text(text)

    def state(self, package: str) -> dict[str, Any]:
        return self.phone.read_state()["apps"][package]
