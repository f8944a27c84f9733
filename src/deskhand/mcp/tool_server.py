"""Deskhand as an MCP server: its six tools in the words of the protocol, and over standard input and output.

`tool_handlers` does what the tools do, `tool_schemas` says what they take and return.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ImageContent,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import ValidationError

from deskhand import __version__
from deskhand.build import Deskhand
from deskhand.core.errors import DeskhandError
from deskhand.mcp import tool_schemas as schemas
from deskhand.mcp.elicitation import Context, ask_user, asks_by_result, can_ask, make_forms, to_replies
from deskhand.mcp.tool_handlers import Progress, ToolHandlers, ToolOutput
from deskhand.prompting.ask_model import describe_first_error
from deskhand.sessions.settings_reload import SettingsWatch
from mcp import MCPError

INSTRUCTIONS = (
    "Deskhand works the screens of phones, browsers and desktops from plain words. For one small thing or a question "
    "about a screen use chat. For anything longer use run_task, then task_status until it is over; that also puts "
    "what the task needs a person for to the person."
)
_log = logging.getLogger("deskhand.server")


@dataclass(frozen=True, slots=True)
class _OfferedTool:
    name: str
    about: str
    takes: type[schemas.ToolArguments]
    tells: type[schemas.ToolReport]
    use: Callable[[Any, Progress], Coroutine[Any, Any, ToolOutput]]
    harmless: bool = False

    def to_tool(self) -> Tool:
        hints = ToolAnnotations(read_only_hint=self.harmless, open_world_hint=not self.harmless)
        return Tool(
            name=self.name,
            description=self.about,
            input_schema=schemas.schema_of(self.takes),
            output_schema=schemas.schema_of(self.tells),
            annotations=hints,
        )


def _list_offers(handlers: ToolHandlers) -> tuple[_OfferedTool, ...]:
    return (
        _OfferedTool(
            "list_devices",
            "All devices, and whether each is ready or busy.",
            schemas.NoArguments,
            schemas.DeviceListReport,
            handlers.list_devices,
            harmless=True,
        ),
        _OfferedTool(
            "chat",
            "Have one small thing done on a device, or ask what is on its screen; returns when it is done.",
            schemas.ChatArguments,
            schemas.ChatReport,
            handlers.do_job,
        ),
        _OfferedTool(
            "run_task",
            "Start a task that may take many steps; returns its task_id at once, or after wait_s at the latest.",
            schemas.RunTaskArguments,
            schemas.TaskStatusReport,
            handlers.run_task,
        ),
        _OfferedTool(
            "task_status",
            "How a task stands: status, plan, last steps, answers, reason of its end, what it needs the person for, "
            "cost. Puts open requests to the person, where the client can.",
            schemas.TaskStatusArguments,
            schemas.TaskStatusReport,
            handlers.task_status,
            harmless=True,
        ),
        _OfferedTool(
            "stop_task",
            "Stop a task; nothing is done on its device afterwards.",
            schemas.StopTaskArguments,
            schemas.TaskStatusReport,
            handlers.stop_task,
        ),
        _OfferedTool(
            "screenshot",
            "The screen of a device as it is now.",
            schemas.ScreenshotArguments,
            schemas.ScreenshotReport,
            handlers.take_screenshot,
            harmless=True,
        ),
    )


def make_server(handlers: ToolHandlers) -> Server[Any]:
    offers = {offer.name: offer for offer in _list_offers(handlers)}
    tools = [offer.to_tool() for offer in offers.values()]

    async def list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(ctx: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        offer = offers.get(params.name)
        if offer is None:
            raise MCPError(code=INVALID_PARAMS, message=f"Unknown tool {params.name!r}.")
        try:
            given = offer.takes.model_validate(params.arguments or {})
            if isinstance(given, schemas.TaskStatusArguments):
                return await _ask_then_report(handlers, ctx, given, params)
            return _to_result(await handlers.run_apart(offer.use(given, ctx.session.report_progress)))
        except ValidationError as error:
            return _to_error(f"{describe_first_error(error, 'the arguments')}.")
        except DeskhandError as fault:
            return _to_error(str(fault))
        except Exception:  # noqa: BLE001 a bug of ours: it is in the log, and the client goes on
            return _to_error("Internal error: the log of Deskhand has the details.")

    return Server(
        "deskhand",
        version=__version__,
        title="Deskhand",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _ask_then_report(
    handlers: ToolHandlers, ctx: Context, given: schemas.TaskStatusArguments, params: CallToolRequestParams
) -> CallToolResult | InputRequiredResult:
    """Return a task's status, after asking the user what it needs. A form that they close is not shown again."""
    shown: set[str] = set()
    for reply in to_replies(params.input_responses):
        await handlers.run_apart(handlers.answer_request(given.task_id, reply))
    shown.update(params.input_responses or ())
    while True:
        answer = await handlers.run_apart(handlers.task_status(given, ctx.session.report_progress))
        report = cast("schemas.TaskStatusReport", answer.report)
        requests = [request for request in report.requests if request.id not in shown]
        if not report.running or not requests or not can_ask(ctx):
            return _to_result(answer)
        if asks_by_result(ctx):
            return InputRequiredResult(input_requests=make_forms(requests))
        for request in requests:
            shown.add(request.id)
            if reply := await ask_user(ctx, request, handlers.clock.wall()):
                await handlers.run_apart(handlers.answer_request(given.task_id, reply))


def _to_result(answer: ToolOutput) -> CallToolResult:
    text = TextContent(text=answer.report.to_text())
    picture = ImageContent(data=base64.b64encode(answer.picture).decode(), mime_type="image/jpeg")
    content = [picture, text] if answer.picture else [text]
    return CallToolResult(content=[*content], structured_content=answer.report.model_dump(mode="json"))


def _to_error(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=sentence)], is_error=True)


# --- while it runs -----------------------------------------------------------------------------------------------


@asynccontextmanager
async def open_handlers(watch: SettingsWatch) -> AsyncGenerator[ToolHandlers, None]:
    async with Deskhand(watch.read_current()) as hand:
        handlers = ToolHandlers(hand, watch)
        try:
            yield handlers
        finally:
            await handlers.close()


async def serve_lines(watch: SettingsWatch, lines: AsyncIterable[str]) -> None:
    """Serve over these lines and standard output, until the lines end or nobody reads any more."""
    async with open_handlers(watch) as handlers:
        server = make_server(handlers)
        try:
            async with stdio_server(stdin=cast("Any", lines)) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        except* BrokenPipeError:
            _log.warning("nobody reads any more")
