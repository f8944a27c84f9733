"""Types to what has the keyboard where no field is listed: terminals, sheets, editors that draw themselves.

It counts only when the screen then shows the text, and is never typed twice.
"""

import re
from dataclasses import replace

from rapidfuzz import fuzz

from deskhand.core.actions import Type
from deskhand.core.screen import HOLLOW, Element, Role
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.outcome import Act, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog, find_dialog
from deskhand.roles.offline.strategies.opening import bare_app_name
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word, synonyms_of
from deskhand.settings.placeholders import find_secret_names

MAX_LOOKS = 3
# What programs write on the button that begins a document, the surest first.
_NEW = ("New File", "New Document", "新建文件", "新建文档", "New", "新建")
# Text that is read from a picture is seldom read without a mistake.
_ALIKE = 85
_PRESSED: set[Role] = {
    "button", "checkbox", "radio", "switch", "tab", "link", "menu", "combobox", "slider",
}  # fmt: skip


def takes_keys(scene: Scene, text: str) -> bool:
    """True if keys go to something that may take text: what has the focus, or a window that does not tell.

    Never to a control, which a blank would press, and never a secret, which would be shown.
    """
    if not scene.is_desktop or find_secret_names(text):
        return False
    focused = [e for e in scene.elements if e.focused]
    if any(e.role in _PRESSED for e in focused):
        return False
    return bool(focused) or not scene.list_fields() or draws_document(scene)


def draws_document(scene: Scene) -> bool:
    """True if a large part of the window is drawn by its program, and nothing that is listed has the focus."""
    if any(e.focused for e in scene.elements):
        return False
    parents = {e.parent for e in scene.elements if e.source != "ocr"}
    drawn = [e for e in scene.elements if e.role == "group" and e.index not in parents and e.source == "atspi"]
    return any(e.bounds.width >= HOLLOW[0] and e.bounds.height >= HOLLOW[1] for e in drawn)


def place_text(step: say.Write, scene: Scene, field: Element | None) -> say.Write | Outcome | None:
    """Return what to do first, or the same without its target where that is the program in front; None to go on.

    `hello world in gedit`, not quoted and while gedit is in front, may mean either.
    """
    if step.target:
        named = _is_program(scene, step.target) and scene.find_element(step.target, "editable").best is None
        return replace(step, target="") if named else None
    told = re.search(r"\s(?:in|into)\s+(?P<place>[^“”\"]+)$", step.text, re.IGNORECASE)
    if told and not any(mark in step.source for mark in "“”\"「'") and _is_program(scene, told["place"]):
        return scene.fail_with(
            f"“{step.text}”的结尾像是说明写在哪里：请给要输入的文字加引号。",
            f"The end of “{step.text}” may say where it is to be typed: put the text in quotes.",
        )
    return None if scene.memory.write.typed else make_room(scene, field)


def _is_program(scene: Scene, said: str) -> bool:
    """True if it names the program in front: its class, or a part of its window's title."""
    parts = re.split(r"\s[-–—]\s", scene.briefing.observation.title)
    known = {fold_name(part) for part in (scene.app, *parts) if part}
    return any(fold_name(word) in known for word in (bare_app_name(said), *synonyms_of(bare_app_name(said))))


def make_room(scene: Scene, field: Element | None) -> Act | None:
    """Return what has to be done before keys can go to a document; None if they can go there.

    A dialog that came up by itself and takes no text is put away; where the goal has just opened a program that shows
    no document yet, its own button for a new one is used.
    """
    if not scene.is_desktop or (field is not None and field.focused):
        return None
    dialog = find_dialog(scene)
    if dialog and not any(e.editable for e in dialog) and (away := dismiss_dialog(scene)):
        return away
    held = any(e.focused and e.role not in ("list", "item", *_PRESSED) for e in scene.elements)
    if not scene.kept.left_over or scene.memory.write.opened or field is not None or held:
        return None
    return _begin_document(scene)


def _begin_document(scene: Scene) -> Act | None:
    buttons = [e for e in scene.elements if e.role in ("button", "link") and e.clickable and e.enabled]
    button = next((e for word in _NEW for e in buttons if is_same_word(e.text, word)), None)
    if button is None:
        return None
    scene.remember_record(replace(scene.memory.write, opened=True))
    return make_act(scene.say(f"点击“{button.text}”", f"Clicking “{button.text}”"), touch_element(button))


def type_at_keyboard(scene: Scene, text: str) -> Outcome:
    memory = scene.memory.write
    if memory.shown is None:
        scene.remember_record(replace(memory, typed=1, shown=_count_shown(scene, text)))
        return make_act(scene.say(f"输入“{text}”", f"Typing “{text}”"), Type(text=text))
    if scene.trouble:
        scene.judge_last(False, scene.trouble)
        return scene.fail_with(f"“{text}”没有输入成功：{scene.trouble}。", f"“{text}” was not typed: {scene.trouble}.")
    if _count_shown(scene, text) > memory.shown:
        scene.judge_last(True, scene.say("文字出现在屏幕上", "the screen shows the text"))
        return scene.finish_with(f"输入了“{text}”", f"typed “{text}”", Proof("seen", text, text))
    if memory.looks < MAX_LOOKS:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("看看文字是否出现", "Looking for the text"))
    scene.judge_last(False)
    return scene.fail_with(
        f"按键已发出，但屏幕上没有出现“{text}”。",
        f"The keys were sent, but the screen does not show “{text}”.",
    )


def _count_shown(scene: Scene, text: str) -> int:
    """Return how many places show the text, or nearly."""
    wanted = fold_name(text)
    exact = sum(fold_name(e.text).count(wanted) for e in scene.elements) if wanted else 0
    read = [fold_name(e.text) for e in scene.elements if e.source == "ocr"]
    return exact or sum(fuzz.partial_ratio(wanted, words) >= _ALIKE for words in read if len(words) >= len(wanted))
