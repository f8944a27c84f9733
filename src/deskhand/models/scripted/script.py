"""The script of the scripted model server, and the requests that it receives.

A script is a list of steps, or of functions that look at the request; on disk it is JSON or TOML.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from deskhand.core.errors import SettingsError
from deskhand.core.llm import StopReason

ApiName = Literal["chat", "responses", "messages"]
Seconds = Annotated[float, Field(ge=0, le=3600)]


class ScriptedCall(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    arguments: dict[str, Any] = {}


class ScriptedStep(BaseModel):
    """One reply, or one way to fail. `contains` is text that the request must have, or it is refused.

    `cut` closes the connection in the middle, `broken_json` damages the body, `drop` closes it without a word.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    computer: tuple[dict[str, Any], ...] = ()
    safety_checks: tuple[dict[str, Any], ...] = ()
    stop: StopReason | None = None
    input_tokens: int = 1000
    output_tokens: int = 50
    delay_s: Seconds = 0.0
    first_byte_s: Seconds = 0.0
    chunk_s: Seconds = 0.0
    status: Annotated[int, Field(ge=100, le=599)] = 200
    error: str = ""
    code: str = ""
    retry_after: Seconds | None = None
    fault: Literal["", "cut", "broken_json", "drop"] = ""
    contains: str = ""
    times: Annotated[int, Field(ge=1, le=100_000)] = 1


class ReceivedRequest:
    """One request as the server received it."""

    def __init__(self, api: ApiName, path: str, headers: Mapping[str, str], raw: bytes, body: dict[str, Any]) -> None:
        self.api: ApiName = api
        self.path = path
        self.headers = headers
        self.raw_size = len(raw)
        self.body = body

    @property
    def model(self) -> str:
        return str(self.body.get("model", ""))

    @property
    def stream(self) -> bool:
        return self.body.get("stream") is True

    @property
    def text(self) -> str:
        """All text of the request, without its pictures."""
        return "\n".join(part for part in _collect_strings(self.body) if not _is_picture(part))

    @property
    def pictures(self) -> list[str]:
        """The pictures, in base64."""
        return [part for part in _collect_strings(self.body) if _is_picture(part)]


def _collect_strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner: list[Any] = []
    if isinstance(value, dict):
        inner = list(value.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] JSON
    elif isinstance(value, list):
        inner = value  # pyright: ignore[reportUnknownVariableType] JSON
    return [text for item in inner for text in _collect_strings(item)]


def _is_picture(text: str) -> bool:
    # A JPEG or a PNG in base64 always begins like this.
    return text.startswith("data:image/") or (len(text) > 64 and text.startswith(("/9j/", "iVBORw0KGgo")))


ScriptReply = ScriptedStep | str
ScriptEntry = ScriptReply | Callable[[ReceivedRequest], ScriptReply | Awaitable[ScriptReply]]


class _ScriptFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    steps: list[ScriptedStep]


def load_script(file: Path) -> list[ScriptedStep]:
    """Return the steps of a script file; raise SettingsError with what is wrong in it."""
    try:
        text = file.read_text(encoding="utf-8")
        data = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
        return _ScriptFile.model_validate({"steps": data} if isinstance(data, list) else data).steps
    except (OSError, UnicodeDecodeError, ValueError) as error:
        detail = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
        said = f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" if detail else str(error)
        raise SettingsError(f"The script {file} can't be used: {said}.") from None
