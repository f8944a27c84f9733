"""Tells whether the user's own words agree to a deed: for the thing that they name, and for nothing larger or else.

"Delete the note" is no leave for "Delete all notes", "Delete account" or a question about everything; "send it to Bob"
none for "Send to all"; "pay 50 €" none for "Pay 500 €". A control that the goal names by its very label is agreed to.
"""

import re

from deskhand.core.actions import Action, Hotkey, Key
from deskhand.engine.safety import risk_words as words
from deskhand.engine.safety.key_risk import is_named_in
from deskhand.engine.safety.risk_finding import RiskFinding

_AMOUNT = re.compile(r"(?:[€$£¥￥]\s*(\d[\d.,]*))|(?:(\d[\d.,]*)\s*(?:€|\$|£|¥|eur|usd|gbp|cny|元|块))", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"「『‘《]([^”\"」』’》]{1,60})[”\"」』’》]")
_ZH = re.compile(r"[\u4e00-\u9fff]+")


def does_goal_agree(goal: str, found: RiskFinding, action: Action | None = None) -> bool:
    """True if the goal asks for this: by the very keys or the very label, or by a word for the deed and its object."""
    if not goal:
        return False
    if isinstance(action, Key | Hotkey) and is_named_in(goal, action):
        return True
    if names_label(goal, found.label) and not found.question:
        return True
    if found.deed is None:
        return True
    return words.asks_for(goal, found.deed) and not _goes_beyond(goal, found)


def names_label(goal: str, label: str) -> bool:
    """True if a label stands in the goal, as whole words."""
    plain = label.casefold().strip()
    edges = (r"\b" if plain[:1].isascii() and plain[:1].isalnum() else "", r"\b" if plain[-1:].isascii() else "")
    edges = (edges[0], edges[1] if plain[-1:].isalnum() else "")
    return bool(plain) and bool(re.search(f"{edges[0]}{re.escape(plain)}{edges[1]}", goal.casefold()))


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
    return {float(amount) for each in found if (amount := each.rstrip(".,").replace(",", "")).replace(".", "", 1)}


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
