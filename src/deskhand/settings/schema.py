"""One typed tree of all settings with their defaults. Loading them is `load`'s work."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from deskhand.settings import site_lists
from deskhand.settings.environment import home_folder
from deskhand.settings.layers import Tree


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SettleSettings(_Section):
    """When a screen counts as still."""

    max_wait_ms: Annotated[int, Field(ge=0, le=120_000)] = 3000
    # After an app or an address was opened, while one large change follows the other.
    max_opening_ms: Annotated[int, Field(ge=0, le=600_000)] = 15_000
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
    # A screen without push signals is looked at this often while nothing happens. Not a multiple of a caret's half
    # period (500 or 530 ms), or its blinking would never be seen.
    tick_ms: Annotated[int, Field(ge=50, le=60_000)] = 700


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
    # How often a stuck worker is corrected before it is started anew.
    max_stuck_retries: Annotated[int, Field(ge=0, le=20)] = 2
    # The newest reports of the inner loop that a planner is told.
    feedback: Annotated[int, Field(ge=1, le=20)] = 2
    # Without any event, the rules are asked at least this often.
    tick_ms: Annotated[int, Field(ge=10, le=600_000)] = 2000


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


def in_one_line(value: Any) -> Any:
    """From the environment and the command line a list comes as one line with commas."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


Permission = Literal["allow", "ask", "deny"]


Names = tuple[Annotated[str, Field(min_length=1, max_length=300)], ...]


class PolicySettings(_Section):
    """What may be done without asking, by its risk; code, sites and apps. Where nobody can be asked, `ask` is a no.

    With an allow-list everything that is not on it is refused; a deny-list holds in any case. docs/policy.md has more.
    """

    look: Permission = "allow"
    reversible: Permission = "allow"
    irreversible: Permission = "ask"
    run_code: Permission = "ask"
    sites_allow: Names = ()
    sites_deny: Names = ()
    apps_allow: Names = ()
    apps_deny: Names = ()

    @field_validator("sites_allow", "sites_deny", "apps_allow", "apps_deny", mode="before")
    @classmethod
    def _one_line(cls, value: Any) -> Any:
        return in_one_line(value)

    @field_validator("sites_allow", "sites_deny")
    @classmethod
    def _are_sites(cls, entries: tuple[str, ...]) -> tuple[str, ...]:
        for entry in entries:
            site_lists.pattern(entry)
        return entries


class PromptMemorySettings(_Section):
    """Where prompts are kept by type of task. No path: `prompts.json` in the data folder."""

    path: Path | None = None


class PeopleSettings(_Section):
    """How long a person is waited for, and what counts as their answer to a risky action when none comes."""

    timeout_s: Annotated[float, Field(gt=0, le=604_800)] = 300.0
    on_timeout: Literal["deny", "allow"] = "deny"


class SecretsSettings(_Section):
    """Where the value of `{{secret:NAME}}` is kept: DESKHAND_SECRET_NAME, this file, the keyring under this name.

    No file: `secrets.toml` beside the settings file. No name: the keyring is not asked.
    """

    file: Path | None = None
    keyring: str = "deskhand"


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


class EndpointSettings(_Section):
    """One model at one endpoint; `free` declares that it costs nothing.

    `model` may carry its provider: `openai:gpt-5`.
    """

    provider: Provider = "openai-compatible"
    model: Annotated[str, Field(min_length=1)]
    base_url: str = ""
    api_key: SecretStr | None = None
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
        if self.base_url and not re.match(r"https?://[^/\s]", self.base_url):
            raise ValueError("a base_url begins with http:// or https://")
        return self


class ModelSettings(EndpointSettings):
    """The model of one role. Fallbacks speak the same dialect and are tried in order when it can't answer.

    `show` is what a step, or a deep check, is told with: the picture, the list of elements, or both. A light check gets
    a smaller picture and less room for its answer.
    """

    dialect: Literal["auto", "tools", "autoglm", "uitars", "anthropic-computer", "openai-computer"] = "auto"
    coordinates: Literal["auto", "pixels", "thousandths"] = "auto"
    vision: bool = True
    show: Literal["picture", "list", "both", "marks"] = "both"
    picture_side: Annotated[int, Field(ge=200, le=4096)] = 1280
    max_output_tokens: Annotated[int, Field(ge=64, le=200_000)] = 3000
    connect_timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    first_byte_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    total_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 110.0
    retries: Annotated[int, Field(ge=0, le=20)] = 3
    fallbacks: tuple[EndpointSettings, ...] = ()

    @model_validator(mode="after")
    def _can_speak(self) -> "ModelSettings":
        """A provider's own screen tool exists at that provider only."""
        for endpoint in (self, *self.fallbacks):
            anthropic = endpoint.provider == "anthropic"
            if self.dialect == "anthropic-computer" and not anthropic:
                raise ValueError(f'the dialect {self.dialect} needs provider = "anthropic" for {endpoint.model}')
            if self.dialect == "openai-computer" and anthropic:
                raise ValueError(f"the dialect {self.dialect} is not spoken by {endpoint.model} of anthropic")
        return self


class McpServerSettings(_Section):
    """An MCP server that is started by this command; all of its tools are offered."""

    command: Annotated[tuple[str, ...], Field(min_length=1)]


class ChatSettings(_Section):
    """Layered chat: how often the planner may call tools for one message, and how many steps each of its tasks has.

    `instructions` is a file in place of the planner's own; `tools` are Python functions, as `module:function`.
    Of the conversation so far the planner is told the newest `context_chars`.
    """

    max_turns: Annotated[int, Field(ge=1, le=1000)] = 50
    inner_steps: Annotated[int, Field(ge=1, le=1000)] = 5
    device_wait_s: Annotated[float, Field(ge=0, le=3600)] = 0.0
    instructions: Path | None = None
    tools: tuple[Annotated[str, Field(pattern=r"^[\w.]+:[\w.]+$")], ...] = ()
    mcp: tuple[McpServerSettings, ...] = ()
    tool_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    context_chars: Annotated[int, Field(ge=500, le=1_000_000)] = 24_000


class McpSettings(_Section):
    """Deskhand as an MCP server. Goals that come in there are a model's words, not the person's.

    `secrets` are those that such a goal may name.
    """

    secrets: Names = ()

    @field_validator("secrets", mode="before")
    @classmethod
    def _one_line(cls, value: Any) -> Any:
        return in_one_line(value)


class ServerSettings(_Section):
    """Where the server listens. Beyond this machine only with `expose`; `names` are further names it is called by.

    No token file: one in the data folder. After `wrong_tokens` wrong ones in a minute no more are looked at.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8765
    expose: bool = False
    names: tuple[str, ...] = ()
    token_file: Path | None = None
    wrong_tokens: Annotated[int, Field(ge=1, le=100_000)] = 20
    body_kb: Annotated[int, Field(ge=1, le=1_000_000)] = 1024


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


class Settings(_Section):
    """All settings with their defaults. Immutable: a running task keeps the ones it started with."""

    device: str = ""
    loop: Literal["dual", "single"] = "dual"
    data_dir: Path = Field(default_factory=lambda: home_folder("XDG_DATA_HOME", ".local/share"))
    time_limit_s: Annotated[float, Field(gt=0, le=604_800)] = 3600.0
    executor: ExecutorSettings = ExecutorSettings()
    settle: SettleSettings = SettleSettings()
    rules: RuleSettings = RuleSettings()
    gates: GateSettings = GateSettings()
    dispatcher: DispatcherSettings = DispatcherSettings()
    supplement: SupplementSettings = SupplementSettings()
    models: ModelsSettings = ModelsSettings()
    chat: ChatSettings = ChatSettings()
    server: ServerSettings = ServerSettings()
    mcp: McpSettings = McpSettings()
    budget: BudgetSettings = BudgetSettings()
    adb: AdbSettings = AdbSettings()
    browser: BrowserSettings = Field(default_factory=BrowserSettings)
    desktop: DesktopSettings = DesktopSettings()
    sandbox: SandboxSettings = SandboxSettings()
    policy: PolicySettings = PolicySettings()
    secrets: SecretsSettings = SecretsSettings()
    people: PeopleSettings = PeopleSettings()
    prompt_memory: PromptMemorySettings = PromptMemorySettings()
