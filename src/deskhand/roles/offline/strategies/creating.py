"""New things (a note, a contact, an alarm) and what goes into a cart: opened, filled in, saved, seen afterwards."""

from dataclasses import replace

from deskhand.core.actions import Back
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.language.new_things import is_no_time, read_clock
from deskhand.roles.offline.outcome import Act, Failed, Outcome, fill_field, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import fail_not_found, find_search_box, locate_thing
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog, find_dialog
from deskhand.roles.offline.strategies.phone.alarm_days import refuse_other_day
from deskhand.roles.offline.strategies.phone.alarm_list import list_alarm_rows
from deskhand.roles.offline.strategies.phone.time_picking import Clock, find_time_fields, pick_time
from deskhand.screen.grounding.find import Candidate, find_nearest_names, rank_candidates
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word, split_words, synonyms_of

ADDING = frozenset({"add", "new", "create", "fab", "compose"})
SAVING = ("save", "done", "ok", "confirm")
MAX_TRIES = 2


def create_thing(step: say.Create, scene: Scene) -> Outcome:
    if odd := _find_bad_time(step):
        return scene.fail_with(
            f"“{odd}”不是有效的时间，请写成 7:30 这样。", f"“{odd}” is not a time of day: write it like 7:30."
        )
    phase, wanted = scene.memory.create.phase, _list_fields(step)
    if phase == "open":
        return refuse_other_day(step, scene) or _open_form(scene, step)
    return (_fill_form if phase == "fill" else _check_created)(scene, step, wanted)


def _find_bad_time(step: say.Create) -> str:
    """Return an alarm's time that is not a time: it must not end up as the alarm's label."""
    if not is_same_word(step.what, "alarm"):
        return ""
    times = [(label, text) for label, text in step.fields if label in ("time", "")]
    return next((text for label, text in times if is_no_time(text) or (label and not read_clock(text))), "")


def _read_time(step: say.Create) -> Clock | None:
    """Return the time of day that an alarm is to have."""
    clocks = [_read_own_time(step, label, value) for label, value in step.fields]
    return next((clock for clock in clocks if clock is not None), None)


def _read_own_time(step: say.Create, label: str, value: str) -> Clock | None:
    return read_clock(value) if label in ("time", "") and is_same_word(step.what, "alarm") else None


def _list_fields(step: say.Create) -> list[tuple[str, str]]:
    """Return what is typed, as (field, text): a time of day is picked instead."""
    return [(label, value) for label, value in step.fields if _read_own_time(step, label, value) is None]


def _open_form(scene: Scene, step: say.Create) -> Outcome:
    button, memory = _find_add_button(scene, step.what), scene.memory.create
    # a plus without a name may add anything: in another app than the thing's own it adds something else
    named = button is not None and _names_thing(button, step.what)
    if not named and (away := open_home(scene, step.what, also_from_an_app=scene.first or not scene.kept.left_over)):
        return away
    if button is not None and memory.opened < MAX_TRIES:
        before = _count_created(scene, step) if step.fields else 0
        scene.remember_record(replace(memory, phase="fill", opened=memory.opened + 1, print=scene.print, before=before))
        return make_act(scene.say(f"新建“{step.what}”", f"Creating a new {step.what}"), touch_element(button))
    if away := dismiss_dialog(scene):
        return away
    tab = scene.find_element(f"{step.what} tab", "clickable").best
    if tab is not None and not memory.tab and tab.score >= 0.9:
        scene.remember_record(replace(memory, tab=True))
        return make_act(scene.say(f"打开“{tab.label}”", f"Opening “{tab.label}”"), touch_element(tab.target))
    seen = list(find_nearest_names("new", scene.tree))
    return fail_not_found(scene, scene.say("新建按钮", "a button to add one"), seen)


def _find_add_button(scene: Scene, what: str) -> Element | None:
    """`New note`, `添加闹钟`, a plus, or an identifier that says so; the one that also names the thing is best."""
    buttons = [e for e in scene.elements if e.clickable and e.enabled and not e.editable]
    rated = [(_rate_add_button(e, what), e) for e in buttons if e.role not in ("item", "tab")]
    score, best = max(rated, key=lambda pair: pair[0], default=(0.0, None))
    return best if score > 0 else None


def _rate_add_button(element: Element, what: str) -> float:
    """Rate how much a button looks like the one that creates such a thing; 0 if it creates another."""
    text, words = element.text, set(split_words(element.id.rpartition("/")[2]))
    verbs = [w.casefold() for w in ("add", *synonyms_of("add")) if len(w) > 1]
    score = 1.0 if text == "+" or text.casefold().startswith(tuple(verbs)) else 0.0
    score += 0.6 if words & ADDING else 0.0
    if not score:
        return 0.0
    if _names_thing(element, what):
        return score + 0.5
    others = ("".join(phrase) for phrase in load_lexicon().classes["thing"])
    return 0.0 if any(fold_name(other) in fold_name(text) for other in others) else score


def _names_thing(element: Element, what: str) -> bool:
    words = set(split_words(element.id.rpartition("/")[2]))
    names = [fold_name(name) for name in (what, *synonyms_of(what))]
    return any(name in fold_name(element.text) or name in words for name in names)


def _fill_form(scene: Scene, step: say.Create, wanted: list[tuple[str, str]]) -> Outcome:
    memory, clock = scene.memory.create, _read_time(step)
    at, picked = memory.at, pick_time(scene, clock) if clock is not None else None
    if isinstance(picked, Act | Failed):
        return picked
    if picked is not None:
        scene.remember_record(replace(scene.memory.phone, picked=True))
    if picked is None and not scene.list_fields() and memory.looks < 2:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        if scene.print != memory.print and (menu := _find_add_button(scene, step.what)):
            return make_act(scene.say("选择新建", "Choosing what to add"), touch_element(menu))
        return look_again(scene.say("等页面出现", "Waiting for the form"))
    if clock is not None and not scene.memory.phone.picked:
        return scene.fail_with("没有看到可以设置时间的地方。", "Nothing to set a time with is on the screen.")
    if memory.typed:
        field = _find_form_field(scene, wanted[at][0], at)
        good = field is not None and fold_name(field.value or field.hint) == fold_name(wanted[at][1])
        scene.judge_last(good, scene.trouble)
        if not good and memory.typed >= MAX_TRIES:
            return scene.fail_with(
                f"“{wanted[at][1]}”没有填进去。", f"“{wanted[at][1]}” could not be typed into its field."
            )
        if good:
            at += 1
            scene.remember_record(replace(memory, at=at, typed=0))
    if at < len(wanted):
        return _type_field(scene, wanted, at)
    if not step.fields:
        # nothing is known of it yet: what comes next fills it in, and an empty one is not worth saving
        scene.judge_last(True)
        return scene.finish_with(
            f"打开了新建{step.what}的页面", f"opened the form for a new {step.what}", Proof("changed")
        )
    scene.remember_record(replace(scene.memory.create, phase="saved"))
    save = _find_save_button(scene)
    if save is not None:
        return make_act(scene.say("保存", "Saving"), touch_element(save))
    return _check_created(scene, step, wanted)


def _type_field(scene: Scene, wanted: list[tuple[str, str]], at: int) -> Outcome:
    label, value = wanted[at]
    field = _find_form_field(scene, label, at)
    if field is None:
        names = [f.text or f.id.rpartition("/")[2] for f in scene.list_fields()]
        return fail_not_found(scene, label or scene.say("输入框", "a field"), names)
    memory = scene.memory.create
    scene.remember_record(replace(memory, typed=memory.typed + 1))
    thought = scene.say(f"填写“{value}”", f"Filling in “{value}”")
    return make_act(thought, *fill_field(field, value, clear=True))


def _find_form_field(scene: Scene, label: str, at: int) -> Element | None:
    searching, timing = find_search_box(scene), [f.index for f in find_time_fields(scene)]
    others = [f for f in scene.list_fields() if searching is None or f.index != searching.index]
    fields = [f for f in others if f.index not in timing]
    ranked = [c for c in rank_candidates(label or "name", scene.tree, "editable") if c.target in fields]
    if label:
        if ranked and ranked[0].score >= 0.6:
            return ranked[0].target
        # a body of text is often the field without a telling name: the largest one
        if label == "content":
            return max(fields, key=lambda f: f.bounds.area, default=None)
        return fields[at] if label in ("title", "name") and at < len(fields) else None
    if len(fields) > 1:
        named = ranked and ranked[0].score >= 0.8
        return ranked[0].target if named else max(fields, key=lambda f: f.bounds.area)
    return fields[0] if fields else None


def _find_save_button(scene: Scene) -> Element | None:
    for word in SAVING:
        found = scene.find_element(word, "clickable").best
        if found is not None and found.target.clickable and found.score >= 0.8:
            return found.target
    return None


def _check_created(scene: Scene, step: say.Create, wanted: list[tuple[str, str]]) -> Outcome:
    if scene.trouble:
        return scene.fail_with(f"保存时出错：{scene.trouble}。", f"Saving failed: {scene.trouble}.")
    if find_dialog(scene) and (away := dismiss_dialog(scene)):
        return away
    told, mark = _describe_created(scene, step), _find_landmark(step)
    created = scene.finish_with(f"新建了{step.what}“{told}”", f"created the {step.what} “{told}”", Proof("seen", mark))
    memory = scene.memory.create
    # what stands in the form itself is only typed
    if _count_created(scene, step) > memory.before:
        scene.judge_last(True)
        return created
    scene.remember_record(replace(memory, checks=memory.checks + 1))
    if not memory.checks:
        return look_again(scene.say("看是否保存了", "Checking if it was saved"))
    if any(fold_name(mark) in fold_name(f.value) for f in scene.list_fields() if fold_name(mark)):
        return _leave_form(scene, step, mark)
    found = locate_thing(scene, mark, "any", stages=("scroll",))
    return created if isinstance(found, Candidate) else found


def _count_created(scene: Scene, step: say.Create) -> int:
    """Return how often it is shown, outside of the fields; an alarm by its time, however that is written."""
    clock, wanted = _read_time(step), fold_name(_find_landmark(step))
    if clock is not None:
        rows = [row for row in list_alarm_rows(scene) if row.clock == clock]
        labels = [fold_name(value) for _, value in _list_fields(step)]
        return len([row for row in rows if all(label in fold_name(row.label) for label in labels)])
    shown = [e for e in scene.elements if e.text and not e.editable and wanted in fold_name(e.text)]
    return len([e for e in shown if not any(d in shown for d in scene.tree.descendants_of(e))]) if wanted else 0


def _leave_form(scene: Scene, step: say.Create, mark: str) -> Outcome:
    """The form still stands there: one that saves by itself is left, and then it must be in the list."""
    memory = scene.memory.create
    if not memory.went_back and _find_save_button(scene) is None and scene.can_do("back"):
        scene.remember_record(replace(memory, went_back=True, checks=0))
        return make_act(scene.say("返回列表看看", "Going back to the list"), Back())
    scene.judge_last(False)
    return scene.fail_with(
        f"没有保存成功：“{mark}”还只在输入框里。",
        f"The {step.what} was not saved: “{mark}” is still only in its field.",
    )


def _describe_created(scene: Scene, step: say.Create) -> str:
    """Return what was created as the user said it; a time as a time."""
    clock, rest = _read_time(step), [value for _, value in _list_fields(step)]
    return scene.say("、", ", ").join([f"{clock[0]:02d}:{clock[1]:02d}", *rest] if clock else rest)


def _find_landmark(step: say.Create) -> str:
    """Return what the screen must show afterwards: the time, else the name."""
    clock, by_label = _read_time(step), dict(_list_fields(step))
    if clock is not None:
        return f"{clock[0]:02d}:{clock[1]:02d}"
    named = [by_label[label] for label in ("title", "name", "", "content") if label in by_label]
    return (named or list(by_label.values()) or [""])[0]


def add_to_cart(step: say.AddToCart, scene: Scene) -> Outcome:
    """On the thing's own page or in its row; then the cart itself is looked into."""
    memory = scene.memory.cart
    if memory.phase == "added":
        cart = scene.find_element("cart", "clickable")
        target = cart.best or next((c for c in cart.candidates if c.target.role in ("button", "image")), None)
        if scene.trouble or target is None:
            return Failed(scene.trouble or scene.say("没有看到购物车。", "No shopping cart is on the screen."))
        scene.remember_record(replace(memory, phase="look", print=scene.print))
        return make_act(scene.say("打开购物车看看", "Looking into the cart"), touch_element(target.target))
    if memory.phase == "look":
        return _check_cart(step, scene)
    button = scene.find_element("Add to cart", "clickable")
    if button.best is not None and button.best.score >= 0.9 and (memory.inside or not step.target):
        scene.remember_record(replace(memory, phase="added", page=_list_own_texts(scene)))
        return make_act(scene.say("加入购物车", "Adding it to the cart"), touch_element(button.best.target))
    if not step.target and (away := dismiss_dialog(scene)):
        return away
    if memory.inside >= MAX_TRIES or not step.target:
        seen = list(find_nearest_names("cart", scene.tree))
        return fail_not_found(scene, scene.say("“加入购物车”按钮", "an “Add to cart” button"), seen)
    found = locate_thing(scene, step.target, "clickable")
    if not isinstance(found, Candidate):
        return found
    scene.remember_record(replace(memory, inside=memory.inside + 1))
    return make_act(scene.say(f"打开“{found.label}”", f"Opening “{found.label}”"), touch_element(found.target))


def _list_own_texts(scene: Scene) -> tuple[str, ...]:
    """Return what a product's page says of the product: texts that are no control and no common label."""
    texts = [e.text for e in scene.elements if e.text and not e.clickable and not e.editable]
    return tuple(text for text in texts if any(c.isalpha() for c in text) and not synonyms_of(text))


def _check_cart(step: say.AddToCart, scene: Scene) -> Outcome:
    memory = scene.memory.cart
    name = step.target or next((text for text in memory.page if scene.find_shown(text)), "")
    if name and scene.print != memory.print and scene.find_element(name).status != "nothing":
        scene.judge_last(True)
        return scene.finish_with(f"“{name}”已在购物车里", f"“{name}” is in the cart", Proof("seen", name))
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if not memory.looks:
        return look_again(scene.say("看购物车", "Looking at the cart"))
    scene.judge_last(False)
    sought = step.target or next(iter(memory.page), "")
    return scene.fail_with(f"购物车里没有“{sought}”。", f"“{sought}” is not in the cart.")
