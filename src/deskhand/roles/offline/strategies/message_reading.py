"""Answers what the last message of a conversation is: opens it, and tells whose message it is by its side."""

import re
from dataclasses import dataclass, replace
from typing import Literal

from deskhand.core.actions import Answer
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.outcome import Outcome, make_act
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.bubbles import list_bubbles
from deskhand.roles.offline.strategies.messaging import find_message_box, is_talking_to, reach_person

Side = Literal["theirs", "mine", "any"]

_LAST = r"(?:last|latest|newest|most recent)"
_WHAT = r"(?:(?:text |chat )?message|text|reply)"
_LAST_ZH = r"(?:最后|最新|最近)的?(?:一[条则个句])?"
_WHAT_ZH = r"(?:聊天)?(?:消息|信息|短信|微信|回复)"
# (whose, how it is said); the person stands in the only group
_SAID: tuple[tuple[Side, re.Pattern[str]], ...] = (
    ("mine", re.compile(rf"my {_LAST} {_WHAT} to (.+)", re.IGNORECASE)),
    ("mine", re.compile(rf"(?:the )?{_LAST} {_WHAT} (?:that )?i sent (?:to )?(.+)", re.IGNORECASE)),
    ("theirs", re.compile(rf"(?:the )?{_LAST} {_WHAT} (?:from|by|of|sent by) (.+)", re.IGNORECASE)),
    ("theirs", re.compile(rf"(.+?)['’]s {_LAST} {_WHAT}", re.IGNORECASE)),
    ("any", re.compile(rf"(?:the )?{_LAST} {_WHAT} (?:in the (?:chat|conversation) )?with (.+)", re.IGNORECASE)),
    ("mine", re.compile(rf"我(?:发)?给(.+?)(?:发)?的?{_LAST_ZH}(?:发的)?{_WHAT_ZH}")),
    ("any", re.compile(rf"[和与跟](.+?)(?:聊天)?(?:里|中)?的?{_LAST_ZH}{_WHAT_ZH}")),
    ("theirs", re.compile(rf"(.+?)(?:给我)?(?:发来|发给我|发|说)?的?{_LAST_ZH}(?:发来|发|说|给我发)?的?{_WHAT_ZH}")),
)


@dataclass(frozen=True, slots=True)
class LastMessage:
    person: str
    side: Side


def read_request(target: str) -> LastMessage | None:
    """Return whose last message is asked for; None if it is something else."""
    for side, pattern in _SAID:
        if found := pattern.fullmatch(target.strip()):
            return LastMessage(found[1].strip(" “”\"'"), side)
    return None


def read_last_message(step: say.Read, asked: LastMessage, scene: Scene) -> Outcome:
    box = find_message_box(scene)
    if not is_talking_to(scene, asked.person, box) or box is None:
        return reach_person(scene, say.Send(step.source, "", asked.person))
    bubbles = list_bubbles(scene, box)
    if asked.side != "any" and any(b.mine is None for b in bubbles):
        return scene.fail_with(
            "这个聊天里看不出每条消息是谁发的。", "This conversation does not show who wrote which message."
        )
    fitting = [b for b in bubbles if asked.side == "any" or b.mine is (asked.side == "mine")]
    if not fitting:
        whose = scene.say("我", "me") if asked.side == "mine" else asked.person
        return scene.fail_with(
            f"屏幕上没有{whose}发的消息。", f"No message from {whose} is on the screen of this conversation."
        )
    text = fitting[-1].text
    told = scene.say(f"{step.target}：{text}", f"{step.target}: {text}")
    scene.remember_record(replace(scene.memory.check, answer=told))
    return make_act(scene.say(f"回答：{told}", f"Answering: {told}"), Answer(text=told))
