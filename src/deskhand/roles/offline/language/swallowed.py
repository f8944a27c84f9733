"""Tells when unquoted words hold more than the name or text that they are for: an exception, a time, another wish.

Quotes say where a text ends. Without them a few words betray that it goes on; then nothing is typed, sent or touched.
"""

import re
from collections.abc import Iterator

from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Condition, Instruction
from deskhand.roles.offline.language.patterns import read_keys
from deskhand.roles.offline.language.tokens import cut_tokens

# How or how often it is to be typed, and what is not to be done: none of it is meant to be typed.
_IN_TYPED = re.compile(
    r"\b(?:without|instead of|otherwise|but|twice|thrice|(?:\w+) times|leave \w+|leaving|(?:do not|don'?t) \w+)\b"
    r"|\bin (?:bold|italics?|capitals|capital letters|(?:upper|lower)[ -]?case|red|green|blue)\b"
    r"|\bin \w+ and \S+ in\b|^to \w+:"
    r"|但|不要|而不是|否则|以外|不用|别(?:发|点|按|保存|提交)|[两三四五]次|[两三四五]遍",
    re.IGNORECASE,
)
# Whom else it is for, and what is not to be done.
_IN_SENT = re.compile(
    r"(?:and|&|和|跟|以及)\s?.*|(?:就|并|请|再|跟[他她]|对[他她]|和[他她]|给[他她])(?:说|讲|写).*|(?:内容|正文).*"
    r"|.*\b(?:but|and) (?:do not|don'?t) (?:send|call|tell|wait)\b.*"
    r"|.*但(?:先)?(?:不要|别|不)发.*",
    re.IGNORECASE | re.DOTALL,
)
# `reply ok to Bob`, 回复他好的
_REPLY_TO = re.compile(r".+\sto\s+\S+", re.IGNORECASE | re.DOTALL)
_REPLY_WHOM_ZH = re.compile(r"[他她它].+|[A-Za-z][\w' -]*[:：].+", re.DOTALL)
# An exception or a time in what is called a name.
_IN_NAME = re.compile(
    r".*(?:以外|之外|除了).*|除\S+外.*"
    # what is to be done with it, or which one of several, at the end of its name
    r"|.+(?:标记|标|设置|设|添加|加|改名|改|命名|转发|发)(?:为|成|到|给)|.+(?:(?<![成首])都|(?<!安)全|全部|这个|那个)|.+从.+(?:里|中|里面)"
    r"|.*\b(?:in|for|after) (?:\d+|an?|one|two|three|five|ten|half an?) (?:seconds?|minutes?|hours?|days?)\b.*"
    r"|at \d+(?:\s*[,x]\s*\d+)?",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|(?:周|星期|礼拜)[一二三四五六日天]|\bon the \d", re.IGNORECASE
)
_IN_CONDITION = re.compile(
    r"\b(?:otherwise|if so|if not|and (?:then|if|turn|click|tap|type|send|open|close))\b|否则|如果|就把|的话",
    re.IGNORECASE,
)
_FORMS = frozenset({"the form", "form", "this form", "表单", "表格"})


def swallows_more(step: Instruction, quoted: set[str]) -> bool:
    """True if a slot of the step holds more than it is for."""
    match step:
        case say.Write(text=text, target=target):
            return _holds_wish(text, quoted) or target.casefold() in _FORMS
        case say.SetValue(value=value):
            return _holds_wish(value, quoted)
        case say.Send():
            return _sends_more(step, quoted)
        case say.Create():
            return _creates_more(step, quoted)
        case say.Tap(target=target, gesture="long_press") if target not in quoted:
            return read_keys(cut_tokens(target)) is not None
        case _:
            names = any(_IN_NAME.fullmatch(name) for name in _list_names(step) if name not in quoted)
            return names or any(_is_loose_condition(condition, quoted) for condition in _list_conditions(step))


def _holds_wish(text: str, quoted: set[str]) -> bool:
    return text not in quoted and _IN_TYPED.search(text) is not None


def _sends_more(step: say.Send, quoted: set[str]) -> bool:
    if step.text in quoted:
        return False
    return _IN_SENT.fullmatch(step.text) is not None or (not step.to and _says_whom(step.source, step.text))


def _creates_more(step: say.Create, quoted: set[str]) -> bool:
    return _says_field_twice(step.fields) or any(
        (field == "time" and _DAY.search(value))
        or (value not in quoted and (_names_another(value) or _begins_with_verb(field, value, step.source)))
        for field, value in step.fields
    )


def _begins_with_verb(field: str, value: str, source: str) -> bool:
    """标签写赶飞机: the verb may say how the label is made, or be its first word; 内容是写周报 says which."""
    verb = re.match(r"[写填叫设改]", value) is not None
    return bool(field) and verb and re.search(rf"[是为:：]\s*{re.escape(value)}", source) is None


def _says_whom(source: str, text: str) -> bool:
    replied = source.casefold().lstrip().startswith(("reply", "answer", "respond", "回复"))
    return replied and (_REPLY_TO.fullmatch(text) is not None or _REPLY_WHOM_ZH.fullmatch(text) is not None)


def _says_field_twice(given: tuple[tuple[str, str], ...]) -> bool:
    names = [field for field, _ in given if field]
    return len(names) != len(set(names))


def _names_another(value: str) -> bool:
    """`Alpha and a note`: another thing of the kind begins inside."""
    return re.search(r"\band (?:a|an|another|one)(?: \w+)?$", value, re.IGNORECASE) is not None


def _list_names(step: Instruction) -> Iterator[str]:
    for slot in ("target", "name", "option", "item", "onto"):
        if isinstance(name := getattr(step, slot, None), str):
            yield name


def _list_conditions(step: Instruction) -> Iterator[Condition]:
    if isinstance(condition := getattr(step, "condition", None), Condition):
        yield condition


def _is_loose_condition(condition: Condition, quoted: set[str]) -> bool:
    """`Wi-Fi is off, otherwise turn it off`, `Total is not 0`: more than one thing that can be seen to be so."""
    if condition.subject in quoted or condition.value in quoted:
        return False
    denied = condition.kind == "equals" and re.match(r"(?:not|no)\s|不", condition.value, re.IGNORECASE)
    return bool(denied) or _IN_CONDITION.search(condition.source) is not None
