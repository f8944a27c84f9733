"""Looks again at what was proven: a switch that sprang back, a text that vanished, a message that failed after all.

Only what contradicts a proof counts. What the screen does not show any more stands by its record.
"""

from collections.abc import Callable, Sequence

from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.language.new_things import read_clock
from deskhand.roles.offline.language.phone_slots import is_alarm
from deskhand.roles.offline.proof import Proof, ProofKind
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.bubbles import count_mine, find_failure
from deskhand.roles.offline.strategies.choosing import read_other_choice
from deskhand.roles.offline.strategies.messaging import find_message_box, is_talking_to
from deskhand.roles.offline.strategies.phone.alarm_list import find_alarms, list_alarm_rows, names_time
from deskhand.roles.offline.strategies.writing import holds_text
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word

# An instruction with its proof; None where it has none.
Proven = tuple[Instruction, Proof | None]

_LOOKING = (say.Verify, say.WaitUntil, say.Ask, say.Read, say.Pausing)
_FILLING = (say.Write, say.Clear, say.Select, say.SelectNone, say.SetValue, say.Toggle)
# What may follow an instruction so that its proof must still hold: anything else may have changed it rightly.
_LASTS_BEHIND: dict[ProofKind, tuple[type[Instruction], ...]] = {
    "text": (*_LOOKING, *_FILLING),
    "value": (*_LOOKING, *_FILLING),
    "state": (*_LOOKING, *_FILLING),
    "gone": (*_LOOKING, say.Delete, say.Toggle),
    "sent": (*_LOOKING, say.Send),
    "seen": (say.Pausing,),
    "front": (say.Pausing,),
    "entered": _LOOKING,
}
# With these a form may be handed in: what was filled in must be there before.
_HANDS_IN = (say.Tap, say.PressKey, say.SaveAs, say.Edit)


def place_of(scene: Scene) -> str:
    """Return the app or the page in front, without what a page writes behind its address by itself."""
    address = scene.briefing.observation.address
    return f"{scene.app} {address.partition('#')[0].partition('?')[0]}".strip()


def find_lost(step: Instruction | None, before: Sequence[Proven], scene: Scene) -> str:
    """Return what was done before and did not last, as far as it matters before this step; None is the end.

    What was filled in is there before it may be handed in; what was deleted or switched has not come back.
    """
    filled: tuple[ProofKind, ...] = ("text", "value") if isinstance(step, _HANDS_IN) else ()
    return find_undone(before, scene, (*filled, "state", "gone"))


def is_left_unconfirmed(step: Instruction | None, before: Sequence[Proven]) -> bool:
    """True if the last thing was a deletion or a switch that was turned, and this step (None: the end) leaves it.

    Apps show both at once, and take them back when their server refuses.
    """
    last, proof = before[-1] if before else (None, None)
    turned = isinstance(last, say.Toggle) and proof is not None and bool(proof.before)
    return (isinstance(last, say.Delete) or turned) and not isinstance(step, _LASTS_BEHIND["gone"])


def find_undone(proven: Sequence[Proven], scene: Scene, kinds: Sequence[ProofKind] = ()) -> str:
    """Return what was proven and is not so any more on this screen, in words; empty if nothing contradicts.

    Only proofs of these kinds are looked at, if any are given; what came between counts in any case.
    """
    if scene.briefing.observation.elements is None:
        return ""
    for number, (step, proof) in enumerate(proven):
        later = [after for after, _ in proven[number + 1 :]]
        if proof is None or (kinds and proof.kind not in kinds) or not _still_stands(step, proof, later):
            continue
        # what has that name elsewhere is something else; but where it is front that counts, elsewhere is the news
        if proof.kind != "front" and proof.where != place_of(scene):
            continue
        if seen := _LOOKS[proof.kind](step, proof, scene):
            return scene.say(f"“{step.source}”没有保持住：{seen}", f"“{step.source}” did not last: {seen}")
    return ""


def _still_stands(step: Instruction, proof: Proof, later: Sequence[Instruction]) -> bool:
    lasting = _LASTS_BEHIND.get(proof.kind)
    if lasting is None or not all(isinstance(after, lasting) for after in later):
        return False
    if isinstance(step, say.Send):
        return True  # nothing that is sent later takes it back
    own = _name_subject(step)
    return not any(_is_same_subject(own, _name_subject(after)) for after in later if not isinstance(after, _LOOKING))


def _name_subject(step: Instruction) -> str:
    """Return what the instruction is about, as the goal says it."""
    return next((str(got) for name in ("target", "source_name", "option") if (got := getattr(step, name, ""))), "")


def _is_same_subject(one: str, other: str) -> bool:
    """True if they may be the same thing; what has no name may be any."""
    return not one or not other or is_same_word(one, other)


def _look_at_state(step: Instruction, proof: Proof, scene: Scene) -> str:
    wanted = {"on": True, "off": False}.get(proof.after)
    if is_alarm(proof.subject) and names_time(proof.subject):
        switches = [row.switch for row in find_alarms(scene, proof.subject)]
    else:
        best = scene.find_element(proof.subject, "checkable").best if proof.subject else None
        switches = [best.target] if best is not None else []
    if not switches or wanted is None or switches[0].checked in (None, wanted):
        return ""
    state = scene.say("关闭", "off") if wanted else scene.say("开启", "on")
    return scene.say(f"“{proof.subject}”又是{state}状态", f"“{proof.subject}” is {state} again")


def _look_at_text(step: Instruction, proof: Proof, scene: Scene) -> str:
    name = _name_subject(step) or proof.subject
    found = scene.find_element(name, "editable").best if name else None
    field = found.target if found is not None else None
    if field is None or not field.editable or field.name != proof.subject:
        return ""
    if not proof.after:
        return scene.say(f"里面又有“{field.value}”", f"it holds “{field.value}” again") if field.value else ""
    if holds_text(field, proof.after) or fold_name(proof.after) in fold_name(field.value):
        return ""
    return scene.say(f"输入框里现在是“{field.value}”", f"its field now holds “{field.value}”")


def _look_at_value(step: Instruction, proof: Proof, scene: Scene) -> str:
    if not isinstance(step, say.Select):
        return ""
    other = read_other_choice(scene, step)
    return scene.say(f"显示的是“{other}”", f"it shows “{other}”") if other else ""


def _look_at_gone(step: Instruction, proof: Proof, scene: Scene) -> str:
    """`before` is how often it was shown before it was deleted."""
    count = int(proof.before) if proof.before.isdigit() else 0
    if not isinstance(step, say.Delete) or not count or len(scene.find_shown(proof.subject)) < count:
        return ""
    return scene.say(f"“{proof.subject}”又出现了", f"“{proof.subject}” is there again")


def _look_at_message(step: Instruction, proof: Proof, scene: Scene) -> str:
    box = find_message_box(scene)
    if box is None or (proof.subject and not is_talking_to(scene, proof.subject, box)):
        return ""
    if failure := find_failure(scene, proof.after):
        return scene.say(f"聊天里显示“{failure}”", f"the conversation says “{failure}”")
    if count_mine(scene, box, proof.after):
        return ""
    # an older one may have moved out of sight by those behind it; then the box is not what holds it now
    held = holds_text(box, proof.after)
    return scene.say("消息又回到了输入框里", "the message is back in the box") if held else ""


def _look_at_created(step: Instruction, proof: Proof, scene: Scene) -> str:
    if not isinstance(step, say.Create) or is_same_word(step.what, "timer") or not fold_name(proof.subject):
        return ""
    clock = read_clock(proof.subject) if is_same_word(step.what, "alarm") else None
    if clock is not None and any(row.clock == clock for row in list_alarm_rows(scene)):
        return ""  # 21:00, however the clock writes it
    if any(fold_name(proof.subject) in fold_name(e.text) for e in scene.elements if e.text):
        return ""
    return scene.say(f"“{proof.subject}”不见了", f"“{proof.subject}” is not there any more")


def _look_at_front(step: Instruction, proof: Proof, scene: Scene) -> str:
    """An app that has left by itself; the device says where its home is."""
    if not isinstance(step, say.Open) or not scene.briefing.observation.at_home or proof.where == place_of(scene):
        return ""
    return scene.say("主屏幕又回到了最前面", "the home screen is in front again")


def _look_at_inside(step: Instruction, proof: Proof, scene: Scene) -> str:
    asked = any(field.password for field in scene.list_fields())
    return scene.say("又在要密码", "the password is asked again") if asked else ""


_LOOKS: dict[ProofKind, Callable[[Instruction, Proof, Scene], str]] = {
    "text": _look_at_text,
    "value": _look_at_value,
    "state": _look_at_state,
    "gone": _look_at_gone,
    "sent": _look_at_message,
    "seen": _look_at_created,
    "front": _look_at_front,
    "entered": _look_at_inside,
}
