"""Layer 3: how much of a plan is given up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.planning import ReplanReason, ReplanStrategy
from deskhand.engine.outer.replanning import next_strategy

LIGHT, MEDIUM, HEAVY, ESCALATE = ReplanStrategy
LADDER = (LIGHT, MEDIUM, HEAVY, ESCALATE)
LIGHTLY = [
    ReplanReason.GATE_FAILED, ReplanReason.WORKER_FAILED, ReplanReason.REPEATED_FAILURE, ReplanReason.TIMEOUT,
    ReplanReason.UNHANDLED_ERROR,
]  # fmt: skip
NOT_LIGHTLY = [ReplanReason.FINAL_CHECK_FAILED, ReplanReason.ENVIRONMENT_CHANGED, ReplanReason.SUPPLEMENTED]


@pytest.mark.parametrize("reason", LIGHTLY)
def test_a_failed_subtask_is_replanned_light_then_medium_then_heavy_then_by_the_person(reason: ReplanReason) -> None:
    tried: list[ReplanStrategy] = []
    for expected in LADDER:
        assert next_strategy(reason, tried) is expected
        tried.append(expected)
    assert next_strategy(reason, tried) is ESCALATE


@pytest.mark.parametrize("reason", NOT_LIGHTLY)
def test_a_wrong_end_or_a_changed_world_is_not_mended_lightly(reason: ReplanReason) -> None:
    assert next_strategy(reason, ()) is MEDIUM
    assert next_strategy(reason, (LIGHT,)) is MEDIUM
    assert next_strategy(reason, (MEDIUM,)) is HEAVY
    assert next_strategy(reason, (LIGHT, HEAVY)) is ESCALATE


@given(st.lists(st.sampled_from(LADDER)))
def test_what_the_person_asked_for_is_a_whole_new_plan_and_never_handed_back(tried: list[ReplanStrategy]) -> None:
    assert next_strategy(ReplanReason.USER_REQUEST, tried) is HEAVY


@given(st.sampled_from([*LIGHTLY, *NOT_LIGHTLY]), st.lists(st.sampled_from(LADDER)))
def test_a_strategy_is_never_repeated_nor_a_cheaper_one_taken(
    reason: ReplanReason, tried: list[ReplanStrategy]
) -> None:
    chosen = LADDER.index(next_strategy(reason, tried))
    highest = max((LADDER.index(strategy) for strategy in tried), default=-1)
    assert chosen > highest or chosen == len(LADDER) - 1


def test_every_reason_has_its_place() -> None:
    assert {*LIGHTLY, *NOT_LIGHTLY, ReplanReason.USER_REQUEST, ReplanReason.FIRST_PLAN} == set(ReplanReason)
