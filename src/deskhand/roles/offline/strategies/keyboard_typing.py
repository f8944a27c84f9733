"""Types to what has the keyboard where no field is listed: terminals, sheets, editors that draw themselves.

It counts only when the screen then shows the text, and is never typed twice.
"""

from dataclasses import replace

from rapidfuzz import fuzz

from deskhand.core.actions import Type
from deskhand.core.screen import Role
from deskhand.roles.offline.outcome import Outcome, look_again, make_act
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.vocabulary import fold_name
from deskhand.settings.placeholders import find_secret_names

MAX_LOOKS = 3
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
    return bool(focused) or not scene.list_fields()


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
