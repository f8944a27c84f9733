"""Each family of instructions on hand-made screens, and more goals on the phone: second chances and dead ends."""

from collections.abc import Callable, Sequence

import pytest

from deskhand.core.actions import Action, Back, Click, Key, OpenUrl, RightClick, Swipe, Type
from deskhand.core.decisions import Decision
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.roles.offline.worker import OfflineWorker
from tests.roles.handset import Handset
from tests.roles.offline.test_worker import actions, briefing, thing

Screen = Sequence[Element]


async def play(goal: str, *screens: Screen, error: str = "", app: str = "com.example") -> tuple[Decision, list[Action]]:
    """The worker sees one screen after the other, the last one for as long as it wants; what it did in the end."""
    decision, done = await OfflineWorker().decide(briefing(goal, screens[0], app=app)), []
    for turn in range(1, 40):
        if decision.kind != "actions":
            return decision, done
        done += actions(decision)
        screen = screens[min(turn, len(screens) - 1)]
        decision = await OfflineWorker().decide(briefing(goal, screen, last=decision, error=error, app=app))
    raise AssertionError(f"no end: {done}")


def field(index: int, name: str, top: int, value: str = "", **more: object) -> Element:
    return thing(index, "field", name, top, editable=True, clickable=True, value=value, **more)


def button(index: int, name: str, top: int, **more: object) -> Element:
    return thing(index, "button", name, top, clickable=True, **more)


@pytest.mark.parametrize(
    "goal",
    [
        "打开设置，滑到底部，确认有“关于手机”，滑到顶部",
        "打开微信，向下滚动，向上滚动，返回",
        "Open Settings, wait 1 second, go back",
        "swipe left, then swipe right",
        "打开设置，在搜索框里输入蓝牙，清空搜索框，返回桌面",
        "打开商城，点击第二个商品，读取价格",
        "打开微信，长按李四，点击删除该聊天，确认没有“李四”",
        'Open WeChat and open the chat with Bob, reply with "OK"',
        "Open Contacts, tap Alice, close the page",
        "Open Settings, find Language and select English",
        "打开设置，打开关于手机",
        "打开时钟，点击秒表，点击开始，等待2秒，点击暂停",
        "打开设置，关闭WLAN",
        "Open Settings, set volume to 30%",
        "打开通讯录，删除联系人王五",
        "Open Notes, open “购物清单”, clear the title field, type Groceries into the title field and click Done",
        "Open the browser, visit news.local, click the second link and read the title",
        "Open Settings, tap Wi-Fi, turn it on, tap Cafe-Free and verify that there is “已连接”",
        "打开浏览器，搜索“天气”",
        "press enter",
    ],
)
async def test_more_goals_on_the_phone(goal: str) -> None:
    handset = Handset()
    decision = await handset.run(goal)
    assert decision.kind == "done", handset.log


async def test_a_message_that_never_appears_was_not_sent() -> None:
    chat = [thing(1, "text", "Bob", 1), field(2, "Message", 20)]
    typed = [thing(1, "text", "Bob", 1), field(2, "Message", 20, "hi"), button(3, "Send", 22)]
    decision, done = await play("send “hi” to Bob", chat, typed)
    assert decision.kind == "fail"
    assert "was not sent" in decision.message
    assert [a.kind for a in done[:3]] == ["click", "type", "click"]


async def test_a_message_already_said_before_is_not_mistaken_for_the_new_one() -> None:
    old = thing(9, "text", "hi", 5)
    chat = [thing(1, "text", "Bob", 1), old, field(2, "Message", 20)]
    typed = [thing(1, "text", "Bob", 1), old, field(2, "Message", 20, "hi"), button(3, "Send", 22)]
    assert (await play("send “hi” to Bob", chat, typed, chat))[0].kind == "fail"
    sent = [*chat, thing(10, "text", "hi", 7)]
    assert (await play("send “hi” to Bob", chat, typed, sent))[0].kind == "done"


async def test_without_a_send_button_enter_sends() -> None:
    chat = [thing(1, "text", "Bob", 1), field(2, "Message", 20)]
    typed = [thing(1, "text", "Bob", 1), field(2, "Message", 20, "hi")]
    sent = [*chat, thing(10, "text", "hi", 7)]
    decision, done = await play("send “hi” to Bob", chat, typed, sent)
    assert decision.kind == "done"
    assert Key(key="enter") in done


async def test_a_message_that_is_garbled_while_typing_is_typed_again() -> None:
    chat = [thing(1, "text", "Bob", 1), field(2, "Message", 20)]
    wrong = [thing(1, "text", "Bob", 1), field(2, "Message", 20, "h"), button(3, "Send", 22)]
    decision, done = await play("send “hello” to Bob", chat, wrong)
    assert decision.kind == "fail"
    assert [a.clear_first for a in done if isinstance(a, Type)] == [False, True]


async def test_a_page_without_a_place_for_a_message_is_named() -> None:
    decision, _ = await play("send the message “hi”", [thing(1, "text", "Weather", 3)])
    assert decision.kind == "fail"
    assert "Weather" in decision.message


async def test_a_device_that_does_not_click_is_a_failure() -> None:
    decision, _ = await play("click Go", [button(1, "Go", 3)], error="the adb server is gone")
    assert decision.kind == "fail"
    assert "adb" in decision.message


def make_choice(value: str, *options: str) -> list[Element]:
    """A select box at the top with what it offers below; `Plan` and `Bluetooth` are other things on the page."""
    others = [thing(8, "radio", "Plan", 15, clickable=True, checked=False), button(9, "Bluetooth", 17)]
    shown = [thing(at, "item", name, at, clickable=True) for at, name in enumerate(options, 4)]
    return [thing(1, "combobox", "Colour", 3, clickable=True, value=value), *shown, *others]


@pytest.mark.parametrize("option", ["Blue", "Plane", "Plan"])
async def test_an_option_is_chosen_from_the_list_that_holds_it(option: str) -> None:
    opened = make_choice("Red", "Red", option)
    decision, done = await play(f"select {option} from Colour", make_choice("Red"), opened, make_choice(option))
    assert decision.kind == "done", decision.message
    assert done == [Click(x=540, y=345, target="Red"), Click(x=540, y=545, target=option)]


@pytest.mark.parametrize("option", ["Blue", "Plane"])
async def test_an_option_that_was_clicked_but_not_taken_is_no_success(option: str) -> None:
    opened = make_choice("Red", "Red", option)
    decision, _ = await play(f"select {option} from Colour", make_choice("Red"), opened, make_choice("Red"))
    assert decision.kind == "fail"
    assert "Red" in decision.message


async def test_an_option_that_is_not_offered_is_not_looked_for_elsewhere() -> None:
    decision, done = await play("select Plan from Colour", make_choice("Red"), make_choice("Red", "Red", "Green"))
    assert decision.kind == "fail"
    assert "Green" in decision.message
    assert [one.target for one in done if isinstance(one, Click)] == ["Red"]


async def test_deleting_asks_back_and_the_answer_is_yes_since_it_was_asked_for() -> None:
    row = [
        thing(1, "item", "Milk", 3, clickable=True),
        Element(2, "button", Rect(900, 300, 1040, 390), "Delete", clickable=True),
    ]
    asked = [
        thing(1, "dialog", "", 2),
        thing(2, "text", "Delete Milk?", 3, parent=1),
        button(3, "Cancel", 5, parent=1),
        button(4, "Delete", 7, parent=1),
    ]  # fmt: skip
    gone = [thing(1, "text", "Nothing here", 3)]
    decision, done = await play("delete Milk", row, asked, gone)
    assert decision.kind == "done", decision.message
    assert [a.target for a in done if isinstance(a, Click)] == ["Delete", "Delete"]
    decision, _ = await play("delete Milk", row, asked, row)
    assert decision.kind == "fail"
    assert "still there" in decision.message


async def test_what_offers_no_way_to_be_deleted_says_so() -> None:
    decision, done = await play("delete Milk", [thing(1, "item", "Milk", 3, clickable=True)])
    assert decision.kind == "fail"
    assert "no delete button was found" in decision.message
    assert done[0].kind == "long_press"


async def test_a_right_click_is_a_right_click() -> None:
    file, menu = thing(1, "item", "file", 3, clickable=True), thing(2, "menu", "Open with", 5, clickable=True)
    decision, done = await play("right-click the file", [file], [file, menu])
    assert decision.kind == "done"
    assert done == [RightClick(x=540, y=345, target="file")]


@pytest.mark.parametrize(
    ("goal", "skill"),
    [("double-click Go", "double_click"), ("go back", "back"), ("go home", "home"), ("press ctrl+a", "hotkey")],
)
async def test_what_the_device_has_no_word_for_is_said(goal: str, skill: str) -> None:
    decision = await OfflineWorker().decide(briefing(goal, [button(1, "Go", 3)], skills=frozenset({"click"})))
    assert decision.kind == "fail", skill


async def test_an_address_is_typed_where_the_device_opens_none() -> None:
    bar = [field(1, "Address bar", 1)]
    decision = await OfflineWorker().decide(briefing("visit example.com", bar, skills=frozenset({"click", "type"})))
    assert actions(decision)[-1] == Type(text="example.com", clear_first=True, press_enter=True, target="Address bar")
    none = await OfflineWorker().decide(briefing("visit example.com", [], skills=frozenset({"click", "type"})))
    assert none.kind == "fail"
    decision, done = await play("visit example.com", bar, error="no browser")
    assert done == [OpenUrl(url="http://example.com")]
    assert decision.kind == "fail"


async def test_text_needs_one_field_that_is_meant() -> None:
    two = [field(1, "Name", 3), field(2, "Email", 5)]
    decision, _ = await play("type hello", two)
    assert decision.kind == "fail"
    assert "Name" in decision.message
    focused = [field(1, "Name", 3), field(2, "Email", 5, focused=True)]
    typed = [field(1, "Name", 3), field(2, "Email", 5, "hello", focused=True)]
    decision, done = await play("type hello", focused, typed)
    assert decision.kind == "done"
    assert done == [Type(text="hello", target="Email")]


async def test_a_password_is_checked_by_its_dots() -> None:
    empty, dots = [field(1, "Password", 3, password=True)], [field(1, "Password", 3, "•••••", password=True)]
    assert (await play("type 12345 into the password field", empty, dots))[0].kind == "done"


async def test_a_field_that_does_not_empty_is_a_failure() -> None:
    decision, _ = await play("clear the name field", [field(1, "Name", 3, "Ann")])
    assert decision.kind == "fail"
    assert "Ann" in decision.message


async def test_a_search_without_a_box_is_a_failure_and_a_button_opens_one() -> None:
    assert (await play("search for cats", [thing(1, "text", "News", 3)]))[0].kind == "fail"
    hidden, box = [button(1, "Search", 1)], [field(2, "Search", 1)]
    found = [field(2, "Search", 1, "cats"), thing(3, "item", "cats and dogs", 5, clickable=True)]
    decision, done = await play("search for cats", hidden, box, found)
    assert decision.kind == "done"
    assert [a.kind for a in done] == ["click", "click", "type"]
    assert (await play("search for cats", box, error="no focus"))[0].kind == "fail"


async def test_values_are_set_in_fields_sliders_switches_and_lists() -> None:
    name, named = [field(1, "Name", 3, "Ann")], [field(1, "Name", 3, "Bob")]
    assert (await play("set Name to Bob", name, named))[0].kind == "done"
    slider = [thing(1, "slider", "Volume", 3), thing(2, "text", "50%", 4)]
    at_target = [thing(1, "slider", "Volume", 3), thing(2, "text", "70%", 4)]
    decision, done = await play("set Volume to 70%", slider, at_target)
    assert decision.kind == "done"
    assert isinstance(done[0], Swipe)
    assert (await play("set Volume to 70%", slider))[0].kind == "fail"
    assert (await play("set Volume to purple", slider))[0].kind == "fail"
    row = [thing(1, "item", "Language", 3, clickable=True)]
    choices = [button(1, "English", 3), button(2, "Deutsch", 5)]
    chosen = [*row, thing(2, "text", "Deutsch", 4)]
    assert (await play("set Language to Deutsch", row, choices, chosen))[0].kind == "done"
    assert (await play("set Language to Deutsch", row, choices))[0].kind == "fail"
    dead_end = [thing(1, "text", "Language", 3)]
    assert (await play("set Language to Deutsch", row, dead_end))[0].kind == "fail"


async def test_a_dialog_is_closed_by_its_button_and_a_page_by_going_back() -> None:
    dialog = [thing(1, "dialog", "", 2), thing(2, "text", "Hello", 3, parent=1), button(3, "Close", 5, parent=1)]
    page = [thing(1, "text", "Home", 3)]
    decision, done = await play("close the dialog", dialog, page)
    assert decision.kind == "done"
    assert done == [Click(x=540, y=545, target="Close")]
    assert (await play("close the page", page, dialog))[1] == [Back()]
    assert (await play("close the page", page))[0].kind == "fail"
    assert (await play("close Firefly", page))[0].kind == "fail"


async def test_a_grey_switch_is_not_pressed() -> None:
    decision, done = await play("turn on Sync", [thing(1, "switch", "Sync", 3, checked=False, enabled=False)])
    assert decision.kind == "fail"
    assert not done


async def test_a_switch_that_asks_back_is_agreed_to_once() -> None:
    off = [thing(1, "switch", "Sync", 3, checked=False, clickable=True)]
    on = [thing(1, "switch", "Sync", 3, checked=True, clickable=True)]
    asks = [thing(1, "dialog", "", 2), thing(2, "text", "Turn on sync?", 3, parent=1), button(3, "OK", 5, parent=1)]
    decision, done = await play("turn on Sync", off, asks, on)
    assert decision.kind == "done"
    assert [a.target for a in done if isinstance(a, Click)] == ["Sync", "OK"]


async def test_the_only_switch_of_a_page_is_that_of_the_row_that_led_there() -> None:
    front = [thing(1, "item", "Bluetooth", 3, clickable=True)]
    page = [thing(1, "switch", "Use it", 3, checked=False, clickable=True)]
    on = [thing(1, "switch", "Use it", 3, checked=True, clickable=True)]
    assert (await play("turn on Bluetooth", front, page, on))[0].kind == "done"


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("read the name", "Ann"),
        ("what is the total?", "¥128"),
        ("is News on?", "yes"),
        ("read the first item", "Milk"),
        ("读取余额", "42"),
        ("is Home open?", "yes"),
    ],
)
async def test_values_are_read_from_where_they_stand(goal: str, answer: str) -> None:
    screen = [
        field(1, "Name", 3, "Ann"),
        thing(2, "text", "Total: ¥128", 5),
        thing(3, "checkbox", "News", 7, checked=True, clickable=True),
        thing(4, "item", "Milk", 9, clickable=True),
        Element(5, "text", Rect(40, 1100, 300, 1190), "余额"),
        Element(6, "text", Rect(700, 1100, 1040, 1190), "42"),
        thing(7, "text", "Home", 13),
    ]
    decision, done = await play(goal, screen)
    assert decision.kind == "done", decision.message
    assert answer in done[0].model_dump()["text"]


async def test_an_unanswerable_question_fails() -> None:
    decision, _ = await play("is the moon empty?", [thing(1, "text", "Home", 3)])
    assert decision.kind == "fail"


async def test_a_calculator_that_reckons_wrong_is_not_believed() -> None:
    keys = [
        Element(20 + n, "button", Rect(40 + 100 * n, 1000, 130 + 100 * n, 1090), sign, clickable=True)
        for n, sign in enumerate([*"0123456789", "+", "="])
    ]
    shows: Callable[[str], list[Element]] = lambda text: [*keys, thing(1, "text", text, 3)]  # noqa: E731 - a screen by its display
    assert (await play("compute 2+3", shows("0"), shows("5")))[0].kind == "done"
    wrong, _ = await play("compute 2+3", shows("0"), shows("6"))
    assert wrong.kind == "fail"
    assert "6" in wrong.message
    assert (await play("compute 2*3", shows("0")))[0].kind == "fail"
    assert (await play("compute 2+3", shows("0"), error="no touch"))[0].kind == "fail"


async def test_a_form_that_does_not_take_or_keep_what_was_typed_is_a_failure() -> None:
    front = [button(1, "New contact", 3)]
    form = [field(1, "Name", 3), button(2, "Save", 5)]
    filled = [field(1, "Name", 3, "Ann"), button(2, "Save", 5)]
    listed = [thing(1, "item", "Ann", 3, clickable=True)]
    goal = "add a contact named Ann"
    assert (await play(goal, front, form, filled, listed))[0].kind == "done"
    assert (await play(goal, front, form))[0].kind == "fail"
    assert (await play(goal, front, form, filled, front))[0].kind == "fail"
    assert (await play(goal, [thing(1, "text", "Empty", 3)]))[0].kind == "fail"
    no_phone = "add a contact with phone 123"
    assert "phone" in (await play(no_phone, front, form))[0].message


async def test_a_cart_that_stays_empty_is_a_failure() -> None:
    row = [thing(1, "item", "Mug", 3, clickable=True)]
    page = [thing(1, "text", "Mug", 3), button(2, "Add to cart", 20), button(3, "Cart", 1)]
    empty = [thing(1, "text", "Your cart is empty", 3)]
    assert (await play("add the Mug to the cart", row, page, page, empty))[0].kind == "fail"
    assert (await play("add the Mug to the cart", row, page, page, row))[0].kind == "done"
    nothing = [thing(1, "text", "Mug", 3)]
    assert (await play("add the Mug to the cart", row, nothing))[0].kind == "fail"
