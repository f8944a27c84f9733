"""Words for full-text search in English and Chinese: of the index, and of a query. Pure.

Chinese has no spaces, so runs of it are indexed as overlapping pairs; the last character of a run also stands
alone, so that every character begins some word and a single one can be found by its beginning.
"""

from __future__ import annotations

import re

MAX_TERMS = 24
_RANGES = r"\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af"
_RUN = re.compile(rf"[{_RANGES}]+|[^\W_{_RANGES}]+")
_EAST_ASIAN_RUN = re.compile(f"[{_RANGES}]+")
# Words that occur in every question and say nothing about its subject.
_EMPTY_WORDS = """
    a about also am an and any are as at be been but by can could did do does each find for from get give had has
    have how i if in information into is it its know look may me might missing must my need needed no not of off on
    or our out please say says shall she should so some tell than that the their them then there these they this to
    under until up us use want was we were what when where which who whom whose why will with would you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_EMPTY_CHINESE = re.compile(
    "什么|怎么|怎样|如何|哪里|哪个|哪些|多少|为什么|请问|需要|知道|告诉|查找|信息|我们|他们|你们|这个|那个|是否|"
    "[的了吗呢吧是在和与或我你他她它把被给请找查问]"
)


def to_index_words(text: str) -> str:
    """Return the text for the index: Chinese in pairs, all else as it is, because the index itself splits that."""
    return _EAST_ASIAN_RUN.sub(_split_pairs, text)


def _split_pairs(found: re.Match[str]) -> str:
    run = found[0]
    return f" {' '.join([*(run[at : at + 2] for at in range(len(run) - 1)), run[-1]])} "


def extract_terms(need: str) -> list[str]:
    """Return the terms of a query, each once, in the query language of the index."""
    terms: dict[str, None] = {}
    for run in _RUN.findall(need):
        if not _EAST_ASIAN_RUN.match(run):
            word = run.casefold()
            if word not in _EMPTY and (len(word) > 1 or word.isdigit()):
                terms[f'"{word}"'] = None
            continue
        for part in _EMPTY_CHINESE.split(run):
            if len(part) == 1:
                terms[f'"{part}"*'] = None
            for start in range(len(part) - 1):
                terms[f'"{part[start : start + 2]}"'] = None
    return list(terms)[:MAX_TERMS]
