"""The model-free planner: one subtask for each app that the goal goes through, with what is true after it."""

from collections.abc import Sequence

from deskhand.app_names import is_same_app
from deskhand.core.errors import NoPlan
from deskhand.core.planning import Material, Plan, PlanRequest, ReplanReason, ReplanStrategy
from deskhand.core.protocols import Source
from deskhand.core.subtask import Subtask
from deskhand.language import is_chinese
from deskhand.roles.offline.detour import REPEATABLE
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instruction_builder import open_app
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.language.new_things import read_clock
from deskhand.roles.offline.strategies.message_reading import read_request
from deskhand.roles.offline.strategies.opening import bare_app_name
from deskhand.roles.offline.technician import split_code
from deskhand.roles.task_types import find_task_type
from deskhand.screen.grounding.vocabulary import is_same_word

# Chinese, English
EMPTY_GOAL = (
    "目标里没有要做的事：请写出指令，例如“打开设置”。",
    "The goal says nothing to do: write an instruction, for example “open Settings”.",
)
_NO_CODE = (
    "目标要求运行代码，但这里无法运行：请安装 bubblewrap（参见 deskhand doctor）。",
    "The goal needs to run code, which is not possible here: install bubblewrap (see deskhand doctor).",
)
# Behind these another page may be shown, on which what was true before is not seen, or is something else.
_LEADING_ELSEWHERE = (say.Tap, say.PressKey, say.LogIn, say.Delete, say.Search, say.GoBack)


# What may be done twice: it brings about a state, or only looks.
_HARMLESS = (*REPEATABLE, say.Select, say.SetValue, say.Clear, say.Send)


class OfflineManager:
    """Plans what the goal says, in its order. It has one other idea when that fails: to start afresh.

    What the library finds goes to the workers as it is: without a model nobody can make another plan of it.
    """

    def __init__(self, library: Source | None = None) -> None:
        self._library = library

    async def plan(self, request: PlanRequest) -> Plan:
        if request.reason is ReplanReason.FIRST_PLAN:
            return self._plan_first(request)
        if request.reason is ReplanReason.SUPPLEMENTED:
            return self._plan_informed(request)
        if request.reason is ReplanReason.WORKER_FAILED:
            # The worker has tried every strategy it has; the same words again would fail the same way.
            raise NoPlan(request.because)
        if _failed_check(request) and not _can_repeat(request):
            # What is missing is told: to do the rest of it once more might add, click or type something twice.
            raise NoPlan(request.because)
        again = self._plan_afresh(request)
        if tuple(subtask.title for subtask in again) in request.tried:
            raise NoPlan(request.because)
        return Plan(subtasks=again, reason=f"start afresh: {request.because}")

    def _plan_first(self, request: PlanRequest) -> Plan:
        zh = is_chinese(request.goal)
        subtasks: list[Subtask] = []
        parts = split_code(request.goal)
        unclear = any(
            isinstance(step, say.NotUnderstood) for part, is_code in parts if not is_code for step in parse_goal(part)
        )
        for part, is_code in parts:
            if is_code and "technician" not in request.roles:
                raise NoPlan(_NO_CODE[0 if zh else 1])
            if is_code:
                subtasks.append(Subtask(id="", title=part, role="technician", task_type=find_task_type(part)))
            else:
                steps = _open_only_messenger(parse_goal(part), request)
                # a goal that is not understood whole is refused before anything is done
                groups = [list(steps)] if unclear else _group_by_app(steps, request.apps)
                subtasks += [_make_subtask(group, zh) for group in groups if group]
        if not subtasks:
            raise NoPlan(EMPTY_GOAL[0 if zh else 1])
        return Plan(subtasks=tuple(subtasks), reason="as the goal says, app by app")

    def _plan_informed(self, request: PlanRequest) -> Plan:
        """Plan the same work again, once, if materials were found; without them nothing would be different."""
        titles = tuple(subtask.title for subtask in request.remaining)
        if not titles or not request.materials or request.tried.count(titles) > 1:
            raise NoPlan(request.because)
        found = ", ".join(material.title for material in request.materials)
        return Plan(subtasks=request.remaining, reason=f"go on with what was found: {found[:500]}")

    def _plan_afresh(self, request: PlanRequest) -> tuple[Subtask, ...]:
        """Plan what failed again from the home screen; unless the replan is light, also what comes after it."""
        failed = request.failed[-1:] or request.done[-1:]
        if "home" not in request.capabilities:
            # A browser has no such place, and the same words again are no other plan.
            asked = request.reason is ReplanReason.USER_REQUEST and bool(failed)
            raise NoPlan(_describe_hopeless(request, failed[0].title) if asked else request.because)
        start = "回到主屏幕，" if is_chinese(request.goal) else "go home, "
        renewed = [
            subtask if subtask.title.startswith(start) else subtask.model_copy(update={"title": start + subtask.title})
            for subtask in failed
        ]
        light = request.strategy is ReplanStrategy.LIGHT
        return (*renewed, *(() if light else request.remaining))

    async def supplement(self, need: str, goal: str) -> tuple[Material, ...]:
        return await self._library.look_up(need, goal) if self._library else ()


def _describe_hopeless(request: PlanRequest, title: str) -> str:
    """Say why a task that had failed and is taken up again has no other way to go."""
    if is_chinese(request.goal):
        return f"“{title}”之前没有做成，没有模型就没有别的办法：请重新运行这个目标，或者配上模型（--model）。"
    return (
        f"“{title}” failed before, and without a model there is no other way to try: run the goal again, "
        "or set a model (--model)."
    )


def _failed_check(request: PlanRequest) -> bool:
    return request.reason in (ReplanReason.GATE_FAILED, ReplanReason.FINAL_CHECK_FAILED)


def _can_repeat(request: PlanRequest) -> bool:
    """True if what failed can be done twice without harm."""
    failed = (request.failed[-1:] or request.done[-1:])[0] if request.failed or request.done else None
    steps = parse_goal(failed.title) if failed is not None else ()
    return all(isinstance(step, _HARMLESS) for step in steps)


def _open_only_messenger(steps: tuple[Instruction, ...], request: PlanRequest) -> tuple[Instruction, ...]:
    """`text Tom: …` on the home screen: by the one app of the phone that sends messages; with several it is asked."""
    first = next((n for n, step in enumerate(steps) if isinstance(step, say.Open | say.Visit) or _is_talk(step)), None)
    if first is None or not _is_talk(steps[first]) or request.observation.at_home is not True:
        return steps
    known = ["".join(phrase) for phrase in load_lexicon().classes["messenger"]]
    # an app is listed by each of its names
    mine = [name for name in known if any(is_same_app(name, app) for app in request.apps)]
    if not mine or not all(is_same_app(name, mine[0]) for name in mine):
        return steps
    own = next((name for name in mine if name.isascii() is not is_chinese(request.goal)), mine[0])
    return (*steps[:first], open_app(own), *steps[first:])


def _is_talk(step: Instruction) -> bool:
    """True if it is done in a conversation."""
    return (isinstance(step, say.Send) and bool(step.to)) or (
        isinstance(step, say.Read) and read_request(step.target) is not None
    )


def _group_by_app(steps: tuple[Instruction, ...], apps: tuple[str, ...]) -> list[list[Instruction]]:
    groups: list[list[Instruction]] = []
    for step in steps:
        begins = isinstance(step, say.Visit) or (
            isinstance(step, say.Open) and any(is_same_word(bare_app_name(step.name), app) for app in apps)
        )
        if begins or not groups:
            groups.append([])
        groups[-1].append(step)
    return groups


def _make_subtask(steps: list[Instruction], zh: bool) -> Subtask:
    title = ("，" if zh else ", ").join(step.source for step in steps)
    return Subtask(id="", title=title, done_when=describe_end(steps, zh), task_type=find_task_type(title))


def describe_end(steps: Sequence[Instruction], zh: bool) -> str:
    """Return what the screen shows when all steps are done; empty if nothing lasts."""
    for step in reversed(steps):
        if effect := _describe_effect(step, zh):
            return effect
        if isinstance(step, _LEADING_ELSEWHERE):
            return ""
    return ""


def _describe_effect(step: Instruction, zh: bool) -> str:
    """Return what the screen shows after an instruction, as a user would say it; empty if nothing lasts."""
    match step:
        case say.Verify(condition=condition):
            return condition.source
        case say.Toggle(target=target, on=on):
            return f"“{target}”已{'打开' if on else '关闭'}" if zh else f"“{target}” is {'on' if on else 'off'}"
        case say.Send(text=text):
            return f"看到“{text}”" if zh else f"“{text}” is visible"
        case say.Create(what=what, fields=((label, value), *_)):
            seen = _value_as_shown(what, label, value)
            return (f"看到“{seen}”" if zh else f"“{seen}” is visible") if seen else ""
        case _:
            return ""


def _value_as_shown(what: str, label: str, value: str) -> str:
    """An alarm for 7 is listed as 07:00; a timer for five minutes is seen as whatever is left of them."""
    clock = read_clock(value) if label in ("time", "") and is_same_word(what, "alarm") else None
    if clock:
        return f"{clock[0]:02d}:{clock[1]:02d}"
    return "" if is_same_word(what, "timer") or (label == "time" and not is_same_word(what, "alarm")) else value
