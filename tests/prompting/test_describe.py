"""A worker that starts anew is told what was done before it and can't be undone, and that its page is a new one."""

from typing import Any

import numpy as np
import pytest

from deskhand.core.decisions import Briefing
from deskhand.core.irreversible import DoneAct, IrreversibleAct
from deskhand.core.llm import Language
from deskhand.core.screen import Frame, Observation
from deskhand.core.subtask import Subtask
from deskhand.prompting.describe import describe_assignment
from deskhand.prompting.templates import load_sheet

ACT = IrreversibleAct(what='click "Send"', values=("see you",))
SENT = DoneAct(act=ACT, step=4, number=1, subtask="1.1", attempt=1, certain=True)


def told(goal: str, language: Language, **more: Any) -> str:
    seen = Observation(Frame(np.zeros((4, 4, 4), np.uint8)))
    briefing = Briefing(goal, Subtask(id="1", title="x"), seen, frozenset(), 5, 40, **more)
    words = load_sheet("deskhand.roles", "prompts", language, "operator")
    return "\n".join(describe_assignment(briefing, words))


@pytest.mark.parametrize(
    ("goal", "language", "words"), [("Send it", "en", "not to be done again"), ("发给张三", "zh", "不要再做")]
)
def test_what_was_done_before_is_told_as_data(goal: str, language: Language, words: str) -> None:
    assert words not in told(goal, language)
    said = told(goal, language, done_before=(SENT,))
    assert words in said
    assert '<history>\n- click "Send": see you\n</history>' in said


@pytest.mark.parametrize(("goal", "language"), [("Send it", "en"), ("发给张三", "zh")])
def test_a_page_that_was_opened_anew_is_told(goal: str, language: Language) -> None:
    assert "The browser was opened anew." in told(goal, language, reopened="The browser was opened anew.")
