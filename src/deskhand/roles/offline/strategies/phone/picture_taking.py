"""The camera takes a picture, and the gallery shows one more than before; a photo is marked as a favourite."""

from dataclasses import replace

from deskhand.core.actions import OpenApp
from deskhand.core.screen import Element
from deskhand.roles.offline.language import instructions as say
from deskhand.roles.offline.outcome import Act, Outcome, look_again, make_act, touch_element
from deskhand.roles.offline.proof import Proof
from deskhand.roles.offline.scene import Scene
from deskhand.roles.offline.strategies.homes import open_home
from deskhand.roles.offline.strategies.hunting import locate_thing
from deskhand.roles.offline.strategies.obstacles import dismiss_dialog
from deskhand.roles.offline.strategies.phone.clock_work import find_button
from deskhand.screen.grounding.find import Candidate

_SHUTTER = ("shutter", "快门", "take photo", "take picture", "拍照", "拍摄", "capture")
_GALLERY = ("gallery", "相册", "图库", "photos", "照片")
_FAVOURITE = ("favourite", "favorite", "收藏", "like", "喜欢", "add to favorites", "add to favourites", "加入收藏")
LOOKS = 2


def take_photo(step: say.TakePhoto, scene: Scene) -> Outcome:
    """Look into the gallery, take the picture, look again: only what is new there proves it."""
    memory, shutter = scene.memory.phone, find_button(scene, *_SHUTTER)
    match memory.phase:
        case "" if shutter is None:
            return _reach_camera(scene)
        case "":
            return _open_gallery(scene, "opened")
        case "opened":
            return _note_pictures(scene)
        case "begun" if shutter is None:
            return _wait_or_fail(scene, "没有看到快门。", "No shutter is on the screen.")
        case "begun":
            assert shutter is not None
            scene.remember_record(replace(memory, phase="done", looks=0))
            return make_act(scene.say("按下快门", "Pressing the shutter"), touch_element(shutter))
        case "done":
            return _open_gallery(scene, "look")
        case _:
            return _check_taken(scene)


def _reach_camera(scene: Scene) -> Outcome:
    if away := dismiss_dialog(scene):
        return away
    if away := open_home(scene, "camera", also_from_an_app=not scene.kept.left_over):
        return away
    return _wait_or_fail(scene, "没有看到快门。", "No shutter is on the screen.")


def _open_gallery(scene: Scene, phase: str) -> Outcome:
    button = find_button(scene, *_GALLERY)
    if button is None:
        return _wait_or_fail(
            scene,
            "相机里没有通往相册的按钮，拍了也无法证明。",
            "The camera has no button to its pictures, so a photo could not be shown to be taken.",
        )
    scene.remember_record(replace(scene.memory.phone, phase="opened" if phase == "opened" else "look", looks=0))
    return make_act(scene.say("看相册", "Looking at the pictures"), touch_element(button))


def _list_pictures(scene: Scene) -> tuple[str, ...]:
    """Return the names of what fills a grid: things alike in size, at least two."""
    cells = [e for e in scene.elements if e.clickable and e.text and e.bounds.height > 150]
    sizes: dict[tuple[int, int], list[Element]] = {}
    for cell in cells:
        sizes.setdefault((cell.bounds.width // 20, cell.bounds.height // 20), []).append(cell)
    grid = max(sizes.values(), key=len, default=list[Element]())
    return tuple(cell.text for cell in grid)


def _note_pictures(scene: Scene) -> Outcome:
    seen = _list_pictures(scene)
    if not seen and scene.memory.phone.looks < LOOKS:
        return _wait_or_fail(scene, "", "")
    scene.remember_record(replace(scene.memory.phone, phase="begun", before=seen, looks=0))
    name = scene.say("相机", "Camera")
    return make_act(scene.say("回到相机", "Back to the camera"), OpenApp(name=name))


def _check_taken(scene: Scene) -> Outcome:
    memory = scene.memory.phone
    new = [name for name in _list_pictures(scene) if name not in memory.before]
    if len(new) == 1:
        scene.judge_last(True)
        return scene.finish_with(f"拍了一张照片“{new[0]}”", f"took the photo “{new[0]}”", Proof("seen", new[0]))
    return _wait_or_fail(scene, "相册里没有出现新照片。", "No new photo is in the gallery.")


def _wait_or_fail(scene: Scene, zh: str, en: str) -> Outcome:
    memory = scene.memory.phone
    scene.remember_record(replace(memory, looks=memory.looks + 1))
    if memory.looks < LOOKS:
        return look_again(scene.say("再看一眼", "Looking again"))
    scene.judge_last(False)
    return scene.fail_with(zh, en)


def mark_favourite(step: say.Favour, scene: Scene) -> Outcome:
    memory, button = scene.memory.phone, find_button(scene, *_FAVOURITE)
    if memory.phase == "opened" and button is not None:
        if button.selected or button.checked:
            scene.judge_last(True)
            return scene.finish_with(
                f"“{step.target}”已收藏", f"“{step.target}” is a favourite", Proof("state", step.target, "on")
            )
        if memory.moves and memory.looks < LOOKS:
            return _wait_or_fail(scene, "", "")
        if memory.moves:
            return scene.fail_with(
                "看不出它有没有被收藏。", "Whether it is a favourite now can't be seen on the screen."
            )
        scene.remember_record(replace(memory, moves=1, looks=0))
        return make_act(scene.say("收藏", "Marking it"), touch_element(button))
    if memory.phase == "opened":
        return _wait_or_fail(scene, "没有看到收藏按钮。", "No button to mark a favourite is on the screen.")
    return _open_picture(scene, step)


def _open_picture(scene: Scene, step: say.Favour) -> Outcome:
    if scene.find_element(step.target, "clickable").best is None and (away := _go_to_gallery(scene)):
        return away
    found = locate_thing(scene, step.target, "clickable", stages=("scroll",))
    if not isinstance(found, Candidate):
        return found
    scene.remember_record(replace(scene.memory.phone, phase="opened", looks=0))
    return make_act(scene.say(f"打开“{found.label}”", f"Opening “{found.label}”"), touch_element(found.target))


def _go_to_gallery(scene: Scene) -> Act | None:
    return None if scene.kept.left_over else open_home(scene, "photo", also_from_an_app=True)
