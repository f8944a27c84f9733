"""Every command with its options and help. What a command does is imported when it is called, so help is instant."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any

import typer

from deskhand import __version__
from deskhand.simphone.conditions import CONDITIONS
from deskhand.simphone.skin import SKINS

app = typer.Typer(
    name="deskhand",
    help="Carry out a goal, given in plain words, on the screen of a browser, a desktop or a phone.",
    epilog="Exit codes: 0 fulfilled · 1 rejected · 2 usage, settings or data folder · 3 device · 4 model · "
    "5 budget · 130 stopped.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

DeviceOption = Annotated[
    str,
    typer.Option(
        "--device",
        "-d",
        help="Device to use: sim, android:SERIAL, browser, desktop or a URL; `deskhand devices` lists them.",
    ),
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="The id of a run, or how it begins; `last` for the newest.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON object at the end, and nothing else, on standard output.")
]


def _run_command(work: Coroutine[Any, Any, int], *, as_json: bool = False) -> None:
    from deskhand.cli.command_runner import run_loop

    run_loop(work, as_json=as_json)


@app.callback(invoke_without_command=True)
def root(version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False) -> None:
    if version:
        typer.echo(f"deskhand {__version__}")
        raise typer.Exit


MaxStepsOption = Annotated[int | None, typer.Option(min=1, help="Stop after this many steps.")]
WaitOption = Annotated[float, typer.Option(min=0, help="Seconds to wait for a busy device.")]
ModelOption = Annotated[
    str,
    typer.Option(
        "--model",
        "--model-name",
        help="Model that works the screen: NAME with --base-url, or openai:NAME, anthropic:NAME.",
    ),
]
BaseUrlOption = Annotated[str, typer.Option(help="Address of an OpenAI-compatible endpoint for --model.")]
FreeOption = Annotated[bool, typer.Option("--free", help="The model costs nothing (a local endpoint).")]
CodeOption = Annotated[bool, typer.Option("--allow-code", help="Run code in the sandbox without asking for approval.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Approve beforehand what can't be undone: send, pay, delete.")]
BudgetOption = Annotated[float | None, typer.Option(min=0, help="Most that the task may cost, in US dollars.")]


@app.command()
def run(
    goal: Annotated[str, typer.Argument(help='What to do, in plain words: "Open Settings, turn on Wi-Fi".')],
    device: DeviceOption = "",
    url: Annotated[str, typer.Option(help="Open this page first (browser and phone).")] = "",
    cdp_url: Annotated[str, typer.Option(help="Attach to the running browser at this DevTools address.")] = "",
    model: ModelOption = "",
    base_url: BaseUrlOption = "",
    free: FreeOption = False,
    budget: BudgetOption = None,
    allow_code: CodeOption = False,
    yes: YesOption = False,
    max_steps: MaxStepsOption = None,
    loop: Annotated[
        str, typer.Option(help="dual: plan, check and replan; single: the worker alone. Default: as in the settings.")
    ] = "",
    wait: WaitOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Carry out a goal. The device is --device, else the one in the settings, else a simulated phone.

    While it runs, type on the terminal: an answer to a question, "also …" or other words for the task,
    pause, resume, take over, hand back, stop.
    """
    from deskhand.cli.run_goal import SettingOptions, TaskOptions, run_goal

    settings = SettingOptions(model, base_url, free, cdp_url, budget, allow_code, yes)
    work = run_goal(goal, TaskOptions(device, url, loop, max_steps, wait), settings, as_json)
    _run_command(work, as_json=as_json)


@app.command()
def resume(
    run_id: RunArgument,
    device: DeviceOption = "",
    model: ModelOption = "",
    base_url: BaseUrlOption = "",
    free: FreeOption = False,
    budget: BudgetOption = None,
    allow_code: CodeOption = False,
    yes: YesOption = False,
    max_steps: Annotated[int | None, typer.Option(min=1, help="Stop after this many more steps.")] = None,
    wait: WaitOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Continue a run that was stopped, crashed or spent its budget, from where it was."""
    from deskhand.cli.run_goal import SettingOptions, TaskOptions, resume_run

    settings = SettingOptions(model, base_url, free, "", budget, allow_code, yes)
    work = resume_run(run_id, TaskOptions(device, max_steps=max_steps, wait_s=wait), settings, as_json)
    _run_command(work, as_json=as_json)


@app.command()
def explain(
    goal: Annotated[str, typer.Argument(help='A goal in plain words: "turn Bluetooth on and Wi-Fi off".')],
    as_json: JsonOption = False,
) -> None:
    """Print how a goal is read without a model, and do nothing. Exit code 0: every word is understood; 1: not."""
    from deskhand.cli.goal_reading import explain_reading

    _run_command(explain_reading(goal, as_json), as_json=as_json)


@app.command()
def devices(as_json: JsonOption = False) -> None:
    """List the devices that are there, and their state."""
    from deskhand.cli.devices import list_devices

    _run_command(list_devices(as_json), as_json=as_json)


@app.command()
def runs(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many to list.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List finished and unfinished runs, newest first."""
    from deskhand.cli.history import list_runs

    _run_command(list_runs(limit, as_json), as_json=as_json)


@app.command()
def show(
    run_id: RunArgument,
    frames: Annotated[bool, typer.Option("--frames", help="Also the file of each picture.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a run step by step: what was decided and done, and how it ended."""
    from deskhand.cli.history import show_run

    _run_command(show_run(run_id, as_json, frames), as_json=as_json)


@app.command()
def delete(
    run_id: Annotated[
        str, typer.Argument(metavar="[RUN]", help="The id of a run, or how it begins; `last` for the newest.")
    ] = "",
    session: Annotated[str, typer.Option(help="Delete this conversation of `deskhand chat` or the server.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Delete a run with its pictures, or a conversation with its runs. It can't be undone."""
    from deskhand.cli.delete import delete_data

    _run_command(delete_data(run_id, session, as_json), as_json=as_json)


@app.command()
def simphone(
    port: Annotated[int, typer.Option(min=0, max=65_535, help="TCP port on 127.0.0.1; 0 for a free one.")] = 5600,
    condition: Annotated[
        list[str] | None,
        typer.Option(help=f"Simulate trouble; may be repeated. One of: {', '.join(CONDITIONS)}."),
    ] = None,
    locale: Annotated[
        str, typer.Option(help="Language of its screens: zh or en; that of the skin if not set.", show_default=False)
    ] = "",
    skin: Annotated[
        str, typer.Option(help=f"Whose Android it is: launcher, dialogs, time pickers. One of: {', '.join(SKINS)}.")
    ] = "stock",
    view: Annotated[
        bool, typer.Option("--view", help="Show its screen on a page of 127.0.0.1, to see and touch it.")
    ] = False,
) -> None:
    """Run a simulated Android phone that the real adb can connect to, until Ctrl-C."""
    from deskhand.cli.simphone import run_phone

    _run_command(run_phone(port, condition or [], locale, skin, view=view))


@app.command()
def doctor(
    models: Annotated[bool, typer.Option("--models", help="Also make one cheap request to each model.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Check what is installed, reachable and usable, and say how to fix the rest."""
    from deskhand.cli.doctor import run_doctor

    _run_command(run_doctor(models, as_json), as_json=as_json)


@app.command()
def model_server(
    script: Annotated[Path, typer.Option(help="File with the replies, in order, as JSON or TOML.")],
    port: Annotated[int, typer.Option(min=0, max=65_535, help="TCP port on 127.0.0.1; 0 for a free one.")] = 0,
) -> None:
    """Serve scripted replies like a model, to test a set-up at no cost."""
    from deskhand.cli.serve_model import serve_model

    _run_command(serve_model(script, port))


@app.command()
def bench(
    suite: Annotated[list[str] | None, typer.Argument(help="Suites to run. Default: all.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for charts and raw numbers.")] = Path("bench/out"),
    as_json: JsonOption = False,
) -> None:
    """Measure speed and memory on this machine, with charts."""
    from deskhand.cli.bench import run_bench

    _run_command(run_bench(suite or [], out, as_json), as_json=as_json)


@app.command()
def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen at. Default: server.host of the settings, 127.0.0.1.")
    ] = "",
    port: Annotated[int | None, typer.Option(min=0, max=65_535, help="TCP port; 0 for a free one.")] = None,
    expose: Annotated[bool, typer.Option("--expose", help="Allow an address that other machines can reach.")] = False,
) -> None:
    """Serve the HTTP API (layered chat, tasks, devices) until Ctrl-C; see docs/server.md."""
    from deskhand.cli.serve_api import serve_api

    _run_command(serve_api(host, port, expose))


@app.command()
def chat(
    message: Annotated[str, typer.Argument(help="One message. Without it: a conversation in the terminal.")] = "",
    device: DeviceOption = "",
    session: Annotated[str, typer.Option(help="Name of the conversation to continue or to begin.")] = "",
    as_json: JsonOption = False,
) -> None:
    """Talk to an assistant that works one device or several for you."""
    from deskhand.cli.chat import run_chat

    _run_command(run_chat(message, device, session, as_json), as_json=as_json)


@app.command()
def mcp(
    http: Annotated[
        bool, typer.Option("--http", help="Use streamable HTTP instead of standard input and output.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="With --http: TCP port; 0 for a free one.")
    ] = None,
) -> None:
    """Offer devices and tasks to an MCP client (an assistant, an editor); see docs/mcp.md."""
    from deskhand.cli.mcp import serve_mcp

    _run_command(serve_mcp(http, port))


config_app = typer.Typer(help="Show the settings and where they come from.", no_args_is_help=True)
app.add_typer(config_app, name="config")


@config_app.command("show")
def config_show(
    every: Annotated[bool, typer.Option("--all", help="Also the defaults, and what each setting does.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show each setting, its value and where that comes from; keys are masked."""
    from deskhand.cli.config import show_settings

    _run_command(show_settings(every, as_json), as_json=as_json)
