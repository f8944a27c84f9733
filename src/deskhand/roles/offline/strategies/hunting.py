"""Looks for something: here, by the app's own search, by scrolling, behind tabs, further up; then says honestly no."""

from __future__ import annotations

from typing import Any

from deskhand.core.actions import Back, Click, Key, Scroll, Type
from deskhand.core.screen import Element
from deskhand.roles.offline.outcome import Act, Failed, act
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.obstacles import put_away
from deskhand.screen.grounding.find import Candidate, Finding, by_likeness, nearest_names
from deskhand.screen.grounding.query import Query, read_description
from deskhand.screen.grounding.tree import Want
from deskhand.screen.grounding.vocabulary import fold, pieces, same_word, synonyms

MAX_TURNS = 34
SCROLLS = 8
TABS = 6
UPS = 3
STAGES = ("search", "scroll", "tabs", "up")


def locate(
    scene: Scene, description: str, want: Want, *, stages: tuple[str, ...] = STAGES, key: str = "hunt"
) -> Candidate | Act | Failed:
    """The thing; or the next step of looking for it; or why it is not to be had."""
    hunt: dict[str, Any] = scene.memo.setdefault(key, {"left": list(stages), "turns": 0, "names": []})
    hunt.setdefault("stages", list(stages))
    hunt["roams"] = want == "checkable" or bool(scene.kept.get("left_over"))
    hunt["turns"] += 1
    finding = without_search_box(scene, untried(scene, description, want), hunt)
    if finding.best is not None:
        return finding.best
    if finding.status == "ambiguous":
        return several(scene, description, finding)
    if away := put_away(scene):
        return away
    hunt["names"] = list(by_likeness(description, [*hunt["names"], *nearest_names(description, scene.tree, 6)]))[:6]
    while hunt["left"] and hunt["turns"] < MAX_TURNS:
        step = _STAGES[hunt["left"][0]](scene, description, hunt)
        if step is not None:
            return step
        hunt["left"].pop(0)
    return not_there(scene, description, hunt["names"])


def untried(scene: Scene, description: str, want: Want) -> Finding:
    """What fits, without what was taken before and turned out to be the wrong one."""
    finding = scene.find(description, want)
    wrong: list[list[Any]] = scene.kept.get("wrong", {}).get(description, [])
    kept = tuple(c for c in finding.candidates if trace(c) not in wrong)
    if len(kept) == len(finding.candidates) or finding.status == "nothing":
        return finding
    if not kept:
        return Finding("nothing", (), finding.nearest)
    return Finding("found" if len(kept) == 1 or finding.status == "found" else "ambiguous", kept)


def trace(candidate: Candidate) -> list[Any]:
    """How a candidate is known again: by its name and its place."""
    return [candidate.label, *candidate.target.bounds]


def not_there(scene: Scene, description: str, names: list[str]) -> Failed:
    seen = "、".join(f"“{n}”" for n in names[:5]) if scene.zh else ", ".join(f"“{n}”" for n in names[:5])
    nothing = scene.say("屏幕上没有可读的文字", "nothing readable")
    return Failed(
        scene.say(f"没有找到“{description}”；看到的最接近的是：{seen or nothing}。",
                  f"“{description}” was not found; the nearest things seen were {seen or nothing}.")
    )  # fmt: skip


def several(scene: Scene, description: str, finding: Finding) -> Failed:
    labels = [c.label or c.target.role for c in finding.candidates[:5]]
    listed = "、".join(f"“{n}”" for n in labels) if scene.zh else ", ".join(f"“{n}”" for n in labels)
    count = len(finding.candidates)
    return Failed(
        scene.say(f"“{description}”不明确：有 {count} 处符合（{listed}），请说得更具体。",
                  f"“{description}” is ambiguous: {count} things fit ({listed}); say which one.")
    )  # fmt: skip


def without_search_box(scene: Scene, finding: Finding, hunt: dict[str, Any]) -> Finding:
    """While searching, neither the box that holds the words nor an offer to ask the web is what was sought."""
    if not hunt.get("asked"):
        return finding
    kept = tuple(c for c in finding.candidates if not c.target.editable and not _asks_the_web(c, hunt))
    if finding.status == "nothing" or len(kept) == len(finding.candidates):
        return finding
    if not kept:
        return Finding("nothing", (), finding.nearest)
    return Finding("found" if len(kept) == 1 or finding.status == "found" else "ambiguous", kept)


def _asks_the_web(candidate: Candidate, hunt: dict[str, Any]) -> bool:
    words = pieces(candidate.label)
    return any(w in words for w in ("search", "web", "internet")) or any(
        w in candidate.label for w in ("搜索", "搜一搜", "网络查找", "全网")
    )


# --- by the app's own search ---------------------------------------------------------------------------------


def search_box(scene: Scene) -> Element | None:
    """A field to search this app with; an address bar is not one."""
    for field in scene.fields():
        words = " ".join((field.name, field.hint, field.id.rpartition("/")[2]))
        if _is_search(words, field) and not _is_address_bar(words):
            return field
    return None


def search_button(scene: Scene) -> Element | None:
    for e in scene.elements:
        if e.clickable and not e.editable and e.enabled and e.role in ("button", "image", "item", "group"):
            by_id = "search" in pieces(e.id.rpartition("/")[2]) and not e.text
            if by_id or (e.text and same_word(e.text, "search")):
                return e
    return None


def _is_search(words: str, field: Element) -> bool:
    return "搜" in words or "查找" in words or bool({"search", "query", "find"} & set(pieces(words)))


def _is_address_bar(words: str) -> bool:
    return "网址" in words or bool({"url", "web", "address"} & set(pieces(words)))


def _search(scene: Scene, description: str, hunt: dict[str, Any]) -> Act | None:
    words = _search_words(description)
    asked: list[str] = hunt.setdefault("asked", [])
    if not words or scene.on_home_screen:
        return None
    if hunt.pop("typing", False) and not any(isinstance(done, Type) for done in scene.executed()):
        asked.pop()  # paused, interrupted or cut off before it was typed
    if asked and (into := _only_result(scene, hunt)):
        return into
    todo = [w for w in words if w not in asked][:1] if len(asked) < 3 else []
    box = search_box(scene)
    if todo and box is not None:
        asked.append(todo[0])
        hunt["typing"] = True
        thought = scene.say(f"用搜索框查找“{todo[0]}”", f"Searching for “{todo[0]}”")
        return act(thought, _click(box), Type(text=todo[0], clear_first=bool(box.value), target=box.text))
    button = search_button(scene)
    if todo and button is not None and not hunt.get("opened"):
        hunt["opened"] = True
        return act(scene.say("打开搜索", "Opening the search"), _click(button))
    return _leave_search(scene, hunt, box) if asked else None


def _search_words(description: str) -> list[str]:
    """What to type: the bare name, then its names in the other language. Controls are not searched for by name."""
    query = read_description(description)
    if not query.name or query.relation or query.ordinal or query.roles & {"button", "field", "tab", "menu"}:
        return []
    return [query.name, *synonyms(query.name)[:2]]


def _only_result(scene: Scene, hunt: dict[str, Any]) -> Act | None:
    """One single hit that is called otherwise (a settings page that holds the switch): worth going into, once."""
    rows = [e for e in scene.elements if _is_result(scene, e)]
    if len(rows) != 1 or hunt.get("entered"):
        return None
    hunt["entered"] = True
    name = scene.tree.label(rows[0])
    return act(scene.say(f"进入唯一的搜索结果“{name}”", f"Going into the only result, “{name}”"), _click(rows[0]))


def _is_result(scene: Scene, element: Element) -> bool:
    if not element.clickable or element.editable or element.checked is not None:
        return False
    above = list(scene.tree.ancestors(element))
    listed = any(a.scrollable or a.role == "list" for a in above) or element.role == "item"
    return listed and not any(a.clickable and not a.scrollable for a in above)


def _leave_search(scene: Scene, hunt: dict[str, Any], box: Element | None) -> Act | None:
    """Back to where everything is listed: empty the box, or leave the page that the search opened."""
    if hunt.get("left_search", 0) >= 3 or box is None:
        return None
    hunt["left_search"] = hunt.get("left_search", 0) + 1
    thought = scene.say("搜索没有结果，返回", "The search found nothing: leaving it")
    if hunt.get("opened") and scene.can("back"):
        return act(thought, Back())
    if box.value and not hunt.get("opened"):
        return act(thought, _click(box), Type(text="", clear_first=True, target=box.text))
    return None


# --- by scrolling and behind tabs -----------------------------------------------------------------------------


def scroller(scene: Scene) -> Element | None:
    """What scrolls up and down: the largest that is higher than it is a strip."""
    areas = [e for e in scene.elements if e.scrollable and e.bounds.height > scene.tree.screen.height * 0.2]
    return max(areas, key=lambda e: e.bounds.area, default=None)


def scroll_step(scene: Scene, state: dict[str, Any]) -> Act | None:
    """One page further down; at the end back to the top and above; None when all was seen."""
    area = scroller(scene)
    if area is None or not scene.can("scroll"):
        return None
    way, count = state.setdefault("way", "down"), state.setdefault("count", 0)
    if (state.get("print") == scene.print and count) or count >= SCROLLS:
        if way == "up":
            return None
        state.update(way="up", count=0, back=count)
        way, count = "up", 0
    pages = 0.8 if way == "down" else max(0.8, min(20.0, 0.8 * state.pop("back", 1)))
    state.update(print=scene.print, count=count + 1)
    x, y = area.bounds.center
    thought = (
        scene.say("向下滚动查找", "Scrolling down") if way == "down" else scene.say("向上滚动查找", "Scrolling up")
    )
    return act(thought, Scroll(direction="down" if way == "down" else "up", pages=pages, x=x, y=y))


def _scroll(scene: Scene, description: str, hunt: dict[str, Any]) -> Act | None:
    return scroll_step(scene, hunt.setdefault("scroll", {}))


def _tabs(scene: Scene, description: str, hunt: dict[str, Any]) -> Act | None:
    """Other tabs may hold it; each is looked at once."""
    visited: list[str] = hunt.setdefault("tabs", [])
    if len(visited) >= TABS:
        return None
    for tab in (e for e in scene.elements if e.role == "tab" and e.clickable):
        name = fold(scene.tree.label(tab))
        chosen = tab.selected or any(d.selected for d in scene.tree.descendants(tab))
        if not name or name in visited:
            continue
        visited.append(name)
        if not chosen:
            hunt.pop("scroll", None)
            label = scene.tree.label(tab)
            return act(scene.say(f"看看“{label}”标签页", f"Looking behind the tab “{label}”"), _click(tab))
    return None


def _up(scene: Scene, description: str, hunt: dict[str, Any]) -> Act | None:
    """To the page above, in the same app, and look there anew.

    Only for switches, which have names of their own, and from a page that the goal did not lead to: elsewhere the
    page above shows other things of the same name (another product's price). A form that was begun is not left.
    """
    ups = hunt.get("ups", 0)
    begun = any(f.value and not _is_search(f"{f.name} {f.hint} {f.id}", f) for f in scene.fields())
    if not hunt["roams"] or ups >= UPS or begun or scene.on_home_screen or not scene.can("back"):
        return None
    box = search_box(scene)
    filtered = box is not None and bool(box.value) and box.value != box.hint
    if not filtered and not any(_leads_up(e) for e in scene.elements):
        return None
    names, turns, stages = hunt["names"], hunt["turns"], hunt["stages"]
    hunt.clear()
    hunt.update(left=list(stages), stages=stages, turns=turns, names=names, ups=ups + 1)
    if box is not None and filtered:
        thought = scene.say("清空留下的搜索", "Clearing the search that was left there")
        return act(thought, _click(box), Type(text="", clear_first=True, target=box.text))
    return act(scene.say("这一页没有，返回上一级", "Not on this page: going up"), Back())


def _leads_up(element: Element) -> bool:
    """The arrow at the top; without one, going back would leave the app."""
    text = element.text.casefold()
    return element.clickable and text in {"back", "返回", "navigate up", "up", "转到上一层级", "向上导航", "返回上一级"}


def press_enter(scene: Scene) -> Act | None:
    return act(scene.say("按回车", "Pressing enter"), Key(key="enter")) if scene.can("key") else None


def _click(element: Element) -> Click:
    x, y = element.bounds.center
    return Click(x=x, y=y, target=element.text or element.id.rpartition("/")[2])


def is_control(query: Query) -> bool:
    """A button or field is found by looking at it, a row by going into it."""
    return bool(query.roles & {"button", "field", "checkbox", "switch", "radio", "slider", "image"})


_STAGES = {"search": _search, "scroll": _scroll, "tabs": _tabs, "up": _up}
