"""Every setting changes something: each leaf of the tree names the test that shows it. A new one needs an entry."""

import ast
import asyncio
import socket
import subprocess
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel
from Xlib.display import Display

from deskhand.build import Deskhand
from deskhand.clock import ManualClock, SystemClock
from deskhand.core.actions import Click, OpenApp
from deskhand.core.errors import ActionFailed, DeviceSetup, ModelUnavailable
from deskhand.core.llm import ModelRequest, Turn
from deskhand.core.planning import Depth, GateTrigger
from deskhand.devices.browser.provider import BrowserProvider
from deskhand.engine.budget import TIERS, Budget
from deskhand.engine.outer.quality_gate import choose_depth
from deskhand.models.make_model import make_model
from deskhand.models.probe import probe_models
from deskhand.models.scripted.http_server import ModelServer
from deskhand.models.scripted.script import ScriptedCall, ScriptedStep
from deskhand.settings.schema import (
    BrowserSettings,
    BudgetSettings,
    GateSettings,
    ModelSettings,
    ModelsSettings,
    Settings,
)
from deskhand.task.state import TaskState
from tests.devices.desktop.desktop_stage import staged, wait_for
from tests.e2e.speakers import picture_size, picture_sizes

TESTS = Path(__file__).parent
HERE = "test_settings.py"
OPERATOR_SETTINGS = f"{HERE}::test_what_an_operator_is_set_to_reaches_its_model_and_the_phone"
ADB, BOX, EXECUTOR = "devices/android/test_adb.py", "sandbox/test_code_runner.py", "engine/inner/test_executor.py"
SETTLE, START = "screen/stillness/test_settle.py", "devices/browser/test_browser_process.py"
SUPERVISION = "engine/outer/test_supervision.py"
POLICY, SITES = "engine/safety/test_policy.py", "devices/browser/test_site_filter.py"
RISK = f"{POLICY}::test_each_risk_is_treated_as_the_settings_say"
THRESHOLDS = "engine/outer/test_rules.py::test_every_threshold_comes_from_the_settings"
WAIT = "screen/stillness/test_settle.py::test_each_setting_changes_the_wait"
CREW = "e2e/test_crew.py::test_a_goal_over_three_apps_with_code_and_an_answer"
OFFICE = "e2e/test_dispatch.py::test_a_final_check_that_fails_leads_to_a_new_plan"
KEY = "models/test_make_model.py::test_a_key_comes_from_its_file_or_its_variable"
PRICE = "models/test_metered.py::test_a_call_costs_what_it_used"
FROZEN = "devices/browser/test_heartbeat.py"
PIXELS = "devices/browser/test_device.py::test_clicks_land_on_the_pixel_at_every_scale"
DISPLAY = "devices/desktop/test_attach.py::test_without_a_display_a_private_one_is_started_and_ended"
SECRET = "engine/secrets/test_vault.py::test_a_value_comes_from_a_variable_then_the_file_then_the_keyring"
CHAT, GUARD = "server/test_chat.py", "server/test_access.py"
EXPOSED = f"{GUARD}::test_an_exposed_server_takes_addresses_but_no_foreign_names"
CHAT_LIMITS = f"{CHAT}::test_the_inner_limit_and_the_limit_of_turns_come_from_the_settings"
TIER = f"{HERE}::test_each_tier_limits_what_one_operation_may_cost"
PATIENCE = f"{HERE}::test_each_limit_of_patience_ends_a_call"

SHOWN_BY = {
    "device": "cli/test_run.py::test_a_device_is_named_in_the_settings_file",
    "loop": "server/test_tasks.py::test_the_loop_is_the_one_of_the_settings_unless_it_is_named",
    "data_dir": "cli/test_run.py::test_a_data_folder_that_can_not_be_written_is_named",
    "time_limit_s": "engine/outer/test_dispatcher.py::test_the_time_limit_ends_the_task_wherever_it_is",
    "executor.max_steps": f"{HERE}::test_steps_and_failures_end_a_task_where_the_settings_say",
    "executor.max_failures": f"{HERE}::test_steps_and_failures_end_a_task_where_the_settings_say",
    "executor.decide_timeout_s": f"{EXECUTOR}::test_a_worker_that_hangs_is_a_failed_step",
    "executor.action_timeout_s": f"{EXECUTOR}::test_an_action_that_hangs_is_given_up_and_told",
    "executor.history": f"{EXECUTOR}::test_history_in_a_briefing_is_bounded",
    "executor.tick_ms": "engine/test_observer.py::test_a_quiet_screen_is_looked_at_as_often_as_set",
    "settle.max_wait_ms": f"{SETTLE}::test_no_time_at_all_is_one_look",
    "settle.max_opening_ms": f"{SETTLE}::test_the_wait_after_opening_has_a_limit_which_is_a_setting",
    "settle.interval_ms": WAIT,
    "settle.threshold": f"{SETTLE}::test_the_threshold_says_what_is_too_small_to_start_the_wait_again",
    "settle.still_frames": WAIT,
    "settle.patience_ms": f"{SETTLE}::test_where_nothing_happens_more_patience_is_shown_but_not_all_of_it",
    "rules.check_every": THRESHOLDS,
    "rules.repeats": THRESHOLDS,
    "rules.subtask_steps": THRESHOLDS,
    "rules.give_up_steps": "e2e/test_long_tasks.py::test_a_long_subtask_goes_on_unless_the_settings_end_it",
    "rules.unchanged_screens": THRESHOLDS,
    "rules.failures": THRESHOLDS,
    "rules.steps_without_progress": THRESHOLDS,
    "rules.error_rate": THRESHOLDS,
    "rules.subtask_s": THRESHOLDS,
    "gates.medium_error_rate": f"{HERE}::test_errors_make_a_periodic_check_look_deeper",
    "dispatcher.max_plans": "engine/outer/test_dispatcher.py::test_ten_plans_are_enough",
    "dispatcher.max_stuck_retries": f"{SUPERVISION}::test_how_often_a_stuck_worker_is_corrected_is_a_setting",
    "dispatcher.feedback": f"{SUPERVISION}::test_only_the_newest_feedback_reaches_the_planner",
    "dispatcher.tick_ms": f"{SUPERVISION}::test_rules_about_time_speak_up_without_any_event",
    "people.timeout_s": "engine/test_human_input.py::test_nobody_answers_in_time",
    "people.on_timeout": "engine/test_human_input.py::test_a_timeout_may_be_set_to_allow",
    "prompt_memory.path": "e2e/test_corrections.py::test_memory_is_kept_where_the_settings_say_broken_or_not",
    "supplement.folders": "research/test_sources.py::test_a_file_is_found_by_what_it_says",
    "supplement.search_url": "research/test_sources.py::test_the_search_endpoint_is_asked_as_searxng_is",
    "supplement.mcp.command": "research/test_sources.py::test_a_tool_of_an_mcp_server_is_asked",
    "supplement.mcp.tool": "research/test_sources.py::test_an_mcp_tool_that_fails_is_one_sentence",
    "supplement.timeout_s": "research/test_sources.py::test_an_mcp_server_that_never_answers_is_given_up",
    "models.manager": OFFICE,
    "models.operator": OFFICE,
    "models.technician": CREW,
    "models.analyst": CREW,
    "models.evaluator": OFFICE,
    "models.assistant": f"{HERE}::test_the_assistants_model_can_be_probed",
    "models.*.provider": "models/test_wire.py::test_text_and_calls_arrive_with_their_usage",
    "models.*.model": "models/dialects/test_computer_use.py::test_a_models_name_tells_its_dialect",
    "models.*.base_url": "models/test_make_model.py::test_fallbacks_from_settings_answer_when_the_first_can_not",
    "models.*.api_key": f"{CHAT}::test_keys_are_never_told",
    "models.*.api_key_env": KEY,
    "models.*.key_file": KEY,
    "models.*.price.input": PRICE,
    "models.*.price.output": PRICE,
    "models.*.free": "models/test_metered.py::test_a_free_endpoint_works_with_an_empty_budget",
    "models.*.stream": "models/test_wire.py::test_text_and_calls_arrive_with_their_usage",
    "models.*.dialect": "models/test_make_model.py::test_the_dialect_and_its_scale_can_be_set",
    "models.*.coordinates": OPERATOR_SETTINGS,
    "models.*.vision": "e2e/test_models.py::test_a_model_without_eyes_works_from_the_list_alone",
    "models.*.show": "roles/test_operator.py::test_what_is_shown_is_the_users_choice",
    "models.*.picture_side": OPERATOR_SETTINGS,
    "models.*.max_output_tokens": OPERATOR_SETTINGS,
    "models.*.connect_timeout_s": f"{HERE}::test_a_connection_that_does_not_come_about_is_given_up",
    "models.*.first_byte_timeout_s": PATIENCE,
    "models.*.total_timeout_s": PATIENCE,
    "models.*.retries": f"{HERE}::test_a_busy_model_is_asked_again_as_often_as_set",
    "models.*.fallbacks": "models/test_make_model.py::test_fallbacks_from_settings_answer_when_the_first_can_not",
    "chat.max_turns": CHAT_LIMITS,
    "chat.inner_steps": CHAT_LIMITS,
    "chat.device_wait_s": f"{CHAT}::test_a_busy_device_is_waited_for_where_the_settings_say_so",
    "chat.instructions": f"{CHAT}::test_the_planners_instructions_are_a_file_that_can_be_replaced",
    "chat.tools": f"{CHAT}::test_the_users_own_functions_are_tools",
    "chat.mcp.command": f"{CHAT}::test_tools_of_an_mcp_server_are_offered_and_used",
    "chat.tool_timeout_s": f"{CHAT}::test_a_function_that_hangs_is_given_up",
    "chat.context_chars": f"{CHAT}::test_what_the_planner_is_told_of_a_long_conversation_is_bounded",
    "mcp.secrets": "mcp/test_mcp.py::test_a_goal_names_only_the_secrets_that_the_settings_give_leave_for",
    "mcp.port": "mcp/test_mcp.py::test_a_port_that_is_taken_is_one_sentence",
    "server.host": EXPOSED,
    "server.port": "cli/test_serve.py::test_what_keeps_the_server_from_starting_is_one_sentence",
    "server.expose": EXPOSED,
    "server.names": f"{GUARD}::test_a_name_from_the_settings_is_taken",
    "server.token_file": f"{GUARD}::test_the_token_file_is_where_the_settings_say",
    "server.wrong_tokens": f"{GUARD}::test_wrong_tokens_are_looked_at_only_so_often_and_the_right_one_always",
    "server.connections": "server/test_connections.py::test_the_settings_say_how_many_connections_there_may_be",
    "server.session_hours": f"{GUARD}::test_sessions_survive_a_restart_but_not_their_time_nor_a_new_token",
    "server.body_kb": f"{GUARD}::test_a_body_is_bounded_whether_its_length_is_told_or_not",
    "budget.task": "engine/test_budget.py::test_when_the_cap_is_reached_the_sentence_says_what_to_do",
    "budget.low": TIER,
    "budget.medium": TIER,
    "budget.high": TIER,
    "simphone.skin": "e2e/test_phone_language.py::test_the_settings_say_whose_android_the_simulated_phone_has",
    "simphone.locale": "e2e/test_phone_language.py::test_the_settings_decide_and_app_names_of_both_languages_work",
    "adb.host": f"{ADB}::test_a_server_on_another_host_is_not_started_here",
    "adb.port": f"{ADB}::test_a_server_that_does_not_run_is_started_once_for_all_callers",
    "adb.path": f"{ADB}::test_a_missing_adb_is_said_in_one_sentence",
    "browser.cdp_url": f"{HERE}::test_a_running_browser_is_looked_for_at_its_address",
    "browser.executable": f"{START}::test_a_browser_that_is_not_there_is_said_in_one_sentence",
    "browser.headless": f"{HERE}::test_a_browser_can_be_watched_at_work",
    "browser.logins.site": "devices/browser/test_logins.py::test_what_is_missing_is_said_plainly",
    "browser.logins.user": "devices/browser/test_logins.py::test_a_page_behind_a_login_opens",
    "browser.logins.password": "devices/browser/test_logins.py::test_a_page_behind_a_login_opens",
    "browser.logins.password_env": "devices/browser/test_logins.py::test_a_page_behind_a_login_opens",
    "browser.profile": f"{START}::test_a_profile_folder_remembers_between_runs",
    "browser.width": PIXELS,
    "browser.height": PIXELS,
    "browser.scale": PIXELS,
    "browser.page_timeout_s": f"{FROZEN}::test_once_a_page_is_frozen_nothing_waits_for_it_any_more",
    "browser.downloads": "devices/browser/test_acting.py::test_a_download_lands_in_its_folder_and_is_told",
    "desktop.display": "devices/desktop/test_attach.py::test_a_display_that_is_not_there_is_a_clear_sentence",
    "desktop.width": DISPLAY,
    "desktop.height": DISPLAY,
    "desktop.app_timeout_s": f"{HERE}::test_an_app_without_a_window_is_given_up",
    "sandbox.allow_unsandboxed": f"{BOX}::test_without_bubblewrap_it_runs_bare_when_the_user_allowed_that",
    "sandbox.network": f"{BOX}::test_the_network_is_there_when_the_user_allowed_it",
    "sandbox.time_s": f"{BOX}::test_an_endless_loop_ends_at_the_time_limit",
    "sandbox.memory_mb": f"{BOX}::test_memory_is_limited_as_a_whole",
    "sandbox.output_kb": f"{BOX}::test_long_output_keeps_its_beginning_and_its_end",
    "sandbox.processes": f"{BOX}::test_a_fork_bomb_is_contained",
    "sandbox.file_mb": f"{BOX}::test_a_huge_file_is_contained",
    "secrets.file": SECRET,
    "secrets.keyring": SECRET,
    "policy.look": RISK,
    "policy.reversible": RISK,
    "policy.irreversible": RISK,
    "policy.run_code": "engine/inner/test_run_code.py::test_code_is_not_run_without_a_yes",
    "policy.sites_allow": f"{SITES}::test_what_is_clicked_does_not_lead_away",
    "policy.sites_deny": f"{SITES}::test_a_denied_site_is_refused_and_all_others_are_not",
    "policy.apps_allow": f"{POLICY}::test_in_an_app_off_the_list_nothing_is_done_but_leaving",
    "policy.apps_deny": f"{POLICY}::test_an_app_is_known_by_any_of_its_names",
}


def leaves(section: type[BaseModel], path: str = "") -> Iterator[str]:
    """The settings of a section, by their whole names. All roles share the fields of `models.*`."""
    for name, field in section.model_fields.items():
        below = _section(field.annotation)
        if below is ModelsSettings:
            yield from (f"models.{role}" for role in ModelsSettings.model_fields)
            yield from leaves(ModelSettings, "models.*.")
        elif below and name != "fallbacks":  # whose fields are the model's own
            yield from leaves(below, f"{path}{name}.")
        else:
            yield path + name


def _section(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _section(part))), None)


@cache
def names_in(file: str) -> frozenset[str]:
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def test_every_setting_is_in_the_table_and_nothing_else_is() -> None:
    assert sorted(SHOWN_BY) == sorted(leaves(Settings))


@pytest.mark.parametrize("setting", SHOWN_BY)
def test_the_test_of_a_setting_exists(setting: str) -> None:
    file, _, name = SHOWN_BY[setting].partition("::")
    assert name in names_in(file), f"{SHOWN_BY[setting]} is to show what {setting} does"


# --- what no other test shows --------------------------------------------------------------------------------------


def test_errors_make_a_periodic_check_look_deeper() -> None:
    failing = replace(TaskState(), subtask_actions=10, subtask_failures=4)

    def depth(**gates: float) -> str:
        return choose_depth(GateTrigger.PERIODIC_CHECK, failing, GateSettings(**gates), lambda _: True)

    assert (depth(), depth(medium_error_rate=0.4)) == ("medium", "low")


@pytest.mark.parametrize("tier", ["low", "medium", "high"])
def test_each_tier_limits_what_one_operation_may_cost(tier: Depth) -> None:
    usual, other = Budget(BudgetSettings()), Budget(BudgetSettings.model_validate({tier: "0.005"}))
    changed = {role for role in TIERS if usual.ceiling(role) != other.ceiling(role)}
    assert changed == {role for role, of in TIERS.items() if of == tier}
    assert {other.ceiling(role) for role in changed} == {Decimal("0.005")}
    assert other.ceiling("evaluator", tier) == Decimal("0.005") != usual.ceiling("evaluator", tier)


def step(**arguments: Any) -> ScriptedStep:
    return ScriptedStep(calls=(ScriptedCall(name="step", arguments=arguments),))


DONE = step(decision="done", message="It is done.")


def operated(folder: Path, server: ModelServer, executor: dict[str, int] | None = None, **operator: Any) -> Deskhand:
    model = {"model": "scripted", "base_url": server.url, "free": True, **operator}
    return Deskhand(
        Settings.model_validate({"data_dir": folder, "executor": executor or {}, "models": {"operator": model}})
    )


@pytest.mark.parametrize(
    ("limits", "cause", "steps"),
    [({"max_failures": 1}, "failed", 1), ({"max_failures": 2}, "failed", 2), ({"max_steps": 1}, "steps", 1)],
)
async def test_steps_and_failures_end_a_task_where_the_settings_say(
    tmp_path: Path, limits: dict[str, int], cause: str, steps: int
) -> None:
    async with (
        ModelServer([ScriptedStep(text="Well, well.", times=9)]) as server,
        operated(tmp_path, server, limits) as hand,
    ):
        state = await hand.run("Look", loop="single")
    assert (state.cause, state.step) == (cause, steps), state.reason


@pytest.mark.parametrize(
    ("changed", "side", "tokens", "point"),
    [
        ({}, 1280, 3000, (938, 938)),
        ({"picture_side": 640, "max_output_tokens": 700, "coordinates": "thousandths"}, 640, 700, (540, 1200)),
    ],
)
async def test_what_an_operator_is_set_to_reaches_its_model_and_the_phone(
    tmp_path: Path, changed: dict[str, Any], side: int, tokens: int, point: tuple[int, int]
) -> None:
    tap = step(decision="actions", actions=[{"kind": "click", "x": 500, "y": 500}])
    async with ModelServer([tap, DONE]) as server, operated(tmp_path, server, **changed) as hand:
        state = await hand.run("Look", loop="single")
    click = state.history[0].actions[0].action
    assert isinstance(click, Click)
    assert (click.x, click.y) == point
    assert max(picture_size(server.requests[0])) == side
    assert server.requests[0].body["max_tokens"] == tokens


@pytest.mark.parametrize(
    ("changed", "sides", "tokens"),
    [({}, (768, 1280), [600, 3000]), ({"picture_side": 640, "max_output_tokens": 2000}, (384, 640), [400, 2000])],
)
async def test_what_an_evaluator_is_set_to_reaches_its_model(
    tmp_path: Path, changed: dict[str, Any], sides: tuple[int, int], tokens: list[int]
) -> None:
    fine: dict[str, Any] = {"decision": "gate_done", "status": "GOOD", "confidence": 1, "reason": "it is open"}
    whole = {"goal_reached": True, "steps_complete": True, "end_state_as_expected": True, "omissions": []}
    replies = [ScriptedStep(calls=(ScriptedCall(name="judge", arguments=said),)) for said in (fine, fine | whole)]
    async with ModelServer(replies) as server:
        model = {"model": "scripted", "base_url": server.url, "free": True, **changed}
        settings = Settings.model_validate({"data_dir": tmp_path, "models": {"evaluator": model}})
        async with Deskhand(settings) as hand:
            await hand.run("打开设置")
    light, deep = server.requests
    assert (max(picture_size(light)), {max(size) for size in picture_sizes(deep)}) == (sides[0], {sides[1]})
    assert [seen.body["max_tokens"] for seen in server.requests] == tokens


REQUEST = ModelRequest(role="operator", system="", turns=(Turn("user", ("Hello",)),))


async def trouble(url: str, **operator: Any) -> str:
    """What a model with these settings says when it can't answer."""
    fields = {"model": "m", "base_url": url, "free": True, "retries": 0, **operator}
    tree = Settings.model_validate({"models": {"operator": fields}})
    model = make_model("operator", tree, ManualClock(), Budget(BudgetSettings()))
    try:
        with pytest.raises(ModelUnavailable) as caught:
            await asyncio.wait_for(model.ask(REQUEST), 30)
    finally:
        await model.close()
    return str(caught.value)


@pytest.mark.parametrize("setting", ["first_byte_timeout_s", "total_timeout_s"])
async def test_each_limit_of_patience_ends_a_call(setting: str) -> None:
    slow = ScriptedStep(text="x" * 10_000, chunk_s=0.05, first_byte_s=60 if setting.startswith("first") else 0)
    async with ModelServer([slow]) as server:
        assert "within 0.3 s" in await trouble(server.url, **{setting: 0.3})


@contextmanager
def full_house() -> Generator[str, None, None]:
    """An address whose queue is full: it answers no one who knocks."""
    with ExitStack() as closing:
        listener = closing.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = closing.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


async def test_a_connection_that_does_not_come_about_is_given_up() -> None:
    with full_house() as url:
        assert "0.3 s" in await trouble(url, connect_timeout_s=0.3)


@pytest.mark.parametrize("retries", [0, 2])
async def test_a_busy_model_is_asked_again_as_often_as_set(retries: int) -> None:
    async with ModelServer([ScriptedStep(status=503, times=9)]) as server:
        await trouble(server.url, retries=retries)
    assert len(server.requests) == retries + 1


async def test_the_assistants_model_can_be_probed() -> None:
    async with ModelServer(["Hello"]) as server:
        model = {"model": "m", "base_url": server.url, "free": True}
        (found,) = await probe_models("assistant", Settings.model_validate({"models": {"assistant": model}}))
    assert (found.streaming, len(server.requests)) == (True, 1)


async def test_a_running_browser_is_looked_for_at_its_address() -> None:
    browsers = BrowserProvider(BrowserSettings(cdp_url="http://127.0.0.1:9"), SystemClock())
    with pytest.raises(DeviceSetup, match=r"No browser answers at http://127\.0\.0\.1:9"):
        await browsers.open("")


@pytest.fixture
def display() -> Iterator[str]:
    """An empty X display."""
    with subprocess.Popen(["Xvfb", "-displayfd", "1", "-nolisten", "tcp"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            yield f":{server.stdout.readline().strip()}"
        finally:
            server.terminate()


@pytest.mark.parametrize("headless", [True, False])
async def test_a_browser_can_be_watched_at_work(display: str, monkeypatch: pytest.MonkeyPatch, headless: bool) -> None:
    monkeypatch.setenv("DISPLAY", display)
    browser = await BrowserProvider(BrowserSettings(headless=headless), SystemClock()).open("")
    screen = Display(display)

    def shown() -> bool:
        return any(
            "chrom" in str(window.get_wm_class()).lower() for window in screen.screen().root.query_tree().children
        )

    try:
        await wait_for(lambda: shown() is not headless)
    finally:
        screen.close()
        await browser.close()


async def test_an_app_without_a_window_is_given_up(tmp_path: Path) -> None:
    async with staged(tmp_path / "share", app_timeout_s=0.5) as stage:
        (stage.folder / "applications" / "idle.desktop").write_text(
            "[Desktop Entry]\nType=Application\nName=Idler\nExec=sleep 60\n"
        )
        with pytest.raises(ActionFailed, match="Idler showed no window: it is still starting"):
            await asyncio.wait_for(stage.device.act(OpenApp(name="Idler")), 15)
