"""Reads the corpora of acts and plays each on a screen of its own, as the policy would see it.

A fixed hash splits each corpus in halves: one to tune by, one held out. Nobody looks at what is missed in the latter.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal, cast

from deskhand.core.actions import Action, Click, Hotkey, Key, OpenUrl, Swipe
from deskhand.core.decisions import PlannedAction
from deskhand.core.geometry import Rect
from deskhand.core.outgoing import OutgoingRequest
from deskhand.core.screen import Element, Observation, Role
from deskhand.engine.safety.policy import judge_action
from deskhand.engine.safety.request_risk import assess_request
from deskhand.settings.schema import PolicySettings
from tests.engine.safety.test_policy import FRAME, SPOT, X, Y

Half = Literal["tuning", "held out"]
_CORPUS = Path(__file__).with_name("corpus")
_PRESSABLE = ("button", "link", "item", "tab", "checkbox", "radio", "switch", "slider", "combobox")


@dataclass(frozen=True)
class Act:
    area: str
    role: str
    label: str
    around: str
    wire: str
    half: Half


def read_corpus(name: str) -> list[Act]:
    lines = (_CORPUS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [_read_act(line) for line in lines if line and not line.startswith("#")]


def _read_act(line: str) -> Act:
    # Only single spaces around a bar part the fields: a label may have a bar of its own.
    area, role, label, around, wire = (part.strip() for part in line.split("|", 4))
    half: Half = "held out" if sha256(line.encode()).digest()[0] % 2 else "tuning"
    return Act(area, role, label, around, wire, half)


def show_act(act: Act) -> tuple[Action, Observation]:
    """Return the action and the screen on which it happens."""
    title = act.around.removeprefix("title: ") if act.around.startswith("title: ") else ""
    text = "" if title else act.around
    if act.role == "url":
        return OpenUrl(url=act.label), Observation(FRAME, (), app="shop.example")
    if act.role == "key":
        writes = any(word in title for word in ("field", "line end", "Compose"))
        focus = Element(1, "field" if writes else "item", SPOT, focused=True, editable=writes, source="dom")
        keys = tuple(act.label.split("+"))
        pressed = Hotkey(keys=keys) if len(keys) > 1 else Key(key=act.label)
        return pressed, Observation(FRAME, (focus,), app="mail.example", title=title)
    control = Element(
        3, cast("Role", act.role), SPOT, name=act.label, parent=0 if text else None,
        clickable=act.role in _PRESSABLE, editable=act.role == "field", source="dom",
        sends=f"GET https://site.example{act.wire[4:]}" if act.wire.startswith("GET ") else "",
    )  # fmt: skip
    box = Element(0, "dialog", Rect(50, 800, 950, 1200), source="dom")
    question = Element(1, "text", Rect(80, 820, 920, 900), name=text, parent=0, source="dom")
    seen = Observation(FRAME, (box, question, control) if text else (control,), app="site.example", title=title)
    slides = act.role == "slider"
    return (Swipe(x=X, y=Y, to_x=X + 500, to_y=Y) if slides else Click(x=X, y=Y)), seen


def is_asked_by_screen(act: Act) -> bool:
    action, seen = show_act(act)
    return judge_action(PlannedAction(action=action), seen, PolicySettings()).verdict == "ask"


def is_asked_on_wire(act: Act) -> bool:
    if not act.wire:
        return False
    method, path, *body = act.wire.split(" ", 2)
    request = OutgoingRequest("1", method, f"https://site.example{path}", "".join(body), page=act.role != "switch")
    return assess_request(request).risk == "irreversible"
