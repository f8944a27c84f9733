"""The browser: an address bar, a history to go back through, and pages of built-in sites."""

from __future__ import annotations

from typing import Any

from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.apps.web_sites import BOOKMARKS, Block, WebPage, find_pages, load_pages, tidy_address
from deskhand.simphone.ui.nodes import FILL, Node, ScrollState
from deskhand.simphone.ui.widgets import (
    Avatar,
    Button,
    Column,
    Divider,
    EmptyNote,
    Entry,
    Label,
    ListRow,
    Row,
    Screen,
    Scroller,
    SectionTitle,
)

HOME = "about:home"


class BrowserTab(Page["WebBrowser"]):
    activity = ".BrowserActivity"

    def __init__(self, app: WebBrowser) -> None:
        super().__init__(app)
        self.past: list[str] = []
        self.address = HOME
        bar = self.use_field("url")
        bar.on_enter = self._open_typed
        bar.enter_label = self.t("前往", "Go")

    def open_address(self, address: str) -> None:
        self.past.append(self.address)
        self._load_address(address)

    def handle_back(self) -> bool:
        if not self.past:
            return False
        self._load_address(self.past.pop())
        return True

    def _load_address(self, address: str) -> None:
        self.host.start_motion("fade")
        self.address = address
        self.app.visited.append(address)
        self.use_field("url").set_text("" if address == HOME else address.rstrip("/"))
        self.fields = {"url": self.use_field("url")}
        self.scrolls = {"page": ScrollState()}
        self.focus_field(None)

    def _open_typed(self) -> None:
        typed = self.use_field("url").text.strip()
        if typed:
            self.open_address(tidy_address(typed) or f"search:{typed}")

    def build(self) -> Node:
        t, theme = self.t, self.colours
        rid = self.app.rid_of
        bar = Row(
            self.build_icon_button(
                "globe", t("主页", "Home"), "home_btn", lambda: self.open_address(HOME), ink=theme.soft
            ),
            self.build_entry(
                self.use_field("url"),
                t("搜索或输入网址", "Search or type a web address"),
                "url",
                fill=theme.field,
                weight=1.0,
                h=108,
                radius=54,
                pad=(44, 16, 44, 16),
            ),
            self.build_icon_button(
                "refresh", t("刷新", "Refresh"), "refresh_btn", lambda: self._load_address(self.address), ink=theme.soft
            ),
            h=150,
            fill=theme.card,
        )
        page = Scroller(
            self.use_scroll("page"),
            *self._build_content(),
            kind="android.webkit.WebView",
            rid=rid("webview"),
            pad=(0, 0, 0, 80),
        )
        return Screen(theme, bar, Divider(theme), page, fill=theme.card)

    def _build_content(self) -> list[Node]:
        if self.address == HOME:
            return self._build_home()
        if self.address.startswith("search:"):
            return self._build_found(self.address.removeprefix("search:"))
        page = load_pages().get(self.address)
        if page is None:
            return [
                EmptyNote(self.t("无法访问此网站", "This site can't be reached"), self.colours),
                Label(self.address, 40, self.colours.faint, w=FILL, align="center"),
            ]
        return self._build_page(page)

    def _build_home(self) -> list[Node]:
        theme = self.colours
        rows = [
            ListRow(
                self.t(*name),
                theme,
                sub=address,
                lead=Avatar(self.t(*name), 100, radius=50),
                on_tap=lambda address=address: self.open_address(tidy_address(address)),
                rid=self.rid_of("bookmark"),
            )
            for address, name in BOOKMARKS
        ]
        return [SectionTitle(self.t("书签", "Bookmarks"), theme), *rows]

    def _build_found(self, words: str) -> list[Node]:
        theme, found = self.colours, find_pages(words)
        head = SectionTitle(self.t(f"“{words}”的搜索结果", f"Results for “{words}”"), theme)
        if not found:
            return [head, EmptyNote(self.t("没有结果", "Nothing found"), theme)]
        return [
            head,
            *(
                ListRow(self.t(*title), theme, sub=address, on_tap=lambda address=address: self.open_address(address))
                for address, title in found
            ),
        ]

    def _build_page(self, page: WebPage) -> list[Node]:
        site = Label(self.t(*page.title), 36, self.colours.soft, w=FILL, pad=(52, 32, 52, 0))
        return [site, *(self._build_block(block) for block in page.blocks)]

    def _build_block(self, block: Block) -> Node:
        theme, text = self.colours, self.t(*block.text)
        if block.kind == "heading":
            return Label(text, 66, theme.ink, bold=True, w=FILL, pad=(52, 24, 52, 32))
        if block.kind == "link":
            return Label(
                text,
                48,
                theme.accent,
                w=FILL,
                pad=(52, 32, 52, 32),
                kind="android.view.View",
                on_tap=lambda: self.open_address(block.to),
            )
        if block.kind == "field":
            field = self.use_field(block.to)
            return Column(Entry(field, text, theme, rid=block.to), pad=(52, 20, 52, 20))
        if block.kind == "submit":
            send = Button(text, lambda: self._submit_form(block.to), theme, rid="submit")
            return Column(send, pad=(52, 28, 52, 28))
        return Label(text, 46, theme.ink, w=FILL, pad=(52, 16, 52, 24))

    def _submit_form(self, to: str) -> None:
        values = {key: field.text for key, field in self.fields.items() if key != "url"}
        if not all(value.strip() for value in values.values()):
            self.host.show_toast(self.t("请填写所有字段", "Please fill in every field"))
            return
        self.app.submissions.append({"page": self.address, **values})
        self.open_address(to)


class WebBrowser(App):
    package, label, label_en, activity = "com.android.browser", "浏览器", "Browser", ".BrowserActivity"
    icon, tint = "globe", (46, 132, 226)

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.visited: list[str] = []
        self.submissions: list[dict[str, str]] = []

    def build_first_page(self) -> Page[App]:
        return BrowserTab(self)

    def open_app(self, data: str | None = None) -> None:
        super().open_app(data)
        page = self.page
        if data and isinstance(page, BrowserTab):
            page.open_address(tidy_address(data) or f"search:{data}")

    def read_state(self) -> dict[str, Any]:
        """address: the page shown; visited: all addresses, oldest first; submissions: forms sent."""
        page = self.page
        address = page.address if isinstance(page, BrowserTab) else HOME
        return {"address": address, "visited": list(self.visited), "submissions": [dict(s) for s in self.submissions]}
