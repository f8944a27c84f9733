"""`deskhand chat`: a conversation in the terminal, with the same assistant, tools and memory as the server's."""

import asyncio
import json
import sys
from contextlib import suppress
from typing import Any, cast

from deskhand.build import Deskhand
from deskhand.cli.console import as_markup, make_console, print_markup
from deskhand.cli.output import print_json
from deskhand.cli.serve_api import print_trouble
from deskhand.cli.typed_input import read_lines
from deskhand.clock import cancel_task
from deskhand.core.errors import DeskhandError
from deskhand.core.llm import Language
from deskhand.language import language_of
from deskhand.sessions.chat_ends import tell_chat_end
from deskhand.sessions.conversation_store import ConversationBusy, ConversationStore
from deskhand.sessions.conversations import Conversations
from deskhand.sessions.settings_reload import SettingsWatch
from deskhand.sessions.tasks import Tasks

_SHOWN = 500


async def run_chat(message: str, device: str, session: str, as_json: bool) -> int:
    watch = SettingsWatch(report=print_trouble)
    settings = watch.read_current()
    store = ConversationStore(settings.data_dir)
    try:
        async with Deskhand(settings) as hand:
            tasks = Tasks(hand, watch)
            chats = Conversations(hand, store, watch, tasks)
            try:
                if message:
                    events = await TerminalChat(chats, device, session, quiet=as_json).send_message(message)
                    if as_json:
                        print_json({"events": events})
                    return 0 if events[-1].get("success") else 1
                await TerminalChat(chats, device, session).run_dialogue()
                return 0
            finally:
                await chats.close()
    finally:
        await store.close()


def _format_result(result: Any) -> str:
    told: Any = cast("dict[str, Any]", result).get("result", result) if isinstance(result, dict) else result
    return told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)


class TerminalChat:
    def __init__(self, chats: Conversations, device: str, session: str, *, quiet: bool = False) -> None:
        self._chats = chats
        self._device = device
        self._session = session
        self._console = make_console(quiet=quiet)
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._busy = False
        self._language: Language = "en"
        self._results: list[str] = []  # what tools returned and is not shown yet

    async def send_message(self, message: str) -> list[dict[str, Any]]:
        """Send one message; return every event that followed."""
        self._language = language_of(message)
        following = await self._chats.send_message(message, self._device, self._session)
        self._session = following.session_id
        events: list[dict[str, Any]] = []
        async for chunk in self._chats.stream_turn(following):
            for line in chunk.split(b"\n"):  # not splitlines on text: a model may say U+2028, which ends no line here
                if line.startswith(b"data: "):
                    events.append(json.loads(line[6:]))
                    self._show_event(events[-1])
        return events

    async def run_dialogue(self) -> None:
        """Send each line until the input ends. What is typed during a turn answers its request, or waits."""
        print_markup(self._console, "[dim]Type what to do. An empty line or Ctrl-D ends the conversation.[/dim]")
        working = asyncio.create_task(self._work_off_lines())
        try:
            async for line in read_lines(sys.stdin.fileno()):
                if not line.strip():
                    break
                await self._take_line(line.strip())
            self._lines.put_nowait(None)
            await working
        finally:
            await cancel_task(working)
        if self._session:
            print_markup(self._console, f"[dim]Continue it with: deskhand chat --session {self._session}[/dim]")

    async def _take_line(self, line: str) -> None:
        if self._chats.is_waiting(self._session):
            with suppress(ConversationBusy):  # answered or timed out just now: then it is the next message
                await self._chats.send_message(line, self._device, self._session)
                return
        if self._busy and sys.stdin.isatty():
            print_markup(self._console, f"[dim]Kept for when this is done: {as_markup(line, one_line=True)}[/dim]")
        self._lines.put_nowait(line)

    async def _work_off_lines(self) -> None:
        while (line := await self._lines.get()) is not None:
            self._busy = True
            try:
                await self.send_message(line)
            except DeskhandError as fault:
                print_markup(self._console, f"[red]{as_markup(str(fault))}[/red]")
            self._busy = False

    def _show_event(self, event: dict[str, Any]) -> None:
        if event["type"] != "tool_result":
            self._show_results(event.get("content", "") if event["type"] == "message" else "")
        match event:
            case {"tool_name": "list_devices"}:
                pass  # it is asked for with every message: a table of devices is `deskhand devices`
            case {"type": "tool_call", "tool_name": name, "tool_args": args}:
                told = " ".join(str(value) for value in args.values())
                print_markup(self._console, f"[dim]→ {as_markup(name)} {as_markup(told)}[/dim]")
            case {"type": "tool_result", "result": result}:
                self._results.append(_format_result(result))
            case {"type": "message", "content": content, "request": _}:
                print_markup(self._console, f"[bold yellow]{as_markup(content)}[/bold yellow]")
            case {"type": "answer", "content": content}:
                print_markup(self._console, f"[yellow]→ {as_markup(content, one_line=True)}[/yellow]")
            case {"type": "message", "content": content}:
                print_markup(self._console, as_markup(content))
            case {"type": "error", "message": message}:
                print_markup(self._console, f"[red]{as_markup(message)}[/red]")
            case {"type": "done", "success": False}:
                told = tell_chat_end("Not everything succeeded.", self._language)
                print_markup(self._console, f"[yellow]{told}[/yellow]")
            case _:
                pass

    def _show_results(self, said: str) -> None:
        """Show what the tools returned, unless the assistant's own words `said` next repeat it."""
        results, self._results = self._results, []
        for result in results:
            if result.strip() not in said:
                print_markup(self._console, f"[dim]← {as_markup(result[:_SHOWN])}[/dim]")
