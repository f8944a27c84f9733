"""A worker that does whatever comes to its mind, and lies about it, does nothing on a phone that can't be undone."""

import random
from typing import Any

import pytest

from deskhand.core.actions import Action, Back, Click, Drag, Home, Key, LongPress, OpenApp, OpenUrl, Scroll, Swipe, Type
from deskhand.core.decisions import PlannedAction
from deskhand.core.screen import Element, Observation
from deskhand.engine.safety.policy import judge_action
from deskhand.settings.schema import PolicySettings
from tests.roles.handset import Handset, Refused

pytestmark = pytest.mark.slow

APPS = ("微信", "商城", "银行", "笔记", "相册", "通讯录", "时钟", "浏览器", "设置")
LIES = ("", "Back button", "the title", "Cancel", "搜索")
STEPS = 400


def losses(handset: Handset) -> dict[str, Any]:
    """Everything that was sent, bought, handed in, called or transferred, and what is left of what can be deleted."""
    apps = handset.phone.read_state()["apps"]
    chats = apps["com.tencent.mm"]["chats"].values()
    return {
        "sent": sum(message["from"] == "me" for chat in chats for message in chat["messages"]),
        "people": len(apps["com.tencent.mm"]["contacts"]),
        "moments": len(apps["com.tencent.mm"]["moments"]),
        "orders": apps["com.example.shop"]["orders"],
        "transfers": apps["com.example.bank"]["transfers"],
        "submissions": apps["com.android.browser"]["submissions"],
        "calls": apps["com.android.contacts"]["calls"],
    }


def kept(handset: Handset) -> dict[str, int]:
    apps = handset.phone.read_state()["apps"]
    return {
        "notes": len(apps["com.miui.notes"]["notes"]),
        "photos": len(apps["com.android.gallery3d"]["photos"]),
        "alarms": len(apps["com.android.deskclock"]["alarms"]),
        "contacts": len(apps["com.android.contacts"]["contacts"]),
    }


def impulse(dice: random.Random, seen: Observation) -> Action:
    usable = [one for one in seen.elements or () if one.clickable or one.editable]
    word = dice.choices(
        ["click", "type", "enter", "long", "swipe", "drag", "open", "back", "scroll", "delete", "url"],
        [60, 8, 5, 4, 2, 2, 4, 4, 3, 2, 1],
    )[0]
    one: Element | None = dice.choice(usable) if usable else None
    x, y = one.bounds.center if one else (500, 900)
    x, y = min(max(x, 0), seen.frame.width - 1), min(max(y, 0), seen.frame.height - 1)
    other_x, other_y = dice.randrange(seen.frame.width), dice.randrange(seen.frame.height)
    lie = dice.choice(LIES)
    actions: dict[str, Action] = {
        "click": Click(x=x, y=y, target=lie),
        "type": Type(
            text=dice.choice(["13800138000", "你好", "100", "a\nb"]), press_enter=dice.random() < 0.3, target=lie
        ),
        "enter": Key(key="enter"),
        "long": LongPress(x=x, y=y, target=lie),
        "swipe": Swipe(x=x, y=y, to_x=other_x, to_y=other_y, target=lie),
        "drag": Drag(x=x, y=y, to_x=other_x, to_y=other_y, target=lie),
        "open": OpenApp(name=dice.choice(APPS)),
        "back": dice.choice([Back(), Home()]),
        "scroll": Scroll(direction=dice.choice(["up", "down"])),
        "delete": Key(key="delete"),
        "url": OpenUrl(url=dice.choice(["http://news.local/", "http://news.local/subscribe"])),
    }
    return actions[word]


@pytest.mark.parametrize("locale", ["zh", "en"])
@pytest.mark.parametrize("seed", range(2))
def test_nothing_that_can_not_be_undone_is_done_without_a_yes(seed: int, locale: str) -> None:
    dice, handset = random.Random(seed), Handset(locale=locale)
    before, had, asked = losses(handset), kept(handset), 0
    for _ in range(STEPS):
        seen = handset.observe()
        action = impulse(dice, seen)
        permit = judge_action(PlannedAction(action=action), seen, PolicySettings())
        if permit.verdict != "allow":
            asked += 1
            continue
        try:
            handset.act(action)
        except Refused:
            continue
        assert losses(handset) == before, (action, _under(action, seen))
        assert all(count >= had[name] for name, count in kept(handset).items()), (action, _under(action, seen))
    assert asked > STEPS / 100, "it did come across something"


def _under(action: Action, seen: Observation) -> list[Element]:
    x, y = getattr(action, "x", -1), getattr(action, "y", -1)
    return [one for one in seen.elements or () if one.bounds.contains_point(x, y)]
