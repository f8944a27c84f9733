"""Goals in plain words, carried out in a real browser without a model and judged by what reached the page's server."""

from collections.abc import AsyncIterator, Iterator
from urllib.parse import quote

import pytest
import pytest_asyncio

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.settings.load import load
from deskhand.task.state import TaskState
from tests.devices.browser.browser_stage import Site, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

# What a page tells its server, so that a test need not ask the browser.
TELL = """<script>const tell = (...words) => { new Image().src = "/told/" + words.map(encodeURIComponent).join("/") }
  </script>"""


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hand(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Deskhand]:
    async with Deskhand(load({"data_dir": tmp_path_factory.mktemp("data")})) as hand:
        yield hand


async def carry_out(hand: Deskhand, site: Site, body: str, goal: str) -> TaskState:
    return await hand.run(goal, device="browser", url=site.page(TELL + body))


def told(site: Site) -> list[str]:
    """What the page has told, without the order in which it came."""
    return sorted(path.removeprefix("/told/") for path in site.asked if path.startswith("/told/"))


# --- what is typed ------------------------------------------------------------------------------------------------

FORM = """<label>Name <input id=name></label> <label>Nick <input id=nick></label>
  <button onclick="tell('name', document.getElementById('name').value);
    tell('nick', document.getElementById('nick').value)">Keep</button>"""


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('"Alice"', "Alice"),
        ('the name "Alice"', "Alice"),
        ("the name “Alice”", "Alice"),
        ("""'She said "hi"'""", 'She said "hi"'),
        ('"p4$$ w“x”"', "p4$$ w“x”"),
        ("“it's 5'10\"”", "it's 5'10\""),
        ('He said "hi"', 'He said "hi"'),
        ('"two  blanks"', "two  blanks"),
    ],
)
async def test_what_is_quoted_is_typed_exactly(hand: Deskhand, site: Site, said: str, text: str) -> None:
    ended = await carry_out(hand, site, FORM, f"type {said} into Name, click Keep")
    assert ended.status is TaskStatus.FULFILLED
    assert told(site) == sorted([f"name/{quote(text, safe=chr(39) + '()!*')}", "nick/"])


@pytest.mark.parametrize("how", ["readonly", "disabled", "readonly disabled"])
@pytest.mark.parametrize("goal", ['type "Alice" into Name', 'set Name to "Alice"', "在Name里输入“Alice”"])
async def test_nothing_is_typed_beside_a_field_that_takes_no_text(
    hand: Deskhand, site: Site, how: str, goal: str
) -> None:
    body = f"""<label>Name <input value=Bob {how}></label> <label>Nick <input id=n></label>
      <script>addEventListener("input", () => tell("typed"))</script>"""
    ended = await carry_out(hand, site, body, goal)
    assert ended.status is TaskStatus.REJECTED
    word = "disabled" if "disabled" in how else "read-only"
    assert word in ended.reason or {"disabled": "不可用", "read-only": "只读"}[word] in ended.reason
    assert told(site) == []


async def test_a_select_box_is_chosen_from_and_not_the_field_beside_it(hand: Deskhand, site: Site) -> None:
    body = """<label>Country <select onchange="tell(value)"><option>France<option>Germany</select></label>
      <label>City <input oninput="tell('city')"></label>"""
    ended = await carry_out(hand, site, body, "set Country to Germany")
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, ["Germany"])


@pytest.mark.parametrize("field", ["Notes", "Message"])
async def test_the_keys_that_the_goal_names_are_pressed(hand: Deskhand, site: Site, field: str) -> None:
    body = f"""<form action=/told/sent><button>Submit</button>
      <textarea aria-label={field} onkeydown="tell(event.shiftKey, event.key)"></textarea></form>"""
    ended = await carry_out(hand, site, body, f'type "a" into {field}, press Shift+Enter')
    assert ended.status is TaskStatus.FULFILLED
    assert "true/Enter" in told(site)
    assert "sent" not in told(site)


# --- what is clicked ----------------------------------------------------------------------------------------------

PARTS = """<span style="display:inline-block;width:90px">Rename</span>
  <p style="height:60px">Archive</p><p>Pin to top</p>"""


@pytest.mark.parametrize("target", ["Rename", "Archive", "Pin to top"])
@pytest.mark.parametrize(
    "container",
    ["<div tabindex=0>", "<div style='cursor:pointer'>", "<div onclick='1'>", "<div role=menubar tabindex=0>"],
)
async def test_in_a_container_without_a_name_its_parts_are_clicked(
    hand: Deskhand, site: Site, container: str, target: str
) -> None:
    body = f"""{container}{PARTS}</div><script>document.querySelector("div").addEventListener("click",
      (event) => tell(event.target.textContent))</script>"""
    ended = await carry_out(hand, site, body, f"click {target}")
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, [quote(target)])


@pytest.mark.parametrize("gap", [300, 2500])
async def test_what_is_below_the_fold_is_found(hand: Deskhand, site: Site, gap: int) -> None:
    body = f"""<h1>Top</h1><div style="height:{gap + 600}px"></div><button onclick="tell('deep')">Deep</button>"""
    ended = await carry_out(hand, site, body, "click Deep")
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, ["deep"])


# --- what comes late ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", ["<h1>Shop</h1>", "", "<p>Loading…</p>"])
async def test_what_comes_after_the_page_is_waited_for(hand: Deskhand, site: Site, start: str) -> None:
    body = f"""<div id=d>{start}</div><script>setTimeout(() => {{
      d.innerHTML += `<button onclick="tell('gone')">Go</button>` }}, 1200)</script>"""
    ended = await carry_out(hand, site, body, "click Go")
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, ["gone"])


async def test_after_a_slow_answer_the_search_is_pressed_once(hand: Deskhand, site: Site) -> None:
    answer = site.delay("/hits", 3.0)
    body = f"""<input type=search placeholder=Search id=q><button id=b>Search</button><div id=r></div><script>
      b.onclick = async () => {{ tell("pressed", q.value, Math.random()); await fetch("{answer}");
        r.innerHTML = `<a href="#" onclick="tell('opened')">Cat pictures</a>` }}</script>"""
    goal = 'type "cats" into the search field, click the Search button, click Cat pictures'
    ended = await carry_out(hand, site, body, goal)
    assert ended.status is TaskStatus.FULFILLED
    assert [words.split("/")[:2] for words in told(site)] == [["opened"], ["pressed", "cats"]]
