"""The model-free worker: reads the goal by grammar, grounds it in the elements, acts, and checks what came of it.

Keeps nothing between calls: its place is the bookmark. Text on the screen is data and is never read as an instruction.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from deskhand.core.actions import PAGE_ERROR, Type
from deskhand.core.decisions import Briefing, Decision, Verdict
from deskhand.fault_words import to_chinese
from deskhand.roles.offline import detour
from deskhand.roles.offline.bookmark import LastReply, WorkerPlace, read_place
from deskhand.roles.offline.evidence.needs import describe_missing, is_proof_of
from deskhand.roles.offline.evidence.recheck import find_lost, is_left_unconfirmed, place_of
from deskhand.roles.offline.evidence.whole_goal import find_gap, list_instructions, list_unknown, pair_proofs
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.manager import EMPTY_GOAL
from deskhand.roles.offline.memory import GoalMemory, InstructionMemory
from deskhand.roles.offline.outcome import Act, Failed, Finished, Outcome, look_again
from deskhand.roles.offline.scene import Scene, drop_goal_echo
from deskhand.roles.offline.strategies import (
    calculating,
    checking,
    choosing,
    creating,
    deleting,
    forms,
    handling,
    messaging,
    moving,
    obstacles,
    opening,
    toggling,
    touching,
    unfolding,
    writing,
)
from deskhand.roles.offline.strategies.content import transferring
from deskhand.roles.offline.strategies.desktop import cells, saving
from deskhand.roles.offline.strategies.phone import clock_work, networks, picture_taking, telling
from deskhand.roles.offline.strategies.placing import dragging

Strategy = Callable[[Any, Scene], Outcome]

_STRATEGIES: dict[type[Instruction], Strategy] = {
    say.Open: opening.open_thing,
    say.Visit: opening.visit_address,
    say.Close: opening.close_thing,
    say.Tap: touching.tap_thing,
    say.Find: touching.find_thing,
    say.Select: choosing.select_option,
    say.SelectNone: choosing.choose_nothing,
    say.Reveal: unfolding.reveal_thing,
    say.Delete: deleting.delete_thing,
    say.Toggle: toggling.toggle_switch,
    say.Write: writing.write_text,
    say.Clear: writing.clear_field,
    say.Transfer: transferring.transfer_text,
    say.SelectText: transferring.select_text,
    say.Shift: dragging.shift_thing,
    say.Place: dragging.place_thing,
    say.Resize: dragging.resize_thing,
    say.Search: writing.search_text,
    say.SetValue: writing.set_value,
    say.Scrolling: moving.scroll_screen,
    say.Swiping: moving.swipe_screen,
    say.Pausing: moving.wait_seconds,
    say.GoBack: moving.go_back,
    say.GoHome: moving.go_home,
    say.PressKey: moving.press_key,
    say.Verify: checking.verify_condition,
    say.WaitUntil: checking.wait_until,
    say.Ask: checking.answer_question,
    say.Read: checking.read_value,
    say.Send: messaging.send_message,
    say.Compute: calculating.compute_sum,
    say.Create: creating.create_thing,
    say.AddToCart: creating.add_to_cart,
    say.Drag: handling.drag_thing,
    say.Hover: handling.hover_thing,
    say.Expand: handling.expand_thing,
    say.ArrangeWindow: handling.arrange_window,
    say.Edit: handling.edit_content,
    say.GoToCell: cells.go_to_cell,
    say.SaveAs: saving.save_as,
    say.LogIn: forms.log_in,
    say.Upload: forms.upload_file,
    say.AddTo: forms.add_to_existing,
    say.Call: forms.call_person,
    say.Another: moving.refuse_in_goal,
    say.StartAgain: moving.refuse_in_goal,
    say.TakePhoto: picture_taking.take_photo,
    say.Favour: picture_taking.mark_favourite,
    say.JoinNetwork: networks.join_network,
    say.StartTimer: clock_work.start_timer,
    say.MoveAlarm: clock_work.move_alarm,
    say.ListAlarms: clock_work.list_alarms,
    say.ReadNote: telling.read_note,
    say.ReadWeather: telling.read_weather,
}

# How many of the texts that were typed are kept in mind.
MOST_TYPED = 20
# Looks, half a second apart, before it is said that something did not last.
LOOKS = 2
# What a page forgets when it is loaded anew.
_FILLING = (say.Write, say.Clear, say.Select, say.SetValue)
# What only looks: a dialog or an error on the screen may be just what is looked for.
_LOOKING = (
    say.Verify, say.WaitUntil, say.Ask, say.Read, say.Find, say.Scrolling, say.Pausing,
    say.ReadNote, say.ReadWeather, say.ListAlarms,
)  # fmt: skip
# These are told to the device by name and need nothing on the screen: an empty desktop has no tree.
_BLIND = (say.Open, say.Visit, say.GoHome, say.PressKey, say.Pausing, say.Edit)
# How devices begin to say the same.
_UNREADABLE = "The elements can't be read: "


class OfflineWorker:
    """A Worker that needs no model, only the list of elements."""

    needs_elements = True

    async def decide(self, briefing: Briefing) -> Decision:
        place = _read_standing(briefing)
        _take_in_messages(briefing, place)
        before = place.to_text()
        steps, unknown = read_instructions(briefing, place)
        if briefing.reopened and briefing.observation.at_home:
            # nothing of it is there any more
            place.index, place.memory, place.proofs, place.done = 0, InstructionMemory(), [], []
        elif briefing.reopened:
            _fill_in_again(place, steps, place_of(_make_scene(briefing, place)))
        scene = _make_scene(briefing, place)
        if unknown:
            return _make_failure(scene, place, _describe_unclear(scene, unknown))
        if not steps:
            return _make_failure(scene, place, scene.say(*EMPTY_GOAL))
        place.reply = LastReply(briefing.step, scene.print, before)
        if place.detour is None:
            return _carry_out(briefing, place, steps)
        if (move := detour.make_next_move(briefing, place, steps, _STRATEGIES)) is None:
            return _carry_out(detour.end_detour(briefing, place), place, steps)
        return _make_decision(move[0], move[1], place, scene.say("纠正", "correction"))


def _read_standing(briefing: Briefing) -> WorkerPlace:
    """Return where the work stands: before the last reply, if none of its actions was executed."""
    place = read_place(briefing.bookmark)
    reply, place.reply = place.reply, None
    return read_place(reply.before) if reply and _is_undone(briefing, place, reply) else place


def _is_undone(briefing: Briefing, place: WorkerPlace, reply: LastReply) -> bool:
    """A pause came before it was sent; or it was cut off by a crash, the screen is as it was, and doing it is safe."""
    report = next((report for report in briefing.history if report.step == reply.step), None)
    if report is not None:
        return not report.actions and not report.error
    here = read_instructions(briefing, place)[0][place.index :][:1]
    safe = place.detour is not None or isinstance(next(iter(here), None), detour.REPEATABLE)
    return safe and reply.print == _make_scene(briefing, place).print


def _fill_in_again(place: WorkerPlace, steps: tuple[Instruction, ...], here: str) -> None:
    """Go back to the first of the last instructions that only fill in or look: what they did is gone with the page.

    Not to those of an earlier page: what led on from it was done, and is looked for.
    """
    first = min(place.index, len(steps))
    if _has_led_on(place, here):
        return
    while first > 0 and isinstance(steps[first - 1], (*detour.REPEATABLE, *_FILLING)):
        first -= 1
    place.index, place.memory = first, InstructionMemory()


def _has_led_on(place: WorkerPlace, here: str) -> bool:
    """True if the instruction that is under way has touched something, and another page is shown than before it."""
    proof = place.proofs[place.index - 1] if 0 < place.index <= len(place.proofs) else None
    return proof is not None and proof.where != here and bool(place.memory.touch.touched)


def _take_in_messages(briefing: Briefing, place: WorkerPlace) -> None:
    """Take in what the user said since: help goes before everything else, more to do behind it."""
    for message in briefing.messages:
        if detour.is_for_now(message):
            detour.begin_detour(place, message, briefing.step)
        elif message not in place.extra:
            place.extra.append(message)


def _make_decision(
    outcome: Act, scene: Scene, place: WorkerPlace, thought: str, verdict: Verdict | None = None
) -> Decision:
    return Decision(
        kind="actions",
        actions=outcome.actions,
        verdict=verdict or scene.verdict or _judge_executed(scene),
        thought=thought,
        message=outcome.thought,
        bookmark=place.to_text(),
    )


def read_instructions(briefing: Briefing, place: WorkerPlace) -> tuple[tuple[Instruction, ...], list[str]]:
    """All instructions of the goal, then of what was said since; and the parts of the goal that are none.

    A remark in the middle of the work that is not an instruction as a whole (advice meant for a model, a report of
    what changed on the screen) is passed over: words of the screen in it must not be followed.
    """
    title = briefing.subtask.title or briefing.goal
    return list_instructions(title, place), list_unknown(parse_goal(title))


def _carry_out(briefing: Briefing, place: WorkerPlace, steps: tuple[Instruction, ...]) -> Decision:
    verdict: Verdict | None = None
    while place.index < len(steps):
        scene = _make_scene(briefing, place, steps[: place.index])
        step = steps[place.index]
        if lost := _look_before_act(scene, place, steps, verdict):
            return lost
        if briefing.observation.elements is None and not isinstance(step, _BLIND):
            return _make_failure(scene, place, _describe_blindness(scene), verdict)
        outcome = _STRATEGIES[type(step)](step, scene)
        place.memory, place.kept = scene.memory, scene.kept
        verdict = verdict or scene.verdict
        match outcome:
            case Act():
                place.kept = _note_typed(place.kept, outcome)
                taken = place.kept.taken
                if taken is not None and taken.index is None:
                    place.kept = replace(place.kept, taken=replace(taken, index=place.index))
                return _make_decision(outcome, scene, place, f"[{place.index + 1}/{len(steps)}] {step.source}", verdict)
            case Finished() if (error := _find_page_error(briefing)) and not isinstance(step, _LOOKING):
                return _make_failure(scene, place, _describe_page_error(scene, outcome, error), verdict)
            case Finished() if not is_proof_of(step, outcome.proof):
                return _make_failure(scene, place, describe_missing(step, scene) + scene.say("。", "."), verdict)
            case Finished():
                # an app that was only brought to the front may still show the page where someone left it
                place.kept = replace(place.kept, left_over=place.memory.open.way in ("app", "icon"))
                if isinstance(step, say.Visit):
                    place.kept = replace(place.kept, typed=())  # another page: its fields hold what it put there
                if not isinstance(step, (*_LOOKING, say.Open, say.Visit)):
                    place.kept = replace(place.kept, own_dialog=obstacles.keep_own_dialog(scene))
                place.finish_instruction(outcome, place_of(scene))
            case Failed():
                return _make_failure(scene, place, outcome.reason, verdict)
    scene = _make_scene(briefing, place)
    if unanswered := _answer_open_question(scene, place, steps) or _look_before_act(scene, place, steps, verdict):
        return unanswered
    if gap := find_gap(pair_proofs(steps, place.proofs), scene):
        return _look_or_fail(scene, place, gap, verdict)
    place.reply = None
    verdict, told = verdict or _judge_executed(scene), _summarize_done(scene, place)
    return Decision(kind="done", verdict=verdict, message=told, bookmark=place.to_text())


def _look_before_act(
    scene: Scene, place: WorkerPlace, steps: Sequence[Instruction], verdict: Verdict | None
) -> Decision | None:
    """Look once more at what was done before, as long as it can be seen: None if it is all there."""
    if place.memory != InstructionMemory():
        return None
    step, before = (*steps, None)[place.index], pair_proofs(steps[: place.index], place.proofs)
    if is_left_unconfirmed(step, before) and place.kept.confirmed < place.index:
        place.kept = replace(place.kept, confirmed=place.index)
        again = look_again(scene.say("确认它没有变回去", "Making sure that it lasts"))
        return _make_decision(again, scene, place, before[-1][0].source, verdict)
    lost = find_lost(step, before, scene)
    return _look_or_fail(scene, place, lost, verdict) if lost else None


def _look_or_fail(scene: Scene, place: WorkerPlace, gap: str, verdict: Verdict | None) -> Decision:
    """Look again, a few times, at what was proven and does not seem to hold: a page may be drawn anew."""
    if place.kept.relooks >= LOOKS:
        return _make_failure(scene, place, gap + scene.say("。", "."), verdict)
    place.kept = replace(place.kept, relooks=place.kept.relooks + 1)
    again = look_again(scene.say("再看一眼做过的事", "Looking again at what was done"))
    return _make_decision(again, scene, place, gap, verdict)


def _note_typed(kept: GoalMemory, act: Act) -> GoalMemory:
    """Keep in mind what is about to be typed."""
    typed = [one.action.text for one in act.actions if isinstance(one.action, Type) and one.action.text]
    return replace(kept, typed=(*kept.typed, *typed)[-MOST_TYPED:]) if typed else kept


def _find_page_error(briefing: Briefing) -> str:
    """Return what the page says is wrong with what was just done there; empty if it says nothing."""
    details = [one.detail for one in briefing.last.actions] if briefing.last else []
    told = next((detail.partition(PAGE_ERROR)[2] for detail in details if PAGE_ERROR in detail), "")
    # What came up later than the device's own look stands on the screen.
    return told.lstrip(": ") or " · ".join(e.error for e in briefing.observation.elements or () if e.error)


def _describe_page_error(scene: Scene, outcome: Finished, told: str) -> str:
    done = outcome.evidence[:1].upper() + outcome.evidence[1:]
    return scene.say(f"{done}，但页面报错：{told}", f"{done}, but {PAGE_ERROR}: {told}")


def _answer_open_question(scene: Scene, place: WorkerPlace, steps: Sequence[Instruction]) -> Decision | None:
    """What the last instruction has brought up: a message is put away, a question that nobody has answered is told."""
    parts = obstacles.find_open_question(scene) or (
        obstacles.find_waiting_dialog(scene) if _is_saving(steps[-1]) else []
    )
    if not parts or isinstance(steps[-1], _LOOKING):
        return None
    message, choices = parts[0].name or next((e.text for e in parts if e.text), ""), obstacles.list_buttons(parts)
    if len(choices) == 1 and (away := obstacles.dismiss_dialog(scene)):
        place.kept = scene.kept
        place.done.append(scene.say(f"页面提示“{message}”", f"the page said “{message}”"))
        return _make_decision(away, scene, place, scene.say("关掉提示", "putting a message away"))
    names = scene.quote_names(e.text for e in choices)
    return _make_failure(
        scene,
        place,
        scene.say(
            f"页面在问“{message}”（{names}），还没有人回答：请在目标里说明怎么回答。",
            f"The page asks “{message}” ({names}) and nobody has answered: say in the goal which one to click.",
        ),
    )


def _is_saving(step: Instruction) -> bool:
    """True for what saves at once, unless the program asks something first."""
    keys = step.keys if isinstance(step, say.PressKey) else ()
    return (len(keys) > 1 and keys[-1].casefold() == "s") or (isinstance(step, say.Edit) and step.command == "save")


def _make_scene(briefing: Briefing, place: WorkerPlace, earlier: tuple[Instruction, ...] = ()) -> Scene:
    elements = drop_goal_echo(briefing.goal, briefing.observation.elements or ())
    return Scene(briefing, elements, place.memory, place.kept, first=place.index == 0, earlier=earlier)


def _judge_executed(scene: Scene) -> Verdict | None:
    """Judge by the device's report alone, where a strategy did not judge by what it saw."""
    return Verdict(success=not scene.trouble, reason=scene.trouble) if scene.briefing.last else None


def _make_failure(scene: Scene, place: WorkerPlace, reason: str, verdict: Verdict | None = None) -> Decision:
    done, place.reply = place.done, None
    if done:
        before = scene.say("；".join(done), "; ".join(done))
        reason = scene.say(f"{reason}（已完成：{before}）", f"{reason} (done so far: {before})")
    return Decision(kind="fail", verdict=verdict or _judge_executed(scene), message=reason, bookmark=place.to_text())


def _summarize_done(scene: Scene, place: WorkerPlace) -> str:
    told = scene.say("，".join(place.done) + "。", "; ".join(place.done) + ".")
    return told[0].upper() + told[1:] if place.done else scene.say("已完成。", "Done.")


def _describe_unclear(scene: Scene, parts: list[str]) -> str:
    quoted = scene.quote_names(parts)
    return scene.say(
        f"没有看懂这部分：{quoted}。可以说：打开…，点击…，在…里输入…，找到…，给…发消息“…”，打开/关闭…开关，读取…，确认…；"
        f"{_describe_read(scene)}名称和文字请加引号；配上模型（--model 或 models.operator）就能听懂更随意的说法。",
        f"This part was not understood: {quoted}. Try: open …, click …, type … into …, find …, send “…” to …, "
        f"turn … on or off, read …, verify that …. {_describe_read(scene)}Put names and texts in quotes, "
        "or set a model (--model or models.operator), which understands more.",
    )


def _describe_read(scene: Scene) -> str:
    """Say which parts of the goal were understood."""
    steps = parse_goal(scene.briefing.subtask.title or scene.briefing.goal)
    read = scene.quote_names(step.source for step in steps if not isinstance(step, say.NotUnderstood))
    return scene.say(f"看懂的是：{read}。", f"Understood: {read}. ") if read else ""


def _describe_blindness(scene: Scene) -> str:
    problem = scene.briefing.observation.problem or scene.say("设备没有给出元素", "the device returned no elements")
    chinese = to_chinese(problem)
    return scene.say(
        chinese if chinese != problem else f"读不出屏幕上的内容：{problem}",
        f"The screen can't be read: {problem.removeprefix(_UNREADABLE)}",
    )
