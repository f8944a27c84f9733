"""The doors around one task: only the device gets a secret's value; what comes back, is shown or is kept has none.

Between the doors frames stay as they are: what changed on a screen is told by its real pixels.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal, cast
from weakref import WeakKeyDictionary

from pydantic import ValidationError

from deskhand.core.actions import Action, SwitchWindow, Type
from deskhand.core.decisions import Briefing, CodeResult, Decision
from deskhand.core.device_wrapper import Answer, DeviceWrapper
from deskhand.core.errors import ActionFailed, DeviceError, SettingsError, TextNotTyped, UsageError
from deskhand.core.geometry import Rect
from deskhand.core.human import Amendment, AmendRequest, Correction, Lesson, LessonRequest, StuckRequest
from deskhand.core.planning import GateRequest, Material, Plan, PlanRequest, QualityReport
from deskhand.core.protocols import Coach, CodeRunner, Device, Judge, Planner, ScreenReader, Worker
from deskhand.core.screen import AppInfo, Element, Frame, Observation
from deskhand.engine.parts import OuterRoles, TaskParts
from deskhand.engine.safety.authority import Authority
from deskhand.engine.secrets.vault import HIDDEN, ReadSecret, Vault
from deskhand.screen.redact import cover_boxes, make_blank
from deskhand.settings.credentials import read_secret
from deskhand.settings.placeholders import find_misspelt_placeholder, find_secret_names, make_placeholder
from deskhand.task.events import Event, Record, TaskCreated, TaskSummary, UserReplied, UserSaid
from deskhand.task.journal import Journal

# How long a picture waits for the list that tells what it shows.
_LIST_S = 10.0
# What these are called is seldom written where they are, and covering them covers everything.
_AROUND_OTHERS = frozenset({"window", "dialog", "group", "list", "menu"})


async def checked(words: str, vault: Vault, authority: Authority, read: ReadSecret | None = None) -> None:
    """Get the values of all secrets that a goal names; raises SettingsError or UsageError before any work."""
    if wrong := find_misspelt_placeholder(words):
        raise UsageError(f"{wrong} names no secret: write {{{{secret:NAME}}}}, with letters, digits, _ - and dots.")
    for name in find_secret_names(words):
        if not authority.can_use_secret(name):
            raise UsageError(f"The person has not named the secret {name}, so it can't be used.")
    await vault.learn(find_secret_names(words), read)


def guarded(crew: TaskParts, vault: Vault, past: Iterable[Event] = ()) -> TaskParts:
    """The same crew behind doors. `past` is what the log knows already: which secrets the person has named."""
    grants = Grants(lambda name: read_secret(name, crew.settings.secrets))
    grants.hear(past)
    device = GuardedDevice(crew.device, vault, grants)
    cover = Cover(device, crew.reader, vault)
    return replace(
        crew,
        device=device,
        workers={role: GuardedWorker(worker, cover) for role, worker in crew.workers.items()},
        journal=GuardedJournal(crew.journal, vault, cover, grants),
        outer=crew.outer and _above(crew.outer, vault, cover),
        reader=crew.reader and GuardedReader(crew.reader, vault),
        code=crew.code and _with_clean_output(crew.code, vault),
    )


def named_by_the_person(events: Iterable[Event]) -> tuple[str, ...]:
    """The secrets that a person's own words name. No other words give leave to type one."""
    return find_secret_names("\n".join(_persons_words(event) for event in events))


def _persons_words(event: Event) -> str:
    match event:
        case TaskCreated(goal=words) | UserSaid(text=words):
            return words
        case UserReplied(reply=reply):
            return reply.text
        case _:
            return ""


class Grants:
    """Which secrets this task may type, and how its settings find their values."""

    def __init__(self, read: ReadSecret | None = None) -> None:
        self.read = read
        self._names: set[str] = set()

    def hear(self, events: Iterable[Event]) -> None:
        self._names.update(name.casefold() for name in named_by_the_person(events))

    def check(self, names: Iterable[str]) -> None:
        for name in names:
            if name.casefold() not in self._names:
                raise ActionFailed(f"The person has not named the secret {name}, so it is not typed.")


# --- the device --------------------------------------------------------------------------------------------------


class GuardedDevice(DeviceWrapper):
    """Fills values in on the way down; on the way up, whatever is read or said has placeholders again."""

    def __init__(self, device: Device, vault: Vault, grants: Grants) -> None:
        super().__init__(device)
        self._vault = vault
        self._grants = grants
        self._taken: WeakKeyDictionary[Frame, int] = WeakKeyDictionary()
        self._acts = 0
        # What was listed since the last action.
        self.listed: tuple[Element, ...] = ()
        # Fields that held a value when last seen: what is left of it, letter by letter, is nobody's business.
        self._holding: set[tuple[str, int, int]] = set()

    async def _pass_on(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            return await call()
        except Exception as fault:  # of any kind: each of them may quote what the device was given
            behind: BaseException | None = fault if self._vault else None
            while behind:  # also what a traceback would show
                behind.args = tuple(self._vault.scrub(arg) if isinstance(arg, str) else arg for arg in behind.args)
                behind = behind.__cause__ or behind.__context__
            raise

    async def frame(self) -> Frame:
        acts, frame = self._acts, await super().frame()
        self._taken[frame] = acts
        return frame

    def is_now(self, frame: Frame) -> bool:
        """Whether nothing was done since it was taken, so that what is listed now was there."""
        return self._taken.get(frame, self._acts) == self._acts

    async def elements(self) -> tuple[Element, ...]:
        found = await self.bare_elements()
        return tuple(map(self._vault.scrub_element, found)) if self._vault else found

    async def bare_elements(self) -> tuple[Element, ...]:
        """With the values in them, to know where they are."""
        found = await super().elements()
        self.listed = tuple(map(self._kept_dark, found)) if self._vault else found
        return self.listed

    def _kept_dark(self, element: Element) -> Element:
        """A field that held a value shows nothing else until it is empty."""
        place = (element.id, element.bounds.left, element.bounds.top)
        if not element.editable or element.password:
            return element
        if self._vault.scrub(element.value) != element.value:
            self._holding.add(place)
        elif place in self._holding and element.value:
            return replace(element, value=HIDDEN, password=True)
        else:
            self._holding.discard(place)
        return element

    async def app(self) -> AppInfo:
        found = await super().app()
        scrub = self._vault.scrub
        return replace(found, name=scrub(found.name), title=scrub(found.title)) if self._vault else found

    async def act(self, action: Action) -> str:
        self._acts, self.listed = self._acts + 1, ()
        if not (names := _named(action)):
            return self._vault.scrub(await super().act(action))
        filled = await self._filled(action, names)
        try:
            return self._vault.scrub(await super().act(filled))
        except TextNotTyped:
            # What stands there now may be a part of the value.
            which = " and ".join(map(make_placeholder, names))
            raise TextNotTyped(f"The field does not hold what was typed into it ({which}).") from None

    async def _filled(self, action: Action, names: tuple[str, ...]) -> Action:
        self._grants.check(names)
        try:
            await self._vault.learn(names, self._grants.read)
        except SettingsError as missing:
            raise ActionFailed(str(missing)) from None
        # Copied without validation, whose complaints would quote the value.
        match action:
            case Type(text=text):
                return action.model_copy(update={"text": self._vault.fill(text)})
            case SwitchWindow(title=title):
                return action.model_copy(update={"title": self._vault.fill(title)})
            case _:
                kind = action.kind.replace("_", " ")
                raise ActionFailed(
                    f"{make_placeholder(names[0])} can be typed into a field; it can't be used to {kind}."
                )


def _named(action: Action) -> tuple[str, ...]:
    """The secrets in what would reach the device; what the worker believes to aim at does not."""
    fields = action.model_dump(exclude={"kind", "target"}).values()
    return find_secret_names("\n".join(field for field in fields if isinstance(field, str)))


def _with_clean_output(make: Callable[[str], CodeRunner], vault: Vault) -> Callable[[str], CodeRunner]:
    return lambda task_id: GuardedCode(make(task_id), vault)


class GuardedCode:
    """Code never gets a value: what is written with one stays on disk, and would be shown in every log."""

    def __init__(self, runner: CodeRunner, vault: Vault) -> None:
        self._runner = runner
        self._vault = vault

    async def run(self, language: Literal["bash", "python"], code: str, timeout: float | None = None) -> CodeResult:
        if names := find_secret_names(code):
            raise ActionFailed(f"{make_placeholder(names[0])} can be typed into a field; code does not get its value.")
        result, scrub = await self._runner.run(language, code, timeout), self._vault.scrub
        files = tuple(
            file.model_copy(update={"name": scrub(file.name), "text": scrub(file.text)}) for file in result.files
        )
        return replace(result, output=scrub(result.output), files=files) if self._vault else result


# --- pictures ----------------------------------------------------------------------------------------------------


class Cover:
    """Frames as others may see them: with everything painted over that shows a value, or may do so."""

    def __init__(self, device: GuardedDevice, reader: ScreenReader | None, vault: Vault) -> None:
        self._device = device
        self._reader = reader
        self._vault = vault
        # With the number of secrets that were known then.
        self._known: WeakKeyDictionary[Frame, tuple[int, Frame]] = WeakKeyDictionary()

    async def __call__(self, frame: Frame) -> Frame:
        if not self._vault or frame.secure:
            return frame
        secrets, known = self._known.get(frame, (0, frame))
        if secrets != len(self._vault):
            secrets, known = len(self._vault), await self._covered(frame)
            self._known[frame] = secrets, known
        return known

    async def observation(self, seen: Observation) -> Observation:
        return replace(seen, frame=await self(seen.frame)) if self._vault else seen

    async def _covered(self, frame: Frame) -> Frame:
        """By the lists from before and after it was taken, and by what can be read on it; unreadable, it is blank."""
        before = self._device.listed
        listed = await self._listed() if self._device.is_now(frame) else None
        read = await self._read(frame)
        if listed is None and read is None:
            return make_blank(frame)
        showing = [e for e in (*before, *(listed or ()), *(read or ())) if e.password or self._vault.shows(e)]
        small = [e.bounds for e in showing if e.role not in _AROUND_OTHERS]
        if read is None:
            small += [e.bounds for e in showing if e.role in _AROUND_OTHERS and not _within(small, e.bounds)]
        return cover_boxes(frame, small)

    async def _listed(self) -> tuple[Element, ...] | None:
        try:
            async with asyncio.timeout(_LIST_S):
                return await self._device.bare_elements()
        except (DeviceError, TimeoutError):
            return None

    async def _read(self, frame: Frame) -> tuple[Element, ...] | None:
        try:
            return await self._reader.elements(frame, self._device.id) if self._reader else None
        except DeviceError:
            return None


async def covered_screen(device: Device, reader: ScreenReader | None, vault: Vault) -> Frame:
    """What is on the screen now, for whoever is no part of a task."""
    guarded_device = GuardedDevice(device, vault, Grants())
    return await Cover(guarded_device, reader, vault)(await guarded_device.frame())


def _within(boxes: Iterable[Rect], outer: Rect) -> bool:
    return any(box.intersect_with(outer) == box for box in boxes)


class GuardedReader:
    def __init__(self, reader: ScreenReader, vault: Vault) -> None:
        self._reader = reader
        self._vault = vault

    async def elements(self, frame: Frame, device_id: str = "") -> tuple[Element, ...]:
        found = await self._reader.elements(frame, device_id)
        return tuple(map(self._vault.scrub_element, found)) if self._vault else found


# --- who sees and what is kept -----------------------------------------------------------------------------------


class GuardedWorker:
    def __init__(self, worker: Worker, cover: Cover) -> None:
        self._worker = worker
        self._cover = cover

    @property
    def needs_elements(self) -> bool:
        return self._worker.needs_elements

    async def decide(self, briefing: Briefing) -> Decision:
        return await self._worker.decide(
            replace(briefing, observation=await self._cover.observation(briefing.observation))
        )


class GuardedJudge:
    def __init__(self, judge: Judge, cover: Cover) -> None:
        self._judge = judge
        self._cover = cover

    @property
    def needs_elements(self) -> bool:
        return self._judge.needs_elements

    async def check(self, request: GateRequest) -> QualityReport:
        before = request.before and await self._cover(request.before)
        seen = await self._cover.observation(request.observation)
        return await self._judge.check(replace(request, observation=seen, before=before))


class GuardedPlanner:
    def __init__(self, planner: Planner, vault: Vault, cover: Cover) -> None:
        self._planner = planner
        self._vault = vault
        self._cover = cover

    async def plan(self, request: PlanRequest) -> Plan:
        return await self._planner.plan(
            replace(request, observation=await self._cover.observation(request.observation))
        )

    async def supplement(self, need: str, goal: str) -> tuple[Material, ...]:
        found = await self._planner.supplement(need, goal)
        return tuple(material.model_copy(update={"text": self._vault.scrub(material.text)}) for material in found)


class GuardedCoach:
    def __init__(self, coach: Coach, cover: Cover) -> None:
        self._coach = coach
        self._cover = cover

    async def amend(self, request: AmendRequest) -> Amendment:
        return await self._coach.amend(request)

    async def correct(self, request: StuckRequest) -> Correction:
        return await self._coach.correct(
            replace(request, observation=await self._cover.observation(request.observation))
        )

    async def improve(self, request: LessonRequest) -> Lesson:
        return await self._coach.improve(request)


def _above(outer: OuterRoles, vault: Vault, cover: Cover) -> OuterRoles:
    fallback = GuardedJudge(outer.fallback, cover)
    # Whether they are one and the same is asked by those who use them.
    judge = fallback if outer.judge is outer.fallback else GuardedJudge(outer.judge, cover)
    return replace(
        outer,
        planner=GuardedPlanner(outer.planner, vault, cover),
        judge=judge,
        fallback=fallback,
        coach=outer.coach and GuardedCoach(outer.coach, cover),
    )


class GuardedJournal:
    """The last door: also what came in by none of the others (a person's own words) is kept without a value."""

    def __init__(self, journal: Journal, vault: Vault, cover: Cover, grants: Grants) -> None:
        self._journal = journal
        self._vault = vault
        self._cover = cover
        self._grants = grants

    async def append(self, task_id: str, events: Sequence[Event]) -> list[Record]:
        await self._hear(events)
        return await self._journal.append(task_id, [self._clean(event) for event in events] if self._vault else events)

    async def _hear(self, events: Sequence[Event]) -> None:
        if names := named_by_the_person(events):
            self._grants.hear(events)
            with suppress(SettingsError):  # said when it is to be typed; a goal was checked before the task began
                await self._vault.learn(names, self._grants.read)

    def _clean(self, event: Event) -> Event:
        dumped = event.model_dump(mode="json")
        # A placeholder may be longer than its value, and too long for where it stands.
        for hide in (self._vault.scrub, self._vault.blot):
            clean = _each_text(dumped, hide)
            if clean == dumped:
                return event
            with suppress(ValidationError):
                return type(event).model_validate(clean)
        return event  # a value that is one of our own words ("click") hides nothing

    async def read(self, task_id: str, after: int = 0) -> list[Record]:
        return await self._journal.read(task_id, after)

    async def runs(self, limit: int = 50) -> list[TaskSummary]:
        return await self._journal.runs(limit)

    async def keep_frame(self, frame: Frame) -> str:
        return await self._journal.keep_frame(await self._cover(frame))

    async def load_frame(self, name: str) -> bytes | None:
        return await self._journal.load_frame(name)

    async def close(self) -> None:
        await self._journal.close()


def _each_text(tree: Any, change: Callable[[str], str]) -> Any:
    match tree:
        case str():
            return change(tree)
        case dict():
            return {key: _each_text(below, change) for key, below in cast("dict[str, Any]", tree).items()}
        case list():
            return [_each_text(below, change) for below in cast("list[Any]", tree)]
        case _:
            return tree
