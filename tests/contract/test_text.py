"""The contract on typing: what the field really holds is what was typed, or the device says that it is not."""

import pytest

from deskhand.core.actions import Click, Type
from deskhand.core.errors import TextNotTyped
from tests.contract.stage import SHORT, Stage, until

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.needs("type")]

TEXTS = {
    "English": "The quick brown fox jumps over 12 lazy dogs.",
    "Chinese": "你好，世界！明天下午两点开会。",
    "emoji": "ok 😀👍🏽 👨‍👩‍👧 🇩🇪",
    "mixed": "混合 mixed テスト 한국어 Grüße €5",
    "quotes": """it's "quoted" `tick` ‘curly’ “both” \\ back""",
    "shell": "$(rm -rf /) ; | & > < * ? ~ # ! %s %d {a,b} [x] $HOME && true",
    "long": "".join(f"{number} and on, " for number in range(60))[:500],
    "long Chinese": "很长的一段文字，" * 62,
}


async def into(stage: Stage, field: str, text: str, **how: bool) -> str:
    x, y = (await stage.board()).places[field].center
    await stage.device.act(Click(x=x, y=y))
    return await stage.device.act(Type(text=text, **how))


async def holds(stage: Stage, field: str, text: str) -> None:
    held = ""

    async def there() -> bool:
        nonlocal held
        held = (await stage.board()).texts[field]
        return held == text

    try:
        await until(there, "the text", seconds=5)
    except AssertionError:
        raise AssertionError(f"{field} holds {held!r} instead of {text!r}") from None


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
async def test_the_field_holds_exactly_what_was_typed(stage: Stage, text: str) -> None:
    told = await into(stage, "Name", text)
    await holds(stage, "Name", text)
    assert stage.tree or "not read back" in told


async def test_what_is_typed_goes_behind_what_is_there(stage: Stage) -> None:
    await into(stage, "Name", "first, ")
    await stage.device.act(Type(text="然后 second"))
    await holds(stage, "Name", "first, 然后 second")


async def test_clearing_first_leaves_only_the_new_text(stage: Stage) -> None:
    await into(stage, "Name", "old 旧的 text")
    await into(stage, "Name", "new", clear_first=True)
    await holds(stage, "Name", "new")
    await into(stage, "Name", "新的", clear_first=True)
    await holds(stage, "Name", "新的")


async def test_an_empty_text_changes_nothing_and_clears_when_told(stage: Stage) -> None:
    await into(stage, "Name", "stays")
    await stage.device.act(Type(text=""))
    await holds(stage, "Name", "stays")
    await stage.device.act(Type(text="", clear_first=True))
    await holds(stage, "Name", "")


async def test_enter_follows_the_text(stage: Stage) -> None:
    await into(stage, "Name", "to be sent 发送", press_enter=True)

    async def struck() -> bool:
        return (await stage.board()).keys[-1:] == ["enter"]

    await until(struck, "enter")
    await holds(stage, "Name", "to be sent 发送")


async def test_a_field_of_many_lines_takes_them(stage: Stage) -> None:
    text = "first line\n第二行\n\nfourth 😀"
    await into(stage, "Notes", text)
    await holds(stage, "Notes", text)


async def test_a_password_arrives(stage: Stage) -> None:
    await into(stage, "Password", "s3cret & 密码")
    await holds(stage, "Password", "s3cret & 密码")


@pytest.mark.has(tree=True)
async def test_a_field_that_takes_only_a_part_is_said_so(stage: Stage) -> None:
    with pytest.raises(TextNotTyped, match="1234"):
        await into(stage, "Short", "123456789")
    assert len((await stage.board()).texts["Short"]) <= SHORT


@pytest.mark.has(tree=False)
async def test_what_can_not_be_read_back_is_never_called_typed(stage: Stage) -> None:
    assert "not read back" in await into(stage, "Short", "123456789")


async def test_what_is_typed_right_after_a_click_goes_into_the_field_that_was_clicked(stage: Stage) -> None:
    for number in range(3):
        await into(stage, "Password", f"secret{number}", clear_first=True)
        await into(stage, "Name", f"名字 {number}", clear_first=True)
    await holds(stage, "Password", "secret2")
    await holds(stage, "Name", "名字 2")
