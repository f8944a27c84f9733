"""A description and the elements of a screen give the one thing that is meant, or say honestly that they do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element, Role
from deskhand.screen.grounding.find import ENOUGH, find_element, find_nearest_names, rank_candidates
from deskhand.screen.grounding.query import read_description
from deskhand.screen.grounding.vocabulary import fold_name, is_same_word, synonyms_of

W, H = 1080, 2400


class Screen:
    """Builds an element tree by hand."""

    def __init__(self) -> None:
        self.elements: list[Element] = [Element(0, "window", Rect(0, 0, W, H))]

    def add(
        self, role: Role, box: tuple[int, int, int, int], name: str = "", *, parent: int = 0, **more: object
    ) -> int:
        index = len(self.elements)
        self.elements.append(Element(index, role, Rect(*box), name=name, parent=parent, **more))  # type: ignore[arg-type] # hand-written trees
        return index

    def row(self, top: int, title: str, *, parent: int, control: Role | None = None, checked: bool = False) -> int:
        row = self.add("group", (0, top, W, top + 160), parent=parent, clickable=True)
        self.add("text", (160, top + 40, 700, top + 120), title, parent=row)
        if control:
            self.add(control, (900, top + 40, 1020, top + 120), parent=row, clickable=True, checked=checked)
        return row


@pytest.fixture
def preferences() -> tuple[Element, ...]:
    screen = Screen()
    screen.add("heading", (60, 100, 400, 180), "设置")
    screen.add("field", (40, 200, 1040, 300), editable=True, clickable=True, hint="搜索设置项", id="a:id/search_box")
    rows = screen.add("list", (0, 320, W, 2200), scrollable=True)
    screen.row(320, "WLAN", parent=rows, control="switch", checked=False)
    screen.row(480, "蓝牙", parent=rows, control="switch", checked=True)
    screen.row(640, "显示", parent=rows)
    screen.row(800, "声音", parent=rows)
    return tuple(screen.elements)


@pytest.fixture
def shopping() -> tuple[Element, ...]:
    screen = Screen()
    things = screen.add("list", (0, 200, W, 1800), scrollable=True)
    for n, name in enumerate(["Milk", "Bread", "Eggs"]):
        row = screen.add("item", (0, 200 + n * 160, W, 360 + n * 160), parent=things, clickable=True)
        top = 240 + n * 160
        screen.add("checkbox", (20, top, 100, top + 80), parent=row, clickable=True, checked=False)
        screen.add("text", (160, top, 500, top + 80), name, parent=row)
        screen.add("button", (880, top, 1040, top + 80), "Delete", parent=row, clickable=True)
    screen.add("button", (40, 2200, 500, 2320), "Cancel", clickable=True)
    screen.add("button", (560, 2200, 1040, 2320), "Submit", clickable=True)
    return tuple(screen.elements)


def test_a_named_button_is_found_in_either_language(shopping: tuple[Element, ...]) -> None:
    for words in ["the Submit button", "Submit", "submit", "提交", "提交按钮", "“Submit”按钮", 'button named "Submit"']:
        found = find_element(words, shopping, "clickable")
        assert found.best is not None, words
        assert found.best.target.name == "Submit", words


def test_a_label_leads_to_the_control_of_its_row(preferences: tuple[Element, ...]) -> None:
    for words in [
        "Wi-Fi",
        "WLAN",
        "无线网络",
        "the switch next to Wi-Fi",
        "Wi-Fi switch",
        "WLAN旁边的开关",
        "Wi-Fi开关",
    ]:
        found = find_element(words, preferences, "checkable")
        assert found.best is not None, words
        assert found.best.target.role == "switch", words
        assert found.best.target.checked is False, words


def test_a_label_leads_to_the_row_that_takes_the_click(preferences: tuple[Element, ...]) -> None:
    found = find_element("Display", preferences, "clickable")
    assert found.best is not None
    assert found.best.target.bounds.top == 640
    assert found.best.target.clickable


def test_a_relation_chooses_among_equals(shopping: tuple[Element, ...]) -> None:
    assert find_element("checkbox", shopping, "checkable").status == "ambiguous"
    for words, row in [
        ("the checkbox left of Bread", 1),
        ("Bread左边的复选框", 1),
        ("the Delete button next to Eggs", 2),
        ("Milk旁边的删除按钮", 0),
        ("the Delete button in the Milk row", 0),
        ("the delete button to the right of Bread", 1),
    ]:
        found = find_element(words, shopping, "any")
        assert found.best is not None, words
        assert found.best.target.bounds.top == 240 + row * 160, words


def test_of_all_that_stand_there_the_next_one_is_meant() -> None:
    screen = Screen()
    for number, name in enumerate(["Cancel", "Save", "Send", "Help"]):
        screen.add("button", (40 + 260 * number, 2200, 260 + 260 * number, 2320), name, clickable=True)
    for words, name in [
        ("the button right of Cancel", "Save"),
        ("取消右边的按钮", "Save"),
        ("the button to the left of Help", "Send"),
        ("Help左边的按钮", "Send"),
    ]:
        found = find_element(words, tuple(screen.elements), "clickable")
        assert found.best is not None, words
        assert found.best.target.name == name, words
    screen.add("button", (40, 200, 260, 320), "Cancel", clickable=True)
    screen.add("button", (400, 200, 620, 320), "Retry", clickable=True)
    finding = find_element("the button right of Cancel", tuple(screen.elements), "clickable")
    assert finding.status == "ambiguous", "each Cancel has one"
    assert {c.target.name for c in finding.candidates} == {"Save", "Retry"}


def test_ordinals_count_in_reading_order(shopping: tuple[Element, ...]) -> None:
    for words, row in [
        ("the second item", 1),
        ("第二个商品", 1),
        ("last item", 2),
        ("最后一项", 2),
        ("第一个搜索结果", 0),
        ("the 3rd Delete button", 2),
        ("倒数第二行", 1),
        ("the second to last item", 1),
        ("the 3rd-to-last row", 0),
        ("second last item", 1),
    ]:
        found = find_element(words, shopping, "clickable")
        assert found.best is not None, words
        assert found.best.target.bounds.top // 160 == (200 + row * 160) // 160, words
    assert find_element("the ninth item", shopping, "clickable").status == "nothing"


def test_positions_and_nameless_fields(preferences: tuple[Element, ...], shopping: tuple[Element, ...]) -> None:
    for words in ["search box at the top", "the search field", "输入框", "顶部的搜索框", "search"]:
        found = find_element(words, preferences, "editable")
        assert found.best is not None, words
        assert found.best.target.editable, words
    found = find_element("the button at the bottom right", shopping, "clickable")
    assert found.best is not None
    assert found.best.target.name == "Submit"
    found = find_element("右下角的按钮", shopping, "clickable")
    assert found.best is not None
    assert found.best.target.name == "Submit"


def test_states_are_read(preferences: tuple[Element, ...]) -> None:
    found = find_element("the checked switch", preferences, "checkable")
    assert found.best is not None
    assert found.best.target.bounds.top == 520


def test_an_identifier_counts_as_a_name() -> None:
    screen = Screen()
    screen.add("switch", (900, 100, 1020, 180), id="com.app:id/wifi_switch", checked=True, clickable=True)
    screen.add("switch", (900, 300, 1020, 380), id="com.app:id/bluetoothToggle", checked=True, clickable=True)
    found = find_element("无线网络", tuple(screen.elements), "checkable")
    assert found.best is not None
    assert found.best.target.id.endswith("wifi_switch")
    found = find_element("Bluetooth", tuple(screen.elements), "checkable")
    assert found.best is not None
    assert found.best.target.id.endswith("bluetoothToggle")


def test_a_field_is_found_by_the_label_above_it() -> None:
    screen = Screen()
    screen.add("text", (40, 100, 300, 160), "Phone")
    screen.add("field", (40, 180, 1040, 280), editable=True, clickable=True)
    screen.add("text", (40, 400, 300, 460), "Email")
    screen.add("field", (40, 480, 1040, 580), editable=True, clickable=True)
    for words, top in [("the phone field", 180), ("邮箱输入框", 480), ("Email", 480)]:
        found = find_element(words, tuple(screen.elements), "editable")
        assert found.best is not None, words
        assert found.best.target.bounds.top == top, words


def test_two_that_fit_equally_are_reported_not_guessed(shopping: tuple[Element, ...]) -> None:
    finding = find_element("Delete", shopping, "clickable")
    assert finding.status == "ambiguous"
    assert len(finding.candidates) == 3
    assert finding.best is None


def test_a_row_and_the_switch_in_it_are_one_thing() -> None:
    screen = Screen()
    row = screen.row(320, "Wi-Fi", parent=0)
    screen.add("switch", (900, 360, 1020, 440), "Wi-Fi", parent=row, clickable=True, checked=False)
    found = find_element("Wi-Fi", tuple(screen.elements), "clickable")
    assert found.best is not None
    assert found.best.target.index == row
    found = find_element("Wi-Fi", tuple(screen.elements), "checkable")
    assert found.best is not None
    assert found.best.target.role == "switch"


def test_places_above_below_and_inside() -> None:
    screen = Screen()
    for top, name in [(100, "Name"), (500, "Email")]:
        screen.add("text", (40, top, 400, top + 80), name)
        screen.add("button", (40, top + 100, 400, top + 180), "Edit", clickable=True)
    box = screen.add("dialog", (100, 1000, 900, 1600), "Leave?")
    screen.add("button", (200, 1400, 400, 1500), "Edit", parent=box, clickable=True)
    for words, top in [
        ("the Edit button below Email", 600),
        ("the Edit button above Email", 200),
        ("Name下面的Edit按钮", 200),
        ("the Edit button in the Leave? dialog", 1400),
        ("the Edit button in the middle of the screen", 1400),
    ]:
        ranked = rank_candidates(words, tuple(screen.elements), "clickable")
        assert ranked[0].target.bounds.top == top, words


def test_nothing_names_what_was_seen(shopping: tuple[Element, ...]) -> None:
    finding = find_element("Butter", shopping, "clickable")
    assert finding.status == "nothing"
    assert "Milk" in find_nearest_names("Milkk", shopping)
    assert finding.nearest


def test_a_slip_of_the_pen_is_forgiven_but_numbers_are_not(shopping: tuple[Element, ...]) -> None:
    found = find_element("Submitt", shopping, "clickable")
    assert found.best is not None
    assert found.best.target.name == "Submit"
    screen = Screen()
    screen.add("button", (0, 0, 100, 100), "Room 1234", clickable=True)
    assert find_element("Room 1235", tuple(screen.elements), "clickable").status == "nothing"


def test_text_without_a_tree_as_ocr_gives_it_can_be_clicked_where_it_stands() -> None:
    texts = tuple(
        Element(i, "text", Rect(40, 100 * i, 400, 100 * i + 60), name=name, source="ocr")
        for i, name in enumerate(["File", "Open…", "Save as", "Quit"])
    )
    found = find_element("Save as", texts, "clickable")
    assert found.best is not None
    assert found.best.target.name == "Save as"


def test_a_query_says_what_the_words_mean() -> None:
    query = read_description("第二个搜索结果")
    assert (query.ordinal, query.name, "item" in query.roles) == (2, "", True)
    query = read_description("the checkbox left of “Milk in box”")
    assert query.relation == "left"
    assert query.anchor is not None
    assert query.anchor.name == "Milk in box"
    query = read_description("search box at the top")
    assert (query.name, query.position) == ("search", "top")
    assert read_description("第十二个联系人").ordinal == 12
    assert read_description("the selected tab").state == "selected"


def test_vocabulary_joins_languages() -> None:
    assert is_same_word("Send", "发送")
    assert is_same_word("Wi-Fi", "WLAN")
    assert not is_same_word("Send", "Save")
    assert "设置" in synonyms_of("settings")
    assert fold_name("Wi-Fi ") == "wifi"
    assert fold_name("÷") == "÷"


boxes = st.builds(
    lambda x, y, w, h: Rect(x, y, x + w, y + h),
    st.integers(0, 2000), st.integers(0, 2000), st.integers(0, 900), st.integers(0, 900),
)  # fmt: skip
elements = st.lists(
    st.builds(
        Element,
        index=st.integers(0, 12),
        role=st.sampled_from(["button", "text", "field", "switch", "item", "list", "group"]),
        bounds=boxes,
        name=st.text(max_size=12) | st.sampled_from(["Send", "发送", "Milk", "第二个"]),
        parent=st.none() | st.integers(0, 12),
        clickable=st.booleans(),
        editable=st.booleans(),
        scrollable=st.booleans(),
        checked=st.none() | st.booleans(),
        id=st.text(max_size=10),
    ),
    max_size=14,
)
descriptions = st.text(max_size=30) | st.lists(
    st.sampled_from(
        ["the ", "第二个", "左边的", " left of ", "按钮", " in ", "“Send”", "Milk", "last ", "顶部的", "'", "的"]
    ),
    max_size=7,
).map("".join)


@given(descriptions, elements, st.sampled_from(["any", "clickable", "editable", "checkable"]))
def test_any_words_on_any_screen_give_an_answer(words: str, seen: list[Element], want: str) -> None:
    finding = find_element(words, seen, want)  # type: ignore[arg-type] # drawn from the allowed values
    assert (finding.status == "found") == (finding.best is not None)
    for candidate in finding.candidates:
        assert candidate.element in seen
        assert candidate.target in seen
        if want == "editable":
            assert candidate.target.editable
        if want == "checkable":
            assert candidate.target.checked is not None
    if finding.status != "nothing":
        assert all(c.score >= ENOUGH for c in finding.candidates)


@given(st.text(alphabet="abcdefghijklmnop 设置微信", min_size=3, max_size=12).filter(lambda t: t.strip()), elements)
def test_what_is_called_exactly_so_ranks_first(name: str, seen: list[Element]) -> None:
    named = Element(99, "button", Rect(10, 10, 200, 100), name=name, clickable=True)
    ranked = rank_candidates(name, [*seen, named], "clickable")
    assert ranked
    assert ranked[0].score <= max(c.score for c in ranked if c.target.index == 99) + 0.11


def controls(*rows: tuple[Role, str, dict[str, object]]) -> tuple[Element, ...]:
    screen = Screen()
    for n, (role, name, more) in enumerate(rows):
        screen.add(role, (0, n * 100, 400, n * 100 + 60), name, **{"clickable": True, **more})  # type: ignore[arg-type] # hand-written trees
    return tuple(screen.elements)


@pytest.mark.parametrize(
    ("wanted", "others"),
    [("“All”", ["Close all"]), ("“Delete”", ["Delete all"]), ("“删除”", ["全部删除"]), ("“2”", ["First", "Last"])],
)
def test_a_quoted_name_is_not_taken_for_a_larger_or_another_one(wanted: str, others: list[str]) -> None:
    elements = controls(*(("button", name, {"id": f"ui-id-{n + 2}"}) for n, name in enumerate(others)))
    assert find_element(wanted, elements, "clickable").status == "nothing"


def test_of_the_same_name_the_button_the_kind_that_was_said_and_the_open_menu_are_meant() -> None:
    form = controls(("field", "Search", {"editable": True}), ("button", "Search", {}))
    assert find_element("“Search”", form, "clickable").candidates[0].target.role == "button"
    tabs = controls(("tab", "Flow 1", {}), ("button", "Flow 1", {}))
    assert find_element("the “Flow 1” tab", tabs, "clickable").candidates[0].target.role == "tab"
    screen = Screen()
    screen.add("button", (0, 800, 200, 900), "Text File", clickable=True)
    menu = screen.add("menu", (0, 0, 300, 600))
    entry = screen.add("item", (0, 0, 300, 60), "Text File", parent=menu, clickable=True)
    best = find_element("“Text File”", screen.elements, "clickable").best
    assert best is not None
    assert best.target.index == entry
