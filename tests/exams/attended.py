"""A user beside an exam: approves what is asked, answers no question."""

from deskhand.build import Deskhand
from deskhand.task.events import UserAsked
from deskhand.task.state import TaskState


async def run_beside_user(hand: Deskhand, goal: str, device: str) -> TaskState:
    async with hand.start(goal, device=device, attended=True) as task:
        async for record in task.events():
            if isinstance(record.event, UserAsked):
                request = record.event.request
                task.answer(request.id, "yes" if request.kind == "approval" else "no")
        return task.state
