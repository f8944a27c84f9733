"""The device's door: the only one behind which secrets have their values. What it reads or says has placeholders.

Frames stay as they are, since changes are told by real pixels; `pictures` covers those that leave the engine.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from weakref import WeakKeyDictionary

from deskhand.core.actions import Action, ManageWindow, SwitchWindow, Type
from deskhand.core.device_wrapper import Answer, DeviceWrapper
from deskhand.core.errors import ActionFailed, SettingsError, TextNotTyped
from deskhand.core.protocols import Device
from deskhand.core.screen import AppInfo, Element, Frame
from deskhand.engine.secrets.grants import Grants
from deskhand.engine.secrets.vault import HIDDEN, Vault
from deskhand.settings.placeholders import find_secret_names, make_placeholder


class GuardedDevice(DeviceWrapper):
    """Fills values in on the way down, and puts placeholders back on the way up."""

    def __init__(self, device: Device, vault: Vault, grants: Grants) -> None:
        super().__init__(device)
        self._vault = vault
        self.grants = grants
        self._taken: WeakKeyDictionary[Frame, int] = WeakKeyDictionary()
        self._acts = 0
        # The elements read since the last action, with values.
        self.listed: tuple[Element, ...] = ()
        # Fields that held a value when last seen: a part of it that is left, letter by letter, stays hidden, too.
        self._holding: set[tuple[str, int, int]] = set()

    async def _pass_on(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        try:
            return await call()
        except Exception as fault:  # of any kind: each of them may quote what the device was given
            behind: BaseException | None = fault if self._vault else None
            while behind:  # also what a traceback would show
                behind.args = tuple(self._vault.scrub_text(arg) if isinstance(arg, str) else arg for arg in behind.args)
                behind = behind.__cause__ or behind.__context__
            raise

    async def frame(self) -> Frame:
        acts, frame = self._acts, await super().frame()
        self._taken[frame] = acts
        return frame

    def is_current(self, frame: Frame) -> bool:
        """True if nothing was done since it was taken, so that the elements of now belong to it."""
        return self._taken.get(frame, self._acts) == self._acts

    async def elements(self) -> tuple[Element, ...]:
        found = await self.read_bare_elements()
        return self._vault.scrub_elements(found)

    async def read_bare_elements(self) -> tuple[Element, ...]:
        """Return the elements with values in them, to know where they are."""
        found = await super().elements()
        if self._vault:
            found = self._vault.hide_pieces(tuple(map(self._hide_rest_of_value, found)))
        self.listed = found
        return self.listed

    def _hide_rest_of_value(self, element: Element) -> Element:
        """A field that held a value shows nothing else until it is empty."""
        place = (element.id, element.bounds.left, element.bounds.top)
        if not element.editable or element.password:
            return element
        if self._vault.scrub_text(element.value) != element.value:
            self._holding.add(place)
        elif place in self._holding and element.value:
            return replace(element, value=HIDDEN, password=True)
        else:
            self._holding.discard(place)
        return element

    async def app(self) -> AppInfo:
        found = await super().app()
        scrub = self._vault.scrub_text
        if not self._vault:
            return found
        return replace(found, name=scrub(found.name), title=scrub(found.title), address=scrub(found.address))

    async def act(self, action: Action) -> str:
        self._acts, self.listed = self._acts + 1, ()
        if not (names := _names_in_action(action)):
            return self._vault.scrub_text(await super().act(action))
        filled = await self._fill_action(action, names)
        try:
            return self._vault.scrub_text(await super().act(filled))
        except TextNotTyped:
            # What stands there now may be a part of the value.
            which = " and ".join(map(make_placeholder, names))
            raise TextNotTyped(f"The field does not hold what was typed into it ({which}).") from None

    async def _fill_action(self, action: Action, names: tuple[str, ...]) -> Action:
        self.grants.check_names(names)
        try:
            await self._vault.learn_values(names, self.grants.read)
        except SettingsError as missing:
            raise ActionFailed(str(missing)) from None
        # Copied without validation, whose complaints would quote the value.
        match action:
            case Type(text=text):
                return action.model_copy(update={"text": self._vault.fill_text(text)})
            case SwitchWindow(title=title) | ManageWindow(title=title):
                return action.model_copy(update={"title": self._vault.fill_text(title)})
            case _:
                kind = action.kind.replace("_", " ")
                raise ActionFailed(
                    f"{make_placeholder(names[0])} can only be typed into a field; it can't be used to {kind}."
                )


def _names_in_action(action: Action) -> tuple[str, ...]:
    """Return the secrets in what would reach the device; the worker's name for its target does not."""
    fields = action.model_dump(exclude={"kind", "target"}).values()
    return find_secret_names("\n".join(field for field in fields if isinstance(field, str)))
