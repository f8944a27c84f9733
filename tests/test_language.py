"""One rule for the language of a text, one table for yes and no: the same for the terminal, the chat and every role."""

import itertools

import pytest

from deskhand.language import has_chinese, is_chinese, language_of, read_yes_or_no
from deskhand.sessions.request_words import verdict_of

CHINESE_ORDERS = ("打开{}", "点击{}", "帮我关闭{}", "在{}里搜索“Milk”", "给{}发消息：“see you”", "{}现在开着吗？")
ENGLISH_ORDERS = ("Open {}", "tap {} twice", "Search {} for “牛奶”", "Send {} a message saying “明天见”", "Is {} on?")
NAMES = ("WiFi", "QQ", "Google Maps", "Wi-Fi", "微信", "优选商城", "王小明", "example.com")
LATIN_FIRST = ("QQ给王芳发消息", "WiFi打开一下", "Chrome里打开GitHub看看")

YES = ("y", "yes", "ok", "okay", "sure", "agree", "是", "是的", "好", "好的", "可以", "同意", "确认", "行")
NO = ("n", "no", "nope", "don't", "don’t", "deny", "否", "不", "不行", "不要", "不可以", "不同意", "拒绝", "取消")
# Sentences around them: courtesy and the deed itself change nothing.
YES_SENTENCES = (
    "yes please",
    "Yes, send it!",
    "OK, go ahead.",
    "sure, do it",
    "好，发吧",
    "可以，发送吧",
    "嗯，好的，谢谢",
    "好吧，那就发",
)
NO_SENTENCES = (
    "no thanks",
    "No, don't send it",
    "cancel it please",
    "先别发",
    "不要发送",
    "不用了，谢谢",
    "不，取消吧",
)
NEITHER = (
    "yes, but write it shorter",
    "好，不发",
    "yes? no!",
    "行不行",
    "对不起",
    "发吧",
    "ok?",
    "yesterday",
    "nothing",
    "delete it",
    "",
    "maybe",
    "yes but only the first one",
    "no idea",
    "不好说",
    "好像不对",
    "是不是应该先看看",
    "1",
    "好的那个",
)


@pytest.mark.parametrize("order", CHINESE_ORDERS)
@pytest.mark.parametrize("name", NAMES)
def test_a_chinese_order_is_chinese_whatever_its_things_are_called(order: str, name: str) -> None:
    assert language_of(order.format(name)) == "zh"


@pytest.mark.parametrize("order", ENGLISH_ORDERS)
@pytest.mark.parametrize("name", NAMES)
def test_an_english_order_is_english_whatever_its_things_are_called(order: str, name: str) -> None:
    assert language_of(order.format(name)) == "en"


@pytest.mark.parametrize("text", LATIN_FIRST)
def test_a_foreign_name_at_the_beginning_does_not_make_it_english(text: str) -> None:
    assert is_chinese(text)


def test_without_words_of_its_own_what_is_quoted_decides() -> None:
    assert is_chinese("“你好”")
    assert not is_chinese("“hello”")
    assert not is_chinese("123")
    assert has_chinese("“你好” twice")


def variants(word: str) -> set[str]:
    """The word as people type it: in capitals, wide letters, with blanks around, with a mark behind."""
    wide = "".join(chr(ord(c) + 0xFEE0) if "a" <= c <= "z" else c for c in word)
    forms = (word, word.upper(), word.capitalize(), wide)
    return {
        f"{before}{form}{after}"
        for form, before, after in itertools.product(forms, ("", " "), ("", ".", "!", "。", "！", " \n"))
    }


@pytest.mark.parametrize(("words", "verdict"), [(YES, "yes"), (NO, "no")])
def test_every_way_to_write_yes_or_no_is_read_by_terminal_and_chat_alike(words: tuple[str, ...], verdict: str) -> None:
    for text in itertools.chain.from_iterable(map(variants, words)):
        assert read_yes_or_no(text) == verdict, text
        assert verdict_of("approval", text) == verdict, text


@pytest.mark.parametrize(("sentences", "verdict"), [(YES_SENTENCES, "yes"), (NO_SENTENCES, "no")])
def test_a_sentence_around_yes_or_no_is_read(sentences: tuple[str, ...], verdict: str) -> None:
    for text in itertools.chain.from_iterable(map(variants, sentences)):
        assert read_yes_or_no(text) == verdict, text


@pytest.mark.parametrize("text", NEITHER)
def test_what_is_no_plain_yes_or_no_agrees_to_nothing(text: str) -> None:
    assert read_yes_or_no(text) is None
    assert verdict_of("approval", text) is None
