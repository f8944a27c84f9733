"""WeChat's main screen with its four tabs, and the pages that belong to contacts and moments."""

from __future__ import annotations

from typing import Literal

from deskhand.simphone.apps.first_contacts import Person
from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.messenger.app import DAYS, GREEN, Chat, Messenger, Moment
from deskhand.simphone.apps.messenger.chat_page import ChatPage
from deskhand.simphone.ui.nodes import FILL, WRAP, Node
from deskhand.simphone.ui.widgets import (
    WHITE,
    avatar,
    badge_icon,
    button,
    chevron,
    column,
    empty_note,
    entry,
    icon,
    label,
    line,
    list_row,
    menu_card,
    row,
    screen,
    scroller,
    section,
    stack,
    switch,
    tab_bar,
    top_bar,
)

Tab = Literal["chats", "contacts", "discover", "me"]


class MessengerPage(Page):
    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.mm = app


class MainPage(MessengerPage):
    activity = ".ui.LauncherUI"

    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.tab: Tab = "chats"

    def build(self) -> Node:
        t, theme, unread = self.t, self.colours, self.mm.unread
        count = f"({unread})" if unread else ""
        titles = {
            "chats": t("微信", "WeChat") + count,
            "contacts": t("通讯录", "Contacts"),
            "discover": t("发现", "Discover"),
            "me": t("我", "Me"),
        }
        actions = (
            icon(
                "search",
                60,
                theme.ink,
                on_tap=lambda: self.mm.push_page(SearchPage(self.mm)),
                desc=t("搜索", "Search"),
                rid=self.mm.rid_of("search_btn"),
            ),
            icon(
                "plus_circle",
                60,
                theme.ink,
                on_tap=self._show_more,
                desc=t("更多功能", "More"),
                rid=self.mm.rid_of("plus_btn"),
            ),
        )
        body = {
            "chats": self._build_chats,
            "contacts": self._build_contacts,
            "discover": self._build_discover,
            "me": self._build_me,
        }
        bar = top_bar(titles[self.tab], theme, *actions, rid=self.mm.rid_of("title"))
        return screen(theme, bar, body[self.tab](), self._build_tabs())

    def _build_tabs(self) -> Node:
        t = self.t
        tabs: tuple[tuple[Tab, str, str], ...] = (
            ("chats", "chat", t("微信", "Chats")),
            ("contacts", "people", t("通讯录", "Contacts")),
            ("discover", "compass", t("发现", "Discover")),
            ("me", "person", t("我", "Me")),
        )
        return tab_bar(
            [(i, name, self.mm.rid_of(f"tab_{tab}"), tab == self.tab, self._make_opener(tab)) for tab, i, name in tabs],
            self.colours,
            GREEN,
        )

    def _make_opener(self, tab: Tab):
        def open_tab() -> None:
            self.tab = tab

        return open_tab

    def _show_more(self) -> None:
        t = self.t

        def start_chat() -> None:
            self.dismiss_dialog()
            self.tab = "contacts"

        def add_friend() -> None:
            self.dismiss_dialog()
            self.mm.push_page(AddFriendPage(self.mm))

        self.show_dialog(
            lambda: menu_card(
                "",
                (
                    (t("发起聊天", "New chat"), self.mm.rid_of("menu_new_chat"), start_chat),
                    (t("添加朋友", "Add contact"), self.mm.rid_of("menu_add"), add_friend),
                ),
                self.colours,
            )
        )

    def _build_chats(self) -> Node:
        rows = [self._build_chat_row(chat) for chat in self.mm.chats if chat.messages]
        return scroller(
            self.use_scroll("chats"), *rows, rid=self.mm.rid_of("conversation_list"), fill=self.colours.card
        )

    def _build_chat_row(self, chat: Chat) -> Node:
        theme = self.colours
        last = chat.messages[-1]
        picture = avatar(chat.name, 120)
        if chat.unread:
            badge = label(
                str(chat.unread),
                30,
                WHITE,
                fill=theme.red,
                radius=24,
                w=48,
                h=48,
                align="center",
                justify="center",
                rid=self.mm.rid_of("unread_count"),
            )
            corner = row(badge, justify="end", align="start", w=FILL, h=FILL)
            picture = stack(column(picture, pad=(0, 12, 12, 0)), corner, w=132, h=132)
        top = row(
            label(chat.name, 46, theme.ink, weight=1.0, max_lines=1, rid=self.mm.rid_of("nickname")),
            label(self.t(DAYS.get(last.time, last.time), last.time), 32, theme.faint),
        )
        texts = column(
            top, label(last.text, 38, theme.soft, w=FILL, max_lines=1, rid=self.mm.rid_of("last_msg")), gap=6
        )
        texts.weight = 1.0
        line_of = row(
            picture,
            texts,
            gap=36,
            pad=(44, 0, 44, 0),
            h=190,
            rid=self.mm.rid_of("conversation_item"),
            on_tap=lambda: self.mm.push_page(ChatPage(self.mm, chat.name)),
            on_long=lambda: self._show_chat_menu(chat),
        )
        return column(line_of, line(theme, 200))

    def _show_chat_menu(self, chat: Chat) -> None:
        def delete_chat() -> None:
            self.dismiss_dialog()
            self.mm.chats.remove(chat)

        def toggle_unread() -> None:
            self.dismiss_dialog()
            chat.unread = 0 if chat.unread else 1

        mark = self.t("标为已读", "Mark as read") if chat.unread else self.t("标为未读", "Mark as unread")
        items = (
            (mark, self.mm.rid_of("menu_mark"), toggle_unread),
            (self.t("删除该聊天", "Delete chat"), self.mm.rid_of("menu_delete"), delete_chat),
        )
        self.show_dialog(lambda: menu_card(chat.name, items, self.colours))

    def _build_contacts(self) -> Node:
        rows: list[Node] = []
        letter = ""
        for person in self.mm.people:
            if person.sort[:1].upper() != letter:
                letter = person.sort[:1].upper()
                rows.append(section(letter, self.colours))
            rows.append(build_person_row(self, person))
        return scroller(self.use_scroll("contacts"), *rows, rid=self.mm.rid_of("contact_list"))

    def _build_discover(self) -> Node:
        t, theme = self.t, self.colours

        def open_news() -> None:
            self.mm.host.apps.launch_app("com.android.browser", data="http://open_news.local/")

        return scroller(
            self.use_scroll("discover"),
            list_row(
                t("朋友圈", "Moments"),
                theme,
                lead=icon("moments", 72, (228, 120, 60)),
                tail=[chevron(theme)],
                on_tap=lambda: self.mm.push_page(MomentsPage(self.mm)),
                rid=self.mm.rid_of("moments_row"),
            ),
            line(theme),
            list_row(
                t("看一看", "Top Stories"),
                theme,
                lead=icon("star", 72, (230, 180, 40)),
                tail=[chevron(theme)],
                on_tap=open_news,
                rid=self.mm.rid_of("stories_row"),
            ),
        )

    def _build_me(self) -> Node:
        t, theme = self.t, self.colours
        head = list_row(
            t("我的小号", "Deskhand"),
            theme,
            lead=avatar(t("我", "D"), 150),
            sub=t("微信号：", "WeChat ID: ") + "deskhand",
            height=280,
            title_rid=self.mm.rid_of("my_name"),
        )
        notify = switch(
            self.mm.notify,
            self._toggle_notify,
            theme,
            rid=self.mm.rid_of("notify_switch"),
            desc=t("新消息通知", "Message notifications"),
        )
        return scroller(
            self.use_scroll("me"),
            head,
            section(t("设置", "Settings"), theme),
            list_row(t("新消息通知", "Message notifications"), theme, lead=icon("bell", 64, theme.soft), tail=[notify]),
        )

    def _toggle_notify(self) -> None:
        self.mm.notify = not self.mm.notify


def build_person_row(page: MessengerPage, person: Person) -> Node:
    app = page.mm
    return list_row(
        person.name,
        page.colours,
        lead=avatar(person.name, 104),
        on_tap=lambda: app.push_page(ProfilePage(app, person)),
        rid=app.rid_of("contact_item"),
        title_rid=app.rid_of("contact_name"),
        height=150,
    )


class ProfilePage(MessengerPage):
    activity = ".plugin.profile.ui.ContactInfoUI"

    def __init__(self, app: Messenger, person: Person) -> None:
        super().__init__(app)
        self.person = person

    def build(self) -> Node:
        t, theme, person = self.t, self.colours, self.person
        region = t(*person.region)
        head = row(
            avatar(person.name, 180),
            column(
                label(person.name, 60, theme.ink, bold=True, rid=self.mm.rid_of("profile_name")),
                label(t("微信号：", "WeChat ID: ") + person.handle, 38, theme.soft, rid=self.mm.rid_of("profile_id")),
                label(t("地区：", "Region: ") + region, 38, theme.soft),
                weight=1.0,
                gap=6,
            ),
            gap=44,
            pad=(52, 44, 44, 60),
            fill=theme.card,
        )
        star = switch(
            person.name in self.mm.starred,
            self._toggle_star,
            theme,
            rid=self.mm.rid_of("star_switch"),
            desc=t("设为星标朋友", "Star this friend"),
        )
        return self.build_form(
            self.build_bar(""),
            head,
            section("", theme),
            list_row(t("设为星标朋友", "Star this friend"), theme, lead=icon("star", 60, theme.soft), tail=[star]),
            list_row(t("电话", "Phone"), theme, lead=icon("phone", 60, theme.soft), sub=person.phone or "—"),
            section("", theme),
            column(
                button(
                    t("发消息", "Send message"),
                    self._open_chat,
                    theme,
                    fill=GREEN,
                    rid=self.mm.rid_of("profile_send_btn"),
                ),
                pad=(52, 20, 52, 0),
            ),
        )

    def _toggle_star(self) -> None:
        self.mm.starred ^= {self.person.name}

    def _open_chat(self) -> None:
        self.mm.push_page(ChatPage(self.mm, self.person.name))


class SearchPage(MessengerPage):
    activity = ".plugin.fts.ui.FTSMainUI"

    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.focus_field(self.use_field("query"))

    def build(self) -> Node:
        t, theme = self.t, self.colours
        query = self.use_field("query")
        query.enter_label = t("搜索", "Search")
        cancel = label(
            t("取消", "Cancel"),
            44,
            theme.accent,
            on_tap=self.leave_page,
            rid=self.mm.rid_of("cancel_btn"),
            pad=(20, 24, 20, 24),
        )
        bar = row(
            entry(query, t("搜索", "Search"), theme, rid=self.mm.rid_of("search_input"), weight=1.0, fill=theme.card),
            cancel,
            pad=(36, 20, 20, 20),
            gap=12,
        )
        return screen(
            theme, bar, scroller(self.use_scroll(), *self._build_results(), rid=self.mm.rid_of("search_results"))
        )

    def _build_results(self) -> list[Node]:
        t, theme, wanted = self.t, self.colours, self.use_field("query").text.strip().lower()
        if not wanted:
            return [empty_note(t("搜索联系人和聊天记录", "Search contacts and messages"), theme)]
        people = [p for p in self.mm.people if wanted in p.name.lower() or wanted in p.handle.lower()]
        rows: list[Node] = []
        if people:
            rows.append(section(t("联系人", "Contacts"), theme))
            rows.extend(self._build_person(p) for p in people)
        said = [(c, m) for c in self.mm.chats for m in c.messages if wanted in m.text.lower()]
        if said:
            rows.append(section(t("聊天记录", "Chat history"), theme))
            rows.extend(self._build_found(chat, message.text) for chat, message in said)
        return rows or [empty_note(t("没有找到相关结果", "No results"), theme)]

    def _build_person(self, person: Person) -> Node:
        return list_row(
            person.name,
            self.colours,
            lead=avatar(person.name, 104),
            sub=self.t("微信号：", "WeChat ID: ") + person.handle,
            on_tap=lambda: self.mm.push_page(ChatPage(self.mm, person.name)),
            rid=self.mm.rid_of("search_item"),
            title_rid=self.mm.rid_of("nickname"),
        )

    def _build_found(self, chat: Chat, text: str) -> Node:
        return list_row(
            chat.name,
            self.colours,
            lead=avatar(chat.name, 104),
            sub=text,
            rid=self.mm.rid_of("history_item"),
            on_tap=lambda: self.mm.push_page(ChatPage(self.mm, chat.name)),
        )


class AddFriendPage(MessengerPage):
    activity = ".plugin.subapp.ui.friend.AddMoreFriendsUI"

    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.focus_field(self.use_field("name"))

    def build(self) -> Node:
        t, theme = self.t, self.colours
        name = self.use_field("name")
        name.on_enter = self._add_person
        return self.build_form(
            self.build_bar(t("添加朋友", "Add contact")),
            column(
                entry(
                    name,
                    t("微信号或姓名", "WeChat ID or name"),
                    theme,
                    rid=self.mm.rid_of("add_input"),
                    fill=theme.card,
                ),
                button(
                    t("添加到通讯录", "Add to contacts"),
                    self._add_person,
                    theme,
                    fill=GREEN,
                    rid=self.mm.rid_of("add_btn"),
                    enabled=bool(name.text.strip()),
                ),
                pad=(44, 30, 44, 0),
                gap=36,
            ),
        )

    def _add_person(self) -> None:
        name = self.use_field("name").text.strip()
        if name:
            self.mm.add_person(name)
            self.mm.host.show_toast(self.t("已添加", "Added"))
            self.leave_page()


class MomentsPage(MessengerPage):
    activity = ".plugin.sns.ui.SnsTimeLineUI"

    def build(self) -> Node:
        posts = [self._build_post(moment) for moment in self.mm.moments]
        return screen(self.colours, self.build_bar(self.t("朋友圈", "Moments")), scroller(self.use_scroll(), *posts))

    def _build_post(self, moment: Moment) -> Node:
        theme = self.colours

        def toggle_like() -> None:
            moment.liked = not moment.liked
            moment.likes += 1 if moment.liked else -1

        heart = icon(
            "heart",
            48,
            theme.red if moment.liked else theme.faint,
            on_tap=toggle_like,
            selected=moment.liked,
            desc=self.t("赞", "Like") + " " + moment.author,
            rid=self.mm.rid_of("like_btn"),
        )
        text = column(
            label(moment.author, 44, theme.accent, bold=True),
            label(self.t(*moment.text), 44, theme.ink, w=FILL),
            badge_icon("image", 360, (120, 150, 190), radius=8, desc=self.t("图片", "Picture")),
            row(
                label(str(moment.likes), 38, theme.soft, w=WRAP, rid=self.mm.rid_of("like_count")), heart, justify="end"
            ),
            weight=1.0,
            gap=16,
        )
        body = row(avatar(moment.author, 110), text, gap=32, align="start", pad=(44, 40, 44, 16), fill=theme.card)
        return column(body, line(theme))
