"""Save as: by the keys or the menu for it, then by the name in the dialog; done when the window tells that name."""

import re
from dataclasses import replace
from typing import Literal

from deskhand.core.actions import Hotkey, Key, Type
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import SaveMemory
from deskhand.roles.offline.outcome import Act, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies import obstacles
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word

MAX_LOOKS = 4
_ENTRIES = ("Save As", "Save As…", "Save as...", "另存为", "另存为…", "另存为...")


def save_as(step: say.SaveAs, scene: Scene) -> Outcome:
    if scene.trouble and scene.memory.save.phase:
        scene.judge_last(False, scene.trouble)
        return scene.fail_with(f"没有保存：{scene.trouble}。", f"It was not saved: {scene.trouble}.")
    match scene.memory.save.phase:
        case "":
            if not scene.can_do("hotkey"):
                return scene.fail_with(f"这个设备不支持“{step.source}”。", f"This device can't do “{step.source}”.")
            return _turn_to(scene, "keys", ("另存为", "Saving under a name"), Hotkey(keys=("ctrl", "shift", "s")))
        case "keys" | "entry":
            return _name_file(step, scene)
        case "menu":
            return _choose_entry(scene)
        case "typed":
            return _check_saved(step, scene)


def _turn_to(
    scene: Scene,
    phase: Literal["keys", "menu", "entry", "typed"],
    thought: tuple[str, str],
    *actions: Hotkey | Key | Type,
) -> Act:
    title = scene.memory.save.title or scene.briefing.observation.title
    scene.remember_record(SaveMemory(phase, title))
    return make_act(scene.say(*thought), *actions)


def _name_file(step: say.SaveAs, scene: Scene) -> Outcome:
    """Type the name where the dialog waits for it. Without a dialog the keys would go into the document."""
    field = _find_name_field(scene)
    drawn = field is None and _is_other_window(scene) and not scene.list_fields()
    if field is not None or drawn:
        typing = Type(text=step.name, clear_first=True, target=field.text if field else "")
        thought = (f"输入文件名“{step.name}”", f"Typing the name “{step.name}”")
        return _turn_to(scene, "typed", thought, typing, Key(key="enter"))
    if again := _look_again(scene):
        return again
    bar = next(
        (e for e in scene.elements if e.role == "menu" and any(is_same_word(e.name, w) for w in ("File", "文件"))), None
    )
    if scene.memory.save.phase == "keys" and bar is not None:
        scene.remember_record(replace(scene.memory.save, phase="menu", looks=0))
        return make_act(scene.say("打开文件菜单", "Opening the File menu"), touch_element(bar))
    scene.judge_last(False)
    return scene.fail_with("没有出现另存为对话框。", "No dialog to save under a name came up.")


def _choose_entry(scene: Scene) -> Outcome:
    named = {fold_name(word) for word in _ENTRIES}
    entry = next((e for e in scene.elements if fold_name(e.name) in named and e.enabled), None)
    if entry is None:
        return _look_again(scene) or scene.fail_with(
            "文件菜单里没有“另存为”。", "The File menu has no entry to save under a name."
        )
    scene.remember_record(replace(scene.memory.save, phase="entry", looks=0))
    return make_act(scene.say("点击“另存为”", "Clicking “Save As”"), touch_element(entry))


def _find_name_field(scene: Scene) -> Element | None:
    """Return the field with the keyboard, if a dialog or another window has come up around it."""
    field = next((f for f in scene.list_fields() if f.focused), None)
    if field is None:
        return None
    within = any(above.role == "dialog" for above in scene.tree.ancestors_of(field))
    return field if within or _is_other_window(scene) else None


def _is_other_window(scene: Scene) -> bool:
    return scene.briefing.observation.title != scene.memory.save.title


def _check_saved(step: say.SaveAs, scene: Scene) -> Outcome:
    """The window in front tells the file's name, and no dialog asks anything."""
    title = scene.briefing.observation.title
    dialog = obstacles.find_dialog(scene)
    stem = re.sub(r"\.\w{1,5}$", "", step.name.rstrip("/").rpartition("/")[2])
    if not dialog and fold_name(stem) in fold_name(title):
        scene.judge_last(True, scene.say("窗口标题是这个文件名", "the window tells the name"))
        return scene.finish_with(f"另存为“{step.name}”", f"saved as “{step.name}”", Proof("saved", step.name, title))
    if again := _look_again(scene):
        return again
    scene.judge_last(False)
    if dialog:
        choices = scene.quote_names(e.text for e in obstacles.list_buttons(dialog)[:6])
        asked = obstacles.title_of(dialog) or title
        return scene.fail_with(
            f"还没有保存：“{asked}”还在（{choices}）。请在目标里说明怎么回答。",
            f"It is not saved yet: “{asked}” is still there ({choices}). Say in the goal how to answer.",
        )
    return scene.fail_with(
        f"无法证明已经保存：窗口标题是“{title}”，不是“{step.name}”。",
        f"That it was saved can't be shown: the window is called “{title}”, not “{step.name}”.",
    )


def _look_again(scene: Scene) -> Act | None:
    memory = scene.memory.save
    if memory.looks >= MAX_LOOKS:
        return None
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    return look_again(scene.say("再看一眼", "Looking again"))
