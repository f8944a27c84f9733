"""Text of models, devices and files on a real terminal: no command lets it move the cursor or turn text around."""

import json
import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.cli.output import clean_text
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from tests.cli.conftest import Cli
from tests.cli.test_terminal import on_a_terminal

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
MARK = "EVIL"
BEL = "\x07"
ST = "\x1b\\"  # what ends an OSC or DCS sequence


def hostile(seed: int) -> str:
    """One sequence of each family, with random parameters: CSI, OSC, DCS, C1, C0, bidi, other ends of lines."""
    rng = random.Random(seed)
    csi = f"\x1b[{rng.randint(0, 99)};{rng.randint(0, 99)}{rng.choice('ABCDHJKSTfhlmsu')}"
    osc = f"\x1b]{rng.choice(['0;title', '8;;http://evil.example', '52;c;aGk='])}{rng.choice([BEL, ST])}"
    dcs = f"\x1bP{rng.randint(0, 9)}q{ST}"
    c1 = "".join(chr(rng.randint(0x80, 0x9F)) for _ in range(3)) + "\x9b2J\x9d0;title\x9c"
    c0 = "\x07" + "".join(rng.sample("\x08\x0b\x0c\r\x0e\x0f\x7f\x1a", 3))
    parts = [csi, osc, dcs, c1, c0, rng.choice(BIDI), "\u202e", rng.choice("\u2028\u2029"), "[red]", "[/]"]
    rng.shuffle(parts)
    return f"{MARK} {'.'.join(parts)} {MARK}"


def harmful(text: str) -> set[str]:
    """Whatever a terminal would obey, but for new lines and tabs."""
    controls = {one for one in text if unicodedata.category(one) in ("Cc", "Zl", "Zp")}
    return (controls | (set(text) & set(BIDI))) - set("\r\n\t")


async def shown(cli: Cli, *args: str, **env: str) -> str:
    # A dumb terminal: whatever escape is in the output is not one of ours.
    _, written = await on_a_terminal(cli, *args, TERM="dumb", **env)
    assert MARK in written, written
    assert harmful(written) == set(), repr(written)
    # A carriage return is the terminal's own, before each new line.
    assert "\r" not in written.replace("\r\n", "")
    return written


def model(server: ModelServer, role: str) -> dict[str, str]:
    section = {"MODEL": "script", "BASE_URL": server.url, "FREE": "true"}
    return {f"DESKHAND_MODELS__{role.upper()}__{name}": value for name, value in section.items()}


async def test_chat_shows_what_a_model_says_and_calls_without_its_escapes(cli: Cli) -> None:
    call = ScriptedCall(name="chat", arguments={"device_id": hostile(1), "message": hostile(2)})
    async with ModelServer([ScriptedStep(calls=(call,)), ScriptedStep(text=hostile(3))]) as server:
        written = await shown(cli, "chat", "hello", **model(server, "assistant"))
        assert written.count(MARK) >= 6
    async with ModelServer([ScriptedStep(status=400, error=hostile(4), times=9)]) as server:
        await shown(cli, "chat", "hello", **model(server, "assistant"))


async def test_run_show_and_runs_show_the_words_of_a_model_without_its_escapes(cli: Cli) -> None:
    answer = {"decision": "actions", "actions": [{"kind": "answer", "text": hostile(5)}]}
    done = {"decision": "done", "message": hostile(6)}
    script = [ScriptedStep(calls=(ScriptedCall(name="step", arguments=arguments),)) for arguments in (answer, done)]
    async with ModelServer(script) as server:
        env = model(server, "operator") | {"DESKHAND_MODELS__OPERATOR__MODEL": f"script {hostile(7)}"}
        await shown(cli, "run", hostile(8), "--loop", "single", **env)
    await shown(cli, "show", "last")
    await shown(cli, "runs")
    written = await shown(cli, "show", "last", "--json")
    assert json.loads(written)["goal"] == hostile(8)


@pytest.mark.parametrize("command", ["devices", "doctor"])
async def test_what_a_device_says_of_itself_is_shown_without_its_escapes(cli: Cli, command: str) -> None:
    await shown(cli, command, DESKHAND_BROWSER__EXECUTABLE=f"/nowhere/{hostile(9)}")


async def test_doctor_shows_what_an_endpoint_answers_without_its_escapes(cli: Cli) -> None:
    async with ModelServer([ScriptedStep(status=400, error=hostile(10), times=9)]) as server:
        await shown(cli, "doctor", "--models", **model(server, "operator"))


async def test_config_shows_values_without_their_escapes(cli: Cli) -> None:
    await shown(cli, "config", "show", DESKHAND_DEVICE=hostile(11))


@pytest.mark.parametrize("more", [(), ("--json",)])
async def test_an_error_repeats_a_name_without_its_escapes(cli: Cli, more: tuple[str, ...]) -> None:
    await shown(cli, "run", "Open Settings", "--device", f"android:{hostile(12)}", *more)
    await shown(cli, "show", hostile(13), *more)


@given(st.text() | st.integers(0, 10**6).map(hostile))
def test_nothing_harmful_is_left_in_clean_text(text: str) -> None:
    cleaned = clean_text(text)
    assert harmful(cleaned) == set()
    assert len(cleaned) == len(text)  # nothing vanishes: what was there can be seen to have been there
    assert clean_text(cleaned) == cleaned
    assert "\n" not in clean_text(text, one_line=True)
