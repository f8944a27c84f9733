"""The two languages of Deskhand: which one a text is written in, and the words for yes and no in both."""

import re
import unicodedata
from typing import Literal

from deskhand.core.llm import Language

HAN = r"\u3400-\u9fff\uf900-\ufaff"
# Secrets, quoted texts and addresses may be in any language.
_FOREIGN = re.compile(
    r"\{\{secret:[^{}]*\}\}|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|‘[^’]*’|\"[^\"]*\"|`[^`]*`"
    r"|(?<![A-Za-z0-9])'[^']*'(?![A-Za-z0-9])"
    r"|(?:https?://|www\.)[!-~]+|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?:[:/][!-~]*)?"
)
_OWN = re.compile(rf"[{HAN}]|[^\W\d_{HAN}][^\W{HAN}]*(?:['’-][^\W{HAN}]+)*")
_HAN = re.compile(f"[{HAN}]")
# A sentence that begins so is English, whatever the things in it are called.
_ENGLISH_BEGINNINGS = frozenset({
    "add", "are", "call", "change", "check", "choose", "clear", "click", "close", "copy", "create", "delete", "disable",
    "do", "does", "enable", "enter", "find", "go", "how", "is", "make", "message", "move", "open", "play", "press",
    "read", "remove", "reply", "save", "scroll", "search", "select", "send", "set", "show", "start", "stop", "swipe",
    "switch", "take", "tap", "tell", "text", "turn", "type", "use", "verify", "visit", "wait", "what", "when", "where",
    "which", "who", "write",
})  # fmt: skip

_YES = frozenset({
    "y", "yes", "yeah", "yep", "ok", "okay", "sure", "allow", "agree", "agreed", "approve", "approved",
    "是", "是的", "好", "好的", "可以", "同意", "确认", "行", "允许",
})  # fmt: skip
_NO = frozenset({
    "n", "no", "nope", "deny", "denied", "refuse", "don't", "dont", "cancel",
    "否", "不", "不行", "不要", "不可以", "不同意", "不允许", "拒绝", "取消",
})  # fmt: skip


def has_chinese(text: str) -> bool:
    """True if any character of it is Chinese."""
    return _HAN.search(text) is not None


def is_chinese(text: str) -> bool:
    """True if the text is written in Chinese rather than English, by its own words; names in it may be foreign.

    What it begins with weighs more: `打开Google Maps` is Chinese, `Open 优选商城` is English.
    """
    own: list[str] = _OWN.findall(_FOREIGN.sub(" ", text))
    if not own:
        return has_chinese(text)
    han = sum(has_chinese(word) for word in own)
    words = len(own) - han
    if has_chinese(own[0]):
        return han >= words
    return own[0].casefold() not in _ENGLISH_BEGINNINGS and han >= 2 * words


def language_of(text: str) -> Language:
    return "zh" if is_chinese(text) else "en"


def read_yes_or_no(text: str) -> Literal["yes", "no"] | None:
    """Return what a short answer says; None if it is neither a plain yes nor a plain no."""
    word = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").strip(" \t\r\n.,!。")
    return "yes" if word in _YES else "no" if word in _NO else None
