"""One sitting of the web exam: asks a question, looks at the program by another way, and marks the answer."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.devices.browser.executable import find_executable
from deskhand.settings.load import load
from tests.exams.marking import Mark, mark_answer
from tests.exams.web.programs import Program, find_free_port
from tests.exams.web.questions import Question

MOST_STEPS = 60


@asynccontextmanager
async def seated(folder: Path) -> AsyncIterator[tuple[Deskhand, int]]:
    """Open a Deskhand whose browser also listens on a port, so that the page can be looked at by somebody else."""
    port = find_free_port()
    browser = folder / "browser"
    browser.parent.mkdir(parents=True, exist_ok=True)
    # No name but the loopback's is resolved: no request leaves the machine.
    browser.write_text(
        f'#!/bin/sh\nexec "{find_executable(None)}" --remote-debugging-port={port} '
        '--host-resolver-rules="MAP * ~NOTFOUND , EXCLUDE 127.0.0.1" "$@"\n'
    )
    browser.chmod(0o755)
    settings = load(
        {"data_dir": folder / "data", "browser": {"executable": browser, "downloads": folder / "downloads"}}
    )
    async with Deskhand(settings) as hand:
        yield hand, port


async def look_at_page(port: int, url: str, expression: str) -> Any:
    """Return the value of an expression in the page, by a connection of our own."""
    async with async_playwright() as driver:
        browser = await driver.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
        origin = url.split("/", 3)[2]
        pages = [page for context in browser.contexts for page in context.pages if origin in page.url]
        return await pages[-1].evaluate(f"() => ({expression})") if pages else None


async def answer_question(question: Question, program: Program, folder: Path) -> tuple[Mark, str]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "doc.txt").write_text("the document\n")
    program.reset()
    first = program.state()
    goal = question.goal.replace("{folder}", str(folder))
    async with seated(folder) as (hand, port):
        ended = await hand.run(goal, device="browser", url=program.url, max_steps=MOST_STEPS)
        shown = await look_at_page(port, program.url, question.look) if question.look else None
        now = program.state()
    reached = now == question.make_wanted(first) and shown == question.seen
    stray = find_strays(first, question.make_wanted(first), now)
    mark = mark_answer(
        fulfilled=ended.status is TaskStatus.FULFILLED,
        reached=reached,
        untouched=not stray,
        refusal_wanted=question.refusal,
    )
    told = [ended.reason, *(["stray: " + ", ".join(stray)] if stray else []), *([] if reached else [f"{shown} {now}"])]
    return mark, " | ".join(told)


def find_strays(first: Any, wanted: Any, now: Any) -> list[str]:
    """Return what changed although the wanted change does not touch it."""
    before, meant, after = (dict(list_facts(state)) for state in (first, wanted, now))
    touched = {path for path in {*before, *meant} if before.get(path) != meant.get(path)}
    return [path for path in {*before, *after} if before.get(path) != after.get(path) and path not in touched]


def list_facts(state: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Return each thing that is held with its place; the items of a list are told by themselves."""
    if isinstance(state, dict):
        for key, value in state.items():
            yield from list_facts(value, f"{path}/{key}")
    elif isinstance(state, list):
        for item in state:
            yield f"{path}[{json.dumps(item, sort_keys=True, ensure_ascii=False)}]", ""
    else:
        yield path, json.dumps(state, ensure_ascii=False)
