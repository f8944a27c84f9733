"""Models of every family, as small as can be: each says a move in its own format and in its own scale."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from deskhand.core.errors import NoElements
from deskhand.core.protocols import Device
from deskhand.core.screen import Element
from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep, ScriptEntry, ScriptReply


@dataclass(frozen=True)
class Open:
    app: str


@dataclass(frozen=True)
class Touch:
    """What is named so, or any field."""

    name: str


@dataclass(frozen=True)
class Write:
    text: str


@dataclass(frozen=True)
class Finish:
    words: str = "It is done."


Move = Open | Touch | Write | Finish
Point = tuple[float, float]  # as shares of the screen
FIELD = Touch("(field)")


# --- what each family writes ---------------------------------------------------------------------------------------


def tools(move: Move, at: Point, size: tuple[int, int]) -> ScriptedStep:
    x, y = round(at[0] * size[0]), round(at[1] * size[1])
    said: dict[str, Any] = {"decision": "actions", "last_action": {"success": True}}
    match move:
        case Open(app):
            said["actions"] = [{"kind": "open_app", "name": app}]
        case Touch(name):
            said["actions"] = [{"kind": "click", "x": x, "y": y, "target": name}]
        case Write(text):
            said["actions"] = [{"kind": "type", "text": text}]
        case Finish(words):
            said |= {"decision": "done", "message": words}
    return ScriptedStep(calls=(ScriptedCall(name="step", arguments=said),))


def autoglm(move: Move, at: Point, size: tuple[int, int]) -> ScriptedStep:
    match move:
        case Open(app):
            said = f'do(action="Launch", app="{app}")'
        case Touch():
            said = f'do(action="Tap", element=[{round(at[0] * 1000)},{round(at[1] * 1000)}])'
        case Write(text):
            said = f'do(action="Type", text="{text}")'
        case Finish(words):
            said = f'finish(message="{words}")'
    return ScriptedStep(text=f"<think>Now {type(move).__name__}.</think><answer>{said}</answer>")


def uitars(move: Move, at: Point, size: tuple[int, int]) -> ScriptedStep:
    match move:
        case Open(app):
            said = f"open_app(app_name='{app}')"
        case Touch():
            said = f"click(start_box='<|box_start|>({round(at[0] * 1000)},{round(at[1] * 1000)})<|box_end|>')"
        case Write(text):
            said = f"type(content='{text}')"
        case Finish(words):
            said = f"finished(content='{words}')"
    return ScriptedStep(text=f"Thought: Now {type(move).__name__}.\nAction: {said}")


def _beside(move: Move) -> ScriptedStep | None:
    """What a mouse and a keyboard can't say is said by tools of ours."""
    match move:
        case Open(app):
            return ScriptedStep(calls=(ScriptedCall(name="do", arguments={"kind": "open_app", "name": app}),))
        case Finish(words):
            report = {"success": True, "decision": "done", "message": words}
            return ScriptedStep(calls=(ScriptedCall(name="report", arguments=report),))
        case _:
            return None


def anthropic_computer(move: Move, at: Point, size: tuple[int, int]) -> ScriptedStep:
    x, y = round(at[0] * size[0]), round(at[1] * size[1])
    fields = {"action": "left_click", "coordinate": [x, y]}
    if isinstance(move, Write):
        fields = {"action": "type", "text": move.text}
    return _beside(move) or ScriptedStep(computer=(fields,))


def openai_computer(move: Move, at: Point, size: tuple[int, int]) -> ScriptedStep:
    x, y = round(at[0] * size[0]), round(at[1] * size[1])
    fields = {"type": "click", "x": x, "y": y, "button": "left"}
    if isinstance(move, Write):
        fields = {"type": "type", "text": move.text}
    return _beside(move) or ScriptedStep(computer=(fields,))


Speaker = Callable[[Move, Point, tuple[int, int]], ScriptedStep]
SPEAKERS: dict[str, Speaker] = {
    "tools": tools,
    "autoglm": autoglm,
    "uitars": uitars,
    "anthropic-computer": anthropic_computer,
    "openai-computer": openai_computer,
}
PROVIDERS = {"anthropic-computer": "anthropic", "openai-computer": "openai"}


# --- what it sees -------------------------------------------------------------------------------------------------


async def where(device: Device, name: str) -> Point:
    """Where that is, as the device itself says, as soon as it says so: a program tells its tree after its picture."""
    elements: tuple[Element, ...] = ()
    deadline = asyncio.get_running_loop().time() + 20
    while asyncio.get_running_loop().time() < deadline:
        with contextlib.suppress(NoElements):
            elements = await device.elements()
        frame = await device.frame()
        if element := next((one for one in elements if _is(one, name)), None):
            x, y = element.bounds.center
            return x / frame.width, y / frame.height
        await asyncio.sleep(0.05)
    raise AssertionError(f"{name!r} is not among {[(one.role, one.name, one.hint) for one in elements]}")


def _is(element: Element, name: str) -> bool:
    return element.editable if name == FIELD.name else name in (element.name, element.value)


def picture_size(seen: ReceivedRequest) -> tuple[int, int]:
    """The size of the one picture in a request."""
    (size,) = picture_sizes(seen)
    return size


def picture_sizes(seen: ReceivedRequest) -> list[tuple[int, int]]:
    """Of each picture in a request, from its own bytes."""
    data = [base64.b64decode(picture.partition("base64,")[2] or picture) for picture in seen.pictures]
    return [Image.open(io.BytesIO(one)).size for one in data]


def script(speaker: Speaker, moves: Sequence[Move], device: Callable[[], Device]) -> list[ScriptEntry]:
    """One reply for each move, made when it is asked for."""

    def entry(move: Move) -> ScriptEntry:
        async def reply(seen: ReceivedRequest) -> ScriptReply:
            at = await where(device(), move.name) if isinstance(move, Touch) else (0.0, 0.0)
            return speaker(move, at, picture_size(seen))

        return reply

    return [entry(move) for move in moves]
