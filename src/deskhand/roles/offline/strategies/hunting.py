"""Looks for something: here, by the app's own search, by scrolling, behind tabs, further up; then says honestly no."""

import re
from collections.abc import Callable
from dataclasses import replace
from difflib import SequenceMatcher

from deskhand.core.actions import SCROLL_ENDED, Back, Key, Scroll, Type, Wait
from deskhand.core.screen import Element
from deskhand.roles.offline.memory import HuntMemory, ScrollMemory, Trace
from deskhand.roles.offline.outcome import Act, Failed, fill_field, look_again, make_act, touch_element
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.content.paging import find_over_pages, is_counted, list_pager, turn_page
from deskhand.roles.offline.strategies.hunts.tooltips import find_by_tooltip, point_at_icon
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.screen.grounding.find import (
    Candidate,
    SearchResult,
    find_element,
    find_nearest_names,
    sort_by_likeness,
)
from deskhand.screen.grounding.query import Query, read_description
from deskhand.screen.grounding.tree import Want
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word, split_words, synonyms_of

# So much of two names is the same in what may be one of them misspelt.
_LIKE = 0.6
_ARTICLES = frozenset({"the", "and", "with", "for"})

MAX_TURNS = 34
# Looks at a web page that lacks what is sought, half a second apart: at least, and at most while it still changes.
LOOKS, MOST_LOOKS = 4, 16
# A program is drawn at once, unless it is just starting.
LOOKS_ON_DESKTOP, MOST_LOOKS_ON_DESKTOP = 2, 8
_LOADING = tuple(map(fold_name, ("loading", "searching", "please wait", "加载", "正在", "请稍候", "请稍等", "搜索中")))
SCROLLS = 8
# A web page is longer than a list on a phone, and tells where it ends.
SCROLLS_ON_PAGES = 20
# A page may fetch more of a list when its end is reached.
GROWING_S = 1.0
# Scrollable areas that are looked through: the page, and lists on it.
MOST_AREAS = 3
TABS = 6
UPS = 3
FOLDS = 12
STAGES = ("search", "scroll", "pages", "tabs", "folds", "up")


def locate_thing(
    scene: Scene, description: str, want: Want, *, stages: tuple[str, ...] = STAGES
) -> Candidate | Act | Failed:
    """Return the thing, or the next step of looking for it, or why it is not to be had."""
    hunt = scene.memory.hunt
    if not hunt.turns:
        hunt = HuntMemory(stages=stages, left=stages)
    scene.remember_record(replace(hunt, turns=hunt.turns + 1))
    finding = _drop_search_offers(scene, find_untried(scene, description, want))
    if named := find_by_tooltip(scene, finding):
        return named
    if finding.best is None:
        finding = find_over_pages(scene, description, want) or finding
    if finding.best is not None:
        return finding.best
    if finding.status == "ambiguous":
        near = _find_in_open_menu(scene, finding)
        if near is None and want == "clickable":
            near = _find_near_last(scene, finding)
        return near or fail_ambiguous(scene, description, finding)
    if away := dismiss_dialog(scene):
        return away
    if patient := wait_for_more(scene):
        return patient
    hunt = scene.memory.hunt
    names = sort_by_likeness(description, [*hunt.names, *find_nearest_names(description, scene.tree, 6)])
    scene.remember_record(replace(hunt, names=tuple(names)[:6]))
    roams = want == "checkable" or scene.kept.left_over
    while (hunt := scene.memory.hunt).left and hunt.turns < MAX_TURNS:
        stage = hunt.left[0]
        if (stage != "up" or roams) and (step := _STAGES[stage](scene, description)):
            return step
        scene.remember_record(replace(scene.memory.hunt, left=hunt.left[1:]))
    return fail_not_found(scene, description, list(hunt.names))


def _find_near_last(scene: Scene, finding: SearchResult) -> Candidate | None:
    """Return the one of several that stands beside the name of what was opened last, or the box checked last.

    Behind `click Shopping` and `check Milk`, the button in a row with that heading or that box is meant.
    """
    taken = scene.kept.taken
    if taken is None or not fold_name(taken.trace[0]):
        return None
    named = [e for e in scene.elements if fold_name(e.name) == fold_name(taken.trace[0]) and not e.editable]
    headings = [e for e in named if e.role == "heading" or (e.role == "text" and not e.clickable)]
    for places in (headings, [e for e in named if e.checked is not None]):
        near = [c for c in finding.candidates if any(scene.tree.is_same_row(c.target, place) for place in places)]
        if len(near) == 1:
            return near[0]
    return None


def _find_in_open_menu(scene: Scene, finding: SearchResult) -> Candidate | None:
    """Return the only candidate in the menu that was opened last: nothing else can be reached before it closes."""
    taken = scene.kept.taken
    if taken is None or not scene.is_desktop:
        return None
    within = [
        c
        for c in finding.candidates
        if any(a.role == "menu" and a.bounds == taken.trace[1] for a in scene.tree.ancestors_of(c.target))
    ]
    return within[0] if len(within) == 1 else None


def wait_for_more(scene: Scene) -> Act | None:
    """Look again at a web page or a program before looking elsewhere: it may be a part yet. Longer while it changes or
    says so."""
    hunt = scene.memory.hunt
    if hunt.waited < 0 or not (scene.is_web_page or scene.is_desktop):
        return None
    blank = not any(e.text for e in scene.elements)
    busy = blank or hunt.shown != scene.print or any(_is_busy(e) for e in scene.elements)
    least, most = (LOOKS, MOST_LOOKS) if scene.is_web_page else (LOOKS_ON_DESKTOP, MOST_LOOKS_ON_DESKTOP)
    if hunt.waited >= (most if busy else least):
        scene.remember_record(replace(hunt, waited=-1))
        return None
    scene.remember_record(replace(hunt, waited=hunt.waited + 1, shown=scene.print))
    return look_again(scene.say("等它出现", "Waiting for it to appear"))


def _is_busy(element: Element) -> bool:
    """True for what is shown while more is loaded."""
    words = fold_name(element.text)
    return element.role == "progress" or (bool(words) and words.startswith(_LOADING) and len(words) < 40)


def find_untried(scene: Scene, description: str, want: Want) -> SearchResult:
    """Return what fits, without what was taken before and turned out to be wrong."""
    found = scene.find_element(description, want)
    if is_counted(description) and (pager := list_pager(scene)):
        found = find_element(description, [e for e in scene.elements if e not in pager], want)
    return _filter_finding(found, lambda c: (description, trace_of(c)) not in scene.kept.wrong)


def _filter_finding(finding: SearchResult, is_kept: Callable[[Candidate], bool]) -> SearchResult:
    kept = tuple(c for c in finding.candidates if is_kept(c))
    if len(kept) == len(finding.candidates) or finding.status == "nothing":
        return finding
    if not kept:
        return SearchResult("nothing", (), finding.nearest)
    return SearchResult("found" if len(kept) == 1 or finding.status == "found" else "ambiguous", kept)


def trace_of(candidate: Candidate) -> Trace:
    return candidate.label, candidate.target.bounds


def fail_not_found(scene: Scene, description: str, names: list[str]) -> Failed:
    """Say what is like it, else what there is instead: the two must not be taken for each other."""
    if near := [name for name in names if _is_like(name, description)]:
        seen = scene.quote_names(near[:5])
        return scene.fail_with(
            f"没有找到“{description}”；名字相近的有：{seen}。模型（--model）也许知道指的是什么。",
            f"“{description}” was not found; similar names: {seen}. A model (--model) may know what is meant.",
        )
    seen = scene.quote_names(names[:5])
    nothing = scene.say("没有可读的文字", "nothing readable")
    return scene.fail_with(
        f"没有找到“{description}”；屏幕上有的例如：{seen or nothing}。模型（--model）也许知道指的是什么。",
        f"“{description}” was not found; the screen shows, for example, {seen or nothing}. "
        "A model (--model) may know what is meant.",
    )


def _is_like(name: str, description: str) -> bool:
    """True if two names have a word, or most of their letters, in common."""
    one, other = fold_name(name), fold_name(description)
    words = set(re.findall(r"[a-z]{3,}|[\u4e00-\u9fff]{2}", description.casefold())) - _ARTICLES
    return any(word in name.casefold() for word in words) or SequenceMatcher(None, one, other).ratio() >= _LIKE


def fail_ambiguous(scene: Scene, description: str, finding: SearchResult) -> Failed:
    listed = scene.quote_names([c.label or c.target.role for c in finding.candidates[:5]])
    count = len(finding.candidates)
    return scene.fail_with(
        f"“{description}”不明确：有 {count} 处符合（{listed}），请说得更具体。",
        f"“{description}” is ambiguous: {count} things fit ({listed}); say which one.",
    )


def _drop_search_offers(scene: Scene, finding: SearchResult) -> SearchResult:
    """While searching, neither the box that holds the words nor an offer to ask the web is what was sought."""
    if not scene.memory.hunt.asked:
        return finding
    return _filter_finding(finding, lambda c: not c.target.editable and not _is_web_offer(c))


def _is_web_offer(candidate: Candidate) -> bool:
    english = {"search", "web", "internet"} & set(split_words(candidate.label))
    return bool(english) or any(w in candidate.label for w in ("搜索", "搜一搜", "网络查找", "全网"))


def find_search_box(scene: Scene) -> Element | None:
    """A field to search this app with; an address bar is not one."""
    for field in scene.list_fields():
        words = " ".join((field.name, field.hint, field.id.rpartition("/")[2]))
        addresses = "网址" in words or {"url", "web", "address"} & set(split_words(words))
        if _is_search(words) and not addresses:
            return field
    return None


def find_search_button(scene: Scene) -> Element | None:
    for e in scene.elements:
        if e.clickable and not e.editable and e.enabled and e.role in ("button", "image", "item", "group"):
            by_id = "search" in split_words(e.id.rpartition("/")[2]) and not e.text
            if by_id or (e.text and is_same_word(e.text, "search")):
                return e
    return None


def _is_search(words: str) -> bool:
    return "搜" in words or "查找" in words or bool({"search", "query", "find"} & set(split_words(words)))


def _hunt_by_search(scene: Scene, description: str) -> Act | None:
    words = _list_search_words(description)
    hunt = scene.memory.hunt
    if not words or scene.on_home_screen or _has_just_searched(scene):
        return None
    if hunt.typing:
        typed = any(isinstance(done, Type) for done in scene.list_executed())
        # not typed: it was paused, interrupted or cut off before
        hunt = replace(hunt, typing=False, asked=hunt.asked if typed else hunt.asked[:-1])
        scene.remember_record(hunt)
    if hunt.asked and (into := _enter_only_result(scene)):
        return into
    todo = [w for w in words if w not in hunt.asked][:1] if len(hunt.asked) < 3 else []
    box = find_search_box(scene)
    if todo and box is not None:
        scene.remember_record(replace(hunt, asked=(*hunt.asked, todo[0]), typing=True))
        thought = scene.say(f"用搜索框查找“{todo[0]}”", f"Searching for “{todo[0]}”")
        return make_act(thought, *fill_field(box, todo[0], clear=bool(box.value)))
    button = find_search_button(scene)
    if todo and button is not None and not hunt.opened:
        scene.remember_record(replace(hunt, opened=True))
        return make_act(scene.say("打开搜索", "Opening the search"), touch_element(button))
    return _leave_search(scene, box) if hunt.asked else None


def _has_just_searched(scene: Scene) -> bool:
    """True if the goal itself pressed the search button last: another search would replace its own."""
    taken = scene.kept.taken
    return taken is not None and is_same_word(taken.trace[0], "search")


def _list_search_words(description: str) -> list[str]:
    """Return what to type: the bare name, then its names in the other language. Controls are not searched for."""
    query = read_description(description)
    if not query.name or query.relation or query.ordinal or query.roles & {"button", "field", "tab", "menu"}:
        return []
    return [query.name, *synonyms_of(query.name)[:2]]


def _enter_only_result(scene: Scene) -> Act | None:
    """One single hit that is called otherwise (a settings page that holds the switch): worth going into, once."""
    rows = [e for e in scene.elements if _is_result(scene, e)]
    if len(rows) != 1 or scene.memory.hunt.entered:
        return None
    scene.remember_record(replace(scene.memory.hunt, entered=True))
    name = scene.tree.label_of(rows[0])
    thought = scene.say(f"进入唯一的搜索结果“{name}”", f"Going into the only result, “{name}”")
    return make_act(thought, touch_element(rows[0]))


def _is_result(scene: Scene, element: Element) -> bool:
    if not element.clickable or element.editable or element.checked is not None:
        return False
    above = list(scene.tree.ancestors_of(element))
    listed = any(a.scrollable or a.role == "list" for a in above) or element.role == "item"
    return listed and not any(a.clickable and not a.scrollable for a in above)


def _leave_search(scene: Scene, box: Element | None) -> Act | None:
    """Back to where everything is listed: empty the box, or leave the page that the search opened."""
    hunt = scene.memory.hunt
    if hunt.left_search >= 3 or box is None:
        return None
    scene.remember_record(replace(hunt, left_search=hunt.left_search + 1))
    thought = scene.say("搜索没有结果，返回", "The search found nothing: leaving it")
    if hunt.opened and scene.can_do("back"):
        return make_act(thought, Back())
    if box.value and not hunt.opened:
        return make_act(thought, *fill_field(box, "", clear=True))
    return None


def find_scroller(scene: Scene) -> Element | None:
    """Return the largest scrollable area; None if there is none."""
    return next(iter(_list_scrollers(scene)), None)


def _list_scrollers(scene: Scene) -> list[Element]:
    """Return the scrollable areas, the largest first; one lower than a fifth of the screen is only a strip."""
    areas = [e for e in scene.elements if e.scrollable and e.bounds.height > scene.tree.screen.height * 0.2]
    return sorted(areas, key=lambda e: -e.bounds.area)


def is_at_end(scene: Scene, before: int | None) -> bool:
    """True if the last scroll moved nothing; a browser says so itself, and its pages may be blank for a while."""
    last = scene.briefing.last
    details = [one.detail for one in last.actions if isinstance(one.action, Scroll)] if last else []
    if details and scene.is_web_page:
        return details[-1].startswith(SCROLL_ENDED)
    return before == scene.print


def _hunt_by_scrolling(scene: Scene, description: str) -> Act | None:
    """One page further down; at the end back to the top and above; None when all was seen."""
    areas, seen = _list_scrollers(scene), scene.memory.hunt.scroll
    if seen.area >= min(len(areas), MOST_AREAS) or not scene.can_do("scroll"):
        return None
    area = areas[seen.area]
    most = SCROLLS_ON_PAGES if area.source == "dom" else SCROLLS
    ended = seen.count > 0 and not _has_just_waited(scene, seen) and is_at_end(scene, seen.print)
    if ended and (growing := _wait_for_growth(scene, area, seen)):
        return growing
    if ended or seen.count >= most:
        if seen.way == "up":
            scene.remember_record(replace(scene.memory.hunt, scroll=ScrollMemory(area=seen.area + 1)))
            return _hunt_by_scrolling(scene, description)
        seen = ScrollMemory("up", back=seen.count, area=seen.area)
    pages = 0.8 if seen.way == "down" else max(0.8, min(20.0, 0.8 * seen.back))
    waited = seen.waited and _has_just_waited(scene, seen)
    scrolled = ScrollMemory(seen.way, seen.count + 1, scene.print, area=seen.area, waited=waited)
    scene.remember_record(replace(scene.memory.hunt, scroll=scrolled))
    x, y = area.bounds.center
    thought = scene.say(f"向{'下' if seen.way == 'down' else '上'}滚动查找", f"Scrolling {seen.way}")
    return make_act(thought, Scroll(direction=seen.way, pages=pages, x=x, y=y))


def _wait_for_growth(scene: Scene, area: Element, seen: ScrollMemory) -> Act | None:
    """Wait once at the end of a page's list: more may be fetched there."""
    if seen.way != "down" or area.source != "dom" or seen.waited:
        return None
    scene.remember_record(replace(scene.memory.hunt, scroll=replace(seen, waited=True)))
    return make_act(scene.say("等列表变长", "Waiting in case the list grows"), Wait(seconds=GROWING_S))


def _has_just_waited(scene: Scene, seen: ScrollMemory) -> bool:
    return seen.waited and any(isinstance(done, Wait) for done in scene.list_executed())


def _hunt_in_tabs(scene: Scene, description: str) -> Act | None:
    """Other tabs may hold it; each is looked at once."""
    hunt = scene.memory.hunt
    visited = list(hunt.tabs)
    if len(visited) >= TABS:
        return None
    for tab in (e for e in scene.elements if e.role == "tab" and e.clickable):
        label = scene.tree.label_of(tab)
        chosen = tab.selected or any(d.selected for d in scene.tree.descendants_of(tab))
        if not fold_name(label) or fold_name(label) in visited:
            continue
        visited.append(fold_name(label))
        if not chosen:
            scene.remember_record(replace(hunt, tabs=tuple(visited), scroll=ScrollMemory()))
            return make_act(scene.say(f"看看“{label}”标签页", f"Looking behind the tab “{label}”"), touch_element(tab))
    scene.remember_record(replace(hunt, tabs=tuple(visited)))
    return None


def _hunt_in_folds(scene: Scene, description: str) -> Act | None:
    """Folded sections, branches and menus may hold it; each is opened once, and opening one may fold another."""
    hunt = scene.memory.hunt
    for fold in (e for e in scene.elements if e.expanded is False and _can_unfold(e)):
        label = _name_fold(scene, fold)
        if len(hunt.folds) >= FOLDS or not label or label in hunt.folds:
            continue
        scene.remember_record(replace(hunt, folds=(*hunt.folds, label), scroll=ScrollMemory()))
        return make_act(scene.say(f"展开“{label}”看看", f"Looking inside “{label}”"), touch_element(fold))
    return None


def _can_unfold(element: Element) -> bool:
    return element.clickable and element.enabled and not element.editable and element.role != "combobox"


def _name_fold(scene: Scene, fold: Element) -> str:
    """Its own name; of a mere sign, the words beside it."""
    if label := scene.tree.label_of(fold):
        return label
    beside = [e for e in scene.elements if e.text and scene.tree.is_same_row(fold, e) and e.index != fold.index]
    nearest = scene.tree.find_nearest(fold, beside)
    return nearest.text if nearest is not None else ""


def _hunt_above(scene: Scene, description: str) -> Act | None:
    """To the page above, in the same app, and look there anew.

    Only for switches, which have names of their own, and from a page that the goal did not lead to: elsewhere the
    page above shows other things of the same name (another product's price). A form that was begun is not left.
    """
    hunt = scene.memory.hunt
    begun = any(f.value and not _is_search(f"{f.name} {f.hint} {f.id}") for f in scene.list_fields())
    if hunt.ups >= UPS or begun or scene.on_home_screen or not scene.can_do("back"):
        return None
    box = find_search_box(scene)
    filtered = box is not None and bool(box.value) and box.value != box.hint
    if not filtered and not any(_leads_up(e) for e in scene.elements):
        return None
    scene.remember_record(HuntMemory(hunt.stages, hunt.stages, hunt.turns, hunt.names, ups=hunt.ups + 1))
    if box is not None and filtered:
        thought = scene.say("清空留下的搜索", "Clearing the search that was left there")
        return make_act(thought, *fill_field(box, "", clear=True))
    return make_act(scene.say("这一页没有，返回上一级", "Not on this page: going up"), Back())


def _leads_up(element: Element) -> bool:
    """True for the arrow at the top; without one, going back would leave the app."""
    text = element.text.casefold()
    return element.clickable and text in {"back", "返回", "navigate up", "up", "转到上一层级", "向上导航", "返回上一级"}


def press_enter(scene: Scene) -> Act | None:
    return make_act(scene.say("按回车", "Pressing enter"), Key(key="enter")) if scene.can_do("key") else None


def is_control(query: Query) -> bool:
    """A button or field is found by looking at it, a row by going into it."""
    return bool(query.roles & {"button", "field", "checkbox", "switch", "radio", "slider", "image"})


_STAGES = {
    "search": _hunt_by_search,
    "scroll": _hunt_by_scrolling,
    "tooltips": point_at_icon,
    "pages": turn_page,
    "tabs": _hunt_in_tabs,
    "folds": _hunt_in_folds,
    "up": _hunt_above,
}
