"""The model-free judge: gates from the proofs of each instruction, elements and counts."""

from collections.abc import Sequence
from dataclasses import replace

from deskhand.core.planning import GateDecision, GateRequest, GateTrigger, QualityReport
from deskhand.core.statuses import ExecStatus, SubtaskStatus
from deskhand.core.subtask import Subtask
from deskhand.language import is_chinese
from deskhand.roles.offline.coach import choose_first_help
from deskhand.roles.offline.evidence.recheck import Proven
from deskhand.roles.offline.evidence.whole_goal import collect_all_proven, collect_proven, find_gap, list_left_out
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.checking import SeenTruth, check_condition

# Beyond this share of failed actions, going on is not worth it.
HOPELESS_ERRORS = 0.5


class OfflineEvaluator:
    """`most_steps`: a subtask that takes as many is given up. Without it, only the task's own limit ends it."""

    needs_elements = True

    def __init__(self, most_steps: int | None = None) -> None:
        self._most_steps = most_steps

    async def check(self, request: GateRequest) -> QualityReport:
        match request.trigger:
            case GateTrigger.WORKER_SUCCESS:
                return _check_claim(request)
            case GateTrigger.FINAL_CHECK:
                return _check_end(request)
            case GateTrigger.TIME_EXCEEDED:
                return _warn_once(request)
            case GateTrigger.WORKER_STALE | GateTrigger.NO_PROGRESS:
                return _judge_stuck(request, _describe_standstill(request))
            case GateTrigger.REPEATED_ACTION:
                return _judge_repetition(request)
            case GateTrigger.EXCESSIVE_STEPS | GateTrigger.PERIODIC_CHECK:
                return _judge_progress(request, self._most_steps)


def _make_report(
    request: GateRequest, decision: GateDecision, reason: str, *, confidence: float = 0.8, suggestion: str = ""
) -> QualityReport:
    good = decision is GateDecision.DONE or (decision is GateDecision.CONTINUE and not suggestion)
    bad = decision is GateDecision.FAIL
    return QualityReport(
        trigger=request.trigger,
        depth="low",
        status="GOOD" if good else "CRITICAL" if bad else "CONCERNING",
        recommendation="CONTINUE" if good else "REPLAN" if bad else "ADJUST",
        decision=decision,
        confidence=confidence,
        reason=reason,
        issues=(reason,) if bad else (),
        suggestions=(suggestion,) if suggestion else (),
    )


def _check_claim(request: GateRequest) -> QualityReport:
    """The worker says it is done: by its proofs, which are looked at again, and by what should be true then."""
    scene = _make_scene(request, request.subtask)
    proven = collect_proven(request.subtask, request.goal, request.bookmark) if request.subtask else None
    if gap := find_gap(proven, scene) if proven is not None else "":
        return _make_report(request, GateDecision.FAIL, gap, confidence=0.95)
    holds, seen = _check_truth(request, request.subtask)
    if holds is False:
        told = scene.say(f"执行者说完成了，但{seen}", f"the worker says it is done, but {seen}")
        return _make_report(request, GateDecision.FAIL, told, confidence=0.9)
    if proven:
        told = scene.say(f"{len(proven)} 条指令都有证据", f"every instruction ({len(proven)}) is proven")
        return _make_report(request, GateDecision.DONE, told, confidence=0.95)
    if holds:
        return _make_report(request, GateDecision.DONE, seen, confidence=0.95)
    return _make_report(request, GateDecision.DONE, request.claim, confidence=0.6)


def _check_end(request: GateRequest) -> QualityReport:
    """Every part of the plan that was not given up for another is done and proven, and the end state is as expected."""
    scene = _make_scene(request, None)
    open_ones = [s.title for s in request.subtasks if s.status in (SubtaskStatus.READY, SubtaskStatus.PENDING)]
    if open_ones:
        told = scene.say(f"还没有完成：{'；'.join(open_ones)}", f"not done yet: {'; '.join(open_ones)}")
        return _make_report(request, GateDecision.FAIL, told, confidence=1.0)
    proven = collect_all_proven(request)
    if gap := _find_gap_in_goal(request, proven, scene) if proven is not None else "":
        return _make_report(request, GateDecision.FAIL, gap, confidence=0.95)
    last = next((s for s in reversed(request.subtasks) if s.status is SubtaskStatus.FULFILLED), None)
    holds, seen = _check_truth(request, None if _is_left_behind(request) else last)
    if holds is False:
        return _make_report(request, GateDecision.FAIL, scene.say(f"最后{seen}", f"at the end {seen}"), confidence=0.9)
    passed = scene.say("每一步都通过了检查", "every subtask passed its gate")
    return _make_report(request, GateDecision.DONE, seen if holds else passed)


def _find_gap_in_goal(request: GateRequest, proven: Sequence[Proven], scene: Scene) -> str:
    """Return what of the whole goal is not done, not proven, or not so any more; empty if nothing."""
    left_out = [] if request.said else list_left_out(request.goal, proven)
    if left_out:
        names = scene.quote_names(step.source for step in left_out)
        return scene.say(f"目标里的{names}没有做", f"{names} of the goal was not done")
    return find_gap(proven, replace(scene, elements=()) if _is_left_behind(request) else scene)


def _make_scene(request: GateRequest, subtask: Subtask | None) -> Scene:
    """Return the moment of the check, in the language of the goal."""
    stands_for = subtask or Subtask(id="", title=request.goal)
    return Scene.from_screen(request.goal, stands_for, request.observation, request.steps)


def _is_left_behind(request: GateRequest) -> bool:
    """True if the user took back the last subtask while it was under way: the screen then shows it half done."""
    ended = [s for s in request.subtasks if s.status is not SubtaskStatus.REJECTED or s.since is not None]
    return bool(request.said and ended) and ended[-1].status is SubtaskStatus.REJECTED


def _check_truth(request: GateRequest, subtask: Subtask | None) -> SeenTruth:
    """Check on the screen what should be true after the subtask; None if this screen does not show it."""
    if subtask is None or not subtask.done_when or request.observation.elements is None:
        return None, ""
    if subtask.role != "operator":
        return None, ""  # what code or thought has brought about is not on the screen
    told = f"确认{subtask.done_when}" if is_chinese(subtask.done_when) else f"verify that {subtask.done_when}"
    scene = Scene.from_screen(request.goal, subtask, request.observation, request.steps)
    verdicts = [check_condition(step.condition, scene) for step in parse_goal(told) if isinstance(step, say.Verify)]
    return verdicts[0] if verdicts else (None, "")


def _last_trouble(request: GateRequest) -> str:
    """Return what last went wrong, as the end of a reason."""
    pairs = [(report, action) for report in request.history for action in report.actions]
    troubles = [report.error or action.detail for report, action in pairs if action.status is not ExecStatus.EXECUTED]
    return f": {troubles[-1]}" if troubles else ""


def _describe_standstill(request: GateRequest) -> str:
    return f"no progress after {request.steps} steps{_last_trouble(request)}"


def _warn_once(request: GateRequest) -> QualityReport:
    """The first time the worker is sent back with a hint, the second time it is over."""
    warned = any(report.trigger is request.trigger for report in request.earlier[-2:])
    if warned or request.error_rate > HOPELESS_ERRORS:
        return _make_report(request, GateDecision.FAIL, _describe_standstill(request))
    hint = choose_first_help(request.goal, request.subtask, request.observation, request.history)
    return _make_report(request, GateDecision.CONTINUE, "one more try, another way", confidence=0.5, suggestion=hint)


def _judge_stuck(request: GateRequest, reason: str) -> QualityReport:
    """Worth another way, unless most of what is tried fails. Which way is the coach's matter, and so is how often."""
    if request.error_rate > HOPELESS_ERRORS:
        return _make_report(request, GateDecision.FAIL, reason)
    report = _make_report(request, GateDecision.CONTINUE, reason, confidence=0.5)
    return report.model_copy(update={"status": "CONCERNING", "recommendation": "ADJUST"})


def _judge_repetition(request: GateRequest) -> QualityReport:
    """Pressing + three times may be right, as long as each time something changed."""
    effects = [action.changed for report in request.history[-3:] for action in report.actions]
    if effects and all(effect is False for effect in effects):
        return _judge_stuck(request, "repeating the same action has no effect")
    return _make_report(request, GateDecision.CONTINUE, "the repeated action has an effect each time", confidence=0.6)


def _judge_progress(request: GateRequest, most_steps: int | None) -> QualityReport:
    too_long = most_steps is not None and request.steps >= most_steps
    if too_long or request.error_rate > HOPELESS_ERRORS:
        reason = f"{request.steps} steps and {request.error_rate:.0%} failed actions without reaching the subtask"
        return _make_report(request, GateDecision.FAIL, reason + _last_trouble(request))
    return _make_report(request, GateDecision.CONTINUE, "under way", confidence=0.5)
