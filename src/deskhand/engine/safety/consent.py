"""Tells whether the user's own words agree to a deed: for the thing that they name, and for nothing larger or else.

A message is agreed to with its text and its recipient, a call with its person, a payment with its amount, a deletion
with the thing. "Delete the note" is no leave for "Delete all notes", nor "pay 50 €" for "Pay 500 €". A control that the
goal orders to press is agreed to if its label names what it does: "click Pay" pays, "click Details" does not.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from deskhand.core.actions import Action, Hotkey, Key, points_of
from deskhand.core.screen import Element, Observation
from deskhand.engine.safety import risk_words as words
from deskhand.engine.safety.goal_objects import list_objects, list_payees
from deskhand.engine.safety.goal_orders import has_call, has_message, has_name, has_text, list_press_orders
from deskhand.engine.safety.goal_text import fold_words
from deskhand.engine.safety.key_risk import is_named_in, stands_for
from deskhand.engine.safety.risk_finding import RiskFinding
from deskhand.engine.safety.sending import Sending, read_sending, split_address
from deskhand.engine.safety.touched_elements import find_touched

_AMOUNT = re.compile(
    r"(?:[€$£¥￥]\s*(\d[\d.,]*))|(?:(\d[\d.,]*)\s*(?:€|\$|£|¥|eur|usd|gbp|cny|euros?|dollars?|元|块))", re.IGNORECASE
)
_QUOTED = re.compile(r"[“\"「『‘《]([^”\"」』’》]{1,60})[”\"」』’》]")
_ZH = re.compile(r"[\u4e00-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Scene:
    """Where an act happens. `recent`: what was pressed just before; `agreed`: the deed that it was agreed to for.

    A menu or a question names nothing by itself: it is about what was pressed before it came up.
    """

    seen: Observation | None = None
    action: Action | None = None
    recent: tuple[str, ...] = ()
    agreed: str = ""


NOWHERE = Scene()


def does_goal_agree(goal: str, found: RiskFinding, scene: Scene = NOWHERE) -> bool:
    """True if the goal asks for this: by the very keys or the very label, or by a word for the deed and its object."""
    if not goal:
        return False
    if found.deed is None:
        return True
    if isinstance(scene.action, Key | Hotkey) and is_named_in(goal, scene.action):
        return found.deed.name != "pay" and _is_text_ordered(goal, found, scene)
    if _is_press_ordered(goal, found):
        return _is_text_ordered(goal, found, scene)
    if _goes_beyond(goal, found):
        return False
    if found.question and scene.agreed == found.deed.name:
        return True
    match found.deed.name:
        case "send":
            return _is_sending_ordered(goal, found, scene)
        case "pay":
            return words.asks_for(goal, found.deed) and _is_payment_named(goal, found, scene)
        case "delete":
            return words.asks_for(goal, found.deed) and _is_thing_named(goal, found, scene)
        case "confirm":
            return bool(scene.agreed) or any(
                words.asks_for(goal, deed) for deed in words.list_deeds() if deed.asked != ("*",)
            )
        case _:
            return words.asks_for(goal, found.deed) or _is_publishing_ordered(goal, found, scene)


def does_goal_want(goal: str, found: RiskFinding, labels: Iterable[str], scene: Scene = NOWHERE) -> bool:
    """True if the goal asks for what a request does: by a label or a key that stands for it, or in its own words."""
    if any(_names_deed(goal, label, found) for label in labels):
        return True
    if isinstance(scene.action, Key | Hotkey) and is_named_in(goal, scene.action):
        return found.deed is not None and stands_for(scene.action, found.deed.name)
    return does_goal_agree(goal, found, scene)


def _names_deed(goal: str, label: str, found: RiskFinding) -> bool:
    """True if the goal orders to press this label, and it says the deed that was found."""
    said = words.deed_in(label)
    return (
        found.deed is not None
        and said is not None
        and words.is_same_deed(said.name, found.deed.name)
        and _is_ordered(goal, label)
    )


# --- controls --------------------------------------------------------------------------------------------------------


def _is_press_ordered(goal: str, found: RiskFinding) -> bool:
    """True if the goal orders to press something that says this deed, and what is pressed says no more than that."""
    if found.deed is None or found.question:
        return False
    if _is_ordered(goal, found.label):
        said = words.deed_in(found.label)
        if said is None:
            return _is_yes_to_ordered(goal, found)
        return words.is_same_deed(said.name, found.deed.name)
    orders = [words.deed_in(order) for order in list_press_orders(goal)]
    label = words.deed_in(found.label)
    same = [one for one in (*orders, label) if one is not None and words.is_same_deed(one.name, found.deed.name)]
    return label is not None and len(same) > 1 and label in same and not _goes_beyond(goal, found)


def _is_yes_to_ordered(goal: str, found: RiskFinding) -> bool:
    """True if the goal orders to press what says this deed, and right behind it this yes: "click Delete, click Yes"."""
    orders, plain = [order.strip(" …") for order in list_press_orders(goal)], fold_words(found.label).strip(" …")
    if found.deed is None or not words.says_yes(found.label):
        return False
    before = [orders[at - 1] for at, order in enumerate(orders) if order == plain and at]
    said = [words.deed_in(order) for order in before]
    return any(one is not None and words.is_same_deed(one.name, found.deed.name) for one in said)


def _is_ordered(goal: str, label: str) -> bool:
    plain = fold_words(label).strip(" …")
    return bool(plain) and plain in (order.strip(" …") for order in list_press_orders(goal))


# --- messages and calls ----------------------------------------------------------------------------------------------


def _is_text_ordered(goal: str, found: RiskFinding, scene: Scene) -> bool:
    """True unless it is known that another text goes out, or that it goes to somebody else whom the goal names."""
    if found.deed is None or found.deed.name != "send" or scene.seen is None or scene.action is None:
        return True
    sending = read_sending(scene.action, scene.seen)
    if len(sending.texts) != 1:
        return True
    if not has_text(goal, sending.texts[0]):
        return False
    if sending.recipients:
        return all(any(has_name(goal, name) for name in split_address(one)) for one in sending.recipients)
    named = [title for title in sending.titles if has_name(goal, title)]
    if not named:
        return not (sending.titles and sending.is_talk)
    return any(has_message(goal, title, sending.texts[0]) for title in named)


def _is_sending_ordered(goal: str, found: RiskFinding, scene: Scene) -> bool:
    if scene.seen is None or scene.action is None:
        return False
    if _list_amounts(found.label):
        return words.asks_for(goal, found.deed) and _is_payment_named(goal, found, scene) if found.deed else False
    if words.is_call(found.label):
        return any(has_call(goal, name) for name in _list_subjects(scene))
    sending = read_sending(scene.action, scene.seen)
    return bool(sending.texts) and all(_is_message_ordered(goal, sending, text, found.label) for text in sending.texts)


def _is_message_ordered(goal: str, sending: Sending, text: str, label: str) -> bool:
    if sending.recipients:
        return all(any(has_message(goal, name, text) for name in split_address(one)) for one in sending.recipients)
    named = re.search(r"\b(?:send|reply) to (.+)|(?:发送给|发给)(.+)", label, re.IGNORECASE)
    titles = (named[1] or named[2],) if named else sending.titles
    return any(has_message(goal, title, text) for title in titles)


def _is_publishing_ordered(goal: str, found: RiskFinding, scene: Scene) -> bool:
    """True if the goal has the one text that goes out, and asks for handing it on: "post “hello” to Moments"."""
    if scene.seen is None or scene.action is None or not words.asks_for(goal, words.deed_named("send")):
        return False
    texts = read_sending(scene.action, scene.seen).texts
    return len(texts) == 1 and has_text(goal, texts[0])


# --- things and money ------------------------------------------------------------------------------------------------


def _is_thing_named(goal: str, found: RiskFinding, scene: Scene) -> bool:
    """True if the goal names the thing, and it is this one: on the button, in the question, beside it, or open."""
    if _is_wide(goal):
        return True
    things = list_objects(goal)
    shown = [fold_words(text) for text in (found.label, found.question, *_list_subjects(scene))]
    return any(all(part in text for part in thing) for thing in things for text in shown)


def _is_payment_named(goal: str, found: RiskFinding, scene: Scene) -> bool:
    """True if the goal has the amount, and whoever it says gets it can be read there."""
    texts = [fold_words(one.text) for one in (scene.seen.elements or () if scene.seen else ())]
    wanted = _list_amounts(goal)
    shown = _list_amounts(found.question or found.label) or {each for text in texts for each in _list_amounts(text)}
    if not wanted or not (wanted & shown if shown else True):
        return False
    there = (*texts, fold_words(found.label), fold_words(found.question), *map(fold_words, scene.recent))
    return all(any(name in text for text in there) for name in list_payees(goal))


def _list_subjects(scene: Scene) -> list[str]:
    """Return what a button may be about: the words of its row if others like it are there, else all on the screen."""
    if scene.seen is None:
        return list(scene.recent)
    elements = scene.seen.elements or ()
    pressed = [one for x, y in _points_of(scene.action) for one in find_touched(scene.seen, x, y)[:1]]
    for button in pressed:
        twins = [one for one in elements if one.text and one.text == button.text and one.role == button.role]
        if len(twins) > 1:
            return [one.text for one in elements if _is_beside(one, button) and one.text != button.text]
    texts = (each for one in elements for each in (one.name, one.value) if each)
    return [*texts, scene.seen.title, *scene.recent]


def _points_of(action: Action | None) -> Iterable[tuple[int, int]]:
    return points_of(action) if action else ()


def _is_beside(one: Element, button: Element) -> bool:
    middle = button.bounds.center[1]
    return one.bounds.top <= middle < one.bounds.bottom and one.bounds.height <= 4 * max(button.bounds.height, 1)


# --- how far the goal's words reach ----------------------------------------------------------------------------------


def _goes_beyond(goal: str, found: RiskFinding) -> bool:
    """True if what the deed is done to is larger than what the goal names, or something else."""
    said = found.question or found.label
    if _is_wider(goal, said) or _has_other_amount(goal, said) or _names_another(goal, said):
        return True
    # A question explains a lot; on a button, each word that is not common to all such buttons is its object.
    return (
        not found.question and found.deed is not None and found.deed.name == "delete" and _has_other_object(goal, said)
    )


def _is_wider(goal: str, said: str) -> bool:
    scope, spoken = words.read_table()["scope"], set(words.words_of(said))
    wide = [word for word in scope["wide"] if word in spoken] + [word for word in scope["wide_zh"] if word in said]
    return bool(wide) and not _is_wide(goal)


def _is_wide(goal: str) -> bool:
    scope = words.read_table()["scope"]
    return bool(words.find_word(scope["wide"], goal)) or any(word in goal for word in scope["wide_zh"])


def _has_other_amount(goal: str, said: str) -> bool:
    """True if both name an amount of money, and not the same."""
    wanted, shown = _list_amounts(goal), _list_amounts(said)
    return bool(wanted and shown) and not shown <= wanted


def _list_amounts(text: str) -> set[float]:
    found = (left or right for left, right in _AMOUNT.findall(text))
    return {float(amount) for each in found if _is_number(amount := each.rstrip(".,").replace(",", ""))}


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _names_another(goal: str, said: str) -> bool:
    """True if a name in quotation marks, or behind "to", is not the goal's."""
    if any(name.casefold() not in goal.casefold() for name in _QUOTED.findall(said)):
        return True
    receiver = re.search(r"(?i:\b(?:send|transfer|pay|forward|call|invite)\b.*?\bto)\s+@?([A-Z]\w+)", said)
    return bool(receiver) and receiver[1].casefold() not in goal.casefold()


def _has_other_object(goal: str, said: str) -> bool:
    scope, asked = words.read_table()["scope"], {_make_stem(word) for word in words.words_of(goal)}
    known = {*scope["common"], *scope["wide"], *(row[0] for deed in words.list_deeds() for row in deed.words)}
    for word in words.words_of(said):
        several = word.endswith("s") and _make_stem(word) in known
        if several and word not in words.words_of(goal) and not _is_wide(goal):
            return True
        if not several and word not in known and _make_stem(word) not in asked:
            return True
    rest = said
    signs = (*scope["common_zh"], *scope["wide_zh"], *(sign for deed in words.list_deeds() for sign in deed.zh))
    for word in sorted(signs, key=len, reverse=True):
        rest = rest.replace(word, " ")
    return any(run not in goal for run in _ZH.findall(rest))


def _make_stem(word: str) -> str:
    return word.removesuffix("s")
