"""Finds the field that a sentence names by the way: `enter the name “Ann”`."""

import re
from dataclasses import replace

from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.outcome import Act
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.obstacles import dismiss_question

# A field that is only similar is another field.
CLEAR = 0.9
_ANNOUNCED = re.compile(r"\b(?:the|my|your) (?P<noun>[\w-]+(?: [\w-]+)?) [\"“]")


def read_announced(scene: Scene, step: say.Write) -> str:
    """`enter the name “Ann”` among several fields: into the one called name, if there is just one."""
    said = _ANNOUNCED.search(step.source)
    if said is None or len([e for e in scene.elements if e.role == "field"]) < 2:
        return ""
    found = scene.find_element(said["noun"], "editable").best
    return said["noun"] if found is not None and found.score >= CLEAR else ""


def refuse_question(scene: Scene, field: Element) -> Act | None:
    """Refuse the question that has disabled the field, and begin anew with it; None if none has."""
    away = dismiss_question(scene) if not field.enabled else None
    if away is not None:
        scene.remember_record(replace(scene.memory.write, typed=0))
    return away
