"""Settings: command line > environment > file > default, and errors that name the key and the file."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from deskhand.core.errors import SettingsError
from deskhand.settings.credentials import read_key
from deskhand.settings.environment import find_settings_file
from deskhand.settings.explain import list_settings
from deskhand.settings.layers import find_origin
from deskhand.settings.load import load, make_settings, read_layers


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "config.toml"
    monkeypatch.setenv("DESKHAND_CONFIG", str(file))
    return file


def test_without_anything_the_defaults_hold(file: Path) -> None:
    settings = load()
    assert settings.settle.max_wait_ms == 3000
    assert settings.executor.max_steps == 50


def test_each_layer_overrides_the_one_below_and_leaves_the_rest(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('device = "android:A"\n[settle]\ninterval_ms = 50\nmax_wait_ms = 100\n[executor]\nmax_steps = 1\n')
    monkeypatch.setenv("DESKHAND_SETTLE__MAX_WAIT_MS", "200")
    monkeypatch.setenv("DESKHAND_EXECUTOR__MAX_STEPS", "2")
    settings = load({"executor": {"max_steps": 3}})
    assert settings.device == "android:A"
    assert settings.settle.interval_ms == 50
    assert settings.settle.max_wait_ms == 200
    assert settings.executor.max_steps == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[settle]\nmax_wait = 5\n", r"Unknown setting 'settle.max_wait' in .*config.toml"),
        (
            '[settle]\nmax_wait_ms = "soon"\n',
            r"Bad value for 'settle.max_wait_ms' in .*config.toml: it should be a whole number",
        ),
        ("[settle\n", r"The settings file .*config.toml can't be read"),
        ("settle = 4\n", r"Bad value for 'settle' in .*config.toml: it should be a group of names and values\.$"),
        ("[[chat.mcp]]\ncommand = 'npx'\n", r"Bad value for 'chat.mcp.0.command' .*: it should be a list\.$"),
        (
            "[chat]\ntools = ['x']\n",
            r"Bad value for 'chat.tools.0' .*: it has the wrong form; .* as `module:function`\.$",
        ),
        ("data_dir = 5\n", r"Bad value for 'data_dir' .*: it should be a path\.$"),
        (
            "[policy]\nsites_allow = ['a b']\n",
            r"Bad value for 'policy.sites_allow' in [^ ]*config.toml: 'a b' is no site",
        ),
        ("[budget]\ntask = -1\n", r"Bad value for 'budget.task' .*: it should be greater than or equal to 0\.$"),
    ],
)
def test_a_bad_file_is_one_sentence_naming_key_and_file(file: Path, text: str, message: str) -> None:
    file.write_text(text)
    with pytest.raises(SettingsError, match=message):
        load()


def test_a_bad_environment_variable_is_named_as_such(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKHAND_SETTLE__THRESHOLD", "lots")
    with pytest.raises(SettingsError, match=r"'settle.threshold' in the environment"):
        load()


def test_a_bad_override_is_blamed_on_the_command_line(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"'executor.max_steps' in the command line"):
        load({"executor": {"max_steps": 0}})


def test_an_unreadable_file_is_said_so(file: Path) -> None:
    file.mkdir()
    with pytest.raises(SettingsError, match="can't be read"):
        load()


def test_the_file_lives_in_the_users_config_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DESKHAND_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert find_settings_file() == tmp_path / "deskhand" / "config.toml"


# --- the flat JSON file ----------------------------------------------------------------------------------------

FLAT = {
    "base_url": "http://127.0.0.1:8000/v1",
    "model_name": "autoglm-phone-9b",
    "api_key": "sk-vision",
    "decision_base_url": "http://127.0.0.1:9000/v1",
    "decision_model_name": "glm-4.6",
    "decision_api_key": "sk-decision",
    "default_max_steps": 30,
    "layered_max_turns": 12,
}


@pytest.fixture
def flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "config.json"
    monkeypatch.setenv("DESKHAND_CONFIG", str(file))
    return file


def test_the_flat_file_names_the_models_that_see_and_that_decide(flat: Path) -> None:
    flat.write_text(json.dumps(FLAT))
    settings = load()
    operator, assistant, manager = settings.models.operator, settings.models.assistant, settings.models.manager
    assert operator
    assert assistant
    assert manager
    assert (operator.model, operator.base_url) == ("autoglm-phone-9b", "http://127.0.0.1:8000/v1")
    assert [role.model for role in (assistant, manager)] == ["glm-4.6", "glm-4.6"]
    assert (settings.executor.max_steps, settings.chat.max_turns) == (30, 12)
    assert read_key(operator).get_secret_value() == "sk-vision"
    assert read_key(assistant).get_secret_value() == "sk-decision"
    assert "sk-" not in repr(settings) + settings.model_dump_json()


def test_what_is_empty_in_the_flat_file_is_not_set(flat: Path) -> None:
    flat.write_text(json.dumps(FLAT | {"decision_base_url": "", "decision_model_name": None, "decision_api_key": ""}))
    assert load().models.assistant is None


def test_the_flat_file_may_hold_our_own_sections_beside(flat: Path) -> None:
    price = {"input": "0.1", "output": "0.2"}
    flat.write_text(json.dumps(FLAT | {"models": {"operator": {"price": price}}, "settle": {"max_wait_ms": 1}}))
    settings = load()
    assert settings.settle.max_wait_ms == 1
    operator = settings.models.operator
    assert operator
    assert operator.price
    assert operator.price.output == Decimal("0.2")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"default_max_steps": "many"},
            r"'executor.max_steps' in .*config.json \(default_max_steps\): it should be a whole number",
        ),
        ({"model_nam": "x"}, r"Unknown setting 'model_nam' in .*config.json"),
        ({"model_name": ""}, r"'models.operator.model' in .*config.json: it is missing"),
    ],
)
def test_a_bad_key_of_the_flat_file_is_named_as_it_stands_there(
    flat: Path, change: dict[str, Any], message: str
) -> None:
    flat.write_text(json.dumps(FLAT | change))
    with pytest.raises(SettingsError, match=message):
        load()


@pytest.mark.parametrize("text", ["[1]", "{", '"words"'])
def test_a_flat_file_that_is_none_is_said_so(flat: Path, text: str) -> None:
    flat.write_text(text)
    with pytest.raises(SettingsError, match=r"The settings file .*config.json can't be read"):
        load()


def test_without_toml_the_json_file_is_looked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DESKHAND_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    folder = tmp_path / "deskhand"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    assert find_settings_file().name == "config.json"
    (folder / "config.toml").write_text("")
    assert find_settings_file().name == "config.toml"


# --- the variables of the classic dual loop --------------------------------------------------------------------


def test_the_variables_of_the_classic_dual_loop_are_honoured(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    classic = {
        "DUAL_LOOP_MODE": "false",
        "PLANNER_MODEL_BASE_URL": "http://127.0.0.1:1/v1",
        "PLANNER_MODEL_NAME": "planner",
        "PLANNER_MODEL_API_KEY": "sk-p",
        "MODEL_BASE_URL": "http://127.0.0.1:2/v1",
        "MODEL_NAME": "worker",
        "MODEL_API_KEY": "sk-m",
        "MAX_EXECUTOR_FEEDBACK_HISTORY": "4",
        "STUCK_THRESHOLD": "6",
        "PROMPT_MEMORY_PATH": "/tmp/prompts.json",
        "PLANNER_INTERVAL_MS": "1500",
        "EXECUTOR_INTERVAL_MS": "400",
    }
    for name, value in classic.items():
        monkeypatch.setenv(name, value)
    settings = load()
    manager, operator = settings.models.manager, settings.models.operator
    assert manager
    assert operator
    assert (manager.model, operator.model, settings.loop) == ("planner", "worker", "single")
    assert (read_key(manager).get_secret_value(), read_key(operator).get_secret_value()) == ("sk-p", "sk-m")
    assert (settings.dispatcher.feedback, settings.rules.unchanged_screens) == (4, 6)
    assert (settings.dispatcher.tick_ms, settings.executor.tick_ms) == (1500, 400)
    assert settings.prompt_memory.path == Path("/tmp/prompts.json")


def test_our_own_variables_rank_above_the_classic_ones(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("[rules]\nunchanged_screens = 4\n")
    monkeypatch.setenv("STUCK_THRESHOLD", "6")
    assert load().rules.unchanged_screens == 6
    monkeypatch.setenv("DESKHAND_RULES__UNCHANGED_SCREENS", "7")
    assert load().rules.unchanged_screens == 7


def test_half_a_model_in_variables_that_anybody_may_have_set_is_none(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_NAME", "of another program")
    assert load().models.operator is None


@pytest.mark.parametrize(
    ("variables", "address"),
    [
        ({"ANDROID_ADB_SERVER_PORT": "5555"}, ("127.0.0.1", 5555)),
        ({"ANDROID_ADB_SERVER_ADDRESS": "10.0.0.7"}, ("10.0.0.7", 5037)),
        ({"ADB_SERVER_SOCKET": "tcp:5556"}, ("127.0.0.1", 5556)),
        ({"ADB_SERVER_SOCKET": "tcp:localhost:5556"}, ("127.0.0.1", 5556)),
        ({"ADB_SERVER_SOCKET": "tcp:10.52.8.53:5556"}, ("10.52.8.53", 5556)),
        ({"ADB_SERVER_SOCKET": "tcp:[::1]:5556"}, ("::1", 5556)),
        ({"ADB_SERVER_SOCKET": "tcp:5556", "ANDROID_ADB_SERVER_PORT": "5557"}, ("127.0.0.1", 5556)),
        ({"ADB_SERVER_SOCKET": "tcp:5556", "DESKHAND_ADB__PORT": "5558"}, ("127.0.0.1", 5558)),
        ({"ANDROID_ADB_SERVER_PORT": "", "ADB_SERVER_SOCKET": ""}, ("10.9.9.9", 5999)),
    ],
)
def test_adbs_own_variables_say_where_its_server_is(
    file: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], address: tuple[str, int]
) -> None:
    """As adb ranks them; above the file, below our own."""
    if not any(variables.values()):
        file.write_text('[adb]\nhost = "10.9.9.9"\nport = 5999\n')
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    adb = load().adb
    assert (adb.host, adb.port) == address


def test_a_bad_port_in_adbs_own_variable_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "many")
    with pytest.raises(SettingsError, match=r"'adb.port' in the environment \(ANDROID_ADB_SERVER_PORT\)"):
        load()


def test_a_bad_classic_variable_is_named(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DUAL_LOOP_MODE", "perhaps")
    with pytest.raises(SettingsError, match=r"'loop' in the environment \(DUAL_LOOP_MODE\)"):
        load()


def test_each_setting_knows_where_it_comes_from(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("[settle]\ninterval_ms = 50\n")
    monkeypatch.setenv("DESKHAND_SETTLE__THRESHOLD", "0.1")
    monkeypatch.setenv("STUCK_THRESHOLD", "6")
    layers = read_layers({"device": "sim"})
    assert find_origin(("settle", "interval_ms"), layers) == str(file)
    assert find_origin(("settle", "threshold"), layers) == "the environment (DESKHAND_SETTLE__THRESHOLD)"
    assert find_origin(("rules", "unchanged_screens"), layers) == "the environment (STUCK_THRESHOLD)"
    assert find_origin(("device",), layers) == "the command line"
    assert find_origin(("settle", "max_wait_ms"), layers) == "default"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("brwoser.headless", "browser.headless"),
        ("browser.headles", "browser.headless"),
        ("browser.head_less", "browser.headless"),
        ("Browser.headless", "browser.headless"),
        ("settle.max_wait", "settle.max_wait_ms"),
        ("executor.maxsteps", "executor.max_steps"),
        ("max_steps", "executor.max_steps"),
        ("models.operater.model", "models.operator.model"),
        ("models.operator.baseurl", "models.operator.base_url"),
        ("sandbox.alow_unsandboxed", "sandbox.allow_unsandboxed"),
        ("budget.taks", "budget.task"),
    ],
)
def test_a_misspelt_setting_is_told_what_was_meant(
    file: Path, monkeypatch: pytest.MonkeyPatch, written: str, meant: str
) -> None:
    """In the file, and as a variable."""
    section, _, leaf = written.rpartition(".")
    file.write_text(f'[{section}]\n{leaf} = "1"\n' if section else f'{leaf} = "1"\n')
    with pytest.raises(SettingsError, match=rf"^Unknown setting '{written}' in .*: did you mean '{meant}'\?$"):
        load()
    file.write_text("")
    if written.islower():
        monkeypatch.setenv(f"DESKHAND_{written.replace('.', '__').upper()}", "1")
        with pytest.raises(SettingsError, match=rf"^Unknown setting '{written}' in .*: did you mean '{meant}'\?$"):
            load()


def test_a_setting_like_no_other_is_referred_to_the_list(file: Path) -> None:
    file.write_text("[teleport]\nplanet = 'Mars'\n")
    with pytest.raises(SettingsError, match=r"'teleport.planet' in .*: `deskhand config show --all` lists them.$"):
        load()


def test_what_is_shown_holds_no_password_of_an_address(file: Path) -> None:
    file.write_text('[models.operator]\nmodel = "m"\nbase_url = "https://ann:s3cret@models.example/v1"\n')
    layers = read_layers()
    shown = {row.key: row.value for row in list_settings(make_settings(layers), layers)}
    assert shown["models.operator.base_url"] == "https://***@models.example/v1"
    assert "s3cret" not in repr(shown)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["npx", "-y", "@x/server", "--api-key", "s3cret"], ["npx", "-y", "@x/server", "--api-key", "***"]),
        (["server", "--token=s3cret", "--port=80"], ["server", "--token=***", "--port=80"]),
        (["env", "GITHUB_TOKEN=s3cret", "run"], ["env", "GITHUB_TOKEN=***", "run"]),
        (["server", "-H", "Authorization: Bearer s3cret"], ["server", "-H", "Authorization: ***"]),
        (["server", "X-Custom: Bearer s3cret"], ["server", "X-Custom: Bearer ***"]),
        (["server", "https://a:s3cret@x.example/?key=s3cret&q=1"], ["server", "https://***@x.example/?key=***&q=***"]),
        (["server", "postgres://u:s3cret@db/x"], ["server", "postgres://***@db/x"]),
        (["server", "sk-s3cret0000000000000000"], ["server", "***"]),
        (["docker", "run", "-e", "DB_PASSWORD=s3cret"], ["docker", "run", "-e", "DB_PASSWORD=***"]),
        (
            ["server", "--config", '{"apiKey": "s3cret", "port": 80}'],
            ["server", "--config", '{"apiKey": "***", "port": 80}'],
        ),
        (["server", "--dsn", "host=db password=s3cret"], ["server", "--dsn", "host=db password=***"]),
        (["server", "--pat", "s3cret", "--auth", "s3cret"], ["server", "--pat", "***", "--auth", "***"]),
        (["server", "--cookie", "id=s3cret"], ["server", "--cookie", "***"]),
        (
            ["npx", "remote", "https://x.example/mcp/sk-s3cret0000000000000000/sse"],
            ["npx", "remote", "https://x.example/mcp/***/sse"],
        ),
        (["server", "-p", "s3cret", "-u", "ann:s3cret"], ["server", "-p", "***", "-u", "***"]),
        (["server", "-ps3cret", "-ktops3cret"], ["server", "-p***", "-k***"]),
        (["server", "--pw", "s3cret", "--pin", "s3cret"], ["server", "--pw", "***", "--pin", "***"]),
        (["server", "--passphrase", "s3cret", "--密码", "s3cret"], ["server", "--passphrase", "***", "--密码", "***"]),
        (["sh", "-c", "server --password s3cret -p 80"], ["sh", "-c", "server --password *** -p 80"]),
        (["sh", "-c", "server --password 's3cret"], ["sh", "-c", "***"]),
        (["python", "-m", "my_server", "-p", "8080", "-d", "/srv/data", "-abc"], None),
        (["npx", "remote", "https://x.example/a-long-path-of-words-only/v1"], None),
        (["python", "/usr/share/tools2/a-long-path-to-a-server.py"], None),
        (["uvx", "mcp-server-filesystem", "--root", "/home/ann"], None),
    ],
)
def test_what_is_shown_holds_no_secret_of_a_command(file: Path, command: list[str], shown: list[str] | None) -> None:
    told = json.dumps(command)
    file.write_text(f"[[chat.mcp]]\ncommand = {told}\n[[supplement.mcp]]\ntool = 't'\ncommand = {told}\n")
    layers = read_layers()
    listed = {row.key: row.value for row in list_settings(make_settings(layers), layers)}
    assert listed["chat.mcp"] == [{"command": shown or command}]
    assert listed["supplement.mcp"] == [{"command": shown or command, "tool": "t"}]
    assert "s3cret" not in repr(listed)


@pytest.mark.parametrize("key", ["supplement.search_url", "browser.cdp_url", "models.operator.base_url"])
def test_what_is_shown_holds_no_secret_of_a_query(key: str) -> None:
    *above, leaf = key.split(".")
    tree: dict[str, Any] = {leaf: "https://x.example/search?q={query}&api_key=s3cret#token=s3cret"}
    tree |= {"model": "m"} if "models" in above else {}
    for part in reversed(above):
        tree = {part: tree}
    layers = read_layers(tree)
    told = {row.key: row.value for row in list_settings(make_settings(layers), layers)}
    assert told[key] == "https://x.example/search?q=***&api_key=***#token=***"
    assert "s3cret" not in repr(told)


# --- one model in place of another ----------------------------------------------------------------------------

FILE_MODEL = """[models.operator]
model = "small"
base_url = "http://127.0.0.1:8000/v1"
api_key = "sk-of-8000"
{more}
retries = 7
"""


@pytest.mark.parametrize("more", ["free = true", "price = { input = 0.1, output = 0.2 }"])
@pytest.mark.parametrize(
    "named",
    [
        {"model": "dear"},
        {"base_url": "https://models.example/v1"},
        {"model": "dear", "base_url": "https://models.example/v1"},
        {"model": "openai:dear"},
    ],
)
def test_another_model_does_not_cost_what_the_former_did(file: Path, more: str, named: dict[str, str]) -> None:
    file.write_text(FILE_MODEL.format(more=more))
    operator = load({"models": {"operator": named}}).models.operator
    assert operator
    assert (operator.free, operator.price) == (False, None)
    assert operator.retries == 7, "what is said of no model in particular stays"


@pytest.mark.parametrize("named", [{"base_url": "https://models.example/v1"}, {"model": "openai:gpt-5"}])
def test_a_key_is_sent_nowhere_but_where_it_is_for(
    file: Path, monkeypatch: pytest.MonkeyPatch, named: dict[str, str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    file.write_text(FILE_MODEL.format(more="free = true"))
    operator = load({"models": {"operator": named}}).models.operator
    assert operator
    assert read_key(operator).get_secret_value() == ("sk-openai" if "model" in named else "")
    assert operator.base_url == named.get("base_url", "")
    layers = read_layers({"models": {"operator": named}})
    assert find_origin(("models", "operator", "api_key"), layers) == "default"


def test_what_is_named_again_stays_and_what_is_said_beside_it_counts(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(FILE_MODEL.format(more="free = true"))
    same = load({"models": {"operator": {"model": "small", "base_url": "http://127.0.0.1:8000/v1/"}}}).models.operator
    assert same
    assert (same.free, read_key(same).get_secret_value()) == (True, "sk-of-8000")
    monkeypatch.setenv("DESKHAND_MODELS__OPERATOR__API_KEY", "sk-for-now")
    monkeypatch.setenv("DESKHAND_MODELS__OPERATOR__PRICE__INPUT", "1")
    monkeypatch.setenv("DESKHAND_MODELS__OPERATOR__PRICE__OUTPUT", "2")
    other = load({"models": {"operator": {"base_url": "https://models.example/v1"}}}).models.operator
    assert other
    assert other.price
    assert (other.price.input, read_key(other).get_secret_value()) == (1, "sk-for-now")


def test_an_anthropic_model_in_the_file_does_not_make_another_endpoint_speak_its_language(file: Path) -> None:
    file.write_text('[models.operator]\nprovider = "anthropic"\nmodel = "claude"\n')
    named = {"model": "local", "base_url": "http://127.0.0.1:8000/v1"}
    operator = load({"models": {"operator": named}}).models.operator
    assert operator
    assert operator.provider == "openai-compatible"
