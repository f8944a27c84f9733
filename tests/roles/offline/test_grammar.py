"""A goal in plain English or Chinese becomes the instructions that a person meant by it."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal
from deskhand.roles.offline.language.instruction_builder import KINDS
from deskhand.roles.offline.language.instructions import Instruction
from deskhand.roles.offline.language.lexicon import load_lexicon
from deskhand.roles.offline.language.new_things import read_clock, read_fields
from deskhand.roles.offline.language.screen_conditions import condition_of
from deskhand.roles.offline.language.sums import read_number, read_sum, work_out


def meaning(goal: str) -> list[tuple[str, ...]]:
    """Kind and content of each instruction, without where it was said."""
    return [_content(step) for step in parse_goal(goal)]


def _content(step: Instruction) -> tuple[str, ...]:
    values = [getattr(step, name) for name in type(step).__dataclass_fields__ if name != "source"]
    if isinstance(step, say.Verify | say.WaitUntil | say.Ask):
        values = [step.condition.kind, step.condition.subject, step.condition.value]
    return type(step).__name__, *(str(v) for v in values if v != "")


@pytest.mark.parametrize(
    "goal",
    [
        '打开微信，找到张三，发送消息"明天下午两点开会"',
        "请打开微信，然后找到张三，再发送消息“明天下午两点开会”。",
        "打开微信找到张三发送消息「明天下午两点开会」",
        "麻烦你启动微信；接着找张三；最后发消息：明天下午两点开会",
        "Open 微信, look for 张三 and send the message '明天下午两点开会'",
    ],
)
def test_one_message_said_in_five_ways(goal: str) -> None:
    assert meaning(goal) == [("Open", "微信"), ("Find", "张三"), ("Send", "明天下午两点开会")]


@pytest.mark.parametrize(
    "goal",
    [
        "给张三发消息“明天见”",
        "给张三发消息：明天见",
        "发送“明天见”给张三",
        "告诉张三“明天见”",
        "告诉张三明天见",
        "把“明天见”发给张三",
        'Send "明天见" to 张三',
        "Send 张三 a message saying “明天见”",
        "send a message to 张三 saying 明天见",
        "tell 张三 that 明天见",
    ],
)
def test_a_message_to_someone_said_in_ten_ways(goal: str) -> None:
    assert meaning(goal) == [("Send", "明天见", "张三")]


def test_what_is_to_be_said_is_kept_to_the_last_word() -> None:
    assert meaning("给韩梅发消息：资料收到，谢谢") == [("Send", "资料收到，谢谢", "韩梅")]
    assert meaning("告诉张三我们走吧") == [("Send", "我们走吧", "张三")]
    assert meaning("type hello and goodbye, world") == [("Write", "hello and goodbye, world", "False")]
    quoted = "send a message to Bob saying “open the door, then go back!”"
    assert meaning(quoted) == [("Send", "open the door, then go back!", "Bob")]


def test_a_connector_parts_clauses_only_where_both_sides_are_sentences() -> None:
    assert meaning("search for salt and pepper") == [("Search", "salt and pepper")]
    assert meaning("click Save and Close") == [("Tap", "Save and Close", "click")]
    assert meaning("click “Send, then go” and wait for Done") == [
        ("Tap", "Send, then go", "click"),
        ("WaitUntil", "visible", "Done"),
    ]
    assert meaning("Open Settings, turn on Wi-Fi and verify that Wi-Fi is on") == [
        ("Open", "Settings"),
        ("Toggle", "Wi-Fi", "True"),
        ("Verify", "on", "Wi-Fi"),
    ]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Could you please open the Clock app?", [("Open", "Clock")]),
        ("打开计算器软件吧", [("Open", "计算器")]),
        ("go to https://a.com/b?c=1, then read the title", [("Visit", "https://a.com/b?c=1"), ("Read", "the title")]),
        ("访问 news.local", [("Visit", "news.local")]),
        ("double-click the icon", [("Tap", "the icon", "double_click")]),
        ("右键点击文件", [("Tap", "文件", "right_click")]),
        ("长按张三", [("Tap", "张三", "long_press")]),
        ("按下一步", [("Tap", "下一步", "click")]),
        ("type hello world into the search box", [("Write", "hello world", "the search box", "False")]),
        ("fill the name field with Ann", [("Write", "Ann", "the name field", "False")]),
        ("在搜索框里输入天气预报，然后按回车", [("Write", "天气预报", "搜索框", "False"), ("PressKey", "('enter',)")]),
        ("清空搜索框", [("Clear", "搜索框")]),
        ("在微信里搜索张三", [("Open", "微信"), ("Search", "张三")]),
        ("打开微信搜索张三", [("Open", "微信"), ("Search", "张三")]),
        ("select Blue from the colour list", [("Select", "Blue", "the colour list", "False")]),
        ("check Milk and uncheck Bread", [("Toggle", "Milk", "True"), ("Toggle", "Bread", "False")]),
        ("勾选牛奶，取消勾选面包", [("Toggle", "牛奶", "True"), ("Toggle", "面包", "False")]),
        ("打开Wi-Fi开关", [("Toggle", "Wi-Fi", "True")]),
        ("把蓝牙关掉", [("Close", "蓝牙")]),
        ("make sure Bluetooth is off", [("Toggle", "Bluetooth", "False")]),
        ("scroll down to About phone", [("Scrolling", "down", "About phone", "False")]),
        ("滑到底部", [("Scrolling", "down", "True")]),
        ("向上滚动", [("Scrolling", "up", "False")]),
        ("swipe left", [("Swiping", "left")]),
        ("wait 2.5 seconds", [("Pausing", "2.5")]),
        ("等待三秒", [("Pausing", "3.0")]),
        ("wait two minutes", [("Pausing", "120.0")]),
        ("wait until Done disappears", [("WaitUntil", "hidden", "Done")]),
        ("等到加载完成出现", [("WaitUntil", "visible", "加载完成")]),
        ("what is the battery level?", [("Read", "the battery level")]),
        ("电池电量是多少", [("Read", "电池电量")]),
        ("Tell me what the total is", [("Read", "the total")]),
        ("确认结果是408", [("Verify", "equals", "结果", "408")]),
        ("verify that there is no “Error”", [("Verify", "hidden", "Error")]),
        ("Is Wi-Fi on?", [("Ask", "on", "Wi-Fi")]),
        ("蓝牙是否打开", [("Ask", "on", "蓝牙")]),
        ("把亮度设置为80", [("SetValue", "亮度", "80")]),
        ("set brightness to 50%", [("SetValue", "brightness", "50%")]),
        ("set Wi-Fi to off", [("Toggle", "Wi-Fi", "False")]),
        ("删除笔记“买牛奶”", [("Delete", "笔记“买牛奶”")]),
        ("add the mug to the cart", [("AddToCart", "the mug")]),
        ("把马克杯加入购物车", [("AddToCart", "马克杯")]),
        ("go back and go home", [("GoBack",), ("GoHome",)]),
        ("返回桌面", [("GoHome",)]),
        ("press ctrl+a", [("PressKey", "('ctrl', 'a')")]),
        ("compute 12 times 34", [("Compute", "12*34")]),
        ("计算 12×34 并读出结果", [("Compute", "12*34"), ("Read", "结果")]),
        ("12*34等于多少", [("Compute", "12*34"), ("Read", "结果")]),
        ("turn on Wi-Fi, then turn it off", [("Toggle", "Wi-Fi", "True"), ("Toggle", "Wi-Fi", "False")]),
    ],
)  # fmt: skip
def test_each_kind_of_instruction(goal: str, expected: list[tuple[str, ...]]) -> None:
    assert meaning(goal) == expected


def test_new_things_come_with_their_fields() -> None:
    assert parse_goal("新建一条笔记，标题是购物，内容是牛奶和鸡蛋")[0] == say.Create(
        "新建一条笔记，标题是购物，内容是牛奶和鸡蛋", "笔记", (("title", "购物"), ("content", "牛奶和鸡蛋"))
    )
    step = parse_goal("add a contact named Ann Lee with phone number 13800001111")[0]
    assert isinstance(step, say.Create)
    assert step.fields == (("name", "Ann Lee"), ("phone", "13800001111"))
    later = parse_goal("设个下午三点的闹钟，标签是开会")[0]
    assert isinstance(later, say.Create)
    assert later.fields == (("", "下午三点"), ("label", "开会"))
    assert read_fields("") == ()
    assert read_fields("“title and name”") == (("", "title and name"),)


def test_what_is_written_right_after_making_something_belongs_to_it() -> None:
    for goal in ("新建便签，写“牛奶”", "create a note and type “牛奶”", "create a note and type “牛奶”, then go back"):
        step = parse_goal(goal)[0]
        assert isinstance(step, say.Create)
        assert step.fields == (("", "牛奶"),)
        assert parse_goal(step.source)[0] == step, "a plan is written with the sources"
    for goal in ("打开备忘录，写入“牛奶”", "在便签里写“牛奶”", "Open Notes and write down “牛奶”"):
        opened, step = parse_goal(goal)
        assert isinstance(opened, say.Open)
        assert isinstance(step, say.Create), "not whatever field happens to be there"
        assert parse_goal(step.source)[0] == step
    by_hand = parse_goal("新建便签，输入“牛奶”，点击完成")
    assert [type(step).__name__ for step in by_hand] == ["Create", "Write", "Tap"]
    assert meaning("设置两个闹钟：7点和8点") == [("NotUnderstood",)], "one thing at a time"
    told = parse_goal("Create a note. Title: Trip. Text: pack bags.")
    assert [(step.what, step.fields) for step in told if isinstance(step, say.Create)] == [
        ("note", (("title", "Trip"), ("content", "pack bags")))
    ]


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("7:30", (7, 30)),
        ("早上七点半", (7, 30)),
        ("晚上8点15分", (20, 15)),
        ("6:45 pm", (18, 45)),
        ("12:00 am", (0, 0)),
        ("下午两点", (14, 0)),
        ("今晚8点", (20, 0)),
        ("明早七点", (7, 0)),
        ("七点一刻", (7, 15)),
        ("晚上12点", (0, 0)),
        ("半夜两点", (2, 0)),
        ("中午一点", (13, 0)),
        ("中午12点", (12, 0)),
        ("8:30 in the evening", (20, 30)),
        ("7 in the morning", (7, 0)),
        ("noonish", None),
        ("25:00", None),
        ("25点", None),
    ],
)
def test_times_of_day(text: str, clock: tuple[int, int] | None) -> None:
    assert read_clock(text) == clock


def test_what_is_not_understood_is_named() -> None:
    assert meaning("dance a tango") == [("NotUnderstood",)]
    steps = parse_goal("打开设置，跳个舞，返回")
    assert [type(s).__name__ for s in steps] == ["Open", "NotUnderstood", "GoBack"]
    assert steps[1].source == "跳个舞"
    assert parse_goal("") == ()
    assert parse_goal(" ，。 ") == ()


def test_a_quoted_text_ends_where_its_quotes_end() -> None:
    assert meaning('打开购物，搜索"耳机"，加入购物车') == [("Open", "购物"), ("Search", "耳机"), ("AddToCart", "耳机")]
    assert meaning("搜索“耳机”，跳个舞") == [("Search", "耳机"), ("NotUnderstood",)]
    assert meaning("type “hello” and dance") == [("Write", "hello", "False"), ("NotUnderstood",)]
    assert meaning("搜索耳机，跳个舞") == [("Search", "耳机"), ("NotUnderstood",)]


def test_a_quoted_text_takes_no_part_in_the_reading() -> None:
    assert meaning('在微信里给李四发消息"在吗"') == [("Open", "微信"), ("Send", "在吗", "李四")]
    assert meaning("click “is it on?”") == [("Tap", "is it on?", "click")]


@pytest.mark.parametrize("name", ["优选商城", "大众点评", "微信读书", "天天看点", "得到听书"])
def test_the_name_of_an_app_may_hold_a_verb(name: str) -> None:
    assert meaning(f"打开{name}") == [("Open", name)]
    assert meaning(f"打开{name}，返回") == [("Open", name), ("GoBack",)]


def test_one_character_is_a_verb_behind_a_name_that_is_known() -> None:
    assert meaning("打开微信找张三") == [("Open", "微信"), ("Find", "张三")]
    assert meaning("打开WeChat搜张三") == [("Open", "WeChat"), ("Search", "张三")]


@pytest.mark.parametrize("site", ["news.example", "intranet.corp", "a.b.test", "news.local/1"])
def test_an_address_is_not_cut_at_its_dots(site: str) -> None:
    assert meaning(f"go to {site}, then go back") == [("Visit", site), ("GoBack",)]
    assert meaning(f"访问{site}。") == [("Visit", site)]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Turn off mobile data in Settings", [("Open", "Settings"), ("Toggle", "mobile data", "False")]),
        ("Turn Wi-Fi on in the Settings app", [("Open", "the Settings app"), ("Toggle", "Wi-Fi", "True")]),
        ("Use the calculator to compute 6*7", [("Open", "the calculator"), ("Compute", "6*7")]),
        ("Compute 6*7 in the calculator", [("Open", "the calculator"), ("Compute", "6*7")]),
        ('Message Emma on WeChat: "see you"', [("Open", "WeChat"), ("Send", "see you", "Emma")]),
        ('Send "see you" to Emma via WeChat', [("Open", "WeChat"), ("Send", "see you", "Emma")]),
        ("Search for shoes in Taobao", [("Open", "Taobao"), ("Search", "shoes")]),
        ("type I live in Settings", [("Write", "I live in Settings", "False")]),
        ("click Open in Browser", [("Tap", "Open in Browser", "click")]),
        ("turn off the first switch in the list", [("Toggle", "the first switch in the list", "False")]),
    ],
)
def test_the_app_may_be_named_before_or_behind_what_is_to_be_done_in_it(
    goal: str, expected: list[tuple[str, ...]]
) -> None:
    assert meaning(goal) == expected


@pytest.mark.parametrize(
    "goal",
    [
        "Turn off mobile data in Settings",
        "Use the calculator to compute 6*7",
        'Message Emma on WeChat: "the “red” one"',
        "在微信里搜索张三",
        "7+8等于多少",
        "what is 6*7 in the calculator?",
        '打开购物，搜索"耳机"，加入购物车',
    ],
)
def test_a_plan_that_is_written_with_the_sources_means_the_same(goal: str) -> None:
    assert meaning(", ".join(step.source for step in parse_goal(goal))) == meaning(goal)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Hi there, could you kindly turn on Bluetooth for me?", [("Toggle", "Bluetooth", "True")]),
        ("您好，麻烦您帮我把蓝牙打开，谢谢！", [("Open", "蓝牙")]),
        ("能帮我打开一下蓝牙吗？", [("Open", "蓝牙")]),
        ("请问张三的电话是多少？", [("Read", "张三的电话")]),
        ("现在蓝牙开着吗？", [("Ask", "on", "蓝牙")]),
        ("Could you tell Bob that I'm late?", [("Send", "I'm late", "Bob")]),
        ('Could you tell Bob "are you there?"', [("Send", "are you there?", "Bob")]),
        ("打开微信，跟刘洋说周末见吧", [("Open", "微信"), ("Send", "周末见吧", "刘洋")]),
        ("微信上跟张三说一声：我晚点到", [("Open", "微信"), ("Send", "我晚点到", "张三")]),
        ("let Alice know that I'm on my way", [("Send", "I'm on my way", "Alice")]),
        ("read Grace's number from Contacts", [("Open", "Contacts"), ("Read", "Grace's number")]),
    ],
)
def test_politeness_does_not_change_what_is_meant(goal: str, expected: list[tuple[str, ...]]) -> None:
    assert meaning(goal) == expected


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("turn on Wi-Fi and verify that it is on", [("Toggle", "Wi-Fi", "True"), ("Verify", "on", "Wi-Fi")]),
        ("将移动数据关闭，并确认已经关闭", [("Close", "移动数据"), ("Verify", "off", "移动数据")]),
        ("check whether Wi-Fi is on", [("Ask", "on", "Wi-Fi")]),
        ("I'd like to know if Wi-Fi is on", [("Ask", "on", "Wi-Fi")]),
        ("我想知道电池电量", [("Read", "电池电量")]),
        ("看看保温杯多少钱", [("Read", "保温杯的价格")]),
        ("lower the brightness to 10%", [("SetValue", "the brightness", "10%")]),
        ("把亮度调低到10%", [("SetValue", "亮度", "10%")]),
        ('reply "ok" to Bob', [("Send", "ok", "Bob")]),
        ('say "thanks" to Bob on WeChat', [("Open", "WeChat"), ("Send", "thanks", "Bob")]),
        ("在微信里和李四说：到家了吗？", [("Open", "微信"), ("Send", "到家了吗？", "李四")]),
        ("用计算器算99减45", [("Open", "计算器"), ("Compute", "99-45")]),
        ("打开优选商城搜索耳机", [("Open", "优选商城"), ("Search", "耳机")]),
        ("把便签里的“周报”删掉", [("Open", "便签"), ("Delete", "周报")]),
        ("打开设置，打开设置里的蓝牙", [("Open", "设置"), ("Open", "蓝牙")]),
        ("点击列表里的张三", [("Tap", "列表里的张三", "click")]),
        ("会飞吗？", [("NotUnderstood",)]),
    ],
)
def test_what_is_left_out_or_said_otherwise_is_understood(goal: str, expected: list[tuple[str, ...]]) -> None:
    assert meaning(goal) == expected


def test_an_app_is_not_called_all_that_follows() -> None:
    steps = parse_goal("open contacts and sing for Henry")
    assert [type(step).__name__ for step in steps] == ["Open", "NotUnderstood"]
    assert steps[1].source == "sing for Henry"


@pytest.mark.parametrize(
    "goal",
    [
        "1. Open Settings 2. Turn on Wi-Fi",
        "1) Open Settings\n2) Turn on Wi-Fi",
        "Step 1: open Settings. Step 2: turn on Wi-Fi.",
        "(1) open Settings; (2) turn on Wi-Fi",
        "① open Settings ② turn on Wi-Fi",
    ],
)
def test_the_steps_of_a_goal_may_be_numbered(goal: str) -> None:
    assert meaning(goal) == [("Open", "Settings"), ("Toggle", "Wi-Fi", "True")]


@pytest.mark.parametrize(
    "goal", ["1、打开设置\n2、打开蓝牙", "一、打开设置；二、打开蓝牙", "第一步，打开设置。第二步，打开蓝牙"]
)
def test_the_steps_of_a_chinese_goal_may_be_numbered(goal: str) -> None:
    assert meaning(goal) == [("Open", "设置"), ("Open", "蓝牙")]


def test_other_numbers_belong_to_what_is_said() -> None:
    assert meaning("7. Open Settings")[0] == ("NotUnderstood",)
    assert meaning("type 1. Milk 2. Bread") == [("Write", "1. Milk 2. Bread", "False")]


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("Turn on Wi-Fi, Bluetooth and dark mode", ["Turn on Wi-Fi", "Turn on Bluetooth", "Turn on dark mode"]),
        ("switch off both mobile data and Wi-Fi", ["switch off mobile data", "switch off Wi-Fi"]),
        ("把Wi-Fi和蓝牙都打开", ["把Wi-Fi打开", "把蓝牙打开"]),
        ("关闭Wi-Fi、蓝牙，然后返回", ["关闭Wi-Fi", "关闭蓝牙", "返回"]),
        ("turn on Rise and Shine", ["turn on Rise and Shine"]),
    ],
)
def test_one_verb_may_be_said_of_several_things_that_are_known(goal: str, expected: list[str]) -> None:
    assert [step.source for step in parse_goal(goal)] == expected
    assert meaning(", ".join(expected)) == meaning(goal)


def test_a_path_names_one_page_after_the_other() -> None:
    pages = [("Open", "Settings"), ("Find", "Display"), ("Toggle", "dark mode", "True")]
    assert meaning("Open Settings > Display > turn on dark mode") == pages
    assert meaning("Open Settings → Display and turn on dark mode") == pages
    assert meaning("打开设置 > 显示") == [("Open", "设置"), ("Find", "显示")]


@pytest.mark.parametrize(
    "goal",
    [
        "给李四发微信：明天见",
        "发一条微信给李四，说“明天见”",
        "给李四发微信消息“明天见”",
        "Send 李四 a WeChat message saying “明天见”",
        "send a WeChat message to 李四: 明天见",
        "打开微信，给李四发微信：明天见",
    ],
)
def test_a_message_may_be_called_after_its_app(goal: str) -> None:
    app = "微信" if "微信" in goal else "WeChat"
    assert meaning(goal) == [("Open", app), ("Send", "明天见", "李四")]
    assert meaning(", ".join(step.source for step in parse_goal(goal))) == meaning(goal)


def test_conditions_are_read() -> None:
    assert condition_of("Wi-Fi is on").kind == "on"
    assert condition_of("蓝牙已关闭").kind == "off"
    assert condition_of("the name field is empty").kind == "empty"
    assert condition_of("屏幕上有“发送成功”") == say.Condition("visible", "发送成功", source="屏幕上有“发送成功”")
    assert condition_of("the list contains Milk").value == "Milk"
    assert condition_of("something odd").kind == "visible"


def test_the_lexicon_and_the_code_know_the_same_kinds() -> None:
    words = load_lexicon()
    assert {rule.kind for rule in words.rules} == KINDS
    assert {rule.kind for rule in words.conditions} <= set(say.ConditionKind.__args__)


@pytest.mark.parametrize(
    ("text", "plain", "value"),
    [
        ("12*34", "12*34", Decimal(408)),
        ("12 × 34 =", "12*34", Decimal(408)),
        ("100 除以 8", "100/8", Decimal("12.5")),
        ("(3+4)*5", "(3+4)*5", Decimal(35)),
        ("1,000 plus 2", "1000+2", Decimal(1002)),
        ("-3 + 5", "-3+5", Decimal(2)),
        ("50%*2", "50%*2", Decimal(1)),
        ("15% of 240", "15%*240", Decimal(36)),
        ("一百二十三乘以四十五", "123*45", Decimal(5535)),
        ("两万零五十加三点五", "20050+3.5", Decimal("20053.5")),
    ],
)
def test_sums_are_read_and_worked_out(text: str, plain: str, value: Decimal) -> None:
    assert read_sum(text) == plain
    assert work_out(plain) == value


def test_what_is_no_sum() -> None:
    for text in ["hello", "12", "1+", "(1+2", "__import__('os')", "1 + x", "", "2^99999"]:
        assert read_sum(text) is None
    assert read_number("= 1,234.5") == Decimal("1234.5")
    assert read_number("no number") is None


words_of_goals = st.lists(
    st.sampled_from(
        ["打开", "微信", "，", "然后", "找到", "张三", "发送消息", "“你好”", " and ", "open ", "the ", "Settings",
         " then ", ", ", "turn on ", "Wi-Fi", "verify ", "is on", "再", "12*34", "计算", "'", '"', "的", "https://a.b/c",
         "\n", "点击", "给", "里"]
    ),
    max_size=16,
).map("".join)  # fmt: skip


@given(words_of_goals | st.text(max_size=60))
def test_no_goal_breaks_the_reader(goal: str) -> None:
    for step in parse_goal(goal):
        assert step.source


def test_a_long_goal_is_read_whole() -> None:
    goal = "，然后".join(["打开设置", "找到蓝牙", "打开蓝牙", "确认蓝牙已打开", "返回"] * 8)
    assert len(parse_goal(goal)) == 40


# --- what is typed, exactly ------------------------------------------------------------------------------------------

_PAIRS = {"“": "”", "「": "」", "『": "』", '"': '"', "`": "`"}
_TYPED = st.text(st.sampled_from("aZ 7,.;!?'’‘\"“”「」`>→:：和把到的输入 and\t"), min_size=1, max_size=14)


@given(_TYPED, st.sampled_from(sorted(_PAIRS)), st.sampled_from(["", "the name ", "the text: ", "my "]))
def test_a_quoted_text_is_typed_as_it_was_written(text: str, mark: str, announced: str) -> None:
    if mark in text or _PAIRS[mark] in text:
        return
    goal = f"type {announced}{mark}{text}{_PAIRS[mark]} into Name"
    [step] = parse_goal(goal)
    assert isinstance(step, say.Write)
    assert (step.text, step.target, step.source) == (text, "Name", goal)
    # a plan is written with the source of each step, and read again
    assert parse_goal(step.source) == (step,)


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        ("在名字里输入姓名“王五”", "王五"),
        ("输入姓名“王五”到名字框里", "王五"),
        ('在名字框里输入他说"你好"', '他说"你好"'),
        ('type He said "hi" to Bob into Message', 'He said "hi" to Bob'),
        ('type x="1" into Code', 'x="1"'),
        ("type a  b into Name", "a  b"),
        ("type the password {{secret:PW}} into Password", "{{secret:PW}}"),
        ('fill in Name with the name "Alice"', "Alice"),
    ],
)
def test_words_around_quotes_are_typed_only_if_they_are_part_of_the_text(goal: str, text: str) -> None:
    assert [getattr(step, "text", None) for step in parse_goal(goal)] == [text]


def test_two_announced_texts_are_never_typed_as_one() -> None:
    steps = parse_goal('type the city "New York" and the zip "10001"')
    assert [getattr(step, "text", "") for step in steps] == ["New York", ""]
    assert isinstance(steps[1], say.NotUnderstood)
