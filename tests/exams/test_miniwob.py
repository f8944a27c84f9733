"""MiniWoB++ by its own sentences and rewards, without a model: docs/exams.md."""

import pytest

from tests.exams.marking import HARMFUL, Mark
from tests.exams.miniwob_stage import find_package, list_tasks, list_whole, play_all, say, summarize

pytestmark = [pytest.mark.exam, pytest.mark.asyncio]

# Tasks that are to be solved with every seed.
WANTED = 60
# Of the episodes that were not solved, at most this share may be called a success.
CLAIMED = 0.05


async def test_tasks_are_solved_or_refused() -> None:
    answers = await play_all(list_tasks(find_package()))
    say(summarize(answers))
    missed = [answer for answer in answers if answer.mark is not Mark.CORRECT]
    claimed = [answer for answer in missed if answer.mark in HARMFUL]
    assert len(list_whole(answers)) >= WANTED
    assert len(claimed) <= CLAIMED * len(missed), [(answer.task, answer.goal, answer.reason) for answer in claimed]
