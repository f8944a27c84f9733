"""What each app does, by touching what its hierarchy shows."""

import pytest

from deskhand.simphone.apps.arithmetic import BadExpression, evaluate_expression, format_value
from tests.simphone.body import Hand

MM, SETTINGS, NOTES = "com.tencent.mm", "com.android.settings", "com.miui.notes"
CONTACTS, BROWSER, CALCULATOR = "com.android.contacts", "com.android.browser", "com.android.calculator2"
CLOCK, BANK, SHOP = "com.android.deskclock", "com.example.bank", "com.example.shop"


# -- WeChat ---------------------------------------------------------------------------------------------------------


def test_a_message_is_sent_to_someone_found_by_search() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("搜索")
    hand.phone.input.type_text("张三")
    hand.tap("nickname")
    hand.write("chat_input", "明天下午两点开会")
    hand.tap("发送")
    assert "明天下午两点开会" in hand.texts()
    assert hand.state(MM)["chats"]["张三"]["messages"] == [{"from": "me", "text": "明天下午两点开会"}]


def test_send_appears_only_when_there_is_text_and_enter_sends_too() -> None:
    hand = Hand(locale="en")
    hand.open("WeChat")
    hand.tap("Bob", "chat_input")
    assert not hand.sees("send_btn")
    hand.phone.input.type_text("On my way")
    assert hand.sees("send_btn")
    hand.key(66)
    assert hand.state(MM)["chats"]["Bob"]["messages"][-1]["text"] == "On my way"
    assert not hand.sees("send_btn")


def test_opening_a_chat_marks_it_read_and_sending_moves_it_up() -> None:
    hand = Hand()
    hand.open("微信")
    assert hand.find("title").get("text") == "微信(6)"
    hand.tap("韩梅")
    hand.write("chat_input", "看完了")
    hand.tap("send_btn")
    hand.key(4, 4)
    assert hand.find("title").get("text") == "微信(3)"
    assert hand.all("nickname")[0].get("text") == "韩梅"


def test_a_contact_deep_in_the_list_gets_a_message_from_the_profile() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("tab_contacts")
    assert not hand.sees("周杰")
    hand.scroll_to("周杰")
    hand.tap("周杰", "发消息")
    assert hand.phone.windows.foreground[1] == ".ui.chatting.ChattingUI"
    assert hand.find("chat_title").get("text") == "周杰"


def test_a_held_message_can_be_copied_and_deleted() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("王五")
    hand.hold("合同已经寄出")
    hand.tap("复制")
    assert hand.phone.clipboard == "合同已经寄出"
    hand.hold("合同已经寄出")
    hand.tap("删除")
    assert "合同已经寄出" not in hand.texts()


def test_a_tap_beside_a_menu_closes_it() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("plus_btn")
    assert hand.sees("添加朋友")
    hand.press(540, 300)
    assert not hand.sees("添加朋友")
    assert hand.phone.windows.foreground[1] == ".ui.LauncherUI"


def test_a_friend_is_added_starred_and_liked() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("plus_btn", "添加朋友")
    hand.phone.input.type_text("Zed")
    hand.tap("add_btn")
    assert "Zed" in hand.state(MM)["contacts"]
    hand.tap("tab_contacts", "Alice", "star_switch")
    assert hand.state(MM)["starred"] == ["Alice"]
    hand.key(4)
    hand.tap("tab_discover", "朋友圈", "like_btn")
    assert hand.state(MM)["moments"][0] == {"author": "陈晨", "likes": 7, "liked": True}
    hand.key(4)
    hand.tap("tab_me", "notify_switch")
    assert hand.state(MM)["notifications"] is False


def test_top_stories_open_the_news_in_the_browser() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("tab_discover", "stories_row")
    assert hand.phone.windows.foreground[0] == "com.android.browser"
    assert hand.sees("今日要闻")


def test_pictures_places_and_faces_are_sent() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("王五", "attach_btn", "照片", "attach_btn", "位置", "emoji_btn", "send_btn")
    said = [m["text"] for m in hand.state(MM)["chats"]["王五"]["messages"]]
    assert said[-3:] == ["[图片]", "[位置] 北京市海淀区", "[微笑]"]
    hand.tap("chat_info")
    assert hand.find("profile_name").get("text") == "王五"


def test_a_held_chat_is_marked_and_deleted_and_history_is_found() -> None:
    hand = Hand()
    hand.open("微信")
    hand.hold("Tom")
    hand.tap("标为未读")
    assert hand.state(MM)["chats"]["Tom"]["unread"] == 1
    hand.hold("Tom")
    hand.tap("删除该聊天")
    assert "Tom" not in hand.state(MM)["chats"]
    hand.tap("search_btn")
    hand.phone.input.type_text("快递")
    assert hand.find("history_item") is not None
    hand.phone.input.clear_text()
    hand.phone.input.type_text("没有这个人")
    assert "没有找到相关结果" in hand.texts()


# -- Settings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("locale", ["zh", "en"])
def test_wifi_is_turned_on(locale: str) -> None:
    hand = Hand(locale=locale)
    hand.open("设置" if locale == "zh" else "Settings")
    hand.tap("Wi-Fi")
    assert hand.find("wifi_switch").get("checked") == "false"
    hand.tap("wifi_switch")
    assert hand.find("wifi_switch").get("checked") == "true"
    assert hand.phone.settings["global"]["wifi_on"] == "1"
    hand.phone.settings["global"]["wifi_on"] = "0"
    assert hand.find("wifi_switch").get("checked") == "false"


def test_a_network_asks_for_its_password() -> None:
    hand = Hand(locale="en")
    hand.open("Settings")
    hand.tap("Wi-Fi", "wifi_switch", "Home-5G")
    assert hand.find("password").get("password") == "true"
    hand.phone.input.type_text("wrong")
    assert hand.find("password").get("text") == "•••••"
    hand.tap("Connect")
    assert hand.phone.read_state()["toasts"][-1] == "Wrong password"
    hand.phone.input.clear_text()
    hand.phone.input.type_text("12345678")
    hand.key(66)
    assert hand.state(SETTINGS)["network"] == "Home-5G"
    hand.tap("Cafe-Free")
    assert hand.state(SETTINGS)["network"] == "Cafe-Free"
    hand.tap("Home-5G")
    assert hand.state(SETTINGS)["network"] == "Home-5G"
    hand.tap("Home-5G", "Forget")
    assert hand.state(SETTINGS) == {"network": "", "known_networks": ["Cafe-Free"], "paired": ["Headphones"]}


def test_brightness_follows_the_finger() -> None:
    hand = Hand()
    hand.open("设置")
    hand.tap("显示")
    x1, y1, x2, y2 = hand.box("brightness_slider")
    hand.drag((x1 + x2) / 2, (y1 + y2) / 2, x2, (y1 + y2) / 2)
    assert hand.phone.settings["system"]["screen_brightness"] == "255"
    assert hand.find("brightness_slider_value").get("text") == "100%"
    hand.press(x1 + 5, (y1 + y2) / 2)
    assert hand.phone.settings["system"]["screen_brightness"] == "0"


def test_airplane_mode_takes_the_radios_down() -> None:
    hand = Hand()
    hand.phone.settings["global"].update(wifi_on="1", bluetooth_on="1")
    hand.open("设置")
    hand.tap("airplane_switch")
    values = hand.phone.settings["global"]
    assert (values["airplane_mode_on"], values["wifi_on"], values["bluetooth_on"]) == ("1", "0", "0")
    hand.tap("Wi-Fi", "wifi_switch")
    assert (values["airplane_mode_on"], values["wifi_on"]) == ("0", "1")


def test_settings_are_found_by_search() -> None:
    hand = Hand(locale="en")
    hand.open("Settings")
    hand.write("search_field", "brightness")
    assert hand.sees("Display")
    assert not hand.sees("Bluetooth")
    hand.tap("search_clear")
    assert hand.sees("Bluetooth")
    hand.phone.input.type_text("zzz")
    assert hand.sees("No settings found")


@pytest.mark.parametrize(
    ("row", "sees"),
    [
        ("蓝牙", "打开蓝牙以查找设备"),
        ("移动网络", "移动数据"),
        ("声音与振动", "媒体音量"),
        ("通知", "勿扰模式"),
        ("电池", "86%"),
        ("存储", "已用 46.2 GB / 128 GB"),
        ("应用", "com.android.settings"),
        ("安全", "屏幕锁定"),
        ("日期和时间", "2026-03-04"),
        ("关于手机", "SimPhone"),
    ],
)
def test_every_row_of_settings_leads_somewhere(row: str, sees: str) -> None:
    hand = Hand()
    hand.open("设置")
    hand.scroll_to(row)
    hand.tap(row)
    assert sees in hand.texts()
    hand.key(4)
    assert hand.phone.windows.foreground[1] == ".Settings"


def test_bluetooth_devices_are_paired_and_unpaired() -> None:
    hand = Hand(locale="en")
    hand.open("Settings")
    hand.tap("Bluetooth", "bluetooth_switch", "Speaker", "Headphones", "Unpair")
    assert hand.state(SETTINGS)["paired"] == ["Speaker"]


def test_the_phone_is_renamed_and_an_app_is_stopped_from_settings() -> None:
    hand = Hand(locale="en")
    hand.open("Calculator")
    hand.open("Settings")
    hand.scroll_to("About phone")
    hand.tap("About phone", "device_name_row")
    hand.phone.input.clear_text()
    hand.phone.input.type_text("Pocket")
    hand.tap("OK")
    assert hand.phone.settings["global"]["device_name"] == "Pocket"
    hand.key(4)
    hand.tap("Apps", "Calculator")
    assert hand.find("app_status").get("text") == "Running"
    hand.tap("Force stop")
    assert hand.find("app_status").get("text") == "Not running"


def test_display_and_sound_values_are_the_phones_own() -> None:
    hand = Hand()
    hand.open("设置")
    hand.tap("显示", "dark_mode_switch", "timeout_row", "auto_brightness_switch")
    assert hand.phone.settings["secure"]["ui_night_mode"] == "2"
    assert hand.phone.settings["system"]["screen_off_timeout"] == "300000"
    hand.tap("timeout_row")
    assert hand.phone.settings["system"]["screen_off_timeout"] == "15000"
    hand.tap("dark_mode_switch")
    assert hand.phone.settings["secure"]["ui_night_mode"] == "1"


# -- Notes ----------------------------------------------------------------------------------------------------------


def test_a_note_is_written_found_and_deleted() -> None:
    hand = Hand()
    hand.open("笔记")
    hand.tap("新建笔记")
    hand.phone.input.type_text("旅行计划")
    hand.key(66)
    hand.phone.input.type_text("第一天：长城")
    hand.key(66)
    hand.phone.input.type_text("第二天：故宫")
    hand.tap("done_btn")
    note = {"title": "旅行计划", "body": "第一天：长城\n第二天：故宫"}
    assert hand.state(NOTES)["notes"][0] == note
    hand.write("search", "故宫")
    assert [n.get("text") for n in hand.all("note_title")] == ["旅行计划"]
    hand.hold("旅行计划")
    hand.tap("删除")
    assert hand.state(NOTES)["notes"][0] == note
    hand.tap("取消")
    hand.tap("旅行计划", "delete_btn")
    hand.tap("button1")
    assert note not in hand.state(NOTES)["notes"]
    assert hand.phone.windows.foreground[1] == ".ui.NotesListActivity"


def test_an_empty_new_note_leaves_nothing_behind() -> None:
    hand = Hand()
    hand.open("笔记")
    before = hand.state(NOTES)
    hand.tap("new_note")
    hand.key(4, 4)
    assert hand.state(NOTES) == before
    hand.hold("读书笔记")
    hand.tap("置顶")
    assert hand.state(NOTES)["notes"][0]["title"] == "读书笔记"


# -- Contacts -------------------------------------------------------------------------------------------------------


def test_a_contact_is_added_changed_called_and_deleted() -> None:
    hand = Hand(locale="en")
    hand.open("Contacts")
    hand.tap("Create contact")
    hand.phone.input.type_text("Aaron")
    hand.write("edit_phone", "555 0100")
    hand.tap("Save")
    assert hand.state(CONTACTS)["contacts"][0] == {"name": "Aaron", "phone": "555 0100", "email": ""}
    hand.tap("Aaron", "edit_btn")
    hand.write("edit_email", "aaron@example.com")
    hand.key(66)
    assert hand.sees("aaron@example.com")
    hand.tap("call_btn")
    hand.wait(64)
    assert hand.find("call_time").get("text") == "01:05"
    hand.tap("End call")
    assert hand.state(CONTACTS)["calls"] == ["Aaron"]
    hand.tap("delete_btn", "Delete")
    assert all(c["name"] != "Aaron" for c in hand.state(CONTACTS)["contacts"])


def test_contacts_are_found_by_name_and_number() -> None:
    hand = Hand()
    hand.open("通讯录")
    hand.write("search", "8017")
    assert [n.get("text") for n in hand.all("name")] == ["张三"]
    hand.phone.input.clear_text()
    hand.phone.input.type_text("没有")
    assert "没有联系人" in hand.texts()


# -- Browser --------------------------------------------------------------------------------------------------------


def test_an_address_leads_to_an_article_that_scrolls() -> None:
    hand = Hand(locale="en")
    hand.open("Browser")
    hand.write("url", "news.local")
    hand.key(66)
    assert "Today's headlines" in hand.texts()
    hand.tap("Robot learns to fold laundry")
    assert hand.state(BROWSER)["address"] == "news.local/robot"
    hand.scroll_to("Back to the front page")
    hand.key(4)
    assert hand.state(BROWSER)["address"] == "news.local/"
    hand.tap("home_btn")
    assert hand.sees("Bookmarks")


def test_a_form_needs_every_field() -> None:
    hand = Hand()
    hand.phone.apps.launch_app("com.android.browser", data="http://news.local/subscribe")
    hand.wait()
    hand.write("name", "小明")
    hand.tap("提交")
    assert hand.phone.read_state()["toasts"][-1] == "请填写所有字段"
    hand.write("email", "ming@example.com")
    hand.tap("提交")
    assert "订阅成功" in hand.texts()
    sent = {"page": "news.local/subscribe", "name": "小明", "email": "ming@example.com"}
    assert hand.state(BROWSER)["submissions"] == [sent]


def test_words_are_searched_and_unknown_sites_say_so() -> None:
    hand = Hand(locale="en")
    hand.open("Browser")
    hand.write("url", "museum")
    hand.key(66)
    hand.tap("Museum shows thousand-year-old porcelain")
    assert hand.state(BROWSER)["address"] == "news.local/museum"
    hand.tap("url")
    hand.phone.input.clear_text()
    hand.phone.input.type_text("https://nowhere.local/x")
    hand.key(66)
    assert "This site can't be reached" in hand.texts()
    hand.tap("refresh_btn")
    assert hand.state(BROWSER)["visited"][-2:] == ["nowhere.local/x", "nowhere.local/x"]
    hand.tap("url")
    hand.phone.input.clear_text()
    hand.phone.input.type_text("zzz")
    hand.key(66)
    assert "Nothing found" in hand.texts()


# -- Calculator -----------------------------------------------------------------------------------------------------

KEYS = {"+": "op_add", "−": "op_sub", "×": "op_mul", "÷": "op_div", "=": "eq", ".": "dec_point", "%": "pct", "C": "clr"}


def calculate(hand: Hand, keys: str) -> str:
    for key in keys:
        hand.tap(KEYS.get(key) or {"⌫": "del", "±": "sign"}.get(key) or f"digit_{key}")
    return hand.state(CALCULATOR)["display"]


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("12×3+4=", "40"),
        ("2+3×4=", "14"),
        ("0.1+0.2=", "0.3"),
        ("10÷4=", "2.5"),
        ("1÷3=", "0.333333333333"),
        ("5÷0=", "错误"),
        ("200+10%=", "220"),
        ("50%=", "0.5"),
        ("8×−2=", "−16"),
        ("9+−4=", "5"),
        ("12⌫3=", "13"),
        ("5±+7=", "2"),
        ("007=", "7"),
        ("1..5=", "1.5"),
        ("2+2=3=", "3"),
        ("5÷0=7=", "7"),
        ("2+2=×3=", "12"),
        ("99C", "0"),
    ],
)
def test_the_calculator_is_right(keys: str, value: str) -> None:
    hand = Hand()
    hand.open("计算器")
    assert calculate(hand, keys) == value
    assert hand.find("formula").get("text") == value


def test_the_evaluator_refuses_what_is_no_expression() -> None:
    assert format_value(evaluate_expression("(1+2)×3")) == "9"
    assert format_value(evaluate_expression("1000000×1000000×1000000")) == "1E+18"
    for text in ("", "1+", "2x", "(1+2", "1 2)", "÷3"):
        with pytest.raises(BadExpression):
            evaluate_expression(text)


# -- Clock ----------------------------------------------------------------------------------------------------------


def test_an_alarm_is_set_switched_and_deleted() -> None:
    hand = Hand()
    hand.open("时钟")
    hand.tap("添加闹钟", "hour")
    hand.phone.input.clear_text()
    hand.phone.input.type_text("6")
    hand.tap("minute")
    hand.phone.input.clear_text()
    hand.phone.input.type_text("45")
    hand.write("label_edit", "跑步")
    hand.tap("save_btn")
    assert hand.state(CLOCK)["alarms"][0] == {"time": "06:45", "label": "跑步", "on": True}
    hand.tap(hand.all("alarm_switch")[0])
    assert hand.state(CLOCK)["alarms"][0]["on"] is False
    hand.hold("06:45")
    hand.tap("删除")
    assert hand.state(CLOCK)["alarms"][0]["time"] == "07:00"
    hand.tap("07:00", "hour_up", "minute_down", "save_btn")
    assert "08:59" in [a["time"] for a in hand.state(CLOCK)["alarms"]]
    hand.tap("08:59", "删除闹钟")
    assert len(hand.state(CLOCK)["alarms"]) == 2


def test_an_impossible_time_is_refused() -> None:
    hand = Hand()
    hand.open("时钟")
    hand.tap("add_alarm", "hour")
    hand.phone.input.clear_text()
    hand.phone.input.type_text("25")
    hand.tap("save_btn")
    assert hand.phone.read_state()["toasts"][-1] == "时间无效"
    assert len(hand.state(CLOCK)["alarms"]) == 3


def test_the_stopwatch_runs_laps_and_resets() -> None:
    hand = Hand(locale="en")
    hand.open("Clock")
    hand.tap("tab_stopwatch", "Start")
    hand.wait(9)
    assert hand.find("stopwatch_time").get("text") == "00:10.0"
    hand.tap("Lap", "Pause")
    stopped = hand.find("stopwatch_time").get("text")
    hand.wait(30)
    assert hand.find("stopwatch_time").get("text") == stopped
    hand.tap("Reset")
    assert hand.find("stopwatch_time").get("text") == "00:00.0"


def test_the_timer_counts_down_to_the_end() -> None:
    hand = Hand(locale="en")
    hand.open("Clock")
    hand.tap("tab_timer", "timer_minutes")
    hand.phone.input.clear_text()
    hand.phone.input.type_text("1")
    hand.key(4)
    hand.tap("timer_start")
    assert hand.find("timer_time").get("text") == "00:59"
    hand.wait(60)
    assert hand.find("timer_time").get("text") == "Time's up"
    hand.tap("timer_cancel")
    assert hand.sees("timer_minutes")


def test_cities_are_added_and_removed() -> None:
    hand = Hand(locale="en")
    hand.open("Clock")
    hand.tap("tab_world", "Add city", "Tokyo")
    assert "Tokyo" in hand.state(CLOCK)["cities"]
    assert "10:41" in hand.texts()
    hand.hold("London")
    hand.tap("Delete")
    assert "London" not in hand.state(CLOCK)["cities"]


# -- Bank and shop --------------------------------------------------------------------------------------------------


def test_the_bank_asks_for_a_password_and_before_it_pays() -> None:
    hand = Hand()
    hand.open("示例银行")
    hand.write("username", "ming")
    hand.key(66)
    hand.phone.input.type_text("000000")
    hand.key(66)
    assert hand.state(BANK)["user"] == ""
    hand.phone.input.type_text("123456")
    hand.key(66)
    assert hand.find("balance").get("text") == "¥ 12,580.50"
    hand.tap("transfer_btn")
    hand.write("payee", "李四")
    hand.write("amount", "99999")
    hand.key(4)
    hand.tap("next_btn")
    assert hand.phone.read_state()["toasts"][-1] == "请检查收款人和金额"
    hand.tap("amount")
    hand.phone.input.clear_text()
    hand.phone.input.type_text("80.5")
    hand.key(4)
    hand.tap("next_btn")
    assert hand.state(BANK)["transfers"] == []
    hand.tap("确认")
    assert hand.state(BANK) == {"user": "ming", "balance": 12500.0, "transfers": [{"to": "李四", "amount": 80.5}]}
    hand.tap("退出登录")
    assert hand.state(BANK)["user"] == ""


def test_an_order_needs_an_address_and_a_yes() -> None:
    hand = Hand(locale="en")
    hand.open("Shop")
    hand.write("search", "lamp")
    hand.tap("Desk lamp", "plus_btn", "Add to cart")
    assert hand.state(SHOP)["cart"] == {"lamp": 2}
    hand.tap("cart_btn")
    assert hand.find("total").get("text") == "Total ¥318"
    hand.tap("Checkout", "pay_btn")
    assert hand.state(SHOP)["orders"] == []
    hand.tap("checkout_name")
    hand.phone.input.type_text("Ming")
    hand.key(66)
    hand.phone.input.type_text("555 0101")
    hand.key(66)
    hand.phone.input.type_text("1 Main Street")
    hand.key(4)
    hand.tap("pay_btn")
    assert "Pay ¥318? This cannot be undone." in hand.texts()
    hand.tap("Cancel")
    assert hand.state(SHOP)["orders"] == []
    hand.tap("pay_btn", "Pay now")
    order = hand.state(SHOP)["orders"][0]
    assert (order["total"], order["name"], order["address"]) == (318, "Ming", "1 Main Street")
    assert order["items"] == [{"product": "lamp", "name": "Desk lamp", "count": 2}]
    assert hand.state(SHOP)["cart"] == {}
    hand.tap("Back to shop", "orders_btn")
    assert hand.sees("DH000001")


def test_the_cart_can_be_changed_and_emptied() -> None:
    hand = Hand()
    hand.open("优选商城")
    hand.tap("无线耳机", "立即购买")
    hand.key(4)
    hand.tap("minus_btn", "cart_btn", "plus_btn")
    assert hand.state(SHOP)["cart"] == {"headphones": 2}
    hand.tap("minus_btn", "remove_btn")
    assert hand.state(SHOP)["cart"] == {}
    assert "购物车是空的" in hand.texts()
    assert hand.find("checkout_btn").get("enabled") == "false"
    hand.tap("checkout_btn")
    assert hand.phone.windows.foreground[1] == ".CartActivity"


# -- Weather and photos ---------------------------------------------------------------------------------------------


def test_the_weather_knows_cities_and_units() -> None:
    hand = Hand(locale="en")
    hand.open("Weather")
    assert hand.find("temperature").get("text") == "18°C"
    hand.tap("London", "units_btn", "fahrenheit_box", "Done")
    assert hand.find("temperature").get("text") == "52°F"
    assert hand.state("com.android.weather") == {"city": "London", "unit": "F"}


def test_a_photo_is_taken_kept_and_deleted() -> None:
    hand = Hand(locale="en")
    hand.open("Camera")
    hand.tap("Shutter", "Switch camera")
    assert hand.state("com.android.camera") == {"lens": "front"}
    hand.tap("gallery_btn")
    hand.tap("IMG_0015", "Favourite")
    assert hand.state("com.android.gallery3d")["photos"][-1] == {"name": "IMG_0015", "favourite": True}
    hand.tap("delete_btn")
    hand.tap("button1")
    assert hand.state("com.android.gallery3d")["photos"][-1]["name"] == "IMG_0014"
