"""The phone itself: windows, keys, gestures, conditions."""

import json
import random

import pytest

from deskhand.simphone.body.window_manager import NeverIdle
from deskhand.simphone.phone import Phone
from tests.simphone.body import Hand

HOME, BACK, POWER, ENTER, DELETE, MENU, APP_SWITCH = 3, 4, 26, 66, 67, 82, 187


def test_a_new_phone_shows_its_launcher() -> None:
    hand = Hand()
    assert hand.phone.windows.foreground == ("com.android.launcher3", ".Launcher")
    assert hand.phone.size == (1080, 2400)
    assert {"设置", "时钟", "微信"} <= {n.get("content-desc") for n in hand.nodes()}


def test_launcher_pages_are_swiped() -> None:
    hand = Hand()
    assert not hand.sees("示例银行")
    hand.drag(900, 1200, 200, 1200)
    assert hand.sees("示例银行")
    assert not hand.sees("设置")
    hand.drag(200, 1200, 900, 1200)
    assert hand.sees("设置")


def test_a_short_drag_on_the_launcher_snaps_back() -> None:
    hand = Hand()
    before = hand.box("设置")
    hand.drag(600, 1200, 540, 1200)
    assert hand.box("设置") == before


def test_app_names_follow_the_locale_and_packages_carry_both() -> None:
    assert Hand(locale="en").sees("Settings")
    names = {(p.label, p.label_en) for p in Phone().apps.list_packages()}
    assert {("微信", "WeChat"), ("设置", "Settings"), ("计算器", "Calculator")} <= names


def test_the_language_can_be_changed_in_settings() -> None:
    hand = Hand()
    hand.open("设置")
    hand.scroll_to("语言")
    hand.tap("语言", "English")
    assert hand.sees("Language")


def test_home_leaves_and_the_app_comes_back_where_it_was() -> None:
    hand = Hand()
    hand.open("设置")
    hand.tap("Wi-Fi")
    hand.key(HOME)
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"
    hand.open("设置")
    assert hand.phone.windows.foreground == ("com.android.settings", ".wifi.WifiSettings")


def test_back_closes_keyboard_then_page_then_app() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("search_btn")
    assert hand.phone.windows.is_keyboard_shown
    hand.key(BACK)
    assert not hand.phone.windows.is_keyboard_shown
    assert hand.phone.windows.foreground[1] == ".plugin.fts.ui.FTSMainUI"
    hand.key(BACK)
    assert hand.phone.windows.foreground[1] == ".ui.LauncherUI"
    hand.key(BACK)
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"


def test_the_keyboard_takes_room_from_the_page() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("李四")
    low = hand.box("chat_input")
    hand.tap("chat_input")
    assert hand.box("chat_input")[3] < low[3] - 500
    hand.key(BACK)
    assert hand.box("chat_input") == low


def test_the_adb_keyboard_is_only_a_strip() -> None:
    hand = Hand()
    hand.phone.ime = "com.android.adbkeyboard/.AdbIME"
    hand.open("微信")
    hand.tap("李四", "chat_input")
    assert hand.box("chat_input")[3] > 2000


def test_keys_drawn_on_the_screen_type() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("search_btn")
    # the second row of the panel: q is its first key, p its last
    hand.press(54, 1800)
    hand.press(1026, 1800)
    assert hand.phone.read_state()["focused"]["text"] == "qp"
    hand.press(1000, 2120)
    assert hand.phone.read_state()["focused"]["text"] == "q"


def test_hardware_keys_edit_the_field_in_focus() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("search_btn")
    hand.phone.input.type_text("abcd")
    hand.key(DELETE, 21, 21, 112)
    assert hand.phone.read_state()["focused"] == {"key": "query", "text": "ac", "caret": 1}
    hand.key(122, 36, 123, 8)
    assert hand.phone.read_state()["focused"]["text"] == "hac1"
    hand.phone.input.press_together([113, 29])
    hand.key(277)
    assert hand.phone.clipboard == "hac1"
    assert hand.phone.read_state()["focused"]["text"] == ""
    hand.key(279, 279)
    assert hand.phone.read_state()["focused"]["text"] == "hac1hac1"
    assert hand.phone.input.clear_text()
    assert hand.phone.read_state()["focused"]["text"] == ""


def test_typing_without_a_field_in_focus_is_refused() -> None:
    hand = Hand()
    assert not hand.phone.input.type_text("hello")
    assert not hand.phone.input.clear_text()


def test_a_long_press_on_a_field_offers_the_clipboard() -> None:
    hand = Hand()
    hand.phone.clipboard = "来自剪贴板"
    hand.open("微信")
    hand.tap("王五")
    hand.hold("chat_input")
    hand.tap("粘贴")
    assert hand.find("chat_input").get("text") == "来自剪贴板"
    hand.hold("chat_input")
    hand.tap("剪切")
    assert hand.phone.read_state()["focused"]["text"] == ""
    hand.phone.input.type_text("新的")
    hand.hold("chat_input")
    hand.tap("全选")
    hand.phone.input.type_text("别的")
    assert hand.find("chat_input").get("text") == "别的"


def test_tab_moves_from_field_to_field() -> None:
    hand = Hand()
    hand.open("通讯录")
    hand.tap("add_contact")
    hand.phone.input.type_text("Zoe")
    hand.key(61)
    hand.phone.input.type_text("123")
    assert hand.find("edit_phone").get("text") == "123"


def test_recent_apps_can_be_reopened_and_closed() -> None:
    hand = Hand()
    hand.open("设置")
    hand.open("计算器")
    hand.key(APP_SWITCH)
    assert hand.phone.windows.foreground == ("com.android.systemui", ".recents.RecentsActivity")
    hand.tap("设置")
    assert hand.phone.windows.foreground[0] == "com.android.settings"
    hand.key(APP_SWITCH)
    hand.tap("clear_all")
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"
    assert hand.phone.read_state()["recent"] == []


def test_launch_and_force_stop() -> None:
    hand = Hand()
    assert hand.phone.apps.launch_app("com.android.settings")
    assert hand.phone.windows.foreground[0] == "com.android.settings"
    assert hand.phone.apps.launch_app("com.android.settings", "com.android.settings.wifi.WifiSettings")
    assert hand.phone.windows.foreground == ("com.android.settings", ".wifi.WifiSettings")
    assert not hand.phone.apps.launch_app("com.android.settings", ".NoSuchActivity")
    assert not hand.phone.apps.launch_app("com.no.such.app")
    hand.phone.apps.stop_app("com.android.settings")
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"
    hand.phone.apps.stop_app("com.no.such.app")


def test_a_long_press_on_an_icon_tells_about_the_app() -> None:
    hand = Hand()
    hand.hold("计算器")
    assert "应用包名：com.android.calculator2" in hand.texts()
    hand.tap("关闭")
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"
    assert not hand.sees("关闭")


def test_edge_swipes_go_back_and_home() -> None:
    hand = Hand()
    hand.open("设置")
    hand.tap("Wi-Fi")
    hand.drag(5, 1200, 400, 1200)
    assert hand.phone.windows.foreground[1] == ".Settings"
    hand.drag(540, 2390, 540, 1500)
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"


def test_a_locked_phone_shows_only_its_lock_screen_until_swiped() -> None:
    hand = Hand(conditions=["locked"])
    assert hand.phone.is_locked
    assert "上滑解锁" in hand.texts()
    hand.press(540, 1500)
    hand.key(HOME)
    assert hand.phone.is_locked
    hand.drag(540, 1900, 540, 700)
    assert not hand.phone.is_locked
    assert hand.sees("设置")


def test_power_puts_to_sleep_and_menu_unlocks() -> None:
    hand = Hand()
    hand.key(POWER)
    assert not hand.phone.awake
    assert hand.phone.display.take_screenshot().getextrema() == ((0, 0), (0, 0), (0, 0), (255, 255))
    hand.press(540, 1200)
    hand.key(POWER)
    assert hand.phone.awake
    assert hand.phone.is_locked
    hand.key(MENU)
    assert not hand.phone.is_locked


def test_a_dialog_takes_the_focus_from_the_page() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("王五", "chat_input")
    hand.hold("合同已经寄出")
    assert not hand.phone.windows.is_keyboard_shown
    assert not hand.phone.input.type_text("x")
    hand.key(4)
    assert hand.phone.input.type_text("y")


def test_page_keys_scroll_and_shift_types_capitals() -> None:
    hand = Hand()
    hand.open("设置")
    assert not hand.sees("关于手机")
    hand.key(93)
    assert hand.sees("关于手机")
    hand.key(92)
    assert hand.sees("Wi-Fi")
    hand.tap("search_field")
    hand.phone.input.press_together([59, 29])
    assert hand.phone.read_state()["focused"]["text"] == "A"
    hand.phone.input.press_together([3])
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"


def test_the_popup_outlives_the_home_key() -> None:
    hand = Hand(conditions=["popup"], locale="en")
    hand.tap("Settings")
    hand.key(3, 24)
    assert "System update" in hand.texts()
    hand.tap("Install")
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"
    assert hand.state("com.android.systemui")["popup_answers"] == ["install"]


def test_a_popup_comes_after_the_next_input_and_blocks_until_answered() -> None:
    hand = Hand(conditions=["popup"])
    assert hand.phone.windows.foreground[0] == "com.android.launcher3"
    hand.tap("设置")
    assert hand.phone.windows.foreground[0] == "com.android.systemui"
    assert "系统更新" in hand.texts()
    hand.press(540, 400)
    assert not hand.phone.input.type_text("x")
    assert "系统更新" in hand.texts()
    hand.tap("稍后")
    assert hand.phone.windows.foreground[0] == "com.android.settings"
    assert hand.state("com.android.systemui")["popup_answers"] == ["later"]
    hand.tap("Wi-Fi")
    assert hand.phone.windows.foreground[0] == "com.android.settings"


def test_a_rotated_phone_is_wide_and_still_works() -> None:
    hand = Hand(conditions=["rotated"])
    assert hand.phone.size == (2400, 1080)
    assert hand.phone.rotation == 1
    assert hand.phone.display.take_screenshot().size == (2400, 1080)
    assert 'rotation="1"' in hand.phone.windows.dump_hierarchy()
    hand.open("微信")
    hand.tap("search_btn")
    hand.phone.input.type_text("李四")
    hand.tap("nickname")
    hand.write("chat_input", "你好")
    hand.tap("send_btn")
    assert hand.state("com.tencent.mm")["chats"]["李四"]["messages"][-1] == {"from": "me", "text": "你好"}
    hand.phone.conditions.discard("rotated")
    assert hand.phone.display.take_screenshot().size == (1080, 2400)


def test_a_field_below_the_keyboard_is_scrolled_into_view() -> None:
    hand = Hand(conditions=["rotated"])
    hand.phone.apps.launch_app("com.android.contacts")
    hand.wait()
    hand.tap("add_contact")
    hand.key(61, 61)
    assert hand.find("edit_email").get("focused") == "true"
    assert hand.box("edit_email")[3] <= 1080 - 520


def test_the_rotation_setting_turns_the_phone_too() -> None:
    hand = Hand()
    hand.phone.settings["system"]["user_rotation"] = "1"
    assert hand.phone.size == (2400, 1080)


def test_a_never_idle_screen_has_no_hierarchy() -> None:
    hand = Hand(conditions=["never-idle"])
    with pytest.raises(NeverIdle):
        hand.phone.windows.dump_hierarchy()
    hand.phone.conditions.discard("never-idle")
    assert hand.phone.windows.dump_hierarchy()


def test_volume_keys_change_the_setting_that_the_app_shows() -> None:
    hand = Hand()
    hand.key(24, 24, 25)
    assert hand.phone.settings["system"]["volume_music"] == "9"


def test_two_phones_given_the_same_input_look_the_same() -> None:
    one, other = Hand(), Hand()
    for hand in (one, other):
        hand.open("微信")
        hand.tap("Alice")
    assert one.phone.windows.dump_hierarchy() == other.phone.windows.dump_hierarchy()
    assert one.phone.display.take_screenshot().tobytes() == other.phone.display.take_screenshot().tobytes()
    assert one.phone.read_state() == other.phone.read_state()


def test_the_whole_state_is_json() -> None:
    hand = Hand()
    state = json.loads(json.dumps(hand.phone.read_state()))
    assert state["foreground"] == {"package": "com.android.launcher3", "activity": ".Launcher"}
    assert {"settings", "apps", "ime", "focused", "clipboard", "recent", "battery"} <= state.keys()


@pytest.mark.parametrize("seed", range(4))
def test_nothing_a_careless_hand_does_breaks_the_phone(seed: int) -> None:
    dice = random.Random(seed)
    hand = Hand(locale=dice.choice(["zh", "en"]), conditions=dice.choice([[], ["rotated"], ["popup"]]))
    width, height = hand.phone.size
    for _ in range(60):
        deed = dice.random()
        touchable = [node for node in hand.nodes() if node.get("clickable") == "true"]
        if deed < 0.6 and touchable:
            hand.press(*hand.centre(dice.choice(touchable)), seconds=dice.choice([0.05, 0.05, 0.7]))
        elif deed < 0.7:
            x, y = dice.randrange(width), dice.randrange(height)
            hand.drag(x, y, dice.randrange(width), dice.randrange(height), steps=3)
        elif deed < 0.8:
            hand.phone.input.type_text(dice.choice(["张三", "12", "\n"]))
        elif deed < 0.9:
            hand.phone.input.press_key(dice.choice([3, 4, 4, 26, 61, 66, 67, 82, 93, 187, 224, 279]))
        else:
            hand.phone.apps.launch_app(dice.choice(hand.phone.apps.list_packages()).name)
        hand.wait(dice.random())
        hand.phone.display.take_screenshot()
    json.dumps(hand.phone.read_state())
