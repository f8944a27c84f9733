"""Models on the command line: what they cost, every way they fail, what is kept of it, and that no key ever leaks."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ReceivedRequest, ScriptedCall, ScriptedStep
from tests.cli.conftest import Cli, Ended
from tests.conftest import ConnectedPhone

GOAL = "Look after the phone"
CANARY = "sk-canary-0123456789abcdef"
RETRIES, KEY_FROM = "DESKHAND_MODELS__OPERATOR__RETRIES", "DESKHAND_MODELS__OPERATOR__API_KEY_ENV"


def said(**fields: Any) -> ScriptedStep:
    reply: dict[str, Any] = {"input_tokens": fields.pop("input_tokens", 1000)}
    return ScriptedStep(calls=(ScriptedCall(name="step", arguments=fields),), **reply)


OPEN = said(decision="actions", actions=[{"kind": "open_app", "name": "设置"}])
NOTE = said(decision="actions", actions=[{"kind": "memorize", "text": "still here"}], input_tokens=4000)
DONE = said(decision="done", message="It is well.")


def with_model(server: ModelServer | str, sim: ConnectedPhone, *more: str) -> tuple[str, ...]:
    url = server if isinstance(server, str) else server.url
    base = ("run", GOAL, "--device", f"android:{sim.serial}", "--loop", "single")
    return (*base, "--base-url", url, "--model", "scripted", *more)


def last_words(ended: Ended) -> str:
    assert ended.err == ""
    return ended.out.splitlines()[-2]


def settle(cli: Cli, **operator: Any) -> None:
    """A settings file with a model for the operator."""
    lines = [f"{name} = {json.dumps(value)}" for name, value in {"model": "scripted", **operator}.items()]
    Path(cli.env["DESKHAND_CONFIG"]).write_text("\n".join(["[models.operator]", *lines]), encoding="utf-8")


# --- it works -----------------------------------------------------------------------------------------------------


async def test_a_model_from_the_command_line_does_the_work_and_is_named(cli: Cli, sim: ConnectedPhone) -> None:
    async with ModelServer([OPEN, DONE]) as server:
        ended = await cli(*with_model(server, sim, "--free"))
    assert ended.code == 0, ended.out + ended.err
    assert "· scripted · run " in ended.out
    assert last_words(ended) == "✔ fulfilled: It is well."
    assert sim.phone.windows.foreground[0] == "com.android.settings"
    assert len(server.requests) == 2


async def test_what_it_cost_is_told_by_role(cli: Cli, sim: ConnectedPhone) -> None:
    async with ModelServer([OPEN, DONE]) as server:
        priced = {"DESKHAND_MODELS__OPERATOR__PRICE__INPUT": "2", "DESKHAND_MODELS__OPERATOR__PRICE__OUTPUT": "8"}
        ended = await cli(*with_model(server, sim), **priced)
    assert "2 model calls, $0.0048 (operator $0.0048)" in ended.out.splitlines()[-1]
    told = (await cli("show", "last", "--json")).json
    assert Decimal(told["cost"]) == Decimal("0.0048")
    assert told["spend"] == {"operator": {"calls": 2, "input_tokens": 2000, "output_tokens": 100, "cost": told["cost"]}}
    assert "(operator $0.0048)" in (await cli("show", "last")).out
    assert "$0.0048" in (await cli("runs")).out


async def test_too_many_requests_and_a_cut_stream_are_tried_again(cli: Cli, sim: ConnectedPhone) -> None:
    cut = DONE.model_copy(update={"fault": "cut"})
    async with ModelServer([ScriptedStep(status=429, retry_after=0.2), OPEN, cut, DONE]) as server:
        ended = await cli(*with_model(server, sim, "--free"))
    assert ended.code == 0, ended.out + ended.err
    assert len(server.requests) == 4


# --- every way to fail --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("refusing", "sentence"),
    [
        ({"key": "another key"}, "refused the key for scripted: check the variable MY_KEY."),
        ({"models": ("another",)}, "does not know the model scripted: check its name and base_url."),
        ({"vision": False}, "scripted can't see pictures: set vision = false for it, or take a model that can."),
        ({"max_text": 100}, "The request is too long for scripted: show less of the screen,"),
    ],
    ids=["wrong key", "unknown model", "no vision", "context too long"],
)
async def test_what_an_endpoint_refuses_is_one_sentence_and_exit_code_4(
    cli: Cli, sim: ConnectedPhone, refusing: dict[str, Any], sentence: str
) -> None:
    async with ModelServer([DONE], **refusing) as server:
        ended = await cli(*with_model(server, sim, "--free"), MY_KEY=CANARY, **{KEY_FROM: "MY_KEY"})
    assert ended.code == 4, ended.out + ended.err
    assert last_words(ended).startswith("✘ rejected: ")
    assert sentence in last_words(ended)
    assert len(server.requests) == 1
    assert CANARY not in ended.out + ended.err


@pytest.mark.parametrize("loop", ["single", "dual"])
async def test_a_dead_endpoint_is_one_sentence_and_exit_code_4(cli: Cli, sim: ConnectedPhone, loop: str) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}/v1"
    ended = await cli(*with_model(url, sim, "--free", "--loop", loop), **{RETRIES: "1"})
    assert ended.code == 4, ended.out + ended.err
    assert "can't be reached for scripted: check that it runs, the network and base_url." in last_words(ended)


async def test_a_missing_key_and_an_unknown_price_are_refused_before_anything_is_done(
    cli: Cli, sim: ConnectedPhone
) -> None:
    device = ("--device", f"android:{sim.serial}")
    ended = await cli("run", GOAL, *device, "--model", "openai:gpt-5", OPENAI_API_KEY="")
    assert "There is no key for gpt-5: set the variable OPENAI_API_KEY" in ended.refused(4)
    ended = await cli(*with_model("https://gateway.example/v1", sim))
    assert "The price of scripted is unknown: set price = { input = …, output = … }" in ended.refused(2)
    assert "--free" in ended.refused(2)


async def test_the_classic_variables_alone_are_enough_for_a_model_on_this_machine(
    cli: Cli, sim: ConnectedPhone
) -> None:
    async with ModelServer([ScriptedStep(text='<answer>finish(message="there")</answer>', times=9)]) as server:
        classic = {"MODEL_BASE_URL": server.url, "MODEL_NAME": "autoglm-phone-9b", "MODEL_API_KEY": "EMPTY"}
        ended = await cli("run", "look", "--device", f"android:{sim.serial}", "--loop", "single", **classic)
    assert ended.code == 0, ended.out + ended.err
    assert server.requests


async def test_three_unreadable_replies_fail_the_step_and_three_such_steps_the_task(
    cli: Cli, sim: ConnectedPhone
) -> None:
    async with ModelServer([ScriptedStep(text="I would rather not say.", times=9)]) as server:
        ended = await cli(*with_model(server, sim, "--free", "--json"))
    assert (ended.code, ended.json["cause"], len(ended.json["steps"])) == (1, "failed", 3)
    assert "3 steps failed in a row" in ended.json["reason"]
    assert all("contains no JSON object" in step["error"] for step in ended.json["steps"])
    assert "contains no JSON object" in server.requests[1].text, "what is wrong is told to the model"
    assert (server.unconsumed, ended.json["model_calls"]) == ([], 9)


async def test_what_a_model_marks_as_sensitive_waits_for_a_person(cli: Cli, sim: ConnectedPhone) -> None:
    pay = said(decision="actions", actions=[{"kind": "home", "sensitive": "this pays 30 dollars"}])
    async with ModelServer([pay]) as server:
        ended = await cli(*with_model(server, sim, "--free"))
    assert ended.code == 1
    assert last_words(ended).startswith("✘ rejected: the user is needed: ")
    assert "this pays 30 dollars" in last_words(ended)


async def test_when_the_budget_is_gone_the_state_is_kept_and_more_money_goes_on(cli: Cli, sim: ConnectedPhone) -> None:
    broke = False

    def reply(_: ReceivedRequest) -> ScriptedStep:
        return DONE if broke else NOTE

    async with ModelServer([reply] * 30) as server:
        settle(cli, base_url=server.url)
        with Path(cli.env["DESKHAND_CONFIG"]).open("a") as file:
            file.write("\nprice = { input = 5, output = 5 }\n[budget]\ntask = 0.09\n")
        ended = await cli("run", GOAL, "--device", f"android:{sim.serial}", "--loop", "single", "--json")
        told = ended.json
        assert (ended.code, told["cause"]) == (5, "budget"), ended.out
        assert "raise it with --budget" in told["reason"]
        assert 0 < Decimal(told["cost"]) <= Decimal("0.09")
        assert (told["model_calls"], len(told["steps"])) == (len(server.requests), len(server.requests))
        broke = True
        ended = await cli("resume", told["task_id"][:8], "--budget", "2", "--json")
    assert (ended.code, ended.json["status"]) == (0, "fulfilled"), ended.out + ended.err
    assert ended.json["model_calls"] == len(server.requests)
    assert Decimal(ended.json["cost"]) > Decimal(told["cost"])


async def test_ctrl_c_inside_a_streaming_call_closes_the_connection(cli: Cli, sim: ConnectedPhone) -> None:
    slow = ScriptedStep(text="I think about it. " * 200, chunk_s=0.2)
    async with ModelServer([slow]) as server:
        running = await cli.start(*with_model(server, sim, "--free"))
        async with asyncio.timeout(60):
            while server.bytes_sent < 1000:
                await asyncio.sleep(0.01)
        running.send(signal.SIGINT)
        # Left alone, the reply would take 45 seconds; how fast it is closed is measured where the machine is ours.
        await server.wait_until(lambda server: server.aborted == 1, timeout=20)
        ended = await running.ended()
    assert ended.code == 130, ended.out + ended.err
    assert last_words(ended) == "■ stopped by the user"


# --- keys ---------------------------------------------------------------------------------------------------------


async def test_a_key_is_nowhere_but_on_the_wire(cli: Cli, sim: ConnectedPhone, tmp_path: Path) -> None:
    """Taken from a file and from a variable, accepted and refused."""
    (tmp_path / "key").write_text(f"{CANARY}\n")
    run = ("run", GOAL, "--device", f"android:{sim.serial}", "--loop", "single")
    said: list[Ended] = []
    async with ModelServer([OPEN, DONE], key=CANARY) as server, ModelServer(key="another") as strict:
        for one, where in ((server, {"key_file": str(tmp_path / "key")}), (strict, {"api_key_env": "MY_KEY"})):
            settle(cli, base_url=one.url, free=True, **where)
            said.append(await cli(*run, MY_KEY=CANARY))
            said += [await cli("show", "last", *more) for more in ((), ("--json",))]
        said += [await cli("runs", "--json"), await cli("doctor", "--models", MY_KEY=CANARY)]
    assert [said[0].code, said[3].code] == [0, 4]
    assert (len(server.requests), len(strict.requests)) == (2, 2)
    assert not [one for one in said if CANARY in one.out + one.err]
    files = [file for file in cli.data.rglob("*") if file.is_file()]
    assert files
    assert not [file for file in files if CANARY.encode() in file.read_bytes()]


# --- doctor and model-server ----------------------------------------------------------------------------------------


def finding(ended: Ended, what: str) -> dict[str, Any]:
    return next(one for one in ended.json["findings"] if what in one["what"])


async def test_doctor_asks_each_model_once_and_says_what_works(cli: Cli) -> None:
    red = ScriptedStep(calls=(ScriptedCall(name="colour", arguments={"name": "red"}),))
    async with ModelServer([red]) as server, ModelServer(["I am told nothing of a picture."]) as blind:
        settle(cli, base_url=server.url, free=True)
        with Path(cli.env["DESKHAND_CONFIG"]).open("a") as file:
            file.write(f'\n[models.evaluator]\nmodel = "blind"\nbase_url = "{blind.url}"\n')
        ended = await cli("doctor", "--models", "--json")
    assert finding(ended, "operator: ") == {
        "what": "operator: openai-compatible:scripted",
        "ok": True,
        "detail": "vision yes, tools yes, streaming yes, free",
        "optional": False,
    }
    evaluator = finding(ended, "evaluator: ")
    able = "vision no (set vision = false), tools no, streaming yes, free"
    assert evaluator["detail"].startswith(able), evaluator["detail"]
    assert (len(server.requests), len(blind.requests)) == (1, 1)


async def test_doctor_names_what_is_wrong_with_a_model(cli: Cli) -> None:
    async with ModelServer(models=("another",)) as server:
        settle(cli, base_url=server.url, free=True)
        ended = await cli("doctor", "--models", "--json")
    found = finding(ended, "operator: ")
    assert (ended.code, found["ok"]) == (1, False)
    assert "does not know the model scripted" in found["detail"]
    Path(cli.env["DESKHAND_CONFIG"]).unlink()
    assert "none is set" in finding(await cli("doctor", "--models", "--json"), "models")["detail"]


async def test_the_model_server_plays_a_script_and_says_what_was_left(
    cli: Cli, sim: ConnectedPhone, tmp_path: Path
) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([step.model_dump(mode="json") for step in (OPEN, DONE, DONE)]))
    serving = await cli.start("model-server", "--script", str(script))
    address = re.search(r"http://\S+/v1", await serving.line("A scripted model answers at"))
    assert address
    ended = await cli(*with_model(address[0], sim, "--free"))
    serving.send(signal.SIGINT)
    served = await serving.ended()
    assert ended.code == 0, ended.out + ended.err
    assert f"deskhand run --base-url {address[0]} --model script --free" in served.out
    assert "2 requests, " in served.err
    assert "1 of 3 steps were not asked for" in served.err


async def test_a_script_that_can_not_be_used_is_refused(cli: Cli, tmp_path: Path) -> None:
    script = tmp_path / "script.toml"
    script.write_text("[[steps]]\ntext = 'hello'\nspeed = 3\n")
    assert "steps.0.speed" in (await cli("model-server", "--script", str(script))).refused(2)
    script.write_text("[[steps]]\ntext = 'hello'\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = await cli("model-server", "--script", str(script), "--port", str(taken.getsockname()[1]))
    assert "The model server can't be started" in ended.refused(2)
