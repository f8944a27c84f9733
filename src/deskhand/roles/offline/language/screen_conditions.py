"""Reads what can be true of a screen: "Wi-Fi is on", "“Done” is visible", 蓝牙已关闭."""

import re

from deskhand.roles.offline.language.instructions import Condition, ConditionKind
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.language.patterns import match_rules, write_span
from deskhand.roles.offline.language.tokens import cut_tokens


def is_condition(text: str) -> bool:
    """True if a sentence says it as such."""
    tokens = cut_tokens(text)
    return bool(tokens) and match_rules(load_lexicon().conditions, tokens, 0, len(tokens)) is not None


def condition_of(text: str) -> Condition:
    """A condition in words; what fits no pattern is something that has to be seen."""
    tokens = cut_tokens(text)
    found = match_rules(load_lexicon().conditions, tokens, 0, len(tokens))
    if found is None:
        return Condition("visible", text, source=text)
    parts = {name: write_span(tokens, *span) for name, span in found.slots.items()}
    kind: ConditionKind = found.kind  # type: ignore[assignment] # the file's kinds; a test compares them
    subject = re.sub(r"^(the switch of |开关)", "", parts["subject"])
    # `Wi-Fi已` and `Wi-Fi是` are what a lazy slot leaves of `Wi-Fi已打开`
    bare = re.sub(r"(是否|已经|已|是|的状态|状态)+$", "", subject).strip()
    return Condition(kind, bare or subject, parts.get("value", ""), source=text)
