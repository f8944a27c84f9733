"""Joins a Wi-Fi network: Wi-Fi on, the network tapped, its password typed; proven by its own line saying so."""

from dataclasses import replace

from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.memory import HuntMemory
from deskhand.roles.offline.outcome import Finished, Outcome, fill_field, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.hunting import locate_thing
from deskhand.roles.offline.strategies.obstacles import find_dialog
from deskhand.roles.offline.strategies.phone.clock_work import find_button
from deskhand.roles.offline.strategies.toggling import toggle_switch
from deskhand.screen.grounding.find import Candidate
from deskhand.screen.grounding.vocabulary import fold_name

_CONNECTED = ("connected", "已连接", "已连接上")
LOOKS = 5


def join_network(step: say.JoinNetwork, scene: Scene) -> Outcome:
    memory = scene.memory.phone
    if memory.phase == "":
        turned = toggle_switch(say.Toggle(step.source, "Wi-Fi", True), scene)
        if not isinstance(turned, Finished):
            return turned
        scene.remember_record(HuntMemory())
        scene.remember_record(replace(memory, phase="opened"))
        return _enter_list(scene, step)
    if memory.phase == "opened":
        return _choose_network(scene, step)
    return _check_joined(scene, step)


def _enter_list(scene: Scene, step: say.JoinNetwork) -> Outcome:
    if scene.find_element(f"“{step.target}”", "clickable").best is None and scene.memory.phone.looks < 1:
        row = scene.find_element("Wi-Fi", "clickable").best
        scene.remember_record(replace(scene.memory.phone, looks=1))
        if (
            row is not None
            and row.target.checked is None
            and row.target.role != "switch"
            and not _has_switch(scene, row)
        ):
            return make_act(scene.say("打开 Wi-Fi 列表", "Opening the list of networks"), touch_element(row.target))
        return look_again(scene.say("等网络列表", "Waiting for the networks"))
    return _choose_network(scene, step)


def _has_switch(scene: Scene, row: Candidate) -> bool:
    return any(e.checked is not None for e in scene.tree.descendants_of(row.target))


def _choose_network(scene: Scene, step: say.JoinNetwork) -> Outcome:
    if _reads_connected(scene, step.target):
        return _tell_joined(scene, step)
    found = locate_thing(scene, f"“{step.target}”", "clickable", stages=("scroll",))
    if not isinstance(found, Candidate):
        return found
    scene.remember_record(replace(scene.memory.phone, phase="begun", looks=0))
    return make_act(scene.say(f"连接“{step.target}”", f"Joining “{step.target}”"), touch_element(found.target))


def _find_row(scene: Scene, name: str) -> Element | None:
    named = [e for e in scene.elements if fold_name(e.text) == fold_name(name) and not e.editable]
    return scene.tree.row_of(named[-1]) if named else None


def _reads_connected(scene: Scene, name: str) -> bool:
    row = _find_row(scene, name)
    texts = [e.text for e in scene.tree.descendants_of(row)] if row is not None else []
    return any(fold_name(text).startswith(tuple(fold_name(word) for word in _CONNECTED)) for text in texts)


def _tell_joined(scene: Scene, step: say.JoinNetwork) -> Finished:
    scene.judge_last(True)
    return scene.finish_with(
        f"已连接到“{step.target}”", f"connected to “{step.target}”", Proof("state", step.target, "connected")
    )


def _check_joined(scene: Scene, step: say.JoinNetwork) -> Outcome:
    memory, parts = scene.memory.phone, find_dialog(scene)
    field = next((f for f in scene.list_fields() if parts and f in parts), None)
    if field is not None and not step.password:
        return scene.fail_with(
            f"“{step.target}”需要密码：请在目标里写出密码。",
            f"“{step.target}” asks for a password: say it in the goal.",
        )
    if field is not None and memory.moves < 1:
        scene.remember_record(replace(memory, moves=1))
        return make_act(scene.say("输入密码", "Typing the password"), *fill_field(field, step.password, clear=True))
    if field is not None and memory.moves < 2 and (button := find_button(scene, "connect", "连接", "join", "ok")):
        scene.remember_record(replace(memory, moves=2, looks=0))
        return make_act(scene.say("连接", "Connecting"), touch_element(button))
    if field is None and _reads_connected(scene, step.target):
        return _tell_joined(scene, step)
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if memory.looks < LOOKS:
        return look_again(scene.say("等连接", "Waiting for the connection"))
    scene.judge_last(False)
    return scene.fail_with(f"没有连接上“{step.target}”。", f"“{step.target}” was not joined.")
