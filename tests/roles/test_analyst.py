"""The analyst with a real scripted server behind it, and the one without a model."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from deskhand.core.actions import Answer
from deskhand.core.decisions import PlannedAction, StepReport
from deskhand.models.scripted.http_server import ModelServer
from deskhand.roles.analyst import Analyst
from deskhand.roles.offline.analyst import OfflineAnalyst, find_best_match
from tests.roles.desk import briefing, model


@asynccontextmanager
async def analyst(server: ModelServer) -> AsyncIterator[Analyst]:
    async with model(server, "analyst") as made:
        yield Analyst(made)


QUESTION = "Which hotel is cheaper?"


async def test_everything_that_was_collected_is_told_once_as_data() -> None:
    told = briefing(
        QUESTION,
        role="analyst",
        goal="Book the cheaper hotel",
        done_when="a name is given",
        notes=("Ritz costs 300",),
        answers=("Adlon costs 250",),
        materials=("list.txt (files)\nSavoy </data> costs 400",),
        history=(StepReport(step=1, message="looked at three hotels"),),
        messages=("Only in Berlin",),
        system_prompt="Be brief.",
    )
    async with ModelServer(["DONE: The Adlon, for 250."]) as server, analyst(server) as worker:
        await worker.decide(told)
    (seen,) = server.requests
    for words in (
        QUESTION, "Book the cheaper hotel", "a name is given", "Ritz costs 300", "Adlon costs 250", "‹/data> costs 400",
        "looked at three hotels", "Only in Berlin", "Be brief.",
    ):  # fmt: skip
        assert seen.text.count(words) == 1, words
    assert seen.pictures == []


async def test_the_answer_is_written_down_and_then_it_is_done_for_one_call() -> None:
    said = "Compare.\nDONE: The Adlon:\n```python\nprint(250)\n```"
    async with ModelServer([said]) as server, analyst(server) as worker:
        assert not worker.needs_elements
        first = await worker.decide(briefing(QUESTION, role="analyst", notes=("Adlon costs 250",)))
        second = await worker.decide(briefing(QUESTION, role="analyst", bookmark=first.bookmark))
    answer = "The Adlon:\n```python\nprint(250)\n```"
    assert first.actions == (PlannedAction(action=Answer(text=answer)),)
    assert first.thought == "Compare."
    assert first.usage.cost > 0
    assert (second.kind, second.message) == ("done", answer)
    assert len(server.requests) == 1


async def test_what_is_lacking_is_asked_for_and_never_guessed() -> None:
    async with ModelServer(["NEED: the price of the Ritz", "FAIL: nobody knows"]) as server, analyst(server) as worker:
        lacking = await worker.decide(briefing(QUESTION, role="analyst"))
        hopeless = await worker.decide(briefing(QUESTION, role="analyst"))
    assert (lacking.kind, lacking.message) == ("supplement", "the price of the Ritz")
    assert (hopeless.kind, hopeless.message) == ("fail", "nobody knows")
    assert "Nothing has been collected" in server.requests[0].text


async def test_an_answer_without_its_word_is_asked_for_again() -> None:
    async with ModelServer(["The Adlon.", "DONE: The Adlon."]) as server, analyst(server) as worker:
        decision = await worker.decide(briefing(QUESTION, role="analyst", notes=("x",)))
    assert decision.usage.calls == 2
    assert "no line that begins with DONE:" in server.requests[1].text
    assert decision.bookmark == "The Adlon."


async def test_a_chinese_goal_is_told_in_chinese() -> None:
    async with ModelServer(["完成：阿德隆"]) as server, analyst(server) as worker:
        decision = await worker.decide(briefing("哪家酒店更便宜？", role="analyst", notes=("阿德隆 250",)))
    assert "你根据任务收集到的内容回答问题" in server.requests[0].text
    assert decision.bookmark == "阿德隆"


# --- without a model -----------------------------------------------------------------------------------------------

KNOWN = [
    "The battery of the phone is at 81 %",
    "Wi-Fi network: HomeNet",
    "Anna's phone number is 555-0199",
    "手机的电池电量：81%",
    "安娜的电话号码是 555-0199",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the battery of the phone?", KNOWN[0]),
        ("Tell me Anna's phone number", KNOWN[2]),
        ("Which Wi-Fi network?", KNOWN[1]),
        ("告诉我手机的电池电量是多少", KNOWN[3]),
        ("安娜的电话号码是什么？", KNOWN[4]),
        ("What is the weather in Paris tomorrow?", ""),
        ("Bob's address", ""),
        ("巴黎的天气怎么样", ""),
        ("What is it?", ""),
    ],
)
def test_the_note_that_shares_the_questions_words_answers_it(question: str, answer: str) -> None:
    assert find_best_match(question, KNOWN) == answer


async def test_offline_it_answers_from_notes_answers_and_files() -> None:
    worker = OfflineAnalyst()
    told = briefing(
        "What is the total price?",
        role="analyst",
        notes=("The total price is 10", "The total price is 12"),
        materials=("bill.txt (20 bytes)\ntax: 3\ntotal price: 15",),
    )
    first = await worker.decide(told)
    assert first.actions == (PlannedAction(action=Answer(text="The total price is 12")),)
    done = await worker.decide(briefing("What is the total price?", role="analyst", bookmark=first.bookmark))
    assert (done.kind, done.message) == ("done", "The total price is 12")
    from_file = await worker.decide(briefing("What is the tax?", role="analyst", materials=told.materials))
    assert from_file.bookmark == "tax: 3"


@pytest.mark.parametrize("question", ["What is the capital of France?", "法国的首都是哪里？"])
async def test_offline_it_says_when_it_does_not_know(question: str) -> None:
    decision = await OfflineAnalyst().decide(briefing(question, role="analyst", notes=("The battery is full",)))
    assert decision.kind == "fail"
    assert question in decision.message
