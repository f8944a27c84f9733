"""Look up materials for a task outside of the screen, in all sources that the settings name. Results are bounded.

The sources are local files, a search endpoint and tools of MCP servers.
"""

from __future__ import annotations

import asyncio

from deskhand.core.errors import DeskhandError, LookupFailed
from deskhand.core.planning import Material
from deskhand.core.protocols import Source
from deskhand.research.mcp_search import McpToolSource
from deskhand.research.user_files import UserFilesSource
from deskhand.research.web_search import WebSearchSource
from deskhand.settings.schema import SupplementSettings

MAX_MATERIALS = 8


class MaterialSources:
    """All sources of materials, asked side by side."""

    def __init__(self, settings: SupplementSettings) -> None:
        self._files = UserFilesSource(settings.folders)
        self._sources: list[Source] = [self._files] if settings.folders else []
        if settings.search_url:
            self._sources.append(WebSearchSource(settings.search_url, settings.timeout_s))
        self._sources += [McpToolSource(tool, settings.timeout_s) for tool in settings.mcp]

    async def look_up(self, need: str, goal: str) -> tuple[Material, ...]:
        """Return what the sources have about `need`, the user's own files first.

        If a source fails, LookupFailed carries what the others found.
        """
        tried = await asyncio.gather(*(_look_up_in(source, need, goal) for source in self._sources))
        found = tuple(material for materials, _ in tried for material in materials)[:MAX_MATERIALS]
        if troubles := [trouble for _, trouble in tried if trouble]:
            raise LookupFailed(" ".join(troubles), found)
        return found

    async def close(self) -> None:
        await self._files.close()


async def _look_up_in(source: Source, need: str, goal: str) -> tuple[tuple[Material, ...], str]:
    try:
        return await source.look_up(need, goal), ""
    except LookupFailed as fault:
        return fault.found, str(fault)
    except DeskhandError as fault:
        return (), str(fault)
