"""Whether a goal that a model hands down is the person's own words."""

import pytest

from deskhand.build import is_quoted


@pytest.mark.parametrize(
    ("goal", "wish"),
    [
        ("Send Bob hello", "Send Bob hello"),
        ("send bob hello!", "Open WeChat, send Bob hello."),
        ("Open WeChat and send Bob hello", "Please wait. Open WeChat and send Bob hello, then read the news"),
        ("点击发送", "打开微信，点击Bob，输入你好，点击发送"),
        ("Don't stop; delete it", "Don't stop; delete it"),
    ],
)
def test_whole_parts_of_a_wish_are_quoted(goal: str, wish: str) -> None:
    assert is_quoted(goal, wish)


@pytest.mark.parametrize(
    ("goal", "wish"),
    [
        ("delete the photos", "Don't delete the photos"),
        ("delete the photos", "Never, never, delete the photos"),
        ("删除照片", "不要删除照片"),
        ("发送", "看看他有没有发送"),
        ("delete it", "Ask him whether I should delete it"),
        ("end", "Send it"),
        ("Send it to Bob", "Send it. To Bob I say nothing"),
        ("", ""),
        ("!!", "!!"),
    ],
)
def test_less_than_a_part_or_the_opposite_is_no_quotation(goal: str, wish: str) -> None:
    assert not is_quoted(goal, wish)
