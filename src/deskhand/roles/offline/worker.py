"""The model-free worker: reads the goal by grammar, grounds it in the elements, acts, and checks what came of it.

Keeps nothing between calls: its place is the bookmark. Text on the screen is data and is never read as an instruction.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from deskhand.roles.offline import instructions as say
from deskhand.roles.offline.grammar import parse
from deskhand.roles.offline.instructions import Instruction
from deskhand.roles.offline.outcome import Act, Failed, Finished, Outcome
from deskhand.roles.offline.place import Place, read_place
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies import (
    calculating,
    checking,
    creating,
    messaging,
    moving,
    opening,
    toggling,
    touching,
    writing,
)
from deskhand.types import Briefing, Decision, Verdict

Strategy = Callable[[Any, Scene], Outcome]

_STRATEGIES: dict[type[Instruction], Strategy] = {
    say.Open: opening.open_thing,
    say.Visit: opening.visit,
    say.Close: opening.close_thing,
    say.Tap: touching.tap,
    say.Find: touching.find,
    say.Select: touching.select,
    say.Delete: touching.delete,
    say.Toggle: toggling.toggle,
    say.Write: writing.write,
    say.Clear: writing.clear,
    say.Search: writing.search,
    say.SetValue: writing.set_value,
    say.Scrolling: moving.scroll,
    say.Swiping: moving.swipe,
    say.Pausing: moving.pause,
    say.GoBack: moving.back,
    say.GoHome: moving.home,
    say.PressKey: moving.press,
    say.Verify: checking.verify,
    say.WaitUntil: checking.wait_until,
    say.Ask: checking.ask,
    say.Read: checking.read,
    say.Send: messaging.send,
    say.Compute: calculating.compute,
    say.Create: creating.create,
    say.AddToCart: creating.add_to_cart,
}

# These are told to the device by name and need nothing on the screen: an empty desktop has no tree.
_BLIND = (say.Open, say.Visit, say.GoHome, say.PressKey, say.Pausing)


class OfflineWorker:
    """A Worker that needs no model, only the list of elements."""

    needs_elements = True

    async def decide(self, briefing: Briefing) -> Decision:
        place = read_place(briefing.bookmark)
        place.extra += [message for message in briefing.messages if message not in place.extra]
        steps, unknown = understood(briefing, place)
        scene = _scene(briefing, place)
        if unknown:
            return _fail(scene, place, _not_understood(scene, unknown))
        if not steps:
            return _fail(scene, place, scene.say("目标里没有可以执行的内容。", "The goal holds nothing to carry out."))
        return _carry_on(briefing, place, steps)


def understood(briefing: Briefing, place: Place) -> tuple[tuple[Instruction, ...], list[str]]:
    """All instructions of the goal, then of what was said since; and the parts of the goal that are none.

    A remark in the middle of the work that is no instruction (a correction meant for a model) is passed over.
    """
    goal = parse(briefing.subtask.title or briefing.goal)
    said = [step for text in place.extra for step in parse(text) if not isinstance(step, say.NotUnderstood)]
    return (*goal, *said), [step.source for step in goal if isinstance(step, say.NotUnderstood)]


def _carry_on(briefing: Briefing, place: Place, steps: tuple[Instruction, ...]) -> Decision:
    verdict: Verdict | None = None
    while place.index < len(steps):
        scene = _scene(briefing, place)
        step = steps[place.index]
        if briefing.observation.elements is None and not isinstance(step, _BLIND):
            return _fail(scene, place, _blind(scene), verdict)
        outcome = _STRATEGIES[type(step)](step, scene)
        verdict = verdict or scene.verdict
        match outcome:
            case Act():
                return Decision(
                    kind="actions",
                    actions=outcome.actions,
                    verdict=verdict or _carried_out(scene),
                    thought=f"[{place.index + 1}/{len(steps)}] {step.source}",
                    message=outcome.thought,
                    bookmark=place.write(),
                )
            case Finished():
                # an app that was only brought to the front may still show the page where someone left it
                place.kept["left_over"] = place.memo.get("way") in ("app", "icon")
                place.advance(outcome.evidence)
            case Failed():
                return _fail(scene, place, outcome.reason, verdict)
    scene = _scene(briefing, place)
    return Decision(
        kind="done",
        verdict=verdict or _carried_out(scene),
        message=_summary(scene, place),
        bookmark=place.write(),
    )


def _scene(briefing: Briefing, place: Place) -> Scene:
    elements = briefing.observation.elements or ()
    return Scene(briefing, elements, place.memo, place.kept, first=place.index == 0)


def _carried_out(scene: Scene) -> Verdict | None:
    """Where a strategy did not judge by what it saw: did the device carry out what it was told?"""
    if scene.briefing.last is None:
        return None
    return Verdict(success=not scene.trouble, reason=scene.trouble)


def _fail(scene: Scene, place: Place, reason: str, verdict: Verdict | None = None) -> Decision:
    done = place.done
    if done:
        before = scene.say("；".join(done), "; ".join(done))
        reason = scene.say(f"{reason}（已完成：{before}）", f"{reason} (done before: {before})")
    return Decision(kind="fail", verdict=verdict or _carried_out(scene), message=reason, bookmark=place.write())


def _summary(scene: Scene, place: Place) -> str:
    told = scene.say("，".join(place.done) + "。", "; ".join(place.done) + ".")
    return told[0].upper() + told[1:] if place.done else scene.say("已完成。", "Done.")


def _not_understood(scene: Scene, parts: list[str]) -> str:
    quoted = "、".join(f"“{p}”" for p in parts) if scene.zh else ", ".join(f"“{p}”" for p in parts)
    return scene.say(
        f"没有看懂这部分：{quoted}。可以说：打开…，点击…，在…里输入…，找到…，给…发消息“…”，打开/关闭…开关，读取…，确认…。",
        f"This part was not understood: {quoted}. Try: open …, click …, type … into …, find …, send “…” to …, "
        "turn … on or off, read …, verify that ….",
    )


def _blind(scene: Scene) -> str:
    problem = scene.briefing.observation.problem or scene.say(
        "设备没有给出元素列表", "the device gave no list of elements"
    )
    return scene.say(f"看不到屏幕上有什么：{problem}", f"What is on the screen can't be read: {problem}")
