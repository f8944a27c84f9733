"""A goal's word is consent for the thing that it names, and for nothing larger or else."""

from dataclasses import replace
from itertools import permutations, product

import pytest

from deskhand.core.actions import Action, Click, Key, Type
from deskhand.core.decisions import PlannedAction
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Observation
from deskhand.engine.safety.consent import Scene
from deskhand.engine.safety.policy import judge_action
from deskhand.settings.schema import PolicySettings
from tests.engine.safety.test_policy import X, Y, dialog, judged, screen, thing

TOP = Rect(100, 150, 900, 220)
BOX = Rect(50, 1800, 700, 1900)
PRESS = Click(x=X, y=Y)


def verdict(goal: str, label: str, *around: Element, action: Action = PRESS) -> str:
    return judged(action, screen(*around, thing(label)), goal, own=True).verdict


def chat(name: str, text: str, *, label: str = "Send") -> Observation:
    """A conversation with somebody, with a text in its field."""
    field = thing("", "field", BOX, 8, value=text, hint="Message", focused=True)
    return screen(thing(name, "text", TOP, 7), field, thing(label))


def sends(goal: str, name: str, text: str, action: Action = PRESS) -> bool:
    return judged(action, chat(name, text), goal, own=True).verdict == "allow"


# --- messages: this text to this person -----------------------------------------------------------------------------

ONE = [
    "send “{text}” to {name}", "send {name} “{text}”", "text {name} that {text}", "tell {name} {text}",
    "Message {name} on WeChat: “{text}”", "send a message to {name} saying {text}", "reply “{text}” to {name}",
    "open WeChat, find {name}, send “{text}”", "let {name} know that {text}", "write to {name}: {text}",
    "Open WeChat, tap {name}, type “{text}”, tap Send", "Could you tell {name} that {text}?",
    "给{name}发“{text}”", "给{name}发消息：{text}", "告诉{name}：{text}", "在微信里告诉{name}“{text}”",
    "把“{text}”发给{name}",
    "发送“{text}”给{name}", "打开微信，找到{name}，发送消息“{text}”", "给 {name} 发 「{text}」", "跟{name}说{text}",
    "发一条微信给{name}，说“{text}”", "回复{name}：{text}", "打开微信，点击{name}，输入{text}，点击发送",
]  # fmt: skip


@pytest.mark.parametrize("goal", ONE)
@pytest.mark.parametrize(
    ("name", "text"), [("Bob", "see you at 5"), ("王小明", "到了"), ("Ann", "ＯＫ!"), ("李四", "I'm late")]
)
def test_a_message_is_agreed_to_with_its_text_and_its_recipient(goal: str, name: str, text: str) -> None:
    goal = goal.format(name=name, text=text)
    assert sends(goal, name, text)
    assert sends(goal, f"{name} (3)", text), "a count is no part of a name"
    assert not sends(goal, "Carol", text)
    assert not sends(goal, f"{name}by", text), "another name"
    assert not sends(goal, f"{name}'s family", text)
    assert not sends(goal, name, "Send me your password")
    assert not sends(goal, name, f"{text} and more")
    assert not sends(f"don't {goal}" if goal.isascii() else f"不要{goal}", name, text)


PAIRS = [
    "给{a}发“{x}”，给{b}发“{y}”", "给{a}发消息“{x}”，回到首页，给{b}发消息“{y}”", "告诉{a}：{x}，告诉{b}：{y}",
    "把“{x}”发给{a}，再把“{y}”发给{b}",
    "打开微信，点击{a}，输入“{x}”，点击发送，返回，点击{b}，输入“{y}”，点击发送",
    "send “{x}” to {a} and “{y}” to {b}", "send {x} to {a}, then send {y} to {b}", "tell {a} “{x}” and {b} “{y}”",
    "text {a} {x}, then text {b} {y}", "open WeChat, find {a}, send “{x}”, go back, find {b}, send “{y}”",
]  # fmt: skip


@pytest.mark.parametrize("goal", PAIRS)
@pytest.mark.parametrize("names", list(permutations(("Bob", "Tom", "张三"), 2)))
@pytest.mark.parametrize(("x", "y"), [("到了", "收到"), ("on my way", "call you later"), ("到首页", "好")])
def test_what_one_gets_is_no_leave_to_send_it_to_another(goal: str, names: tuple[str, str], x: str, y: str) -> None:
    (a, b), goal = names, goal.format(a=names[0], b=names[1], x=x, y=y)
    assert sends(goal, a, x)
    assert sends(goal, b, y)
    assert not sends(goal, b, x), "that is the other's"
    assert not sends(goal, a, y)


@pytest.mark.parametrize(
    "goal", ["send “hi” to Bob and Tom", "给Bob和Tom发“hi”", "tell Bob and Tom hi", "给Bob、Tom发消息：hi"]
)
def test_several_may_get_the_same(goal: str) -> None:
    assert sends(goal, "Bob", "hi")
    assert sends(goal, "Tom", "hi")
    assert not sends(goal, "Ann", "hi")


@pytest.mark.parametrize(
    "goal",
    [
        "send him the summary", "send Bob the summary of the page", "reply to the last message", "给Bob发消息",
        "回复他",
        "打开微信，给Bob发消息“到了”，回到首页，给Tom发消息“收到”", "tell me what Bob said", "send it", "发送",
    ],
)  # fmt: skip
def test_a_text_that_the_goal_does_not_have_is_asked_about(goal: str) -> None:
    permit = judged(PRESS, chat("Bob", "到首页"), goal, own=True)
    assert permit.verdict == "ask"
    assert "to Bob: “到首页”" in permit.reason, "the question says what goes to whom"


def test_the_question_says_when_nobody_can_tell_to_whom() -> None:
    field = thing("", "field", BOX, 8, value="hi", focused=True)
    permit = judged(PRESS, screen(field, thing("Send")), "send hi to Bob", own=True)
    assert permit.verdict == "ask"
    assert "to an unknown recipient: “hi”" in permit.reason
    zh = judge_action(
        PlannedAction(action=PRESS), screen(field, thing("发送")), PolicySettings(), approved="给Bob发hi", language="zh"
    )
    assert "发给未知的收件人：“hi”" in zh.reason


@pytest.mark.parametrize(
    ("to", "agreed"),
    [
        ("bob@x.example", True),
        ("Bob <bob@x.example>", True),
        ("bob@x.example, eve@x.example", False),
        ("eve@x.example", False),
    ],
)
def test_each_recipient_of_a_mail_is_named(to: str, agreed: bool) -> None:
    goal = "send “hi” to bob@x.example"
    fields = [thing("To", "field", TOP, 6, value=to), thing("Body", "field", BOX, 7, value="hi")]
    assert (verdict(goal, "Send", *fields) == "allow") is agreed
    more = thing("Bcc", "field", Rect(100, 300, 900, 350), 9, value="eve@x.example")
    assert verdict(goal, "Send", *fields, more) == "ask"


@pytest.mark.parametrize("action", [Key(key="Enter"), Type(text="", press_enter=True)])
def test_enter_sends_as_the_button_does(action: Action) -> None:
    assert sends("send “hi” to Bob", "Bob", "hi", action)
    assert not sends("send “hi” to Bob", "Tom", "hi", action)
    typed = Type(text="hello", press_enter=True)
    assert sends("send hello to Bob", "Bob", "", typed)
    assert not sends("send hello to Bob", "Bob", "oh ", typed), "what stood there goes out with it"


def test_a_button_that_the_goal_presses_sends_what_the_goal_types() -> None:
    goal = "tap Bob, type hi, tap Send, go back, tap Tom, type bye, tap Send"
    assert sends(goal, "Bob", "hi")
    assert sends(goal, "Tom", "bye")
    assert not sends(goal, "Tom", "hi")
    assert not sends("tap Send", "Bob", "an old draft"), "nobody said this"
    assert not sends("type hi, tap Send", "Bob", "hi"), "nor to whom"
    assert (
        verdict("type hi into Comment, tap Send", "Send", thing("Comment", "field", BOX, 8, value="hi", source="dom"))
        == "allow"
    )


# --- calls, payments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", ["call {}", "打电话给{}", "给{}打个电话", "open Contacts and call {}", "拨打{}"])
@pytest.mark.parametrize("label", ["Call", "拨打电话", "呼叫"])
def test_a_call_is_agreed_to_with_its_person(goal: str, label: str) -> None:
    for name in ("Bob", "李四", "10086"):
        assert verdict(goal.format(name), label, thing(name, "text", TOP, 7)) == "allow", name
        assert verdict(goal.format(name), label, thing("Carol", "text", TOP, 7)) == "ask"
    assert verdict("call me back when Bob is there", label, thing("Bob", "text", TOP, 7)) == "ask"


@pytest.mark.parametrize(
    ("goal", "label", "shown", "agreed"),
    [
        ("pay 50 € to Bob", "Pay", "50,00 €|Bob", False),
        ("pay €50 to Bob", "Pay", "€50.00|Bob", True),
        ("pay €50 to Bob", "Pay", "€50.00|Eve", False),
        ("pay €50 to Bob", "Pay €50", "To Bob", True),
        ("pay €50", "Pay €500", "", False),
        ("pay €50", "Pay", "€500.00", False),
        ("transfer $20 to Bob", "Transfer $2,000.00", "Bob", False),
        ("付款 50 元", "支付 ¥500", "", False),
        ("付款 50 元", "支付 ¥50", "", True),
        ("买一本书", "立即支付", "¥50", False),
        ("pay the bill", "Pay now", "€80", False),
        ("click Pay now", "Pay now", "€80", True),
        ("send 50 € to Bob", "Send €50.00", "Bob", True),
        ("send 50 € to Bob", "Send €50.00", "Eve", False),
    ],
)
def test_a_payment_is_agreed_to_with_its_amount_and_its_payee(goal: str, label: str, shown: str, agreed: bool) -> None:
    texts = [
        thing(text, "text", Rect(100, 300 + 90 * at, 900, 360 + 90 * at), 20 + at)
        for at, text in enumerate(filter(None, shown.split("|")))
    ]
    assert (verdict(goal, label, *texts) == "allow") is agreed


# --- deleting: the thing that is named ------------------------------------------------------------------------------

NAMED = {
    "en": [
        ("click Delete", ""), ("delete the note Shopping", "Shopping"), ("Remove the file a.txt", "a.txt"),
        ("open Mail and delete “Invoice 3” from the inbox", "Invoice 3"),
    ],
    "zh": [("点击删除", ""), ("删除笔记购物清单", "购物清单"), ("打开邮箱，把“发票3”这封邮件删掉",
    "发票3"), ("把张三的消息删掉", "张三")],
}  # fmt: skip
ALLOWED = {
    "en": ["Delete", "Delete…", "Yes, delete it", "Delete note", "Delete message", "Remove", "Delete this file",
    "Delete now"],
    "zh": ["删除", "确认删除", "删除笔记", "删除消息", "删除该邮件", "立即删除"],
}  # fmt: skip
LARGER = {
    "en": [
        "Delete all mailboxes", "Delete all", "Delete everything", "Delete all messages", "Delete account",
        "Delete my account", "Remove everyone", "Delete mailboxes", "Delete messages", "Delete repository",
        "Delete Carol", "Delete database", "Delete entire folder", "Erase all content", "Remove all users",
        "Delete project Apollo",
    ],
    "zh": [
        "全部删除", "删除所有邮件", "清空邮箱", "批量删除", "注销账号", "删除账号", "删除数据库", "删除李四",
        "清空全部", "移除所有成员",
    ],
}  # fmt: skip
VAGUE = [
    "delete the last photo",
    "delete this message",
    "delete it",
    "delete the third note",
    "删除最后一张照片",
    "删除这封邮件",
    "把它删掉",
    "删除最新的消息",
]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_thing_that_the_goal_names_may_be_deleted(lang: str) -> None:
    for (goal, name), label in product(NAMED[lang], ALLOWED[lang]):
        assert verdict(goal, label, thing(name, "text", TOP, 7)) == "allow", (goal, label)
        if name:
            assert verdict(goal, label, thing("Carol", "text", TOP, 7)) == "ask", "that one is not there"


@pytest.mark.parametrize("goal", VAGUE)
def test_what_is_only_pointed_at_is_asked_about(goal: str) -> None:
    for label in ("Delete", "删除", "Delete photo", "删除照片"):
        assert verdict(goal, label, thing("Photo 3", "text", TOP, 7)) == "ask", label


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_same_verb_with_a_larger_or_another_object_is_not(lang: str) -> None:
    for (goal, name), label in product(NAMED[lang], LARGER[lang]):
        assert verdict(goal, label, thing(name, "text", TOP, 7)) == "ask", (goal, label)


def test_of_several_such_buttons_it_is_the_one_beside_the_name() -> None:
    rows = [
        each
        for at, name in enumerate(("Milk", "Bread"))
        for each in (
            thing(name, "text", Rect(100, 300 + at * 100, 500, 360 + at * 100), 10 + at),
            thing("Delete", "button", Rect(600, 300 + at * 100, 800, 360 + at * 100), 20 + at),
        )
    ]
    milk, bread = Click(x=700, y=330), Click(x=700, y=430)
    assert judged(milk, screen(*rows), "delete Milk", own=True).verdict == "allow"
    assert judged(bread, screen(*rows), "delete Milk", own=True).verdict == "ask"


@pytest.mark.parametrize(
    ("goal", "label"),
    [
        ("delete all messages", "Delete all"),
        ("delete the repository acme", "Delete repository acme"),
        ("Click Delete all mailboxes", "Delete all mailboxes"),
        ("delete my account", "Delete account"),
        ("清空邮箱", "清空邮箱"),
        ("删除所有照片", "全部删除"),
        ("delete Carol from the list", "Delete Carol"),
    ],
)
def test_what_the_goal_itself_says_is_agreed_to(goal: str, label: str) -> None:
    assert verdict(goal, label) == "allow"


@pytest.mark.parametrize(
    ("goal", "label"),
    [
        ("send hello to Bob", "Send to all"),
        ("send hello to Bob", "Send to Carol"),
        ("send hello to Bob", "Send to everyone"),
        ("给张三发你好", "发送给所有人"),
        ("undelete the note", "Delete"),
    ],
)
def test_other_people_are_not(goal: str, label: str) -> None:
    text = thing("", "field", BOX, 8, value="hello" if label.isascii() else "你好")
    assert verdict(goal, label, thing("Bob", "text", TOP, 7), text) == "ask"


@pytest.mark.parametrize(
    ("goal", "question", "agreed"),
    [
        ("delete the note Shopping", "Delete this note?", True),
        ("delete the note Shopping", "Delete “Shopping”? This can't be undone.", True),
        ("delete the note Shopping", "Delete all notes?", False),
        ("delete the note Shopping", "Delete “Work”?", False),
        ("delete the note Shopping, click OK", "This will delete all of your files.", False),
        ("删除笔记购物清单", "确定删除这条笔记吗？", True),
        ("删除笔记购物清单", "确定清空全部笔记吗？", False),
        ("删除笔记购物清单", "确定删除“工作”吗？", False),
    ],
)
def test_a_yes_is_agreed_to_as_far_as_its_question_goes(goal: str, question: str, agreed: bool) -> None:
    def answer(before: Scene) -> str:
        planned = PlannedAction(action=PRESS)
        return judge_action(planned, dialog(question, "OK"), PolicySettings(), approved=goal, before=before).verdict

    assert answer(Scene(agreed="delete")) == ("allow" if agreed else "ask")
    assert answer(Scene(recent=("Shopping", "购物清单"))) == ("allow" if agreed else "ask")
    assert answer(Scene(agreed="pay")) == ("allow" if agreed and "Shopping" in question else "ask")


# --- a label that hides what it does --------------------------------------------------------------------------------

HIDDEN = {
    "Pay": "POST https://x.example/pay", "Details": "POST https://x.example/orders/5/pay",
    "Next": "POST https://x.example/checkout/buy",
    "Show more": "GET https://x.example/messages?action=delete-all", "继续": "POST https://x.example/transfer",
    "Open": "DELETE https://x.example/projects/5",
    "Send": "POST https://x.example/pay", "Save": "POST https://x.example/account/delete",
}  # fmt: skip


@pytest.mark.parametrize("label", HIDDEN)
@pytest.mark.parametrize("order", ["click {}", "press the {} button", "点击{}", "click {} and then go back"])
def test_a_label_in_the_goal_is_no_leave_for_what_its_form_does_unless_it_says_so(label: str, order: str) -> None:
    button = thing(label, source="dom", sends=HIDDEN[label])
    permit = judged(PRESS, screen(button), order.format(label), own=True)
    assert permit.verdict == ("allow" if label == "Pay" else "ask")


def test_a_yes_on_a_button_called_confirm_is_to_its_question() -> None:
    for goal, agreed in [("open the bank and read the balance", False), ("click Confirm", True), ("click Next", False)]:
        assert (verdict(goal, "Confirm") == "allow") is agreed, goal
    seen = dialog("Transfer €500 to Eve?", "Confirm")
    for goal in ("delete the note Shopping", "click Confirm", "send hi to Bob"):
        assert judged(PRESS, seen, goal, own=True).verdict == "ask", goal
    assert judged(PRESS, replace(seen), "transfer €500 to Eve", own=True).verdict == "allow"


def test_a_yes_that_is_ordered_behind_the_deed_agrees_to_that_deed_alone() -> None:
    box = thing("Yes, I’m sure")
    ends = replace(box, sends="POST https://shop.example/tags/1/delete/")
    goal = "click “Classic”, click “Delete”, click “Yes, I’m sure”"
    assert judged(PRESS, screen(ends), goal, own=True).verdict == "allow"
    assert judged(PRESS, screen(ends), "click “Classic”, click “Yes, I’m sure”", own=True).verdict != "allow"
    pays = replace(box, sends="POST https://shop.example/pay")
    assert judged(PRESS, screen(pays), goal, own=True).verdict != "allow"
