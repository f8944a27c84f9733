"""Send a message: reach the conversation, type, read back, send, and see it stand in the conversation."""

from dataclasses import replace

from deskhand.core.actions import Back, Key
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import HuntMemory
from deskhand.roles.offline.outcome import Act, Outcome, fill_field, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.bubbles import count_mine, find_failure, is_pending
from deskhand.roles.offline.strategies.hunting import find_search_box, locate_thing
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.roles.offline.strategies.writing import holds_text
from deskhand.screen.grounding.find import Candidate, find_nearest_names
from deskhand.screen.grounding.vocabulary import fold_name

MAX_TRIES = 2
MAX_LOOKS = 4
# Looks at a message that is on its way: networks are slow.
MAX_PENDING = 30
# The first may only close the keyboard, the last a page over the conversation.
MAX_BACKS = 3


def send_message(step: say.Send, scene: Scene) -> Outcome:
    memory = scene.memory.send
    done = scene.find_done(lambda act: act.has_sent(step.text, step.to))
    if memory.sent and done is None:
        return _check_sent(scene, step)
    box = find_message_box(scene)
    if step.to and not is_talking_to(scene, step.to, box):
        return _leave_conversation(scene, step, box) or reach_person(scene, step)
    if box is None:
        return _open_conversation(scene, step)
    if done:
        # Sent before this worker was sent off anew: it is looked for, and never sent again.
        scene.remember_record(replace(memory, sent=True))
        return _check_sent(scene, step)
    if memory.typed:
        return _press_send(scene, step, box)
    scene.remember_record(replace(memory, typed=1, before=count_mine(scene, box, step.text)))
    thought = scene.say(f"输入消息“{step.text}”", f"Typing the message “{step.text}”")
    return make_act(thought, *fill_field(box, step.text, clear=bool(box.value)))


def find_message_box(scene: Scene) -> Element | None:
    """The field at the bottom that is not for searching."""
    searching = find_search_box(scene)
    fields = [f for f in scene.list_fields() if searching is None or f.index != searching.index]
    for candidate in scene.find_element("message", "editable").candidates:
        if candidate.score >= 0.75 and candidate.target in fields:
            return candidate.target
    lowest = max(fields, key=lambda f: f.bounds.bottom, default=None)
    return lowest if lowest is not None and lowest.bounds.top >= scene.tree.screen.height * 0.3 else None


def is_talking_to(scene: Scene, person: str, box: Element | None) -> bool:
    """True if this conversation is open: the name is at the top, and there is a field for a message."""
    if box is None:
        return False
    top = max(scene.tree.screen.width, scene.tree.screen.height) * 0.15
    return any(
        fold_name(e.text) == fold_name(person) for e in scene.elements if e.bounds.bottom <= top and not e.editable
    )


def _leave_conversation(scene: Scene, step: say.Send, box: Element | None) -> Act | None:
    """Go back from the conversation with the person before: the list of people is behind it."""
    memory = scene.memory.send
    if box is None or memory.reached or memory.left >= MAX_BACKS or not scene.can_do("back"):
        return None
    if scene.on_home_screen or scene.find_element(step.to, "clickable").status != "nothing":
        return None
    scene.remember_record(replace(memory, left=memory.left + 1))
    return make_act(scene.say("离开这个聊天", "Leaving this conversation"), Back())


def reach_person(scene: Scene, step: say.Send) -> Outcome:
    """Find the contact, then the way from its page into the conversation."""
    memory = scene.memory.send
    if memory.reached and (button := _find_write_button(scene)) is not None:
        scene.remember_record(replace(memory, reached=memory.reached + 1))
        return make_act(scene.say("进入聊天", "Opening the conversation"), touch_element(button))
    if memory.reached > MAX_TRIES:
        return scene.fail_with(
            f"没能进入和“{step.to}”的聊天。", f"The conversation with “{step.to}” could not be opened."
        )
    if scene.on_home_screen:
        return scene.fail_with(
            "还没有打开任何应用：请说明用哪个应用发消息。", "No app is open: say which app to send the message with."
        )
    found = locate_thing(scene, step.to, "clickable")
    if not isinstance(found, Candidate):
        return found
    scene.remember_record(replace(memory, reached=memory.reached + 1))
    scene.remember_record(HuntMemory())
    return make_act(scene.say(f"打开“{step.to}”", f"Opening “{step.to}”"), touch_element(found.target))


def _find_write_button(scene: Scene) -> Element | None:
    for words in ("发消息", "Send message", "message button"):
        found = scene.find_element(words, "clickable").best
        if found is not None and found.target.clickable and not found.target.editable and found.score >= 0.8:
            return found.target
    return None


def _open_conversation(scene: Scene, step: say.Send) -> Outcome:
    """Press the button that leads from a contact's page to the conversation."""
    if away := dismiss_dialog(scene):
        return away
    memory, button = scene.memory.send, _find_write_button(scene)
    if button is not None and not memory.opened:
        scene.remember_record(replace(memory, opened=True))
        return make_act(scene.say("进入聊天", "Opening the conversation"), touch_element(button))
    if memory.looks < 1:
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return look_again(scene.say("等聊天窗口出现", "Waiting for the conversation"))
    names = ", ".join(f"“{n}”" for n in find_nearest_names("message", scene.tree, 4))
    return scene.fail_with(
        f"屏幕上没有消息输入框；看到的是 {names}。", f"No field for a message is on the screen; it shows {names}."
    )


def _press_send(scene: Scene, step: say.Send, box: Element) -> Outcome:
    if away := dismiss_dialog(scene):
        return away
    memory = scene.memory.send
    if not holds_text(box, step.text):
        scene.judge_last(False, scene.trouble or scene.say("文字不在输入框里", "the text is not in the field"))
        if memory.typed >= MAX_TRIES:
            return scene.fail_with(
                f"消息没有输入成功，输入框里是“{box.value}”。",
                f"The message could not be typed: the field holds “{box.value}”.",
            )
        scene.remember_record(replace(memory, typed=memory.typed + 1))
        return make_act(scene.say("重新输入消息", "Typing the message again"), *fill_field(box, step.text, clear=True))
    scene.judge_last(True, scene.say("文字已在输入框里", "the text is in the field"))
    scene.remember_record(replace(memory, sent=True))
    button = scene.find_element("Send", "clickable")
    beside = [c for c in button.candidates if scene.tree.is_same_row(c.target, box)]
    found = button.best or (beside[0] if len(beside) == 1 else None)
    if found is not None and found.score >= 0.8:
        return make_act(scene.say("点击发送", "Clicking send"), touch_element(found.target))
    return make_act(scene.say("按回车发送", "Sending with enter"), Key(key="enter"))


def _wait_for_delivery(scene: Scene, step: say.Send) -> Act | None:
    """Look again while the message is shown as being on its way."""
    memory = scene.memory.send
    if not is_pending(scene, step.text) or memory.looks >= MAX_PENDING:
        return None
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    return look_again(scene.say("消息还在发送", "The message is still on its way"))


def _check_sent(scene: Scene, step: say.Send) -> Outcome:
    """It stands in the conversation once more than before, as mine, under that name, and the box is empty."""
    if early := dismiss_dialog(scene) or _wait_for_delivery(scene, step):
        return early
    memory, box = scene.memory.send, find_message_box(scene)
    stands = count_mine(scene, box, step.text) > memory.before
    emptied = box is not None and not holds_text(box, step.text)
    undelivered = find_failure(scene, step.text) if stands else ""
    if stands and emptied and not undelivered and (not step.to or is_talking_to(scene, step.to, box)):
        scene.judge_last(True, scene.say("消息已出现在聊天里", "the message is in the conversation"))
        whom = step.to or scene.kept.found
        to_zh, to_en = (f"给“{whom}”", f" to {whom}") if whom else ("", "")
        return scene.finish_with(
            f"{to_zh}发送了消息“{step.text}”，它已出现在聊天里",
            f"sent “{step.text}”{to_en}; it is in the conversation",
            Proof("sent", whom, step.text),
        )
    memory = replace(memory, looks=memory.looks + 1)
    scene.remember_record(memory)
    if memory.looks < MAX_LOOKS:
        return look_again(scene.say("等消息出现", "Waiting for the message to appear"))
    scene.judge_last(False)
    if box is not None and not stands and not emptied and not memory.again:
        # It is still in the box and not in the conversation, so the click never arrived: pressing again is safe.
        scene.remember_record(replace(memory, again=True))
        return _press_send(scene, step, box)
    missing = scene.say("聊天里没有出现这条消息", "it is not in the conversation as yours")
    seen = scene.trouble or (
        scene.say(f"聊天里显示“{undelivered}”", f"it says “{undelivered}”") if undelivered else missing
    )
    return scene.fail_with(
        f"消息“{step.text}”没有发送成功：{seen}。", f"The message “{step.text}” was not sent: {seen}."
    )
