"""uiautomator's dumps as real phones write them, read into elements; key names; app names."""

import pytest

from deskhand.core.errors import NoElements, NotPossible
from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.devices.android.apps import find_app, fold_name, load_known_names, suggest_names
from deskhand.devices.android.elements import read_elements
from deskhand.devices.android.foreground import parse_foreground
from deskhand.devices.android.keys import to_key_code, to_key_codes


def node(kind: str, bounds: str, inside: str = "", **attributes: str) -> str:
    words = {"text": "", "content-desc": "", "resource-id": "", "enabled": "true"}
    words |= {key.replace("_", "-"): value for key, value in attributes.items()}
    pairs = " ".join(f'{key}="{value}"' for key, value in words.items())
    return f'<node class="android.widget.{kind}" bounds="{bounds}" {pairs}>{inside}</node>'


def dump(*nodes: str) -> tuple[Element, ...]:
    header = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
    return read_elements(f'{header}<hierarchy rotation="0">{"".join(nodes)}</hierarchy>'.encode())


def text(words: str, bounds: str) -> str:
    return node("TextView", bounds, text=words)


def test_a_row_without_text_of_its_own_is_named_by_its_children() -> None:
    title, summary = text("Wi-Fi", "[0,0][500,50]"), text("Off", "[0,50][500,100]")
    icon = node("ImageView", "[900,0][1000,100]", content_desc="Signal")
    elements = dump(
        node("LinearLayout", "[0,0][1000,100]", node("LinearLayout", "[0,0][500,100]", title + summary) + icon,
             clickable="true")
    )  # fmt: skip
    assert [(each.role, each.name, each.parent) for each in elements] == [
        ("item", "Wi-Fi, Off, Signal", None),
        ("text", "Wi-Fi", 0),
        ("text", "Off", 0),
        ("image", "Signal", 0),
    ]


def test_what_can_be_tapped_on_its_own_does_not_name_the_row() -> None:
    follow = node("Button", "[800,0][1000,100]", text="Follow", clickable="true")
    row, *_ = dump(node("LinearLayout", "[0,0][1000,100]", text("Ada", "[0,0][500,100]") + follow, clickable="true"))
    assert row.name == "Ada"


def test_a_switch_is_named_by_the_label_beside_it() -> None:
    def row(top: int, name: str, state: str) -> str:
        label = text(name, f"[0,{top}][500,{top + 100}]")
        switch = node("Switch", f"[800,{top}][1000,{top + 100}]", text=state, checkable="true", checked="true",
                      resource_id="android:id/switch_widget")  # fmt: skip
        return label + switch

    rows = (
        node("LinearLayout", "[0,0][1000,100]", row(0, "蓝牙", "开启")),
        node("FrameLayout", "[0,100][1000,200]", row(100, "NFC", "ON")),
    )
    assert [each.name for each in dump(*rows) if each.role == "switch"] == ["蓝牙", "NFC"]
    flat = node("RelativeLayout", "[0,0][1000,200]", row(0, "Wi-Fi", "") + row(100, "Hotspot", ""))
    assert [each.name for each in dump(flat) if each.role == "switch"] == ["Wi-Fi", "Hotspot"]


def test_a_switch_without_any_label_is_named_by_its_id() -> None:
    (switch,) = dump(node("Switch", "[0,0][9,9]", checkable="true", checked="false", resource_id="a.b:id/dark_mode"))
    assert (switch.name, switch.checked) == ("dark mode", False)
    in_list = node("ListView", "[0,0][99,99]", text("Title", "[0,0][50,50]") + node("Switch", "[60,60][99,99]"))
    assert [each.name for each in dump(in_list) if each.role == "switch"] == []


def test_a_field_keeps_what_is_typed_apart_from_its_hint() -> None:
    empty = node("EditText", "[0,0][100,50]", text="Search", hint="Search", focused="true")
    full = node("EditText", "[0,50][100,100]", text=" cats ", hint="Search", content_desc="Query")
    secret = node("EditText", "[0,100][100,150]", text="•••", password="true")
    fields = dump(empty + full + secret)
    assert [(each.value, each.hint, each.name) for each in fields] == [
        ("", "Search", ""),
        (" cats ", "Search", "Query"),
        ("•••", "", ""),
    ]
    assert all(each.editable for each in fields)
    assert fields[0].focused
    assert fields[2].password


def test_a_field_without_hint_is_named_by_the_label_on_its_left() -> None:
    form = text("Name", "[0,0][100,50]") + node("EditText", "[120,0][500,50]", text="Ada")
    assert dump(node("LinearLayout", "[0,0][500,50]", form))[1].name == "Name"


@pytest.mark.parametrize(
    ("kind", "attributes", "role"),
    [
        ("Button", {"text": "OK", "clickable": "true"}, "button"),
        ("ImageButton", {"content_desc": "Back", "clickable": "true"}, "button"),
        ("TextView", {"text": "Skip", "clickable": "true"}, "button"),
        ("TextView", {"text": "Hello"}, "text"),
        ("CheckBox", {"text": "I agree", "checkable": "true"}, "checkbox"),
        ("RadioButton", {"text": "One", "checkable": "true"}, "radio"),
        ("ToggleButton", {"text": "Bold", "checkable": "true"}, "switch"),
        ("SeekBar", {"content_desc": "Volume"}, "slider"),
        ("ProgressBar", {}, "progress"),
        ("Spinner", {"clickable": "true"}, "combobox"),
        ("ScrollView", {"scrollable": "true"}, "list"),
        ("View", {"text": "drawn"}, "text"),
        ("View", {"clickable": "true", "content_desc": "x"}, "button"),
        ("View", {"checkable": "true", "content_desc": "compose"}, "switch"),
        ("ImageView", {"content_desc": "Photo"}, "image"),
    ],
)
def test_every_class_has_a_normal_role(kind: str, attributes: dict[str, str], role: str) -> None:
    (element,) = dump(node(kind, "[0,0][100,100]", **attributes))
    assert element.role == role


def test_tabs_are_what_stands_beside_a_selected_one() -> None:
    def tab(left: int, name: str, selected: str) -> str:
        label = text(name, f"[{left},0][{left + 100},50]")
        return node("FrameLayout", f"[{left},0][{left + 100},50]", label, clickable="true", selected=selected)

    bar = node("LinearLayout", "[0,0][200,50]", tab(0, "Chats", "true") + tab(100, "Contacts", "false"))
    assert [each.name for each in dump(bar) if each.role == "tab"] == ["Chats", "Contacts"]


def test_what_can_be_tapped_in_a_web_page_is_a_link() -> None:
    page = node("WebView", "[0,0][500,500]", node("View", "[0,0][100,20]", content_desc="More", clickable="true"))
    assert dump(page)[-1].role == "link"


def test_elements_come_in_reading_order_whatever_the_order_of_drawing() -> None:
    views = (
        text("footer", "[0,900][500,950]")
        + text("right", "[300,110][500,150]")
        + text("left", "[0,100][200,160]")
        + text("header", "[0,0][500,50]")
    )
    names = [each.name for each in dump(node("RelativeLayout", "[0,0][500,1000]", views))]
    assert names == ["header", "left", "right", "footer"]


def test_what_is_not_to_be_seen_is_left_out() -> None:
    rows = text("inside", "[0,0][500,100]") + text("scrolled away", "[0,300][500,400]")
    elements = dump(
        node("ListView", "[0,0][500,200]", rows, scrollable="true"),
        text("no size", "[0,0][0,0]"),
        node("TextView", "[0,0][9,9]", text="hidden", visible_to_user="false"),
        node("FrameLayout", "[0,0][500,500]"),
    )
    assert [each.name for each in elements] == ["", "inside"]
    assert elements[0].bounds == Rect(0, 0, 500, 200)


@pytest.mark.parametrize("damaged", [b"", b"ERROR: null root node", b"<hierarchy><node</hierarchy>"])
def test_a_dump_that_is_no_tree_gives_no_elements(damaged: bytes) -> None:
    with pytest.raises(NoElements, match="is damaged"):
        read_elements(damaged)


def test_characters_that_xml_can_not_hold_do_no_harm() -> None:
    assert (
        read_elements(b'<hierarchy><node class="X" bounds="[0,0][9,9]" text="a\x00\x08b"/></hierarchy>')[0].name == "ab"
    )


# --- what is in front ---------------------------------------------------------------------------------------------


def test_the_front_is_read_as_android_writes_it() -> None:
    front = parse_foreground(
        "  mCurrentFocus=Window{5d8cd0a u0 com.tencent.mm/com.tencent.mm.ui.LauncherUI}\n"
        "  mFocusedApp=ActivityRecord{9a3 u0 com.tencent.mm/.ui.LauncherUI t12}\n"
        "    mAwake=true\n    mShowingDream=false mDreamingLockscreen=false\n"
    )
    assert (front.package, front.activity, front.locked, front.asleep) == (
        "com.tencent.mm",
        ".ui.LauncherUI",
        False,
        False,
    )


def test_behind_a_popup_the_app_is_in_front() -> None:
    front = parse_foreground(
        "mCurrentFocus=Window{1 u0 PopupWindow:8f2e}\nmFocusedApp=ActivityRecord{2 u0 a.b/c.D t3}\nmCurrentFocus=null"
    )
    assert (front.package, front.activity) == ("a.b", "c.D")


@pytest.mark.parametrize("line", ["mDreamingLockscreen=true", "isKeyguardShowing=true", "mKeyguardShowing=true"])
def test_a_locked_phone_is_recognised(line: str) -> None:
    assert parse_foreground(line).locked


@pytest.mark.parametrize("line", ["mAwake=false", "screenState=SCREEN_STATE_OFF"])
def test_a_sleeping_phone_is_recognised(line: str) -> None:
    assert parse_foreground(line).asleep


# --- names of keys and apps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("enter", 66), ("Return", 66), ("DELETE", 67), ("backspace", 67), ("KEYCODE_DEL", 67), ("Volume Up", 24),
        ("volume-down", 25), ("recent", 187), ("a", 29), ("Z", 54), ("0", 7), ("9", 16), ("f5", 135), ("187", 187),
        ("+", 81), (" ", 62), ("esc", 111), ("page down", 93), ("-", 69),
    ],
)  # fmt: skip
def test_keys_are_known_by_the_names_people_use(name: str, code: int) -> None:
    assert to_key_code(name) == code


def test_keys_together_may_be_one_word_or_several() -> None:
    assert to_key_codes(("ctrl", "a")) == to_key_codes(("ctrl+a",)) == to_key_codes(("Control", "A")) == [113, 29]
    assert to_key_codes(("ctrl", "+")) == [113, 81]


@pytest.mark.parametrize("name", ["hyper", "f13", "键", "--"])
def test_a_key_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(NotPossible, match="has no key"):
        to_key_code(name)


INSTALLED = [
    "com.tencent.mm",
    "com.android.settings",
    "com.autonavi.minimap",
    "com.baidu.BaiduMap",
    "org.fdroid.fdroid",
]


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("微信", "com.tencent.mm"),
        ("WeChat", "com.tencent.mm"),
        ("we chat", "com.tencent.mm"),
        ("wechat app", "com.tencent.mm"),
        ("Wechatt", "com.tencent.mm"),
        ("高德", "com.autonavi.minimap"),
        ("FDroid", "org.fdroid.fdroid"),
        ("org.fdroid.fdroid", "org.fdroid.fdroid"),
        ("地图", None),
        ("微信读书", None),
        ("支付宝", None),
        ("chat", None),
    ],
)
def test_an_app_is_found_by_name_or_not_at_all(name: str, package: str | None) -> None:
    assert find_app(name, INSTALLED) == package


def test_of_two_clocks_the_usual_one_is_meant() -> None:
    assert (
        find_app("Clock", ["com.android.deskclock", "com.google.android.deskclock"]) == "com.google.android.deskclock"
    )


def test_the_nearest_names_are_in_the_askers_language() -> None:
    assert suggest_names("地图", INSTALLED)[:2] == ["高德地图", "百度地图"]
    assert suggest_names("Snake", INSTALLED) == ["WeChat", "Settings", "Amap", "Baidu Maps", "org.fdroid.fdroid"]


def test_the_table_of_names_is_well_made() -> None:
    names = load_known_names()
    assert len(names) > 80
    assert all(fold_name(each) for several in names.values() for each in several)


def sheet(*inside: str) -> tuple[Element, ...]:
    """A page, and over it a layer that dims it with one card at the lower edge."""
    page = node("FrameLayout", "[0,0][1080,2346]", node("Button", "[0,0][1080,200]", text="Delete", clickable="true"))
    card = node("FrameLayout", "[48,1700][1032,2298]", "".join(inside))
    layer = node("FrameLayout", "[0,0][1080,2346]", card, clickable="true")
    return dump(node("FrameLayout", "[0,0][1080,2346]", page + layer))


def choice(words: str, at: int) -> str:
    return node("ViewGroup", f"[60,{at}][1000,{at + 100}]", text(words, f"[400,{at}][600,{at + 60}]"), clickable="true")


@pytest.mark.parametrize(("yes", "no"), [("Delete", "Cancel"), ("删除", "取消"), ("Allow", "Not now")])
def test_a_dialog_is_known_by_its_shape_and_hides_what_it_covers(yes: str, no: str) -> None:
    seen = sheet(text("Sure?", "[60,1720][1000,1780]"), choice(yes, 1800), choice(no, 1950))
    assert (seen[0].role, seen[0].name) == ("dialog", "Sure?")
    assert [e.name for e in seen if e.clickable] == [yes, no], "the button of the page behind it is not offered"


def test_a_menu_covers_too_but_asks_nothing() -> None:
    seen = sheet(text("Shopping list", "[60,1720][1000,1780]"), choice("Move to top", 1800), choice("Delete", 1950))
    assert [e.name for e in seen if e.clickable] == ["Move to top", "Delete"]
    assert "dialog" not in {e.role for e in seen}
