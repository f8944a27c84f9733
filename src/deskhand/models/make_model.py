"""Make the model and the dialect of a role from the settings: retrying over metered over HTTP."""

from __future__ import annotations

from functools import partial

from deskhand.core.errors import SettingsError
from deskhand.core.protocols import Budget, Clock, Dialect, Ledger, Model
from deskhand.models.apis import ModelApi
from deskhand.models.apis.anthropic_messages import AnthropicMessagesApi
from deskhand.models.apis.chat_completions import ChatCompletionsApi
from deskhand.models.apis.openai_responses import OpenAiResponsesApi
from deskhand.models.dialects import DIALECTS, SCALABLE, coordinates_of, dialect_of
from deskhand.models.metered import MeteredModel
from deskhand.models.prices import Price, price_of
from deskhand.models.retrying import FallbackModel, RetryingModel
from deskhand.models.wire import CallTimeouts, HttpModel
from deskhand.settings.credentials import read_key
from deskhand.settings.schema import EndpointSettings, ModelSettings, Settings


def find_model_settings(role: str, settings: Settings) -> ModelSettings:
    """Return the section of the role; raise SettingsError if there is none."""
    section = getattr(settings.models, role, None)
    if not isinstance(section, ModelSettings):
        raise SettingsError(f"No model is set for the {role}: add a section [models.{role}] with model and base_url.")
    return section


def choose_dialect(settings: ModelSettings) -> str:
    return dialect_of(settings.model) if settings.dialect == "auto" else settings.dialect


def make_dialect(role: str, settings: Settings) -> Dialect:
    section = find_model_settings(role, settings)
    name = choose_dialect(section)
    scale = coordinates_of(section.model) if section.coordinates == "auto" else section.coordinates
    if section.coordinates != "auto" and name not in SCALABLE:
        raise SettingsError(f"The dialect {name} has its own coordinates: remove coordinates from [models.{role}].")
    return DIALECTS[name](scale)


def make_model(role: str, settings: Settings, clock: Clock, budget: Budget, ledger: Ledger | None = None) -> Model:
    """Make the role's model with its fallbacks; every attempt is paid from the budget.

    Raises ModelUnavailable if its key is missing. A fallback's key is read when the fallback is first needed.
    """
    section = find_model_settings(role, settings)
    patience = CallTimeouts.from_settings(section)
    endpoints = (section, *section.fallbacks)
    prices = [price_of(endpoint) for endpoint in endpoints]

    def make_metered(endpoint: EndpointSettings, price: Price) -> Model:
        return MeteredModel(make_http_model(endpoint, choose_dialect(section), patience), price, budget, ledger)

    first, *others = zip(endpoints, prices, strict=True)
    fallbacks = [FallbackModel(other[0].model, partial(make_metered, *other)) for other in others]
    # Less than the role waits: the error then says why there is no answer, not only that none came.
    limit_s = 0.9 * settings.executor.decide_timeout_s
    return RetryingModel([make_metered(*first), *fallbacks], clock, section.retries, limit_s=limit_s)


def make_http_model(endpoint: EndpointSettings, dialect: str, patience: CallTimeouts | None = None) -> HttpModel:
    """Make the model of one endpoint, with the API that its provider and dialect need."""
    key = read_key(endpoint).get_secret_value()
    api: ModelApi = ChatCompletionsApi(endpoint.model, official=endpoint.provider == "openai")
    if endpoint.provider == "anthropic":
        api = AnthropicMessagesApi(endpoint.model)
    elif dialect == "openai-computer":
        api = OpenAiResponsesApi(endpoint.model)
    return HttpModel(endpoint, key, api, patience)
