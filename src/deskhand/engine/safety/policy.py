"""What may be done, what a person has to agree to first, and what not at all.

Pure: from the action, what was seen, the settings and the root goal. How far an action can be undone is told by `risk`,
whether a yes still holds by `approval`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from deskhand.app_names import is_same_app
from deskhand.core.actions import OpenApp, OpenUrl, RunCode, TakeOver, describe_action
from deskhand.core.decisions import PlannedAction
from deskhand.core.screen import Observation
from deskhand.engine.safety.risk import Finding, Risk, assess, typed_address, wants_elements
from deskhand.engine.safety.risk_words import asks_for, table
from deskhand.settings.schema import PolicySettings
from deskhand.settings.site_lists import explain_block

__all__ = ["Permit", "Risk", "judge", "needs_a_person", "wants_elements"]

# From wherever it is, the work may go elsewhere.
_LEAVING = frozenset({"back", "home", "wait", "memorize", "answer", "take_over", "run_code", "switch_window"})


@dataclass(frozen=True, slots=True)
class Permit:
    """`reason` tells a person what is asked for, or which setting refuses it; empty when it may be done."""

    verdict: Literal["allow", "ask", "deny"]
    risk: Risk
    reason: str = ""


def judge(planned: PlannedAction, seen: Observation, policy: PolicySettings, *, approved: str = "") -> Permit:
    """Whether this action may be carried out on this screen.

    `approved` is the root goal, whatever subtask is under way, where its words are an approval (`Authority`);
    then what cannot be undone is allowed as far as they ask for it.
    """
    action, found = planned.action, assess(planned, seen)
    if isinstance(action, TakeOver):
        return Permit("ask", found.risk, action.reason)
    if refused := _off_the_lists(planned, seen, policy):
        return Permit("deny", found.risk, refused)
    if isinstance(action, RunCode):
        return _code(action, policy)
    decided = getattr(policy, found.risk)
    if planned.held_back and decided == "allow":
        decided = "ask"
    if (
        decided == "ask"
        and found.risk == "irreversible"
        and approved
        and not planned.sensitive
        and _in_the_goal(found, approved)
    ):
        return Permit("allow", found.risk)
    match decided:
        case "allow":
            return Permit("allow", found.risk)
        case "ask":
            return Permit("ask", found.risk, _sentence("has to be agreed to first", planned, found))
        case _:
            return Permit("deny", found.risk, _sentence(f"is refused by policy.{found.risk}", planned, found))


def _sentence(what: str, planned: PlannedAction, found: Finding) -> str:
    return f"{describe_action(planned.action)} {what}" + (f": {found.why}" if found.why else "")


def _code(action: RunCode, policy: PolicySettings) -> Permit:
    match policy.run_code:
        case "allow":
            return Permit("allow", "irreversible")
        case "ask":
            reason = f"running {action.language} code has to be agreed to first: allow it with --allow-code"
            return Permit("ask", "irreversible", reason)
        case _:
            return Permit("deny", "irreversible", f"running {action.language} code is refused by policy.run_code")


def _in_the_goal(found: Finding, goal: str) -> bool:
    """Whether the person asked for this: by a word for the deed, or by the very label."""
    if found.label and found.label.casefold() in goal.casefold():
        return True
    return found.deed is None or asks_for(goal, found.deed)


# --- sites and apps ----------------------------------------------------------------------------------------


def _off_the_lists(planned: PlannedAction, seen: Observation, policy: PolicySettings) -> str:
    """Which list refuses it; empty when none does. A browser holds its own pages to the lists of sites."""
    match planned.action:
        case OpenUrl(url=url):
            return _site_refused(url, policy)
        case OpenApp(name=name):
            return _app_refused(name, policy)
        case action if action.kind in _LEAVING:
            return ""
        case action:
            if (address := typed_address(action, seen)) and (refused := _site_refused(address, policy)):
                return refused
            return "" if _in_a_browser(seen) else _app_refused(seen.app, policy)


def _site_refused(url: str, policy: PolicySettings) -> str:
    return explain_block(url, policy.sites_allow, policy.sites_deny)


def _in_a_browser(seen: Observation) -> bool:
    """There the name in front is a site's, and the lists of sites hold."""
    return ":" in seen.app or any(one.source == "dom" for one in seen.elements or ())


def _app_refused(app: str, policy: PolicySettings) -> str:
    if not (policy.apps_allow or policy.apps_deny):
        return ""
    if any(is_same_app(entry, app) for entry in policy.apps_deny):
        return f"{app} is not to be used: policy.apps_deny refuses it"
    if any(is_same_app(entry, app) for entry in table()["apps"]["always"]):
        return ""
    if policy.apps_allow and not any(is_same_app(entry, app) for entry in policy.apps_allow):
        return f"{app or 'what is in front'} is not to be used: it is not in policy.apps_allow"
    return ""


def needs_a_person(actions: tuple[PlannedAction, ...], policy: PolicySettings) -> str:
    """What a person has to agree to, or to do, before any of these may be carried out; empty for nothing.

    Not even those before it: on a screen that has moved on, the same wish may come again without its warning.
    """
    for planned in actions:
        match planned.action:
            case TakeOver(reason=reason):
                return reason
            case RunCode(language=language) if policy.run_code != "allow":
                return f"running {language} code has to be agreed to first: allow it with --allow-code"
            case action if planned.sensitive:
                return f"{describe_action(action)} has to be agreed to first: {planned.sensitive}"
            case _:
                pass
    return ""
