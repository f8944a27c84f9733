"""How a turn of a conversation ended, in the language of the user. What is not ours is told as it was said."""

import re

from deskhand.core.llm import Language
from deskhand.fault_words import to_chinese

ABORTED = "Aborted by the user."
CUT_OFF = "The program ended in the middle of this."
CUT_SHORT = "The conversation was cut off."
SHUT_DOWN = "The server was shut down."

_CHINESE = [
    (re.compile(pattern, re.DOTALL), chinese)
    for pattern, chinese in (
        (re.escape(ABORTED), "已被用户中止。"),
        (re.escape(CUT_OFF), "程序中途退出了。"),
        (re.escape(CUT_SHORT), "对话被中断了。"),
        (re.escape(SHUT_DOWN), "服务已关闭。"),
        (r"The limit of (\d+) turns for one message was reached\.", "达到了一条消息 {0} 轮的上限。"),
        (r"The conversation can't be stored: (.*)", "对话无法保存：{0}"),
        (r"Internal error: (.*)", "内部错误：{0}"),
        (r"Not everything succeeded\.", "没有全部成功。"),
    )
]


def tell_chat_end(sentence: str, language: Language) -> str:
    """Return the sentence in this language; unchanged if it is none of ours."""
    if language != "zh":
        return sentence
    for pattern, chinese in _CHINESE:
        if found := pattern.fullmatch(sentence):
            return chinese.format(*map(to_chinese, found.groups()))
    return to_chinese(sentence)
