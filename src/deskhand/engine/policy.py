"""What a person has to agree to before it is done. Pure: from the actions and the settings alone."""

from deskhand.actions import RunCode, TakeOver, describe
from deskhand.config import PolicySettings
from deskhand.types import Planned


def needs_a_person(actions: tuple[Planned, ...], policy: PolicySettings) -> str:
    """What a person has to agree to, or to do, before any of these may be carried out; empty for nothing.

    Not even those before it: on a screen that has moved on, the same wish may come again without its warning.
    """
    for planned in actions:
        match planned.action:
            case TakeOver(reason=reason):
                return reason
            case RunCode(language=language) if policy.run_code == "ask":
                return f"running {language} code has to be agreed to first: allow it with --allow-code"
            case action if planned.sensitive:
                return f"{describe(action)} has to be agreed to first: {planned.sensitive}"
            case _:
                pass
    return ""
