"""Goals in plain words, carried out in a real browser without a model and judged by what reached the page's server."""

import contextlib
import os
import signal
from pathlib import Path
from urllib.parse import quote

import pytest

from deskhand.build import Deskhand
from deskhand.core.actions import Type
from deskhand.core.statuses import TaskStatus
from deskhand.devices.reaper_process import list_processes
from deskhand.task.events import ActionEnded, ActionIntended
from deskhand.task.state import TaskState
from tests.devices.browser.browser_stage import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

# What a page tells its server, so that a test need not ask the browser.
TELL = """<script>const tell = (...words) => { new Image().src = "/told/" + words.map(encodeURIComponent).join("/") }
  </script>"""


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


# --- what only seems to be done -----------------------------------------------------------------------------------

ERRORS = {
    "native": """<form action=/told/sent><label>Email <input type=email required></label>
      <button>Save</button></form>""",
    "words": """<form onsubmit="event.preventDefault(); said.textContent = 'Please enter a valid email'">
      <label>Email <input></label><button>Save</button><p id=said class=field-error></p></form>""",
    "mark": """<form onsubmit="event.preventDefault(); mail.setAttribute('aria-invalid', 'true')">
      <label>Email <input id=mail></label><button>Save</button></form>""",
    "late": """<label>Email <input></label><p id=said role=alert></p>
      <button onclick="fetch('/hits').then(() => said.textContent = 'Email 不能为空')">Save</button>""",
}


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("goal", ["click Save", "点击Save"])
async def test_a_page_that_refuses_what_was_entered_is_told(hand: Deskhand, site: Site, kind: str, goal: str) -> None:
    site.delay("/hits", 1.0)
    ended = await carry_out(hand, site, ERRORS[kind], goal)
    assert ended.status is TaskStatus.REJECTED
    assert "Email" in ended.reason or "email" in ended.reason
    assert told(site) == []


@pytest.mark.parametrize(
    "body",
    [
        """<button onclick="said.textContent = 'Saved'; tell('saved')">Save</button><p id=said role=alert></p>""",
        """<p class=error>Error log: 3 invalid rows</p><button onclick="tell('saved')">Save</button>""",
        """<input required><label>Name <input aria-invalid=true></label>
        <button onclick="tell('saved')">Save</button>""",
    ],
)
async def test_words_that_were_there_or_say_nothing_wrong_are_no_errors(hand: Deskhand, site: Site, body: str) -> None:
    ended = await carry_out(hand, site, body, "click Save")
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, ["saved"])


@pytest.mark.parametrize(
    "question",
    [
        "confirm('Really delete it?')",
        "prompt('Really delete it?')",
        """document.body.insertAdjacentHTML('beforeend',
          '<div role=alertdialog>Really delete it? <button>Yes</button><button>Cancel</button></div>')""",
    ],
)
async def test_a_question_that_nobody_has_answered_is_told(hand: Deskhand, site: Site, question: str) -> None:
    ended = await carry_out(hand, site, f"""<button onclick="{question}">Tidy up</button>""", "click Tidy up")
    assert ended.status is TaskStatus.REJECTED
    assert "Really delete it?" in ended.reason


async def test_a_question_is_answered_as_the_goal_says(hand: Deskhand, site: Site) -> None:
    body = """<button onclick="tell(confirm('Really?'))">Tidy up</button>"""
    ended = await carry_out(hand, site, body, "click Tidy up, click OK")
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, ["true"])


async def test_a_message_is_put_away_and_told(hand: Deskhand, site: Site) -> None:
    body = """<button onclick="alert('All tidy'); tell('after')">Tidy up</button>"""
    ended = await carry_out(hand, site, body, "click Tidy up")
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, ["after"])
    assert "All tidy" in ended.reason


def kill_browser() -> None:
    """Kill the Chromium of this process, as a crash would."""
    children = {os.getpid()}
    for pid, parent in sorted(list_processes()):
        if parent in children:
            children.add(pid)
            words = b""
            with contextlib.suppress(OSError):  # it has ended by itself meanwhile, as helpers of a browser do
                words = Path(f"/proc/{pid}/cmdline").read_bytes()
            if b"--remote-debugging-pipe" in words and b"chrom" in words.partition(b"\0")[0]:
                os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("at", [0, 1])
async def test_after_a_crash_the_form_is_filled_in_again_before_it_is_handed_in(
    hand: Deskhand, site: Site, at: int
) -> None:
    goal, typed = 'type "Alice" into Name, type "Al" into Nick, click Keep', list[tuple[int, int]]()
    async with hand.start(goal, device="browser", url=site.page(TELL + FORM)) as run:
        async for record in run.events():
            event = record.event
            if isinstance(event, ActionIntended) and isinstance(event.action, Type):
                typed.append((event.step, event.number))
            if isinstance(event, ActionEnded) and typed[at:] == [(event.step, event.number)]:
                kill_browser()
        ended = await run.wait()
    assert ended.status is TaskStatus.FULFILLED, ended.reason
    assert told(site) == ["name/Alice", "nick/Al"]


# --- what one task leaves to the next -----------------------------------------------------------------------------

LEFT = {
    "frozen": "<button onclick='for(;;);'>Go</button>",
    "message": "<script>setTimeout(() => alert('hi'), 100)</script><button>Go</button>",
    "question": "<button onclick='confirm(1)'>Go</button>",
    "leaving": "<button>Go</button><script>onbeforeunload = (event) => event.preventDefault()</script>",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEFT)
async def test_whatever_a_task_leaves_behind_the_next_one_begins_at_its_page(
    hand: Deskhand, site: Site, kind: str
) -> None:
    site.page(LEFT[kind], "/before.html")
    await hand.run("click Go", device="browser", url=site.url("/before.html"))
    ended = await carry_out(hand, site, """<button onclick="tell('next')">Next</button>""", "click Next")
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, ["next"])


@pytest.mark.parametrize(
    ("goal", "value"), [("set Volume to 7", "7"), ("set Volume to 40%", "4"), ("把Volume调到9", "9")]
)
async def test_a_slider_gets_the_value_itself(hand: Deskhand, site: Site, goal: str, value: str) -> None:
    body = """<label>Volume <input type=range max=10 value=2 onchange="tell(value)"></label>"""
    ended = await carry_out(hand, site, body, goal)
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, [value])


async def test_a_slider_is_not_set_beyond_its_ends(hand: Deskhand, site: Site) -> None:
    body = """<label>Volume <input type=range max=10 value=2 oninput="tell(value)"></label>"""
    ended = await carry_out(hand, site, body, "set Volume to 70")
    assert (ended.status, told(site)) == (TaskStatus.REJECTED, [])
