"""Finds the to-do item that some words mean: by number as the list is shown, by place, or by what it is about."""

import re
from collections.abc import Sequence

from deskhand.core.human import AmendRequest
from deskhand.core.statuses import SubtaskStatus
from deskhand.core.subtask import Subtask
from deskhand.roles.task_types import find_task_type
from deskhand.screen.grounding.query import parse_chinese_number
from deskhand.screen.grounding.vocabulary import fold_name, synonyms_of

TodoItem = tuple[int, Subtask]

OPEN = (SubtaskStatus.READY, SubtaskStatus.PENDING)
# This share of the words has to be found in an item that is meant by them.
ENOUGH = 0.75

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NOUN = r"(?:one|item|task|step|thing|point|part|job|to-?do|entry)s?"
_NTH = re.compile(rf"(?:the |my )?(?P<n>{'|'.join(_ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th))(?: {_NOUN})?")
_NUMBERED = re.compile(rf"(?:the )?(?:{_NOUN}|number|no\.?|nr\.?|#)? ?#?(?P<n>\d{{1,2}}|{'|'.join(_CARDINALS)})")
_NTH_ZH = re.compile(
    r"(?:任务|步骤|事项)?第? ?(?P<n>\d{1,2}|[一二三四五六七八九十两]{1,3}) ?"
    r"(?:个|项|条|步|件|号)?(?:任务|事项|步骤|待办|事情|事|的)?"
)
_LAST = re.compile(
    rf"(?:the |my )?(?:very )?(?:last|final)(?: {_NOUN})?|最后(?:那|的)?(?:一|那)?(?:个|项|条|步|件)?(?:任务|事|步骤)?"
)
_NEXT = re.compile(
    rf"(?:the )?(?:next|following)(?: {_NOUN})?"
    r"|下(?:面)?(?:一)?(?:个|项|条|步|件)(?:任务|事|步骤)?|接下来的?(?:那个|一个)?"
)
_CURRENT = re.compile(
    rf"(?:the )?(?:this|that|it|current|present)(?: {_NOUN})?|(?:the )?{_NOUN} (?:under way|you are (?:doing|on)|now)"
    r"|(?:这|当前|现在|目前|手头|正在做)(?:的|这|做的)?(?:一)?(?:个|项|条|步|件)?(?:任务|事|步骤)?|它"
)  # fmt: skip
_REST = re.compile(
    rf"(?:all )?(?:the )?(?:rest|others?|remaining(?: {_NOUN})?|other {_NOUN})(?: of (?:it|them|the list))?"
    r"|everything (?:else|after (?:this|that))|all that(?:'s| is) left"
    r"|(?:剩下|其余|其他|剩余|后面|之后|余下)的?(?:所有|全部)?(?:的)?(?:任务|事项|步骤|事情|事)?(?:都|全)?"
)  # fmt: skip
_JOINT = re.compile(r",? and |, ?|，|、| & |和|与|跟|及|以及")
_FILLERS = frozenset(
    re.findall(
        r"\w+",
        "a an the my to of for in on at it its that this with and or by me us please do doing part thing one task "
        "step item any more anymore about stuff new",
    )
)
_FILLERS_ZH = frozenset("的了吧把将给在一个那这去要就都也再里上中到和与任务步骤事项条件项做那个呢啊")


def find_items(text: str, request: AmendRequest) -> tuple[TodoItem, ...]:
    """The items that the words mean, with their numbers (from 1); empty when they mean none, or several alike."""
    plain = text.strip(" \t.。!！,，")
    numbered = tuple(enumerate(request.todo, 1))
    if _REST.fullmatch(plain.casefold()):
        return tuple((n, part) for n, part in numbered if part.status is SubtaskStatus.READY)
    pieces = [find_by_place(piece, request) for piece in (plain, *_JOINT.split(plain))]
    if pieces[0]:
        return (pieces[0],)
    if len(pieces) > 2 and all(pieces[1:]):
        return tuple(sorted({piece[0]: piece for piece in pieces[1:] if piece}.values(), key=lambda item: item[0]))
    return _find_by_words(plain, [(n, part) for n, part in numbered if part.status in OPEN])


def find_by_place(text: str, request: AmendRequest) -> TodoItem | None:
    """The item that is told by its number or by where it stands."""
    text = text.strip().casefold()
    numbered = tuple(enumerate(request.todo, 1))
    if _CURRENT.fullmatch(text):
        return next(((n, part) for n, part in numbered if request.current and part.id == request.current.id), None)
    if _NEXT.fullmatch(text):
        return next(((n, part) for n, part in numbered if part.status is SubtaskStatus.READY), None)
    if _LAST.fullmatch(text):
        return numbered[-1] if numbered else None
    number = number_of(text)
    return numbered[number - 1] if number and number <= len(numbered) else None


def number_of(text: str) -> int | None:
    text = text.strip().casefold()
    if found := _NTH.fullmatch(text):
        word = found["n"]
        return _ORDINALS.index(word) + 1 if word in _ORDINALS else int(word[:-2])
    if found := _NUMBERED.fullmatch(text):
        word = found["n"]
        return _CARDINALS.index(word) + 1 if word in _CARDINALS else int(word)
    found = _NTH_ZH.fullmatch(text)
    return parse_chinese_number(found["n"]) if found else None


def _find_by_words(text: str, candidates: Sequence[TodoItem]) -> tuple[TodoItem, ...]:
    """The one item that has most of the words; none when two have them equally."""
    words = _words_of(text)
    if not words:
        return ()
    shares = [(sum(_is_about(part, word) for word in words) / len(words), n, part) for n, part in candidates]
    best = max((share for share, _, _ in shares), default=0.0)
    found = tuple((n, part) for share, n, part in shares if share == best)
    return found if best >= ENOUGH and len(found) == 1 else ()


def _words_of(text: str) -> list[str]:
    """The words that say something; of Chinese each character."""
    found: list[str] = re.findall(r"[a-z0-9]+(?:[:.'’-][a-z0-9]+)*|[\u4e00-\u9fff]", text.casefold())
    return [word for word in found if word not in _FILLERS and word not in _FILLERS_ZH]


def _is_about(part: Subtask, word: str) -> bool:
    title = fold_name(part.title)
    if not word.isascii():
        return word in title or any(word in fold_name(other) for other in _list_other_names(part.title))
    if _stem_of(word) in {_stem_of(own) for own in _words_of(part.title)}:
        return True
    if any(fold_name(other) in title for other in synonyms_of(word) if len(fold_name(other)) > 1):
        return True
    kind = find_task_type(word)
    return kind not in ("other", "open") and kind == (part.task_type or find_task_type(part.title))


def _stem_of(word: str) -> str:
    """`setting` and `sets` are `set`, `messages` is `message`."""
    if len(word) > 5 and word.endswith("ing"):
        word = re.sub(r"([b-df-hj-np-tv-z])\1$", r"\1", word[:-3])
    return word[:-1] if len(word) > 3 and word[-1] in "se" else word


def _list_other_names(title: str) -> list[str]:
    """Return the Chinese names of an English title's words."""
    return [other for word in _words_of(title) if word.isascii() for other in synonyms_of(word) if not other.isascii()]
