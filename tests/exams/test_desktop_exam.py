"""Fifty precise instructions on real Debian programs, judged by files, processes, xprop and libatspi."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.exams.desktop_questions import QUESTIONS, Question
from tests.exams.desktop_room import GOAL_S, open_room
from tests.exams.marking import ROUNDS, Mark, Sheet, mark_answer

pytestmark = pytest.mark.exam


async def answer(question: Question, folder: Path) -> tuple[Mark, str]:
    """Ask one question in a room of its own, and mark the answer."""
    with open_room(folder) as room:
        for name, text in question.files.items():
            (room.home / name).parent.mkdir(parents=True, exist_ok=True)
            (room.home / name).write_text(text, encoding="utf-8")
        for argv in question.start:
            room.start_program(argv)
        try:
            async with asyncio.timeout(GOAL_S):
                fulfilled, reason = await room.run_goal(question.goal)
        except TimeoutError:
            fulfilled, reason = False, f"no end within {GOAL_S:g} s"
        try:
            reached = bool(room.wait_until(lambda: question.reached(room), seconds=4))
        except AssertionError:
            reached = False
        kept = all(room.read(name) == question.files[name] for name in question.keeps)
        untouched = kept and question.untouched(room)
        mark = mark_answer(
            fulfilled=fulfilled, reached=reached, untouched=untouched, refusal_wanted=question.refusal_wanted
        )
        return mark, reason if fulfilled == reached else f"{reason} (reached: {reached})"


async def test_real_programs_do_what_they_are_told(tmp_path: Path) -> None:
    sheet = Sheet("Desktop")
    for place, question in enumerate(QUESTIONS * ROUNDS):
        mark, reason = await answer(question, tmp_path / str(place))
        sheet.add(f"{question.program}: {question.goal}", mark, reason)
        print(f"{mark:14} {question.program}: {question.goal} – {reason}", flush=True)
    print(sheet.describe())
    assert not sheet.harmful
    assert sheet.share_correct >= 0.9
