"""The coach without a model: reads the user's words by grammar, and helps a stuck worker by what is on the screen."""

import asyncio
from collections.abc import Iterator

from deskhand.core.decisions import StepReport
from deskhand.core.human import Amendment, AmendRequest, Correction, Lesson, LessonRequest, StuckRequest
from deskhand.core.screen import Observation
from deskhand.core.subtask import Subtask
from deskhand.language import is_chinese
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.hunting import find_scroller
from deskhand.roles.offline.strategies.obstacles import find_dialog
from deskhand.roles.offline.todo.amending import amend_todo
from deskhand.screen.grounding.find import find_element

# What a stuck worker can be told, as its grammar reads it: English, Chinese.
CLOSE = ("close the pop-up", "关闭弹窗")
ANOTHER = ("try another one", "换一个试试")
DOWN = ("scroll down", "向下滚动")
UP = ("scroll up", "向上滚动")
BACK = ("go back", "返回")
RESTART = ("go home, then start again", "回到主屏幕，然后重新开始")
WAIT = ("wait {n} seconds", "等待{n}秒")


class OfflineCoach:
    async def amend(self, request: AmendRequest) -> Amendment:
        # In a thread: a long speech takes the grammar a second or two, in which everything else goes on.
        return await asyncio.to_thread(amend_todo, request)

    async def correct(self, request: StuckRequest) -> Correction:
        """The first that makes sense on this screen and was not said before; in the end, a longer and longer wait."""
        return Correction(text=_choose_help(request))

    async def improve(self, request: LessonRequest) -> Lesson:
        """Without a model nobody could write a better prompt: the one there is stays."""
        return Lesson()


def choose_first_help(
    goal: str, subtask: Subtask | None, observation: Observation, history: tuple[StepReport, ...]
) -> str:
    """Return what a stuck worker should try first."""
    stuck = subtask or Subtask(id="", title=goal)
    return _choose_help(StuckRequest(goal=goal, subtask=stuck, because="", observation=observation, history=history))


def _choose_help(request: StuckRequest) -> str:
    language = int(is_chinese(request.subtask.title or request.goal))
    given = set(request.corrections)
    for choice in _list_choices(request):
        if choice[language] not in given:
            return choice[language]
    waits = (WAIT[language].format(n=n) for n in range(2, 3 + len(given)))
    return next(text for text in waits if text not in given)


def _list_choices(request: StuckRequest) -> Iterator[tuple[str, str]]:
    scene = Scene.from_screen(request.goal, request.subtask, request.observation, history=request.history)
    if find_dialog(scene):
        yield CLOSE
    if any(element.role == "progress" for element in scene.elements):
        yield WAIT[0].format(n=3), WAIT[1].format(n=3)
    if _has_several_fits(request, scene):
        yield ANOTHER
    if find_scroller(scene) is not None:
        yield DOWN
        yield UP
    if not scene.on_home_screen:
        yield BACK
        yield RESTART


def _has_several_fits(request: StuckRequest, scene: Scene) -> bool:
    """True if something was touched, and the screen has more than one thing that fits the subtask's name for it."""
    if not any(action.kind in ("click", "long_press", "double_click") for action in scene.list_executed()):
        return False
    steps = parse_goal(request.subtask.title)
    names = [getattr(step, name, "") for step in steps for name in ("target", "option", "name")]
    return any(len(find_element(name, scene.tree, "clickable").candidates) > 1 for name in names if name)
