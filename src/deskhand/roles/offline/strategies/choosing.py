"""Select: one of the choices of a select box, a list, a group of radio buttons; what is chosen is read back."""

from collections.abc import Sequence
from dataclasses import replace

from deskhand.core.actions import Scroll
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import HuntMemory, ScrollMemory
from deskhand.roles.offline.outcome import Act, Failed, Outcome, fill_field, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.hunting import is_at_end, locate_thing
from deskhand.roles.offline.strategies.touching import fail_fixed, touch_again, touch_found
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.names import score_text
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word

# A choice that is only similar is another choice: Plane is not Plan.
CLEAR = 0.8
MAX_LOOKS = 4
MOST_SCROLLS = 30
_CHOICES = frozenset({"item", "radio", "checkbox", "tab"})


def select_option(step: say.Select, scene: Scene) -> Outcome:
    """Open what holds the choices if they are not shown, touch the one that is meant, and see that it is chosen."""
    memory = scene.memory.touch
    holder = _find_holder(scene, step.source_name)
    if memory.touched:
        return touch_again(scene, step.option) if scene.trouble else _check_chosen(scene, step, holder)
    if not step.source_name:
        return _select_anywhere(scene, step)
    if holder is None:
        found = locate_thing(scene, step.source_name, "any", stages=("scroll", "tabs"))
        if not isinstance(found, Candidate):
            return found
        holder = found.target
    if _is_box(holder) and not holder.enabled:
        return fail_fixed(scene, holder, step.source_name)
    if _is_chosen(scene, step.option, holder):
        return _finish_choice(scene, step)
    option = _find_choice(scene, step.option, holder)
    if option is None:
        return _open_holder(scene, step, holder)
    return touch_found(scene, step.option, Candidate(option, option, 1.0, option.text), "click")


def _is_box(element: Element) -> bool:
    return element.role == "combobox" or element.editable


def _find_holder(scene: Scene, name: str) -> Element | None:
    """Return the select box, the list or the group of that name, or the words that head it."""
    if not name:
        return None
    field = scene.find_element(name, "editable").best
    if field is not None and field.score >= CLEAR and _is_box(field.target):
        return field.target
    finding = scene.find_element(name)
    lists = [c.element for c in finding.candidates if c.score >= CLEAR and c.element.role == "list"]
    if len(lists) == 1:
        return lists[0]  # its label and a link elsewhere may have the same name
    found = finding.best
    return found.element if found is not None and found.score >= CLEAR else None


def _select_anywhere(scene: Scene, step: say.Select) -> Outcome:
    """Nothing says where: a choice that is shown, else whatever has that name."""
    shown = _match_choice(step.option, [e for e in scene.elements if e.role in _CHOICES and e.enabled])
    if shown is not None:
        if shown.checked or shown.selected:
            return _finish_choice(scene, step)
        return touch_found(scene, step.option, Candidate(shown, shown, 1.0, shown.text), "click")
    found = locate_thing(scene, step.option, "clickable", stages=("scroll", "search", "tabs"))
    if step.listed and isinstance(found, Candidate):
        return scene.fail_with(
            f"“{step.option}”不是可以选择的选项。", f"“{step.option}” is not one of several choices on this screen."
        )
    return touch_found(scene, step.option, found, "click") if isinstance(found, Candidate) else found


def _find_choice(scene: Scene, name: str, holder: Element) -> Element | None:
    inside = [e for e in scene.tree.descendants_of(holder) if e.enabled]
    if holder.role == "list" or any(e.role in _CHOICES for e in inside):
        return _match_choice(name, inside)
    choices = [e for e in scene.elements if e.role in _CHOICES and e.enabled]
    opened = scene.memory.touch.unfolded or holder.expanded is True
    if _is_box(holder):
        # before it is opened, what has that name elsewhere is something else
        return _match_choice(name, _list_offered(choices, inside)) if opened else None
    below = [e for e in choices if e.bounds.bottom > holder.bounds.top]
    shown = _match_choice(name, below, holder, scene)
    return _match_choice(name, [e for e in scene.elements if e.clickable]) if opened and shown is None else shown


def _list_offered(choices: Sequence[Element], inside: Sequence[Element]) -> list[Element]:
    """Return what an open box offers: items, or the entries of the menu that a desktop's box is."""
    return [e for e in choices if e.role == "item"] + [e for e in inside if e.role == "menu" and e.name]


def _match_choice(
    name: str, pool: Sequence[Element], near: Element | None = None, scene: Scene | None = None
) -> Element | None:
    """Return the choice of exactly that name, else the only one that is clearly meant."""
    exact = [e for e in pool if fold_name(e.name) == fold_name(name)] or [e for e in pool if is_same_word(e.name, name)]
    if len(exact) > 1 and near is not None and scene is not None:
        return scene.tree.find_nearest(near, exact)
    meant = exact or [e for e in pool if score_text(name, e.name) >= CLEAR]
    return meant[0] if exact or len(meant) == 1 else None


def _open_holder(scene: Scene, step: say.Select, holder: Element) -> Outcome:
    """Show the choices: by a click, then by typing into a box that can be searched; else say which there are."""
    memory = scene.memory.touch
    if (memory.unfolded or holder.role == "list") and (further := _scroll_choices(scene, step, holder)):
        return further
    if holder.role == "list":
        return _fail_no_choice(scene, step)
    if not memory.unfolded:
        scene.remember_record(HuntMemory())
        scene.remember_record(replace(memory, unfolded=True))
        thought = scene.say(f"展开“{step.source_name}”", f"Opening “{step.source_name}”")
        return make_act(thought, touch_element(scene.tree.find_clickable_around(holder) or holder))
    if memory.looks < MAX_LOOKS // 2:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("等选项出现", "Waiting for the choices"))
    if holder.editable and not memory.filtered:
        scene.remember_record(replace(memory, filtered=True, looks=0))
        thought = scene.say(f"查找选项“{step.option}”", f"Looking for the choice “{step.option}”")
        return make_act(thought, *fill_field(holder, step.option, clear=bool(holder.value)))
    return _fail_no_choice(scene, step)


def _scroll_choices(scene: Scene, step: say.Select, holder: Element) -> Act | None:
    """One page further in a list that is longer than its box: to its end, then from its beginning."""
    inside = [e for e in (holder, *scene.tree.descendants_of(holder)) if e.scrollable]
    seen = scene.memory.hunt.scroll
    if not inside or not scene.can_do("scroll") or seen.count >= MOST_SCROLLS:
        return None
    if seen.count and is_at_end(scene, seen.print):
        if seen.way == "up":
            return None
        seen = ScrollMemory("up", count=0)
    scrolled = ScrollMemory(seen.way, seen.count + 1, scene.print)
    scene.remember_record(replace(scene.memory.hunt, scroll=scrolled))
    x, y = inside[0].bounds.center
    thought = scene.say(f"在列表里找“{step.option}”", f"Looking for “{step.option}” further in the list")
    pages = 0.8 if seen.way == "down" else 20.0
    return make_act(thought, Scroll(direction=seen.way, pages=pages, x=x, y=y))


def _fail_no_choice(scene: Scene, step: say.Select) -> Failed:
    names = scene.quote_names([e.name for e in scene.elements if e.role == "item" and e.name][:6])
    there = scene.say(f"；有 {names}", f"; it has {names}") if names else ""
    return scene.fail_with(
        f"“{step.source_name}”里没有“{step.option}”{there}。",
        f"“{step.option}” is not among the choices of “{step.source_name}”{there}.",
    )


def _is_chosen(scene: Scene, name: str, holder: Element | None) -> bool:
    """True if the box shows it as its value or as one of several, or if the choice itself is marked."""
    if holder is not None and _is_box(holder):
        return _shows_choice(scene, name, holder)
    named = [e for e in scene.elements if fold_name(e.name) == fold_name(name)]
    if holder is not None and holder.role == "list":
        named = [e for e in named if scene.tree.is_inside(e, holder)]
    elif holder is not None and (own := _find_choice(scene, name, holder)) is not None:
        named = [own]  # another group may have a choice of the same name
    return any(e.checked or e.selected for e in named)


def _shows_choice(scene: Scene, name: str, box: Element) -> bool:
    wanted = fold_name(name)
    if wanted in [fold_name(part) for part in (box.value, *box.value.split(", "))]:
        # words typed to find the choice are no choice yet, while it is still offered
        offered = any(e.role == "item" and fold_name(e.name) == wanted and not e.selected for e in scene.elements)
        return not (offered and scene.memory.touch.filtered)
    return any(fold_name(e.text) == wanted for e in _list_chips(scene, box))


def _list_chips(scene: Scene, box: Element) -> list[Element]:
    """Return what stands beside the box and belongs to no other: a box for several choices shows each as a chip."""
    others = [f for f in scene.elements if _is_box(f) and f.index != box.index]
    beside = [
        e for e in scene.elements
        if e.index != box.index and e.text and e.role not in ("item", "list") and not _is_box(e)
        and scene.tree.is_same_row(e, box) and fold_name(e.text) != fold_name(box.name)
    ]  # fmt: skip
    return [e for e in beside if scene.tree.find_nearest(e, [box, *others]) == box]


def read_other_choice(scene: Scene, step: say.Select) -> str:
    """Return what the control shows instead of the choice; empty if it shows the choice, or is not seen."""
    holder = _find_holder(scene, step.source_name)
    if holder is not None and _is_box(holder):
        other = holder.value or scene.say("空", "nothing")
        return "" if _shows_choice(scene, step.option, holder) else other
    own = _find_choice(scene, step.option, holder) if holder is not None else None
    if own is None or own.checked is None or own.checked:
        return ""
    return scene.say("未选中", "not chosen")


def _can_be_marked(scene: Scene, name: str) -> bool:
    named = [e for e in scene.elements if fold_name(e.name) == fold_name(name)]
    peers = {e.parent for e in scene.elements if e.selected and e.role == "item"}
    return any(e.checked is not None or (e.role == "item" and e.parent in peers) for e in named)


def _check_chosen(scene: Scene, step: say.Select, holder: Element | None) -> Outcome:
    memory = scene.memory.touch
    if _is_chosen(scene, step.option, holder):
        return _finish_choice(scene, step)
    # a menu closes behind its entry, and a link leads away: there the change is the proof
    marks = (holder is not None and _is_box(holder)) or _can_be_marked(scene, step.option)
    if not marks and memory.print != scene.print:
        scene.judge_last(True, scene.say("点击后画面有变化", "the screen changed"))
        proof = Proof("changed", step.option)
        return scene.finish_with(f"选择了“{step.option}”", f"selected “{step.option}”", proof)
    if memory.looks < MAX_LOOKS:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("等选择显示出来", "Waiting for the choice to show"))
    shown = holder.value if holder is not None else ""
    scene.judge_last(False, shown)
    return scene.fail_with(
        f"点击了“{step.option}”，但没有选上" + (f"，显示的是“{shown}”。" if shown else "。"),
        f"“{step.option}” was clicked but is not chosen" + (f": it shows “{shown}”." if shown else "."),
    )


def _finish_choice(scene: Scene, step: say.Select) -> Outcome:
    scene.judge_last(True, scene.say("已选中", "it is chosen"))
    proof = Proof("value", step.source_name, step.option)
    return scene.finish_with(f"选择了“{step.option}”", f"selected “{step.option}”", proof)


def choose_nothing(step: say.SelectNone, scene: Scene) -> Outcome:
    """True as long as nothing is chosen; what somebody chose before is not undone."""
    chosen = [e for e in scene.elements if e.checked or (e.selected and e.role == "item")]
    if chosen:
        names = scene.quote_names(e.text for e in chosen)
        return scene.fail_with(f"已经选中了{names}。", f"{names} are chosen already.")
    return scene.finish_with("什么都没有选", "nothing is chosen", Proof("state", "", "off"))
