"""Calls one target of the browser (a page, or an iframe with its own process) and our scripts in it.

Every call ends: with an answer, by time-out, or because a dialog opened, or the tab froze, crashed or was closed.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, cast

from playwright.async_api import CDPSession, Error

from deskhand.clock import wait_to_end
from deskhand.core.errors import ActionFailed, DeviceError, DeviceTimeout
from deskhand.core.stop_outcome import StopOutcome, note_outcome

CALL_S = 10.0
WORLD = "deskhand"
_HERE = Path(__file__).parent / "scripts"
_PARTS = ("elements.js", "combos.js", "reach.js", "fields.js", "editors.js", "errors.js", "reaction.js")
# In Playwright's messages.
_LOST_SIGNS = ("has been closed", "Target closed", "Target crashed", "Connection closed")


def load_scripts() -> str:
    """Return our scripts as one; their functions are called as `deskhand.…` in an isolated world."""
    parts = "\n".join((_HERE / part).read_text(encoding="utf-8") for part in _PARTS)
    return f"(() => {{ if (globalThis.deskhand) return; const deskhand = (globalThis.deskhand = {{}});\n{parts}\n}})()"


async def send_cdp(session: CDPSession, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return cast("dict[str, Any]", await session.send(method, params))  # pyright: ignore[reportUnknownMemberType] Playwright leaves its dict untyped


class DialogOpened(Exception):
    """A dialog is open, so the page can't answer. What was sent takes effect."""


class TabLost(Exception):
    """The tab crashed or was closed."""


class TabFrozen(Exception):
    """The page runs a script that does not end, so it can't answer."""


class TabHidden(Exception):
    """Another tab came to the front."""


@contextmanager
def translate_errors(fault: type[DeviceError]) -> Generator[None, None, None]:
    """Raise Playwright's errors as `fault`: a tab that is crashing refuses anything."""
    try:
        yield
    except Error as error:
        raise fault(f"The browser reported an error: {str(error).strip().splitlines()[0]}.") from None


class Interruption:
    """Ends every call under way when a dialog opens, or the tab freezes or is lost."""

    def __init__(self) -> None:
        # Entered for as long as a call is under way.
        self.watch_call: Callable[[], AbstractContextManager[None]] = nullcontext
        self._future: asyncio.Future[type[Exception]] = asyncio.get_running_loop().create_future()

    def interrupt_calls(self, why: type[Exception]) -> None:
        if self.reason is TabFrozen:
            self.resume_calls(TabFrozen)  # more is known by now
        if not self._future.done():
            self._future.set_result(why)

    def resume_calls(self, after: type[Exception] = DialogOpened) -> None:
        """Allow calls again after a dialog was answered or a frozen page came back; a lost tab stays lost."""
        if self.reason is after:
            self._future = asyncio.get_running_loop().create_future()

    @property
    def reason(self) -> type[Exception] | None:
        return self._future.result() if self._future.done() else None

    async def run_interruptible(
        self, work: Coroutine[Any, Any, Any], timeout: float, what: str, *, acts: bool = False
    ) -> Any:
        """Wait for `work`, an interruption or the time-out. What `acts` has left: a cancelled caller waits for it, too.

        Chromium queues input for a busy page: without the wait, a click came seconds after its task was stopped.
        """
        if self.reason:
            work.close()
            raise self.reason
        task = asyncio.ensure_future(work)
        try:
            with self.watch_call():
                await self._wait_for_first(task, timeout)
        except asyncio.CancelledError as stop:
            if acts:
                await wait_to_end(asyncio.ensure_future(self._wait_for_first(task, timeout)))
                note_outcome(stop, StopOutcome.DONE if task.done() or self.reason else StopOutcome.UNKNOWN)
            task.add_done_callback(discard_result)
            task.cancel()
            raise
        if task.done():
            return self._result_of(task)
        task.add_done_callback(discard_result)
        why = self._future.result() if self._future.done() else None
        if why is not DialogOpened:
            task.cancel()
        raise why or DeviceTimeout(f"The browser timed out after {timeout:g} s ({what}).")

    async def _wait_for_first(self, task: asyncio.Future[Any], timeout: float) -> None:
        await asyncio.wait({task, self._future}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)

    def _result_of(self, task: asyncio.Future[Any]) -> Any:
        try:
            return task.result()
        except Error as error:
            if self.reason:
                raise self.reason from None
            if any(sign in str(error) for sign in _LOST_SIGNS):
                raise TabLost from None
            raise


def discard_result(task: asyncio.Future[Any]) -> None:
    """Retrieve an error that nobody waits for any more, else asyncio would print it."""
    if not task.cancelled():
        task.exception()


class CdpTarget:
    """One CDP session, and the isolated worlds of the documents in its process."""

    def __init__(self, session: CDPSession, interruption: Interruption) -> None:
        self.session = session
        self.interruption = interruption
        self.root = ""
        self._worlds: dict[str, int] = {}
        self._news = asyncio.Event()
        session.on("Runtime.executionContextCreated", self._on_context_created)
        session.on("Runtime.executionContextDestroyed", self._on_context_destroyed)
        session.on("Runtime.executionContextsCleared", self._on_contexts_cleared)

    async def install_scripts(self) -> None:
        """Install our scripts in every document, present and future."""
        script = {"source": load_scripts(), "worldName": WORLD, "runImmediately": True}
        _, _, _, tree = await asyncio.gather(
            self.send_command("Page.enable"),
            self.send_command("Page.addScriptToEvaluateOnNewDocument", script),
            self.send_command("Runtime.enable"),
            self.send_command("Page.getFrameTree"),
        )
        self.root = tree["frameTree"]["frame"]["id"]

    async def send_command(
        self, method: str, params: dict[str, Any] | None = None, timeout: float = CALL_S
    ) -> dict[str, Any]:
        return await self.interruption.run_interruptible(send_cdp(self.session, method, params or {}), timeout, method)

    def _on_context_created(self, event: dict[str, Any]) -> None:
        context = event["context"]
        if context["name"] == WORLD:
            self._worlds[context["auxData"]["frameId"]] = context["id"]
            self._news.set()
            self._news = asyncio.Event()

    def _on_context_destroyed(self, event: dict[str, Any]) -> None:
        gone = event["executionContextId"]
        self._worlds = {frame: world for frame, world in self._worlds.items() if world != gone}

    def _on_contexts_cleared(self, _: dict[str, Any]) -> None:
        self._worlds.clear()

    def has_document(self, frame: str) -> bool:
        return frame in self._worlds

    async def evaluate_in(self, frame: str, expression: str, *, by_value: bool = True, timeout: float = CALL_S) -> Any:
        """Return the value of an expression in our world of that document; waits for a world that is being created."""
        try:
            async with asyncio.timeout(timeout):
                while True:
                    world = await self._wait_for_world(frame)
                    params = {"expression": expression, "contextId": world, "returnByValue": by_value}
                    try:
                        answer = await self.send_command(
                            "Runtime.evaluate", {**params, "awaitPromise": True}, timeout + 1
                        )
                    except Error:
                        # The document was replaced meanwhile: its world is gone, and the next one will be created.
                        if self._worlds.get(frame) == world:
                            del self._worlds[frame]
                        continue
                    return _value_of(answer, by_value)
        except TimeoutError:
            raise DeviceTimeout(f"The page timed out after {timeout:g} s: it is busy or still loading.") from None

    async def resolve_in(self, frame: str, node: int) -> str:
        """Return the id of this node as an object of our world of that document."""
        world = await self._wait_for_world(frame)
        answer = await self.send_command("DOM.resolveNode", {"backendNodeId": node, "executionContextId": world})
        return answer["object"]["objectId"]

    async def call_in(self, this: str, function: str, argument: str | None) -> None:
        """Call a function on an object of our world, with another such object or null."""
        given = [{"objectId": argument}] if argument else [{"value": None}]
        await self.send_command(
            "Runtime.callFunctionOn", {"objectId": this, "functionDeclaration": function, "arguments": given}
        )

    async def _wait_for_world(self, frame: str) -> int:
        while frame not in self._worlds:
            await self.interruption.run_interruptible(self._news.wait(), CALL_S, "a document")
        return self._worlds[frame]


def _value_of(answer: dict[str, Any], by_value: bool) -> Any:
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        text = details.get("exception", {}).get("description") or details.get("text", "")
        raise ActionFailed(f"The page broke our script: {text.splitlines()[0] if text else 'unknown reason'}.")
    return answer["result"].get("value") if by_value else answer["result"]
