"""The analyst without a model: finds what was noted, answered or collected about the question, word by word."""

import re
from collections.abc import Iterable

from deskhand.core.actions import Answer
from deskhand.core.decisions import Briefing, Decision, PlannedAction
from deskhand.language import is_chinese

# This share of the question's own words has to be in what is given as its answer.
ENOUGH = 0.6
_ANSWER = 2000
_TOKEN = re.compile(r"[a-z0-9]+(?:[.,:'-][a-z0-9]+)*|[\u4e00-\u9fff]+")
# Words of asking, which are in questions and not in answers.
_ASKING = re.compile(
    "a|an|and|are|answer|at|be|by|did|do|does|find|for|from|give|had|has|have|how|i|in|is|it|its|many|me|much|my|of|on|"
    "or|our|out|please|question|report|say|tell|that|the|their|there|these|this|to|us|was|were|what|when|where|which|"
    "who|why|will|with|you|your|noted|notes|memory"
)
_ASKING_ZH = re.compile(
    r"(请|告诉我|回答|什么|多少|哪个|哪里|哪儿|哪些|怎么|谁|几|是|的|了|吗|呢|在|有|我|你|问题|根据|笔记|记录)"
)


class OfflineAnalyst:
    needs_elements = False

    async def decide(self, briefing: Briefing) -> Decision:
        """The answer first, then that it is done; where nothing was collected about it, that it lacks."""
        if briefing.bookmark:
            return Decision(kind="done", message=briefing.bookmark)
        question = briefing.subtask.title
        found = find_best_match(question, list_known(briefing))
        if not found:
            zh, en = "收集到的内容里没有这个问题的答案：", "The collected notes don't answer this: "
            return Decision(kind="fail", message=(zh if is_chinese(question) else en) + question)
        answer = found[:_ANSWER]
        return Decision(kind="actions", actions=(PlannedAction(action=Answer(text=answer)),), bookmark=answer)


def list_known(briefing: Briefing) -> list[str]:
    """Newest first; of materials and files each paragraph or line by itself."""
    pieces = [line.strip() for material in briefing.materials for line in material.split("\n") if line.strip()]
    return [*reversed((*briefing.answers, *briefing.notes)), *reversed(pieces)]


def find_best_match(question: str, known: Iterable[str]) -> str:
    """Return what shares most words with the question, the first of equals; empty if nothing shares enough."""
    wanted = words_of(question)
    if not wanted:
        return ""
    shares = [(len(wanted & words_of(text)) / len(wanted), text) for text in known]
    share, text = max(shares, key=lambda pair: pair[0], default=(0.0, ""))
    return text if share >= ENOUGH else ""


def words_of(text: str) -> frozenset[str]:
    """The words that carry meaning; of Chinese, which has no spaces, each pair of characters."""
    words: set[str] = set()
    for token in _TOKEN.findall(text.casefold()):
        if token.isascii():
            if not _ASKING.fullmatch(token):
                words.add(token)
            continue
        for part in _ASKING_ZH.split(token)[::2]:
            words |= {part[n : n + 2] for n in range(max(1, len(part) - 1))} if part else set()
    return frozenset(words)
