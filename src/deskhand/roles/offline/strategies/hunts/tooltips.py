"""Learns what icons are called: points at each, and reads what the page then shows beside it."""

from dataclasses import replace

from deskhand.core.actions import Move, Wait
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.roles.offline.outcome import Act, make_act
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.find import Candidate, SearchResult
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.tree import measure_distance
from deskhand.screen.grounding.vocabulary import fold_name, split_words, synonyms_of

# Icons that are pointed at, the likeliest first.
MOST_ICONS = 8
# Larger things are areas, not icons; a tooltip stands this near to what it is about.
LARGEST_ICON, NEAR = 64, 80
# Pages wait about so long before they show a tooltip.
DELAY_S = 0.9


def point_at_icon(scene: Scene, description: str) -> Act | None:
    """Point at the next icon without a name; None if there is none left."""
    hunt, query = scene.memory.hunt, read_description(description)
    if not scene.can_do("move") or not query.name or query.relation or len(hunt.pointed) >= MOST_ICONS:
        return None
    icons = [e for e in scene.elements if _is_icon(scene, e) and e.bounds not in hunt.pointed]
    icons.sort(key=lambda e: (-_count_signs(e, query.name), e.bounds.top, e.bounds.left))
    if not icons:
        return None
    x, y = icons[0].bounds.center
    scene.remember_record(replace(hunt, pointed=(*hunt.pointed, icons[0].bounds)))
    thought = scene.say("看看这个图标叫什么", "Looking what this icon is called")
    return make_act(thought, Move(x=x, y=y), Wait(seconds=DELAY_S))


def find_by_tooltip(scene: Scene, finding: SearchResult) -> Candidate | None:
    """Return the icon that was pointed at last, if the words that are meant came up beside it."""
    pointed, said = scene.memory.hunt.pointed, finding.candidates[:1]
    if not pointed or not said or said[0].target.clickable or said[0].target.editable:
        return None
    if measure_distance(said[0].element.bounds, pointed[-1]) > NEAR:
        return None
    icon = next((e for e in scene.elements if e.bounds == pointed[-1] and e.clickable), None)
    return Candidate(icon, icon, said[0].score, said[0].label) if icon is not None else None


def _is_icon(scene: Scene, element: Element) -> bool:
    box: Rect = element.bounds
    small = 0 < box.width <= LARGEST_ICON and 0 < box.height <= LARGEST_ICON
    return small and element.clickable and element.enabled and not element.editable and not scene.tree.label_of(element)


def _count_signs(icon: Element, name: str) -> int:
    """Return how many words of the name the author's own name for the icon has: fa-plus for "Add"."""
    signs = {fold_name(word) for word in split_words(icon.id)}
    return sum(bool(signs & {word, *map(fold_name, synonyms_of(word))}) for word in split_words(name))
