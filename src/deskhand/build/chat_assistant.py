"""Makes the assistant of a conversation: with the model of the settings, or offline by rules."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from deskhand.core.errors import SettingsError
from deskhand.engine.budget import Budget
from deskhand.settings.schema import Settings

if TYPE_CHECKING:
    from deskhand.core.protocols import Assistant, Clock, Ledger


def make_assistant(
    settings: Settings, clock: Clock, budget: Budget, ledger: Ledger, closing: AsyncExitStack, device: str = ""
) -> Assistant:
    """For one message; its model is closed with `closing`. `device` is used when the user names none."""
    section = settings.models.assistant
    if section is None:
        from deskhand.roles.offline.assistant import OfflineAssistant

        return OfflineAssistant(device)
    from deskhand.models.make_model import make_model
    from deskhand.roles.assistant import ModelAssistant as WithModel

    model = make_model("assistant", settings, clock, budget, ledger)
    closing.push_async_callback(model.close)
    instructions = _read_instructions(settings.chat.instructions) if settings.chat.instructions else ""
    return WithModel(model, instructions=instructions, device=device, max_output_tokens=section.max_output_tokens)


def _read_instructions(file: Path) -> str:
    try:
        return file.expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"The instructions in {file} (chat.instructions) can't be read: {error}.") from None
