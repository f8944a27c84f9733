"""Prices of model calls: the user's own price, or the one that genai-prices lists for the endpoint.

The same model costs ten times as much at one host as at another, so its name alone gives no price. An unknown price
is an error, never zero, except on this machine or in its own network: who runs a model there is sent no bill for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from ipaddress import ip_address
from urllib.parse import urlsplit

from deskhand.core.decisions import Usage
from deskhand.core.errors import SettingsError
from deskhand.core.llm import ModelRequest, ToolCall, ToolResult
from deskhand.models.apis import write_arguments
from deskhand.models.failures import require_models_extra
from deskhand.settings.schema import EndpointSettings

_MILLION = Decimal(1_000_000)
_FRAMING_TOKENS = 200
# In every tokenizer a token holds at least two of these; any other byte may take a token of its own.
_WORDY = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ "
# No provider counts more than one token for this many pixels, except for the models in _PICTURE_TOKENS.
_PIXELS_A_TOKEN = 400
_PICTURE_TOKENS = {"gpt-4o-mini": 48_169}


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; `cached` is for input that the provider has in its cache."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None
    picture_tokens: int | None = None

    def cost_of(self, usage: Usage, cached_tokens: int = 0) -> Decimal:
        cached = min(cached_tokens, usage.input_tokens) if self.cached is not None else 0
        fresh = usage.input_tokens - cached
        return (fresh * self.input + cached * (self.cached or 0) + usage.output_tokens * self.output) / _MILLION

    def worst_input_cost(self, request: ModelRequest) -> Decimal:
        return count_most_input_tokens(request, self.picture_tokens) * self.input / _MILLION

    @property
    def is_free(self) -> bool:
        return not self.input and not self.output


FREE = Price(Decimal(0), Decimal(0))


def price_of(endpoint: EndpointSettings) -> Price:
    """Return the price of the endpoint; raise SettingsError with how to set it if it is unknown."""
    if endpoint.price:
        return Price(endpoint.price.input, endpoint.price.output, None, _picture_tokens_of(endpoint.model))
    if endpoint.free:
        return FREE
    price = _look_up_price(endpoint)
    if price is None and is_own_address(endpoint.base_url):
        return FREE
    if price is None:
        raise SettingsError(
            f"The price of {endpoint.model} is unknown: set price = {{ input = …, output = … }} (dollars for a "
            "million tokens) in its settings, or free = true (--free) if it costs nothing."
        )
    return price


def is_own_address(url: str) -> bool:
    """True for this machine and for private networks, by the address itself: no name is looked up."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private or address.is_link_local


def count_most_input_tokens(request: ModelRequest, picture_tokens: int | None = None) -> int:
    """Return at least as many tokens as any provider would count for this request."""
    texts = [request.system]
    parts = [part for turn in request.turns for part in turn.parts]
    texts += [part for part in parts if isinstance(part, str)]
    texts += [f"{part.id}{part.name}{write_arguments(part.arguments)}" for part in parts if isinstance(part, ToolCall)]
    texts += [f"{part.id}{part.text}" for part in parts if isinstance(part, ToolResult)]
    texts += [f"{tool.name}{tool.description}{tool.parameters}" for tool in request.tools]
    tokens = _FRAMING_TOKENS * (1 + len(parts) + len(request.tools) + bool(request.computer) * 5)
    for text in texts:
        data = text.encode()
        dense = len(data.translate(None, _WORDY))
        tokens += dense + (len(data) - dense + 1) // 2
    for picture in request.pictures:
        tokens += picture_tokens or picture.width * picture.height // _PIXELS_A_TOKEN + 300
    return tokens


def _picture_tokens_of(model: str) -> int | None:
    return next((tokens for name, tokens in _PICTURE_TOKENS.items() if name in model), None)


def _look_up_price(endpoint: EndpointSettings) -> Price | None:
    with require_models_extra():
        from genai_prices import Usage as Priced
        from genai_prices import calc_price

    def price_usage(tokens: Priced) -> Decimal:
        if endpoint.provider == "openai-compatible":
            return calc_price(tokens, endpoint.model, provider_api_url=endpoint.base_url).total_price
        return calc_price(tokens, endpoint.model, provider_id=endpoint.provider).total_price

    # Small amounts: providers with tiers charge more from 128k or 200k tokens on, which no request of ours has.
    amount = 10_000
    many = _MILLION / amount
    try:
        fresh, out = price_usage(Priced(input_tokens=amount)), price_usage(Priced(output_tokens=amount))
        cached = price_usage(Priced(input_tokens=amount, cache_read_tokens=amount))
    except LookupError:
        return None
    if not fresh or not out:
        return None  # listed without a price: only the user may say that something costs nothing
    return Price(fresh * many, out * many, cached * many, _picture_tokens_of(endpoint.model))
