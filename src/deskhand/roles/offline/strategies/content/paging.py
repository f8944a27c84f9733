"""Lists that go on over several pages: their pager is turned, and what is counted is counted over all of them."""

import re
from dataclasses import replace

from deskhand.core.screen import Element
from deskhand.roles.offline.outcome import Act, make_act, touch_element
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.find import SearchResult, count_fitting, find_element
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.tree import Want
from deskhand.screen.grounding.vocabulary import fold_name

MOST_PAGES = 30
_NEXT_SIGNS = frozenset({">", "›", "»", "→"})
_NEXT_WORDS = frozenset(map(fold_name, ("next", "next page", "下一页")))
_OTHER_SIGNS = frozenset({"<", "‹", "«", "←", ">>", "<<", "…", "..."})


def is_counted(description: str) -> bool:
    """True for `the 9th result`: nothing but its number tells it from the others."""
    query = read_description(description)
    return query.ordinal is not None and query.ordinal > 0 and not query.name


def list_pager(scene: Scene) -> list[Element]:
    """Return the links of a pager: numbers and arrows in one row; empty if there is none.

    A lone Next is the button of a form, which goes on with something else.
    """
    links = [e for e in scene.elements if e.clickable and _is_pager_word(e.text)]
    for turn in (e for e in links if _is_next(e)):
        row = [e for e in links if scene.tree.is_same_row(e, turn)]
        numbers = [e for e in scene.elements if e.text.strip().isdigit() and scene.tree.is_same_row(e, turn)]
        if numbers and len(row) > 1:
            return row
    return []


def _is_pager_word(text: str) -> bool:
    bare = text.strip()
    return bool(re.fullmatch(r"\d{1,4}", bare)) or bare in _NEXT_SIGNS | _OTHER_SIGNS or fold_name(bare) in _NEXT_WORDS


def _is_next(element: Element) -> bool:
    return element.text.strip() in _NEXT_SIGNS or fold_name(element.text) in _NEXT_WORDS


def turn_page(scene: Scene, description: str) -> Act | None:
    """To the next page of a list; None at its end."""
    hunt = scene.memory.hunt
    turn = next((e for e in list_pager(scene) if _is_next(e) and e.enabled), None)
    if turn is None or hunt.pages >= MOST_PAGES or (hunt.pages and hunt.scroll.print == scene.print):
        return None
    here = count_fitting(replace(read_description(description), ordinal=None), _without_pager(scene), "clickable")
    turned = replace(hunt, pages=hunt.pages + 1, passed=hunt.passed + here)
    scene.remember_record(replace(turned, scroll=replace(hunt.scroll, print=scene.print)))
    return make_act(scene.say("翻到下一页", "Turning to the next page"), touch_element(turn))


def find_over_pages(scene: Scene, description: str, want: Want) -> SearchResult | None:
    """Return the thing whose number is counted from the first page on; None for any other description."""
    passed, query = scene.memory.hunt.passed, read_description(description)
    if not passed or not is_counted(description) or query.ordinal is None or query.ordinal <= passed:
        return None
    return find_element(replace(query, ordinal=query.ordinal - passed), _without_pager(scene), want)


def _without_pager(scene: Scene) -> list[Element]:
    pager = list_pager(scene)
    return [e for e in scene.elements if e not in pager]
