"""Reads the accessibility bus (AT-SPI): which programs are on it, and what each shows, as raw nodes.

Every call has a time-out. Roles, states and text are the bus's own; `elements` turns them into Elements.
"""

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import Awaitable, Iterable, Sequence
from typing import Any, TypeVar

from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import AuthError, DBusError, InvalidAddressError

from deskhand.core.errors import NoElements
from deskhand.core.geometry import Rect
from deskhand.devices.desktop.accessible_node import AccessibleNode, NodeRef, NodeState

Result = TypeVar("Result")

_CALL_S = 1.0
# For all of a program's nodes.
_TREE_S = 6.0
_GTK4 = "GTK 4"
# The bus daemon drops calls if more than this are in flight.
_IN_FLIGHT = 48
# A container with more children than this (or with MANAGES_DESCENDANTS) is asked only for what it shows.
_MANY = 64
_MOST_CELLS = 400
_MOST_PARTS = 12

_TOOLKITS = re.compile(r"libgtk-[34]\.so|libatk-bridge|libQt[56]Gui|libatk-wrapper")

_ROOT = "/org/a11y/atspi/accessible/root"
_A11Y = "org.a11y.atspi"
_COMPONENT = f"{_A11Y}.Component"
_PROPERTIES = "org.freedesktop.DBus.Properties"


class NoAnswer(Exception):
    """A program on the bus answered with an error, or not in time."""


class AccessibilityBus:
    """One connection to the bus. Connecting switches accessibility on for the session."""

    def __init__(self) -> None:
        self._bus: MessageBus | None = None
        self._slots = asyncio.Semaphore(_IN_FLIGHT)
        self._pids: dict[str, int] = {}
        self._toolkits: dict[str, str] = {}

    async def connect_to(self, session: str, known_address: str = "") -> None:
        """Connect to the bus (found by the session bus, else at the known address) and register as a listener."""
        if not session and not known_address:
            raise NoElements("There is no session bus, which elements need: install dbus and at-spi2-core.")
        try:
            address = await self._find_address(session) if session else known_address
            self._bus = await _wait_briefly(MessageBus(bus_address=address).connect())
            # The next call notices a dead bus. Without a reader, asyncio would print the error.
            asyncio.ensure_future(self._bus.wait_for_disconnect()).add_done_callback(_discard_result)
            # Programs offer their cache only if a listener is registered.
            registry = NodeRef(f"{_A11Y}.Registry", f"/{_A11Y.replace('.', '/')}/registry")
            await self._call_method(
                registry, f"{_A11Y}.Registry", "RegisterEvent", "s", ["object:state-changed:focused"]
            )
        except (NoAnswer, OSError, AuthError, InvalidAddressError) as error:
            raise NoElements(f"The accessibility bus does not answer ({error}): install at-spi2-core.") from None

    async def _find_address(self, session: str) -> str:
        bus = await _wait_briefly(MessageBus(bus_address=session).connect())
        try:
            launcher = "org.a11y.Bus", "/org/a11y/bus"
            switch_on = ["org.a11y.Status", "IsEnabled", Variant("b", True)]
            (address,) = await _send_call(bus, Message(*launcher, "org.a11y.Bus", "GetAddress"), timeout=10)
            with contextlib.suppress(NoAnswer):  # older launchers have no switch: accessibility is always on
                await _send_call(bus, Message(*launcher, _PROPERTIES, "Set", signature="ssv", body=switch_on))
            return str(address)
        finally:
            bus.disconnect()

    async def close(self) -> None:
        if self._bus is not None:
            self._bus.disconnect()

    async def list_programs(self) -> dict[int, list[str]]:
        """Return the names on the bus by process id."""
        try:
            (children,) = await self._call_accessible(NodeRef(f"{_A11Y}.Registry", _ROOT), "GetChildren")
        except NoAnswer as error:
            raise NoElements(f"The accessibility registry does not answer: {error}.") from None
        names = list(dict.fromkeys(str(name) for name, _ in children))
        found: dict[int, list[str]] = {}
        for name, pid in zip(names, await asyncio.gather(*map(self._find_pid, names)), strict=True):
            found.setdefault(pid, []).append(name)
        return found

    async def _find_pid(self, name: str) -> int:
        if name not in self._pids:
            daemon = NodeRef("org.freedesktop.DBus", "/org/freedesktop/DBus")
            try:
                (pid,) = await self._call_method(daemon, daemon.bus, "GetConnectionUnixProcessID", "s", [name])
            except NoAnswer:
                return 0
            self._pids[name] = int(pid)
        return self._pids[name]

    async def read_tree(self, name: str, *, timeout: float = _CALL_S) -> AccessibleNode | None:
        """Return what a program shows, without boxes and values; None if it does not answer in time.

        `timeout` is for its first answer: one that is alive may need longer for a big tree (LibreOffice: 1.4 s).
        """
        try:
            async with asyncio.timeout(timeout):
                toolkit = await self._find_toolkit(name)
            async with asyncio.timeout(_TREE_S):
                root = await self._read_cached_tree(name, toolkit) or await self._walk_tree(name, toolkit)
        except (TimeoutError, NoAnswer):
            return None
        if root is not None and toolkit == _GTK4:
            root.relative = True
            for node in root.iterate_tree():
                node.name = _clean_name(node.name)
        return root

    async def _find_toolkit(self, name: str) -> str:
        """Return the program's toolkit with its main version, as in GTK 4."""
        if name not in self._toolkits:
            root = NodeRef(name, _ROOT)
            try:
                kind = await self._read_property(root, "Application", "ToolkitName")
                version = str(await self._read_property(root, "Application", "Version"))
            except NoAnswer:
                await self._call_accessible(root, "GetRole")  # a program that tells no toolkit, or does not answer
                kind, version = "", ""
            self._toolkits[name] = f"{kind} {version.partition('.')[0]}".strip()
        else:
            await self._call_accessible(NodeRef(name, _ROOT), "GetRole")
        return self._toolkits[name]

    async def _read_cached_tree(self, name: str, toolkit: str) -> AccessibleNode | None:
        """Read all nodes at once from the program's cache; None for programs (Qt) whose cache is empty."""
        cache = NodeRef(name, "/org/a11y/atspi/cache")
        try:
            (items,) = await self._call_method(cache, f"{_A11Y}.Cache", "GetItems", timeout=_TREE_S)
        except NoAnswer:
            return None
        nodes: dict[str, AccessibleNode] = {}
        places: list[tuple[str, int, AccessibleNode]] = []
        counts: dict[str, int] = {}
        for ref, _app, parent, *links, interfaces, title, role, description, states in items:
            node = _build_node(NodeRef(*ref), role, title, states, interfaces)
            node.description = description
            # New caches give index and number of children, old ones list the children.
            index, count = links if len(links) == 2 else (0, len(links[0]))
            node.many = node.has_state(NodeState.MANAGES_DESCENDANTS) or count > _MANY
            node.lenient = toolkit == _GTK4
            nodes[ref[1]] = node
            counts[ref[1]] = count
            places.append((parent[1], index, node))
        for parent_path, _, node in sorted(places, key=lambda place: place[1]):
            above = nodes.get(parent_path)
            # A container with many children lists only the few it has in memory, visible or not.
            if above is not None and above is not node and (node.is_showing and not above.many):
                node.parent = above
                above.children.append(node)
        root = nodes.get(_ROOT)
        if root is None or not root.children:
            return None
        have = Counter(parent for parent, _, _ in places)
        short = {path for path, count in counts.items() if have[path] < count}
        if short:
            await self._complete_tree(root, nodes, short)
        return root

    async def _complete_tree(self, root: AccessibleNode, nodes: dict[str, AccessibleNode], short: set[str]) -> None:
        """Ask the containers whose children the cache lacks or does not place: LibreOffice, GTK 4."""
        level = [root]
        while level:
            asked = [node for node in level if node.ref.path in short and not node.many]
            below = [child for node in level if node not in asked for child in node.children]
            listed = await asyncio.gather(*map(self._list_children, asked))
            for node, refs in zip(asked, listed, strict=True):
                found = await asyncio.gather(*(self._place_node(ref, node, nodes, short) for ref in refs))
                node.children = [child for child in found if child is not None and child.is_showing]
                below += node.children
            level = below

    async def _place_node(
        self, ref: NodeRef, parent: AccessibleNode, nodes: dict[str, AccessibleNode], short: set[str]
    ) -> AccessibleNode | None:
        """Return the node at its place: from the cache, else asked for, and then its children have to be, too."""
        node = nodes.get(ref.path)
        if node is None:
            node = await self._fetch_node(ref, parent)
            if node is None:
                return None
            node.lenient = parent.lenient
            short.add(ref.path)
        elif node.parent is not None and node.parent is not parent and node in node.parent.children:
            return None  # listed twice, as LibreOffice does with its menu bar: it stays where it is
        node.parent = parent
        return node

    async def _walk_tree(self, name: str, toolkit: str = "") -> AccessibleNode | None:
        """Read the nodes level by level, only below those that are showing."""
        root = await self._fetch_node(NodeRef(name, _ROOT), None)
        level = [root] if root else []
        while level:
            listed = await asyncio.gather(*(self._list_children(node) for node in level))
            pairs = [(ref, node) for node, refs in zip(level, listed, strict=True) for ref in refs]
            fetched = await asyncio.gather(*(self._fetch_node(ref, above) for ref, above in pairs))
            for node in fetched:
                if node is not None:
                    node.lenient = toolkit == _GTK4
            level = [node for node in fetched if node is not None and node.is_showing]
            for node in level:
                if node.parent is not None:
                    node.parent.children.append(node)
        return root

    async def _list_children(self, node: AccessibleNode) -> list[NodeRef]:
        if node.many:
            return []
        try:
            (children,) = await self._call_accessible(node.ref, "GetChildren")
        except NoAnswer:
            return []
        return [NodeRef(*child) for child in children]

    async def _fetch_node(self, ref: NodeRef, parent: AccessibleNode | None) -> AccessibleNode | None:
        try:
            (role,), (states,), (interfaces,), name, count = await asyncio.gather(
                self._call_accessible(ref, "GetRole"),
                self._call_accessible(ref, "GetState"),
                self._call_accessible(ref, "GetInterfaces"),
                self._read_property(ref, "Accessible", "Name"),
                self._read_property(ref, "Accessible", "ChildCount"),
            )
        except NoAnswer:
            return None
        node = _build_node(ref, role, name, states, interfaces)
        node.parent = parent
        node.many = node.has_state(NodeState.MANAGES_DESCENDANTS) or count > _MANY
        return node

    async def measure_nodes(self, nodes: Iterable[AccessibleNode]) -> None:
        """Set the nodes' boxes, in screen coordinates."""

        async def measure_node(node: AccessibleNode) -> None:
            if "Component" in node.interfaces:
                with contextlib.suppress(NoAnswer):
                    ((x, y, width, height),) = await self._call_method(node.ref, _COMPONENT, "GetExtents", "u", [0])
                    node.bounds = Rect(x, y, x + width, y + height)

        await asyncio.gather(*map(measure_node, nodes))

    async def find_cells(self, container: AccessibleNode) -> list[AccessibleNode]:
        """Return the cells that a long list shows, found by asking what lies at points from the top left."""
        area = container.visible_bounds
        column: list[AccessibleNode] = []
        for inward in (12, 32, area.width // 2):  # there may be a margin
            if column := await self._find_column(container, area, area.left + inward):
                break
        row: list[int] = []
        if column:
            x = column[-1].bounds.right + 1
            while x < area.right and len(row) < 40:
                cell = await self._find_cell_at(container, x, column[-1].bounds.center[1])
                if cell is None:
                    break
                row.append(cell.bounds.center[0])
                x = max(x + 6, cell.bounds.right + 1)
        points = [(x, cell.bounds.center[1]) for cell in column for x in row][:_MOST_CELLS]
        others = await asyncio.gather(*(self._find_cell_at(container, *point) for point in points))
        found = {cell.ref: cell for cell in [*column, *others] if cell is not None}
        for cell in found.values():
            cell.parent, cell.shift = container, container.shift
        await asyncio.gather(*map(self._fill_cell, found.values()))
        return list(found.values())

    async def _find_column(self, container: AccessibleNode, area: Rect, x: int) -> list[AccessibleNode]:
        """Return the cells of the column at `x`."""
        y = area.top + 2
        column: list[AccessibleNode] = []
        while y < area.bottom and len(column) < 200:
            cell = await self._find_cell_at(container, x, y)
            if cell is not None and (not column or cell.ref != column[-1].ref):
                column.append(cell)
            y = max(y + 6, cell.bounds.bottom + 1) if cell is not None else y + 6
        return column

    async def _find_cell_at(self, container: AccessibleNode, x: int, y: int) -> AccessibleNode | None:
        across, down = container.shift
        try:
            point = [x - across, y - down, 0]
            (ref,) = await self._call_method(container.ref, _COMPONENT, "GetAccessibleAtPoint", "iiu", point)
            if ref[1].endswith("/null") or NodeRef(*ref) == container.ref:
                return None
            node = await self._fetch_node(NodeRef(*ref), container)
        except NoAnswer:
            return None
        if node is None:
            return None
        await self.measure_nodes([node])
        node.bounds = node.bounds.move_by(across, down)
        return node if node.bounds.contains_point(x, y) else None

    async def _fill_cell(self, cell: AccessibleNode) -> None:
        """Read the parts of a cell without a name: an icon, a text, a tick."""
        if cell.name:
            return
        refs = (await self._list_children(cell))[:_MOST_PARTS]
        parts = [part for part in await asyncio.gather(*(self._fetch_node(ref, cell) for ref in refs)) if part]
        await self.measure_nodes(parts)
        for part in parts:
            part.bounds = part.bounds.move_by(*cell.shift)
        cell.children = [part for part in parts if part.bounds.area and part.is_showing]

    async def read_text(self, ref: NodeRef, most: int = -1) -> str | None:
        """Return the first `most` characters of a text field; None if it does not answer."""
        try:
            (text,) = await self._call_method(ref, f"{_A11Y}.Text", "GetText", "ii", [0, most])
            if not text and most > 0:  # Qt 5 gives nothing at all where the text is shorter
                (text,) = await self._call_method(ref, f"{_A11Y}.Text", "GetText", "ii", [0, -1])
        except NoAnswer:
            return None
        return str(text)[: most if most > 0 else None]

    async def count_characters(self, ref: NodeRef) -> int | None:
        """Return how many characters a text field holds: all that a password field reveals."""
        try:
            return int(await self._read_property(ref, "Text", "CharacterCount"))
        except NoAnswer:
            return None

    async def read_selection(self, ref: NodeRef) -> tuple[int, int] | None:
        """Return the selected range of a text; an empty range at the caret if nothing is selected."""
        try:
            (count,) = await self._call_method(ref, f"{_A11Y}.Text", "GetNSelections")
            if count:
                start, end = await self._call_method(ref, f"{_A11Y}.Text", "GetSelection", "i", [0])
                return min(start, end), max(start, end)
            caret = await self._read_property(ref, "Text", "CaretOffset")
        except NoAnswer:
            return None
        return caret, caret

    async def read_number(self, ref: NodeRef) -> str:
        try:
            return f"{await self._read_property(ref, 'Value', 'CurrentValue'):g}"
        except NoAnswer:
            return ""

    async def list_labels(self, ref: NodeRef) -> list[NodeRef]:
        """Return the nodes that label this one."""
        try:
            (relations,) = await self._call_accessible(ref, "GetRelationSet")
        except NoAnswer:
            return []
        return [NodeRef(*target) for kind, targets in relations if kind == 2 for target in targets]

    async def _call_accessible(self, ref: NodeRef, member: str) -> Sequence[Any]:
        return await self._call_method(ref, f"{_A11Y}.Accessible", member)

    async def _read_property(self, ref: NodeRef, interface: str, name: str) -> Any:
        (value,) = await self._call_method(ref, _PROPERTIES, "Get", "ss", [f"{_A11Y}.{interface}", name])
        return value.value

    async def _call_method(
        self,
        ref: NodeRef,
        interface: str,
        member: str,
        signature: str = "",
        body: Sequence[Any] = (),
        timeout: float = _CALL_S,
    ) -> Sequence[Any]:
        if self._bus is None or not self._bus.connected:
            raise NoAnswer("the accessibility bus ended")
        message = Message(*ref, interface, member, signature=signature, body=list(body))
        async with self._slots:
            return await _send_call(self._bus, message, timeout)


def _clean_name(name: str) -> str:
    """GTK 4 says some names twice (`7 7`), and calls what has none by its class."""
    half = name[: len(name) // 2]
    return "" if re.fullmatch(r"(?:Gtk|Adw)[A-Z]\w*", name) else half if name == f"{half} {half}" else name


def _build_node(ref: NodeRef, role: int, name: str, states: Sequence[int], interfaces: Iterable[str]) -> AccessibleNode:
    low, high = (*states, 0, 0)[:2]
    return AccessibleNode(ref, role, name, low | high << 32, frozenset(i.rpartition(".")[2] for i in interfaces))


async def _send_call(bus: MessageBus, message: Message, timeout: float = _CALL_S) -> Sequence[Any]:
    try:
        async with asyncio.timeout(timeout):
            reply = await bus.call(message)
    except (TimeoutError, DBusError, EOFError, OSError) as error:
        raise NoAnswer(str(error) or f"{message.member} timed out") from None
    if reply.message_type is not MessageType.METHOD_RETURN:
        raise NoAnswer(f"{message.member}: {reply.error_name}")
    return reply.body


def is_accessible(pid: int) -> bool:
    """True if a program has loaded a toolkit that puts its windows on the bus, sooner or later."""
    try:
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            return any(_TOOLKITS.search(line) for line in maps)
    except OSError:
        return False


def _discard_result(ended: asyncio.Future[None]) -> None:
    if not ended.cancelled():
        ended.exception()


async def _wait_briefly(awaitable: Awaitable[Result]) -> Result:
    try:
        async with asyncio.timeout(_CALL_S * 5):
            return await awaitable
    except TimeoutError:
        raise NoAnswer("timed out") from None
