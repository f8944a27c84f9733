"""The tools of a conversation: devices, inner loops on them, what the user registers. A failure is a result, too."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, cast

from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs, PydanticSerializationError, to_jsonable_python

from deskhand.build import Deskhand
from deskhand.core.errors import DeskhandError, SettingsError
from deskhand.core.llm import Tool, ToolCall
from deskhand.prompting.ask_model import describe_first_error
from deskhand.sessions.device_jobs import DeviceJobs
from deskhand.sessions.mcp_tools import McpServers
from deskhand.settings.schema import ChatSettings

GROUP = "deskhand.tools"


@dataclass(frozen=True, slots=True)
class ToolBinding:
    """One tool and what carries it out. `timeout_s` is None for what has limits of its own."""

    tool: Tool
    use: Callable[[Mapping[str, Any]], Awaitable[Any]]
    timeout_s: float | None = None


class Toolbox:
    """The tools of one message. `troubles` says which of the user's own could not be had, and why."""

    def __init__(self, equipment: Iterable[ToolBinding], troubles: Iterable[str] = ()) -> None:
        self._equipment: dict[str, ToolBinding] = {}
        self.troubles = list(troubles)
        for one in equipment:
            if one.tool.name in self._equipment:
                self.troubles.append(f"Two tools are called {one.tool.name!r}: rename or remove one.")
            else:
                self._equipment[one.tool.name] = one

    @property
    def tools(self) -> tuple[Tool, ...]:
        return tuple(one.tool for one in self._equipment.values())

    async def call_tool(self, call: ToolCall) -> Any:
        """Return the result of a call as JSON. A failure is described in the result."""
        one = self._equipment.get(call.name)
        if one is None:
            return {"error": f"There is no tool {call.name!r}."}
        try:
            async with asyncio.timeout(one.timeout_s):
                return to_jsonable_python(await one.use(call.arguments or {}), fallback=str)
        except TimeoutError:
            return {"error": f"{call.name} timed out after {one.timeout_s:g} s."}
        except ValidationError as error:
            return {"error": f"{call.name}: {describe_first_error(error, 'the call')}."}
        except DeskhandError as fault:
            return {"error": str(fault)}
        except PydanticSerializationError as error:
            return {"error": f"The result of {call.name} can't be converted to JSON: {error}."}
        except Exception as error:  # noqa: BLE001 a user's own function may raise anything; the conversation goes on
            return {"error": f"{call.name} failed: {type(error).__name__}: {error}"}


async def open_toolbox(hand: Deskhand, loops: DeviceJobs, settings: ChatSettings, servers: McpServers) -> Toolbox:
    """Return all tools of the assistant for one message. One that can't be had is left out, and named."""
    equipment, troubles = _make_device_tools(hand, loops), list[str]()
    for name in (*_list_installed(), *settings.tools):
        try:
            equipment.append(_make_function_tool(name, settings.tool_timeout_s))
        except SettingsError as fault:
            troubles.append(str(fault))
    offered, faults = await servers.list_tools(settings.mcp, settings.tool_timeout_s)
    equipment += [ToolBinding(tool, use, settings.tool_timeout_s) for tool, use in offered]
    return Toolbox(equipment, [*troubles, *faults])


def _make_device_tools(hand: Deskhand, loops: DeviceJobs) -> list[ToolBinding]:
    async def list_devices(_: Mapping[str, Any]) -> list[dict[str, Any]]:
        found = await hand.list_devices()
        return [
            {"device_id": one.id, "kind": one.kind, "state": one.state, "open": one.open, "detail": one.detail}
            for one in found
        ]

    async def run_chat(given: Mapping[str, Any]) -> dict[str, Any]:
        return await loops.try_job(str(given.get("device_id") or ""), str(given.get("message") or ""))

    text = {"type": "string"}
    nothing: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    order = {
        "type": "object",
        "properties": {
            "device_id": {**text, "description": "as list_devices tells it"},
            "message": {**text, "description": "one thing to do, or one question about the screen"},
        },
        "required": ["device_id", "message"],
        "additionalProperties": False,
    }
    about = "Hand one small job, or a question about the screen, to a device; returns {result, steps, success}."
    return [
        ToolBinding(Tool("list_devices", "All devices, and whether each is ready or busy.", nothing), list_devices),
        ToolBinding(Tool("chat", about, order), run_chat),
    ]


# --- the user's own functions ----------------------------------------------------------------------------------


@cache
def _list_installed() -> tuple[str, ...]:
    """Functions that installed packages offer."""
    return tuple(sorted(entry.value for entry in entry_points(group=GROUP)))


def _make_function_tool(name: str, timeout_s: float) -> ToolBinding:
    function = _load_function(name)
    try:
        adapter = TypeAdapter[Any](cast("Any", function))
        schema = adapter.json_schema()
    except (PydanticUserError, NameError) as error:
        raise SettingsError(f"The tool {name!r} can't be described to a model: {error}.") from None

    async def call_function(given: Mapping[str, Any]) -> Any:
        # Off the loop: a function that blocks may not hold up the devices.
        result = await asyncio.to_thread(adapter.validate_python, ArgsKwargs((), dict(given)))
        return await result if inspect.isawaitable(result) else result

    called = getattr(function, "__name__", name.rpartition(".")[2].rpartition(":")[2])
    about = inspect.getdoc(function) or f"The user's own {called}."
    return ToolBinding(Tool(called, about, schema), call_function, timeout_s)


def _load_function(name: str) -> Callable[..., Any]:
    module, _, path = name.partition(":")
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # noqa: BLE001 to import a user's own module may raise anything
        raise SettingsError(f"The tool {name!r} (chat.tools) can't be loaded: {error}.") from None
    if not callable(found):
        raise SettingsError(f"The tool {name!r} (chat.tools) is not a function.")
    return found
