"""One typed tree of all settings with their defaults. The text under a field describes it to users.

`load` reads the values, `explain` lists them with these descriptions.
"""

import re
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, model_validator

from deskhand.settings import site_lists
from deskhand.settings.environment import find_user_folder
from deskhand.settings.layers import SettingsTree
from deskhand.settings.site_login import LoginSettings as LoginSettings


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SettleSettings(_Section):
    """The wait for a still screen after an action."""

    max_wait_ms: Annotated[int, Field(ge=0, le=120_000)] = 3000
    """Longest wait for a still screen, in milliseconds."""
    max_opening_ms: Annotated[int, Field(ge=0, le=600_000)] = 15_000
    """Longest wait after opening an app or an address while large changes follow each other, in milliseconds."""
    interval_ms: Annotated[int, Field(ge=10, le=10_000)] = 200
    """Time without a change that makes a screen still, in milliseconds."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.02
    """Share of the pixels that must change to start the wait again; smaller changes are a clock or a caret."""
    still_frames: Annotated[int, Field(ge=1, le=20)] = 2
    """Number of equal frames that make a still screen."""
    patience_ms: Annotated[int, Field(ge=0, le=60_000)] = 850
    """Time without a change where more is likely to come, in milliseconds: nothing has happened yet,
    the page is empty, or it loads in pieces."""


class ExecutorSettings(_Section):
    """Limits of the inner loop, which observes, decides and acts."""

    max_steps: Annotated[int, Field(ge=1, le=10_000)] = 50
    """Most steps of one task."""
    max_failures: Annotated[int, Field(ge=1, le=100)] = 3
    """Number of failed steps in a row that end a subtask."""
    decide_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 120.0
    """Time that a worker has for one decision, in seconds; model calls and their retries end before it."""
    action_timeout_s: Annotated[float, Field(gt=0, le=600)] = 30.0
    """Time that a device has for one action, in seconds."""
    history: Annotated[int, Field(ge=1, le=20)] = 8
    """Number of past steps that a worker is told."""
    tick_ms: Annotated[int, Field(ge=50, le=60_000)] = 700
    """Time between two captures of an idle screen without push signals, in milliseconds. The default is no multiple
    of a caret's half period (500 or 530 ms), at which blinking would never be seen."""


class RuleSettings(_Section):
    """Thresholds of the rules that watch every step."""

    check_every: Annotated[int, Field(ge=1, le=1000)] = 5
    """Number of steps of a subtask between two quality checks."""
    repeats: Annotated[int, Field(ge=2, le=100)] = 3
    """Number of equal actions in a row after which the work is checked."""
    subtask_steps: Annotated[int, Field(ge=1, le=1000)] = 10
    """Number of steps of a subtask after which the work is checked."""
    give_up_steps: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """Number of steps of a subtask after which a check without a model gives it up, so that the plan is changed;
    if not set, only `executor.max_steps` ends it."""
    unchanged_screens: Annotated[int, Field(ge=1, le=100)] = 3
    """Number of steps in a row that leave the screen unchanged after which the work is checked."""
    failures: Annotated[int, Field(ge=1, le=100)] = 3
    """Number of failed steps in a row after which the plan is changed."""
    steps_without_progress: Annotated[int, Field(ge=1, le=100)] = 5
    """Number of steps in a row that leave the screen unchanged after which the plan is changed."""
    error_rate: Annotated[float, Field(gt=0, le=1)] = 0.5
    """Share of failed actions in a subtask above which the work is checked."""
    subtask_s: Annotated[float, Field(gt=0, le=86_400)] = 300.0
    """Duration of a subtask after which the work is checked, in seconds."""


class GateSettings(_Section):
    """Conditions under which the quality gate looks closer."""

    medium_error_rate: Annotated[float, Field(ge=0, le=1)] = 0.3
    """Share of failed actions above which a periodic check is done at medium depth instead of low."""


class DispatcherSettings(_Section):
    """Limits of the outer loop, which plans and supervises."""

    max_plans: Annotated[int, Field(ge=1, le=100)] = 10
    """Most plans of one task."""
    max_stuck_retries: Annotated[int, Field(ge=0, le=20)] = 2
    """Number of corrections of a stuck worker before its subtask is started again."""
    feedback: Annotated[int, Field(ge=1, le=20)] = 2
    """Number of the newest reports of the inner loop that a planner is told."""
    tick_ms: Annotated[int, Field(ge=10, le=600_000)] = 2000
    """Time between two checks of the rules when no event comes, in milliseconds."""


class McpToolSettings(_Section):
    """A tool of an MCP server that takes one text."""

    command: Annotated[tuple[str, ...], Field(min_length=1)]
    """Command that starts the MCP server."""
    tool: Annotated[str, Field(min_length=1)]
    """Name of the tool."""


class SupplementSettings(_Section):
    """Sources in which material for a task is looked up."""

    folders: tuple[Path, ...] = ()
    """Files and folders to search."""
    search_url: Annotated[str, Field(pattern=r"^(https?://\S+)?$")] = ""
    """Address of a SearXNG-compatible search; empty for none."""
    mcp: tuple[McpToolSettings, ...] = ()
    """Tools of MCP servers to ask."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 20.0
    """Time that a search or a tool has to answer, in seconds."""


def split_list(value: Any) -> Any:
    """Split a list that comes as one line with commas, as from the environment and the command line."""
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


def check_sites(entries: tuple[str, ...]) -> tuple[str, ...]:
    for entry in entries:
        site_lists.parse_pattern(entry)
    return entries


Permission = Literal["allow", "ask", "deny"]
Names = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=300)], ...], BeforeValidator(split_list)]
Sites = Annotated[Names, AfterValidator(check_sites)]


class PolicySettings(_Section):
    """Actions that need no approval. If nobody can be asked, `ask` means no. See policy.md."""

    look: Permission = "allow"
    """Actions that change nothing, such as scrolling, going back, waiting."""
    reversible: Permission = "allow"
    """Actions that can be undone, such as clicking, typing, opening an app or an address."""
    irreversible: Permission = "ask"
    """Actions that can't be undone, such as sending, paying, deleting, publishing."""
    run_code: Permission = "ask"
    """Running code in the sandbox."""
    sites_allow: Sites = ()
    """Sites that may be opened; when set, all others are blocked."""
    sites_deny: Sites = ()
    """Sites that are blocked in any case."""
    apps_allow: Names = ()
    """Apps that may be opened; when set, all others are blocked."""
    apps_deny: Names = ()
    """Apps that are blocked in any case."""


class PromptMemorySettings(_Section):
    """Prompts learned by type of task."""

    path: Path | None = None
    """File that holds them; `prompts.json` in the data folder if not set."""


class PeopleSettings(_Section):
    """Questions to the user."""

    timeout_s: Annotated[float, Field(gt=0, le=604_800)] = 300.0
    """Time that the user has for an answer, in seconds."""
    on_timeout: Literal["deny", "allow"] = "deny"
    """Verdict on a request for approval that got no answer in time."""


class SecretsSettings(_Section):
    """Places in which the value of `{{secret:NAME}}` is looked up, after the variable DESKHAND_SECRET_NAME.
    See secrets.md."""

    file: Path | None = None
    """TOML file with NAME = "value" lines, readable by its owner only; `secrets.toml` beside the settings file if not
    set."""
    keyring: str = "deskhand"
    """Service name in the system's keyring; empty to leave the keyring alone."""


class AdbSettings(_Section):
    """The adb server through which phones are reached."""

    host: str = "127.0.0.1"
    """Host of the adb server; ADB_SERVER_SOCKET and ANDROID_ADB_SERVER_ADDRESS are honoured."""
    port: Annotated[int, Field(ge=1, le=65_535)] = 5037
    """Port of the adb server; ADB_SERVER_SOCKET and ANDROID_ADB_SERVER_PORT are honoured."""
    path: Path | None = None
    """The adb program; the one inside the adbutils package, else the one on PATH, if not set."""


class SimphoneSettings(_Section):
    """The simulated phone."""

    locale: Literal["auto", "zh", "en"] = "auto"
    """Language of its screens; `auto`: Chinese if the goal has Chinese words, else English, unless the language was
    changed on the phone itself."""
    skin: Literal["stock", "maker", "wheels"] = "stock"
    """Maker whose Android it has: packages, ids, app drawer, dialogs, and a dial or wheels for times."""


class DesktopSettings(_Section):
    """The X display to work on."""

    display: str = ""
    """Name of the display (`:1`), or `own` for a private one; empty for the session's, else a private one."""
    width: Annotated[int, Field(ge=320, le=16_384)] = 1280
    """Width of a private display, in pixels."""
    height: Annotated[int, Field(ge=200, le=16_384)] = 800
    """Height of a private display, in pixels."""
    app_timeout_s: Annotated[float, Field(gt=0, le=300)] = 25.0
    """Time that an app has to show its window, in seconds."""


class BrowserSettings(_Section):
    """The browser to work in."""

    cdp_url: str = ""
    """DevTools address of a running browser; empty to start one."""
    executable: Path | None = None
    """The browser program; the first Chromium or Chrome found if not set."""
    headless: bool = True
    """Start the browser without a window."""
    profile: Path | None = None
    """Folder of the browser's profile; a temporary one if not set."""
    width: Annotated[int, Field(ge=200, le=7680)] = 1280
    """Width of the page, in CSS pixels."""
    height: Annotated[int, Field(ge=200, le=4320)] = 800
    """Height of the page, in CSS pixels."""
    scale: Annotated[float, Field(ge=1, le=3)] = 1.0
    """Device pixels for one CSS pixel."""
    page_timeout_s: Annotated[float, Field(ge=1, le=60)] = 8.0
    """Time that a page has to respond, in seconds; a task on a page that does not ends."""
    downloads: Path = Field(default_factory=lambda: Path.home() / "Downloads")
    """Folder for downloads."""
    logins: tuple[LoginSettings, ...] = ()
    """Sites that ask for a user name and a password by HTTP authentication."""


class SandboxSettings(_Section):
    """Limits of the code that the technician runs."""

    allow_unsandboxed: bool = False
    """Run code without a sandbox where bubblewrap is not installed."""
    network: bool = False
    """Give code the host's network, its loopback included."""
    time_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """Longest run of one piece of code, in seconds."""
    memory_mb: Annotated[int, Field(ge=32, le=65_536)] = 1024
    """Most memory of each process, and of all of them together, in megabytes."""
    output_kb: Annotated[int, Field(ge=1, le=1024)] = 8
    """Most output that is kept, in kilobytes."""
    processes: Annotated[int, Field(ge=2, le=4096)] = 64
    """Most processes at a time."""
    file_mb: Annotated[int, Field(ge=1, le=65_536)] = 200
    """Largest size of each file, and of the task's folder as a whole, in megabytes."""


class PriceSettings(_Section):
    """The price of a model's tokens."""

    input: Annotated[Decimal, Field(ge=0)]
    """US dollars for a million input tokens."""
    output: Annotated[Decimal, Field(ge=0)]
    """US dollars for a million output tokens."""


Provider = Literal["openai-compatible", "openai", "anthropic"]


_PROVIDERS: tuple[str, ...] = get_args(Provider)


class EndpointSettings(_Section):
    """One model at one endpoint."""

    provider: Provider = "openai-compatible"
    """Provider whose API the endpoint speaks."""
    model: Annotated[str, Field(min_length=1)]
    """Name of the model; may begin with its provider: `openai:gpt-5`."""
    base_url: str = ""
    """Address of the API; needed for openai-compatible ones, the provider's own otherwise."""
    api_key: SecretStr | None = None
    """The key itself; api_key_env or key_file keep it out of the settings file."""
    api_key_env: str = ""
    """Environment variable that holds the key; OPENAI_API_KEY or ANTHROPIC_API_KEY, by provider, if empty."""
    key_file: Path | None = None
    """File that holds the key."""
    price: PriceSettings | None = None
    """Price of the model's tokens, where it is not known or not the list price. A model on this machine or in a private
    network costs nothing unless this is set."""
    free: bool = False
    """Declare that the model costs nothing."""
    stream: bool = True
    """Receive the reply as it is written."""

    @model_validator(mode="before")
    @classmethod
    def _split_provider(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        fields = cast("SettingsTree", data)
        provider, _, model = str(fields.get("model", "")).partition(":")
        return {**fields, "provider": provider, "model": model} if model and provider in _PROVIDERS else fields

    @model_validator(mode="after")
    def _check_address(self) -> "EndpointSettings":
        if self.provider == "openai-compatible" and not self.base_url:
            raise ValueError("an openai-compatible model needs a base_url")
        if self.base_url and not re.match(r"https?://[^/\s]", self.base_url):
            raise ValueError("a base_url begins with http:// or https://")
        return self


class ModelSettings(EndpointSettings):
    """The model of one role."""

    dialect: Literal["auto", "tools", "autoglm", "uitars", "anthropic-computer", "openai-computer"] = "auto"
    """Format in which the model is asked for actions; `auto` chooses by the model's name."""
    coordinates: Literal["auto", "pixels", "thousandths"] = "auto"
    """Scale of the points that the model answers with; `auto` is the dialect's."""
    vision: bool = True
    """The model can see pictures."""
    show: Literal["picture", "list", "both", "marks"] = "both"
    """Parts of the screen that the model is shown: the picture, the list of elements, both, or both with numbers
    drawn on the picture."""
    picture_side: Annotated[int, Field(ge=200, le=4096)] = 1280
    """Longest side of a picture, in pixels; a light quality check gets a smaller one."""
    max_output_tokens: Annotated[int, Field(ge=64, le=200_000)] = 3000
    """Most tokens of one reply; a light quality check gets fewer."""
    connect_timeout_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    """Time to connect, in seconds."""
    first_byte_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """Time to the first byte of a reply, in seconds."""
    total_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 110.0
    """Time to the end of a reply, in seconds."""
    retries: Annotated[int, Field(ge=0, le=20)] = 3
    """Number of times that a failed request is sent again."""
    fallbacks: tuple[EndpointSettings, ...] = ()
    """Endpoints that are tried in order when this one fails; they use the same dialect
    and have the settings from `provider` to `stream`."""

    @model_validator(mode="after")
    def _check_dialect(self) -> "ModelSettings":
        """Check the dialect: a provider's own screen tool exists at that provider only."""
        for endpoint in (self, *self.fallbacks):
            anthropic = endpoint.provider == "anthropic"
            if self.dialect == "anthropic-computer" and not anthropic:
                raise ValueError(f'the dialect {self.dialect} needs provider = "anthropic" for {endpoint.model}')
            if self.dialect == "openai-computer" and anthropic:
                raise ValueError(f"the dialect {self.dialect} is not supported by {endpoint.model} of anthropic")
        return self


class McpServerSettings(_Section):
    """An MCP server whose tools are all offered."""

    command: Annotated[tuple[str, ...], Field(min_length=1)]
    """Command that starts the MCP server."""


class ChatSettings(_Section):
    """Layered chat: a model that talks with the user and gives tasks to devices."""

    max_turns: Annotated[int, Field(ge=1, le=1000)] = 50
    """Most model replies for one message of the user."""
    inner_steps: Annotated[int, Field(ge=1, le=1000)] = 5
    """Most steps of each task that the model starts."""
    device_wait_s: Annotated[float, Field(ge=0, le=3600)] = 0.0
    """Longest wait for a busy device, in seconds."""
    instructions: Path | None = None
    """File with the system prompt that replaces the built-in one. Relative paths start at the settings file."""
    tools: tuple[Annotated[str, Field(pattern=r"^[\w.]+:[\w.]+$")], ...] = ()
    """Python functions that the model may call, as `module:function`."""
    mcp: tuple[McpServerSettings, ...] = ()
    """MCP servers whose tools the model may call."""
    tool_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    """Time that a tool has to answer, in seconds."""
    context_chars: Annotated[int, Field(ge=500, le=1_000_000)] = 24_000
    """Most characters of the conversation that the model is told; the newest come first."""


class McpSettings(_Section):
    """Deskhand as an MCP server. A goal that comes from there was written by a model, not by the user."""

    secrets: Names = ()
    """Secrets that such a goal may name."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8766
    """Port of `deskhand mcp --http`; 0 for any free one. Everything else is as in `server`."""


class ServerSettings(_Section):
    """The HTTP server."""

    host: str = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8765
    """Port to listen on; 0 for any free one."""
    expose: bool = False
    """Accept connections from other machines."""
    names: tuple[str, ...] = ()
    """Further host names under which the server may be called."""
    token_file: Path | None = None
    """File that holds the access token; one in the data folder if not set."""
    wrong_tokens: Annotated[int, Field(ge=1, le=100_000)] = 20
    """Most wrong tokens a minute; further ones are answered with 429. The right token always works."""
    body_kb: Annotated[int, Field(ge=1, le=1_000_000)] = 1024
    """Largest body of a request, in kilobytes."""
    connections: Annotated[int, Field(ge=4, le=100_000)] = 512
    """Most connections at once; fewer where the process has few file descriptors. Idle ones make room."""
    session_hours: Annotated[float, Field(gt=0, le=24 * 366)] = 24.0
    """Time that a browser stays logged in, in hours."""


# The role whose model `--model` names: it works the screen.
COMMAND_LINE_ROLE = "operator"


class ModelsSettings(_Section):
    """One model for each role. A role without a model works offline, by rules."""

    manager: ModelSettings | None = None
    """Plans tasks."""
    operator: ModelSettings | None = None
    """Works the screen."""
    technician: ModelSettings | None = None
    """Writes code that runs in the sandbox."""
    analyst: ModelSettings | None = None
    """Works on text and answers questions without acting."""
    evaluator: ModelSettings | None = None
    """Checks the quality of the work."""
    assistant: ModelSettings | None = None
    """Talks with the user in layered chat."""


class BudgetSettings(_Section):
    """Limits of what model calls may cost."""

    task: Annotated[Decimal, Field(ge=0)] = Decimal("1.00")
    """Most that a task may cost, in US dollars."""
    low: Annotated[Decimal, Field(ge=0)] = Decimal("0.01")
    """Most that one operation of the low tier may cost, in US dollars."""
    medium: Annotated[Decimal, Field(ge=0)] = Decimal("0.10")
    """Most that one operation of the medium tier may cost, in US dollars."""
    high: Annotated[Decimal, Field(ge=0)] = Decimal("1.00")
    """Most that one operation of the high tier may cost, in US dollars."""


class Settings(_Section):
    """All settings with their defaults. Immutable: a running task keeps the ones it started with."""

    device: str = ""
    """Device to work on, as listed by `deskhand devices`; empty for the simulated phone."""
    loop: Literal["dual", "single"] = "dual"
    """`dual` plans and supervises; `single` lets one worker pursue the goal alone."""
    data_dir: Path = Field(default_factory=lambda: find_user_folder("XDG_DATA_HOME", ".local/share"))
    """Folder for the journal, pictures and files of tasks."""
    time_limit_s: Annotated[float, Field(gt=0, le=604_800)] = 3600.0
    """Longest duration of a task, in seconds."""
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
    simphone: SimphoneSettings = SimphoneSettings()
    browser: BrowserSettings = Field(default_factory=BrowserSettings)
    desktop: DesktopSettings = DesktopSettings()
    sandbox: SandboxSettings = SandboxSettings()
    policy: PolicySettings = PolicySettings()
    secrets: SecretsSettings = SecretsSettings()
    people: PeopleSettings = PeopleSettings()
    prompt_memory: PromptMemorySettings = PromptMemorySettings()


def section_below(section: type[BaseModel], name: str) -> type[BaseModel] | None:
    """Return the section that a field holds, alone or in a list."""
    annotation: Any = section.model_fields[name].annotation
    kinds = (annotation, *get_args(annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
