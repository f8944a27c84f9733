"""Sets a time of day in whatever a phone offers for it, by its shape: fields, a dial, wheels; then reads it back.

A dial is a ring of numbers below the two that it sets. A wheel is a short column of numbers that scrolls, the chosen
one in its middle. Fields are two in one row. A half of the day (AM, 下午) is two choices beside them.
"""

import math
from dataclasses import dataclass, replace

from deskhand.core.actions import Click, Swipe
from deskhand.core.screen import Element
from deskhand.roles.offline.outcome import Act, Failed, fill_field, make_act, touch_element
from deskhand.roles.offline.scene import Scene
from deskhand.screen.grounding.vocabulary import split_words

Clock = tuple[int, int]
MAX_MOVES = 24
# A ring has at least so many numbers; its radius differs by no more than this share.
RING, ROUNDNESS = 8, 0.12
# Milliseconds of a turn of a wheel: slow enough that it does not run on.
TURN_MS = 900
MOST_ROWS = 6
_MORNING = frozenset({"am", "a.m.", "上午"})
_AFTERNOON = frozenset({"pm", "p.m.", "下午"})
_KEYBOARD = frozenset({"keyboard", "text", "type", "typing"})


@dataclass(frozen=True, slots=True)
class Wheel:
    frame: Element
    shown: tuple[Element, ...]

    @property
    def chosen(self) -> Element:
        middle = self.frame.bounds.center[1]
        return min(self.shown, key=lambda e: abs(e.bounds.center[1] - middle))

    @property
    def value(self) -> int:
        return int(self.chosen.text)


def pick_time(scene: Scene, wanted: Clock) -> Act | Failed | Clock | None:
    """Return the next move, the time that is now read there if it is the wanted one, or None without any picker."""
    if wheels := find_wheels(scene):
        return _count_move(scene, wanted, _turn_wheels(scene, wheels, wanted))
    if ring := find_ring(scene):
        return _count_move(scene, wanted, _work_dial(scene, ring, wanted))
    if fields := find_time_fields(scene):
        return _count_move(scene, wanted, _fill_fields(scene, fields, wanted))
    return None


def _count_move(scene: Scene, wanted: Clock, move: Act | Failed | Clock) -> Act | Failed | Clock:
    moves = scene.memory.phone.moves
    if not isinstance(move, Act):
        return move
    if moves >= MAX_MOVES:
        return scene.fail_with(
            f"时间没有设成 {_write_clock(wanted)}。", f"The time could not be set to {_write_clock(wanted)}."
        )
    scene.remember_record(replace(scene.memory.phone, moves=moves + 1))
    return move


def _write_clock(clock: Clock) -> str:
    return f"{clock[0]:02d}:{clock[1]:02d}"


def _list_numbers(scene: Scene) -> list[Element]:
    leaves = [e for e in scene.elements if e.text.isdecimal() and len(e.text) <= 2 and not e.editable]
    return [e for e in leaves if not any(d.text for d in scene.tree.descendants_of(e))]


def _find_half(scene: Scene, *, late: bool) -> Element | None:
    """Return the choice for that half of the day."""
    words = _AFTERNOON if late else _MORNING
    return next((e for e in scene.elements if e.clickable and e.text.strip().casefold() in words), None)


def _set_half(scene: Scene, wanted: Clock) -> Act | Failed | None:
    half, other = _find_half(scene, late=wanted[0] >= 12), _find_half(scene, late=wanted[0] < 12)
    if half is None or other is None:
        return None
    chosen = half.checked or half.selected
    return None if chosen else make_act(scene.say(f"选择“{half.text}”", f"Choosing {half.text}"), touch_element(half))


def _write_hour(scene: Scene, hour: int) -> int:
    """Return the hour as this picker counts: to twelve if it has halves."""
    return hour if _find_half(scene, late=False) is None else hour % 12 or 12


# --- wheels ------------------------------------------------------------------------------------------------


def find_wheels(scene: Scene) -> list[Wheel]:
    """Return the columns of numbers that scroll, from left to right, if they are two in one row."""
    wheels: list[Wheel] = []
    for frame in scene.elements:
        if not frame.scrollable:
            continue
        numbers = [e for e in scene.tree.descendants_of(frame) if e.text.isdecimal() and len(e.text) <= 2]
        others = [e for e in scene.tree.descendants_of(frame) if e.text and not e.text.isdecimal()]
        if 2 <= len(numbers) <= 9 and not others:
            wheels.append(Wheel(frame, tuple(numbers)))
    wheels.sort(key=lambda wheel: wheel.frame.bounds.left)
    same = len(wheels) == 2 and scene.tree.is_same_row(wheels[0].frame, wheels[1].frame)
    return wheels if same else []


def _turn_wheels(scene: Scene, wheels: list[Wheel], wanted: Clock) -> Act | Failed | Clock:
    aims = (_write_hour(scene, wanted[0]), wanted[1])
    for wheel, aim in zip(wheels, aims, strict=True):
        if wheel.value != aim:
            return _turn_wheel(scene, wheel, aim)
    return _set_half(scene, wanted) or wanted


def _turn_wheel(scene: Scene, wheel: Wheel, aim: int) -> Act:
    """A neighbour is tapped, what is farther is brought nearer."""
    thought = scene.say(f"转到 {aim}", f"Turning to {aim}")
    seen = next((e for e in wheel.shown if int(e.text) == aim), None)
    if seen is not None and seen.clickable:
        return make_act(thought, touch_element(seen))
    height = wheel.chosen.bounds.height
    rows = max(-MOST_ROWS, min(MOST_ROWS, aim - wheel.value))
    x, y = wheel.frame.bounds.center
    bottom = max(scene.tree.screen.height - 2 * height, y)
    to_y = round(min(max(y - rows * height, height), bottom))
    return make_act(thought, Swipe(x=x, y=y, to_x=x, to_y=to_y, duration_ms=TURN_MS))


# --- a dial ------------------------------------------------------------------------------------------------


def find_ring(scene: Scene) -> list[Element]:
    """Return the numbers that stand in a circle."""
    numbers = [e for e in _list_numbers(scene) if e.clickable]
    by_size: dict[tuple[int, int], list[Element]] = {}
    for e in numbers:
        by_size.setdefault((e.bounds.width // 8, e.bounds.height // 8), []).append(e)
    ring = max(by_size.values(), key=len, default=list[Element]())
    if len(ring) < RING:
        return []
    x, y = _find_centre(ring)
    reach = [math.dist((x, y), e.bounds.center) for e in ring]
    return ring if max(reach) - min(reach) <= ROUNDNESS * max(reach) else []


def _find_centre(ring: list[Element]) -> tuple[float, float]:
    left, right = min(e.bounds.center[0] for e in ring), max(e.bounds.center[0] for e in ring)
    top, bottom = min(e.bounds.center[1] for e in ring), max(e.bounds.center[1] for e in ring)
    return (left + right) / 2, (top + bottom) / 2


def _find_head(scene: Scene, ring: list[Element]) -> tuple[Element, Element] | None:
    """Return the hour and the minute above the dial."""
    inside = {e.index for e in ring}
    above = [e for e in _list_numbers(scene) if e.index not in inside and e.clickable]
    above.sort(key=lambda e: e.bounds.left)
    pairs = [(a, b) for a in above for b in above if a.bounds.right <= b.bounds.left and scene.tree.is_same_row(a, b)]
    return pairs[0] if len(pairs) == 1 else None


def _work_dial(scene: Scene, ring: list[Element], wanted: Clock) -> Act | Failed | Clock:
    head = _find_head(scene, ring)
    if head is None:
        return scene.fail_with("看不出表盘上现在的时间。", "The time that the dial shows can't be read.")
    aims = (_write_hour(scene, wanted[0]), wanted[1])
    values = (int(head[0].text), int(head[1].text))
    if values == aims:
        return _set_half(scene, wanted) or wanted
    at = 0 if values[0] != aims[0] else 1
    numbers = sorted(int(e.text) for e in ring)
    on_minutes = numbers[-1] > 24 or numbers == list(range(0, 60, 5))
    if on_minutes is not (at == 1):
        return make_act(scene.say("切换表盘", "Switching the dial"), touch_element(head[at]))
    return _touch_ring(scene, ring, aims[at], minutes=at == 1)


def _touch_ring(scene: Scene, ring: list[Element], aim: int, *, minutes: bool) -> Act:
    thought = scene.say(f"在表盘上选择 {aim}", f"Choosing {aim} on the dial")
    exact = next((e for e in ring if int(e.text) == aim), None)
    if exact is not None:
        return make_act(thought, touch_element(exact))
    if (typing := _find_keyboard_switch(scene)) is not None and scene.memory.phone.moves < MAX_MOVES // 2:
        return make_act(scene.say("改用键盘输入时间", "Typing the time instead"), touch_element(typing))
    # between two numbers, by the angle
    x, y = _find_centre(ring)
    reach = max(math.dist((x, y), e.bounds.center) for e in ring)
    angle = math.tau * aim / (60 if minutes else 12)
    return make_act(thought, Click(x=round(x + reach * math.sin(angle)), y=round(y - reach * math.cos(angle))))


def _find_keyboard_switch(scene: Scene) -> Element | None:
    """Return the button that changes a dial into fields, by what it says of itself."""
    buttons = [e for e in scene.elements if e.clickable and e.role in ("button", "image") and e.text]
    said = [e for e in buttons if _KEYBOARD & set(split_words(e.text)) or "输入" in e.text or "键盘" in e.text]
    return said[0] if len(said) == 1 else None


# --- fields ------------------------------------------------------------------------------------------------


def find_time_fields(scene: Scene) -> list[Element]:
    """Return the fields for hour and minute: two in one row, alike, that hold short numbers."""
    short = [f for f in scene.list_fields() if f.bounds.width < scene.tree.screen.width / 2 and _is_number(f)]
    short.sort(key=lambda f: f.bounds.left)
    if len(short) != 2 or not scene.tree.is_same_row(short[0], short[1]):
        return []
    return short


def _is_number(field: Element) -> bool:
    text = (field.value or field.hint).strip()
    return (text.isdecimal() and len(text) <= 2) or not text


def _fill_fields(scene: Scene, fields: list[Element], wanted: Clock) -> Act | Failed | Clock:
    aims = (_write_hour(scene, wanted[0]), wanted[1])
    for field, aim in zip(fields, aims, strict=True):
        text = (field.value or field.hint).strip()
        if not text.isdecimal() or int(text) != aim:
            thought = scene.say(f"填写“{aim:02d}”", f"Filling in “{aim:02d}”")
            return make_act(thought, *fill_field(field, f"{aim:02d}", clear=True))
    return _set_half(scene, wanted) or wanted
