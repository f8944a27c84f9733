"""WeChat's pages about people: a profile, the search, adding a friend."""

from __future__ import annotations

from deskhand.simphone.apps.first_contacts import Person
from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.messenger.app import GREEN, Chat, Messenger
from deskhand.simphone.apps.messenger.chat_page import ChatPage
from deskhand.simphone.ui.nodes import Node
from deskhand.simphone.ui.widgets import (
    Avatar,
    Column,
    EmptyNote,
    Icon,
    Label,
    ListRow,
    Row,
    Screen,
    Scroller,
    SectionTitle,
    Switch,
)


def build_person_row(page: Page[Messenger], person: Person) -> Node:
    app = page.app
    return ListRow(
        person.name,
        page.colours,
        lead=Avatar(person.name, 104),
        on_tap=lambda: app.push_page(ProfilePage(app, person)),
        rid=app.rid_of("contact_item"),
        title_rid=app.rid_of("contact_name"),
        h=150,
    )


class ProfilePage(Page[Messenger]):
    activity = ".plugin.profile.ui.ContactInfoUI"

    def __init__(self, app: Messenger, person: Person) -> None:
        super().__init__(app)
        self.person = person

    def build(self) -> Node:
        t, theme, person = self.t, self.colours, self.person
        region = t(*person.region)
        head = Row(
            Avatar(person.name, 180),
            Column(
                Label(person.name, 60, theme.ink, bold=True, rid=self.rid_of("profile_name")),
                Label(t("微信号：", "WeChat ID: ") + person.handle, 38, theme.soft, rid=self.rid_of("profile_id")),
                Label(t("地区：", "Region: ") + region, 38, theme.soft),
                weight=1.0,
                gap=6,
            ),
            gap=44,
            pad=(52, 44, 44, 60),
            fill=theme.card,
        )
        star = Switch(
            person.name in self.app.starred,
            self._toggle_star,
            theme,
            rid=self.rid_of("star_switch"),
            desc=t("设为星标朋友", "Star this friend"),
        )
        return self.build_form(
            self.build_bar(""),
            head,
            SectionTitle("", theme),
            ListRow(t("设为星标朋友", "Star this friend"), theme, lead=Icon("star", 60, theme.soft), tail=[star]),
            ListRow(t("电话", "Phone"), theme, lead=Icon("phone", 60, theme.soft), sub=person.phone or "—"),
            SectionTitle("", theme),
            Column(
                self.build_button(t("发消息", "Send message"), "profile_send_btn", self._open_chat, fill=GREEN),
                pad=(52, 20, 52, 0),
            ),
        )

    def _toggle_star(self) -> None:
        self.app.starred ^= {self.person.name}

    def _open_chat(self) -> None:
        self.app.push_page(ChatPage(self.app, self.person.name))


class SearchPage(Page[Messenger]):
    activity = ".plugin.fts.ui.FTSMainUI"

    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.focus_field(self.use_field("query"))

    def build(self) -> Node:
        t, theme = self.t, self.colours
        query = self.use_field("query")
        query.enter_label = t("搜索", "Search")
        cancel = Label(
            t("取消", "Cancel"),
            44,
            theme.accent,
            on_tap=self.leave_page,
            rid=self.rid_of("cancel_btn"),
            pad=(20, 24, 20, 24),
        )
        bar = Row(
            self.build_entry(query, t("搜索", "Search"), "search_input", weight=1.0),
            cancel,
            pad=(36, 20, 20, 20),
            gap=12,
        )
        return Screen(
            theme, bar, Scroller(self.use_scroll(), *self._build_results(), rid=self.rid_of("search_results"))
        )

    def _build_results(self) -> list[Node]:
        t, theme, wanted = self.t, self.colours, self.use_field("query").text.strip().lower()
        if not wanted:
            return [EmptyNote(t("搜索联系人和聊天记录", "Search contacts and messages"), theme)]
        people = [p for p in self.app.people if wanted in p.name.lower() or wanted in p.handle.lower()]
        rows: list[Node] = []
        if people:
            rows.append(SectionTitle(t("联系人", "Contacts"), theme))
            rows.extend(self._build_person(p) for p in people)
        said = [(c, m) for c in self.app.chats for m in c.messages if wanted in m.text.lower()]
        if said:
            rows.append(SectionTitle(t("聊天记录", "Chat history"), theme))
            rows.extend(self._build_found(chat, message.text) for chat, message in said)
        return rows or [EmptyNote(t("没有找到相关结果", "No results"), theme)]

    def _build_person(self, person: Person) -> Node:
        return ListRow(
            person.name,
            self.colours,
            lead=Avatar(person.name, 104),
            sub=self.t("微信号：", "WeChat ID: ") + person.handle,
            on_tap=lambda: self.app.push_page(ChatPage(self.app, person.name)),
            rid=self.rid_of("search_item"),
            title_rid=self.rid_of("nickname"),
        )

    def _build_found(self, chat: Chat, text: str) -> Node:
        return ListRow(
            chat.name,
            self.colours,
            lead=Avatar(chat.name, 104),
            sub=text,
            rid=self.rid_of("history_item"),
            on_tap=lambda: self.app.push_page(ChatPage(self.app, chat.name)),
        )


class AddFriendPage(Page[Messenger]):
    activity = ".plugin.subapp.ui.friend.AddMoreFriendsUI"

    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.focus_field(self.use_field("name"))

    def build(self) -> Node:
        t = self.t
        name = self.use_field("name")
        name.on_enter = self._add_person
        return self.build_form(
            self.build_bar(t("添加朋友", "Add contact")),
            Column(
                self.build_entry(name, t("微信号或姓名", "WeChat ID or name"), "add_input"),
                self.build_button(
                    t("添加到通讯录", "Add to contacts"),
                    "add_btn",
                    self._add_person,
                    fill=GREEN,
                    enabled=bool(name.text.strip()),
                ),
                pad=(44, 30, 44, 0),
                gap=36,
            ),
        )

    def _add_person(self) -> None:
        name = self.use_field("name").text.strip()
        if name:
            self.app.add_person(name)
            self.host.show_toast(self.t("已添加", "Added"))
            self.leave_page()
