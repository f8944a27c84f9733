"""A goal that a model hands down is the user's own words, or it is not."""

import pytest

from deskhand.engine.safety.authority import USER, Authority, is_quoted
from deskhand.settings.schema import ModelSettings, ModelsSettings
from deskhand.task.events import LoopMode


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


ASSISTANT = Authority.of_assistant(("Log in with {{secret:USER}}", "Open WeChat, send Bob hello"))
FOREIGN = Authority.of_foreign_model(("USER",))
MODEL = ModelSettings(model="m", base_url="http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("authority", "goal", "loop", "with_model", "approves"),
    [
        (USER, "Send Bob hello", "dual", "", True),
        (USER, "Send Bob hello", "dual", "operator", False),
        (USER, "Send Bob hello", "single", "manager", False),
        (ASSISTANT, "Delete the chat", "single", "", True),
        (ASSISTANT, "Send Bob hello", "single", "assistant", True),
        (ASSISTANT, "Delete the chat", "single", "assistant", False),
        (ASSISTANT, "Log in with {{secret:USER}}", "single", "assistant", False),
        (ASSISTANT, "Send Bob hello", "dual", "assistant", False),
        (ASSISTANT, "Send Bob hello", "single", "operator", False),
        (FOREIGN, "Send Bob hello", "single", "", False),
    ],
)
def test_a_goal_approves_what_it_asks_for_only_while_no_model_has_a_say(
    authority: Authority, goal: str, loop: LoopMode, with_model: str, approves: bool
) -> None:
    models = ModelsSettings(**{with_model: MODEL} if with_model else {})
    assert authority.is_goal_approval(goal, loop, models) is approves


def test_a_goal_that_is_not_the_users_may_name_only_secrets_that_the_user_named() -> None:
    assert [who.can_use_secret("USER") for who in (USER, ASSISTANT, FOREIGN)] == [True, True, True]
    assert [who.can_use_secret("BANK") for who in (USER, ASSISTANT, FOREIGN)] == [True, False, False]
    assert not Authority.of_assistant(()).can_use_secret("USER")
