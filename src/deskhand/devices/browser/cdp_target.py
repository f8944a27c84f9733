"""Calls to one target of the browser (a page, or an iframe with a process of its own) and to our scripts inside of it.

Every call ends: with an answer, by time, or because a dialog opened, the tab crashed or it was closed.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from deskhand.core.errors import ActionFailed, DeviceFault, DeviceTimeout

if TYPE_CHECKING:
    from collections.abc import Coroutine, Generator

    from playwright.async_api import CDPSession

CALL_S = 10.0
WORLD = "deskhand"
_HERE = Path(__file__).parent / "scripts"
_PARTS = ("elements.js", "reach.js", "fields.js")


def library() -> str:
    """Our scripts as one: what is defined in them is reached as `deskhand.…` from their own world."""
    parts = "\n".join((_HERE / part).read_text(encoding="utf-8") for part in _PARTS)
    return f"(() => {{ if (globalThis.deskhand) return; const deskhand = (globalThis.deskhand = {{}});\n{parts}\n}})()"


class Interrupted(Exception):
    """The page can't answer now: a dialog is open. What was sent stays sent."""


class TabLost(Exception):
    """The tab crashed or was closed."""


class Behind(Exception):
    """Another tab has come to the front."""


@contextmanager
def in_our_words(fault: type[DeviceFault]) -> Generator[None, None, None]:
    """What the browser refuses is the device's fault, and not ours: a tab that is just crashing refuses anything."""
    from playwright.async_api import Error

    try:
        yield
    except Error as error:
        raise fault(f"The browser refused: {str(error).strip().splitlines()[0]}.") from None


class Halt:
    """What ends every call under way: a dialog that opens, or the end of the tab."""

    def __init__(self) -> None:
        self._future: asyncio.Future[type[Exception]] = asyncio.get_running_loop().create_future()

    def now(self, why: type[Exception]) -> None:
        if not self._future.done():
            self._future.set_result(why)

    def over(self) -> None:
        """The dialog was answered; a lost tab stays lost."""
        if self._future.done() and self._future.result() is Interrupted:
            self._future = asyncio.get_running_loop().create_future()

    @property
    def why(self) -> type[Exception] | None:
        return self._future.result() if self._future.done() else None

    async def race(self, work: Coroutine[Any, Any, Any], timeout: float, what: str) -> Any:
        if self.why:
            work.close()
            raise self.why
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task, self._future}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if task.done():
            return self._result(task)
        task.add_done_callback(_forget)
        why = self._future.result() if self._future.done() else None
        if why is not Interrupted:
            task.cancel()
        raise why or DeviceTimeout(f"The browser did not answer within {timeout:g} s ({what}).")

    def _result(self, task: asyncio.Future[Any]) -> Any:
        from playwright.async_api import Error

        try:
            return task.result()
        except Error as error:
            if self.why:
                raise self.why from None
            if _means_lost(str(error)):
                raise TabLost from None
            raise


def _forget(task: asyncio.Future[Any]) -> None:
    """An answer that nobody waits for any more."""
    if not task.cancelled():
        task.exception()


def _means_lost(message: str) -> bool:
    return any(sign in message for sign in ("has been closed", "Target closed", "Target crashed", "Connection closed"))


class Wire:
    """One CDP session with the worlds of the documents that live in its process."""

    def __init__(self, session: CDPSession, halt: Halt) -> None:
        self.session = session
        self.halt = halt
        self.root = ""
        self._worlds: dict[str, int] = {}
        self._news = asyncio.Event()
        session.on("Runtime.executionContextCreated", self._created)
        session.on("Runtime.executionContextDestroyed", self._destroyed)
        session.on("Runtime.executionContextsCleared", self._cleared)

    async def start(self) -> None:
        """Put our scripts into every document, now and later."""
        script = {"source": library(), "worldName": WORLD, "runImmediately": True}
        _, _, _, tree = await asyncio.gather(
            self.send("Page.enable"),
            self.send("Page.addScriptToEvaluateOnNewDocument", script),
            self.send("Runtime.enable"),
            self.send("Page.getFrameTree"),
        )
        self.root = tree["frameTree"]["frame"]["id"]

    async def send(self, method: str, params: dict[str, Any] | None = None, timeout: float = CALL_S) -> dict[str, Any]:
        work = cast("Coroutine[Any, Any, dict[str, Any]]", self.session.send(method, params or {}))  # pyright: ignore[reportUnknownMemberType] Playwright leaves its dict untyped
        return await self.halt.race(work, timeout, method)

    def _created(self, event: dict[str, Any]) -> None:
        context = event["context"]
        if context["name"] == WORLD:
            self._worlds[context["auxData"]["frameId"]] = context["id"]
            self._ring()

    def _destroyed(self, event: dict[str, Any]) -> None:
        gone = event["executionContextId"]
        self._worlds = {frame: world for frame, world in self._worlds.items() if world != gone}

    def _cleared(self, _: dict[str, Any]) -> None:
        self._worlds.clear()

    def _ring(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def knows(self, frame: str) -> bool:
        return frame in self._worlds

    async def ask(self, frame: str, expression: str, *, by_value: bool = True, timeout: float = CALL_S) -> Any:
        """The value of an expression in our world of that document, waiting for one that is just being made."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(timeout):
                while True:
                    world = await self._world(frame)
                    params = {"expression": expression, "contextId": world, "returnByValue": by_value}
                    try:
                        answer = await self.send("Runtime.evaluate", {**params, "awaitPromise": True}, timeout + 1)
                    except Error:
                        # The document was replaced in between: its world is gone, the next one is on its way.
                        if self._worlds.get(frame) == world:
                            del self._worlds[frame]
                        continue
                    return _value(answer, by_value)
        except TimeoutError:
            raise DeviceTimeout(f"The page did not answer within {timeout:g} s: it is busy or still loading.") from None

    async def _world(self, frame: str) -> int:
        while frame not in self._worlds:
            await self.halt.race(self._news.wait(), CALL_S, "a document")
        return self._worlds[frame]


def _value(answer: dict[str, Any], by_value: bool) -> Any:
    if "exceptionDetails" in answer:
        details = answer["exceptionDetails"]
        text = details.get("exception", {}).get("description") or details.get("text", "")
        raise ActionFailed(f"The page stopped our script: {text.splitlines()[0] if text else 'unknown reason'}.")
    return answer["result"].get("value") if by_value else answer["result"]
