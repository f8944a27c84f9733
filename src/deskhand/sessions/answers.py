"""Finds the request that the words of a user answer. Of two that are open at once, the words have to say which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from deskhand.core.errors import UsageError
from deskhand.core.human import UserRequest
from deskhand.engine.run import Task
from deskhand.sessions.request_words import (
    describe_how_to_answer,
    describe_request,
    language_of_request,
    verdict_of,
)

Verdict = Literal["yes", "no"]
_ALL = re.compile(r"\b(?:(?:to|for) )?(?:all|both)(?: of (?:them|these))?\b|全部|全都|两个|都", re.IGNORECASE)
# What may stand beside the name of a request or a device and says nothing else.
_BESIDE = r"(?:\b(?:for|on|to|at|the|request|device|number)\b|请求|设备|[对在给上的号#：:])"


@dataclass(frozen=True, slots=True)
class OpenRequest:
    run: Task
    request: UserRequest


Answer = tuple[OpenRequest, Verdict, str]


def find_answers(text: str, waiting: Sequence[OpenRequest], request_id: str = "") -> list[Answer]:
    """Return each request that these words answer, with the verdict and the words; empty if they are not clear."""
    if request_id:
        named = [one for one in waiting if one.request.id == request_id]
        if not named:
            raise UsageError(f"There is no open request {request_id!r}: it was answered, or it timed out.")
        return _read_answers(named, text, text)
    named = [one for one in waiting if any(_is_named(name, text) for name in (one.request.id, one.request.device))]
    if len(waiting) == 1:
        plain = _read_answers(waiting, text, text)
        return plain or _read_answers(named, _strip_names(text, waiting), text)
    if len(named) == 1:
        return _read_answers(named, _strip_names(text, named), text)
    approvals = [one for one in waiting if one.request.kind == "approval"]
    if not named and len(approvals) == len(waiting) and _ALL.search(text):
        return _read_answers(approvals, _ALL.sub(" ", text), text)
    return []


def _read_answers(named: Sequence[OpenRequest], words: str, said: str) -> list[Answer]:
    found: list[Answer] = []
    for one in named:
        verdict = verdict_of(one.request.kind, words)
        if verdict:
            found.append((one, verdict, words.strip() if one.request.kind == "question" else said.strip()))
    return found


def _pattern_of(name: str) -> str:
    return rf"(?<![\w:]){re.escape(name)}(?![\w:]*\w)"


def _is_named(name: str, text: str) -> bool:
    return bool(name) and re.search(_pattern_of(name), text, re.IGNORECASE) is not None


def _strip_names(text: str, named: Sequence[OpenRequest]) -> str:
    for one in named:
        for name in (one.request.id, one.request.device):
            if name:
                text = re.sub(rf"{_BESIDE}*\s*{_pattern_of(name)}\s*{_BESIDE}*", " ", text, flags=re.IGNORECASE)
    return text


def ask_again(waiting: Sequence[OpenRequest], now: float) -> list[tuple[str, UserRequest]]:
    """Return what to tell the user whose words answer none of these, or not one alone: a text for each request."""
    zh, first = language_of_request(waiting[0].request) == "zh", waiting[0].request.id
    head = "没有看懂你的回答。" if zh else "That is no clear answer."
    if len(waiting) > 1:
        head = (
            f"有 {len(waiting)} 个请求在等你，请说明是哪一个，例如“是 {first}”，或“全部同意”。"
            if zh
            else f'{len(waiting)} requests wait for you: say which one, for example "yes {first}", or "yes to all".'
        )
    told: list[tuple[str, UserRequest]] = []
    for number, one in enumerate(waiting):
        lines = [*describe_request(one.request), describe_how_to_answer(one.request, now)]
        told.append(("\n".join(lines if number else [head, *lines]), one.request))
    return told
