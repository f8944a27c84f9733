"""Deskhand as an MCP server: its six tools in the words of the protocol, and over standard input and output.

What the tools do is `mcp_desk`'s matter, what they take and tell `mcp_words`'.
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
from deskhand.mcp.elicitation import Context, ask, asks_by_result, can_ask, forms, replies
from deskhand.mcp.tool_handlers import Answer, Desk, Progress
from deskhand.mcp.tool_schemas import (
    ChatTold,
    DevicesTold,
    Ending,
    Given,
    Goal,
    Look,
    Nothing,
    OfTask,
    Order,
    PictureTold,
    TaskTold,
    Told,
    schema_of,
)
from deskhand.sessions.settings_reload import SettingsWatch
from mcp import MCPError

INSTRUCTIONS = (
    "Deskhand works the screens of phones, browsers and desktops from plain words. For one small thing or a question "
    "about a screen use chat. For anything longer use run_task, then task_status until it is over; that also puts "
    "what the task needs a person for to the person."
)
_log = logging.getLogger("deskhand.server")


@dataclass(frozen=True, slots=True)
class _Offer:
    name: str
    about: str
    takes: type[Given]
    tells: type[Told]
    use: Callable[[Any, Progress], Coroutine[Any, Any, Answer]]
    harmless: bool = False

    def tool(self) -> Tool:
        hints = ToolAnnotations(read_only_hint=self.harmless, open_world_hint=not self.harmless)
        return Tool(
            name=self.name,
            description=self.about,
            input_schema=schema_of(self.takes),
            output_schema=schema_of(self.tells),
            annotations=hints,
        )


def _offers(desk: Desk) -> tuple[_Offer, ...]:
    return (
        _Offer(
            "list_devices",
            "All devices, and whether each is ready or busy.",
            Nothing,
            DevicesTold,
            desk.list_devices,
            harmless=True,
        ),
        _Offer(
            "chat",
            "Have one small thing done on a device, or ask what is on its screen; returns when it is done.",
            Order,
            ChatTold,
            desk.chat,
        ),
        _Offer(
            "run_task",
            "Start a task that may take many steps; returns its task_id at once, or after wait_s at the latest.",
            Goal,
            TaskTold,
            desk.run_task,
        ),
        _Offer(
            "task_status",
            "How a task stands: status, plan, last steps, answers, reason of its end, what it needs the person for, "
            "cost. Puts open requests to the person, where the client can.",
            OfTask,
            TaskTold,
            desk.task_status,
            harmless=True,
        ),
        _Offer("stop_task", "Stop a task; nothing is done on its device afterwards.", Ending, TaskTold, desk.stop_task),
        _Offer("screenshot", "The screen of a device as it is now.", Look, PictureTold, desk.screenshot, harmless=True),
    )


def make_server(desk: Desk) -> Server[Any]:
    offers = {offer.name: offer for offer in _offers(desk)}
    tools = [offer.tool() for offer in offers.values()]

    async def listed(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def called(ctx: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
        offer = offers.get(params.name)
        if offer is None:
            raise MCPError(code=INVALID_PARAMS, message=f"There is no tool {params.name!r}.")
        try:
            given = offer.takes.model_validate(params.arguments or {})
            if isinstance(given, OfTask):
                return await _with_the_person(desk, ctx, given, params)
            return _result(await desk.apart(offer.use(given, ctx.session.report_progress)))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            return _refused(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.")
        except DeskhandError as fault:
            return _refused(str(fault))
        except Exception:  # noqa: BLE001 a bug of ours: it is in the log, and the client goes on
            return _refused("Something went wrong inside of Deskhand: its log has the details.")

    return Server(
        "deskhand",
        version=__version__,
        title="Deskhand",
        instructions=INSTRUCTIONS,
        on_list_tools=listed,
        on_call_tool=called,
    )


async def _with_the_person(
    desk: Desk, ctx: Context, given: OfTask, params: CallToolRequestParams
) -> CallToolResult | InputRequiredResult:
    """A task's status; what it needs the person for is asked first. A form that they close is not shown again."""
    shown: set[str] = set()
    for reply in replies(params.input_responses):
        await desk.apart(desk.answer(given.task_id, reply))
    shown.update(params.input_responses or ())
    while True:
        answer = await desk.apart(desk.task_status(given, ctx.session.report_progress))
        told = cast("TaskTold", answer.told)
        requests = [request for request in told.requests if request.request_id not in shown]
        if not told.running or not requests or not can_ask(ctx):
            return _result(answer)
        if asks_by_result(ctx):
            return InputRequiredResult(input_requests=forms(requests))
        for request in requests:
            shown.add(request.request_id)
            if reply := await ask(ctx, request, desk.clock.wall()):
                await desk.apart(desk.answer(given.task_id, reply))


def _result(answer: Answer) -> CallToolResult:
    text = TextContent(text=answer.told.words())
    picture = ImageContent(data=base64.b64encode(answer.picture).decode(), mime_type="image/jpeg")
    content = [picture, text] if answer.picture else [text]
    return CallToolResult(content=[*content], structured_content=answer.told.model_dump(mode="json"))


def _refused(sentence: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=sentence)], is_error=True)


# --- while it runs -----------------------------------------------------------------------------------------------


@asynccontextmanager
async def opened_desk(watch: SettingsWatch) -> AsyncGenerator[Desk, None]:
    async with Deskhand(watch.current()) as hand:
        desk = Desk(hand, watch)
        try:
            yield desk
        finally:
            await desk.close()


async def serve_lines(watch: SettingsWatch, lines: AsyncIterable[str]) -> None:
    """Over lines in and standard output, until the lines end or nobody reads any more."""
    async with opened_desk(watch) as desk:
        server = make_server(desk)
        try:
            async with stdio_server(stdin=cast("Any", lines)) as (read, write):
                await server.run(read, write, server.create_initialization_options())
        except* BrokenPipeError:
            _log.warning("nobody reads any more")
