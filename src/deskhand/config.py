"""One typed settings tree; the only reader of settings files and of the environment.

Command line > environment (`DESKHAND_SETTLE__MAX_WAIT_MS=…`) > file (TOML) > default.
"""

import os
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from deskhand.errors import ModelUnavailable, SettingsError


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SettleSettings(_Section):
    """When a screen counts as still."""

    max_wait_ms: Annotated[int, Field(ge=0, le=120_000)] = 3000
    interval_ms: Annotated[int, Field(ge=10, le=10_000)] = 200
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.02
    still_frames: Annotated[int, Field(ge=1, le=20)] = 2
    # How long quiet has to last where more is likely to come: nothing happened yet, an empty page, a page in pieces.
    patience_ms: Annotated[int, Field(ge=0, le=60_000)] = 850


class ExecutorSettings(_Section):
    """Limits of the inner loop."""

    max_steps: Annotated[int, Field(ge=1, le=10_000)] = 50
    max_failures: Annotated[int, Field(ge=1, le=100)] = 3
    decide_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0
    action_timeout_s: Annotated[float, Field(gt=0, le=600)] = 30.0
    history: Annotated[int, Field(ge=1, le=20)] = 8


class RuleSettings(_Section):
    """Thresholds of the rules that watch every step."""

    check_every: Annotated[int, Field(ge=1, le=1000)] = 5
    repeats: Annotated[int, Field(ge=2, le=100)] = 3
    subtask_steps: Annotated[int, Field(ge=1, le=1000)] = 10
    unchanged_screens: Annotated[int, Field(ge=1, le=100)] = 3
    failures: Annotated[int, Field(ge=1, le=100)] = 3
    steps_without_progress: Annotated[int, Field(ge=1, le=100)] = 5
    error_rate: Annotated[float, Field(gt=0, le=1)] = 0.5
    subtask_s: Annotated[float, Field(gt=0, le=86_400)] = 300.0


class GateSettings(_Section):
    """When the quality gate looks deeper than the rules can."""

    medium_error_rate: Annotated[float, Field(ge=0, le=1)] = 0.3


class DispatcherSettings(_Section):
    """Limits of the outer loop."""

    max_plans: Annotated[int, Field(ge=1, le=100)] = 10


class McpToolSettings(_Section):
    """A tool of an MCP server that is started by this command; the tool takes one text."""

    command: Annotated[tuple[str, ...], Field(min_length=1)]
    tool: Annotated[str, Field(min_length=1)]


class SupplementSettings(_Section):
    """Where materials for a task are looked up: files and folders, a SearXNG-compatible search, tools of MCP servers.

    A search or a tool has `timeout_s` to answer.
    """

    folders: tuple[Path, ...] = ()
    search_url: Annotated[str, Field(pattern=r"^(https?://\S+)?$")] = ""
    mcp: tuple[McpToolSettings, ...] = ()
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 20.0


class PolicySettings(_Section):
    """What may be done without asking. Where nobody can be asked, `ask` is a no."""

    run_code: Literal["allow", "ask"] = "ask"


class AdbSettings(_Section):
    """How phones are reached. No path: the adb inside the adbutils package, else the one on PATH."""

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65_535)] = 5037
    path: Path | None = None


class DesktopSettings(_Section):
    """The X display to work on: its name (`:1`), `own` for a private one; empty: the session's, else a private one.

    Width and height are those of a private display; an app has `app_timeout_s` to show its window.
    """

    display: str = ""
    width: Annotated[int, Field(ge=320, le=16_384)] = 1280
    height: Annotated[int, Field(ge=200, le=16_384)] = 800
    app_timeout_s: Annotated[float, Field(gt=0, le=300)] = 20.0


def session_environment() -> dict[str, str]:
    """What programs started by a device inherit: the environment without our own settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DESKHAND_")}


class BrowserSettings(_Section):
    """The browser that is started. No executable: the first Chromium or Chrome found; no profile: a throw-away one.

    With `cdp_url` none is started: the running one at that address is used.
    """

    cdp_url: str = ""
    executable: Path | None = None
    headless: bool = True
    profile: Path | None = None
    width: Annotated[int, Field(ge=200, le=7680)] = 1280
    height: Annotated[int, Field(ge=200, le=4320)] = 800
    scale: Annotated[float, Field(ge=1, le=3)] = 1.0
    downloads: Path = Field(default_factory=lambda: Path.home() / "Downloads")


class SandboxSettings(_Section):
    """Limits of the code that the technician writes. `network` is the host's own, its loopback included.

    `file_mb` bounds each file and the task's folder as a whole, `memory_mb` each process and all of them together.
    """

    allow_unsandboxed: bool = False
    network: bool = False
    time_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    memory_mb: Annotated[int, Field(ge=32, le=65_536)] = 1024
    output_kb: Annotated[int, Field(ge=1, le=1024)] = 8
    processes: Annotated[int, Field(ge=2, le=4096)] = 64
    file_mb: Annotated[int, Field(ge=1, le=65_536)] = 200


class PriceSettings(_Section):
    """US dollars for a million tokens."""

    input: Annotated[Decimal, Field(ge=0)]
    output: Annotated[Decimal, Field(ge=0)]


Provider = Literal["openai-compatible", "openai", "anthropic"]
_PROVIDERS: tuple[str, ...] = get_args(Provider)
_KEY_VARIABLES: dict[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


class EndpointSettings(_Section):
    """One model at one endpoint; `free` declares that it costs nothing.

    `model` may carry its provider: `openai:gpt-5`.
    """

    provider: Provider = "openai-compatible"
    model: Annotated[str, Field(min_length=1)]
    base_url: str = ""
    api_key_env: str = ""
    key_file: Path | None = None
    price: PriceSettings | None = None
    free: bool = False
    stream: bool = True

    @model_validator(mode="before")
    @classmethod
    def _provider_in_the_name(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        fields = cast("Tree", data)
        provider, _, model = str(fields.get("model", "")).partition(":")
        return {**fields, "provider": provider, "model": model} if model and provider in _PROVIDERS else fields

    @model_validator(mode="after")
    def _reachable(self) -> "EndpointSettings":
        if self.provider == "openai-compatible" and not self.base_url:
            raise ValueError("an openai-compatible model needs a base_url")
        return self


class ModelSettings(EndpointSettings):
    """The model of one role. Fallbacks speak the same dialect and are tried in order when it can't answer.

    `show` is what a step is told with: the picture, the numbered list of elements, or both.
    """

    dialect: Literal["auto", "tools", "autoglm", "uitars", "anthropic-computer", "openai-computer"] = "auto"
    coordinates: Literal["auto", "pixels", "thousandths"] = "auto"
    vision: bool = True
    show: Literal["picture", "list", "both"] = "both"
    picture_side: Annotated[int, Field(ge=200, le=4096)] = 1280
    max_output_tokens: Annotated[int, Field(ge=64, le=200_000)] = 3000
    connect_timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    first_byte_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    total_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 110.0
    retries: Annotated[int, Field(ge=0, le=20)] = 3
    fallbacks: tuple[EndpointSettings, ...] = ()


class ModelsSettings(_Section):
    """One model for each role; a role without one works offline, by rules."""

    manager: ModelSettings | None = None
    operator: ModelSettings | None = None
    technician: ModelSettings | None = None
    analyst: ModelSettings | None = None
    evaluator: ModelSettings | None = None
    assistant: ModelSettings | None = None


class BudgetSettings(_Section):
    """US dollars: the hard cap of a task, and the most that one operation of each tier may cost."""

    task: Annotated[Decimal, Field(ge=0)] = Decimal("1.00")
    low: Annotated[Decimal, Field(ge=0)] = Decimal("0.01")
    medium: Annotated[Decimal, Field(ge=0)] = Decimal("0.10")
    high: Annotated[Decimal, Field(ge=0)] = Decimal("1.00")


def read_key(endpoint: EndpointSettings) -> SecretStr:
    """The endpoint's key, from its file or its variable; empty where none is needed."""
    if endpoint.key_file:
        try:
            return SecretStr(endpoint.key_file.read_text(encoding="utf-8").strip())
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"The key file {endpoint.key_file} can't be read: {error}.") from None
    variable = endpoint.api_key_env or _KEY_VARIABLES.get(endpoint.provider, "")
    key = os.environ.get(variable, "").strip() if variable else ""
    if not key and (endpoint.api_key_env or (variable and not endpoint.base_url)):
        raise ModelUnavailable(
            f"There is no key for {endpoint.model}: set the variable {variable}, or name a key_file in its settings."
        )
    return SecretStr(key)


def _home(variable: str, fallback: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / fallback) / "deskhand"


class Settings(_Section):
    """All settings with their defaults. Immutable: a running task keeps the ones it started with."""

    device: str = ""
    data_dir: Path = Field(default_factory=lambda: _home("XDG_DATA_HOME", ".local/share"))
    time_limit_s: Annotated[float, Field(gt=0, le=604_800)] = 3600.0
    executor: ExecutorSettings = ExecutorSettings()
    settle: SettleSettings = SettleSettings()
    rules: RuleSettings = RuleSettings()
    gates: GateSettings = GateSettings()
    dispatcher: DispatcherSettings = DispatcherSettings()
    supplement: SupplementSettings = SupplementSettings()
    models: ModelsSettings = ModelsSettings()
    budget: BudgetSettings = BudgetSettings()
    adb: AdbSettings = AdbSettings()
    browser: BrowserSettings = Field(default_factory=BrowserSettings)
    desktop: DesktopSettings = DesktopSettings()
    sandbox: SandboxSettings = SandboxSettings()
    policy: PolicySettings = PolicySettings()


Tree = dict[str, Any]


def settings_file() -> Path:
    """Where the settings file is looked for: `DESKHAND_CONFIG`, else the user's config folder."""
    named = os.environ.get("DESKHAND_CONFIG")
    return Path(named) if named else _home("XDG_CONFIG_HOME", ".config") / "config.toml"


def load(overrides: Tree | None = None, file: Path | None = None) -> Settings:
    """Settings from all layers; raises SettingsError naming the key and where it was set."""
    file = file or settings_file()
    layers = {
        str(file): _from_file(file),
        "the environment": _from_environment(),
        "the command line": overrides or {},
    }
    merged: Tree = {}
    for layer in layers.values():
        merged = _merge(merged, layer)
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise SettingsError(_explain(error, layers)) from None


def _from_file(file: Path) -> Tree:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The settings file {file} can't be read: {error}.") from None


def _from_environment() -> Tree:
    tree: Tree = {}
    for name, value in os.environ.items():
        if name.startswith("DESKHAND_") and name != "DESKHAND_CONFIG":
            node: Tree = {}
            *path, leaf = name.removeprefix("DESKHAND_").lower().split("__")
            node[leaf] = value
            for part in reversed(path):
                node = {part: node}
            tree = _merge(tree, node)
    return tree


def _merge(base: Tree, over: Tree) -> Tree:
    merged = dict(base)
    for key, value in over.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value  # pyright: ignore[reportUnknownArgumentType] the trees are untyped input until validated
    return merged


def _explain(error: ValidationError, layers: dict[str, Tree]) -> str:
    first = error.errors(include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    where = next((name for name, tree in reversed(layers.items()) if _has(tree, path)), "the settings")
    key = ".".join(path)
    if first["type"] == "extra_forbidden":
        return f"Unknown setting {key!r} in {where}: remove it or correct its spelling."
    return f"Bad value for {key!r} in {where}: {first['msg']}."


def _has(tree: Any, path: list[str]) -> bool:
    for part in path:
        if not isinstance(tree, dict) or part not in tree:
            return False
        tree = tree[part]  # pyright: ignore[reportUnknownVariableType] untyped input, as above
    return True
