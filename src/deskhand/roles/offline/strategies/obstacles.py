"""Dialogs that stand in the way: recognised by their build, put away by their negative button, never agreed to."""

from dataclasses import replace

from deskhand.core.actions import Back, Key, ManageWindow
from deskhand.core.geometry import Rect
from deskhand.core.screen import DIALOG_ID, Element
from deskhand.roles.offline.outcome import Act, make_act, touch_element
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.vocabulary import is_same_word

# In the order in which they are tried.
REFUSALS = ("cancel", "later", "skip", "deny", "no", "close", "got it")
AGREEMENTS = ("ok", "yes", "delete", "allow", "done", "continue", "remove", "save")
_DIALOG_IDS = ("alertTitle", "android:id/message", "android:id/button1", "android:id/button2", "parentPanel")
PATIENCE = 4


def find_dialog(scene: Scene) -> list[Element]:
    """The elements of the dialog in front; empty when there is none."""
    for element in scene.elements:
        if element.role == "dialog":
            return [element, *scene.tree.descendants_of(element)]
    if any(e.id.endswith(_DIALOG_IDS) for e in scene.elements):
        return list(scene.elements)
    return []


def find_open_question(scene: Scene) -> list[Element]:
    """The elements of a dialog that waits for an answer: a browser's own, or one that only asks; empty if none does."""
    for element in scene.elements:
        parts = [element, *scene.tree.descendants_of(element)] if element.role == "dialog" else []
        if parts and (element.id == DIALOG_ID or _only_asks(parts)):
            return parts
    return []


def find_waiting_dialog(scene: Scene) -> list[Element]:
    """The elements of the dialog in front, unless it stands aside: the keyboard is with what lies outside of it.

    A program that asks something before it goes on gives its question the keyboard, or takes the rest off the list.
    """
    parts = find_dialog(scene)
    inside = {part.index for part in parts}
    focused = [e.index for e in scene.elements if e.focused]
    return [] if focused and not inside.intersection(focused) else parts


def find_question(scene: Scene) -> list[Element]:
    """The parts of a question that is no dialog by its kind: a text that asks, and below it a way out and another.

    Apps draw such boxes themselves, so only their shape tells: few buttons, side by side or stacked, under the words.
    """
    buttons = [e for e in list_buttons(list(scene.elements)) if e.role in ("button", "link", "text")]
    for refusal in (b for b in buttons if any(is_same_word(b.text, word) for word in REFUSALS)):
        near = refusal.bounds.grow_by(2 * refusal.bounds.height)
        beside = [b for b in buttons if b.index != refusal.index and _is_near(near, b) and _is_lined_up(b, refusal)]
        asking = [
            e for e in scene.elements
            if e.text.rstrip().endswith(("?", "？")) and not e.editable and e.bounds.top < refusal.bounds.bottom
            and _is_above(e, refusal)
        ]  # fmt: skip
        if asking and 0 < len(beside) <= 3:
            nearest = max(asking, key=lambda e: e.bounds.bottom)
            return [nearest, *beside, refusal]
    return []


def _is_lined_up(one: Element, other: Element) -> bool:
    """True for buttons of one box: side by side, or one below the other and as wide."""
    a, b = one.bounds, other.bounds
    beside = min(a.bottom, b.bottom) - max(a.top, b.top) > min(a.height, b.height) / 2
    return beside or (abs(a.left - b.left) <= 4 and abs(a.width - b.width) <= b.width / 5)


def _is_near(box: Rect, element: Element) -> bool:
    return box.intersect_with(element.bounds).area > 0


def _is_above(text: Element, button: Element) -> bool:
    """True if the words stand right above the button, in the same box."""
    return 0 <= button.bounds.top - text.bounds.top <= 12 * max(button.bounds.height, text.bounds.height)


def _only_asks(parts: list[Element]) -> bool:
    """True for a question with an answer that refuses, and nothing to fill in or to choose."""
    if any(e.editable or e.checked is not None or e.scrollable for e in parts):
        return False
    asks = any(mark in e.text for e in parts for mark in "?？")
    return asks and len(list_buttons(parts)) > 1 and _find_button(list_buttons(parts), REFUSALS, "") is not None


def list_buttons(parts: list[Element]) -> list[Element]:
    return [e for e in parts if e.clickable and e.enabled and not e.editable and e.text]


def find_refusal(parts: list[Element]) -> Element | None:
    """The button that changes nothing: cancel, later, close; the only button, if there is but one."""
    choices = list_buttons(parts)
    named = _find_button(choices, REFUSALS, "android:id/button2")
    return choices[0] if named is None and len(choices) == 1 else named


def find_agreement(parts: list[Element], *words: str) -> Element | None:
    """The button that goes on with what the instruction itself asked for."""
    return _find_button(list_buttons(parts), (*words, *AGREEMENTS), "android:id/button1")


def _find_button(choices: list[Element], words: tuple[str, ...], id_end: str) -> Element | None:
    """The button with the first of the words that one has; else by its id."""
    named = (button for word in words for button in choices if is_same_word(button.text, word))
    return next(named, None) or next((b for b in choices if id_end and b.id.endswith(id_end)), None)


def title_of(parts: list[Element]) -> str:
    return next((e.text for e in parts if e.text), "")


def keep_own_dialog(scene: Scene) -> str:
    """Return the title of the dialog that an instruction has just brought up: it is what the goal is about.

    On a desktop only: on a phone, a permission or an advertisement may follow any tap.
    """
    return title_of(find_dialog(scene)) if scene.is_desktop else ""


def dismiss_question(scene: Scene) -> Act | None:
    """Refuse a question that came up by itself and has made the rest of the page unusable; None if there is none."""
    parts, tried = find_question(scene), scene.kept.dismissed
    if not parts or tried >= PATIENCE:
        return None
    scene.kept = replace(scene.kept, dismissed=tried + 1)
    thought = scene.say(f"先关掉“{parts[0].text}”", f"A question is in the way: refusing “{parts[0].text}”")
    return make_act(thought, touch_element(parts[-1]))


def dismiss_dialog(scene: Scene) -> Act | None:
    """Dismiss the dialog that is in the way; None when there is none, or it does not go away."""
    parts = find_dialog(scene)
    tried = scene.kept.dismissed
    title = title_of(parts)
    if not parts or tried >= PATIENCE or (title and title == scene.kept.own_dialog):
        return None
    scene.kept = replace(scene.kept, dismissed=tried + 1)
    thought = scene.say(f"先关掉挡住的对话框“{title}”", f"A dialog is in the way: dismissing “{title}”")
    button = find_refusal(parts)
    if button is not None:
        return make_act(thought, touch_element(button))
    if scene.is_web_page and scene.can_do("key"):
        return make_act(thought, Key(key="escape"))  # to go back would leave the page, and what was filled in
    if scene.is_desktop and parts[0].role == "dialog" and parts[0].name:
        # as by the cross in its corner, which changes nothing
        return make_act(thought, ManageWindow(change="close", title=parts[0].name))
    return make_act(thought, Back()) if scene.can_do("back") else None
