"""HEAD for every route that has GET: the same head without the body, also of streams that never end."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadRequests:
    """ASGI middleware: asks the app as for GET and lets it go as soon as its head is there."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        begun = asyncio.Event()

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start" and not begun.is_set():
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                begun.set()

        answering = asyncio.ensure_future(self._app({**scope, "method": "GET"}, receive, send_head))
        waiting = asyncio.ensure_future(begun.wait())
        await asyncio.wait({answering, waiting}, return_when=asyncio.FIRST_COMPLETED)
        for task in (answering, waiting):
            task.cancel()
        await asyncio.wait({answering, waiting})
        if not answering.cancelled() and not begun.is_set():
            answering.result()
