"""Precise instructions on web programs from the registries, without a model, judged by what the programs hold."""

import sys
from pathlib import Path

import pytest

from tests.exams.marking import ROUNDS, Mark, Sheet
from tests.exams.web.programs import HOME, running
from tests.exams.web.questions import QUESTIONS
from tests.exams.web.sitting import answer_question

WANTED = 0.9
# A round is about an hour on a busy machine.
LONGEST_S = 6 * 3600


@pytest.mark.exam
@pytest.mark.timeout(LONGEST_S)
async def test_the_web_exam(tmp_path: Path) -> None:
    assert (HOME / "installed").exists(), "run tests/exams/install first"
    sheet = Sheet("web")
    for program in dict.fromkeys(question.program for question in QUESTIONS):
        with running(program(tmp_path / program.__name__)) as under_test:
            for question in (one for one in QUESTIONS if one.program is program):
                for _ in range(ROUNDS):
                    mark, reason = await answer_question(question, under_test, tmp_path / "sitting")
                    sheet.add(f"{program.title}: {question.goal}", mark, reason)
    sys.stdout.write(sheet.describe() + "\n")
    assert sheet.harmful == []
    assert sheet.counts[Mark.CORRECT] >= WANTED * sheet.counts.total()
