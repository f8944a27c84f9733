"""What every answer tells a browser: run only our own files, guess no types, show us in no frame."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = "; ".join(
    (
        "default-src 'self'",  # so that no inline script runs, and nothing is loaded from elsewhere
        "img-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}
_RAW = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class SecurityHeaders:
    """ASGI middleware, outside of all others: refusals have the headers as well."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_RAW]}
            await send(message)

        await self._app(scope, receive, send_with_headers)
