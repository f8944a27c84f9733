"""The stage of the MiniWoB++ exam: serves its pages, begins an episode with a seed, and hears the page's own reward.

python -m tests.exams.miniwob_stage [TASK …] [--seeds 1,2,3] [--windows 2] [--out results.json]
"""

from __future__ import annotations

import argparse
import asyncio
import http.server
import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from deskhand.build import Deskhand
from deskhand.core.actions import OpenUrl
from deskhand.core.statuses import TaskStatus
from deskhand.settings.load import load
from tests.exams.attended import run_beside_user
from tests.exams.marking import Mark, mark_answer

PACKAGE = "lib/python*/site-packages/miniwob"
HOME = Path(__file__).parents[2] / ".venv-exams"
SEEDS = (1, 2, 3)
# Longer than any run: an episode ends by what is done in it.
EPISODE_MS = 3_600_000
# A page on a busy machine.
PAGE_S = 30
# One episode may not hold up all the others.
PATIENCE_S = 120

# Begins the episode by the page's own functions and tells the goal and the first reward; what comes after the end of an
# episode (its START cover begins another one) does not count.
BEGIN = """<script>
addEventListener("load", () => {
  const asked = new URLSearchParams(location.search), end = core.endEpisode;
  const tell = (what) => { new Image().src = `/told?id=${asked.get("id")}&` + new URLSearchParams(what); };
  let ended = false;
  core.endEpisode = (reward, ...rest) => {
    if (!ended) tell({ reward });
    ended = true;
    end(reward, ...rest);
  };
  core.EPISODE_MAX_TIME = %d;
  if (core.cover_div == null) core.startEpisode();
  Math.seedrandom(asked.get("seed"));
  core.startEpisodeReal();
  const said = core.getUtterance();  // some pages tell its parts as well
  tell({ goal: said.utterance || said });
});
</script>"""


@dataclass(frozen=True)
class Episode:
    """One answer. `reward` is the page's own; None if the episode has not ended."""

    task: str
    seed: int
    goal: str
    reward: float | None
    claimed: bool
    reason: str
    seconds: float

    @property
    def mark(self) -> Mark:
        reached = self.reward is not None and self.reward > 0
        return mark_answer(fulfilled=self.claimed, reached=reached, untouched=True)


class Stage:
    """Serves the package's files on loopback; `told` is what each episode's page said."""

    def __init__(self, html: Path) -> None:
        self.html = html
        self.told: dict[str, dict[str, str]] = {}
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _make_handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    def url(self, task: str, seed: int, episode: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/miniwob/{task}.html?seed={seed}&id={episode}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _make_handler(stage: Stage) -> type[http.server.SimpleHTTPRequestHandler]:
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(stage.html))

        def do_GET(self) -> None:
            place = urlsplit(self.path)
            asked = dict(parse_qsl(place.query, keep_blank_values=True))
            if place.path == "/told":
                stage.told.setdefault(asked.pop("id"), {}).update(asked)
                self.send_error(204)
                return
            if not place.path.endswith(".html") or "id" not in asked:
                super().do_GET()
                return
            page = (stage.html / place.path.lstrip("/")).read_text() + BEGIN % EPISODE_MS
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def serving(package: Path) -> Iterator[Stage]:
    stage = Stage(package / "html")
    stage.start()
    try:
        yield stage
    finally:
        stage.stop()


def find_package() -> Path:
    found = next(HOME.glob(PACKAGE), None)
    assert found, "MiniWoB++ is not installed: run tests/exams/install."
    return found


def list_tasks(package: Path) -> list[str]:
    """The tasks that the package itself registers."""
    return sorted(set(re.findall(r'"miniwob/([a-z0-9-]+)-v\d"', (package / "registration.py").read_text())))


async def begin(stage: Stage, hand: Deskhand, device_id: str, task: str, seed: int) -> tuple[str, str]:
    """Open the page, which begins an episode; return the episode's name and what the page asks for."""
    episode = f"{task}-{seed}"
    stage.told.pop(episode, None)
    async with hand.pool.lease_device(device_id) as device:
        await device.act(OpenUrl(url=stage.url(task, seed, episode)))
    goal = await _hear(stage, episode, "goal", PAGE_S)
    assert goal, f"{task}: the page asks for nothing"
    return episode, goal


async def _hear(stage: Stage, episode: str, what: str, patience: float) -> str | None:
    until = time.monotonic() + patience
    while (said := stage.told.get(episode, {}).get(what)) is None and time.monotonic() < until:
        await asyncio.sleep(0.02)
    return said


async def play(stage: Stage, hand: Deskhand, device_id: str, task: str, seed: int) -> Episode:
    """Give the page's sentence to the offline worker, and hear what the page says of the outcome."""
    episode, goal = await begin(stage, hand, device_id, task, seed)
    began = time.monotonic()
    try:
        async with asyncio.timeout(PATIENCE_S):
            ended = await run_beside_user(hand, goal, device_id)
        claimed, reason = ended.status is TaskStatus.FULFILLED, ended.reason
    except TimeoutError:
        claimed, reason = False, f"no end within {PATIENCE_S} s"
    said = await _hear(stage, episode, "reward", 0.3 if claimed else 0.1)
    reward = None if said is None else float(said)
    return Episode(task, seed, goal, reward, claimed, reason, round(time.monotonic() - began, 1))


@asynccontextmanager
async def opened_hand() -> AsyncIterator[Deskhand]:
    with tempfile.TemporaryDirectory() as folder:
        async with Deskhand(load({"data_dir": Path(folder)})) as hand:
            yield hand


async def play_all(
    tasks: Sequence[str], seeds: Sequence[int] = SEEDS, windows: int = 2, package: Path | None = None
) -> list[Episode]:
    """Play every task with every seed, several at a time, each window one after the other."""
    answers: list[Episode] = []
    with serving(package or find_package()) as stage:
        async with opened_hand() as hand:
            asked = [(task, seed) for task in tasks for seed in seeds]
            queue = list(reversed(asked))

            async def work(device_id: str) -> None:
                while queue:
                    answers.append(await play(stage, hand, device_id, *queue.pop()))
                    say(describe(answers[-1]))

            async with asyncio.TaskGroup() as group:
                for number in range(windows):
                    group.create_task(work(f"browser:{number}"))
    return sorted(answers, key=lambda each: (each.task, each.seed))


def describe(answer: Episode) -> str:
    said = "claimed" if answer.claimed else "not claimed"
    head = f"{answer.mark:13} {answer.task}/{answer.seed} {answer.seconds}s reward={answer.reward} {said}"
    return f"{head}: {answer.goal!r} → {answer.reason!r}"


def list_whole(answers: Sequence[Episode]) -> list[str]:
    """The tasks that were solved with every seed."""
    missed = {answer.task for answer in answers if answer.mark is not Mark.CORRECT}
    return sorted({answer.task for answer in answers} - missed)


def summarize(answers: Sequence[Episode]) -> str:
    marks, whole = [answer.mark for answer in answers], list_whole(answers)
    counts = ", ".join(f"{mark} {marks.count(mark)}" for mark in Mark)
    tasks = len({answer.task for answer in answers})
    return f"{counts}; {len(whole)} of {tasks} tasks with every seed: {', '.join(whole)}"


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--windows", type=int, default=2)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    tasks = given.tasks or list_tasks(find_package())
    answers = asyncio.run(play_all(tasks, [int(seed) for seed in given.seeds.split(",")], given.windows))
    if given.out:
        given.out.write_text(json.dumps([asdict(answer) for answer in answers], indent=1))
    say(summarize(answers))


if __name__ == "__main__":
    main()
