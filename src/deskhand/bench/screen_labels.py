"""Screens with known labels in both languages, to test reading: simulated phone apps, drawn and rendered pages."""

import tempfile
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from deskhand.build import Deskhand
from deskhand.clock import SystemClock
from deskhand.core.actions import OpenUrl
from deskhand.core.errors import DeviceSetup
from deskhand.core.geometry import Rect
from deskhand.core.protocols import Device
from deskhand.core.screen import Frame
from deskhand.screen.frame import from_image, to_image
from deskhand.screen.ocr.text_line import TextLine
from deskhand.screen.stillness.settle import VisualStability
from deskhand.settings.schema import Settings
from deskhand.simphone.phone import Phone
from deskhand.simphone.ui.font import FONT_FILE

NEAR = 5
_LONGEST = 24
_ALIKE = str.maketrans({"×": "x", "−": "-", "一": "-", "十": "+", "二": "=", "。": ".", "〇": "0", "o": "0"})
_INK = 48
_BUTTONS = (
    "Submit", "Cancel", "Save changes", "Sign in", "Add to cart", "Next", "Back", "Search", "Delete", "Export CSV",
    "提交", "取消", "保存", "登录", "加入购物车", "下一步", "返回", "搜索", "删除", "设置",
)  # fmt: skip


@dataclass(frozen=True)
class ScreenLabel:
    """A text and the centers it may have: that of its ink, and that of its layout box."""

    text: str
    centers: tuple[tuple[int, int], ...]
    button: bool = True


@dataclass(frozen=True)
class LabelledScreen:
    name: str
    frame: Frame
    labels: tuple[ScreenLabel, ...]


def is_found(label: ScreenLabel, lines: tuple[TextLine, ...]) -> bool:
    """True if a line has the same words within a few pixels of the same place."""
    return any(
        fold_lookalikes(line.text) == fold_lookalikes(label.text) and _is_near(line.bounds.center, label)
        for line in lines
    )


def _is_near(place: tuple[int, int], label: ScreenLabel) -> bool:
    return any(abs(place[0] - x) <= NEAR and abs(place[1] - y) <= NEAR for x, y in label.centers)


def fold_lookalikes(text: str) -> str:
    """Replace letters that look alike by one: × and x, or − and -, can't be told apart in a single picture."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().translate(_ALIKE).split())


def draw_screens() -> Iterator[LabelledScreen]:
    yield from draw_phone_screens("zh")
    yield from draw_phone_screens("en")
    for size in (14, 16, 20):
        yield draw_desktop_page(size)


def draw_phone_screens(locale: str) -> Iterator[LabelledScreen]:
    """Yield the first page of every app that has labels to touch."""
    seconds = iter(range(0, 100_000, 10))
    phone = Phone(now=lambda: float(next(seconds)), today=lambda: datetime(2025, 3, 4, 9, 41), locale=locale)
    for package in ["", *(app.package for app in phone.apps.list_launchable())]:
        if package:
            phone.apps.launch_app(package)
        picture = phone.display.take_screenshot().convert("RGB")
        labels = tuple(
            _list_labels(ElementTree.fromstring(phone.windows.dump_hierarchy()), np.asarray(picture), touched=False)
        )
        if labels:
            yield LabelledScreen(f"phone {locale} {package or 'home'}", from_image(picture), labels)


def _list_labels(node: ElementTree.Element, picture: np.ndarray, touched: bool) -> Iterator[ScreenLabel]:
    touched = touched or node.get("clickable") == "true"
    text = node.get("text", "").strip()
    if touched and text and len(text) <= _LONGEST and "\n" not in text and "EditText" not in node.get("class", ""):
        numbers = node.get("bounds", "").replace("][", ",").strip("[]").split(",")
        box = Rect(*(int(n) for n in numbers))
        center = _find_ink_center(picture, box, len(text))
        if center is not None:
            yield ScreenLabel(text, (center, box.center), button=node.get("clickable") == "true")
    for child in node:
        yield from _list_labels(child, picture, touched)


def _find_ink_center(picture: np.ndarray, box: Rect, letters: int) -> tuple[int, int] | None:
    """Return the center of the ink inside a label's box; None for a box that is cut off, covered or empty."""
    height, width = picture.shape[:2]
    if box != box.intersect_with(Rect(0, 0, width, height)) or not box.area:
        return None
    grey = picture[box.top : box.bottom, box.left : box.right].astype(np.int16).mean(axis=2)
    ground = np.bincount(grey.astype(np.uint8).reshape(-1)).argmax()
    marks = np.abs(grey - ground) > _INK
    if marks[:: len(marks) - 1 or 1, :: marks.shape[1] - 1 or 1].any():  # round corners are not part of the text
        rim = box.height // 5
        marks[:rim] = marks[-rim:] = marks[:, : 2 * rim] = marks[:, -2 * rim :] = False
    rows, columns = np.nonzero(marks)
    if not rows.size or np.ptp(columns) > 1.6 * letters * max(20, np.ptp(rows)):
        return None
    return box.left + int(columns.min() + columns.max() + 1) // 2, box.top + int(rows.min() + rows.max() + 1) // 2


def draw_desktop_page(size: int) -> LabelledScreen:
    """Return a desktop form: rows of buttons close to each other, and running text."""
    image = Image.new("RGB", (1280, 800), (250, 250, 252))
    pen = ImageDraw.Draw(image)
    font = ImageFont.truetype(str(FONT_FILE), size)
    labels: list[ScreenLabel] = []
    x, y = 40, 120
    for number, text in enumerate(_BUTTONS):
        width = int(font.getlength(text)) + 2 * size
        if x + width > 900:
            x, y = 40, y + 4 * size
        dark = number % 3 == 0
        pen.rounded_rectangle((x, y, x + width, y + 2 * size), 6, (40, 90, 200) if dark else (226, 228, 235))
        left, top, right, bottom = (int(n) for n in pen.textbbox((x + size, y + size // 3), text, font=font))
        pen.text((x + size, y + size // 3), text, (255, 255, 255) if dark else (30, 30, 30), font=font)
        labels.append(ScreenLabel(text, (((left + right) // 2, (top + bottom) // 2),)))
        x += width + size // 2
    for line in range(6):
        pen.text((40, 500 + line * 2 * size), "The quick brown fox jumps over the lazy dog.", (60, 60, 60), font=font)
    return LabelledScreen(f"page with letters of {size} px", from_image(image), tuple(labels))


async def render_pages() -> list[LabelledScreen]:
    """Return the same buttons as a browser renders them; none on a machine without a browser."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        try:
            async with Deskhand(settings) as hand, hand.pool.lease_device("browser") as browser:
                settle = VisualStability(settings.settle, SystemClock())
                return [await _render_page(browser, settle, size) for size in (14, 16, 20)]
        except DeviceSetup:
            return []


async def _render_page(browser: Device, settle: VisualStability, size: int) -> LabelledScreen:
    buttons = "".join(f"<button>{text}</button> " for text in _BUTTONS)
    style = f"body{{font:{size}px sans-serif}} button{{font:inherit;padding:.5em 1em;margin:.3em}}"
    before = await browser.frame()
    await browser.act(OpenUrl(url="data:text/html;charset=utf-8," + quote(f"<style>{style}</style>{buttons}")))
    frame = (await settle(browser, before)).frame
    picture = np.asarray(to_image(frame))
    labels = [
        ScreenLabel(element.name, (center, element.bounds.center))
        for element in await browser.elements()
        if element.role == "button" and (center := _find_ink_center(picture, element.bounds, len(element.name)))
    ]
    return LabelledScreen(f"browser's page with letters of {size} px", frame, tuple(labels))
