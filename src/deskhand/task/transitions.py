"""The table of situations: from where, on what, to where. The fold asks it for every move; nothing else moves one."""

from typing import Literal

from deskhand.core.statuses import Situation

S = Situation

When = Literal[
    "reopened", "accepted_dual", "resumed", "planned", "escalate", "started", "looked", "acted", "executed", "failed",
    "settled", "done", "stale", "fail", "supplement", "ask", "gate_done_more", "gate_done_last", "gate_fail",
    "gate_continue", "gate_supplement", "recorded", "issues", "answered", "refused", "advised", "withdrawn", "more",
    "dropped_last", "replan", "checked", "ended",
]  # fmt: skip

_INNER = (S.GET_ACTION, S.EXECUTE_ACTION, S.SETTLE)

TABLE: dict[tuple[Situation, When], Situation] = {
    (S.INIT, "accepted_dual"): S.PLAN,
    (S.INIT, "resumed"): S.GET_ACTION,
    (S.PLAN, "planned"): S.GET_ACTION,
    (S.PLAN, "escalate"): S.WAIT_USER,
    (S.EXECUTE_ACTION, "executed"): S.SETTLE,
    (S.EXECUTE_ACTION, "failed"): S.GET_ACTION,
    (S.SETTLE, "settled"): S.GET_ACTION,
    (S.GET_ACTION, "done"): S.QUALITY_CHECK,
    (S.GET_ACTION, "stale"): S.QUALITY_CHECK,
    (S.GET_ACTION, "fail"): S.PLAN,
    (S.QUALITY_CHECK, "gate_done_more"): S.GET_ACTION,
    (S.QUALITY_CHECK, "gate_done_last"): S.FINAL_CHECK,
    (S.QUALITY_CHECK, "gate_fail"): S.PLAN,
    (S.QUALITY_CHECK, "gate_continue"): S.GET_ACTION,
    (S.QUALITY_CHECK, "gate_supplement"): S.SUPPLEMENT,
    (S.SUPPLEMENT, "recorded"): S.PLAN,
    (S.FINAL_CHECK, "issues"): S.PLAN,
    (S.FINAL_CHECK, "more"): S.GET_ACTION,
    (S.WAIT_USER, "answered"): S.GET_ACTION,
    (S.WAIT_USER, "advised"): S.PLAN,
    # What was asked about is no longer to be done.
    (S.WAIT_USER, "withdrawn"): S.GET_ACTION,
    (S.WAIT_USER, "dropped_last"): S.FINAL_CHECK,
    # The worker may ask at the very moment of the outer loop's decision. Then a look or material moves nothing,
    # and a new plan takes the question for refused.
    (S.WAIT_USER, "checked"): S.WAIT_USER,
    (S.WAIT_USER, "supplement"): S.WAIT_USER,
    (S.WAIT_USER, "fail"): S.PLAN,
    (S.WAIT_USER, "replan"): S.PLAN,
    (S.WAIT_USER, "refused"): S.PLAN,
}

# A step begins or ends, or an action begins, wherever the inner loop is; in the single loop also at the very start.
for _here in (S.INIT, *_INNER):
    TABLE[_here, "started"] = S.GET_ACTION
    TABLE[_here, "looked"] = S.GET_ACTION
    TABLE[_here, "acted"] = S.EXECUTE_ACTION
# The rules may speak up anywhere in the inner loop, which goes on while they do; so may a check beside the work.
for _here in _INNER:
    TABLE[_here, "replan"] = S.PLAN
    TABLE[_here, "refused"] = S.PLAN
    TABLE[_here, "checked"] = S.QUALITY_CHECK
    TABLE[_here, "supplement"] = S.SUPPLEMENT
    TABLE[_here, "ask"] = S.WAIT_USER
    TABLE[_here, "dropped_last"] = S.FINAL_CHECK
# A task ends from anywhere (fulfilled, stopped, over a limit), and is resumed from wherever its log was cut off.
for _here in S:
    TABLE[_here, "reopened"] = S.INIT
    if _here is not S.DONE:
        TABLE[_here, "ended"] = S.DONE


def follow_table(situation: Situation, when: When) -> Situation:
    """Return where the table leads; without a row the task stays: a late step does not end planning."""
    return TABLE.get((situation, when), situation)
