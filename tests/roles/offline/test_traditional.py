"""Orders in traditional Chinese: read as their simplified twins are, names and texts as they were written."""

import pytest

from deskhand.language import has_chinese, load_simplified, to_simplified
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.scripts import simplify_words
from tests.exams.phone_questions import QUESTIONS
from tests.exams.phone_second_paper import SECOND_PAPER

# 了 and 发 have two traditional forms; the first one is the commoner.
TRADITIONAL: dict[int, str] = {}
for traditional, simplified in load_simplified().items():
    TRADITIONAL.setdefault(ord(simplified), chr(traditional))
GOALS = sorted({one.goal for one in (*QUESTIONS, *SECOND_PAPER) if has_chinese(one.goal)})


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_means_the_same_in_both_scripts(goal: str) -> None:
    other = goal.translate(TRADITIONAL)
    assert [simplify_words(step) for step in parse_goal(other)] == [
        simplify_words(step) for step in parse_goal(to_simplified(goal))
    ]


@pytest.mark.parametrize(
    ("goal", "text", "to"),
    [
        ("打開微信，給張三發訊息“會議改到兩點”", "會議改到兩點", "張三"),
        ("給李四發消息「謝謝」", "謝謝", "李四"),
        ("告訴張三我晚點到", "我晚點到", "張三"),
    ],
)
def test_what_is_sent_keeps_its_script(goal: str, text: str, to: str) -> None:
    sent = [step for step in parse_goal(goal) if isinstance(step, say.Send)]
    assert [one.text for one in sent] == [text]
    assert to_simplified(sent[0].to) == to_simplified(to)


@pytest.mark.parametrize("goal", ["打開藍牙", "關閉無線網路", "設一個早上七點的鬧鐘", "刪除22:45的鬧鐘", "點擊確定"])
def test_everyday_orders_are_read(goal: str) -> None:
    assert not any(isinstance(step, say.NotUnderstood) for step in parse_goal(goal))
