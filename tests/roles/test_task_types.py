"""Titles in both languages have the type that a person would give them."""

import pytest

from deskhand.roles.task_types import find_task_type, list_task_types, task_type_of


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("open WeChat and send Bob “buy milk”", "message"),
        ("给张三发消息“明天开会”", "message"),
        ("tell Ann that I am late", "message"),
        ("open Clock, set an alarm for 7", "alarm"),
        ("定一个7点的闹钟", "alarm"),
        ("打开设置，打开蓝牙", "settings"),
        ("turn on Wi-Fi", "settings"),
        ("compute 3 + 4", "calculate"),
        ("打开计算器，计算6×7", "calculate"),
        ("search for umbrellas", "search"),
        ("搜索雨伞", "search"),
        ("open example.com", "browse"),
        ("访问网站", "browse"),
        ("add milk to the cart", "shop"),
        ("把牛奶加入购物车", "shop"),
        ("pay 20 to Ann", "pay"),
        ("fill in the form", "form"),
        ("read the result", "read"),
        ("告诉我天气", "read"),
        ("create a note titled Shopping", "note"),
        ("add a contact named Ann", "contact"),
        ("run `ls`", "code"),
        ("用 python 运行 `print(1)`", "code"),
        ("打开微信", "open"),
        ("Open the app", "open"),
        ("", "other"),
        ("xyz", "other"),
    ],
)
def test_the_deed_gives_the_type(title: str, expected: str) -> None:
    assert find_task_type(title) == expected
    assert expected in list_task_types()


def test_a_type_that_was_named_is_one_plain_word() -> None:
    assert task_type_of(" Send  Message! ", "x") == "send_message"
    assert task_type_of("", "read the result") == "read"
    assert task_type_of("?!", "turn on Wi-Fi") == "settings"
    assert task_type_of("发消息", "x") == "发消息"
    assert len(task_type_of("x" * 500, "x")) <= 60
