"""Copies what stands on the screen into a field: read first, then typed like any other text, and read back."""

from dataclasses import replace

from deskhand.core.actions import Drag
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import HuntMemory
from deskhand.roles.offline.outcome import Outcome, make_act
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.content.page_texts import find_passage, read_passage
from deskhand.roles.offline.strategies.effects import find_effect, take_sight, wait_for_effect
from deskhand.roles.offline.strategies.hunting import locate_thing
from deskhand.roles.offline.strategies.writing import write_text
from deskhand.screen.grounding.find import Candidate


def transfer_text(step: say.Transfer, scene: Scene) -> Outcome:
    """What was read is kept in memory: the screen changes while it is typed."""
    text = scene.memory.write.fetched
    if not text:
        passage = read_passage(scene, step.what)
        if passage is None or passage.cut:
            return _look_further(scene, step)
        text = passage.text
        scene.remember_record(HuntMemory())
        scene.remember_record(replace(scene.memory.write, fetched=text))
    return write_text(say.Write(step.source, text, step.target), scene)


def _look_further(scene: Scene, step: say.Transfer) -> Outcome:
    """Wait for it, and scroll to it; what can't be told apart or read to its end is not guessed at."""
    found = locate_thing(scene, step.what, "any", stages=("scroll",))
    if not isinstance(found, Candidate):
        return found
    return scene.fail_with(
        f"看不出“{step.what}”是哪段文字，或者它太长、读不全。",
        f"Which text “{step.what}” is can't be told from this screen, or it is too long to be read whole.",
    )


def select_text(step: say.SelectText, scene: Scene) -> Outcome:
    """Drag the pointer from the first letter to behind the last one; the marked words look different then."""
    memory = scene.memory.touch
    if memory.touched:
        if scene.trouble:
            return scene.fail_with(f"没有选中文字：{scene.trouble}。", f"The text was not selected: {scene.trouble}.")
        if memory.before and (proof := find_effect(scene, memory.before, usable=True)):
            scene.judge_last(True)
            return scene.finish_with(f"选中了“{step.target}”的文字", f"selected the text of “{step.target}”", proof)
        scene.remember_record(replace(memory, looks=memory.looks + 1))
        return wait_for_effect(scene, memory.looks) or scene.fail_with(
            "拖过文字后看不到选中的样子。", "Nothing shows that the text was selected."
        )
    passage = find_passage(scene, step.target)
    if not scene.can_do("drag") or passage is None or passage.element is None:
        return scene.fail_with(
            f"看不出“{step.target}”是哪段文字。", f"Which text “{step.target}” is can't be told from this screen."
        )
    box = passage.element.bounds
    scene.remember_record(replace(memory, touched=step.target, before=take_sight(scene, box)))
    thought = scene.say(f"选中“{step.target}”的文字", f"Selecting the text of “{step.target}”")
    edge = 3
    drag = Drag(x=box.left, y=box.top + edge, to_x=box.right + edge, to_y=box.bottom - edge, target=passage.text[:40])
    return make_act(thought, drag)
