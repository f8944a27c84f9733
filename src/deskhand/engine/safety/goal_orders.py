"""Tells what a goal orders as such: this text to this person, this control pressed, this person called.

A word somewhere in the goal is no order: 给Bob发“到了”，给Tom发“收到” has 到了 for Bob and 收到 for Tom alone.
"""

import re
from functools import cache

from deskhand.engine.safety.goal_text import (
    NAME,
    TEXT,
    find_whole,
    fold_words,
    is_taken_back,
    read_goal_text,
    read_goal_words,
)

_SIGN = r"\w.@+\ue000-\uf8ef"
_ITEM = rf"[{_SIGN}-]+(?: [{_SIGN}-]+)?"
_JOIN = r" ?(?:,|、|&|和|与|跟|及|以及| and )+ ?"
# Several people who get the same: "Ann, Bob and Tom".
_LIST = rf"(?:{_ITEM}{_JOIN}){{0,6}}{NAME}(?:{_JOIN}{_ITEM}){{0,6}}"
_CUT = re.compile(r"[,;.!?。、]|\band\b|\bthen\b|然后|再|接着|并")


def has_message(goal: str, name: str, text: str) -> bool:
    """True if the goal orders to send this text to this person."""
    name, text = fold_words(name), fold_words(text)
    if not name or not text:
        return False
    for marked in read_goal_text(goal).mark_words(text, name):
        for at in (place.start() for place in re.finditer(TEXT, marked)):
            left, right = marked[:at], marked[at + 1 :]
            if not is_taken_back(left) and (_is_addressed(left, right) or _is_typed_to_opened(left, right)):
                return True
    return False


def has_text(goal: str, text: str) -> bool:
    """True if this text stands in the goal, in quotation marks or as whole words."""
    text, read = fold_words(text), read_goal_text(goal)
    return bool(text) and (text in read.quotes or bool(find_whole(read.restore_quotes(read.text), text)))


def has_name(goal: str, name: str) -> bool:
    return has_text(goal, name)


def list_press_orders(goal: str) -> list[str]:
    """Return what the goal says to press, each as it is called there: "click Send" presses Send."""
    known, read = read_goal_words()["press"], read_goal_text(goal)
    found = re.finditer(rf"{known['verbs']}{known['leads']}(.+?){known['ends']}", read.text)
    ordered = [one for one in found if not is_taken_back(read.text[: one.start()])]
    return [quoted[0] if (quoted := read.list_quoted(one[1])) else one[1].strip() for one in ordered]


def has_call(goal: str, name: str) -> bool:
    """True if the goal orders to call this person, or this number."""
    name = fold_words(name)
    if not name:
        return False
    marked = read_goal_text(goal).mark_words(name, "\0")
    spoken = [one.replace(TEXT, NAME) for one in marked]
    return any(
        pattern.search(form) for one in spoken for form in (one, one.replace(" ", "")) for pattern in _list_call_forms()
    )


# --- messages --------------------------------------------------------------------------------------------------------


def _is_addressed(left: str, right: str) -> bool:
    tight_left, tight_right = left.replace(" ", ""), right.replace(" ", "")
    for before, behind in _list_forms():
        if before.search(left) and behind.match(right):
            return True
    return any(before.search(tight_left) and behind.match(tight_right) for before, behind in _list_forms_zh())


@cache
def _list_forms() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """What stands before the text and behind it: "send Bob …", "send … to Bob"."""
    known = read_goal_words()["send"]
    kinds, between = known["kinds"], known["between"].format(kinds=known["kinds"])
    ends = rf"(?= ?(?:$|[^\w\s'@-]|{known['app']}|[\u4e00-\u9fff]))"
    to_name = re.compile(rf" ?(?:back )?to {_LIST}{ends}")
    return (
        (
            re.compile(rf"\b{known['verbs']} (?:{kinds} )?(?:back )?(?:to )?{_LIST}{between} ?$"),
            re.compile(ends),
        ),
        (re.compile(rf"\b{known['verbs']} (?:{kinds} ?)?(?:saying|that says|with|reading)?[:,]? ?$"), to_name),
        # The second of "send … to Bob and … to Tom".
        (re.compile(rf"\b{known['verbs']} [^;.]{{1,80}} to {_ITEM}(?:, and|,| and) ?$"), to_name),
    )


@cache
def _list_forms_zh() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    known = read_goal_words()["send"]
    kinds, ends = known["kinds_zh"], known["ends_zh"]
    between = known["between_zh"].format(kinds_zh=kinds)
    anything = re.compile(r"(?=$|[^\w]|然后|并|再|接着|之后|后|吧)")
    return (
        (
            re.compile(
                rf"(?:给|跟|对|向|和|与|同){_LIST}(?:在\w{{1,6}}?[里上中]|用\w{{1,6}}?|也|都|再|又|还)?{known['verbs_zh']}{between}$"
            ),
            anything,
        ),
        (re.compile(rf"{known['leads_zh']}{_LIST}{between}$"), anything),
        (
            re.compile(r"(?:把|将)(?:消息|这句话|内容|文字|短信)?:?$"),
            re.compile(
                rf"(?:这[句条个]话?|这条消息)?(?:通过\w+?|用\w+?)?(?:转发|发送|发|回复|传|告诉|说)(?:给|到|至|向)?{_LIST}{ends}"
            ),
        ),
        (
            re.compile(rf"(?:发送|发|回复|回|说|写)(?:{kinds}|说|内容|[:,是])*$"),
            re.compile(rf"的?{kinds}*(?:给|到){_LIST}{ends}"),
        ),
    )


def _is_typed_to_opened(left: str, right: str) -> bool:
    """True if the text is typed or sent without a name, and the last thing opened before is this person."""
    if re.match(r" ?(?:to |给|发给|到)", right) or not re.match(
        r" ?(?:$|[^\w\s]|(?:and|then|in|into|as)\b|[\u4e00-\u9fff])", right
    ):
        return False
    known = read_goal_words()
    opener = known["context"]["opener"].format(kinds=known["send"]["kinds"])
    opener_zh = known["context"]["opener_zh"].format(kinds_zh=known["send"]["kinds_zh"])
    found = re.search(opener, left) or re.search(opener_zh, left)
    if not found or NAME not in left[: found.start()]:
        return False
    before = left[: found.start()]
    lead, _, tail = before.rpartition(NAME)
    neutral = [re.fullmatch(known["context"]["neutral"], piece.strip()) for piece in _CUT.split(tail)]
    return bool(re.search(known["context"]["place"], lead)) and all(neutral)


# --- calls -----------------------------------------------------------------------------------------------------------


@cache
def _list_call_forms() -> tuple[re.Pattern[str], ...]:
    known = read_goal_words()["call"]
    ends = r"(?= ?(?:$|[^\w\s'@-]|(?:on|via|in|using|with|and|then|now|please|from|at|again)\b|[\u4e00-\u9fff]))"
    return (
        re.compile(rf"\b{known['verbs']} (?:the number |number )?{_LIST}{ends}"),
        re.compile(rf"(?:给|跟|和|与){_LIST}{known['tails_zh']}"),
        re.compile(
            rf"(?:打(?:个|一个)?电话给|拨打电话给|拨打电话|拨打|拨|呼叫|致电|打给){_LIST}(?=$|[^\w]|的?(?:电话|手机|号码)|然后|并|再|吧)"
        ),
    )
