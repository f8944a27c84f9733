"""Whole little forms as one instruction: log in, upload a file, add to a note, call somebody."""

import re
from collections.abc import Sequence
from dataclasses import replace

from deskhand.core.actions import Back, Type
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.memory import HandleMemory
from deskhand.roles.offline.outcome import Act, Failed, Outcome, fill_field, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import find_search_box, locate_thing
from deskhand.roles.offline.strategies.obstacles import find_agreement, find_dialog, title_of
from deskhand.roles.offline.strategies.values import SHOWN_LENGTHS
from deskhand.roles.offline.strategies.writing import holds_text
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word

MAX_LOOKS = 4
# How many texts of a form are kept in mind, to know what is new behind it.
MOST_TEXTS = 60
_USER_WORDS = (
    "username",
    "user name",
    "user",
    "email",
    "e-mail",
    "login",
    "account",
    "phone",
    "用户名",
    "账号",
    "邮箱",
    "手机号",
)
_LOG_IN_WORDS = ("log in", "login", "sign in", "登录", "登陆")
_CHOOSE_WORDS = ("choose file", "upload", "browse", "attach", "选择文件", "上传", "浏览", "附件")
_CALL_WORDS = ("call", "dial", "拨打", "拨打电话", "呼叫", "打电话", "拨号", "语音通话")


def log_in(step: say.LogIn, scene: Scene) -> Outcome:
    """Fill in both fields, read the name back, press the form's button; done when no password is asked any more."""
    memory, secret = scene.memory.handle, next((f for f in scene.list_fields() if f.password), None)
    if memory.phase == "sent":
        return _check_logged_in(scene, step, secret)
    user = _find_user_field(scene, secret) if secret else None
    if secret is None or user is None:
        return _wait_or_fail(
            scene, "没有看到要填用户名和密码的表单。", "There is no form that asks for a name and a password."
        )
    if memory.phase != "typed" or not (holds_text(user, step.user) and holds_text(secret, step.password)):
        if memory.looks >= MAX_LOOKS:
            return scene.fail_with("用户名或密码没有输进去。", "The name or the password could not be typed.")
        scene.remember_record(HandleMemory("typed", scene.print, memory.looks + 1))
        actions = (*fill_field(user, step.user, clear=True), *fill_field(secret, step.password, clear=True))
        return make_act(scene.say(f"以“{step.user}”登录", f"Logging in as “{step.user}”"), *actions)
    button = _find_button(scene, _LOG_IN_WORDS)
    if button is None:
        return scene.fail_with("没有看到登录按钮。", "There is no button to log in with.")
    scene.remember_record(HandleMemory("sent", scene.print, texts=_list_texts(scene)))
    return make_act(scene.say("点击登录", f"Clicking “{button.text}”"), touch_element(button))


def _check_logged_in(scene: Scene, step: say.LogIn, secret: Element | None) -> Outcome:
    """The form is gone, nothing new says that it went wrong, and something is there that only the inside has."""
    new = [e for e in scene.elements if e.text and e.text not in scene.memory.handle.texts]
    way_out = _find_said([e for e in new if e.clickable], "inside")
    # a dashboard may well say "failed" of something else
    denied = "" if way_out else _find_said([e for e in new if not e.clickable], "denied")
    inside = way_out or _find_inside(step.user, new)
    if secret is None and not denied and inside and not scene.trouble:
        scene.judge_last(True, scene.say(f"看到了“{inside}”", f"“{inside}” is there"))
        proof = Proof("entered", step.user, inside)
        return scene.finish_with(f"以“{step.user}”登录了", f"logged in as “{step.user}”", proof)
    seen = scene.say("没有看到登录后的页面", "nothing of the inside is seen")
    if secret is not None:
        seen = scene.say("还在要密码", "the form is still there")
    if denied or scene.trouble:
        seen = scene.trouble or scene.say(f"页面显示“{denied}”", f"it says “{denied}”")
    return _wait_or_fail(
        scene, f"“{step.user}”没有登录成功：{seen}。", f"Logging in as “{step.user}” did not work: {seen}."
    )


def _list_texts(scene: Scene) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e.text for e in scene.elements if e.text))[:MOST_TEXTS]


def _find_said(elements: Sequence[Element], words: str) -> str:
    """Return the text that has one of these words of the lexicon in it; empty if none has."""
    known = [fold_name(word) for word in load_lexicon().extra[words]]
    said = (e.text for e in elements if not e.editable)
    return next((text for text in said if any(word in fold_name(text) for word in known)), "")


def _find_inside(user: str, new: Sequence[Element]) -> str:
    """Return what shows that somebody is inside: who it is, or a control that the form did not have."""
    shown = (e.text for e in new if not e.editable and fold_name(user) in fold_name(e.text))
    controls = (e.text for e in new if e.clickable and not any(is_same_word(e.text, word) for word in _LOG_IN_WORDS))
    return next(shown, "") or next(controls, "")


def _find_user_field(scene: Scene, secret: Element) -> Element | None:
    """The field that says so; else the nearest one above or before the password."""
    fields = [f for f in scene.list_fields() if not f.password and f is not find_search_box(scene)]
    for word in _USER_WORDS:
        found = scene.find_element(word, "editable").best
        if found is not None and found.target in fields:
            return found.target
    before = [f for f in fields if f.index < secret.index]
    return before[-1] if before else None


def upload_file(step: say.Upload, scene: Scene) -> Outcome:
    """Open the chooser, type the path, agree; done when the chooser is gone and the page shows that file."""
    memory = scene.memory.handle
    if memory.phase == "sent":
        return _check_uploaded(step, scene)
    dialog = find_dialog(scene) if memory.phase else []
    field = next((e for e in dialog if e.editable), None)
    if field is not None:
        button = find_agreement(dialog, "open", "choose", "upload")
        scene.remember_record(replace(memory, phase="sent", looks=0))
        typing = Type(text=step.file, clear_first=True, press_enter=button is None, target=field.text)
        acts = (touch_element(field), typing, *((touch_element(button),) if button else ()))
        return make_act(scene.say(f"选择文件“{step.file}”", f"Choosing the file “{step.file}”"), *acts)
    if memory.phase:
        return _wait_or_fail(scene, "没有出现选择文件的对话框。", "No dialog to choose a file came up.")
    place = _find_upload_place(step, scene)
    if not isinstance(place, Element):
        return place
    name = _bare_file_name(step.file)
    texts = (name,) * sum(fold_name(name) in fold_name(e.text) for e in scene.elements)
    scene.remember_record(HandleMemory("begun", scene.print, texts=texts))
    return make_act(scene.say("打开文件选择", "Opening the file chooser"), touch_element(place))


def _bare_file_name(path: str) -> str:
    return re.split(r"[/\\]", path)[-1]


def _check_uploaded(step: say.Upload, scene: Scene) -> Outcome:
    name = _bare_file_name(step.file)
    before = scene.memory.handle.texts.count(name)
    shown = [e for e in scene.elements if fold_name(name) in fold_name(e.text)]
    asked = title_of(find_dialog(scene))
    if not asked and len(shown) > before and not scene.trouble:
        scene.judge_last(True)
        proof = Proof("seen", name, shown[0].text)
        return scene.finish_with(f"选择了文件“{step.file}”", f"chose the file “{step.file}”", proof)
    seen = scene.trouble or scene.say(f"页面没有显示“{name}”", f"the page does not show “{name}”")
    if asked:
        seen = scene.trouble or scene.say(f"还有提示“{asked}”", f"“{asked}” still stands there")
    return _wait_or_fail(scene, f"“{step.file}”没有选上：{seen}。", f"“{step.file}” was not taken: {seen}.")


def _find_upload_place(step: say.Upload, scene: Scene) -> Element | Act | Failed:
    if step.target:
        found = locate_thing(scene, step.target, "clickable", stages=("scroll",))
        return found.target if isinstance(found, Candidate) else found
    button = _find_button(scene, _CHOOSE_WORDS)
    return button or scene.fail_with("没有看到可以上传文件的地方。", "There is no place to upload a file to.")


def add_to_existing(step: say.AddTo, scene: Scene) -> Outcome:
    """Open it, put the text on a line of its own behind what it holds, save, and see it there."""
    memory = scene.memory.handle
    # where nothing has changed, it did not open: what could be written into is something else
    field = _find_body(scene) if memory.phase and memory.print != scene.print else None
    match memory.phase:
        case "":
            return _open_existing(step, scene)
        case "begun" if field is not None:
            return _append_text(step, scene, field)
        case "begun":
            edit = _find_button(scene, ("edit", "编辑"))
            if edit is not None and not memory.looks:
                scene.remember_record(replace(memory, looks=1))
                return make_act(scene.say("点击编辑", "Clicking edit"), touch_element(edit))
            return _wait_or_fail(
                scene, f"“{step.target}”里没有可以输入的地方。", f"“{step.target}” has no place to write."
            )
        case "typed":
            return _save_added(step, scene, _find_body(scene))
        case _:
            return _check_added(step, scene)


def _open_existing(step: say.AddTo, scene: Scene) -> Outcome:
    here = scene.find_element(step.target, "clickable").status != "nothing"
    if way := open_home(scene, "note", also_from_an_app=not here and not scene.kept.left_over):
        return way
    return _open_found(scene, step.target)


def _open_found(scene: Scene, name: str) -> Outcome:
    """Find the thing of that name and go into it: what is done with it is done there."""
    found = locate_thing(scene, name, "clickable")
    if not isinstance(found, Candidate):
        return found
    scene.remember_record(HandleMemory("begun", scene.print))
    return make_act(scene.say(f"打开“{found.label}”", f"Opening “{found.label}”"), touch_element(found.target))


def _find_body(scene: Scene) -> Element | None:
    searching = find_search_box(scene)
    fields = [f for f in scene.list_fields() if searching is None or f.index != searching.index]
    return max(fields, key=lambda f: f.bounds.area, default=None)


def _append_text(step: say.AddTo, scene: Scene, field: Element) -> Outcome:
    if len(field.value) >= SHOWN_LENGTHS[0]:
        # a listing shows no more of it: what is behind would be lost
        return scene.fail_with(
            f"“{step.target}”太长，无法完整保留原来的内容。",
            f"“{step.target}” is too long: what it holds could not be kept whole.",
        )
    text = f"{field.value}\n{step.text}" if field.value else step.text
    scene.remember_record(HandleMemory("typed", scene.print, texts=(text,)))
    return make_act(scene.say(f"加上“{step.text}”", f"Adding “{step.text}”"), *fill_field(field, text, clear=True))


def _save_added(step: say.AddTo, scene: Scene, field: Element | None) -> Outcome:
    memory = scene.memory.handle
    if field is None or fold_name(field.value) != fold_name(memory.texts[0]) or scene.trouble:
        return scene.fail_with(f"“{step.text}”没有输入成功。", f"“{step.text}” could not be typed.")
    button = _find_button(scene, ("save", "done", "保存", "完成"))
    scene.remember_record(replace(memory, phase="sent", print=scene.print, looks=0))
    if button is not None:
        return make_act(scene.say("保存", "Saving"), touch_element(button))
    if scene.can_do("back"):
        return make_act(scene.say("返回，让它保存", "Going back, so that it is saved"), Back())
    return look_again(scene.say("再看一眼", "Looking again"))


def _check_added(step: say.AddTo, scene: Scene) -> Outcome:
    """Its whole text is shown outside of the field that it was typed into, or in it when it is opened once more."""
    memory, again = scene.memory.handle, scene.memory.handle.phase == "chosen"
    whole = fold_name(memory.texts[0])
    shown = any(whole in fold_name(e.text) for e in scene.elements if again or not e.editable)
    if shown and not scene.trouble:
        scene.judge_last(True)
        return scene.finish_with(
            f"在“{step.target}”里加上了“{step.text}”",
            f"added “{step.text}” to “{step.target}”",
            Proof("seen", step.text),
        )
    found = scene.find_element(step.target, "clickable").best
    if memory.looks == 1 and not again and found is not None and not found.target.editable:
        scene.remember_record(replace(memory, phase="chosen", looks=0))
        return make_act(
            scene.say(f"打开“{found.label}”看看", f"Opening “{found.label}” again"), touch_element(found.aim)
        )
    return _wait_or_fail(scene, f"保存后没有看到“{step.text}”。", f"“{step.text}” was not seen after saving.")


def call_person(step: say.Call, scene: Scene) -> Outcome:
    """Find the contact, press its button to call; done when a call with that name or number is shown."""
    memory = scene.memory.handle
    if memory.phase == "sent":
        return _check_calling(step, scene)
    button = _find_button(scene, _CALL_WORDS) if memory.phase else None
    if button is not None:
        scene.remember_record(HandleMemory("sent", scene.print, texts=_list_texts(scene)))
        return make_act(scene.say(f"拨打“{step.to}”", f"Calling “{step.to}”"), touch_element(button))
    if memory.phase:
        return _wait_or_fail(scene, "没有看到拨打按钮。", "There is no button to call with.")
    if way := open_home(scene, "contact", also_from_an_app=scene.first or not scene.kept.left_over):
        return way
    found = locate_thing(scene, step.to, "clickable")
    if isinstance(found, Candidate) and not _is_called(found.label, step.to):
        return scene.fail_with(
            f"没有叫“{step.to}”的联系人；最接近的是“{found.label}”。",
            f"There is no contact called “{step.to}”; the nearest is “{found.label}”.",
        )
    return _open_found(scene, step.to)


def _check_calling(step: say.Call, scene: Scene) -> Outcome:
    before = scene.memory.handle.texts
    call = _find_said([e for e in scene.elements if e.text not in before], "calling")
    whom = next((e.text for e in scene.elements if e.text and fold_name(step.to) in fold_name(e.text)), "")
    if call and whom and not scene.trouble:
        scene.judge_last(True, call)
        return scene.finish_with(f"拨打了“{step.to}”", f"called “{step.to}”", Proof("calling", step.to, call))
    seen = scene.trouble or scene.say("没有看到与此人通话的画面", "no call with that name is shown")
    return _wait_or_fail(scene, f"没有拨给“{step.to}”：{seen}。", f"“{step.to}” was not called: {seen}.")


def _is_called(label: str, name: str) -> bool:
    """True for the name itself, or as the first of several: Mary is Mary Smith, but no Maryam."""
    own, wanted = label.strip().casefold(), name.strip().casefold()
    return fold_name(own) == fold_name(wanted) or own.startswith((f"{wanted} ", f"{wanted},", f"{wanted}，"))


def _find_button(scene: Scene, words: tuple[str, ...]) -> Element | None:
    """The control with the first of the words that one has, by its whole name."""
    buttons = [e for e in scene.elements if e.clickable and e.enabled and not e.editable and e.text]
    return next((b for word in words for b in buttons if is_same_word(b.text, word)), None)


def _wait_or_fail(scene: Scene, zh: str, en: str) -> Outcome:
    memory = scene.memory.handle
    if memory.looks >= MAX_LOOKS:
        scene.judge_last(False)
        return scene.fail_with(zh, en)
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    return look_again(scene.say("再看一眼", "Looking again"))
