"""Every instruction has its own proof of effect: on real pages on which the act has none, it is never fulfilled.

Each page comes as its sincere twin, on which the same goal is fulfilled, and with what sabotages the act.
"""

import pytest

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from deskhand.task.state import TaskState
from tests.devices.browser.browser_stage import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLOCK = """<p id=clock>00:00:00</p>
  <script>setInterval(() => { clock.textContent = new Date().toLocaleTimeString() }, 90)</script>"""
HEADLINES = """<p id=news>News A</p>
  <script>let n = 0; setInterval(() => { news.textContent = "News " + "ABC"[++n % 3] }, 70)</script>"""
COVER = "<div style='position:fixed;inset:0;background:#fffb'>Please wait for the captain</div>"

# goal, the page with HOLE, {name: what stands in the hole}; "" is the sincere twin
CLICKED = (
    "click Sign up",
    "<h1>Welcome</h1>HOLE<p id=out></p>",
    {
        "": "<button onclick=\"out.textContent = 'Hello'\">Sign up</button>",
        "heading": "<h2>Sign up</h2>",
        "plain text": "<p>Sign up</p>",
        "heading beside a clock": f"{CLOCK}<h2>Sign up</h2>",
        "heading beside headlines": f"{HEADLINES}<h2>Sign up</h2>",
        "heading that takes the focus away": "<input autofocus><h2>Sign up</h2>",
        "dead button": "<button>Sign up</button>",
        "dead button with a hover": "<style>button:hover{background:red;color:white}</style><button>Sign up</button>",
        "disabled": "<button disabled onclick=\"out.textContent = 'Hello'\">Sign up</button>",
        "covered": f"<button onclick=\"out.textContent = 'Hello'\">Sign up</button>{COVER}",
        "swallowed": "<a href=/away onclick='return false'>Sign up</a>",
    },
)
CLICKED_ZH = (
    "点击注册",
    "<h1>欢迎</h1>HOLE<p id=out></p>",
    {
        "": "<button onclick=\"out.textContent = '你好'\">注册</button>",
        "heading": "<h2>注册</h2>",
        "dead button": "<button>注册</button>",
    },
)
TYPED = (
    'type "Alice Smith" into Name',
    "<label>Name <input HOLE></label> <label>City <input id=city></label>",
    {
        "": "",
        "truncated": "maxlength=5",
        "upper case": 'oninput="value = value.toUpperCase()"',
        "emptied": 'oninput="value = String()"',
        "emptied late": 'oninput="setTimeout(() => value = String(), 30)"',
        "spaces dropped": 'oninput="value = value.replaceAll(String.fromCharCode(32), String())"',
        "elsewhere": "oninput=\"city.value = value; value = ''\"",
        "read-only": "readonly",
        "disabled": "disabled",
    },
)
CHECKED = (
    "check Newsletter",
    "<label><input type=checkbox HOLE> Newsletter</label>",
    {
        "": "",
        "springs back": "onchange='checked = false'",
        "springs back late": "onchange='setTimeout(() => checked = false, 250)'",
        "refused": "onclick='return false'",
        "disabled": "disabled",
    },
)
SELECTED = (
    "select Germany in Country",
    "<label>Country <select HOLE><option>France<option>Germany</select></label>",
    {
        "": "",
        "springs back": "onchange='selectedIndex = 0'",
        "disabled": "disabled",
    },
)
SUBMITTED = (
    'type "Alice" into Name, click Submit',
    """<form onsubmit="event.preventDefault(); HOLE"><label>Name <input></label><button>Submit</button></form>
    <p id=out></p><ul id=list></ul>""",
    {
        "": "out.textContent = 'Thank you'",
        "dead": "",
        "error": "out.setAttribute('role', 'alert'); out.textContent = 'Error: the name is not valid'",
        "late error": """setTimeout(() => {
          out.setAttribute('role', 'alert'); out.textContent = 'Name is required' }, 30)""",
    },
)
DELETED = (
    "delete Milk",
    """<style>.asking { position: fixed; inset: 80px; background: #eee }</style><h1>Shopping</h1>
    <ul id=list><li>Bread <button aria-label="Delete Bread">x</button></li>
    <li id=milk><span>Milk</span> <button aria-label="Delete Milk" onclick="HOLE">x</button></li>
    <li>Tea <button aria-label="Delete Tea">x</button></li></ul><div id=box></div>""",
    {
        "": "milk.remove()",
        "dead": "",
        "refills": """const m = milk, p = m.parentNode; m.remove();
          setTimeout(() => p.insertBefore(m, p.lastElementChild), 300)""",
        "asks and stays": """milk.style.visibility = 'hidden'; box.innerHTML = '<div class=asking>' +
          '<p>Delete this note?</p><button>Cancel</button> <button>Delete</button></div>'""",
        "covered by a question": """box.innerHTML = '<div class=asking style=inset:0>' +
          '<p>Really delete it?</p><button>No</button> <button>Yes</button></div>'""",
        "another page": "document.body.innerHTML = '<h1>Something went wrong</h1>'",
        "error": "box.setAttribute('role', 'alert'); box.textContent = 'Error: it could not be deleted'",
    },
)
SEARCHED = (
    'search for "tea"',
    """<input type=search aria-label=Search oninput="HOLE" onkeydown="if (event.key == 'Enter') { HOLE }">
    <ul id=list><li>Bread</li><li>Tea</li></ul><p id=out></p>""",
    {
        "": """for (const li of document.querySelectorAll('li'))
          li.hidden = !li.textContent.toLowerCase().includes(value)""",
        "emptied": "value = String()",
        "dead": "",
    },
)
SET = (
    "set Volume to 80",
    "<label>Volume <input type=range min=0 max=100 value=10 HOLE></label>",
    {"": "", "springs back": "oninput='value = 10'", "disabled": "disabled"},
)
LOGGED_IN = (
    'log in as "ada" with password "pw-4711"',
    """<form id=form onsubmit="event.preventDefault(); HOLE"><label>Username <input></label>
    <label>Password <input type=password></label><button>Log in</button></form><p id=out></p>""",
    {
        "": "form.remove(); out.innerHTML = 'Welcome, ada <a href=/out>Log out</a>'",
        "dead": "",
        "refused": "form.remove(); out.textContent = 'Unknown user ada'",
        "refused zh": "form.remove(); out.textContent = '用户名或密码错误'",
        "blank": "document.body.innerHTML = ''",
        "asks again": "form.reset(); out.textContent = 'Hello'",
    },
)
DRAGGED = (
    'drag "Milk" onto "Done"',
    """<style>div { border: 1px solid; width: 200px; min-height: 90px; margin: 60px }</style>
    <div><p draggable=true id=milk ondragstart="out.textContent = 'dragging'">Milk</p></div>
    <div ondragover="event.preventDefault()" ondrop="event.preventDefault(); HOLE" id=done>Done</div><p id=out></p>""",
    {
        "": "done.append(milk)",
        "dead": "",
        "only a word": "out.textContent = 'Milk was moved'",
        "springs back": "const p = milk.parentNode; done.append(milk); setTimeout(() => p.append(milk), 120)",
        "lost": "milk.remove()",
    },
)
CHOSEN = (
    "select Small in Gift",
    """<fieldset><legend>Coat</legend><label><input type=radio name=c checked>Small</label>
    <label><input type=radio name=c>Large</label></fieldset>
    <fieldset><legend>Gift</legend><label><input type=radio name=g HOLE>Small</label>
    <label><input type=radio name=g checked id=big>Large</label></fieldset>""",
    {"": "", "springs back": "onchange='big.checked = true'", "refused": "onclick='return false'"},
)
VANISHED = (
    'type "Alice" into Name, type "Paris" into City, click Send',
    """<label>Name <input id=who></label> <label>City <input oninput="HOLE"></label>
    <button onclick="out.textContent = 'Thank you'">Send</button><p id=out></p>""",
    {"": "", "the first is emptied": "who.value = String()", "the first is overwritten": "who.value = value"},
)
TABLE = {
    "log in": LOGGED_IN, "drag": DRAGGED, "choose": CHOSEN, "lasting text": VANISHED,
    "click": CLICKED, "click zh": CLICKED_ZH, "type": TYPED, "check": CHECKED, "select": SELECTED, "submit": SUBMITTED,
    "delete": DELETED, "search": SEARCHED, "set": SET,
}  # fmt: skip
CASES = [(kind, name) for kind, (_, _, holes) in TABLE.items() for name in holes]


async def carry_out(hand: Deskhand, site: Site, kind: str, name: str) -> TaskState:
    goal, page, holes = TABLE[kind]
    return await hand.run(goal, device="browser", url=site.page(page.replace("HOLE", holes[name])))


@pytest.mark.parametrize(("kind", "name"), CASES)
async def test_only_what_had_an_effect_is_fulfilled(hand: Deskhand, site: Site, kind: str, name: str) -> None:
    ended = await carry_out(hand, site, kind, name)
    wanted = TaskStatus.REJECTED if name else TaskStatus.FULFILLED
    assert ended.status is wanted, f"{ended.status}: {ended.reason}"
    assert ended.reason
