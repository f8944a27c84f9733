"""Errors of the API: problem details (RFC 9457) with one sentence, and a status that says whose fault it is."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from deskhand.core.errors import (
    BudgetSpent,
    DeskhandError,
    DeviceError,
    JournalError,
    ModelUnavailable,
    NotPossible,
    SettingsError,
    TaskBusy,
    UnknownDevice,
    UsageError,
)
from deskhand.sessions.conversation_store import ConversationBusy
from deskhand.sessions.tasks import TaskNotOver, TaskNotRunning, UnknownTask
from deskhand.settings.value_words import describe_problem

MEDIA_TYPE = "application/problem+json"
_log = logging.getLogger("deskhand.server")

# The first that fits.
STATUSES: tuple[tuple[type[DeskhandError], int], ...] = (
    (UnknownTask, 404),
    (UnknownDevice, 404),
    (ConversationBusy, 409),
    (TaskNotRunning, 409),
    (TaskNotOver, 409),
    (TaskBusy, 409),
    (DeviceError, 409),
    (BudgetSpent, 402),
    (SettingsError, 503),
    (JournalError, 503),
    (ModelUnavailable, 503),
    (UsageError, 400),
    (NotPossible, 400),
    (DeskhandError, 500),
)


class Problem(BaseModel):
    """What went wrong; `detail` is one sentence for the user."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


def make_problem(status: int, detail: str) -> dict[str, Any]:
    return Problem(title=HTTPStatus(status).phrase, status=status, detail=detail).model_dump()


def respond_with_problem(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(make_problem(status, detail), status, headers, media_type=MEDIA_TYPE)


def document_statuses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return these statuses as OpenAPI responses."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


# What the guard and the reader of requests may say before any route does.
ANYWHERE = document_statuses(401, 403, 413, 422, 429)


def install_fault_handlers(app: FastAPI) -> None:
    app.add_exception_handler(DeskhandError, _answer_fault)
    app.add_exception_handler(HTTPException, _answer_http_error)
    app.add_exception_handler(RequestValidationError, _answer_invalid_request)
    app.add_exception_handler(Exception, _answer_crash)


async def _answer_fault(_: Request, fault: Exception) -> JSONResponse:
    status = next(status for kind, status in STATUSES if isinstance(fault, kind))
    return respond_with_problem(status, str(fault))


async def _answer_http_error(request: Request, fault: Exception) -> JSONResponse:
    assert isinstance(fault, HTTPException)
    detail = str(fault.detail)
    if fault.status_code == 400:  # the only one that is not ours: bytes that are no text, or nested without end
        detail = "The body can't be read: send JSON in UTF-8."
    if fault.status_code == 404 and detail == HTTPStatus.NOT_FOUND.phrase:
        detail = "Not found: there is no such route."
    if fault.status_code == 405:
        detail = f"{request.method} is not allowed here."
    return respond_with_problem(fault.status_code, detail, dict(fault.headers or {}))


async def _answer_invalid_request(_: Request, fault: Exception) -> JSONResponse:
    assert isinstance(fault, RequestValidationError)
    first = fault.errors()[0]
    if first["type"] == "json_invalid":
        return respond_with_problem(
            422, f"The body is not valid JSON (at character {first['loc'][-1]}: {first['ctx']['error']})."
        )
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
    problem = describe_problem(first)
    if first["type"] == "string_pattern_mismatch" and first["loc"][-1] == "session_id":
        problem = "use up to 200 letters, digits and signs of ASCII, without blanks and slashes"
    return respond_with_problem(422, f"{where}: {problem}.")


async def _answer_crash(request: Request, fault: Exception) -> JSONResponse:
    _log.error("%s %s crashed", request.method, request.url.path, exc_info=fault)
    return respond_with_problem(500, "Internal error: the log of Deskhand has the details.")
