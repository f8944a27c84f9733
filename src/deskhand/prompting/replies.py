"""Read the reply of a worker without a screen: one block of code, or how its work ended. Nothing is evaluated.

reply   := [words] (block | verdict)
block   := a fence that names bash or python, closed
verdict := a line that begins with DONE:, FAIL: or NEED:, and all that follows
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply
from deskhand.prompting.ask_model import check_complete

_THOUGHT_LENGTH = 2000
_FENCE = re.compile(r"^[ ]{0,3}```[ \t]*(?P<mark>[^`\n]*)$", re.MULTILINE)
_VERDICT = re.compile(r"^[ \t*_#>]*(?P<word>DONE|FAIL|NEED|完成|失败|需要)[*_]*[ \t]*[:：][*_]*", re.MULTILINE)
_THOUGHT = re.compile(r"\A\s*<think>(?P<thought>.*?)</think>", re.DOTALL)
_LANGUAGES: dict[str, Literal["bash", "python"]] = {
    "bash": "bash", "sh": "bash", "shell": "bash", "python": "python", "python3": "python", "py": "python",
}  # fmt: skip
_WORDS: dict[str, Literal["done", "fail", "supplement"]] = {
    "DONE": "done", "完成": "done", "FAIL": "fail", "失败": "fail", "NEED": "supplement", "需要": "supplement",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CodeReply:
    language: Literal["bash", "python"]
    code: str
    thought: str = ""


@dataclass(frozen=True, slots=True)
class EndingReply:
    """The end of the work, or what is missing, with the message that follows the verdict."""

    kind: Literal["done", "fail", "supplement"]
    message: str
    thought: str = ""


def read_reply(reply: ModelReply) -> CodeReply | EndingReply:
    """Return the code or the verdict of a reply; raise Unparsable with a sentence that helps the model."""
    thought, said = _split_thought(reply)
    blocks, words = _split_blocks(said)
    verdict = _VERDICT.search(words)
    if len(blocks) > 1:
        raise Unparsable(f"The reply has {len(blocks)} blocks of code; write exactly one.")
    if blocks and verdict:
        raise Unparsable("The reply has both code and a verdict; write one of them, and wait for the output of code.")
    if blocks:
        return _make_code(*blocks[0], _join_line(thought, words))
    if not verdict:
        raise Unparsable("The reply has neither a block of code nor a line that begins with DONE:, FAIL: or NEED:.")
    return _make_ending(verdict, words, thought)


def read_ending(reply: ModelReply) -> EndingReply:
    """Return the verdict of a worker that runs no code: all that follows it is the message, code included."""
    thought, said = _split_thought(reply)
    verdict = _VERDICT.search(said)
    if not verdict:
        raise Unparsable("The reply has no line that begins with DONE:, FAIL: or NEED:.")
    return _make_ending(verdict, said, thought)


def _split_thought(reply: ModelReply) -> tuple[str, str]:
    """Return the thought, which stands inside of the text or beside it, and the text without it."""
    check_complete(reply)
    thinking = _THOUGHT.match(reply.text)
    return (thinking["thought"], reply.text[thinking.end() :]) if thinking else (reply.thinking, reply.text)


def _make_ending(found: re.Match[str], text: str, thought: str) -> EndingReply:
    message = text[found.end() :].strip()
    if not message:
        raise Unparsable(f"Nothing follows after {found['word']}: say it in words.")
    return EndingReply(_WORDS[found["word"]], message, _join_line(thought, text[: found.start()]))


def _join_line(*texts: str) -> str:
    return " ".join(" ".join(texts).split())[:_THOUGHT_LENGTH]


def _split_blocks(text: str) -> tuple[list[tuple[str, str]], str]:
    """Return the fenced blocks, each with its language mark, and the text outside of them."""
    blocks: list[tuple[str, str]] = []
    words: list[str] = []
    at = 0
    while opening := _FENCE.search(text, at):
        words.append(text[at : opening.start()])
        closing = _FENCE.search(text, opening.end())
        if not closing or closing["mark"].strip():
            raise Unparsable("The block of code is not closed: end it with ``` on a line of its own.")
        blocks.append((opening["mark"].strip().lower(), text[opening.end() : closing.start()].strip("\n")))
        at = closing.end()
    return blocks, "".join([*words, text[at:]])


def _make_code(mark: str, code: str, thought: str) -> CodeReply:
    language = _LANGUAGES.get(mark)
    if language is None:
        raise Unparsable(f"A block of code begins with ```bash or ```python, not with ```{mark}.")
    if not code.strip():
        raise Unparsable("The block of code is empty.")
    return CodeReply(language, code, thought)
