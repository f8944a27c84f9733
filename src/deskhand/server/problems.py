"""Errors as the API tells them: problem details (RFC 9457), one clear sentence, and a status that says whose fault."""

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
    UnknownDevice,
    UsageError,
)
from deskhand.sessions.conversation_store import ConversationBusy
from deskhand.sessions.tasks import TaskElsewhere, UnknownTask

MEDIA_TYPE = "application/problem+json"
_log = logging.getLogger("deskhand.server")

# The first that fits.
STATUSES: tuple[tuple[type[DeskhandError], int], ...] = (
    (UnknownTask, 404),
    (UnknownDevice, 404),
    (ConversationBusy, 409),
    (TaskElsewhere, 409),
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
    """What went wrong; `detail` is one sentence for people."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


def told(status: int, detail: str) -> dict[str, Any]:
    return Problem(title=HTTPStatus(status).phrase, status=status, detail=detail).model_dump()


def problem(status: int, detail: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(told(status, detail), status, headers, media_type=MEDIA_TYPE)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """These errors as OpenAPI knows them."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": HTTPStatus(status).phrase, "content": content} for status in statuses}


# What the guard and the reader of requests may say before any route does.
ANYWHERE = documented(401, 403, 413, 422, 429)


def tell_problems(app: FastAPI) -> None:
    app.add_exception_handler(DeskhandError, _ours)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _crash)


async def _ours(_: Request, fault: Exception) -> JSONResponse:
    status = next(status for kind, status in STATUSES if isinstance(fault, kind))
    return problem(status, str(fault))


async def _http(request: Request, fault: Exception) -> JSONResponse:
    assert isinstance(fault, HTTPException)
    detail = str(fault.detail)
    if fault.status_code == 400:  # the only one that is not ours: bytes that are no text, or nested without end
        detail = "The body can't be read: it has to be JSON, in UTF-8."
    if fault.status_code == 404 and detail == HTTPStatus.NOT_FOUND.phrase:
        detail = "There is nothing at this address."
    if fault.status_code == 405:
        detail = f"{request.method} is not possible here."
    return problem(fault.status_code, detail, dict(fault.headers or {}))


async def _invalid(_: Request, fault: Exception) -> JSONResponse:
    assert isinstance(fault, RequestValidationError)
    first = fault.errors()[0]
    if first["type"] == "json_invalid":
        return problem(422, f"The body is no JSON (at character {first['loc'][-1]}: {first['ctx']['error']}).")
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
    return problem(422, f"{where}: {first['msg']}.")


async def _crash(request: Request, fault: Exception) -> JSONResponse:
    _log.error("%s %s crashed", request.method, request.url.path, exc_info=fault)
    return problem(500, "Something went wrong inside of Deskhand: its log has the details.")
