"""Search the web through an endpoint of the user's choice that speaks SearXNG's JSON."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, cast

from deskhand.core.errors import LookupFailed
from deskhand.core.planning import Material

if TYPE_CHECKING:
    from httpx2 import AsyncClient

MAX_FOUND = 5
_MAX_BODY = 2 * 1024 * 1024
_QUERY = 300


class WebSearchSource:
    def __init__(self, url: str, timeout_s: float) -> None:
        self._url = f"{url.rstrip('/')}/search"
        self._timeout_s = timeout_s

    async def look_up(self, need: str, goal: str) -> tuple[Material, ...]:
        try:
            from httpx2 import AsyncClient, HTTPError, InvalidURL
        except ImportError:
            raise LookupFailed("A web search needs the package httpx2: pip install 'deskhand[search]'.") from None
        try:
            async with asyncio.timeout(self._timeout_s), AsyncClient(timeout=self._timeout_s) as client:
                said = await self._fetch_results(client, " ".join(need.split())[:_QUERY])
        except TimeoutError:
            raise LookupFailed(f"The search at {self._url} took longer than {self._timeout_s:g} s.") from None
        except (HTTPError, InvalidURL) as error:
            detail = str(error) or type(error).__name__
            raise LookupFailed(f"The search at {self._url} can't be reached: {detail}.") from None
        return _read_materials(said)

    async def _fetch_results(self, client: AsyncClient, query: str) -> dict[str, Any]:
        params = {"q": query, "format": "json"}
        async with client.stream("GET", self._url, params=params, follow_redirects=True) as response:
            if response.status_code == 403:
                raise LookupFailed(f"The search at {self._url} refused: allow the json format in its settings.")
            if response.status_code != 200:
                raise LookupFailed(f"The search at {self._url} answered with status {response.status_code}.")
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _MAX_BODY:
                    raise LookupFailed(f"The search at {self._url} answered with more than {_MAX_BODY} bytes.")
        try:
            said = json.loads(bytes(body))
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise LookupFailed(f"The search at {self._url} did not answer with a JSON object: is it a SearXNG?")
        return cast("dict[str, Any]", said)


def _read_materials(said: dict[str, Any]) -> tuple[Material, ...]:
    """Return the results that have a text, in the order of the endpoint."""
    listed: object = said.get("results")
    found: list[Material] = []
    for one in cast("list[object]", listed) if isinstance(listed, list) else []:
        if not isinstance(one, dict):
            continue
        fields = {name: value for name, value in cast("dict[str, object]", one).items() if isinstance(value, str)}
        if text := fields.get("content", "").strip():
            url, title = fields.get("url", ""), fields.get("title", "").strip()
            found.append(Material(source=url[:2000], title=title[:200] or url[:200], text=text[:4000]))
    return tuple(found[:MAX_FOUND])
