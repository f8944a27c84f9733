"""What may be done, what the user has to approve first, and what is blocked.

Pure: from the action, what was seen and the settings. How far an action can be undone is told by `risk`, whether an
approval still holds by `approval`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from deskhand.app_names import is_same_app
from deskhand.core.action_words import tell_action
from deskhand.core.actions import Action, OpenApp, OpenUrl, RunCode, TakeOver, describe_action
from deskhand.core.decisions import PlannedAction
from deskhand.core.llm import Language
from deskhand.core.outgoing import OutgoingRequest
from deskhand.core.screen import Observation
from deskhand.engine.safety.consent import NOWHERE, Scene, does_goal_agree, does_goal_want
from deskhand.engine.safety.key_risk import find_typed_address
from deskhand.engine.safety.request_details import describe_sending
from deskhand.engine.safety.request_risk import assess_request, describe_request
from deskhand.engine.safety.risk import assess_risk
from deskhand.engine.safety.risk_finding import Risk, RiskFinding
from deskhand.engine.safety.risk_words import covers_deed, read_table
from deskhand.fault_words import to_chinese
from deskhand.settings.schema import PolicySettings
from deskhand.settings.site_lists import explain_block

# Actions that leave an app which may not be used, or don't touch it.
_LEAVING = frozenset({"back", "home", "wait", "memorize", "answer", "take_over", "run_code", "switch_window"})
# What an approved action covers of the requests that follow from it, besides the name of its deed.
NOTHING, ANYTHING = "", "*"
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", "…")


@dataclass(frozen=True, slots=True)
class Permit:
    """`reason`: a sentence that says what needs approval, or which setting blocks it; empty for `allow`.

    `repeats`: it can't be undone and was, or may have been, done before.
    """

    verdict: Literal["allow", "ask", "deny"]
    risk: Risk
    reason: str = ""
    repeats: bool = False


def judge_action(
    planned: PlannedAction,
    seen: Observation,
    policy: PolicySettings,
    *,
    approved: str = "",
    before: Scene = NOWHERE,
    language: Language = "en",
) -> Permit:
    """Return whether this action may be carried out on this screen.

    `approved` is the root goal, whatever subtask is under way, where its words are an approval (`Authority`);
    then what cannot be undone is allowed as far as they ask for it. `before`: what was pressed and agreed to just
    before. `language` is that of the reason.
    """
    action, found = planned.action, assess_risk(planned, seen)
    scene = replace(before, seen=seen, action=action)
    if isinstance(action, TakeOver):
        return Permit("ask", found.risk, action.reason)
    if blocked := _find_blocking_list(planned, seen, policy):
        return Permit("deny", found.risk, blocked)
    if isinstance(action, RunCode):
        return _judge_code(action, policy)
    decided = getattr(policy, found.risk)
    if planned.held_back and decided == "allow":
        decided = "ask"
    agreed = found.risk == "irreversible" and not planned.sensitive and does_goal_agree(approved, found, scene)
    if decided == "allow" or (decided == "ask" and agreed):
        return Permit("allow", found.risk)
    if decided == "ask":
        sent = describe_sending(action, seen, language) if found.deed and found.deed.name == "send" else ""
        return Permit("ask", found.risk, _ask_user_for(_tell_action(action, language), found.why, language, sent))
    return Permit("deny", found.risk, _refuse_action(_tell_action(action, language), found, language))


def _tell_action(action: Action, language: Language) -> str:
    return tell_action(action, language) if language == "zh" else describe_action(action)


def _ask_user_for(what: str, why: str, language: Language, sent: str = "") -> str:
    if language == "zh":
        return _write_sentence(f"{what}需要你的同意", to_chinese(why) + (sent and f"，{sent}"), "：")
    return _write_sentence(f"{what} needs approval", why + (sent and f", {sent}"))


def _refuse_action(what: str, found: RiskFinding, language: Language) -> str:
    if language == "zh":
        return _write_sentence(f"{what}被 policy.{found.risk} 禁止", to_chinese(found.why), "：")
    return _write_sentence(f"{what} is blocked by policy.{found.risk}", found.why)


def judge_request(
    request: OutgoingRequest,
    policy: PolicySettings,
    *,
    approved: str = "",
    labels: Sequence[str] = (),
    scene: Scene = NOWHERE,
    covers: str = NOTHING,
    language: Language = "en",
) -> Permit:
    """Return whether a request may leave the device.

    `covers`: the deed that was approved with the action from which it follows. `labels`: what that action pressed, in
    `scene`. A form that is sent again is approved by nothing but its own yes.
    """
    found = assess_request(request)
    decided = policy.irreversible if found.risk == "irreversible" else "allow"
    # A goal that says "click Details" has not asked for what the page then pays, nor has one that says "click Send".
    asked_for = covers == ANYTHING or _is_covered(covers, found) or does_goal_want(approved, found, labels, scene)
    agreed = asked_for and not request.repeated
    if decided == "allow" or (decided == "ask" and agreed):
        return Permit("allow", found.risk)
    if decided == "ask":
        return Permit("ask", found.risk, _ask_user_for(describe_request(request), found.why, language))
    return Permit("deny", found.risk, _refuse_action(describe_request(request), found, language))


def _is_covered(agreed: str, found: RiskFinding) -> bool:
    return agreed != NOTHING and found.deed is not None and covers_deed(agreed, found.deed.name)


def _write_sentence(what: str, why: str = "", colon: str = ": ") -> str:
    """The one place that ends a reason: a model's own words for its action may have a full stop, or not."""
    text = f"{what}{colon}{why.strip()}" if why.strip() else what
    stop = "" if text.endswith(_SENTENCE_ENDS) else "。" if "\u4e00" <= text[-1] <= "\u9fff" else "."
    return text[0].upper() + text[1:] + stop


def _judge_code(action: RunCode, policy: PolicySettings) -> Permit:
    match policy.run_code:
        case "allow":
            return Permit("allow", "irreversible")
        case "ask":
            return Permit("ask", "irreversible", _ask_for_code(action))
        case _:
            return Permit("deny", "irreversible", f"Running {action.language} code is blocked by policy.run_code.")


def _ask_for_code(action: RunCode) -> str:
    return f"Running {action.language} code needs approval: --allow-code gives it for the whole task."


# --- sites and apps ----------------------------------------------------------------------------------------


def _find_blocking_list(planned: PlannedAction, seen: Observation, policy: PolicySettings) -> str:
    """Return which list blocks it; empty if none does. A browser holds its own pages to the lists of sites."""
    match planned.action:
        case OpenUrl(url=url):
            return _check_site(url, policy)
        case OpenApp(name=name):
            return _check_app(name, policy)
        case action if action.kind in _LEAVING:
            return ""
        case action:
            if (address := find_typed_address(action, seen)) and (blocked := _check_site(address, policy)):
                return blocked
            return "" if _is_in_browser(seen) else _check_app(seen.app, policy)


def _check_site(url: str, policy: PolicySettings) -> str:
    return explain_block(url, policy.sites_allow, policy.sites_deny)


def _is_in_browser(seen: Observation) -> bool:
    """True where the name in front is a site's, so that the lists of sites hold."""
    return ":" in seen.app or any(one.source == "dom" for one in seen.elements or ())


def _check_app(app: str, policy: PolicySettings) -> str:
    if not (policy.apps_allow or policy.apps_deny):
        return ""
    if any(is_same_app(entry, app) for entry in policy.apps_deny):
        return f"{app} is blocked by policy.apps_deny."
    if any(is_same_app(entry, app) for entry in read_table()["apps"]["always"]):
        return ""
    if policy.apps_allow and not any(is_same_app(entry, app) for entry in policy.apps_allow):
        return f"{app or 'The app in front'} is blocked: it is not in policy.apps_allow."
    return ""


def find_need_for_user(actions: tuple[PlannedAction, ...], policy: PolicySettings) -> str:
    """Return what the user has to approve or do before any of these is carried out; empty for nothing.

    Not even the actions before it: on a screen that has moved on, the same wish may come again without its warning.
    """
    for planned in actions:
        match planned.action:
            case TakeOver(reason=reason):
                return reason
            case RunCode() as code if policy.run_code != "allow":
                return _ask_for_code(code)
            case action if planned.sensitive:
                return _write_sentence(f"{describe_action(action)} needs approval", planned.sensitive)
            case _:
                pass
    return ""
