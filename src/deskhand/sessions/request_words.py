"""A request to the user in words, the same at every door: where, what, which text, to whom, why, until when."""

from __future__ import annotations

from typing import Literal

from deskhand.core.human import RequestKind, UserRequest
from deskhand.core.llm import Language
from deskhand.language import language_of, read_yes_or_no

HAND_BACK = frozenset({"hand back", "done", "交还", "好了"})


def language_of_request(request: UserRequest) -> Language:
    return language_of(request.doing or request.text)


def describe_request(request: UserRequest, language: Language | None = None) -> list[str]:
    """Return the request as lines; the first says what it is."""
    zh = (language or language_of_request(request)) == "zh"
    place = _describe_place(request, zh)
    if request.kind == "approval":
        head = ("需要你的同意" if zh else "Your yes is needed") + (
            f"（{place}）" if zh and place else f", {place}" if place else ""
        )
        lines = [f"{head}{'：' if zh else ': '}{request.doing or request.text}"]
    else:
        lines = [request.text, *([f"（{place}）" if zh else f"({place})"] if place else [])]
    if request.content:
        lines.append(f"内容：“{request.content}”" if zh else f'Text: "{request.content}"')
    if request.recipient:
        lines.append(f"发给：“{request.recipient}”" if zh else f'To: "{request.recipient}"')
    if request.doing and request.text:
        lines.append(f"原因：{request.text}" if zh else f"Why: {request.text}")
    # One line each, whatever is in them: a page must not forge a line of ours.
    return ["⏎".join(line.splitlines()) for line in lines]


def describe_how_to_answer(request: UserRequest, now: float, language: Language | None = None) -> str:
    """Return how to answer in a conversation, and how long there is for it."""
    zh = (language or language_of_request(request)) == "zh"
    left = max(0, round(request.expires - now)) if request.expires else 0
    how = {
        "approval": ("回复“是”或“否”", "Answer yes or no"),
        "question": ("回复你的答案，或“否”", "Answer in your own words, or no"),
        "take_over": ("操作完后回复“好了”，或“否”", "Do it on the device and then answer done, or no"),
    }[request.kind][0 if zh else 1]
    if zh:
        return f"{how}（请求 {request.id}{f'，{left} 秒内' if left else ''}）。"
    return f"{how} (request {request.id}{f', within {left} s' if left else ''})."


def _describe_place(request: UserRequest, zh: bool) -> str:
    if zh:
        parts = (request.device and f"{request.device} 上", request.app, request.page and f"“{request.page}”")
        return "，".join(part for part in parts if part)
    parts = (
        request.device and f"on {request.device}",
        request.app and f"in {request.app}",
        request.page and f'at "{request.page}"',
    )
    return ", ".join(part for part in parts if part)


def verdict_of(kind: RequestKind, line: str) -> Literal["yes", "no"] | None:
    """Return what a line says to a request; None where it says neither yes nor no and has to."""
    word, verdict = line.strip().casefold(), read_yes_or_no(line)
    if verdict is None and ((kind == "question" and word) or (kind == "take_over" and (not word or word in HAND_BACK))):
        return "yes"
    return verdict
