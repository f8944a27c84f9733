"""Runs by the beginning of their id, as users type it."""

from deskhand.core.errors import UsageError
from deskhand.task.journal import Journal


async def find_task_id(journal: Journal, beginning: str) -> str:
    ids = [summary.task_id for summary in await journal.runs(limit=10_000)]
    if beginning == "last" and ids:
        return ids[0]
    matches = [task_id for task_id in ids if beginning and task_id.startswith(beginning)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise UsageError(f"Several runs begin with {beginning!r}: {', '.join(matches[:5])}; give more of the id.")
    raise UsageError(f"There is no run {beginning!r}: `deskhand runs` lists them.")
