"""Briefings for workers who see no screen, and their models behind a real scripted server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np

from deskhand.clock import ManualClock
from deskhand.core.actions import ActionKind, RunCode
from deskhand.core.decisions import ActionReport, Briefing, StepReport
from deskhand.core.protocols import Model
from deskhand.core.screen import Frame, Observation
from deskhand.core.statuses import ExecStatus
from deskhand.core.subtask import Subtask, WorkerRole
from deskhand.engine.budget import Budget
from deskhand.models.make_model import make_model
from deskhand.models.scripted.http_server import ModelServer
from deskhand.settings.schema import BudgetSettings, Settings

BLANK = Observation(Frame(np.zeros((40, 20, 4), np.uint8)), app="Home")
OFFERED: frozenset[ActionKind] = frozenset({"run_code", "wait", "memorize", "answer"})


def briefing(title: str, *, role: WorkerRole = "technician", **fields: Any) -> Briefing:
    told: dict[str, Any] = {"goal": title, "capabilities": OFFERED, "step": 1, "max_steps": 50, **fields}
    done_when = told.pop("done_when", "")
    return Briefing(subtask=Subtask(id="1", title=title, done_when=done_when, role=role), observation=BLANK, **told)


def ran(code: str, detail: str, exit_code: int | None = 0, step: int = 1, **fields: Any) -> StepReport:
    report = ActionReport(
        action=RunCode(code=code), status=fields.get("status", ExecStatus.EXECUTED), detail=detail, exit_code=exit_code
    )
    return StepReport(step=step, actions=(report,))


@asynccontextmanager
async def model(server: ModelServer, role: WorkerRole) -> AsyncIterator[Model]:
    section = {"model": "scripted", "base_url": server.url, "price": {"input": "1", "output": "2"}}
    settings = Settings.model_validate({"models": {role: section}})
    made = make_model(role, settings, ManualClock(), Budget(BudgetSettings()))
    try:
        yield made
    finally:
        await made.close()
