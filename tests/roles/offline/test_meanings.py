"""Quantities, repetitions, cells, commands and words that only look like a verb: read as meant, or refused."""

from itertools import product

import pytest

from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.grammar import parse_goal


def is_refused(goal: str) -> bool:
    return any(isinstance(step, say.NotUnderstood) for step in parse_goal(goal))


SEVERAL = [
    *(
        f"{verb} the {which}{count} {things}"
        for verb, which, count, things in product(
            ("delete", "remove"), ("", "last ", "oldest "), ("two", "3", "ten"), ("messages", "old notes")
        )
    ),
    *(
        f"删除{which}{count}{unit}"
        for which, count, unit in product(("", "前", "最后", "最近"), ("两", "三", "10"), ("条消息", "张照片"))
    ),
    "add 2 apples and 3 pears to the cart", "把2个苹果加入购物车", "how many items are in the list",
]  # fmt: skip


@pytest.mark.parametrize("goal", SEVERAL)
def test_more_than_one_thing_is_never_taken_for_one(goal: str) -> None:
    assert is_refused(goal)


@pytest.mark.parametrize("goal", ["delete “3 wishes”", "删除“三个愿望”", "delete the note “2 eggs”", "delete Draft 3"])
def test_a_name_may_hold_a_number(goal: str) -> None:
    assert [type(step) for step in parse_goal(goal)] == [say.Delete]


REPEATED = {
    "按三次Tab键": (say.PressKey, 3), "按两次回车": (say.PressKey, 2), "点击两次保存": (say.Tap, 2),
    "双击两次图标": (say.Tap, 2), "press Tab three times": (say.PressKey, 3), "点击保存两次": (say.Tap, 2),
}  # fmt: skip


@pytest.mark.parametrize("goal", REPEATED)
def test_what_is_to_be_done_several_times_is_read_so_often(goal: str) -> None:
    kind, times = REPEATED[goal]
    steps = parse_goal(goal)
    assert [type(step) for step in steps] == [kind] * times
    assert all("次" not in getattr(step, "target", "") for step in steps)


def test_a_number_does_not_join_the_verb_to_what_follows() -> None:
    assert is_refused("按5次下箭头")  # not 按下, said of something called 箭头


@pytest.mark.parametrize("goal", ["开始日期选2027年3月5日", "把foo替换成bar", "replace foo with bar", "把邮件标为已读"])
def test_half_a_word_is_no_verb(goal: str) -> None:
    assert is_refused(goal)


@pytest.mark.parametrize(
    "goal",
    ["add tea to the cart and check out", "type hello in the chat with Bob", "create a note titled Tea with milk"],
)
def test_where_only_quotes_could_tell_they_are_asked_for(goal: str) -> None:
    assert is_refused(goal)


@pytest.mark.parametrize("goal", ["type “hello in the chat”", "create a note titled “Tea with milk”", "check Outdoor"])
def test_what_is_quoted_needs_no_telling(goal: str) -> None:
    assert not is_refused(goal)


@pytest.mark.parametrize("goal", ["log out", "Sign out", "退出登录", "登出"])
def test_leaving_an_account_is_a_click_and_closes_nothing(goal: str) -> None:
    assert [type(step) for step in parse_goal(goal)] == [say.Tap]


@pytest.mark.parametrize("goal", ["音量调到最大，亮度50%", "set the volume to max, brightness 50%"])
def test_a_value_ends_at_its_comma(goal: str) -> None:
    assert is_refused(goal)
    assert all("50" not in getattr(step, "value", "") for step in parse_goal(goal))


@pytest.mark.parametrize("goal", ["pause the music", "Pause the video", "暂停音乐", "暂停播放"])
def test_pausing_a_thing_is_no_waiting_for_it(goal: str) -> None:
    assert is_refused(goal)


@pytest.mark.parametrize(
    "goal",
    [
        "write three lines: one, two",
        "type the following: hello",
        "在备注里输入以下内容：你好",
        "输入三行文字：一，二，三",
    ],
)
def test_words_that_announce_a_text_are_not_typed(goal: str) -> None:
    assert is_refused(goal)


@pytest.mark.parametrize(
    "goal", ["close gedit and discard changes", "open Mail and archive it all", "关闭文本编辑器并放弃修改"]
)
def test_a_name_ends_before_what_else_is_to_be_done(goal: str) -> None:
    assert is_refused(goal)


CELLS = [
    "type {} in cell {}",
    "put {} into cell {}",
    "in cell {1} type {0}",
    "set cell {1} to {0}",
    "在{1}单元格输入{0}",
]


@pytest.mark.parametrize(("form", "text"), list(product(CELLS, ["12", "=A1+A2", "“two words”", '"B2"'])))
def test_what_goes_into_a_cell_is_one_instruction_that_reads_it_back(form: str, text: str) -> None:
    steps = parse_goal(form.format(text, "C7"))
    assert [type(step) for step in steps] == [say.SetValue]
    assert [steps[0].target, steps[0].value] == ["cell C7", text.strip('“”"')]
    again = "，" if "单元格" in form else ", "
    assert parse_goal(again.join(step.source for step in steps)) == steps


def test_a_second_text_goes_into_a_second_field() -> None:
    steps = parse_goal("type alice into the first field and bob into the second")
    assert [(step.text, step.target) for step in steps] == [("alice", "the first field"), ("bob", "the second")]


COMMANDS = {
    "run “ls -l” in the terminal": 3, "In the terminal, run 'ls -l'": 3, "在终端里运行“ls -l”": 3,
    "run the command “ls -l”": 2, "open xterm and run “ls -l”": 3, "打开终端，运行“ls -l”": 3,
    "open a terminal, execute “ls -l”": 3,
}  # fmt: skip


@pytest.mark.parametrize("goal", COMMANDS)
def test_a_command_is_typed_into_the_terminal_and_entered(goal: str) -> None:
    steps = parse_goal(goal)
    assert [type(step) for step in steps] == [say.Open, say.Write, say.PressKey][-COMMANDS[goal] :]
    assert steps[-2].text == "ls -l"


def test_an_app_in_quotes_is_run_as_an_app() -> None:
    assert [type(step) for step in parse_goal("open Settings, run “Notes”")] == [say.Open, say.Open]


SWALLOWING = [
    "reply ok to Bob",
    "reply to the last message with ok",
    "text Bob and Alice I am late",
    "text Mom and Dad I love you",
    "回复张三：好的",
    "回复他好的",
    "给张三发消息你好但不要发送",
    "输入你好但不要发送",
    "把数量改成3，然后提交，不对，先改成4",
    "把数量改成3，算了，改成4",
    "click Save, no wait, Cancel",
    "fill Name with Alice and leave Email empty",
    "type Bob instead of Alice into Name",
    "type hello in bold",
    "type hello twice into Name",
    "type hi without pressing Enter",
    "type Alice into Name but leave Email as it is",
    "enter 5 in Adults and 2 in Children",
    "write to Bob: I am late",
    "create a note called Alpha and a note called Beta",
    "create a note with title A and text Bob and Charlie",
    "set an alarm for 7:30 tomorrow and one for 8:30 on Sunday",
    "set an alarm for 7:00 on Sunday",
    "设一个周日7点的闹钟",
    "turn on Wi-Fi and location but leave aeroplane mode off",
    "check whether Wi-Fi is on and if so turn it off",
    "verify Wi-Fi is off, otherwise turn it off",
    "verify that Total is not 0",
    "click at 100,200",
    "hold Shift and click Row 3",
    "turn on Wi-Fi in 5 minutes",
    "open Bob's profile and block him",
    "删除除了购物以外的所有笔记",
    "选择除北京以外的城市",
    "打开飞行模式以外的所有开关",
    "fill in the form with name Alice, email a@b.c",
    "计算1万加2千",
    "把Wi-Fi打开后再关掉",
]


@pytest.mark.parametrize("goal", SWALLOWING)
def test_no_slot_swallows_another_wish(goal: str) -> None:
    assert is_refused(goal)


READ = {
    "click Save only once": ("Save", ""),
    "在姓名输入框输入张三": ("姓名输入框", "张三"),
    "在第二个输入框里输入李四": ("第二个输入框", "李四"),
    "在搜索框搜索茶": ("", "茶"),
    "城市选择上海": ("城市", ""),
    "姓名填张伟": ("姓名", ""),
    "点击是": ("是", ""),
    "点击否": ("否", ""),
    "type “Bob instead of Alice” into Name": ("Name", "Bob instead of Alice"),
}


@pytest.mark.parametrize("goal", READ)
def test_names_and_texts_end_where_they_end(goal: str) -> None:
    [step] = parse_goal(goal)
    assert (getattr(step, "target", ""), getattr(step, "text", "")) == READ[goal]
