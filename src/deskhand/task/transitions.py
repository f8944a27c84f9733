"""The table of situations: from where, on what, to where. Anything that is not in it does not happen."""

from typing import Literal

from deskhand.core.statuses import Situation

S = Situation

When = Literal[
    "accepted_dual", "accepted_single", "resumed", "planned", "too_many_plans", "escalate", "actions", "done",
    "stale", "fail", "supplement", "ask", "executed", "retry", "failed", "failed_in_a_row", "settled", "next_queued",
    "gate_done_more", "gate_done_last", "gate_fail", "gate_continue", "gate_supplement", "recorded", "passed", "issues",
    "answered", "refused", "advised", "withdrawn", "more", "dropped_last", "replan", "checked", "stop",
]  # fmt: skip

TABLE: dict[tuple[Situation, When], Situation] = {
    (S.INIT, "accepted_dual"): S.PLAN,
    (S.INIT, "accepted_single"): S.GET_ACTION,
    (S.INIT, "resumed"): S.GET_ACTION,
    (S.PLAN, "planned"): S.GET_ACTION,
    (S.PLAN, "too_many_plans"): S.DONE,
    (S.PLAN, "escalate"): S.WAIT_USER,
    (S.GET_ACTION, "actions"): S.EXECUTE_ACTION,
    (S.GET_ACTION, "done"): S.QUALITY_CHECK,
    (S.GET_ACTION, "stale"): S.QUALITY_CHECK,
    (S.GET_ACTION, "fail"): S.PLAN,
    (S.GET_ACTION, "supplement"): S.SUPPLEMENT,
    (S.GET_ACTION, "ask"): S.WAIT_USER,
    (S.EXECUTE_ACTION, "executed"): S.SETTLE,
    (S.EXECUTE_ACTION, "retry"): S.EXECUTE_ACTION,
    (S.EXECUTE_ACTION, "failed"): S.GET_ACTION,
    (S.EXECUTE_ACTION, "failed_in_a_row"): S.PLAN,
    (S.SETTLE, "settled"): S.GET_ACTION,
    (S.SETTLE, "next_queued"): S.EXECUTE_ACTION,
    (S.QUALITY_CHECK, "gate_done_more"): S.GET_ACTION,
    (S.QUALITY_CHECK, "gate_done_last"): S.FINAL_CHECK,
    (S.QUALITY_CHECK, "gate_fail"): S.PLAN,
    (S.QUALITY_CHECK, "gate_continue"): S.GET_ACTION,
    (S.QUALITY_CHECK, "gate_supplement"): S.SUPPLEMENT,
    (S.SUPPLEMENT, "recorded"): S.PLAN,
    (S.FINAL_CHECK, "passed"): S.DONE,
    (S.FINAL_CHECK, "issues"): S.PLAN,
    (S.WAIT_USER, "answered"): S.GET_ACTION,
    (S.WAIT_USER, "refused"): S.PLAN,
    (S.WAIT_USER, "advised"): S.PLAN,
    # What was asked about is no longer to be done.
    (S.WAIT_USER, "withdrawn"): S.GET_ACTION,
    (S.WAIT_USER, "dropped_last"): S.FINAL_CHECK,
    (S.FINAL_CHECK, "more"): S.GET_ACTION,
}

# The rules may speak up anywhere in the inner loop, which goes on while they do; so may a check beside the work.
for _inner in (S.GET_ACTION, S.EXECUTE_ACTION, S.SETTLE):
    TABLE[_inner, "replan"] = S.PLAN
    TABLE[_inner, "checked"] = S.QUALITY_CHECK
    TABLE[_inner, "supplement"] = S.SUPPLEMENT
    TABLE[_inner, "ask"] = S.WAIT_USER
    TABLE[_inner, "dropped_last"] = S.FINAL_CHECK
for _any in set(S) - {S.DONE}:
    TABLE[_any, "stop"] = S.DONE


def destination(situation: Situation, when: When) -> Situation | None:
    """Where the outer loop's decision leads; None: nowhere, while the worker waits for a person.

    The worker may have asked, or been answered, at the very moment of the decision.
    """
    waiting = situation is Situation.WAIT_USER
    if waiting and when in ("checked", "supplement"):
        return None
    if waiting and when in ("fail", "replan"):
        return TABLE[situation, "refused"]
    if when == "refused" and not waiting:
        return TABLE[situation, "replan"]
    return TABLE[situation, when]
