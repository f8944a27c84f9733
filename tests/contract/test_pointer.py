"""The contract on pointing: where it is felt, with which button, for how long, and what scrolls."""

import asyncio

import pytest

from deskhand.core.actions import Click, Direction, DoubleClick, Drag, LongPress, Move, Scroll, Swipe, parse_action
from tests.contract.stage import TOLERANCE_PX, Stage, close, felt, until

pytestmark = pytest.mark.asyncio(loop_scope="package")

WAYS: dict[Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


async def test_clicks_in_quick_succession_each_land_where_they_were_aimed(stage: Stage) -> None:
    places = (await stage.board()).places
    points = [places[name].center for name in ("Press me", "Pad", "Agree", "Disabled", "Press me", "Pad")]
    for x, y in points:
        await stage.device.act(Click(x=x, y=y))

    async def all_felt() -> bool:
        return len((await stage.board()).heard("release")) == len(points)

    await until(all_felt, "all clicks")
    presses = [(one.x, one.y) for one in (await stage.board()).heard("press")]
    assert all(close(one, other) for one, other in zip(presses, points, strict=True)), f"{presses} for {points}"


async def pressed_with(stage: Stage, kind: str, button: str) -> None:
    x, y = (await stage.board()).places["Pad"].center
    await stage.device.act(parse_action({"kind": kind, "x": x, "y": y}))
    board = await felt(stage, "press", "release")
    for what in ("press", "release"):
        assert [one.button for one in board.heard(what)] == [button]
        assert all(close((one.x, one.y), (x, y)) for one in board.heard(what))


@pytest.mark.needs("click")
async def test_a_click_is_one_press_of_the_left_button(stage: Stage) -> None:
    await pressed_with(stage, "click", "left")


@pytest.mark.needs("right_click")
async def test_a_right_click_is_one_press_of_the_right_button(stage: Stage) -> None:
    await pressed_with(stage, "right_click", "right")


@pytest.mark.needs("middle_click")
async def test_a_middle_click_is_one_press_of_the_middle_button(stage: Stage) -> None:
    await pressed_with(stage, "middle_click", "middle")


@pytest.mark.needs("double_click")
async def test_a_double_click_is_taken_for_one(stage: Stage) -> None:
    x, y = (await stage.board()).places["Pad"].center
    # Apart from where other tests click: a toolkit counts on, and takes the next click for the third.
    x, y = x - 25, y + 15
    await stage.device.act(DoubleClick(x=x, y=y))
    board = await felt(stage, "double")
    assert close((board.heard("double")[0].x, board.heard("double")[0].y), (x, y))
    assert len(board.heard("press")) == 2


@pytest.mark.needs("move")
async def test_a_move_presses_nothing(stage: Stage) -> None:
    x, y = (await stage.board()).places["Pad"].center
    for point in ((x - 30, y - 10), (x, y)):
        await stage.device.act(Move(x=point[0], y=point[1]))

        async def there(point: tuple[int, int] = point) -> bool:
            moves = (await stage.board()).heard("move")
            return bool(moves) and close((moves[-1].x, moves[-1].y), point)

        # A toolkit drops a move that the next one makes old news, so each is waited for.
        await until(there, f"the pointer at {point}")
    assert not (await stage.board()).heard("press")


@pytest.mark.needs("long_press")
async def test_a_long_press_lasts_as_long_as_it_says(stage: Stage) -> None:
    x, y = (await stage.board()).places["Pad"].center
    await stage.device.act(LongPress(x=x, y=y, duration_ms=900))
    board = await felt(stage, "press", "release")
    press, release = board.heard("press")[0], board.heard("release")[0]
    assert close((press.x, press.y), (x, y))
    assert close((release.x, release.y), (x, y))
    assert 0.85 <= release.at - press.at < 9


async def path_felt(stage: Stage, action: Drag | Swipe) -> None:
    board = await felt(stage, "press", "release")
    (press,), (release,) = board.heard("press"), board.heard("release")
    assert close((press.x, press.y), (action.x, action.y))
    assert close((release.x, release.y), (action.to_x, action.to_y))
    between = [one for one in board.heard("move") if press.at <= one.at <= release.at]
    assert len(between) >= 3, "nothing that follows a pointer would have followed"
    assert all(action.x - TOLERANCE_PX <= one.x <= action.to_x + TOLERANCE_PX for one in between)


@pytest.mark.needs("drag")
async def test_a_drag_goes_from_here_to_there_with_the_button_held(stage: Stage) -> None:
    pad = (await stage.board()).places["Pad"]
    x, y = pad.center
    drag = Drag(x=pad.left + 20, y=y, to_x=x + 40, to_y=y + 20, duration_ms=300)
    await stage.device.act(drag)
    await path_felt(stage, drag)


@pytest.mark.needs("swipe")
async def test_a_swipe_goes_from_here_to_there(stage: Stage) -> None:
    pad = (await stage.board()).places["Pad"]
    x, y = pad.center
    swipe = Swipe(x=pad.left + 40, y=y, to_x=x + 40, to_y=y + 20)
    await stage.device.act(swipe)
    await path_felt(stage, swipe)


@pytest.mark.needs("swipe")
async def test_content_follows_a_swipe(stage: Stage) -> None:
    rows = (await stage.board()).places["Rows"]
    x, y = rows.center
    reach = rows.height // 4  # clear of a scroll bar
    await stage.device.act(Swipe(x=x, y=y + reach, to_x=x, to_y=y - reach))

    async def followed() -> bool:
        return (await stage.board()).scrolled[1] >= reach

    await until(followed, "the rows to follow the finger")

    async def at_rest() -> bool:
        before = (await stage.board()).scrolled
        await asyncio.sleep(0.15)
        return (await stage.board()).scrolled == before

    await until(at_rest, "what the swipe set going to come to rest")


@pytest.mark.needs("scroll")
async def test_a_scroll_reveals_what_lies_in_its_direction_all_four_ways(stage: Stage) -> None:
    x, y = (await stage.board()).places["Rows"].center
    # Out into the middle first, so that there is room on every side.
    for direction in ("down", "right", "down", "right", "up", "left"):
        before = (await stage.board()).scrolled
        await stage.device.act(Scroll(direction=direction, pages=0.5, x=x, y=y))
        axis = 0 if WAYS[direction][0] else 1

        async def moved(axis: int = axis, sign: int = sum(WAYS[direction]), before: tuple[int, int] = before) -> bool:
            return ((await stage.board()).scrolled[axis] - before[axis]) * sign > 5

        await until(moved, f"the rows to scroll {direction} from {before}")


@pytest.mark.needs("scroll")
async def test_more_pages_scroll_further(stage: Stage) -> None:
    x, y = (await stage.board()).places["Rows"].center

    async def far(least: int) -> int:
        async def moved() -> int | None:
            down = (await stage.board()).scrolled[1]
            return down if down > least else None

        return await until(moved, f"a scroll beyond {least}") or 0

    await stage.device.act(Scroll(direction="down", pages=0.4, x=x, y=y))
    little = await far(0)
    await stage.reset()
    await stage.device.act(Scroll(direction="down", pages=2, x=x, y=y))
    await far(2 * little)
