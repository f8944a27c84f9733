"""Layer 3 of decision: how much of a plan to give up, from what went wrong and from what was tried already. Pure."""

from collections.abc import Sequence

from deskhand.core.planning import ReplanReason, ReplanStrategy

_LADDER = (ReplanStrategy.LIGHT, ReplanStrategy.MEDIUM, ReplanStrategy.HEAVY, ReplanStrategy.ESCALATE)
# Where the ladder is entered: a plan whose end result is wrong, or whose world has changed, is not mended lightly.
_START: dict[ReplanReason, ReplanStrategy] = {
    ReplanReason.FINAL_CHECK_FAILED: ReplanStrategy.MEDIUM,
    ReplanReason.ENVIRONMENT_CHANGED: ReplanStrategy.MEDIUM,
    ReplanReason.SUPPLEMENTED: ReplanStrategy.MEDIUM,
}


def next_strategy(reason: ReplanReason, tried: Sequence[ReplanStrategy]) -> ReplanStrategy:
    """Return the cheapest strategy that fits the reason and was not tried since the last progress.

    What the user asked for is never handed back to the user.
    """
    if reason is ReplanReason.USER_REQUEST:
        return ReplanStrategy.HEAVY
    start = _LADDER.index(_START.get(reason, ReplanStrategy.LIGHT))
    highest = max((_LADDER.index(strategy) for strategy in tried), default=-1)
    return _LADDER[min(max(start, highest + 1), len(_LADDER) - 1)]
