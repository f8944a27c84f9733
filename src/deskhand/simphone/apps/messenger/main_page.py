"""WeChat's main screen with its four tabs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.messenger.app import DAYS, GREEN, Chat, Messenger
from deskhand.simphone.apps.messenger.chat_page import ChatPage
from deskhand.simphone.apps.messenger.moments_page import MomentsPage
from deskhand.simphone.apps.messenger.people_pages import AddFriendPage, SearchPage, build_person_row
from deskhand.simphone.ui.nodes import FILL, Action, Node
from deskhand.simphone.ui.widgets import (
    WHITE,
    Avatar,
    Chevron,
    Column,
    Divider,
    Icon,
    Label,
    ListRow,
    Row,
    Screen,
    Scroller,
    SectionTitle,
    Stack,
    Switch,
    TabBar,
    TopBar,
)

Tab = Literal["chats", "contacts", "discover", "me"]


class MainPage(Page[Messenger]):
    activity = ".ui.LauncherUI"

    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.tab: Tab = "chats"

    def build(self) -> Node:
        t, theme, unread = self.t, self.colours, self.app.unread
        count = f"({unread})" if unread else ""
        tabs: dict[Tab, tuple[str, str, Callable[[], Node]]] = {
            "chats": ("chat", t("微信", "Chats"), self._build_chats),
            "contacts": ("people", t("通讯录", "Contacts"), self._build_contacts),
            "discover": ("compass", t("发现", "Discover"), self._build_discover),
            "me": ("person", t("我", "Me"), self._build_me),
        }
        items = [
            (icon, name, self.rid_of(f"tab_{tab}"), tab == self.tab, self._make_opener(tab))
            for tab, (icon, name, _) in tabs.items()
        ]
        actions = (
            self.build_icon_button(
                "search", t("搜索", "Search"), "search_btn", lambda: self.app.push_page(SearchPage(self.app)), size=60
            ),
            self.build_icon_button("plus_circle", t("更多功能", "More"), "plus_btn", self._show_more, size=60),
        )
        _, name, build_body = tabs[self.tab]
        title = t("微信", "WeChat") + count if self.tab == "chats" else name
        bar = TopBar(title, theme, *actions, rid=self.rid_of("title"))
        return Screen(theme, bar, build_body(), TabBar(items, theme, GREEN))

    def _make_opener(self, tab: Tab) -> Action:
        def open_tab() -> None:
            self.tab = tab

        return open_tab

    def _show_more(self) -> None:
        t = self.t

        def add_friend() -> None:
            self.app.push_page(AddFriendPage(self.app))

        self.show_menu(
            "",
            (t("发起聊天", "New chat"), "menu_new_chat", self._make_opener("contacts")),
            (t("添加朋友", "Add contact"), "menu_add", add_friend),
        )

    def _build_chats(self) -> Node:
        rows = [self._build_chat_row(chat) for chat in self.app.chats if chat.messages]
        return Scroller(self.use_scroll("chats"), *rows, rid=self.rid_of("conversation_list"), fill=self.colours.card)

    def _build_chat_row(self, chat: Chat) -> Node:
        theme = self.colours
        last = chat.messages[-1]
        picture = Avatar(chat.name, 120)
        if chat.unread:
            badge = Label(
                str(chat.unread),
                30,
                WHITE,
                fill=theme.red,
                radius=24,
                w=48,
                h=48,
                align="center",
                justify="center",
                rid=self.rid_of("unread_count"),
            )
            corner = Row(badge, justify="end", align="start", w=FILL, h=FILL)
            picture = Stack(Column(picture, pad=(0, 12, 12, 0)), corner, w=132, h=132)
        top = Row(
            Label(chat.name, 46, theme.ink, weight=1.0, max_lines=1, rid=self.rid_of("nickname")),
            Label(self.t(DAYS.get(last.time, last.time), last.time), 32, theme.faint),
        )
        texts = Column(top, Label(last.text, 38, theme.soft, w=FILL, max_lines=1, rid=self.rid_of("last_msg")), gap=6)
        texts.weight = 1.0
        line_of = Row(
            picture,
            texts,
            gap=36,
            pad=(44, 0, 44, 0),
            h=190,
            rid=self.rid_of("conversation_item"),
            on_tap=lambda: self.app.push_page(ChatPage(self.app, chat.name)),
            on_long=lambda: self._show_chat_menu(chat),
        )
        return Column(line_of, Divider(theme, 200))

    def _show_chat_menu(self, chat: Chat) -> None:
        def toggle_unread() -> None:
            chat.unread = 0 if chat.unread else 1

        mark = self.t("标为已读", "Mark as read") if chat.unread else self.t("标为未读", "Mark as unread")
        delete = (self.t("删除该聊天", "Delete chat"), "menu_delete", lambda: self.app.chats.remove(chat))
        self.show_menu(chat.name, (mark, "menu_mark", toggle_unread), delete)

    def _build_contacts(self) -> Node:
        rows: list[Node] = []
        letter = ""
        for person in self.app.people:
            if person.sort[:1].upper() != letter:
                letter = person.sort[:1].upper()
                rows.append(SectionTitle(letter, self.colours))
            rows.append(build_person_row(self, person))
        return Scroller(self.use_scroll("contacts"), *rows, rid=self.rid_of("contact_list"))

    def _build_discover(self) -> Node:
        t, theme = self.t, self.colours

        def open_news() -> None:
            self.host.apps.launch_app(self.host.skin.package_of("com.android.browser"), data="http://news.local/")

        return Scroller(
            self.use_scroll("discover"),
            ListRow(
                t("朋友圈", "Moments"),
                theme,
                lead=Icon("moments", 72, (228, 120, 60)),
                tail=[Chevron(theme)],
                on_tap=lambda: self.app.push_page(MomentsPage(self.app)),
                rid=self.rid_of("moments_row"),
            ),
            Divider(theme),
            ListRow(
                t("看一看", "Top Stories"),
                theme,
                lead=Icon("star", 72, (230, 180, 40)),
                tail=[Chevron(theme)],
                on_tap=open_news,
                rid=self.rid_of("stories_row"),
            ),
        )

    def _build_me(self) -> Node:
        t, theme = self.t, self.colours
        head = ListRow(
            t("我的小号", "Deskhand"),
            theme,
            lead=Avatar(t("我", "D"), 150),
            sub=t("微信号：", "WeChat ID: ") + "deskhand",
            h=280,
            title_rid=self.rid_of("my_name"),
        )
        notify = Switch(
            self.app.notify,
            self._toggle_notify,
            theme,
            rid=self.rid_of("notify_switch"),
            desc=t("新消息通知", "Message notifications"),
        )
        return Scroller(
            self.use_scroll("me"),
            head,
            SectionTitle(t("设置", "Settings"), theme),
            ListRow(t("新消息通知", "Message notifications"), theme, lead=Icon("bell", 64, theme.soft), tail=[notify]),
        )

    def _toggle_notify(self) -> None:
        self.app.notify = not self.app.notify
