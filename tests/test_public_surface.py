"""What users import: exactly these names, cheap to import, and the only ones that the documentation uses."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from deskhand import Deskhand, Task
from tests.test_docs import programs

ROOT = Path(__file__).parent.parent

SURFACE = {
    "deskhand": "Deskhand Rule Settings Task TaskState TaskStatus __version__ errors load",
    "deskhand.errors": """
        ActionFailed AppFrozen AppNotFound BadFrame BudgetSpent DeskhandError DeviceBusy DeviceError DeviceFault
        DeviceGone
        DeviceLocked DeviceOffline DeviceRestarted DeviceSetup DeviceTimeout DeviceUnauthorized DeviceUnusable
        JournalError LookupFailed ModelFault ModelUnavailable NoElements NoPlan NotPossible SettingsError TaskBusy
        TextNotTyped UnknownDevice Unparsable UsageError
    """,
    "deskhand.actions": """
        Action ActionKind Answer Back Click DoubleClick Drag Home Hotkey Key LongPress Memorize MiddleClick Move
        ManageWindow OpenApp OpenUrl RightClick RunCode Scroll Swipe SwitchWindow TakeOver Type Wait
        describe parse_action
    """,
    "deskhand.events": """
        ActionEnded ActionIntended Answered ArtifactKept Billed CommandTaken Corrected Decided EndCause Event
        ExecutorChanged GateClosed GateOpened LoopMode Memorized Observed PlanMade QueueFlushed Record Released
        Reserved Ruled Settled SituationChanged StepFinished SubtaskEnded SubtaskStarted Supplemented TaskCreated
        TaskEnded TaskResumed TaskSummary TodoEdited Unreadable UserActed UserAsked UserReplied UserSaid Warned
        parse_event
    """,
    "deskhand.testing": """
        ModelServer Phone ReceivedRequest ScriptedCall ScriptedStep SimPhone SimulatedPhones load_script
    """,
}
# What docs/api.md promises of the two objects that a program holds.
METHODS = {
    Deskhand: "list_devices resume run start",
    Task: "answer by_hand events hand_back pause resume say state stop take_over wait",
}
TYPERS_OWN = ("annotated_doc", "colorama", "shellingham", "typing_extensions")
HEAVY = ("numpy", "PIL", "pydantic", "typer", "fastapi", "httpx", "asyncio")


@pytest.mark.parametrize("module", SURFACE)
def test_a_public_module_has_exactly_the_names_that_were_promised(module: str) -> None:
    public = import_module(module)
    assert sorted(public.__all__) == sorted(SURFACE[module].split())
    assert [name for name in public.__all__ if getattr(public, name, None) is None] == []


@pytest.mark.parametrize("module", SURFACE)
def test_a_name_that_is_not_there_is_an_attribute_error(module: str) -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = import_module(module).nonsense


@pytest.mark.parametrize("kind", METHODS, ids=lambda kind: kind.__name__)
def test_a_public_class_has_the_methods_that_were_promised(kind: type) -> None:
    assert [name for name in METHODS[kind].split() if name not in vars(kind)] == []


@pytest.mark.parametrize("module", ["deskhand", "deskhand.testing"])
def test_importing_it_loads_nothing_heavy(module: str) -> None:
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out.strip() == "[]"


def test_help_loads_the_parser_of_options_and_nothing_else() -> None:
    # That is what keeps it below eight times a bare interpreter; the time itself depends on who else is at work.
    code = """if True:
        import sys, deskhand.cli
        before = set(sys.modules)
        sys.argv = ["deskhand", "--help"]
        try:
            deskhand.cli.main()
        finally:
            loaded = {name for name in set(sys.modules) - before}
            print({name.partition(".")[0] for name in loaded} - sys.stdlib_module_names, file=sys.stderr)
            print({name for name in loaded if name.startswith("deskhand.")}, file=sys.stderr)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert "Commands" in done.stdout
    packages, own = map(ast.literal_eval, done.stderr.splitlines())
    assert packages <= {"deskhand", "typer", *TYPERS_OWN}
    # Tables of names, for the help of `simphone --condition` and `--skin`; they import nothing of ours.
    table = {"deskhand.simphone", "deskhand.simphone.conditions", "deskhand.simphone.skin"}
    assert own == {"deskhand.cli.app", *table}


@pytest.mark.parametrize(("where", "program"), programs(), ids=[where for where, _ in programs()])
def test_a_program_of_the_documentation_imports_nothing_else(where: str, program: str) -> None:
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            ours = [name.name for name in node.names if name.name.split(".")[0] == "deskhand"]
            assert set(ours) <= set(SURFACE), where
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "deskhand":
            assert node.module in SURFACE, where
            assert {name.name for name in node.names} <= set(SURFACE[node.module].split()), where


@pytest.mark.parametrize("file", ["README.md", "README.zh-CN.md", *(f"docs/{f.name}" for f in ROOT.glob("docs/*.md"))])
def test_the_documentation_names_no_other_module(file: str) -> None:
    # `deskhand.tools` is the entry point group in which packages offer functions for chats.
    named = re.findall(r"\bdeskhand\.(?!toml|example)[a-z_]+(?:\.\w+)*", (ROOT / file).read_text("utf-8"))
    assert {name for name in named if not name.startswith(tuple(SURFACE))} <= {"deskhand.tools"}
    assert {name for name in named if name.count(".") == 1} <= {*SURFACE, "deskhand.tools"}
