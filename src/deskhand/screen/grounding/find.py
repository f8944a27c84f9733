"""Grounding: ranks the elements of a screen by how well they fit a description in English or Chinese.

Pure functions. Ambiguity is reported, not guessed: the caller gets found, ambiguous or nothing, and the nearest names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rapidfuzz import fuzz

from deskhand.core.screen import Element, Role
from deskhand.screen.grounding.blocks import find_in_block
from deskhand.screen.grounding.names import score_name
from deskhand.screen.grounding.place import DIRECTIONS, score_position, score_relation
from deskhand.screen.grounding.query import Query, read_description
from deskhand.screen.grounding.tree import ElementTree, Want
from deskhand.screen.grounding.vocabulary import fold_name, load_vocabulary

# A score below this is no candidate; two scores closer than the gap can't be told apart.
ENOUGH = 0.6
GAP = 0.045

_TEXT_FIELD = re.compile(r"(?:the )?(text|文本|文字|正文)(?: ?(?:field|box|input|框|栏|输入框))?", re.IGNORECASE)

# A role word also fits these roles: people call every clickable thing a button.
_KIN: dict[Role, frozenset[Role]] = {
    "button": frozenset({"button", "image", "link", "tab"}),
    "checkbox": frozenset({"checkbox", "switch", "radio"}),
    "switch": frozenset({"switch", "checkbox"}),
    "radio": frozenset({"radio", "checkbox"}),
    "image": frozenset({"image", "button"}),
    "link": frozenset({"link", "text", "button"}),
    "tab": frozenset({"tab", "button", "item", "group", "text"}),
    "item": frozenset({"item", "group", "list", "radio", "link"}),
    "menu": frozenset({"menu", "button", "combobox", "item"}),
    "heading": frozenset({"heading", "text"}),
    "text": frozenset({"text", "heading"}),
    "combobox": frozenset({"combobox", "menu", "button", "list"}),
    "list": frozenset({"list", "combobox"}),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """Pairs the `element` that fits the description with the `target` to act on (its row, its switch, its field)."""

    element: Element
    target: Element
    score: float
    label: str

    @property
    def aim(self) -> Element:
        """Return where to touch: at the words that were found, since other words in the target may be used too."""
        inside = self.target.bounds.contains_point(*self.element.bounds.center)
        if not inside or self.element is self.target:
            return self.target
        return replace(self.target, bounds=self.element.bounds, name=self.target.name or self.element.text)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Holds the outcome of a search. `nearest` are the closest names on the screen, for a useful error message."""

    status: Literal["found", "ambiguous", "nothing"]
    candidates: tuple[Candidate, ...] = ()
    nearest: tuple[str, ...] = ()

    @property
    def best(self) -> Candidate | None:
        return self.candidates[0] if self.status == "found" else None


def find_element(
    description: str | Query, elements: Sequence[Element] | ElementTree, want: Want = "any"
) -> SearchResult:
    """Return the one element that fits, the several that do, or nothing with the nearest names."""
    tree = elements if isinstance(elements, ElementTree) else ElementTree(elements)
    query = description if isinstance(description, Query) else read_description(description)
    ranked = rank_candidates(query, tree, want)
    good = [c for c in ranked if c.score >= ENOUGH]
    if not good and (other := _read_otherwise(query, want)):
        return find_element(other, tree, want)
    if not good:
        return SearchResult("nothing", tuple(ranked[:5]), find_nearest_names(query.name or query.literal, tree))
    rivals = _drop_nested([c for c in good if good[0].score - c.score < GAP], tree)
    rivals = _prefer_namesakes(query, rivals)
    if want == "clickable":
        rivals = _prefer_controls(query, _prefer_front(_prefer_role(query, rivals), tree))
    if len(rivals) > 1 and (other := _find_other(query, tree, want)):
        return other
    if len(rivals) > 1 and not (query.any_one and not query.name):
        return _find_by_kind(query, tree, want) or SearchResult("ambiguous", tuple(rivals))
    return SearchResult("found", (*rivals, *(c for c in good if c not in rivals)))


def _prefer_namesakes(query: Query, rivals: list[Candidate]) -> list[Candidate]:
    """Prefer what is called just so to what only means the same: New… before Create."""
    return [c for c in rivals if query.name and fold_name(c.label) == fold_name(query.name)] or rivals


def _find_by_kind(query: Query, tree: ElementTree, want: Want) -> SearchResult | None:
    named = _name_by_kind(query)
    found = find_element(named, tree, want) if named is not None else None
    return found if found is not None and found.status == "found" else None


def _read_otherwise(query: Query, want: Want) -> Query | None:
    """Return another meaning of a description that nothing fits: the sign of a button says what it does."""
    if query.other is None and query.name.casefold() in load_vocabulary().crosses:
        return replace(query, name="close", literal="close", quoted=False)
    return query.other or (_name_by_kind(query) if want == "editable" else None)


def _name_by_kind(query: Query) -> Query | None:
    """Return “the text field” as the field called text, where several are fields for text; None for any other."""
    found = _TEXT_FIELD.fullmatch(query.literal) if not query.name and query.ordinal is None else None
    return replace(query, name=found[1], roles=frozenset({"field"}), lines="") if found else None


def _find_other(query: Query, tree: ElementTree, want: Want) -> SearchResult | None:
    other = find_element(query.other, tree, want) if query.other is not None else None
    return other if other is not None and other.best else None


def count_fitting(query: Query, elements: Sequence[Element], want: Want = "any") -> int:
    """Return how many things fit, as they are counted for `the 3rd one`."""
    tree = ElementTree(elements)
    return len(_find_peers([c for c in rank_candidates(query, tree, want) if c.score >= ENOUGH], tree))


def _drop_nested(rivals: list[Candidate], tree: ElementTree) -> list[Candidate]:
    """Drop rivals inside another rival: a row and the switch in it share a name, and the outer one stands for both."""
    outer = {c.target.index for c in rivals}
    return [c for c in rivals if not any(a.index in outer for a in tree.ancestors_of(c.target))] or rivals[:1]


def _prefer_role(query: Query, rivals: list[Candidate]) -> list[Candidate]:
    """Prefer what is just of the kind that was said to what may be called so as well."""
    return [c for c in rivals if c.element.role in query.roles] or rivals


def _prefer_front(rivals: list[Candidate], tree: ElementTree) -> list[Candidate]:
    """Prefer what stands in an open menu, or in a dialog: it lies in front of the rest."""
    for roles in (("menu",), ("dialog", "menu", "list")):
        front = [c for c in rivals if any(a.role in roles for a in tree.ancestors_of(c.target))]
        if front and len(front) < len(rivals) and (len(front) == 1 or "menu" in roles):
            return front
    return rivals


def _prefer_controls(query: Query, rivals: list[Candidate]) -> list[Candidate]:
    """Prefer a button to a field of the same name, unless a field was said: fields are typed into."""
    if "field" in query.roles:
        return rivals
    return [c for c in rivals if c.target.clickable and not c.target.editable] or rivals


def rank_candidates(
    description: str | Query, elements: Sequence[Element] | ElementTree, want: Want = "any"
) -> list[Candidate]:
    """Return every candidate that fits at all, best first, one for each target."""
    tree = elements if isinstance(elements, ElementTree) else ElementTree(elements)
    query = description if isinstance(description, Query) else read_description(description)
    if not query.literal:
        return []
    # An element with exactly this name wins over every other reading of the description.
    literal = Query(literal=query.literal, name=query.literal, quoted=True)
    whole = [c for c in _score_elements(literal, tree, want) if c.score >= 0.9]
    return _keep_best([*whole, *_score_elements(query, tree, want)])


def find_nearest_names(name: str, elements: Sequence[Element] | ElementTree, limit: int = 5) -> tuple[str, ...]:
    """Return names on the screen by similarity to `name`, then in reading order."""
    tree = elements if isinstance(elements, ElementTree) else ElementTree(elements)
    return sort_by_likeness(name, (e.text for e in tree.elements if not _only_repeats(e, tree)))[:limit]


def sort_by_likeness(name: str, seen: Iterable[str]) -> tuple[str, ...]:
    """Return each name once and shortened, the most similar first, the rest in the order given."""
    names = dict.fromkeys(_shorten_name(text) for text in seen if text.strip())
    # one letter is part of nearly every name
    likeness = {text: fuzz.WRatio(name.casefold(), text.casefold()) if len(text) > 1 else 0.0 for text in names}
    # a low similarity is chance: those names keep their reading order
    return tuple(sorted(names, key=lambda text: -likeness[text] if likeness[text] >= 50 else 0))


def _only_repeats(element: Element, tree: ElementTree) -> bool:
    """True if the name is not its own: a row named by its content, or a field by the text typed into it."""
    return bool(element.editable and element.value) or any(d.text for d in tree.descendants_of(element))


def _shorten_name(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 40 else flat[:39] + "…"


def _score_elements(query: Query, tree: ElementTree, want: Want) -> list[Candidate]:
    if query.empty:
        return []
    pool = [c for e in tree.elements if (c := _score_element(query, e, tree, want)) is not None]
    if want == "editable":
        pool = _drop_labels(pool)
    if query.lines and not query.name:
        pool = [c for c in pool if c.target.multiline is (query.lines == "several")] or pool
    if not query.name:
        # nameless: "the second link" means a real link, and a button only where there are no links
        pool = [c for c in pool if c.element.role in query.roles] or pool
    if query.relation and query.anchor:
        pool = _score_relation(query, query.anchor, pool, tree)
    pool = _keep_best(pool)
    if query.position:
        pool = _score_position(query, pool, tree)
    if query.ordinal is not None:
        return _pick_nth(query, pool, tree)
    return pool


def _drop_labels(pool: list[Candidate]) -> list[Candidate]:
    """Drop the labels of fields that have their names: a label alone may seem to belong to the field beside it."""
    named = {fold_name(c.element.name) for c in pool if c.element is c.target}
    return [c for c in pool if c.element is c.target or fold_name(c.label) not in named]


def _score_element(query: Query, element: Element, tree: ElementTree, want: Want) -> Candidate | None:
    if element.bounds.area == 0 or not _fits_state(query, element, tree):
        return None
    score = score_name(query.name, element, tree, exact=query.quoted) if query.name else 0.75
    if score <= 0:
        return None
    fitting = _score_role(query, element, tree)
    if fitting < 0 and not query.name:
        return None
    target, cost = _choose_target(element, tree, want, query)
    if target is None:
        return None
    if not target.enabled and query.state != "disabled":
        cost += 0.05
    named = element if element.text or not query.name else tree.find_caption(element) or element
    return Candidate(named, target, round(score + fitting - cost, 4), tree.label_of(element))


def _score_role(query: Query, element: Element, tree: ElementTree) -> float:
    if not query.roles:
        return 0.0
    if element.role in query.roles:
        return 0.1
    if "field" in query.roles and element.editable:
        return 0.1
    if any(element.role in _KIN.get(role, frozenset()) for role in query.roles):
        return 0.06 if element.clickable or "item" not in query.roles else -0.05
    if query.roles & {"button", "item", "tab", "link", "menu"} and tree.find_clickable_around(element):
        return 0.02 if query.name else -1
    # the label of a switch, a checkbox or a field stands for it
    return -0.05


def _fits_state(query: Query, element: Element, tree: ElementTree) -> bool:
    match query.state:
        case None:
            return True
        case "checked" | "unchecked":
            return element.checked is (query.state == "checked")
        case "selected":
            return element.selected or any(d.selected for d in tree.descendants_of(element))
        case "focused":
            return element.focused
        case "enabled" | "disabled":
            return element.enabled is (query.state == "enabled")


def _choose_target(element: Element, tree: ElementTree, want: Want, query: Query) -> tuple[Element | None, float]:
    """Return the element that the action must use, and the score penalty if it is not `element` itself."""
    if want == "editable" or (want != "checkable" and "field" in query.roles and not element.editable):
        return _reach_field(element, tree)
    if want == "checkable" or (query.roles & {"switch", "checkbox", "radio"} and element.checked is None):
        return _reach_control(element, tree, [e for e in tree.elements if e.checked is not None])
    if want == "clickable":
        around = tree.find_clickable_around(element) or _find_labelled(element, tree)
        # OCR and some web views mark nothing as clickable: text can still be clicked at its position
        return (around, 0.0) if around is not None else (element, 0.1)
    return element, 0.0


def _find_labelled(label: Element, tree: ElementTree) -> Element | None:
    """Return what can be clicked right behind a label ("Phone: 555-0101"), or right below it at its left edge."""
    if label.role != "text" or not label.name.rstrip().endswith((":", "：")):
        return None
    usable = [e for e in tree.elements if e.clickable and e.role in ("link", "button") and e.name]
    behind = [e for e in usable if tree.is_same_row(e, label) and e.bounds.left >= label.bounds.right - 4]
    height, left = label.bounds.height, label.bounds.left
    below = [
        e for e in usable if abs(e.bounds.left - left) <= 4 and -height < e.bounds.top - label.bounds.bottom < height
    ]
    return min(behind, key=lambda e: e.bounds.left, default=None) or next(iter(below), None)


def _reach_field(element: Element, tree: ElementTree) -> tuple[Element | None, float]:
    """Return the field that is meant, read-only or disabled ones included: the next one is another field."""
    if element.role == "combobox":
        return element, 0.0
    pressed = element.role in ("menu", "tab") or (element.role == "button" and element.source == "atspi")
    if element.checked is not None or element.role == "slider" or pressed:
        return None, 0.0  # a control of its own is no label of a field
    return _reach_control(
        element, tree, [e for e in tree.elements if e.editable or e.role in ("field", "combobox")], below=True
    )


def _reach_control(
    element: Element, tree: ElementTree, wanted: list[Element], below: bool = False
) -> tuple[Element | None, float]:
    if element in wanted:  # not by index: broken trees give one index to several elements
        return element, 0.0
    if element.bounds.area > tree.screen.area * 0.5:
        return None, 0.0
    control = tree.find_control_beside(element, wanted)
    if control is None and below:
        control = tree.find_field_below(element, wanted)
    return control, 0.03


def _score_relation(query: Query, anchor: Query, pool: Iterable[Candidate], tree: ElementTree) -> list[Candidate]:
    anchors = [c for c in rank_candidates(anchor, tree) if c.score >= ENOUGH]
    if not anchors:
        return []
    top = anchors[0].score
    places = [c.element for c in anchors if top - c.score < GAP]
    relation = query.relation or "beside"
    related: list[tuple[Candidate, list[float]]] = []
    for candidate in pool:
        fits = [score_relation(relation, candidate.target, place, tree) for place in places]
        if max(fits) > 0 and all(candidate.target.index != place.index for place in places):
            related.append((replace(candidate, score=round(candidate.score * 0.7 + max(fits) * 0.3, 4)), fits))
    if not related and relation not in DIRECTIONS and len(places) == 1:
        return _find_in_block(list(pool), places[0], tree)
    return _prefer_next(related) if relation in DIRECTIONS else [candidate for candidate, _ in related]


def _find_in_block(pool: list[Candidate], head: Element, tree: ElementTree) -> list[Candidate]:
    """Return the one of several namesakes that stands in the block of the anchor."""
    best = max((c.score for c in pool), default=0.0)
    equal = [c for c in pool if best - c.score < GAP and c.score >= ENOUGH]
    owned = find_in_block([c.target for c in equal], head, tree)
    return [c for c in equal if owned is not None and c.target.index == owned.index]


def _prefer_next(related: Sequence[tuple[Candidate, list[float]]]) -> list[Candidate]:
    """Prefer the nearest one at each anchor: "the button right of Cancel" means the one next to it, at each Cancel."""
    best = [max(fits) for fits in zip(*(fits for _, fits in related), strict=True)]
    return [
        candidate
        if any(0 < near == nearest for near, nearest in zip(fits, best, strict=True))
        else replace(candidate, score=round(candidate.score - GAP, 4))
        for candidate, fits in related
    ]


def _score_position(query: Query, pool: Iterable[Candidate], tree: ElementTree) -> list[Candidate]:
    """Score by position, which decides between equal fits, so its scores spread wider than the gap."""
    scored = [(c, score_position(query.position, c.target.bounds, tree.screen)) for c in pool]
    ranked = [replace(c, score=round(c.score - 0.3 + 0.3 * fits, 4)) for c, fits in scored if fits > 0.35]
    ranked.sort(key=lambda c: -c.score)
    if query.name or not ranked:
        return ranked
    # nameless ("the button at the top right"): only the position can tell, so take the best placed one
    best = ranked[0].score
    return [replace(c, score=c.score if c.score == best else c.score - GAP) for c in ranked]


def _pick_nth(query: Query, pool: Sequence[Candidate], tree: ElementTree) -> list[Candidate]:
    good = [c for c in pool if c.score >= ENOUGH]
    good = _find_peers(good, tree)
    good.sort(key=lambda c: (c.target.bounds.top, c.target.bounds.left))
    number = query.ordinal or 1
    place = number - 1 if number > 0 else len(good) + number
    return [replace(good[place], score=max(good[place].score, 0.9))] if 0 <= place < len(good) else []


def _find_peers(pool: list[Candidate], tree: ElementTree) -> list[Candidate]:
    """Return the candidates to count: only the outermost of nested ones, and list rows before all others."""
    chosen = {c.target.index for c in pool}
    outer = [c for c in pool if not any(a.index in chosen and a.clickable for a in tree.ancestors_of(c.target))]
    listed = [c for c in outer if any(a.scrollable or a.role == "list" for a in tree.ancestors_of(c.target))]
    rows = [c for c in listed if not c.target.scrollable and c.target.role != "list"]
    return rows or outer


def _keep_best(candidates: Iterable[Candidate]) -> list[Candidate]:
    best: dict[int, Candidate] = {}
    for candidate in candidates:
        held = best.get(candidate.target.index)
        if held is None or (candidate.score, -candidate.element.bounds.area) > (held.score, -held.element.bounds.area):
            best[candidate.target.index] = candidate
    return sorted(best.values(), key=lambda c: (-c.score, c.target.bounds.top, c.target.bounds.left))
