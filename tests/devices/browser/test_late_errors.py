"""A page that answers after the device's own look: the listing tells what is wrong, until the next input."""

import pytest

from deskhand.core.actions import Key, Type
from deskhand.devices.browser.device import BrowserDevice
from tests.devices.browser.browser_stage import Site, click, script, show

pytestmark = pytest.mark.asyncio(loop_scope="module")

FORM = """<form onsubmit="event.preventDefault(); count.textContent += '.'"><label>Name <input id=name></label>
  <button>Submit</button></form><p id=count>sent</p><p id=out></p><div id=old class=error>Error: the old one</div>
  <div style="height:3000px"></div><p id=far></p>"""
MARKED = "{0}.setAttribute('role', 'alert'); {0}.textContent = '{1}'"
RED = "{0}.style.color = '#c00'; {0}.textContent = '{1}'"


async def list_errors(device: BrowserDevice) -> list[str]:
    return [one.error for one in await device.elements() if one.error]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (MARKED.format("out", "Name is required"), "Name is required"),
        (MARKED.format("out", "姓名不能为空"), "姓名不能为空"),
        (MARKED.format("far", "Name is required"), "Name is required"),
        (RED.format("out", "Name is required"), "Name is required"),
        (RED.format("out", "保存失败，请重试"), "保存失败，请重试"),
        ("out.innerHTML = '<div><b style=color:red>The name is not valid</b></div>'", "The name is not valid"),
        ("out.innerHTML = '<span class=text-danger>Try again later</span>'", "Try again later"),
        ("name_.setAttribute('aria-invalid', 'true')".replace("name_", "document.forms[0][0]"), "Name: invalid"),
        (MARKED.format("out", "Saved"), ""),
        (RED.format("out", "*"), ""),
        (RED.format("out", "Required"), ""),
        (RED.format("out", "Welcome back, Alice"), ""),
        ("out.textContent = 'Some fields are required'", "Some fields are required"),
        ("out.textContent = 'That name is already taken'", "That name is already taken"),
        ("out.textContent = '该用户名已被占用'", "该用户名已被占用"),
        ("out.innerHTML = '<div><p>Your card was declined.</p></div>'", "Your card was declined."),
        ("out.textContent = 'Delete failed items?'", ""),
        ("out.textContent = 'Thank you, it was saved'", ""),
        ("out.innerHTML = '<p>Please choose a seat</p><select><option>1</select>'", ""),
        (f"out.textContent = 'You can not return it if it is not found. {'Read on. ' * 40}'", ""),
        ("old.textContent = 'Error: the old one'", ""),
    ],
)
async def test_what_is_wrong_is_told_by_the_next_listing(
    device: BrowserDevice, site: Site, answer: str, told: str
) -> None:
    await show(device, site.page(FORM))
    assert not await click(device, "Submit")
    assert not await list_errors(device)
    await script(device, answer)
    assert await list_errors(device) == ([told] if told else [])


@pytest.mark.parametrize("method", ["POST", "DELETE", "GET"])
async def test_what_the_server_refuses_is_told(device: BrowserDevice, site: Site, method: str) -> None:
    send = f"fetch('/nowhere', {{method: '{method}'}}).then(() => {{ count.textContent += '!' }})"
    await show(device, site.page(FORM.replace("event.preventDefault();", f"event.preventDefault(); {send};")))
    told = f"{await click(device, 'Submit')} {await list_errors(device)}"
    assert ("the server refused it (404 Not Found)" in told) is (method != "GET")
    await click(device, "Name")
    assert not await list_errors(device)


async def test_enter_is_answered_late_as_well(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(FORM))
    await click(device, "Name")
    await device.act(Type(text="Alice", press_enter=True))
    await script(device, MARKED.format("out", "Name is required"))
    assert await list_errors(device) == ["Name is required"]


async def test_what_comes_of_later_input_is_no_answer_to_the_form(device: BrowserDevice, site: Site) -> None:
    await show(device, site.page(FORM))
    await click(device, "Submit")
    await click(device, "Name")
    await script(device, MARKED.format("out", "Name is required"))
    assert not await list_errors(device)
    await click(device, "Submit")
    await device.act(Key(key="Tab"))
    await script(device, MARKED.format("out", "Name must be short"))
    assert not await list_errors(device)
