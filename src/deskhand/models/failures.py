"""Explain why a call to a model failed, in one sentence that says what to do; keys never appear in it."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urlsplit

from deskhand.core.errors import ModelUnavailable

_RETRYABLE = frozenset({408, 409, 425, 429})
# The gateway gave up, but the model may go on thinking, at the user's cost.
_GAVE_UP = frozenset({504, 524})
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|key|Bearer)[-_ ][\w.*-]{6,}", re.IGNORECASE)
_NO_CREDIT = re.compile(r"insufficient_quota|billing|credit balance|余额不足|欠费", re.IGNORECASE)
# Of OpenAI, Anthropic, Gemini, DashScope, Zhipu, DeepSeek, OpenRouter, Groq, Mistral, vLLM, llama.cpp and Ollama.
_BAD_KEY = re.compile(r"api[ _-]?key (?:is )?(?:not valid|invalid|expired)|令牌.{0,10}(?:过期|不正确)", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|window|limit|size)|(?<!took )(?<!taking )too long|maximum.{0,20}tokens|too many tokens"
    r"|range of input length|上下文.{0,10}超|超长",
    re.IGNORECASE,
)
_NO_PICTURES = re.compile(
    r"(?:image|vision|multimodal|picture|图).{0,60}(?:not support|unsupported|not enabled|不支持)"
    r"|(?:not support|unsupported|不支持|no endpoints? found that support).{0,60}(?:image|vision|multimodal|图)"
    r"|image_url is only supported|unknown variant .?image|at most 0 image|content must be a string"
    r"|not a (?:vision|multimodal) model",
    re.IGNORECASE | re.DOTALL,
)
_NO_SUCH_MODEL = re.compile(
    r"model.{0,80}(?:not exist|not found|is not a valid|does not have access)|(?:invalid|not a valid|unknown) model"
    r"|not have access to model|supported API model names|模型不存在",
    re.IGNORECASE,
)


class ModelCallFailed(ModelUnavailable):
    """One attempt failed. `billed`: the provider may charge for it all the same.

    `unexplained` is the provider's own text of a refusal that has no sentence of ours; it may contain secrets.
    `refused_pictures`: the endpoint refused the request because of its pictures.
    """

    def __init__(
        self, sentence: str, *, retryable: bool = False, retry_after: float | None = None, billed: bool = False,
        unexplained: str = "", refused_pictures: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(sentence)
        self.retryable = retryable
        self.retry_after = retry_after
        self.billed = billed
        self.unexplained = unexplained
        self.refused_pictures = refused_pictures


@contextmanager
def require_models_extra() -> Generator[None]:
    """Turn the ImportError of a missing package into the name of the extra to install."""
    try:
        yield
    except ImportError as missing:
        sentence = f"Models need the package {missing.name}: pip install 'deskhand[models]'."
        raise ModelUnavailable(sentence) from None


@dataclass(frozen=True, slots=True)
class EndpointAddress:
    """The endpoint as error messages name it. The key is here only to be struck out of them."""

    model: str
    base_url: str
    key_from: str
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.base_url).netloc.rpartition("@")[2] or self.base_url

    def strike_out_key(self, text: str) -> str:
        if self.key:
            text = text.replace(self.key, "***")
        return _LOOKS_LIKE_A_KEY.sub("***", " ".join(text.split()))[:200]


def explain_unreachable(address: EndpointAddress) -> ModelCallFailed:
    sentence = f"{address.host} can't be reached for {address.model}: check that it runs, the network and base_url."
    return ModelCallFailed(sentence, retryable=True)


def explain_broken_reply(address: EndpointAddress) -> ModelCallFailed:
    sentence = f"{address.host} broke off the reply of {address.model}: try again, or set a fallback model."
    return ModelCallFailed(sentence, retryable=True, billed=True)


def explain_unreadable_reply(address: EndpointAddress) -> ModelCallFailed:
    sentence = (
        f"{address.host} sent a reply for {address.model} that is no valid answer of this API: "
        "check provider and base_url."
    )
    return ModelCallFailed(sentence, retryable=True, billed=True)


def explain_timeout(address: EndpointAddress, seconds: float, *, connected: bool) -> ModelCallFailed:
    what = "answer" if connected else "accept a connection"
    sentence = f"{address.host} timed out: it did not {what} for {address.model} within {seconds:g} s."
    return ModelCallFailed(sentence, retryable=True, billed=connected)


def explain_refusal(
    address: EndpointAddress,
    status: int,
    body: object,
    headers: Mapping[str, str] | None = None,
    *,
    billed: bool = False,
) -> ModelCallFailed:
    """Explain a refusal by its HTTP status and by what the provider said with it."""
    said = _read_message(body)
    final = _explain_permanent(address, status, said)
    passing = "" if final else _explain_temporary(address, status)
    return ModelCallFailed(
        final or passing or _quote_refusal(address, status, address.strike_out_key(said)),
        retryable=not final and (status >= 500 or status in _RETRYABLE),
        retry_after=_read_retry_after(headers or {}),
        billed=billed or status in _GAVE_UP,
        unexplained="" if final or passing else said,
        refused_pictures=final == _explain_no_vision(address),
    )


def _explain_temporary(address: EndpointAddress, status: int) -> str:
    """Return the sentence for a failure that may be over in a moment; empty if it is none."""
    if status == 429:
        return f"{address.host} limits the requests to {address.model} (status 429): wait, or set a fallback model."
    return f"{address.host} failed with status {status} for {address.model}." if status >= 500 else ""


def _explain_permanent(address: EndpointAddress, status: int, said: str) -> str:
    """Return the sentence for a refusal that only the user can resolve; empty if it is not a known one.

    llama.cpp and Ollama refuse pictures and long requests with status 500.
    """
    model, host = address.model, address.host
    if status == 402 or _NO_CREDIT.search(said):
        return f"The account at {host} has no credit left for {model}: add credit there."
    if status == 401 or (status < 500 and _BAD_KEY.search(said)):
        return f"{host} refused the key for {model}: check {address.key_from}."
    if status == 429 or status > 500:
        return ""
    if status == 413 or _TOO_LONG.search(said):
        return f"The request is too long for {model}: show less of the screen, or take a model with a longer context."
    if _NO_PICTURES.search(said):
        return _explain_no_vision(address)
    if status == 404 or (status < 500 and _NO_SUCH_MODEL.search(said)):
        return f"{host} does not know the model {model}: check its name and base_url."
    return f"{host} refused the key for {model}: check {address.key_from}." if status == 403 else ""


def _explain_no_vision(address: EndpointAddress) -> str:
    return f"{address.model} can't see pictures: set vision = false for it, or take a model that can."


def _quote_refusal(address: EndpointAddress, status: int, detail: str) -> str:
    return f"{address.host} refused the request to {address.model} (status {status}): {detail or 'no reason given'}."


def _read_message(body: object) -> str:
    """Return the message in an error body, with the error code, wherever the provider put them."""
    if isinstance(body, str):
        return body[:2000]
    if not isinstance(body, dict):
        return ""
    fields = cast("dict[str, Any]", body)
    inner = fields.get("error")
    if isinstance(inner, dict | str):
        return _read_message(cast("object", inner))
    return " ".join(str(fields[key]) for key in ("message", "msg", "detail", "code", "type") if fields.get(key))[:2000]


def _read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the provider asks to wait. A date is ignored: our own backoff is shorter."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        value = headers.get(name, "")
        if re.fullmatch(r"\d{1,7}(?:\.\d+)?", value):
            return float(value) / unit
    return None
