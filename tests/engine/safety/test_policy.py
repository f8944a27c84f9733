"""What may be done by itself, what a person is asked about, and what is refused: the decision table of the policy."""

import re
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

from deskhand.core.actions import (
    Action,
    Answer,
    Back,
    Click,
    DoubleClick,
    Drag,
    Home,
    Hotkey,
    Key,
    LongPress,
    Memorize,
    MiddleClick,
    Move,
    OpenApp,
    OpenUrl,
    RightClick,
    RunCode,
    Scroll,
    Swipe,
    SwitchWindow,
    TakeOver,
    Type,
    Wait,
)
from deskhand.core.decisions import PlannedAction
from deskhand.core.errors import UsageError
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Frame, Observation, Role
from deskhand.engine.safety.policy import Permit, find_need_for_user, judge_action
from deskhand.engine.safety.risk import needs_elements
from deskhand.settings.schema import PolicySettings

FRAME = Frame(np.zeros((2000, 1000, 4), np.uint8))
SPOT = Rect(100, 1000, 300, 1100)
X, Y = SPOT.center
NOWHERE = Rect(0, 0, 0, 0)


def thing(name: str = "", role: Role = "button", bounds: Rect = SPOT, index: int = 1, **more: Any) -> Element:
    more.setdefault("clickable", role in ("button", "link", "item"))
    more.setdefault("editable", role == "field")
    return Element(index, role, bounds, name=name, **more)


def screen(*elements: Element, app: str = "com.example.app", title: str = "") -> Observation:
    return Observation(FRAME, elements, app=app, title=title)


def judged(action: Action, seen: Observation, goal: str = "Look around", own: bool = False, **policy: Any) -> Permit:
    return judge_action(PlannedAction(action=action), seen, PolicySettings(**policy), approved=goal if own else "")


def risk_of(action: Action, seen: Observation) -> str:
    return judged(action, seen).risk


def clicked(label: str, role: Role = "button", **more: Any) -> str:
    return risk_of(Click(x=X, y=Y), screen(thing(label, role, **more)))


# --- by kind -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "risk"),
    [
        (Move(x=X, y=Y), "look"),
        (Scroll(), "look"),
        (Swipe(x=500, y=1500, to_x=500, to_y=500), "look"),
        (Wait(), "look"),
        (Back(), "look"),
        (Home(), "look"),
        (SwitchWindow(title="Mail"), "look"),
        (Memorize(text="send the money"), "look"),
        (Answer(text="Delete it yourself"), "look"),
        (TakeOver(reason="log in"), "look"),
        (Key(key="Page_Down"), "look"),
        (Key(key="Escape"), "look"),
        (Hotkey(keys=("shift", "Tab")), "look"),
        (Click(x=X, y=Y), "reversible"),
        (DoubleClick(x=X, y=Y), "reversible"),
        (LongPress(x=X, y=Y), "reversible"),
        (RightClick(x=X, y=Y), "reversible"),
        (Drag(x=X, y=Y, to_x=10, to_y=10), "reversible"),
        (Swipe(x=X, y=Y, to_x=X + 500, to_y=Y), "reversible"),
        (Type(text="please send it and pay"), "reversible"),
        (Key(key="a"), "reversible"),
        (Hotkey(keys=("ctrl", "s")), "reversible"),
        (Hotkey(keys=("ctrl", "v")), "reversible"),
        (OpenApp(name="Settings"), "reversible"),
        (OpenUrl(url="https://example.com/how-to-delete-a-file"), "reversible"),
        (RunCode(code="ls"), "irreversible"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.kind,
)
def test_the_risk_of_each_kind(action: Action, risk: str) -> None:
    assert risk_of(action, screen(thing("Details"))) == risk


# --- by what is written there --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "label",
    [
        "Send", "SEND", "Send message", "Send to all", "Pay", "Pay now", "Pay $12.00", "Confirm and pay", "Buy now",
        "Buy now with 1-Click", "Place order", "Place your order", "Order", "Delete", "Delete for everyone",
        "Yes, delete my account permanently", "Remove", "Remove from list", "Submit", "Submit application", "Confirm",
        "Confirm order", "Transfer", "Transfer money", "Publish", "Post", "Post comment", "Unsubscribe", "Uninstall",
        "Cancel order", "Approve", "Empty trash", "Donate €5", "Call",
        "Ｓｅｎｄ", "S\u200bend", "发送", "发 送", "发送(S)", "支付", "立即支付 ¥12.00",
        "付款", "确认付款", "购买", "立即购买", "下单",
        "提交订单", "删除", "删除联系人", "移除", "提交", "确认", "转账", "发布", "发表", "清空购物车", "卸载", "充值",
        "拨打电话", "注销账号",
    ],
)  # fmt: skip
def test_a_button_that_can_not_be_undone(label: str) -> None:
    assert clicked(label) == "irreversible"


@pytest.mark.parametrize(
    "label",
    [
        "Sender", "Display", "Sent", "Sent items", "Paypal settings", "Payments", "Orders", "Order history",
        "Sort order", "Deleted items", "Posts", "Postcode", "Compose", "New message", "Save", "Search",
        "Next", "OK", "Cancel",
        "Don't send", "Do not delete", "Not now", "Undo send", "Settings", "Add to cart", "Log in", "Transfers",
        "Format", "File", "Share", "Reply", "Back", "Buyer's guide", "Removed", "Confirmation", "Release notes",
        "支付宝", "已发送", "最近删除", "不删除", "取消发送", "待付款", "支付方式", "确定", "下一步", "保存", "搜索",
        "发现", "设置", "消息", "加入购物车", "取消", "返回", "发消息", "登录",
    ],
)  # fmt: skip
def test_a_button_that_only_sounds_like_it(label: str) -> None:
    assert clicked(label) == "reversible"


@pytest.mark.parametrize(
    "text",
    [
        "Please send the report to everyone before you submit the form and pay the bill.",
        "张三说明天要把合同发送给客户，然后删除旧的版本再提交一次",
        "I would like to send you my address",
    ],
)
@pytest.mark.parametrize("role", ["text", "item", "button"])
def test_a_message_or_a_paragraph_is_no_button(text: str, role: Role) -> None:
    more = " and then we go on to talk about it for a while" if role == "button" else ""
    assert clicked(text + more, role) == "reversible"


def test_in_a_list_only_a_short_order_counts() -> None:
    assert clicked("Delete chat", "item") == "irreversible"
    assert clicked("删除聊天", "item") == "irreversible"
    assert clicked("Bob: did you send it", "item") == "reversible"


def test_what_is_written_on_a_button_counts_wherever_it_stands() -> None:
    box = thing("", "group", SPOT, 1, clickable=True)
    inside = thing("Pay now", "text", Rect(120, 1020, 200, 1080), 2, parent=1)
    assert risk_of(Click(x=290, y=1090), screen(box, inside)) == "irreversible"
    around = thing("Delete", "button", SPOT, 1)
    icon = thing("", "image", Rect(180, 1030, 220, 1070), 2, parent=1)
    assert risk_of(Click(x=X, y=Y), screen(around, icon)) == "irreversible"
    # Something harmless laid over it does not hide it.
    cover = thing("Next", "button", Rect(190, 1040, 210, 1060), 3)
    assert risk_of(Click(x=X, y=Y), screen(thing("Pay"), cover)) == "irreversible"


def test_a_button_without_a_name_is_known_by_its_id_or_its_place() -> None:
    assert clicked("", id="com.chat:id/btn_send") == "irreversible"
    assert clicked("", id="payNowButton") == "irreversible"
    assert clicked("", id="com.chat:id/sender_icon") == "reversible"
    field = thing("", "field", Rect(0, 1000, 90, 1100), 2, value="Hello")
    assert risk_of(Click(x=X, y=Y), screen(thing(""), field)) == "irreversible"
    assert risk_of(Click(x=X, y=Y), screen(thing(""), replace(field, value=""))) == "reversible"
    assert risk_of(Click(x=X, y=Y), screen(thing(""), replace(field, hint="Search"))) == "reversible"


def test_a_field_gets_the_focus_whatever_it_is_called() -> None:
    for name in ("Confirm password", "Send to", "确认"):
        assert clicked(name, "field") == "reversible"
        assert risk_of(Click(x=X, y=Y, target=name), screen(thing("", "field"))) == "reversible"


@pytest.mark.parametrize("word", [Click, DoubleClick, MiddleClick, LongPress])
def test_every_way_to_press_counts(word: Any) -> None:
    assert risk_of(word(x=X, y=Y), screen(thing("Send"))) == "irreversible"


def test_sliding_and_dropping_count() -> None:
    assert risk_of(Swipe(x=X, y=Y, to_x=900, to_y=Y), screen(thing("Slide to pay", "slider"))) == "irreversible"
    into = Drag(x=10, y=10, to_x=X, to_y=Y)
    assert risk_of(into, screen(thing("Trash", "image"))) == "irreversible"
    assert risk_of(into, screen(thing("回收站", "item"))) == "irreversible"
    assert risk_of(into, screen(thing("Documents", "item"))) == "reversible"


# --- by what the worker says ---------------------------------------------------------------------------------------


def test_the_workers_words_make_it_riskier_and_never_safer() -> None:
    assert risk_of(Click(x=X, y=Y, target="Back button"), screen(thing("Send"))) == "irreversible"
    assert risk_of(Click(x=X, y=Y, target="Send"), screen(thing("Details"))) == "irreversible"
    assert risk_of(Click(x=X, y=Y, target="发送按钮"), screen()) == "irreversible"
    assert risk_of(Click(x=X, y=Y, target="the message field"), screen()) == "reversible"


def test_what_the_model_marks_is_asked_about_even_in_the_persons_own_words() -> None:
    planned = PlannedAction(action=Click(x=X, y=Y, target="Details"), sensitive="it shows a password")
    permit = judge_action(planned, screen(thing("Details")), PolicySettings(), approved="click Details")
    assert (permit.verdict, permit.risk) == ("ask", "irreversible")
    said = 'Click "Details" needs approval: it shows a password.'
    assert permit.reason == said


# --- by what is around it ------------------------------------------------------------------------------------------


def dialog(question: str, answer: str, role: Role = "dialog", **more: Any) -> Observation:
    box = thing("", role, Rect(50, 800, 950, 1200), 0)
    text = thing(question, "text", Rect(80, 820, 920, 900), 1, parent=0)
    cancel = thing("Cancel", "button", Rect(400, 1000, 600, 1100), 2, parent=0)
    return screen(box, text, cancel, thing(answer, "button", SPOT, 3, parent=0), **more)


@pytest.mark.parametrize("answer", ["OK", "Yes", "Continue", "确定", "是", "好的", "同意"])
@pytest.mark.parametrize(
    "question",
    ["Delete this message?", "This will send your files to 3 people.", "确定要删除这条记录吗？", "将支付 12 元"],
)
@pytest.mark.parametrize("role", ["dialog", "group"])
def test_a_yes_is_what_it_is_said_to(question: str, answer: str, role: Role) -> None:
    seen = dialog(question, answer, role)
    permit = judged(Click(x=X, y=Y), seen)
    assert permit.risk == "irreversible"
    assert question[:20] in permit.reason
    assert risk_of(Click(x=500, y=1050), seen) == "reversible", "no is always possible"


def test_a_yes_to_something_harmless_is_harmless() -> None:
    assert risk_of(Click(x=X, y=Y), dialog("Open this page?", "OK")) == "reversible"
    # Another button beside it is no question.
    other = thing("Delete", "button", Rect(700, 1000, 900, 1100), 9, parent=0)
    seen = dialog("Edit the note", "Done", "group")
    assert risk_of(Click(x=X, y=Y), replace(seen, elements=(*(seen.elements or ()), other))) == "reversible"


@pytest.mark.parametrize(
    ("app", "title"), [("shop.example", "Checkout"), ("paypal.com", "Overview"), ("com.bank.app", ""), ("x", "收银台")]
)
def test_where_money_is_spent_a_yes_may_cost_some(app: str, title: str) -> None:
    assert risk_of(Click(x=X, y=Y), screen(thing("Continue"), app=app, title=title)) == "irreversible"
    assert risk_of(Click(x=X, y=Y), screen(thing("Details"), app=app, title=title)) == "reversible"


# --- Enter and other keys ------------------------------------------------------------------------------------------

ENTERS: list[Action] = [
    Key(key="Enter"), Key(key="Return"), Key(key="KEYCODE_ENTER"), Key(key="66"), Key(key="回车"),
    Type(text="hi", press_enter=True), Type(text="hi\n"), Hotkey(keys=("enter",)), Key(key="KP_Enter"),
    Hotkey(keys=("ctrl+Enter",)),
    Hotkey(keys=("cmd", "Return")),
]  # fmt: skip


def focused(role: Role = "field", **more: Any) -> Element:
    return thing(role=role, bounds=Rect(0, 500, 900, 600), index=7, focused=True, **more)


@pytest.mark.parametrize("enter", ENTERS, ids=str)
@pytest.mark.parametrize(
    "seen",
    [
        screen(focused(hint="Type a message")),
        screen(focused(name="Reply")),
        screen(focused(hint="说点什么")),
        screen(focused(), app="com.tencent.mm"),
        screen(focused(name="Name"), thing("Submit")),
        screen(focused(name="Amount"), thing("转账")),
        screen(focused(), app="xterm"),
        screen(focused("button", name="Send")),
    ],
    ids=["a chat", "a reply", "a comment", "a chat app", "a form", "a bank", "a terminal", "a button"],
)
def test_enter_hands_in_what_was_typed(enter: Action, seen: Observation) -> None:
    assert risk_of(enter, seen) == "irreversible"


@pytest.mark.parametrize("enter", ENTERS[:9], ids=str)
@pytest.mark.parametrize(
    "seen",
    [
        screen(focused(hint="Search"), thing("Send")),
        screen(focused(name="搜索"), app="com.tencent.mm"),
        screen(focused(id="com.android.browser:id/url"), thing("Buy")),
        screen(focused(name="Title"), thing("Save"), app="com.miui.notes"),
        screen(focused("button", name="Details")),
        screen(thing("Details")),
    ],
    ids=["a search", "a search in a chat app", "an address", "a note", "a button", "nothing focused"],
)
def test_enter_elsewhere_can_be_undone(enter: Action, seen: Observation) -> None:
    assert risk_of(enter, seen) == "reversible"


def test_a_new_line_is_no_sending() -> None:
    assert risk_of(Hotkey(keys=("shift", "enter")), screen(focused(hint="Type a message"))) == "reversible"


def test_other_keys_that_can_not_be_undone() -> None:
    for keys in (("delete",), ("shift", "Delete"), ("alt", "s")):
        assert risk_of(Hotkey(keys=keys), screen(thing("report.txt", "item"))) == "irreversible"
    assert risk_of(Key(key="Delete"), screen(focused(value="abc"))) == "reversible"
    assert risk_of(Key(key="Backspace"), screen(thing("report.txt", "item"))) == "reversible"
    assert risk_of(Key(key="space"), screen(focused("button", name="Pay"))) == "irreversible"
    assert risk_of(Key(key="call"), screen()) == "irreversible"


# --- what can't be known -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "action", [Click(x=X, y=Y), Click(x=X, y=Y, target="Next"), Key(key="Enter"), LongPress(x=1, y=1)]
)
def test_without_any_list_of_what_is_there_a_person_is_asked(action: Action) -> None:
    blind = Observation(FRAME, None, app="game", problem="no tree")
    assert needs_elements(action)
    assert judged(action, blind).verdict == "ask"


def test_a_point_where_nothing_is_listed_can_be_pressed() -> None:
    assert risk_of(Click(x=900, y=50), screen(thing("Send"))) == "reversible"


@pytest.mark.parametrize(
    "action", [Scroll(), Move(x=1, y=1), Type(text="a"), Back(), OpenApp(name="a"), RightClick(x=1, y=1)]
)
def test_the_rest_needs_no_list(action: Action) -> None:
    assert not needs_elements(action)
    assert judged(action, Observation(FRAME, None)).verdict == "allow"


# --- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example/cart/pay", "https://mail.example/?action=delete&id=5", "tel:+123", "sms:123",
        "intent://x#Intent;end",
        "alipays://platformapi/startapp", "https://x.example/delete/5", "javascript:send()",
    ],
)  # fmt: skip
def test_an_address_that_does_something(url: str) -> None:
    assert risk_of(OpenUrl(url=url), screen()) == "irreversible"


@pytest.mark.parametrize(
    "url", ["https://example.com", "localhost:8000/delete-me", "about:blank", "example.com/order/5"]
)
def test_an_address_that_shows_something(url: str) -> None:
    assert risk_of(OpenUrl(url=url), screen()) == "reversible"


# --- what follows from it ------------------------------------------------------------------------------------------

ACTIONS: dict[str, tuple[Action, Observation]] = {
    "look": (Scroll(), screen()),
    "reversible": (Click(x=X, y=Y), screen(thing("Details"))),
    "irreversible": (Click(x=X, y=Y), screen(thing("Send"))),
}


@pytest.mark.parametrize("risk", ["look", "reversible", "irreversible"])
@pytest.mark.parametrize("wanted", ["allow", "ask", "deny"])
def test_each_risk_is_treated_as_the_settings_say(risk: str, wanted: str) -> None:
    for own in (False, True):
        permit = judged(*ACTIONS[risk], goal="click Send", own=own, **{risk: wanted})
        agreed = own and risk == "irreversible" and wanted == "ask"
        assert (permit.verdict, permit.risk) == ("allow" if agreed else wanted, risk)
        assert bool(permit.reason) == (permit.verdict != "allow")
        assert (f"blocked by policy.{risk}" in permit.reason) == (wanted == "deny")


def test_by_default_only_what_can_not_be_undone_is_asked_about() -> None:
    assert [judged(*ACTIONS[risk]).verdict for risk in ACTIONS] == ["allow", "allow", "ask"]
    assert judged(*ACTIONS["irreversible"]).reason == (f'Click ({X}, {Y}) needs approval: "Send" sends something.')


@pytest.mark.parametrize(("setting", "verdict"), [("allow", "allow"), ("ask", "ask"), ("deny", "deny")])
def test_code_has_a_setting_of_its_own(setting: str, verdict: str) -> None:
    for own in (False, True):
        permit = judged(RunCode(code="ls"), screen(), own=own, run_code=setting, irreversible="allow")
        assert permit.verdict == verdict


def test_a_hand_over_is_a_persons_whatever_is_allowed() -> None:
    permit = judged(TakeOver(reason="type the code"), screen(), own=True, look="allow", irreversible="allow")
    assert (permit.verdict, permit.reason) == ("ask", "type the code")


@pytest.mark.parametrize(
    ("goal", "label", "agreed"),
    [
        ("Click Place order", "Place order", True),
        ("点击发送", "发送", True),
        ("买一本书", "立即支付", False),
        ("删除联系人张三", "确认", True),
        ("Open WeChat and read the last message", "Delete", False),
        ("打开设置，查看电池", "支付", False),
        ("Turn on Wi-Fi", "Pay now", False),
        ("Read the news", "删除", False),
    ],
)
def test_what_the_person_said_in_plain_words_is_agreed_to(goal: str, label: str, agreed: bool) -> None:
    action, seen = Click(x=X, y=Y, target=label), screen(thing(label))
    assert judged(action, seen, goal, own=True).verdict == ("allow" if agreed else "ask")
    assert judged(action, seen, goal, own=False).verdict == "ask", "a model's words are not the person's"


def test_in_the_users_own_words_what_nobody_can_name_is_agreed_to_as_well() -> None:
    blind = Observation(FRAME, None, app="com.example.app")
    assert judged(Key(key="Enter"), blind, "press Enter", own=True).verdict == "allow"
    assert judged(Key(key="Enter"), blind, "press Enter", own=False).verdict == "ask"


@pytest.mark.parametrize(
    ("goal", "keys", "agreed"),
    [
        ("type a into Notes, press Shift+Enter", ("shift", "enter"), True),
        ("按 Shift + 回车", ("shift", "enter"), True),
        ("press Ctrl+Enter", ("ctrl", "enter"), True),
        ("press Enter", ("shift", "enter"), False),
        ("press Shift+Enter", ("enter",), False),
        ("press Enterprise", ("enter",), False),
    ],
)
def test_keys_that_the_person_names_are_agreed_to_and_no_others(goal: str, keys: tuple[str, ...], agreed: bool) -> None:
    action = Key(key=keys[0]) if len(keys) == 1 else Hotkey(keys=keys)
    seen = screen(thing("Submit"))
    assert judged(action, seen, goal, own=True).verdict == ("allow" if agreed else "ask")
    assert judged(action, seen, goal, own=False).verdict == "ask"


# --- sites and apps ------------------------------------------------------------------------------------------------


def test_an_address_off_the_list_is_refused_whoever_asked_for_it() -> None:
    for own in (False, True):
        permit = judged(
            OpenUrl(url="https://a@evil.example"), screen(), "open evil.example", own, sites_allow=("good.example",)
        )
        assert (permit.verdict, permit.reason.split(" ")[0]) == ("deny", "evil.example")
    assert judged(OpenUrl(url="good.example/x"), screen(), sites_allow=("good.example",)).verdict == "allow"
    assert judged(OpenUrl(url="http://bad.example"), screen(), sites_deny=("bad.example",)).verdict == "deny"


WECHAT = "com.tencent.mm"


@pytest.mark.parametrize("listed", ["微信", "WeChat", "wechat", WECHAT, "com.tencent.*"])
@pytest.mark.parametrize("named", ["微信", "WeChat", WECHAT])
def test_an_app_is_known_by_any_of_its_names(listed: str, named: str) -> None:
    if "*" not in listed or named == WECHAT:
        assert judged(OpenApp(name=named), screen(), apps_deny=(listed,)).verdict == "deny"
        assert judged(OpenApp(name=named), screen(), apps_allow=(listed,)).verdict == "allow"
    front = screen(thing("Details"), app=WECHAT)
    assert judged(Click(x=X, y=Y), front, apps_deny=(listed,)).reason == (
        "com.tencent.mm is blocked by policy.apps_deny."
    )
    assert judged(Click(x=X, y=Y), front, apps_allow=(listed,)).verdict == "allow"


def test_in_an_app_off_the_list_nothing_is_done_but_leaving() -> None:
    front, lists = screen(thing("Details"), app="com.evil"), {"apps_allow": ("Settings",)}
    for action in (Click(x=X, y=Y), Type(text="a"), Key(key="a"), Scroll(), OpenApp(name="Evil")):
        permit = judged(action, front, own=True, **lists)
        assert permit.verdict == "deny"
        assert "is not in policy.apps_allow" in permit.reason
    for action in (Back(), Home(), Wait(), OpenApp(name="设置"), SwitchWindow(title="Settings")):
        assert judged(action, front, **lists).verdict == "allow"


def test_the_home_screen_needs_no_entry() -> None:
    for app in ("com.android.launcher3", "com.miui.home", "com.android.systemui", "desktop"):
        assert judged(Click(x=X, y=Y), screen(thing("Details"), app=app), apps_allow=("Settings",)).verdict == "allow"


def test_a_desktop_program_is_known_by_its_name_and_its_editions() -> None:
    for app in ("firefox", "Firefox", "firefox-esr"):
        assert judged(Click(x=X, y=Y), screen(thing("A"), app=app), apps_deny=("Firefox",)).verdict == "deny"
    assert judged(Click(x=X, y=Y), screen(thing("A"), app="fire"), apps_deny=("Firefox",)).verdict == "allow"


def test_an_address_that_is_typed_counts_as_one_that_is_opened() -> None:
    bar = screen(focused(name="Address and search bar"), app="org.chromium.chrome")
    typed = Type(text="https://evil.example/", press_enter=True)
    assert judged(typed, bar, sites_deny=("evil.example",)).verdict == "deny"
    assert judged(typed, bar, sites_deny=("other.example",)).verdict != "deny"


def test_in_a_browser_the_sites_count_and_not_the_apps() -> None:
    page = screen(thing("Details", source="dom"), app="shop.example")
    assert judged(Click(x=X, y=Y), page, apps_allow=("Settings",)).verdict == "allow"
    assert judged(Click(x=X, y=Y), screen(app="127.0.0.1:8000"), apps_allow=("Settings",)).verdict == "allow"


# --- how a refusal reads -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["", ".", "!", "?", "…", "...", "。", "！", " ", "\n"])
@pytest.mark.parametrize("words", ["this pays", "付款 30 元"])
@pytest.mark.parametrize("setting", ["ask", "deny"])
def test_a_reason_is_one_sentence_with_one_end(words: str, end: str, setting: Literal["ask", "deny"]) -> None:
    policy = PolicySettings(irreversible=setting, run_code=setting, apps_deny=("Bank",), sites_deny=("evil.example",))
    planned = [
        PlannedAction(action=Click(x=X, y=Y), sensitive=words + end),
        PlannedAction(action=RunCode(code="ls")),
        PlannedAction(action=OpenApp(name="Bank")),
        PlannedAction(action=OpenUrl(url="https://evil.example")),
        PlannedAction(action=OpenUrl(url="sms:1")),
    ]
    reasons = [judge_action(each, screen(thing("Send")), policy).reason for each in planned]
    for reason in [*reasons, find_need_for_user(tuple(planned), policy)]:
        assert reason[0].isupper() or reason.startswith("evil.example"), reason
        assert re.search(r"[^.!?。！？…\s]([.!?。！？…]|\.\.\.)$", reason), reason
    assert str(UsageError(f"{reasons[0]}.")) == reasons[0], "a frame that adds a full stop adds none"


def test_a_chinese_goal_is_asked_in_chinese() -> None:
    seen = Observation(Frame(np.zeros((100, 100, 4), np.uint8)), (
        Element(0, "button", Rect(0, 0, 50, 50), name="发送", clickable=True),
    ))  # fmt: skip
    planned = PlannedAction(action=Click(x=10, y=10, target="发送"))
    asked = judge_action(planned, seen, PolicySettings(), language="zh")
    assert asked.reason == "点击“发送”需要你的同意：“发送”会发出内容。"
    denied = judge_action(planned, seen, PolicySettings(irreversible="deny"), language="zh")
    assert denied.reason == "点击“发送”被 policy.irreversible 禁止：“发送”会发出内容。"
