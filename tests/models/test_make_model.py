"""From settings to a model: names, keys, prices, fallbacks, and what a probe finds out."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from deskhand.clock import ManualClock
from deskhand.core.errors import ModelUnavailable, SettingsError
from deskhand.core.llm import ModelRequest, Turn
from deskhand.engine.budget import Budget
from deskhand.models.make_model import make_dialect, make_model
from deskhand.models.probe import probe_models
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from deskhand.settings.credentials import read_key
from deskhand.settings.load import load
from deskhand.settings.schema import BudgetSettings, EndpointSettings, Settings

REQUEST = ModelRequest(role="operator", system="", turns=(Turn("user", ("Hello",)),), temperature=0.0, top_p=0.9)


def settings(**operator: Any) -> Settings:
    return Settings.model_validate({"models": {"operator": operator}})


def make(tree: Settings) -> Any:
    return make_model("operator", tree, ManualClock(), Budget(BudgetSettings()))


def test_a_models_name_may_carry_its_provider() -> None:
    endpoint = EndpointSettings.model_validate({"model": "anthropic:claude-x"})
    assert (endpoint.provider, endpoint.model) == ("anthropic", "claude-x")
    local = EndpointSettings.model_validate({"model": "qwen2.5vl:7b", "base_url": "http://127.0.0.1:1/v1"})
    assert (local.provider, local.model) == ("openai-compatible", "qwen2.5vl:7b")


def test_a_settings_file_names_models_by_role(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        '[models.operator]\nmodel = "autoglm-phone"\nbase_url = "http://127.0.0.1:1/v1"\n'
        'price = { input = 0.5, output = 1 }\n[[models.operator.fallbacks]]\nmodel = "openai:gpt-5"\n'
        "[budget]\ntask = 0.25\n"
    )
    tree = load(file=file)
    assert tree.models.operator
    assert tree.models.operator.fallbacks[0].provider == "openai"
    assert tree.budget.task == Decimal("0.25")
    assert make_dialect("operator", tree).name == "autoglm"
    file.write_text('[models.operator]\nmodel = "x"\n')
    with pytest.raises(SettingsError, match="needs a base_url"):
        load(file=file)
    for address in ("127.0.0.1:8000/v1", "http:///v1", "localhost"):
        file.write_text(f'[models.operator]\nmodel = "x"\nbase_url = "{address}"\n')
        with pytest.raises(SettingsError, match=r"a base_url begins with http:// or https://"):
            load(file=file)


def test_a_key_comes_from_its_file_or_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "from the variable")
    assert read_key(EndpointSettings(model="openai:m", api_key_env="MY_KEY")).get_secret_value() == "from the variable"
    file = tmp_path / "key"
    file.write_text("from the file\n")
    endpoint = EndpointSettings(model="openai:m", key_file=file)
    assert read_key(endpoint).get_secret_value() == "from the file"
    assert "from the file" not in repr(read_key(endpoint))
    assert read_key(EndpointSettings(model="m", base_url="http://127.0.0.1/v1")).get_secret_value() == ""


def test_a_missing_key_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelUnavailable, match="no key for gpt-5: set the variable OPENAI_API_KEY") as caught:
        make(settings(model="openai:gpt-5"))
    assert caught.value.exit_code == 4
    with pytest.raises(SettingsError, match=r"key file .* can't be read"):
        make(settings(model="openai:gpt-5", key_file=tmp_path / "none"))


def test_a_role_without_a_model_and_a_model_without_a_price_say_so() -> None:
    with pytest.raises(SettingsError, match=r"No model is set for the operator: add a section \[models.operator\]"):
        make(Settings())
    with pytest.raises(SettingsError, match="price of unheard-of is unknown"):
        make(settings(model="unheard-of", base_url="https://gateway.example/v1"))


def test_the_dialect_and_its_scale_can_be_set() -> None:
    base = {"base_url": "http://127.0.0.1:1/v1"}
    assert make_dialect("operator", settings(model="gpt-5", dialect="uitars", **base)).name == "uitars"
    assert make_dialect("operator", settings(model="my-ui-tars", **base)).name == "uitars"
    with pytest.raises(SettingsError, match=r"autoglm has its own coordinates: remove coordinates from \[models\.op"):
        make_dialect("operator", settings(model="autoglm-phone", coordinates="pixels", **base))


async def test_fallbacks_from_settings_answer_when_the_first_can_not() -> None:
    async with ModelServer([ScriptedStep(status=500)]) as one, ModelServer(["second"]) as two:
        tree = settings(
            model="a", base_url=one.url, free=True, retries=0,
            fallbacks=[{"model": "b", "base_url": two.url, "free": True}],
        )  # fmt: skip
        model = make(tree)
        reply = await model.ask(REQUEST)
        await model.close()
    assert reply.text == "second"


async def test_a_fallbacks_key_is_read_when_the_fallback_is_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SPARE_KEY", raising=False)
    no_key = {"model": "b", "base_url": "http://127.0.0.1:1/v1", "free": True, "api_key_env": "SPARE_KEY"}
    no_file = {"model": "c", "base_url": "http://127.0.0.1:1/v1", "free": True, "key_file": tmp_path / "none"}
    async with ModelServer(["first", ScriptedStep(status=401)]) as one, ModelServer(["third"], key="found") as last:
        spare = {"model": "d", "base_url": last.url, "free": True, "api_key_env": "LAST_KEY"}
        model = make(settings(model="a", base_url=one.url, free=True, retries=0, fallbacks=[no_key, no_file, spare]))
        assert (await model.ask(REQUEST)).text == "first", "nobody misses a key that is not needed"
        monkeypatch.setenv("LAST_KEY", "found")
        assert (await model.ask(REQUEST)).text == "third", "the next one in the chain is tried"
        await model.close()


async def test_a_missing_key_of_a_fallback_is_one_sentence_in_the_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARE_KEY", raising=False)
    spare = {"model": "b", "base_url": "http://127.0.0.1:1/v1", "free": True, "api_key_env": "SPARE_KEY"}
    async with ModelServer([ScriptedStep(status=401)]) as server:
        model = make(settings(model="a", base_url=server.url, free=True, retries=3, fallbacks=[spare]))
        with pytest.raises(ModelUnavailable) as caught:
            await model.ask(REQUEST)
        await model.close()
    assert str(caught.value).endswith(
        "And its fallback: There is no key for b: set the variable SPARE_KEY, or name a key_file in its settings."
    )
    assert str(caught.value).count("There is no key") == 1


async def test_what_an_endpoint_refuses_is_left_out_from_then_on() -> None:
    refusals = [
        ScriptedStep(status=400, error="Unsupported value: 'temperature' does not support 0 with this model."),
        ScriptedStep(status=400, error="Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
    ]
    async with ModelServer([*refusals, "ok", "ok"]) as server:
        model = make(settings(model="a", base_url=server.url, free=True))
        await model.ask(REQUEST)
        await model.ask(REQUEST)
        await model.close()
    assert len(server.requests) == 4
    body = server.requests[-1].body
    assert "temperature" not in body
    assert (body["top_p"], body["max_completion_tokens"]) == (0.9, 3000)
    assert "max_tokens" not in body


async def test_a_refusal_that_nothing_helps_against_ends() -> None:
    said = "temperature top_p frequency_penalty tool_choice stream_options max_tokens tool"
    async with ModelServer([ScriptedStep(status=400, error=said, times=50)]) as server:
        model = make(settings(model="a", base_url=server.url, free=True))
        with pytest.raises(ModelUnavailable, match="status 400"):
            await model.ask(REQUEST)
        await model.close()
    assert len(server.requests) <= 9


async def test_a_probe_tells_what_works() -> None:
    red = ScriptedStep(calls=(ScriptedCall(name="colour", arguments={"name": "red"}),))
    async with ModelServer([red]) as server:
        (found,) = await probe_models("operator", settings(model="a", base_url=server.url, free=True))
    assert (found.vision, found.tools, found.streaming, found.problem) == (True, True, True, "")
    assert found.price
    async with ModelServer(["Hello"], vision=False) as server:
        (found,) = await probe_models("operator", settings(model="a", base_url=server.url))
    assert (found.vision, found.tools, found.problem) == (False, False, "")
    assert found.price
    assert found.price.is_free, "it is on this machine"
    async with ModelServer(["x"], models=("b",)) as server:
        (found,) = await probe_models("operator", settings(model="a", base_url=server.url, free=True))
    assert "does not know the model a" in found.problem


async def test_the_blind_are_not_taken_for_seeing_by_their_words() -> None:
    async with ModelServer(["I referred to it, but no picture was shared."]) as server:
        (found,) = await probe_models("operator", settings(model="a", base_url=server.url, free=True))
    assert (found.vision, found.problem) == (False, "")


@pytest.mark.parametrize(
    ("dialect", "fields"),
    [
        ("anthropic-computer", {"base_url": "http://127.0.0.1:1/v1"}),
        ("anthropic-computer", {"provider": "anthropic", "fallbacks": [{"model": "openai:gpt-5"}]}),
        ("openai-computer", {"provider": "openai", "fallbacks": [{"model": "anthropic:claude"}]}),
    ],
)
def test_a_providers_own_screen_tool_is_not_asked_of_others(dialect: str, fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"the dialect {dialect} "):
        settings(model="m", dialect=dialect, **fields)
