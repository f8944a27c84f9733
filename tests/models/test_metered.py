"""What calls cost, and that none is made that can't be paid."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.clock import ManualClock
from deskhand.core.decisions import Usage
from deskhand.core.errors import BudgetSpent, JournalError, ModelUnavailable, SettingsError
from deskhand.core.llm import ModelRequest, Picture, Turn
from deskhand.core.protocols import Model
from deskhand.engine.budget import Budget
from deskhand.models.make_model import make_model
from deskhand.models.prices import count_most_input_tokens, price_of
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedStep
from deskhand.settings.schema import BudgetSettings, EndpointSettings, Settings

REQUEST = ModelRequest(role="operator", system="Be brief.", turns=(Turn("user", ("Hello",)),), max_output_tokens=1000)
PRICE = {"input": "10", "output": "20"}


def endpoint(model: str, **fields: Any) -> EndpointSettings:
    return EndpointSettings(**{"model": model, "base_url": "http://127.0.0.1/v1", **fields})


class Book:
    """A ledger that remembers each entry."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, Any]] = []
        self.bills: list[tuple[str, str, Usage, bool]] = []

    async def reserve(self, call: str, role: str, model: str, amount: Decimal) -> None:
        self.entries.append(("reserved", amount))
        self.open = call

    def release(self, call: str) -> None:
        assert call == self.open
        self.entries.append(("released", None))

    def bill(self, role: str, model: str, usage: Usage, *, call: str = "", certain: bool = True) -> None:
        self.entries.append(("billed", call))
        self.bills.append((role, model, usage, certain))

    @property
    def kinds(self) -> list[str]:
        return [kind for kind, _ in self.entries]


@asynccontextmanager
async def paid(server: ModelServer, budget: Budget, book: Book | None = None, **fields: Any) -> AsyncIterator[Model]:
    section = {"model": "scripted", "base_url": server.url, "price": PRICE, "retries": 0, **fields}
    tree = Settings.model_validate({"models": {"operator": section}})
    model = make_model("operator", tree, ManualClock(), budget, book)
    try:
        yield model
    finally:
        await model.close()


def money(task: str = "1", **tiers: str) -> Budget:
    return Budget(BudgetSettings.model_validate({"task": task, **tiers}))


async def test_a_call_costs_what_it_used() -> None:
    budget, book = money(), Book()
    said = ScriptedStep(text="hi", input_tokens=300, output_tokens=20)
    async with ModelServer([said]) as server, paid(server, budget, book) as model:
        reply = await model.ask(REQUEST)
    assert reply.usage == Usage(calls=1, input_tokens=300, output_tokens=20, cost=Decimal("0.0034"))
    assert (budget.spent, budget.held) == (Decimal("0.0034"), 0)
    assert book.bills == [("operator", "openai-compatible:scripted", reply.usage, True)]


ABSURD_COUNTS = [None, "12", -5, -0.5, True, [], {}, 1e300, 10**12, float("nan"), 0]


@pytest.mark.parametrize(
    ("provider", "dialect"),
    [("openai-compatible", "tools"), ("openai", "openai-computer"), ("anthropic", "tools")],
    ids=["chat", "responses", "messages"],
)
@pytest.mark.parametrize("count", ABSURD_COUNTS, ids=repr)
async def test_what_a_server_does_not_count_is_billed_at_its_worst(provider: str, dialect: str, count: Any) -> None:
    """By a server that speaks each provider's own format; then with only its output uncounted."""
    fresh = Budget(BudgetSettings())
    for miscounted in (("input",), ("output",), ("input", "output")):
        budget, book = money(), Book()
        async with serve_usage(provider, dict.fromkeys(miscounted, count)) as url:
            section = {"model": "scripted", "provider": provider, "base_url": url, "api_key": "k", "price": PRICE}
            tree = Settings.model_validate(
                {"models": {"operator": {**section, "dialect": dialect, "retries": 0, "stream": False}}}
            )
            model = make_model("operator", tree, ManualClock(), budget, book)
            reply = await model.ask(REQUEST)
            await model.close()
        assert reply.text == "hi"
        assert Decimal("0.02") <= budget.spent < Decimal("0.03"), "1000 tokens of output alone cost 0.02"
        assert budget.held == fresh.held
        assert [certain for *_, certain in book.bills] == [False]


@asynccontextmanager
async def serve_usage(provider: str, said: dict[str, Any]) -> AsyncIterator[str]:
    """A server that says hi and counts its tokens as it pleases."""
    counts = {"input": 300, "output": 20} | said
    plain = {"input_tokens": counts["input"], "output_tokens": counts["output"]}
    replies: dict[str, dict[str, Any]] = {
        "openai-compatible": {
            "choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": counts["input"], "completion_tokens": counts["output"]},
        },
        "openai": {
            "status": "completed",
            "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]}],
            "usage": plain,
        },
        "anthropic": {"role": "assistant", "content": [{"type": "text", "text": "hi"}], "usage": plain},
    }
    body = json.dumps(replies[provider]).encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.lower().splitlines() if b"content-length" in line)
        await reader.readexactly(length)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def test_a_prompt_over_the_limit_is_refused_even_where_answers_are_free() -> None:
    budget = money(medium="0.0001")
    async with ModelServer(["hi"]) as server, paid(server, budget, price={"input": "10", "output": "0"}) as model:
        with pytest.raises(BudgetSpent, match="raise it under"):
            await model.ask(REQUEST)
        assert server.requests == []


async def test_the_worst_case_is_held_while_the_call_runs() -> None:
    budget = money()
    held: list[Decimal] = []

    def look(_: object) -> str:
        held.append(budget.held)
        return "hi"

    async with ModelServer([look]) as server, paid(server, budget) as model:
        await model.ask(REQUEST)
    # 1000 tokens of output alone may cost 0.02.
    assert Decimal("0.02") < held[0] < Decimal("0.03")


async def test_a_refused_call_costs_nothing_and_a_lost_reply_the_worst() -> None:
    budget, book = money(), Book()
    script = [ScriptedStep(status=500), ScriptedStep(status=401), ScriptedStep(text="lost " * 40, fault="cut")]
    async with ModelServer(script) as server, paid(server, budget, book) as model:
        for _ in range(2):
            with pytest.raises(ModelUnavailable):
                await model.ask(REQUEST)
        assert (budget.spent, budget.held) == (0, 0)
        with pytest.raises(ModelUnavailable):
            await model.ask(REQUEST)
    assert budget.spent > Decimal("0.02")
    assert budget.held == 0
    assert [certain for *_, certain in book.bills] == [False]
    assert book.kinds == ["reserved", "released", "reserved", "released", "reserved", "billed"]


async def test_the_worst_case_is_written_down_before_a_call_is_sent() -> None:
    budget, book = money(), Book()
    seen: list[int] = []

    def look(_: object) -> str:
        assert book.entries == [("reserved", budget.held)]
        seen.append(len(server.requests))
        return "hi"

    async with ModelServer([look]) as server, paid(server, budget, book) as model:
        await model.ask(REQUEST)
    assert seen == [1]
    assert book.kinds == ["reserved", "billed"]


async def test_a_call_that_can_not_be_written_down_is_not_sent() -> None:
    class Full(Book):
        async def reserve(self, call: str, role: str, model: str, amount: Decimal) -> None:
            await super().reserve(call, role, model, amount)
            raise JournalError("the disk is full")

    budget, book = money(), Full()
    async with ModelServer(["hi"]) as server, paid(server, budget, book) as model:
        with pytest.raises(JournalError):
            await model.ask(REQUEST)
    assert (server.requests, budget.held, budget.spent) == ([], 0, 0)
    assert book.kinds == ["reserved", "released"]


async def test_a_cancelled_call_is_taken_at_the_worst() -> None:
    budget = money()
    async with ModelServer([ScriptedStep(text="x", first_byte_s=60)]) as server, paid(server, budget) as model:
        asking = asyncio.create_task(model.ask(REQUEST))
        await server.wait_until(lambda s: len(s.requests) == 1)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert budget.spent > Decimal("0.02")
    assert budget.held == 0


async def test_a_server_that_counts_no_tokens_is_never_free() -> None:
    budget, book, uncounted = money(), Book(), ScriptedStep(text="x", input_tokens=0, output_tokens=0)
    async with ModelServer([uncounted]) as server, paid(server, budget, book) as model:
        await model.ask(REQUEST)
    assert budget.spent > Decimal("0.02")
    assert [certain for *_, certain in book.bills] == [False]


async def test_the_answer_gets_as_much_room_as_one_operation_may_cost() -> None:
    async with ModelServer(["hi"]) as server, paid(server, money(medium="0.02")) as model:
        await model.ask(REQUEST)
    assert 256 <= server.requests[0].body["max_tokens"] < 1000


async def test_what_one_operation_may_not_cost_is_not_asked() -> None:
    async with ModelServer(["hi"]) as server, paid(server, money(medium="0.005")) as model:
        with pytest.raises(BudgetSpent, match=r"over the limit of \$0.005 for one operation"):
            await model.ask(REQUEST)
    assert server.requests == []


async def test_many_calls_at_once_never_exceed_the_cap() -> None:
    budget = money("0.10")
    said = ScriptedStep(text="hi", input_tokens=500, output_tokens=500, times=40)
    async with ModelServer([said]) as server, paid(server, budget) as model:
        results = await asyncio.gather(*(model.ask(REQUEST) for _ in range(40)), return_exceptions=True)
    assert budget.spent <= Decimal("0.10")
    answered = [result for result in results if not isinstance(result, BaseException)]
    assert len(answered) == len(server.requests)
    # 0.015 a call: no more than six fit, and no money that would have paid for one more is left lying.
    assert 5 <= len(answered) <= 6
    assert all(isinstance(result, BudgetSpent) for result in results if isinstance(result, BaseException))


async def test_a_free_endpoint_works_with_an_empty_budget() -> None:
    budget = money("0")
    book = Book()
    async with ModelServer(["hi"]) as server, paid(server, budget, book, price=None, free=True) as model:
        reply = await model.ask(REQUEST)
    assert reply.usage.cost == 0
    assert book.entries == [("billed", "")], "what is free needs no reservation"
    assert reply.usage.input_tokens == 1000


@pytest.mark.parametrize(
    ("model", "base_url", "dollars"),
    [
        ("glm-4.6v", "https://api.z.ai/api/paas/v4", ("0.3", "0.9")),
        ("glm-4.5v", "https://api.z.ai/api/paas/v4", ("0.6", "1.8")),
        ("zai-org/autoglm-phone-9b-multilingual", "https://api.novita.ai/openai", ("0.035", "0.138")),
        ("bytedance/ui-tars-1.5-7b", "https://openrouter.ai/api/v1", ("0.1", "0.2")),
    ],
)
def test_the_models_of_the_field_cost_what_is_listed_for_their_host(
    model: str, base_url: str, dollars: tuple[str, str]
) -> None:
    price = price_of(endpoint(model, base_url=base_url))
    assert (price.input, price.output) == tuple(map(Decimal, dollars))


@pytest.mark.parametrize(
    ("model", "base_url"),
    [
        ("autoglm-phone", "https://open.bigmodel.cn/api/paas/v4"),
        ("glm-4.6v", "https://gateway.example/v1"),
        ("bytedance-research/ui-tars-72b:free", "https://openrouter.ai/api/v1"),
    ],
)
def test_no_price_is_concluded_from_a_name_or_from_a_listing_without_one(model: str, base_url: str) -> None:
    with pytest.raises(SettingsError, match=f"price of {model} is unknown: set price"):
        price_of(endpoint(model, base_url=base_url))


def test_well_known_models_have_their_providers_price() -> None:
    price = price_of(endpoint("gpt-5-mini", provider="openai"))
    assert (price.input, price.output, price.cached) == (Decimal("0.25"), 2, Decimal("0.025"))
    assert price_of(endpoint("claude-sonnet-4-5", provider="anthropic")).output == 15
    assert price.cost_of(Usage(input_tokens=1000, output_tokens=100), cached_tokens=400) == Decimal("0.00036")


def test_the_users_price_wins_and_an_unknown_one_is_an_error() -> None:
    assert price_of(endpoint("gpt-5-mini", provider="openai", price=PRICE)).input == 10
    assert price_of(endpoint("anything", free=True)).is_free
    with pytest.raises(SettingsError, match=r"price of my-own-model is unknown: set price = .* free = true"):
        price_of(endpoint("my-own-model", base_url="https://gateway.example/v1"))


OWN = ["127.0.0.1", "localhost", "gpu.localhost", "[::1]", "10.0.0.5", "192.168.1.20", "172.20.0.3", "169.254.1.2"]
OTHERS = ["gateway.example", "8.8.8.8", "172.40.0.3", "localhost.example", "10.0.0.5.example", "[2001:4860::1]"]


@pytest.mark.parametrize(("host", "free"), [*((host, True) for host in OWN), *((host, False) for host in OTHERS)])
def test_a_model_of_ones_own_network_costs_nothing_unless_it_has_a_price(host: str, free: bool) -> None:
    own = {"base_url": f"http://{host}:8000/v1"}
    if not free:
        with pytest.raises(SettingsError, match="price of autoglm-phone-9b is unknown"):
            price_of(endpoint("autoglm-phone-9b", **own))
        return
    assert price_of(endpoint("autoglm-phone-9b", **own)).is_free
    assert price_of(endpoint("autoglm-phone-9b", price=PRICE, **own)).input == 10


@given(st.text(max_size=300))
def test_no_tokenizer_counts_more_than_we_fear(text: str) -> None:
    # The finest any tokenizer gets is a token a byte for what is not plain words.
    plain = sum(char.isascii() and (char.isalpha() or char == " ") for char in text)
    request = ModelRequest(role="operator", system="", turns=(Turn("user", (text,)),))
    assert count_most_input_tokens(request) >= len(text.encode()) - plain + plain // 2


def test_a_picture_is_never_underrated() -> None:
    request = ModelRequest(role="operator", system="", turns=(Turn("user", (Picture(b"", 1280, 800),)),))
    # OpenAI's patches (32 px × 2.46), its tiles, Anthropic's w×h/750, Qwen's 28 px.
    assert count_most_input_tokens(request) >= max(40 * 25 * 2.46, 85 + 170 * 6, 1280 * 800 / 750, 46 * 29)
