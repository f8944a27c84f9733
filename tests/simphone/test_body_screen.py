"""What is drawn: readable, animated at the moment asked for, cached while nothing changes."""

import time
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from PIL import Image, ImageChops

from deskhand.simphone.render.icons import icon_mask, read_icons
from deskhand.simphone.ui.font import draw_glyphs, text_width, wrap_text
from tests.simphone.body import Hand

ATTRIBUTES = {
    "index", "text", "resource-id", "class", "package", "content-desc", "checkable", "checked", "clickable",
    "enabled", "focusable", "focused", "scrollable", "long-clickable", "password", "selected", "visible-to-user",
    "bounds",
}  # fmt: skip


def differs(one: Image.Image, other: Image.Image, box: tuple[int, int, int, int] | None = None) -> bool:
    if box is not None:
        one, other = one.crop(box), other.crop(box)
    return ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox() is not None


def test_an_unchanged_screen_is_not_drawn_again() -> None:
    hand = Hand()
    first = hand.phone.display.take_screenshot()
    assert hand.phone.display.take_screenshot() is first
    start = time.perf_counter()
    for _ in range(20):
        hand.phone.display.take_screenshot()
    assert (time.perf_counter() - start) / 20 < 0.005


def test_pictures_handed_out_are_never_painted_on_again() -> None:
    hand = Hand()
    first = hand.phone.display.take_screenshot()
    copy = first.copy()
    hand.open("微信")
    hand.phone.display.take_screenshot()
    assert not differs(first, copy)


def test_repainting_only_what_changed_gives_the_same_picture_as_painting_all() -> None:
    steps = Hand()
    steps.open("设置")
    steps.phone.display.take_screenshot()
    steps.tap("airplane_switch")
    steps.phone.display.take_screenshot()
    steps.drag(540, 1500, 540, 1100)
    steps.phone.display.take_screenshot()
    steps.tap("location_switch")
    once = Hand()
    once.open("设置")
    once.tap("airplane_switch")
    once.drag(540, 1500, 540, 1100)
    once.tap("location_switch")
    assert not differs(steps.phone.display.take_screenshot(), once.phone.display.take_screenshot())


def test_an_opening_app_is_drawn_on_its_way() -> None:
    hand = Hand()
    home = hand.phone.display.take_screenshot()
    hand.press(*hand.centre("设置"))
    frames = [home]
    for _ in range(4):
        assert hand.phone.display.is_animating()
        hand.wait(0.06)
        frames.append(hand.phone.display.take_screenshot())
    hand.wait(0.3)
    assert not hand.phone.display.is_animating()
    frames.append(hand.phone.display.take_screenshot())
    assert all(differs(a, b) for a, b in pairwise(frames))
    hand.wait(5)
    assert not differs(frames[-1], hand.phone.display.take_screenshot())


def test_pages_slide_and_come_back() -> None:
    hand = Hand()
    hand.open("设置")
    front = hand.phone.display.take_screenshot()
    hand.press(*hand.centre("Wi-Fi"))
    hand.wait(0.1)
    middle = hand.phone.display.take_screenshot()
    hand.wait(1)
    inside = hand.phone.display.take_screenshot()
    assert differs(front, middle)
    assert differs(middle, inside)
    hand.key(4)
    assert not differs(front, hand.phone.display.take_screenshot(), (0, 100, 1080, 2300))


def test_leaving_a_page_and_an_app_is_drawn_too() -> None:
    hand = Hand()
    hand.open("设置")
    hand.tap("Wi-Fi")
    inside = hand.phone.display.take_screenshot()
    hand.phone.input.press_key(4)
    hand.wait(0.1)
    leaving = hand.phone.display.take_screenshot()
    hand.wait(1)
    front = hand.phone.display.take_screenshot()
    hand.phone.input.press_key(3)
    hand.wait(0.1)
    closing = hand.phone.display.take_screenshot()
    hand.wait(1)
    frames = [inside, leaving, front, closing, hand.phone.display.take_screenshot()]
    assert all(differs(a, b) for a, b in pairwise(frames))


def test_turning_the_phone_in_the_middle_of_a_transition_is_harmless() -> None:
    hand = Hand()
    hand.press(*hand.centre("设置"))
    hand.phone.conditions.add("rotated")
    hand.wait(0.1)
    assert hand.phone.display.take_screenshot().size == (2400, 1080)


def test_a_new_wall_of_text_is_drawn_quickly() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("tab_contacts")
    hand.phone.display.take_screenshot()
    took: list[float] = []
    for _ in range(6):
        hand.drag(540, 1800, 540, 1650)
        start = time.process_time()
        hand.phone.display.take_screenshot()
        took.append(time.process_time() - start)
    assert min(took) < 0.04


def test_the_keyboard_rises_from_below() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("李四")
    hand.press(*hand.centre("chat_input"))
    hand.wait(0.04)
    assert hand.phone.display.is_animating()
    rising = hand.phone.display.take_screenshot()
    hand.wait(0.4)
    risen = hand.phone.display.take_screenshot()
    assert differs(rising, risen, (0, 1600, 1080, 2300))
    assert not hand.phone.display.is_animating()


def test_a_switch_moves_its_thumb() -> None:
    hand = Hand()
    hand.open("设置")
    hand.tap("Wi-Fi")
    box = hand.box("wifi_switch")
    off = hand.phone.display.take_screenshot()
    hand.press(*hand.centre("wifi_switch"))
    hand.wait(0.05)
    assert hand.phone.display.is_animating()
    moving = hand.phone.display.take_screenshot()
    hand.wait(0.5)
    on = hand.phone.display.take_screenshot()
    assert not hand.phone.display.is_animating()
    assert differs(off, moving, box)
    assert differs(moving, on, box)


def test_no_animation_when_the_setting_says_so() -> None:
    hand = Hand()
    hand.phone.settings["global"]["transition_animation_scale"] = "0"
    hand.press(*hand.centre("设置"))
    assert not hand.phone.display.is_animating()


def test_the_caret_blinks_every_half_second() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("search_btn")
    hand.phone.input.type_text("a")
    shown = hand.phone.display.take_screenshot()
    hand.wait(0.6)
    hidden = hand.phone.display.take_screenshot()
    hand.wait(0.5)
    again = hand.phone.display.take_screenshot()
    field = hand.box("search_input")
    assert differs(shown, hidden, field)
    assert not differs(shown, hidden, (0, field[3], 1080, 2400))
    assert not differs(shown, again)
    assert not hand.phone.display.is_animating()


def test_the_status_bar_tells_the_time_and_the_radios() -> None:
    hand = Hand()
    hand.open("设置")
    before = hand.phone.display.take_screenshot()
    hand.wait(60)
    later = hand.phone.display.take_screenshot()
    assert differs(before, later, (0, 0, 300, 96))
    assert not differs(before, later, (300, 96, 1080, 2400))
    hand.phone.settings["global"]["wifi_on"] = "1"
    assert differs(later, hand.phone.display.take_screenshot(), (700, 0, 1080, 96))
    low = hand.phone.display.take_screenshot()
    hand.phone.battery_level = 9
    assert differs(low, hand.phone.display.take_screenshot(), (800, 0, 1080, 96))


def test_scrolling_moves_by_as_much_as_the_finger() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("tab_contacts")
    before = hand.box("Carol")
    hand.drag(540, 1800, 540, 1500)
    after = hand.box("Carol")
    assert before[1] - after[1] == 300
    hand.drag(540, 1000, 540, 2200)
    assert hand.box("Carol") == before


def test_a_list_stops_at_its_end() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("tab_contacts")
    for _ in range(8):
        hand.drag(540, 2000, 540, 600)
    last = hand.box(hand.all("contact_name")[-1])
    assert hand.find("朱琳") is not None
    hand.drag(540, 2000, 540, 600)
    assert hand.box(hand.all("contact_name")[-1]) == last


def test_a_secure_window_is_black_but_has_a_hierarchy() -> None:
    hand = Hand()
    hand.open("示例银行")
    picture = hand.phone.display.take_screenshot().convert("RGB")
    assert picture.crop((0, 100, 1080, 2340)).getextrema() == ((0, 0), (0, 0), (0, 0))
    assert hand.sees("登录")
    assert hand.find("password").get("password") == "true"


def test_a_toast_is_shown_for_a_while() -> None:
    hand = Hand()
    clean = hand.phone.display.take_screenshot()
    hand.phone.show_toast("你好")
    noted = hand.phone.display.take_screenshot()
    assert differs(clean, noted)
    hand.wait(3)
    assert not differs(clean, hand.phone.display.take_screenshot())


def test_dark_mode_is_dark() -> None:
    hand = Hand()
    hand.open("设置")
    light = hand.phone.display.take_screenshot().convert("L").resize((1, 1)).getpixel((0, 0))
    hand.phone.settings["secure"]["ui_night_mode"] = "2"
    dark = hand.phone.display.take_screenshot().convert("L").resize((1, 1)).getpixel((0, 0))
    assert isinstance(light, int)
    assert isinstance(dark, int)
    assert light > 200 > 80 > dark


@pytest.mark.parametrize(
    "name", ["设置", "微信", "时钟", "计算器", "笔记", "天气", "相册", "优选商城", "通讯录", "浏览器", "相机"]
)
def test_every_app_dumps_as_uiautomator_does_and_stays_on_the_screen(name: str) -> None:
    hand = Hand()
    hand.open(name)
    xml = hand.phone.windows.dump_hierarchy()
    root = ET.fromstring(xml.encode())
    assert xml.startswith("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>")
    assert root.tag == "hierarchy"
    package = hand.phone.windows.foreground[0]
    for node in root.iter("node"):
        assert set(node.keys()) >= ATTRIBUTES
        assert node.get("package") == package
        x1, y1, x2, y2 = hand.box(node)
        assert 0 <= x1 < x2 <= 1080
        assert 0 <= y1 < y2 <= 2400


def test_awkward_text_survives_the_dump() -> None:
    hand = Hand()
    hand.open("微信")
    hand.tap("search_btn")
    text = "a<b>&\"c' \x07 明天"
    hand.phone.input.type_text(text)
    assert hand.find("search_input").get("text") == text.replace("\x07", ".")


def test_an_empty_field_reports_its_hint() -> None:
    hand = Hand(locale="en")
    hand.open("Settings")
    field = hand.find("search_field")
    assert (field.get("text"), field.get("hint")) == ("Search settings", "Search settings")


def test_text_is_wrapped_between_words_and_characters() -> None:
    lines = wrap_text("The quick brown fox jumps over the lazy dog", 40, 400)
    assert len(lines) > 1
    assert all(text_width(line, 40) <= 402 for line in lines)
    assert all(not line.startswith(("，", "。")) for line in wrap_text("今天天气很好，我们去公园。" * 4, 40, 300))
    assert wrap_text("一二三四五六七八九十", 40, 200, 1)[0].endswith("…")
    assert wrap_text("甲\n乙\n丙", 40, 400, 2) == ("甲", "乙…")


def test_chinese_characters_are_drawn_not_boxed() -> None:
    one, other = draw_glyphs("微", 60), draw_glyphs("信", 60)
    assert one.getbbox() is not None
    assert one.tobytes() != other.tobytes()


def test_every_icon_draws_something() -> None:
    assert len(read_icons()) > 50
    assert all(icon_mask(name, 48).getbbox() for name in read_icons())
