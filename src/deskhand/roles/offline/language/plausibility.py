"""Refuses readings whose words are there but mean something else: descriptions to type, quantities, loose pronouns."""

import re
from dataclasses import fields

from deskhand.language import has_chinese
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.language.instructions import Instruction, NotUnderstood
from deskhand.roles.offline.language.lexicon import count_phrase, load_lexicon
from deskhand.roles.offline.language.scripts import simplify_words
from deskhand.roles.offline.language.swallowed import swallows_more
from deskhand.roles.offline.language.tokens import cut_tokens

# What one thing is done to, so that "all" of something would be done to the wrong one.
_SINGLE = (say.Toggle, say.Delete, say.Close, say.Call, say.Send, say.Drag, say.AddToCart, say.AddTo)
_DESCRIBED = re.compile(
    r"(?:the|this|that|these|those|its|his|her|their|whatever|what|which|how)\s+(?:\w+\s+){0,6}?(?:of|in|on|from|for|with|is|are|above|below|shown|displayed)\b"
    r"|(?:the|this|that|its)\s+(?:\w+\s+){0,2}?(?:number|total|sum|name|price|count|amount|result|value|code|title|date|time|text|word|answer|address|email|password|username|product|item|one|cost|difference|average|largest|smallest|highest|lowest|first|last)s?$"
    r"|(?:your|my|each|every)\s+\w+$|an?\s+(?:\w+\s+){1,4}?(?:that|which|whose)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"how many\b.*\b(?:there|are|is|do|does|did|have|has)\b.*", re.IGNORECASE)
_DESCRIBED_ZH = re.compile(
    r".*的(?:数量|总数|总和|个数|名字|名称|价格|结果|值|标题|日期|时间|内容|答案|地址|邮箱|电话|号码|第.个|和)"
    r"|(?:总|一共|共有|有多少|多少).{0,6}(?:数|数量|个|价|额)|(?:上面|下面|屏幕上|页面上|刚才|刚刚)的.*|结果|总数|答案"
)
# `hello in the chat with Bob`: only quotes tell the text from where it goes
_PLACED = re.compile(r".+\s(?:in|into|on|to)\s+(?:the|my|this)\s+\w+.*", re.IGNORECASE | re.DOTALL)
_ANNOUNCED = re.compile(
    r"(?:the following|(?:\w+ )?(?:lines?|words?|paragraphs?|sentences?|items?|numbers?))\s*:.*"
    r"|(?:以下|下面|[一两三四五六七八九十\d]+)(?:的?(?:内容|文字|[行句段个]\S{0,2}))?\s*[:：].*",
    re.IGNORECASE | re.DOTALL,
)
_SEVERAL = re.compile(
    r"(?:the\s+)?(?:(?:first|last|next|top|bottom|other|newest|oldest|latest)\s+)?"
    r"(?:(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s+(?:\w+\s+)*?\w+s\b.*"
    r"|(?:boxes|checkboxes|check boxes|options|switches|items|buttons|rows|lines)"
    r"(?:\s+(?:for|of|with|called|named)\b.*)?)",
    re.IGNORECASE,
)
_SEVERAL_ZH = re.compile(
    r"(?:最后|最近|最新|最早|前|后|头)?(?:[两二三四五六七八九十]|\d+)(?:条|个|张|封|项|篇|首|份|位|台|件|本|行).*"
)
# What is to be thought up: `something funny`, 一句客气话. The words themselves are not the message.
_MADE_UP = re.compile(
    r"(?:to \S+ )?(?:with )?(?:something|anything|some|whatever|an?|another)\b(?: \w+){0,4}? "
    r"(?:thing|message|joke|reply|answer|greeting|greetings|wish|wishes|picture|photo|image|gif|sticker|emoji|poem|story|"
    r"apology|excuse|compliment|thank-you|regards|note|funny|nice|polite|kind|words|word)"
    r"|(?:to \S+ )?(?:with )?(?:something|anything)(?: \w+){0,4}",
    re.IGNORECASE,
)
_MADE_UP_ZH = re.compile(
    r".{0,4}?(?:[一几][句个条段首份张些封]|[些个张条句])?.{0,4}?"
    r"(?:客气话|祝福语?|问候语?|好话|笑话|段子|诗|故事|情话|表情包?|红包|照片|图片|语音|视频|感谢的?话|道歉的?话|鼓励的?话|安慰的?话|有趣的话|搞笑的话|好听的话?|什么)"
)
_LONGEST_REQUEST = 12
_COUNTED_ZH = re.compile(r"这?(?:[两三四五六几]|[2-9])[条个篇张则](?:笔记|便签|备忘录?|闹钟|照片|联系人)$")
_CONDITIONAL = re.compile(r"\s(?:if|unless|until|whenever)\s|如果|除非|直到", re.IGNORECASE)


def refuse_implausible(step: Instruction, *, open_pronouns: bool = False) -> Instruction:
    """Return the step, or that it was not understood."""
    plain = simplify_words(step)
    quoted = {token.text for token in cut_tokens(plain.source) if token.kind == "quote"}
    counted = isinstance(plain, say.Read) and _COUNTED.fullmatch(plain.source) is not None
    unsure = (
        counted
        or _describes_text(plain, quoted)
        or _means_many(plain, quoted)
        or _holds_more_than_name(plain, quoted)
        or _is_made_up(plain, quoted)
        or swallows_more(plain, quoted)
    )
    if unsure or (not open_pronouns and _has_loose_pronoun(plain, quoted)):
        return NotUnderstood(step.source)
    return step


def _describes_text(step: Instruction, quoted: set[str]) -> bool:
    """`Type the total number of blocks` asks for a number, not for these words."""
    if not isinstance(step, say.Write | say.AddTo) or step.text in quoted:
        return False
    text = step.text.strip()
    if isinstance(step, say.Write) and not step.target and _PLACED.fullmatch(text):
        return True
    described = (_DESCRIBED_ZH.fullmatch(text) if has_chinese(text) else _DESCRIBED.match(text)) is not None
    return described or _CONDITIONAL.search(text) is not None or _ANNOUNCED.fullmatch(text) is not None


def _holds_more_than_name(step: Instruction, quoted: set[str]) -> bool:
    """`a note titled Shopping with milk`: only quotes tell where the title ends."""
    if not isinstance(step, say.Create):
        return False
    named = [value for field, value in step.fields if field in ("title", "name") and value not in quoted]
    return any(re.search(r"\swith\s", value) for value in named)


def _is_made_up(step: Instruction, quoted: set[str]) -> bool:
    """`reply with something funny`: the text is to be thought up; `reply to Bob ok`, 回复张三好的: whom it is for."""
    if not isinstance(step, say.Send) or step.text in quoted:
        return False
    text = step.text.strip()
    if not step.to and text.casefold().startswith("to "):
        return True
    if has_chinese(text):
        made_up = _MADE_UP_ZH.fullmatch(text) is not None and len(text) <= _LONGEST_REQUEST
        return made_up or (not step.to and _may_name_person(step.source, text))
    return _MADE_UP.fullmatch(text) is not None


def _may_name_person(source: str, text: str) -> bool:
    """回复张三好的: a text right behind 回复 that begins like a name, without 说 or a colon between them."""
    behind = source.partition(text)[0].rstrip()
    return behind.endswith("回复") and len(text) > 2 and text[0] in load_lexicon().extra["people"]["surnames"]


def _means_many(step: Instruction, quoted: set[str]) -> bool:
    if not isinstance(step, _SINGLE):
        return False
    name = next((str(getattr(step, slot)) for slot in ("target", "to", "item") if getattr(step, slot, "")), "")
    if name in quoted:
        return False
    tokens = cut_tokens(name)
    several = (_SEVERAL_ZH if has_chinese(name) else _SEVERAL).fullmatch(name) is not None
    counted = isinstance(step, say.Delete) and _COUNTED_ZH.search(name) is not None
    return several or counted or count_phrase(load_lexicon().classes["many"], tokens, 0, len(tokens)) > 0


def _has_loose_pronoun(step: Instruction, quoted: set[str]) -> bool:
    """A pronoun that nothing before it explains; one that is to be typed or sent never stands for what was read."""
    values = [getattr(step, field.name) for field in fields(step) if field.name != "source"]
    values += [values.pop().subject] if values and isinstance(values[-1], say.Condition) else []
    texts = [value for value in values if isinstance(value, str)]
    return any(text.casefold() in load_lexicon().pronouns and text not in quoted for text in texts)
