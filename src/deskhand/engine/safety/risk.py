"""How far an action can be undone: from its kind, what it touches, what the worker says of it, and where it happens.

Pure. What follows from it is left to the policy. What the worker says can only make an action riskier, never safer:
a model that was talked into something by a page also lies about it.
"""

from deskhand.core.actions import Action, Drag, Hotkey, Key, OpenUrl, PointAction, RightClick, RunCode, Swipe, Type
from deskhand.core.decisions import PlannedAction
from deskhand.core.screen import Observation
from deskhand.engine.safety.address_risk import assess_address
from deskhand.engine.safety.key_risk import assess_keys, assess_typing, is_just_text, keys_of
from deskhand.engine.safety.press_risk import assess_path, assess_press
from deskhand.engine.safety.risk_finding import LOOK, UNDOABLE, RiskFinding, make_irreversible

_LOOKS = frozenset({"move", "scroll", "wait", "back", "home", "memorize", "answer", "take_over", "switch_window"})


def assess_risk(planned: PlannedAction, seen: Observation) -> RiskFinding:
    """Return the risk of one action on the screen that it was decided on."""
    if planned.sensitive:
        return make_irreversible(planned.sensitive)
    action = planned.action
    if action.kind in _LOOKS:
        return LOOK
    match action:
        case RunCode():
            return make_irreversible("code can do anything that the sandbox lets it do")
        case RightClick():
            return UNDOABLE
        case Drag() | Swipe():
            return assess_path(action, seen)
        case PointAction():
            return assess_press(action, seen)
        case Type():
            return assess_typing(action, seen)
        case Key() | Hotkey():
            return assess_keys(keys_of(action), seen)
        case OpenUrl():
            return assess_address(action.url)
        case _:
            return UNDOABLE


def needs_elements(action: Action) -> bool:
    """True if the risk of this action can only be told with the list of elements."""
    if isinstance(action, Type):
        return action.press_enter or not is_just_text(action.text)
    return isinstance(action, PointAction | Key | Hotkey) and action.kind not in (*_LOOKS, "right_click")
