"""The assistant with a model: leads the conversation above many devices, by calling tools.

The tools and the storage of conversations belong to `sessions`.
"""

from collections.abc import Sequence
from dataclasses import replace

from deskhand.core.errors import Unparsable
from deskhand.core.llm import ModelReply, ModelRequest, Tool, Turn
from deskhand.core.protocols import Model
from deskhand.language import language_of
from deskhand.prompting.ask_model import ask_until_usable, check_complete
from deskhand.prompting.templates import load_sheet


class ModelAssistant:
    """`instructions` replace the prompt of the role; `device` is the one to use if the user names none."""

    def __init__(
        self, model: Model, *, instructions: str = "", device: str = "", max_output_tokens: int = 3000
    ) -> None:
        self._model = model
        self._instructions = instructions
        self._device = device
        self._max_output_tokens = max_output_tokens

    async def answer(self, turns: Sequence[Turn], tools: Sequence[Tool]) -> ModelReply:
        words = load_sheet("deskhand.roles", "prompts", language_of(find_last_words(turns)), "assistant")
        told = [self._instructions.strip() or words.fill_section("role")]
        if self._device:
            told.append(words.fill_section("device", device=self._device))
        first = ModelRequest(
            role="assistant",
            system="\n\n".join(told),
            turns=tuple(turns),
            tools=tuple(tools),
            max_output_tokens=self._max_output_tokens,
            temperature=0.0,
        )
        reply, usage = await ask_until_usable(self._model, first, lambda reply: _check_reply(reply, tools), words)
        return replace(reply, usage=usage)


def find_last_words(turns: Sequence[Turn]) -> str:
    """Return what the user said last."""
    for turn in reversed(turns):
        said = [part for part in turn.parts if isinstance(part, str)]
        if turn.speaker == "user" and said:
            return "\n".join(said)
    return ""


def _check_reply(reply: ModelReply, tools: Sequence[Tool]) -> ModelReply:
    check_complete(reply)
    names = [tool.name for tool in tools]
    for call in reply.calls:
        if call.name not in names:
            raise Unparsable(f"There is no tool {call.name!r}; there are: {', '.join(names)}.")
        if call.arguments is None:
            raise Unparsable(f"The arguments of {call.name!r} are not a JSON object.")
    if not reply.calls and not reply.text.strip():
        raise Unparsable("The answer is empty: call a tool, or say something to the person.")
    return reply
