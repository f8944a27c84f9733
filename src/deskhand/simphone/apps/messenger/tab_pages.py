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
                on_tap=lambda: self.mm.push(SearchPage(self.mm)),
                desc=t("搜索", "Search"),
                rid=self.mm.rid("search_btn"),
            ),
            icon(
                "plus_circle", 60, theme.ink, on_tap=self._more, desc=t("更多功能", "More"), rid=self.mm.rid("plus_btn")
            ),
        )
        body = {"chats": self._chats, "contacts": self._contacts, "discover": self._discover, "me": self._me}
        bar = top_bar(titles[self.tab], theme, *actions, rid=self.mm.rid("title"))
        return screen(theme, bar, body[self.tab](), self._tabs())

    def _tabs(self) -> Node:
        t = self.t
        tabs: tuple[tuple[Tab, str, str], ...] = (
            ("chats", "chat", t("微信", "Chats")),
            ("contacts", "people", t("通讯录", "Contacts")),
            ("discover", "compass", t("发现", "Discover")),
            ("me", "person", t("我", "Me")),
        )
        return tab_bar(
            [(i, name, self.mm.rid(f"tab_{tab}"), tab == self.tab, self._go(tab)) for tab, i, name in tabs],
            self.colours,
            GREEN,
        )

    def _go(self, tab: Tab):
        def go() -> None:
            self.tab = tab

        return go

    def _more(self) -> None:
        t = self.t

        def new_chat() -> None:
            self.dismiss()
            self.tab = "contacts"

        def add() -> None:
            self.dismiss()
            self.mm.push(AddPage(self.mm))

        self.show(
            lambda: menu_card(
                "",
                (
                    (t("发起聊天", "New chat"), self.mm.rid("menu_new_chat"), new_chat),
                    (t("添加朋友", "Add contact"), self.mm.rid("menu_add"), add),
                ),
                self.colours,
            )
        )

    def _chats(self) -> Node:
        rows = [self._chat_row(chat) for chat in self.mm.chats if chat.messages]
        return scroller(self.scroll("chats"), *rows, rid=self.mm.rid("conversation_list"), fill=self.colours.card)

    def _chat_row(self, chat: Chat) -> Node:
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
                rid=self.mm.rid("unread_count"),
            )
            corner = row(badge, justify="end", align="start", w=FILL, h=FILL)
            picture = stack(column(picture, pad=(0, 12, 12, 0)), corner, w=132, h=132)
        top = row(
            label(chat.name, 46, theme.ink, weight=1.0, max_lines=1, rid=self.mm.rid("nickname")),
            label(self.t(DAYS.get(last.time, last.time), last.time), 32, theme.faint),
        )
        texts = column(top, label(last.text, 38, theme.soft, w=FILL, max_lines=1, rid=self.mm.rid("last_msg")), gap=6)
        texts.weight = 1.0
        line_of = row(
            picture,
            texts,
            gap=36,
            pad=(44, 0, 44, 0),
            h=190,
            rid=self.mm.rid("conversation_item"),
            on_tap=lambda: self.mm.push(ChatPage(self.mm, chat.name)),
            on_long=lambda: self._chat_menu(chat),
        )
        return column(line_of, line(theme, 200))

    def _chat_menu(self, chat: Chat) -> None:
        def delete() -> None:
            self.dismiss()
            self.mm.chats.remove(chat)

        def read() -> None:
            self.dismiss()
            chat.unread = 0 if chat.unread else 1

        mark = self.t("标为已读", "Mark as read") if chat.unread else self.t("标为未读", "Mark as unread")
        items = (
            (mark, self.mm.rid("menu_mark"), read),
            (self.t("删除该聊天", "Delete chat"), self.mm.rid("menu_delete"), delete),
        )
        self.show(lambda: menu_card(chat.name, items, self.colours))

    def _contacts(self) -> Node:
        rows: list[Node] = []
        letter = ""
        for person in self.mm.people:
            if person.sort[:1].upper() != letter:
                letter = person.sort[:1].upper()
                rows.append(section(letter, self.colours))
            rows.append(person_row(self, person))
        return scroller(self.scroll("contacts"), *rows, rid=self.mm.rid("contact_list"))

    def _discover(self) -> Node:
        t, theme = self.t, self.colours

        def news() -> None:
            self.mm.host.apps.launch_app("com.android.browser", data="http://news.local/")

        return scroller(
            self.scroll("discover"),
            list_row(
                t("朋友圈", "Moments"),
                theme,
                lead=icon("moments", 72, (228, 120, 60)),
                tail=[chevron(theme)],
                on_tap=lambda: self.mm.push(MomentsPage(self.mm)),
                rid=self.mm.rid("moments_row"),
            ),
            line(theme),
            list_row(
                t("看一看", "Top Stories"),
                theme,
                lead=icon("star", 72, (230, 180, 40)),
                tail=[chevron(theme)],
                on_tap=news,
                rid=self.mm.rid("stories_row"),
            ),
        )

    def _me(self) -> Node:
        t, theme = self.t, self.colours
        head = list_row(
            t("我的小号", "Deskhand"),
            theme,
            lead=avatar(t("我", "D"), 150),
            sub=t("微信号：", "WeChat ID: ") + "deskhand",
            height=280,
            title_rid=self.mm.rid("my_name"),
        )
        notify = switch(
            self.mm.notify,
            self._toggle_notify,
            theme,
            rid=self.mm.rid("notify_switch"),
            desc=t("新消息通知", "Message notifications"),
        )
        return scroller(
            self.scroll("me"),
            head,
            section(t("设置", "Settings"), theme),
            list_row(t("新消息通知", "Message notifications"), theme, lead=icon("bell", 64, theme.soft), tail=[notify]),
        )

    def _toggle_notify(self) -> None:
        self.mm.notify = not self.mm.notify


def person_row(page: MessengerPage, person: Person) -> Node:
    app = page.mm
    return list_row(
        person.name,
        page.colours,
        lead=avatar(person.name, 104),
        on_tap=lambda: app.push(ProfilePage(app, person)),
        rid=app.rid("contact_item"),
        title_rid=app.rid("contact_name"),
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
                label(person.name, 60, theme.ink, bold=True, rid=self.mm.rid("profile_name")),
                label(t("微信号：", "WeChat ID: ") + person.handle, 38, theme.soft, rid=self.mm.rid("profile_id")),
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
            self._star,
            theme,
            rid=self.mm.rid("star_switch"),
            desc=t("设为星标朋友", "Star this friend"),
        )
        return self.form(
            self.bar(""),
            head,
            section("", theme),
            list_row(t("设为星标朋友", "Star this friend"), theme, lead=icon("star", 60, theme.soft), tail=[star]),
            list_row(t("电话", "Phone"), theme, lead=icon("phone", 60, theme.soft), sub=person.phone or "—"),
            section("", theme),
            column(
                button(t("发消息", "Send message"), self._chat, theme, fill=GREEN, rid=self.mm.rid("profile_send_btn")),
                pad=(52, 20, 52, 0),
            ),
        )

    def _star(self) -> None:
        self.mm.starred ^= {self.person.name}

    def _chat(self) -> None:
        self.mm.push(ChatPage(self.mm, self.person.name))


class SearchPage(MessengerPage):
    activity = ".plugin.fts.ui.FTSMainUI"

    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.focus_on(self.field("query"))

    def build(self) -> Node:
        t, theme = self.t, self.colours
        query = self.field("query")
        query.enter_label = t("搜索", "Search")
        cancel = label(
            t("取消", "Cancel"),
            44,
            theme.accent,
            on_tap=self.leave,
            rid=self.mm.rid("cancel_btn"),
            pad=(20, 24, 20, 24),
        )
        bar = row(
            entry(query, t("搜索", "Search"), theme, rid=self.mm.rid("search_input"), weight=1.0, fill=theme.card),
            cancel,
            pad=(36, 20, 20, 20),
            gap=12,
        )
        return screen(theme, bar, scroller(self.scroll(), *self._results(), rid=self.mm.rid("search_results")))

    def _results(self) -> list[Node]:
        t, theme, wanted = self.t, self.colours, self.field("query").text.strip().lower()
        if not wanted:
            return [empty_note(t("搜索联系人和聊天记录", "Search contacts and messages"), theme)]
        people = [p for p in self.mm.people if wanted in p.name.lower() or wanted in p.handle.lower()]
        rows: list[Node] = []
        if people:
            rows.append(section(t("联系人", "Contacts"), theme))
            rows.extend(self._person(p) for p in people)
        said = [(c, m) for c in self.mm.chats for m in c.messages if wanted in m.text.lower()]
        if said:
            rows.append(section(t("聊天记录", "Chat history"), theme))
            rows.extend(self._found(chat, message.text) for chat, message in said)
        return rows or [empty_note(t("没有找到相关结果", "No results"), theme)]

    def _person(self, person: Person) -> Node:
        return list_row(
            person.name,
            self.colours,
            lead=avatar(person.name, 104),
            sub=self.t("微信号：", "WeChat ID: ") + person.handle,
            on_tap=lambda: self.mm.push(ChatPage(self.mm, person.name)),
            rid=self.mm.rid("search_item"),
            title_rid=self.mm.rid("nickname"),
        )

    def _found(self, chat: Chat, text: str) -> Node:
        return list_row(
            chat.name,
            self.colours,
            lead=avatar(chat.name, 104),
            sub=text,
            rid=self.mm.rid("history_item"),
            on_tap=lambda: self.mm.push(ChatPage(self.mm, chat.name)),
        )


class AddPage(MessengerPage):
    activity = ".plugin.subapp.ui.friend.AddMoreFriendsUI"

    def __init__(self, app: Messenger) -> None:
        super().__init__(app)
        self.focus_on(self.field("name"))

    def build(self) -> Node:
        t, theme = self.t, self.colours
        name = self.field("name")
        name.on_enter = self._add
        return self.form(
            self.bar(t("添加朋友", "Add contact")),
            column(
                entry(
                    name, t("微信号或姓名", "WeChat ID or name"), theme, rid=self.mm.rid("add_input"), fill=theme.card
                ),
                button(
                    t("添加到通讯录", "Add to contacts"),
                    self._add,
                    theme,
                    fill=GREEN,
                    rid=self.mm.rid("add_btn"),
                    enabled=bool(name.text.strip()),
                ),
                pad=(44, 30, 44, 0),
                gap=36,
            ),
        )

    def _add(self) -> None:
        name = self.field("name").text.strip()
        if name:
            self.mm.add_person(name)
            self.mm.host.show_toast(self.t("已添加", "Added"))
            self.leave()


class MomentsPage(MessengerPage):
    activity = ".plugin.sns.ui.SnsTimeLineUI"

    def build(self) -> Node:
        posts = [self._post(moment) for moment in self.mm.moments]
        return screen(self.colours, self.bar(self.t("朋友圈", "Moments")), scroller(self.scroll(), *posts))

    def _post(self, moment: Moment) -> Node:
        theme = self.colours

        def like() -> None:
            moment.liked = not moment.liked
            moment.likes += 1 if moment.liked else -1

        heart = icon(
            "heart",
            48,
            theme.red if moment.liked else theme.faint,
            on_tap=like,
            selected=moment.liked,
            desc=self.t("赞", "Like") + " " + moment.author,
            rid=self.mm.rid("like_btn"),
        )
        text = column(
            label(moment.author, 44, theme.accent, bold=True),
            label(self.t(*moment.text), 44, theme.ink, w=FILL),
            badge_icon("image", 360, (120, 150, 190), radius=8, desc=self.t("图片", "Picture")),
            row(label(str(moment.likes), 38, theme.soft, w=WRAP, rid=self.mm.rid("like_count")), heart, justify="end"),
            weight=1.0,
            gap=16,
        )
        body = row(avatar(moment.author, 110), text, gap=32, align="start", pad=(44, 40, 44, 16), fill=theme.card)
        return column(body, line(theme))
