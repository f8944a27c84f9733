"""The phone exam's second paper: goals with several parts, corrections, negations and questions."""

from __future__ import annotations

from tests.exams.phone_questions import (
    AIRPLANE,
    Change,
    Facts,
    Question,
    add_alarm,
    add_note,
    call,
    drop_alarm,
    drop_note,
    put,
    send,
    start_timer,
    switch,
    together,
)


def rename(path: str, old: str, new: str) -> Change:
    """Give the leaf at `path`/`old` another name."""
    *way, last = path.split("/")

    def change(facts: Facts) -> None:
        for name in [*way, last]:
            facts = facts[name]
        facts[new] = facts.pop(old)

    return change


def favour(name: str) -> Change:
    return put(f"Gallery/{name}", True)


def add_contact(name: str, phone: str) -> Change:
    return put(f"Contacts/contacts/{name}", {"phone": phone, "email": ""})


def fill_cart(total: int, **items: int) -> Change:
    return together(put("Shop/cart", items), put("Shop/total", total))


BLUETOOTH, WIFI, DATA = "bluetooth_on", "wifi_on", "mobile_data"

SECOND_PAPER = (
    # --- messages ---
    Question("Message Carol on WeChat: running ten minutes late", send(("Carol", "running ten minutes late"))),
    Question("Text Tom: I'll bring the tickets", send(("Tom", "I'll bring the tickets"))),
    Question(
        'Send Bob and Emma the message "Happy New Year" on WeChat',
        send(("Bob", "Happy New Year"), ("Emma", "Happy New Year")),
    ),
    Question(
        "Let Frank know on WeChat that the meeting moved to Tuesday, then go back to the home screen",
        send(("Frank", "the meeting moved to Tuesday")),
        front="home",
    ),
    Question('Don\'t message Alice, message Bob "hold on"', send(("Bob", "hold on"))),
    Question("Send Bob a funny picture", refusal_wanted=True),
    Question("If Alice hasn't answered, write to her again", refusal_wanted=True),
    Question("What did Emma write to me last?", answer="See you at the airport"),
    Question("What was the last message from 王五?", answer="合同已经寄出"),
    Question("Read me the latest message from Tom", answer="The match starts at eight"),
    Question("发微信给李四说我到楼下了", send(("李四", "我到楼下了"))),
    Question("微信告诉张伟今晚不用等我", send(("张伟", "今晚不用等我"))),
    Question("给韩梅和刘洋都发一条微信：资料收到了", send(("韩梅", "资料收到了"), ("刘洋", "资料收到了"))),
    Question("用微信跟杨帆说“下午三点开会”，然后返回桌面", send(("杨帆", "下午三点开会")), front="home"),
    Question("不要给Alice发消息，给Bob发微信“稍等”", send(("Bob", "稍等"))),
    Question("帮我回复刘洋一句客气话", refusal_wanted=True),
    Question("王五发来的最后一条消息是什么？", answer="合同已经寄出"),
    Question("看看李四最近给我发了什么", answer="记得带水"),
    # --- clock ---
    Question("Wake me up at 5:50", add_alarm("05:50")),
    Question("Set alarms for 6 am and 6:15 am", together(add_alarm("06:00"), add_alarm("06:15"))),
    Question("Set an alarm for 9 pm called Medicine", add_alarm("21:00", "Medicine")),
    Question("Move the 7:00 alarm to 7:20", rename("AlarmClock/alarms", "07:00", "07:20")),
    Question(
        "Turn on the 8:30 alarm and delete the 22:45 one",
        together(put("AlarmClock/alarms/08:30/on", True), drop_alarm("22:45")),
    ),
    Question("Set an alarm for 7:10, no, make it 7:15", add_alarm("07:15")),
    Question("Set a timer for 90 seconds", start_timer(90)),
    Question("Which alarms do I have?", answer="7:00"),
    Question("明天早上七点二十叫我起床", add_alarm("07:20")),
    Question("定两个闹钟，六点和六点一刻", together(add_alarm("06:00"), add_alarm("06:15"))),
    Question("把七点的闹钟关掉", put("AlarmClock/alarms/07:00/on", False)),
    Question("删除晚上十点四十五的闹钟", drop_alarm("22:45")),
    Question("工作日每天七点半叫我", refusal_wanted=True),
    Question("倒计时五分钟", start_timer(300)),
    # --- settings ---
    Question("Turn on Bluetooth but leave Wi-Fi alone", switch(BLUETOOTH, "1")),
    Question("Turn Wi-Fi on, and Bluetooth too", together(switch(WIFI, "1"), switch(BLUETOOTH, "1"))),
    Question(
        "Switch off mobile data, then switch on battery saver", together(switch(DATA, "0"), switch("low_power", "1"))
    ),
    Question("Put the phone in silent mode", switch("mode_ringer", "0")),
    Question("Turn the brightness all the way up", switch("screen_brightness", "100%", "system")),
    Question(
        "Set the ring volume to 20% and the media volume to 60%",
        together(switch("volume_ring", "3", "system"), switch("volume_music", "9", "system")),
    ),
    Question("Don't turn on Wi-Fi, turn on Bluetooth", switch(BLUETOOTH, "1")),
    Question("Make the text a bit bigger", refusal_wanted=True),
    Question("Is Wi-Fi on?", answer="no: “Wi-Fi” shows “Off”"),
    Question("把蓝牙打开，Wi-Fi关了", switch(BLUETOOTH, "1")),
    Question("关掉移动数据，打开省电模式", together(switch(DATA, "0"), switch("low_power", "1"))),
    Question("别开Wi-Fi，把蓝牙打开", switch(BLUETOOTH, "1")),
    Question("开启飞行模式", AIRPLANE),
    Question("把手机调成静音", switch("mode_ringer", "0")),
    Question("屏幕亮度调到最低", switch("screen_brightness", "0%", "system")),
    Question("打开自动旋转", switch("accelerometer_rotation", "1", "system")),
    Question("现在Wi-Fi开着吗？", answer="关"),
    # --- calls and people ---
    Question("Ring Jack", call("Jack")),
    Question("Add Zoe, 555-0177, to my contacts", add_contact("Zoe", "555-0177")),
    Question("Delete Frank from my contacts", put("Contacts/contacts/Frank", None)),
    Question("What's Carol's number?", answer="+44 7700 900103"),
    Question("打电话给李明", call("李明")),
    Question("新建联系人马超，号码13900001111", add_contact("马超", "13900001111")),
    Question("张三的手机号是多少？", answer="138 0013 8017"),
    # --- notes ---
    Question(
        "Create a note titled Packing with the text passport, charger, socks",
        add_note("Packing", "passport, charger, socks"),
    ),
    Question("Add butter to my shopping list note", put("Notes/Shopping list", "Milk\nEggs\nBread\nApples\nbutter")),
    Question(
        "Delete the notes Meeting notes and Reading notes",
        together(drop_note("Meeting notes"), drop_note("Reading notes")),
    ),
    Question("What's on my shopping list?", answer="Bread"),
    Question("把黄油加到购物清单里", put("Notes/购物清单", "牛奶\n鸡蛋\n面包\n苹果\n黄油")),
    Question("会议记录这条笔记里写了什么？", answer="下周一前提交预算"),
    Question("删除读书笔记和会议记录这两条笔记", together(drop_note("读书笔记"), drop_note("会议记录"))),
    # --- photos, calculator, shop, browser, weather ---
    Question("Delete the most recent photo", put("Gallery/IMG_0014", None)),
    Question("Mark the photo IMG_0003 as a favourite", favour("IMG_0003")),
    Question("删掉最新的一张照片", put("Gallery/IMG_0014", None)),
    Question("收藏照片IMG_0002", favour("IMG_0002")),
    Question("Work out 144 divided by 12 on the calculator", answer="12"),
    Question("打开计算器算一下125乘以8", answer="1000"),
    Question("Put the desk lamp in my cart in the shop", fill_cart(159, lamp=1)),
    Question("How much is the smart watch in the shop?", answer="699"),
    Question("在商城里把保温杯加入购物车", fill_cart(89, cup=1)),
    Question("智能手表卖多少钱？", answer="699"),
    Question("Open news.local in the browser and tell me the first headline", answer="Metro line 12 opens today"),
    Question("用浏览器打开wiki.local", front="WebBrowser"),
    Question("北京今天多少度？", answer="18"),
    Question("Open WeChat, then Settings, then the calculator", front="Calculator"),
    Question("先打开微信，再打开设置", front="SettingsApp"),
    Question(
        "Turn on dark mode, set a timer for 3 minutes and call Mary",
        together(switch("ui_night_mode", "2", "secure"), start_timer(180), call("Mary")),
    ),
    Question(
        "给赵六发微信“好的”，打开蓝牙，然后定一个八点的闹钟",
        together(send(("赵六", "好的")), switch(BLUETOOTH, "1"), add_alarm("08:00")),
    ),
)
