"""Drives a simulated phone in-process, as the engine would: observe, decide, act, until the worker concludes."""

from dataclasses import dataclass, field
from datetime import datetime

import numpy as np

from deskhand.core import actions as words
from deskhand.core.actions import Action
from deskhand.core.decisions import ActionReport, Briefing, Decision, StepReport
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Frame, Observation
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import Subtask
from deskhand.devices.android.apps import describe_missing, find_app
from deskhand.devices.android.device import CAPABILITIES
from deskhand.devices.android.elements import read_elements
from deskhand.devices.android.scrolling import find_scroll_area, plan_stroke
from deskhand.roles.offline.worker import OfflineWorker
from deskhand.simphone.body.window_manager import NeverIdle
from deskhand.simphone.phone import Phone

KEYS = {"enter": 66, "backspace": 67, "delete": 112, "tab": 61, "escape": 111, "space": 62}


class Refused(Exception):
    """The phone could not do it."""


@dataclass
class Handset:
    """A phone whose time stands still but for what is waited for."""

    conditions: tuple[str, ...] = ()
    locale: str = "zh"
    skin: str = "stock"
    time: float = 1000.0
    log: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.phone = Phone(
            now=lambda: self.time,
            today=lambda: datetime(2026, 11, 16, 9, 30),
            conditions=self.conditions,
            locale=self.locale,
            skin=self.skin,
        )
        self.frame = Frame(np.zeros((self.phone.size[1], self.phone.size[0], 4), np.uint8))

    def elements(self) -> tuple[Element, ...]:
        self.time += 2.0
        return read_elements(self.phone.windows.dump_hierarchy().encode())

    def observe(self) -> Observation:
        package, activity = self.phone.windows.foreground
        try:
            return Observation(
                self.frame, self.elements(), app=package, title=activity, at_home=package == self.phone.skin.home
            )
        except NeverIdle as problem:
            return Observation(self.frame, None, app=package, problem=str(problem))

    def act(self, action: Action) -> None:
        match action:
            case words.Click(x=x, y=y):
                self._path((x, y), (x, y), 0.05)
            case words.LongPress(x=x, y=y):
                self._path((x, y), (x, y), 0.9)
            case words.Swipe() | words.Drag():
                self._path((action.x, action.y), (action.to_x, action.to_y), action.duration_ms / 1000)
            case words.Scroll():
                self._scroll(action)
            case words.Type():
                self._type(action)
            case words.Key(key=key):
                self.phone.input.press_key(KEYS[key])
            case words.Back():
                self.phone.input.press_key(4)
            case words.Home():
                self.phone.input.press_key(3)
            case words.OpenApp(name=name):
                self._open(name)
            case words.OpenUrl(url=url):
                self.phone.apps.launch_app("com.android.browser", data=url)
            case words.Wait(seconds=seconds):
                self.time += seconds
            case words.Answer(text=text):
                self.answers.append(text)
            case _:
                raise AssertionError(f"the handset can't do {action.kind}")
        self.time += 1.0

    def _path(self, start: tuple[int, int], end: tuple[int, int], seconds: float) -> None:
        self.phone.input.touch_down(*start)
        for n in range(1, 11):
            self.time += seconds / 10
            if start != end:
                x = start[0] + (end[0] - start[0]) * n / 10
                self.phone.input.touch_move(x, start[1] + (end[1] - start[1]) * n / 10)
        # a finger that rests before it lifts does not fling
        self.time += 0.2 if start != end else 0
        self.phone.input.touch_up(*end)

    def _scroll(self, action: words.Scroll) -> None:
        width, height = self.phone.size
        point = (action.x or width // 2, action.y or height // 2) if action.x is not None else (width // 2, height // 2)
        area = find_scroll_area(point, self.elements(), Rect(0, 0, width, height))
        times = max(1, round(action.pages / 0.6))
        for _ in range(times):
            start, end = plan_stroke(action.direction, action.pages / times, point, area)
            self._path(start, end, 0.4)
            self.time += 1.0

    def _type(self, action: words.Type) -> None:
        if action.clear_first:
            self.phone.input.clear_text()
        if action.text and not self.phone.input.type_text(action.text):
            raise Refused("nothing has the focus")
        if action.press_enter:
            self.phone.input.press_key(66)

    def _open(self, name: str) -> None:
        installed = [p.name for p in self.phone.apps.list_packages()]
        package = find_app(name, installed)
        if package is None or not self.phone.apps.launch_app(package):
            raise Refused(describe_missing(name, installed, "handset"))

    async def run(self, goal: str, max_steps: int = 50) -> Decision:
        """What the worker concluded; every action is written into `log`."""
        worker, history, bookmark = OfflineWorker(), [], ""
        for step in range(1, max_steps + 1):
            briefing = Briefing(
                goal=goal,
                subtask=Subtask(id="t", title=goal),
                observation=self.observe(),
                capabilities=CAPABILITIES | {"wait", "answer", "memorize"},
                step=step,
                max_steps=max_steps,
                history=tuple(history[-8:]),
                bookmark=bookmark,
            )
            decision = await worker.decide(briefing)
            bookmark = decision.bookmark
            if decision.kind != "actions":
                self.log.append(f"{decision.kind}: {decision.message}")
                return decision
            history.append(self._play(step, decision))
        raise AssertionError(f"no end after {max_steps} steps: {self.log}")

    def _play(self, step: int, decision: Decision) -> StepReport:
        reports: list[ActionReport] = []
        front = self.phone.windows.foreground
        for planned in decision.actions:
            if reports and self.phone.windows.foreground[0] != front[0]:
                break  # the engine drops what is queued when something else comes to the front
            self.log.append(f"{step}. {decision.message}: {words.describe_action(planned.action)}")
            try:
                self.act(planned.action)
                reports.append(ActionReport(action=planned.action, status=ExecStatus.EXECUTED))
            except Refused as refusal:
                reports.append(ActionReport(action=planned.action, status=ExecStatus.ERROR, detail=str(refusal)))
                self.log.append(f"   refused: {refusal}")
                break
        return StepReport(step=step, message=decision.message, actions=tuple(reports))
