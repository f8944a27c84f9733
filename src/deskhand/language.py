"""The two languages of Deskhand: which one a text is written in, and the words for yes and no in both."""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
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

# Words of a short answer. A deed or a courtesy says nothing by itself: "yes, send it", "no thanks", 好，发吧, 别发.
_ANSWER_WORDS: dict[Literal["yes", "no", "deed", "courtesy"], str] = {
    "yes": """y yes yeah yep yup ok okay sure allow allowed agree agreed approve approved confirm confirmed certainly
        of_course go_ahead go_on do_it please_do proceed no_problem all_right alright fine 👍 ✅
        是 是的 好 好的 好吧 好啊 可以 可以的 同意 确认 行 行的 允许 批准 嗯 对 对的 没问题 当然""",
    "no": """n no nope nah deny denied refuse refused don't dont do_not cancel never not_now not_yet 👎 ❌
        否 不 不行 不要 不可以 不同意 不允许 不好 不用 不用了 不必 不是 不对 拒绝 取消 别 先别 算了""",
    "deed": """send send_it pay pay_it delete delete_it remove submit buy order call post do do_that it that this
        发 发送 发出 发出去 付 付款 支付 转 转账 删 删除 提交 买 购买 下单 打 拨打 做 继续 这样 它""",
    "courtesy": """please thanks thank_you then now just i you may can
        请 谢谢 麻烦 你 您 我 吧 啊 呀 了 哦 呢 就 那 那就 现在""",
}
_ANSWER_KINDS = {word.replace("_", " "): kind for kind, words in _ANSWER_WORDS.items() for word in words.split()}
_ANSWER_WORD = re.compile(
    "|".join(
        rf"{re.escape(word)}(?![\w'])" if word.isascii() else re.escape(word)
        for word in sorted(_ANSWER_KINDS, key=len, reverse=True)
    )
)
_BETWEEN_WORDS = re.compile(r"[\s.,!;:~。、…-]+")


def has_chinese(text: str) -> bool:
    """True if any character of it is Chinese."""
    return _HAN.search(text) is not None


def to_simplified(text: str) -> str:
    """Return the text with each character of traditional Chinese as the simplified one; its length stays."""
    return text if text.isascii() else text.translate(load_simplified())


@cache
def load_simplified() -> dict[int, str]:
    """Return the table of both scripts, as `str.translate` takes it."""
    table = tomllib.loads(Path(__file__).with_name("chinese_scripts.toml").read_text(encoding="utf-8"))
    return {ord(pair[0]): pair[1] for pair in table["simplified"].split()}


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
    """Return what a short answer says; None if any word in it says something else, or if it says both."""
    rest = unicodedata.normalize("NFKC", text).casefold().replace("’", "'").strip()
    said: set[str] = set()
    while rest := _BETWEEN_WORDS.sub("", rest, count=1) if _BETWEEN_WORDS.match(rest) else rest:
        word = _ANSWER_WORD.match(rest)
        if word is None:
            return None
        said.add(_ANSWER_KINDS[word[0]])
        rest = rest[word.end() :]
    if ("yes" in said) == ("no" in said):
        return None
    return "yes" if "yes" in said else "no"
