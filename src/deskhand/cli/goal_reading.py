"""`deskhand explain`: how a goal is read without a model."""

from deskhand.build.offline_reading import describe_reading, explain_goal, is_understood
from deskhand.cli.output import print_json, print_line


async def explain_reading(goal: str, as_json: bool) -> int:
    """Print the reading; 0 if every word is understood, 1 if not."""
    steps = explain_goal(goal)
    understood = is_understood(steps)
    if as_json:
        told = [{"kind": step.kind, "source": step.source, **step.slots} for step in steps]
        print_json({"goal": goal, "understood": understood, "instructions": told})
    else:
        for line in describe_reading(goal, steps):
            print_line(line)
    return 0 if understood else 1
