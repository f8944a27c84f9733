"""`simphone --view`: the screen live on a page, touched by a real browser; nobody else gets in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import async_playwright

from deskhand.devices.browser.executable import find_executable
from deskhand.simphone.adb.phone_server import SimPhone
from deskhand.simphone.phone import Phone
from tests.conftest import eventually


@pytest.fixture
async def shown() -> AsyncIterator[SimPhone]:
    async with SimPhone(Phone(locale="en"), view=True) as sim:
        yield sim


async def ask(sim: SimPhone, request: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
    """One request as the words go over the wire: no client that would mend them."""
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    sent = {"Host": sim.address, "Content-Length": str(len(body))} | {
        k.replace("_", "-"): v for k, v in headers.items()
    }
    head = "\r\n".join([f"{request} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())])
    writer.write(f"{head}\r\n\r\n".encode() + body)
    async with asyncio.timeout(30):
        answer = await reader.read()
    writer.close()
    return int(answer.split()[1]), answer.partition(b"\r\n\r\n")[2]


async def test_the_page_shows_the_screen_and_passes_touches_keys_and_text_on(shown: SimPhone) -> None:
    phone = shown.phone
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=str(find_executable()))
        page = await browser.new_page(viewport={"width": 600, "height": 1000})
        await page.goto(shown.view_url)
        screen = page.locator("#screen")

        async def drawn() -> bool:
            return await page.evaluate("document.getElementById('screen').naturalWidth") == 1080

        await eventually(drawn)
        before = await screen.get_attribute("src")
        box = await screen.bounding_box()
        assert box
        scale = min(box["width"] / 1080, box["height"] / 2400)
        left, top = box["x"] + (box["width"] - 1080 * scale) / 2, box["y"] + (box["height"] - 2400 * scale) / 2

        async def shade_is(down: bool) -> None:
            async def check() -> bool:
                return phone.apps.system_ui.shade_shown is down

            await eventually(check)

        await page.mouse.move(left + 540 * scale, top + 20 * scale)
        await page.mouse.down()
        await page.mouse.move(left + 540 * scale, top + 900 * scale, steps=5)
        await page.mouse.up()
        await shade_is(True)
        await page.get_by_text("Back").click()
        await shade_is(False)

        async def redrawn() -> bool:
            return await screen.get_attribute("src") != before

        await eventually(redrawn)
        phone.apps.launch_app("com.android.contacts")
        field = phone.apps.page.use_field("search")
        phone.apps.page.focus_field(field)
        phone.settle_screen()
        await page.fill("#text", "Grace 你好")
        await page.press("#text", "Enter")

        async def typed() -> bool:
            return field.text == "Grace 你好"

        await eventually(typed)
        await browser.close()


async def test_only_who_has_the_key_sees_or_touches(shown: SimPhone) -> None:
    assert shown.view
    key = shown.view.key
    tap = json.dumps({"kind": "down", "x": 1, "y": 1}).encode()
    assert (await ask(shown, "GET /view/screen"))[0] == 403
    assert (await ask(shown, "GET /view/screen", X_Key="wrong"))[0] == 403
    assert (await ask(shown, "POST /view/input", tap))[0] == 403
    status, picture = await ask(shown, "GET /view/screen", X_Key=key)
    assert (status, picture[:3]) == (200, b"\xff\xd8\xff")
    assert (await ask(shown, "POST /view/input", tap, X_Key=key))[0] == 200
    status, page = await ask(shown, "GET /view")
    assert status == 200
    assert key.encode() not in page, "the page itself does not give it away"


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80", "Origin": "http://evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
async def test_other_sites_are_kept_out_of_everything(shown: SimPhone, headers: dict[str, str]) -> None:
    assert shown.view
    for request in ("GET /view", "GET /view/screen", "POST /view/input", "GET /state", "PUT /conditions/locked"):
        assert (await ask(shown, request, b"{}", X_Key=shown.view.key, **headers))[0] == 403
    assert not shown.phone.is_locked


@pytest.mark.parametrize(
    "body", [b"", b"[", b"[]", b"{}", b'{"kind": "tap"}', b'{"key": "4"}', b'{"kind":"up","x":"1"}']
)
async def test_nonsense_is_refused_and_changes_nothing(shown: SimPhone, body: bytes) -> None:
    assert shown.view
    before = shown.phone.read_state()
    assert (await ask(shown, "POST /view/input", body, X_Key=shown.view.key))[0] == 400
    assert shown.phone.read_state() == before


async def test_without_view_there_is_no_page() -> None:
    async with SimPhone(Phone()) as sim:
        assert sim.view_url == ""
        assert (await ask(sim, "GET /view"))[0] == 404
        assert (await ask(sim, "GET /state"))[0] == 200
