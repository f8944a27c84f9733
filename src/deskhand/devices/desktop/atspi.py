"""The accessibility bus: which programs are on it, and what each shows, as raw nodes. Every call has a time-out.

Roles, states and text are the bus's own here; `desktop_elements` turns them into our normal form.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import AuthError, DBusError, InvalidAddressError

from deskhand.core.errors import NoElements
from deskhand.core.geometry import Rect

Result = TypeVar("Result")

_CALL_S = 1.0
# More calls in flight than this, and the bus daemon starts to drop them.
_IN_FLIGHT = 48
# A container with more children than this (or one that says so itself) is asked only for what it shows.
_MANY = 64
_MOST_CELLS = 400

_NOWHERE = Rect(0, 0, 0, 0)
_ROOT = "/org/a11y/atspi/accessible/root"
_A11Y = "org.a11y.atspi"
_PROPERTIES = "org.freedesktop.DBus.Properties"


VIEWPORT = 68
# Bare boxes (in Qt all there is around what scrolls), scroll panes, viewports.
_CLIPPING = {20, 49, VIEWPORT}


class State:
    """Bits of a node's state set, as AT-SPI numbers them."""

    ACTIVE, CHECKED, EDITABLE, ENABLED = 1, 4, 7, 8
    FOCUSABLE, FOCUSED, PRESSED, SELECTABLE, SELECTED = 11, 12, 20, 22, 23
    SENSITIVE, SHOWING, VISIBLE, MANAGES_DESCENDANTS = 24, 25, 30, 31
    CHECKABLE, READ_ONLY = 41, 43


class Ref(NamedTuple):
    """Where a node lives: its program's name on the bus, and its path there."""

    bus: str
    path: str


@dataclass(eq=False)
class Node:
    """One accessible object, as its program describes it."""

    ref: Ref
    role: int
    name: str
    states: int
    interfaces: frozenset[str]
    parent: Node | None = None
    description: str = ""
    bounds: Rect = _NOWHERE
    value: str = ""
    label: str = ""
    many: bool = False
    children: list[Node] = field(default_factory=list["Node"])

    def has(self, state: int) -> bool:
        return bool(self.states >> state & 1)

    @property
    def showing(self) -> bool:
        # GTK measures a viewport against its own scrolled content, and calls it hidden once that is scrolled.
        return self.has(State.SHOWING) or (self.role == VIEWPORT and self.has(State.VISIBLE))

    @property
    def clips(self) -> bool:
        """Whether what lies in it is cut off at its edges; a menu or a list that dropped down is not."""
        return self.many or (self.role in _CLIPPING and self.bounds.area > 0)

    @property
    def seen(self) -> Rect:
        """The part of its box that those around it leave to be seen."""
        box, above = self.bounds, self.parent
        while above is not None:
            box, above = box.intersect(above.bounds) if above.clips else box, above.parent
        return box

    def walk(self) -> Iterable[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


class _Unanswered(Exception):
    """A program on the bus gave an error, or nothing in time."""


class AccessibilityBus:
    """One connection. Opening it switches accessibility on for the session."""

    def __init__(self) -> None:
        self._bus: MessageBus | None = None
        self._slots = asyncio.Semaphore(_IN_FLIGHT)
        self._pids: dict[str, int] = {}

    async def open(self, session: str, known_address: str = "") -> None:
        """Find the bus (by the session bus, else by the address on the root window) and say that we listen."""
        if not session and not known_address:
            raise NoElements("There is no session bus, so no accessibility: install dbus and at-spi2-core.")
        try:
            address = await self._address(session) if session else known_address
            self._bus = await _timely(MessageBus(bus_address=address).connect())
            # A bus that dies is told by the next call; what nobody waits for, asyncio would print.
            asyncio.ensure_future(self._bus.wait_for_disconnect()).add_done_callback(_forget)
            # Programs offer their cache only once somebody listens.
            registry = Ref(f"{_A11Y}.Registry", f"/{_A11Y.replace('.', '/')}/registry")
            await self._call(registry, f"{_A11Y}.Registry", "RegisterEvent", "s", ["object:state-changed:focused"])
        except (_Unanswered, OSError, AuthError, InvalidAddressError) as error:
            raise NoElements(f"The accessibility bus can't be reached ({error}): install at-spi2-core.") from None

    async def _address(self, session: str) -> str:
        bus = await _timely(MessageBus(bus_address=session).connect())
        try:
            launcher = Ref("org.a11y.Bus", "/org/a11y/bus")
            switch_on = ["org.a11y.Status", "IsEnabled", Variant("b", True)]
            (address,) = await _ask(bus, launcher, "org.a11y.Bus", "GetAddress", "", [], timeout=10)
            with contextlib.suppress(_Unanswered):  # older launchers have no switch: it is always on
                await _ask(bus, launcher, _PROPERTIES, "Set", "ssv", switch_on)
            return str(address)
        finally:
            bus.disconnect()

    async def close(self) -> None:
        if self._bus is not None:
            self._bus.disconnect()

    # --- programs -------------------------------------------------------------------------------------------

    async def programs(self) -> dict[int, list[str]]:
        """Names on the bus by process id."""
        try:
            (children,) = await self._accessible(Ref(f"{_A11Y}.Registry", _ROOT), "GetChildren")
        except _Unanswered as error:
            raise NoElements(f"The accessibility registry does not answer: {error}.") from None
        names = list(dict.fromkeys(str(name) for name, _ in children))
        found: dict[int, list[str]] = {}
        for name, pid in zip(names, await asyncio.gather(*map(self._pid, names)), strict=True):
            found.setdefault(pid, []).append(name)
        return found

    async def _pid(self, name: str) -> int:
        if name not in self._pids:
            daemon = Ref("org.freedesktop.DBus", "/org/freedesktop/DBus")
            try:
                (pid,) = await self._call(daemon, daemon.bus, "GetConnectionUnixProcessID", "s", [name])
            except _Unanswered:
                return 0
            self._pids[name] = int(pid)
        return self._pids[name]

    # --- trees ----------------------------------------------------------------------------------------------

    async def tree(self, name: str, *, timeout: float = _CALL_S) -> Node | None:
        """What a program shows, without boxes and values; None when it does not answer in time."""
        try:
            async with asyncio.timeout(timeout):
                return await self._cached(name) or await self._walked(name)
        except (TimeoutError, _Unanswered):
            return None

    async def _cached(self, name: str) -> Node | None:
        """All at once from the program's cache; None for programs (Qt) whose cache is empty."""
        try:
            (items,) = await self._call(Ref(name, "/org/a11y/atspi/cache"), f"{_A11Y}.Cache", "GetItems")
        except _Unanswered:
            return None
        nodes: dict[str, Node] = {}
        places: list[tuple[str, int, Node]] = []
        for ref, _app, parent, *links, interfaces, title, role, description, states in items:
            node = _node(Ref(*ref), role, title, states, interfaces)
            node.description = description
            # New caches tell index and number of children, old ones list the children.
            index, count = links if len(links) == 2 else (0, len(links[0]))
            node.many = node.has(State.MANAGES_DESCENDANTS) or count > _MANY
            nodes[ref[1]] = node
            places.append((parent[1], index, node))
        for parent_path, _, node in sorted(places, key=lambda place: place[1]):
            above = nodes.get(parent_path)
            # What a container with many children lists here are the few it has in memory, seen or not.
            if above is not None and above is not node and (node.showing and not above.many):
                node.parent = above
                above.children.append(node)
        root = nodes.get(_ROOT)
        return root if root is not None and root.children else None

    async def _walked(self, name: str) -> Node | None:
        """Level by level, only into what is showing."""
        root = await self._fetched(Ref(name, _ROOT), None)
        level = [root] if root else []
        while level:
            listed = await asyncio.gather(*(self._children(node) for node in level))
            pairs = [(ref, node) for node, refs in zip(level, listed, strict=True) for ref in refs]
            fetched = await asyncio.gather(*(self._fetched(ref, above) for ref, above in pairs))
            level = [node for node in fetched if node is not None and node.showing]
            for node in level:
                if node.parent is not None:
                    node.parent.children.append(node)
        return root

    async def _children(self, node: Node) -> list[Ref]:
        if node.many:
            return []
        try:
            (children,) = await self._accessible(node.ref, "GetChildren")
        except _Unanswered:
            return []
        return [Ref(*child) for child in children]

    async def _fetched(self, ref: Ref, parent: Node | None) -> Node | None:
        try:
            (role,), (states,), (interfaces,), name, count = await asyncio.gather(
                self._accessible(ref, "GetRole"),
                self._accessible(ref, "GetState"),
                self._accessible(ref, "GetInterfaces"),
                self._property(ref, "Accessible", "Name"),
                self._property(ref, "Accessible", "ChildCount"),
            )
        except _Unanswered:
            return None
        node = _node(ref, role, name, states, interfaces)
        node.parent = parent
        node.many = node.has(State.MANAGES_DESCENDANTS) or count > _MANY
        return node

    # --- details --------------------------------------------------------------------------------------------

    async def measure(self, nodes: Iterable[Node]) -> None:
        """Fill in the boxes, in screen coordinates."""

        async def one(node: Node) -> None:
            if "Component" in node.interfaces:
                with contextlib.suppress(_Unanswered):
                    ((x, y, width, height),) = await self._component(node.ref, "GetExtents", "u", [0])
                    node.bounds = Rect(x, y, x + width, y + height)

        await asyncio.gather(*map(one, nodes))

    async def cells(self, container: Node) -> list[Node]:
        """What a long list shows: found from the top left by asking what lies at a point, never by listing it."""
        area = container.seen
        column: list[Node] = []
        for inward in (12, 32, area.width // 2):  # there may be a margin
            if column := await self._column(container, area, area.left + inward):
                break
        row: list[int] = []
        if column:
            x = column[-1].bounds.right + 1
            while x < area.right and len(row) < 40:
                cell = await self._at(container, x, column[-1].bounds.center[1])
                if cell is None:
                    break
                row.append(cell.bounds.center[0])
                x = max(x + 6, cell.bounds.right + 1)
        points = [(x, cell.bounds.center[1]) for cell in column for x in row][:_MOST_CELLS]
        others = await asyncio.gather(*(self._at(container, *point) for point in points))
        found = {cell.ref: cell for cell in [*column, *others] if cell is not None}
        for cell in found.values():
            cell.parent = container
        return list(found.values())

    async def _column(self, container: Node, area: Rect, x: int) -> list[Node]:
        """The cells under each other at `x`."""
        y = area.top + 2
        column: list[Node] = []
        while y < area.bottom and len(column) < 200:
            cell = await self._at(container, x, y)
            if cell is not None and (not column or cell.ref != column[-1].ref):
                column.append(cell)
            y = max(y + 6, cell.bounds.bottom + 1) if cell is not None else y + 6
        return column

    async def _at(self, container: Node, x: int, y: int) -> Node | None:
        try:
            (ref,) = await self._component(container.ref, "GetAccessibleAtPoint", "iiu", [x, y, 0])
            if ref[1].endswith("/null") or Ref(*ref) == container.ref:
                return None
            node = await self._fetched(Ref(*ref), container)
        except _Unanswered:
            return None
        if node is not None:
            await self.measure([node])
        return node if node is not None and node.bounds.contains(x, y) else None

    async def text(self, ref: Ref, most: int = -1) -> str | None:
        """What a text field holds (the first `most` characters); None when it does not tell."""
        try:
            (text,) = await self._call(ref, f"{_A11Y}.Text", "GetText", "ii", [0, most])
        except _Unanswered:
            return None
        return str(text)

    async def length(self, ref: Ref) -> int | None:
        """How many characters a text field holds: all that a password tells."""
        try:
            return int(await self._property(ref, "Text", "CharacterCount"))
        except _Unanswered:
            return None

    async def selection(self, ref: Ref) -> tuple[int, int] | None:
        """What of a text is selected; an empty range at the caret when nothing is."""
        try:
            (count,) = await self._call(ref, f"{_A11Y}.Text", "GetNSelections")
            if count:
                start, end = await self._call(ref, f"{_A11Y}.Text", "GetSelection", "i", [0])
                return min(start, end), max(start, end)
            caret = await self._property(ref, "Text", "CaretOffset")
        except _Unanswered:
            return None
        return caret, caret

    async def number(self, ref: Ref) -> str:
        try:
            return f"{await self._property(ref, 'Value', 'CurrentValue'):g}"
        except _Unanswered:
            return ""

    async def labelled_by(self, ref: Ref) -> list[Ref]:
        """The nodes that name this one."""
        try:
            (relations,) = await self._accessible(ref, "GetRelationSet")
        except _Unanswered:
            return []
        return [Ref(*target) for kind, targets in relations if kind == 2 for target in targets]

    # --- calls ----------------------------------------------------------------------------------------------

    async def _accessible(self, ref: Ref, member: str) -> Sequence[Any]:
        return await self._call(ref, f"{_A11Y}.Accessible", member)

    async def _component(self, ref: Ref, member: str, signature: str, body: list[Any]) -> Sequence[Any]:
        return await self._call(ref, f"{_A11Y}.Component", member, signature, body)

    async def _property(self, ref: Ref, interface: str, name: str) -> Any:
        (value,) = await self._call(ref, _PROPERTIES, "Get", "ss", [f"{_A11Y}.{interface}", name])
        return value.value

    async def _call(
        self, ref: Ref, interface: str, member: str, signature: str = "", body: Sequence[Any] = ()
    ) -> Sequence[Any]:
        if self._bus is None or not self._bus.connected:
            raise _Unanswered("the accessibility bus is gone")
        async with self._slots:
            return await _ask(self._bus, ref, interface, member, signature, body)


def _node(ref: Ref, role: int, name: str, states: Sequence[int], interfaces: Iterable[str]) -> Node:
    low, high = (*states, 0, 0)[:2]
    return Node(ref, role, name, low | high << 32, frozenset(i.rpartition(".")[2] for i in interfaces))


async def _ask(
    bus: MessageBus,
    ref: Ref,
    interface: str,
    member: str,
    signature: str,
    body: Sequence[Any],
    timeout: float = _CALL_S,
) -> Sequence[Any]:
    message = Message(ref.bus, ref.path, interface, member, signature=signature, body=list(body))
    try:
        async with asyncio.timeout(timeout):
            reply = await bus.call(message)
    except (TimeoutError, DBusError, EOFError, OSError) as error:
        raise _Unanswered(str(error) or f"{member} timed out") from None
    if reply.message_type is not MessageType.METHOD_RETURN:
        raise _Unanswered(f"{member}: {reply.error_name}")
    return reply.body


def _forget(ended: asyncio.Future[None]) -> None:
    if not ended.cancelled():
        ended.exception()


async def _timely(awaitable: Awaitable[Result]) -> Result:
    try:
        async with asyncio.timeout(_CALL_S * 5):
            return await awaitable
    except TimeoutError:
        raise _Unanswered("no answer in time") from None
