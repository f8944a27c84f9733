"""The forms of words that say which word, which place and which text is meant."""

import re

NTH_WORD = re.compile(
    r"(?:the )?(?:\d+(?:st|nd|rd|th)|[a-z]+) word (?:in|of|from) .+|.+的(?:第.+个|最后一个)(?:词|单词|字)"
)
NTH = re.compile(
    r"\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|第[一二三四五六七八九十\d]+"
)
PASSAGE = re.compile(
    r".*(?:paragraph|passage|textarea|text area|text field)(?: below| above)?|.*(?:段落|段|文本框|输入框)"
)
