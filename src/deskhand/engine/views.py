"""What a task has collected, as a worker is told: materials that were looked up, and files that code wrote."""

from deskhand.task.state import TaskState

# The most that is told; of more than that, the newest.
ANSWERS_TOLD = 20
MAX_TOLD = 20_000


def collected(state: TaskState) -> tuple[str, ...]:
    """Title or name on the first line, the text below; in the order in which they came."""
    looked_up = [f"{material.title} ({material.source})\n{material.text}" for material in state.materials]
    written = [f"{file.name} ({file.size} bytes)\n{file.text}" for file in state.artifacts]
    kept: list[str] = []
    room = MAX_TOLD
    for text in reversed(looked_up + written):
        room -= len(text)
        if room < 0:
            break
        kept.append(text)
    return tuple(reversed(kept))
