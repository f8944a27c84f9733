"""Widgets that pages build themselves, worked by plain goals without a model, judged by what reached the server."""

import pytest

from deskhand.build import Deskhand
from deskhand.core.statuses import TaskStatus
from tests.devices.browser.browser_stage import Site
from tests.e2e.test_browser_goals import carry_out, told

pytestmark = pytest.mark.asyncio(loop_scope="module")


FOLDS = """<details><summary>Shipping</summary><a href="#" onclick="tell('rates')">Rates</a></details>
  <details><summary>Returns</summary><a href="#" onclick="tell('label')">Return label</a></details>"""
TREE = """<ul><li><i style="cursor:pointer;display:inline-block;width:12px;height:12px;background:#999"
    onclick="this.parentNode.querySelector('ul').hidden=false"></i><span>Reports</span>
  <ul hidden><li onclick="tell('2024')" style="cursor:pointer">Budget 2024</li></ul></li></ul>"""
BOXES = """<label><input type=checkbox>Tea</label><label><input type=checkbox checked>Milk</label>
  <label><input type=checkbox>Sugar</label><button onclick="tell([...document.querySelectorAll('input')]
    .map((box) => +box.checked).join(''))">Order</button>"""
ICONS = """<style>b{display:inline-block;width:20px;height:20px;cursor:pointer;background:#ddd}</style>
  <div>Invoice 1 <b class="fa fa-trash" onclick="tell('bin'); this.parentNode.remove()"></b>
    <b class="fa fa-star" onclick="tell('star'); this.style.background='gold'"></b></div>"""
CALENDAR = """<label>Arrival <input id=day readonly onclick="cal.hidden=false"></label>
  <div id=cal hidden><button title="Previous month" onclick="turn(-1)">‹</button><b id=head></b>
    <button title="Next month" onclick="turn(1)">›</button><p id=days></p></div>
  <button onclick="tell(day.value)">Book</button><script>
  let at = new Date(2026, 0, 1); const two = (n) => String(n).padStart(2, "0");
  function draw() {
    head.textContent = at.toLocaleString("en", { month: "long" }) + " " + at.getFullYear(); days.innerHTML = "";
    for (let n = 1; n < 29; n++) {
      const cell = document.createElement("button"); cell.textContent = n; days.append(cell);
      cell.onclick = () => {
        day.value = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(n)}`; cal.hidden = true; }; } }
  function turn(by) { at.setMonth(at.getMonth() + by); draw(); } draw();</script>"""
WIZARD = """<p>May 2020</p><label>Arrival <input readonly></label><button onclick="tell('next')">Next</button>"""
MENU = """<nav><button aria-haspopup=menu onclick="m.hidden=false">File</button>
  <div id=m hidden role=menu><button role=menuitem onclick="tell('export');m.hidden=true">Export</button></div></nav>"""
HOVERED = """<style>#m{display:none}nav:hover #m{display:block}</style><nav style="width:200px"><a href="#">File</a>
  <div id=m><a href="#" onclick="tell('export');this.textContent='Exported'">Export</a></div></nav><p>Text</p>"""
SLIDER = """<div style="width:200px;height:10px;background:#ccc;position:relative"><span class="range-thumb" tabindex=0
    style="position:absolute;left:50px;width:12px;height:12px;background:#333"
    onkeydown="n += { ArrowRight: 1, ArrowLeft: -1 }[event.key] || 0; shown.textContent = n"></span></div>
  <p id=shown>3</p><button onclick="tell(n)">Keep</button><script>let n = 3</script>"""
SLASHED = CALENDAR.replace(
    "`${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(n)}`",
    "`${two(at.getMonth() + 1)}/${two(n)}/${at.getFullYear()}`",
)
PICKER = """<style>#skin{cursor:pointer;width:120px;position:relative}#skin ul{display:none;height:60px;overflow:auto;
    margin:0;list-style:none;padding:0}#skin.on ul{display:block}li{height:30px}</style>
  <div id=skin onclick="this.classList.toggle('on')"><div style="width:0;height:0;overflow:hidden"><select id=s>
    <option>Small<option>Medium<option>Large<option>Huge</select></div><p id=now>Small</p><ul></ul></div>
  <button onclick="tell(s.value)">Keep</button><script>
  for (const one of s.options) { const li = document.createElement("li");
    li.textContent = one.label; li.onclick = () => { s.value = one.label; now.textContent = one.label; };
    document.querySelector("ul").append(li); }</script>"""
LONG_LIST = """<p>Take the towns that you like, please.</p><select id=towns multiple size=3>
  <option>Aalen<option>Bonn<option>Celle<option>Dessau<option>Emden<option>Fulda<option>Gotha</select>
  <button onclick="tell([...towns.selectedOptions].map((o) => o.label).join())">Keep</button>"""
SPIN = """<label>Copies <input id=n value=2 onkeydown="event.preventDefault(); if (event.key === 'ArrowUp') n.value++;
  if (event.key === 'ArrowDown') n.value--"></label><button onclick="tell(n.value)">Print</button>"""
PICTURES = """<style>div{cursor:pointer;border:1px solid}i{display:inline-block;width:16px;height:16px;
    content:url("data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")}</style>
  <div>Ann's letter <i class=bin onclick="tell('bin');this.remove()"></i>
    <i class=flag onclick="tell('flag');this.remove()"></i></div>"""
TABLE = """<table><tr><td>Town<td>Oslo<tr><td>Order number<td>A-17</table><textarea>old words here</textarea>
  <p>The quick brown fox jumps, and sleeps.</p><input id=a><button onclick="tell(a.value)">Keep</button>"""
SORTED = """<style>ul{margin:0;padding:0} li{list-style:none;width:120px;height:24px;margin:3px;background:#ddd}</style>
  <ul
    id=u>
  <li>Bread<li>Cheese<li>Milk<li>Salt</ul><script>let held; addEventListener("mousedown", (e) => { held =
    e.target.closest("li");
    e.preventDefault() }); addEventListener("mousemove", (e) => { const over = e.target.closest("li"), box =
    over?.getBoundingClientRect();
    if (!held || !over || over === held) return; const down = e.clientY > box.top + box.height / 2;
    over[down ? "after" : "before"](held) }); addEventListener("mouseup", () => { if (held)
    tell([...u.children].map((one) =>
    one.textContent[0]).join("")); held = null })</script>"""
MAIL = """<style>div,i{cursor:pointer}i{display:inline-block;width:16px;height:16px;
    content:url("data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")}</style>
  <div onclick="show('open')"><p>Ann</p><p>Lunch?</p></div><div onclick="show('other')"><p>Ben</p><p>Rent</p></div>
  <section id=open hidden><h2>Lunch?</h2><div onclick="show('form')">Reply</div><i class=flag
    onclick="tell('flag');this.remove()"></i>
    <i class=bin onclick="tell('bin');show('none')"></i></section><section id=other hidden>Rent is due.</section>
  <section id=form hidden><textarea id=t></textarea><i id=send-now onclick="tell(t.value);show('none')"></i></section>
  <script>function show(id) { for (const one of document.querySelectorAll("section,body>div")) one.hidden = one.id
    !== id;
    document.querySelectorAll("body>div").forEach((one) => one.hidden = true) }</script>"""
PAGES = """<h3 id=h></h3><span>Phone: </span><span><a id=p href="#" onclick="tell(at +
    this.textContent)"></a></span><ul id=l></ul>
  <nav><a href="#" onclick="turn(-1)">‹</a> <b id=n></b> <a href="#" onclick="turn(1)">›</a></nav><script>
  let at = 0; const names = ["Ann", "Ben", "Cleo"]; function turn(by) { at = Math.min(2, Math.max(0, at + by));
    h.textContent = names[at]; p.textContent = "55" + at; n.textContent = at + 1; }; turn(0)</script>"""
ASKING = """<label>Name <input id=a onfocus="if (!window.asked) { asked = 1; a.disabled = true; q.hidden = false
    }"></label>
  <div id=q hidden><p>Leave this page?</p><button onclick="tell('left')">OK</button>
    <button onclick="a.disabled=false;q.hidden=true">Cancel</button></div><button
    onclick="tell(a.value)">Keep</button>"""
SIGNED = """<b style="cursor:pointer" onclick="m.hidden=false">+</b><p id=m hidden><a href="#"
    onclick="tell('print')">Print</a></p>"""
SLIDERS = (
    "".join(
        SLIDER.split("<button")[0].replace("shown", f"s{k}").replace("n +=", f"v{k} +=").replace('= n"', f'= v{k}"')
        for k in (1, 2)
    )
    + "<button onclick='tell(v1 * 100 + v2)'>Keep</button><script>let v1 = 3, v2 = 3</script>"
)
TERMS = (
    """<textarea id=d style="height:60px" onscroll="if (d.scrollTop + d.clientHeight >= d.scrollHeight - 2)
  go.disabled = false">"""
    + "We may change our mind.\n" * 30
    + """</textarea>
  <button id=go disabled onclick="tell('agreed')">Agree</button>"""
)


ACCORDION = """<style>[role=tab]{cursor:pointer}</style><div role=tab aria-expanded=false
    onclick="this.ariaExpanded='true'; p.hidden=false">Part 7</div>
  <p id=p hidden>Part 7 tells of the journey and of those who made it.</p>
  <div role=tab aria-expanded=false>Go on<button onclick="tell(p.hidden ? 'shut' : 'open')">Go on</button></div>"""
FOLDED_ZH = ACCORDION.replace("Part 7", "说明").replace("Go on", "继续")
GRIP = """<div style="position:relative;width:160px;height:60px" id=w><textarea id=t
    style="width:100%;height:100%;resize:none;box-sizing:border-box"></textarea>
    <s style="position:absolute;left:0;right:0;bottom:-4px;height:7px"></s>
    <i id=g title=grip style="position:absolute;right:1px;bottom:4px;width:14px;height:14px;background:#bbb"></i></div>
  <button onclick="tell(w.offsetHeight > 60 ? 'tall' : w.offsetWidth < 160 ? 'narrow' : 'same')">保存</button>
  <script>let from;
  g.onmousedown = (e) => { from = [e.clientX - w.offsetWidth, e.clientY - w.offsetHeight]; e.preventDefault() };
  addEventListener("mousemove", (e) => { if (from) { w.style.width = e.clientX - from[0] + "px";
    w.style.height = e.clientY - from[1] + "px" } }); addEventListener("mouseup", () => { from = null })</script>"""
LIT_UP = """<style>.on{fill:red;cursor:pointer}</style><p style="cursor:pointer" onclick="v.style.display='block'">+</p>
  <svg id=v width=200 height=100 style="display:none"><rect x=10 y=10 width=180 height=80 fill=#ddd
    onmouseover="this.classList.add('on')"></rect><text x=90 y=60 pointer-events=none>North</text></svg>"""
TARGET = """<svg id=v width=200 height=160><circle id=c cx=90 cy=80 r=40 fill=white stroke=black></circle></svg>
  <p id=d>ready</p><script>v.addEventListener("click", (e) => { const b = c.getBoundingClientRect();
    tell(Math.hypot(e.clientX - b.left - 40, e.clientY - b.top - 40) < 3 ? "hit" : "missed");
    d.textContent = "shot" })</script>"""
# Blocks of one build, with the same controls in each.
POSTS = "".join(
    f"""<div style="border:1px solid;margin:8px"><h3>{name}</h3><p>by {by}</p>
    <button onclick="tell('like', '{by}');this.textContent='Liked'">Like</button>
    <button onclick="tell('share', '{by}');this.textContent='Shared'">Share</button></div>"""
    for name, by in [("Summer trip", "Ann"), ("Winter trip", "Ben"), ("Autumn walk", "Cleo")]
)
CARDS = "<p>Cart (<span id=n>0</span>)</p>" + "".join(
    f"""<div style="display:inline-block;width:180px"><h2>{name}</h2><p>$5</p>
    <button onclick="tell('{name[0]}');n.textContent++">Add to cart</button></div>"""
    for name in ("Red mug", "Blue mug", "Green bowl")
)
ADDRESSES = """<fieldset><legend>Billing address</legend><label>Street <input id=b></label></fieldset>
  <fieldset><legend>Shipping address</legend><label>Street <input id=s value=old></label></fieldset>
  <button onclick="tell(b.value, s.value)">Keep</button>"""
DAY = "<label>Arrival <input type=date id=d></label><button onclick='tell(d.value)'>Book</button>"
GROWING = """<div id=l style="height:300px;overflow:auto"></div><script>let n = 0; function more() {
    for (let i = 0; i < 15; i++) { const p = document.createElement("p"), k = ++n; p.textContent = "Entry " + k;
      p.style.cursor = "pointer"; p.onclick = () => { tell(k); p.textContent += " taken" }; l.append(p) } } more();
  l.onscroll = () => { if (l.scrollTop + l.clientHeight > l.scrollHeight - 30 && n < 45) setTimeout(more, 400) }
  </script>"""
TABS = """<div role=tablist><button role=tab aria-selected=true>Profile</button>
  <button role=tab aria-selected=false onclick="tell('billing');p.textContent='Your card'">Billing</button></div>
  <p id=p>Your profile</p>"""


@pytest.mark.parametrize(
    ("body", "goal", "expected"),
    [
        (POSTS, "click Like next to Winter trip", ["like/Ben"]),
        (POSTS, "点击“Winter trip”旁边的Share", ["share/Ben"]),
        (POSTS, 'click "Share" in the card "Autumn walk"', ["share/Cleo"]),
        (CARDS, 'click "Add to cart" next to Blue mug', ["B"]),
        (ADDRESSES, 'type "Main St 1" into Street of the Shipping address, click Keep', ["/Main%20St%201"]),
        (DAY, "set Arrival to 24 December 2026, click Book", ["2026-12-24"]),
        (DAY, 'enter "Dec 24, 2026" in Arrival and click Book', ["2026-12-24"]),
        (GROWING, 'click "Entry 40"', ["40"]),
        (TABS, "open the Billing tab", ["billing"]),
        (TABS, "打开Billing标签页", ["billing"]),
    ],
)
async def test_blocks_days_and_lists_of_a_page(
    hand: Deskhand, site: Site, body: str, goal: str, expected: list[str]
) -> None:
    ended = await carry_out(hand, site, body, goal)
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, expected), ended.reason


@pytest.mark.parametrize(
    ("body", "goal", "expected"),
    [
        (ACCORDION, "expand the part below and click Go on", ["open"]),
        (FOLDED_ZH, "展开“说明”，然后点击“继续”", ["open"]),
        (GRIP, "make the height of the text area larger and click 保存", ["tall"]),
        (GRIP, "resize the text area so that the width is smaller than before, then click 保存", ["narrow"]),
        (GRIP, "把文本框的高度调大，然后点击“保存”", ["tall"]),
        (TARGET, "click on the centre of the circle", ["hit"]),
        (TERMS.replace("Agree", "Submit"), "scroll the text area to the bottom of its text press submit", ["agreed"]),
        (TERMS.replace("Agree", "提交"), "把文本框滚动到底部点击提交", ["agreed"]),
        (TABLE, "enter the value of Order number into the text field and click Keep", ["A-17"]),
        (TABLE, "find the 3rd word in the paragraph, type it into the text field and click Keep", ["brown"]),
        (TABLE, "copy the text in the text area, paste it into the text field and click Keep", ["old%20words%20here"]),
        (SORTED, "drag Salt up by one position", ["BCSM"]),
        (SORTED, "drag Bread to the bottom", ["CMSB"]),
        (SORTED, "move Milk to the 1st position", ["MBCS"]),
        (MAIL, "find the email by Ann and click the flag icon to mark it as important", ["flag"]),
        (MAIL, "find the mail from Ann and click the bin icon to delete it", ["bin"]),
        (PAGES, "find Cleo in the contact book and click on her phone number", ["2552"]),
        (ASKING, "type “Kim” into Name and click Keep", ["Kim"]),
        (SIGNED, "expand the tool menu and click Print", ["print"]),
        (SLIDERS, "set the sliders to [5,2] and click Keep", ["502"]),
        (TERMS, "scroll to the bottom of the text area and click Agree", ["agreed"]),
        (SLASHED, "select 03/04/2026 as the arrival and click Book", ["03%2F04%2F2026"]),
        (
            "<input type=date id=d><button onclick='tell(d.value)'>Book</button>",
            "enter 03/04/2026 as the date and click Book",
            ["2026-03-04"],
        ),
        (PICKER, "choose Huge from the dropdown and click Keep", ["Huge"]),
        (LONG_LIST, "select Bonn, Gotha from the list and click Keep", ["Bonn%2CGotha"]),
        (SPIN, "set Copies to 5 and click Print", ["5"]),
        (PICTURES, "click the flag icon", ["flag"]),
        (FOLDS, 'find and click the link "Return label"', ["label"]),
        (TREE, "Navigate the tree. Find and click on the file named “Budget 2024”", ["2024"]),
        (BOXES, "select Tea, Milk and click Order", ["110"]),
        (ICONS, "click the trash icon to delete it", ["bin"]),
        (ICONS, "click the star icon", ["star"]),
        (CALENDAR, "select 2026-04-20 as the arrival and click Book", ["2026-04-20"]),
        (CALENDAR, "enter 11/25/2025 as the arrival and click Book", ["2025-11-25"]),
        (MENU, "select File > Export", ["export"]),
        (HOVERED, "select File > Export", ["export"]),
        (SLIDER, "select 9 with the slider and click Keep", ["9"]),
    ],
)
async def test_widgets_of_a_page(hand: Deskhand, site: Site, body: str, goal: str, expected: list[str]) -> None:
    ended = await carry_out(hand, site, body, goal)
    assert (ended.status, told(site)) == (TaskStatus.FULFILLED, expected), ended.reason


@pytest.mark.parametrize(
    ("body", "goal"),
    [
        ("<p>Click button SEVEN.</p><p>nothing else</p>", "Click button SEVEN."),
        ("<p>Press the key that fits best.</p><button>A</button><button>B</button>", "Press the key that fits best."),
        (LIT_UP, "expand the menu below and click on North"),
        (LIT_UP, "展开菜单，然后点击“North”"),
        (BOXES, "select nothing"),
        (POSTS, "click Like next to Yellow trip"),
        (POSTS, "click Like"),
        (ADDRESSES, 'type "Main St 1" into Street, click Keep'),
        ("<p>Look for: red shoes by Kim.</p><label>Colour <input></label><label>Maker <input></label>"
         "<button onclick=\"tell('empty')\">Search</button>", "search for red shoes by Kim"),
        ("<p>Search for red shoes by Kim from 1999.</p><input><p id=t>12</p>"
         "<script>setInterval(() => { t.textContent++ }, 99)</script>", "Search for red shoes by Kim from 1999."),
        (PICKER, "choose Tiny from the dropdown"),
        (TABLE, "find the 30th word in the paragraph and type it into the text field"),
        (SORTED, "drag Salt down by one position"),
        (SORTED, "drag Salt to the center"),
        (MAIL, "find the email by Carl and click the bin icon to delete it"),
        (PAGES, "find Dora in the contact book and click on her phone number"),
        (BOXES, "select Tea, Order and click Milk"),
        (BOXES, "select Order and Tea"),
        (BOXES, "select “Order”, “Tea”"),
        (CALENDAR, "enter 11/05/2025 as the arrival and click Book"),
        (CALENDAR, "select 2026-04-30 as the arrival and click Book"),
        (WIZARD, "select 2026-04-20 as the arrival"),
        (MENU + "<button onclick=\"tell('other')\">Export</button>", "select File > Export"),
        (SLIDER, "type the number of the day into Final"),
    ],
)  # fmt: skip
async def test_what_is_not_there_or_not_understood_is_never_called_done(
    hand: Deskhand, site: Site, body: str, goal: str
) -> None:
    ended = await carry_out(hand, site, body, goal)
    assert (ended.status, told(site)) == (TaskStatus.REJECTED, []), ended.reason
