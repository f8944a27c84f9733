"""One conversation: bubbles, the input bar, and what a long press on a message offers."""

from __future__ import annotations

from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.messenger.app import GREEN, Message, Messenger
from deskhand.simphone.ui.nodes import FILL, WRAP, Node, Scroll
from deskhand.simphone.ui.widgets import (
    avatar,
    button,
    column,
    entry,
    icon,
    label,
    line,
    menu_card,
    row,
    screen,
    scroller,
    space,
)

BUBBLE_ME = (149, 236, 105)


class ChatPage(Page):
    activity = ".ui.chatting.ChattingUI"

    def __init__(self, app: Messenger, name: str) -> None:
        super().__init__(app)
        self.mm = app
        self.name = name
        self.scrolls["list"] = Scroll(stick_to_end=True)

    def shown(self) -> None:
        self.mm.chat(self.name).unread = 0

    def build(self) -> Node:
        theme = self.colours
        details = icon(
            "more",
            56,
            theme.ink,
            on_tap=self._profile,
            desc=self.t("聊天信息", "Chat info"),
            rid=self.mm.rid("chat_info"),
        )
        bubbles = [self._bubble(m) for m in self.mm.chat(self.name).messages]
        log = scroller(self.scroll(), *bubbles, rid=self.mm.rid("chat_list"), pad=(0, 12, 0, 12))
        return screen(theme, self.bar(self.name, details, rid="chat_title"), line(theme), log, self._input())

    def _input(self) -> Node:
        t, theme, text = self.t, self.colours, self.field("message")
        text.on_enter = self._send
        text.enter_label = t("发送", "Send")
        smile = icon(
            "smile",
            66,
            theme.ink,
            on_tap=self._emoji,
            desc=t("表情", "Stickers"),
            rid=self.mm.rid("emoji_btn"),
            pad=(12, 24, 12, 24),
        )
        if text.text:
            last = button(
                t("发送", "Send"),
                self._send,
                theme,
                fill=GREEN,
                w=WRAP,
                h=92,
                size=40,
                radius=14,
                rid=self.mm.rid("send_btn"),
            )
        else:
            last = icon(
                "plus_circle",
                66,
                theme.ink,
                on_tap=self._attach,
                desc=t("更多", "More"),
                rid=self.mm.rid("attach_btn"),
                pad=(12, 24, 12, 24),
            )
        box = entry(
            text,
            t("输入消息", "Message"),
            theme,
            rid=self.mm.rid("chat_input"),
            weight=1.0,
            h=100,
            fill=theme.card,
            radius=14,
            pad=(24, 12, 24, 12),
        )
        return column(line(theme), row(box, smile, last, gap=12, h=140, pad=(32, 0, 24, 0)))

    def _bubble(self, message: Message) -> Node:
        theme, mine = self.colours, message.sender == "me"
        text = label(
            message.text,
            44,
            (20, 24, 20) if mine else theme.ink,
            fill=BUBBLE_ME if mine else theme.card,
            radius=16,
            pad=(32, 22, 32, 22),
            max_w=max(self.mm.host.size[0] - 380, 300),
            on_long=lambda: self._menu(message),
            rid=self.mm.rid("msg_text"),
        )
        face = avatar(self.t("我", "D") if mine else self.name, 104)
        parts = (space(weight=1.0), text, face) if mine else (face, text)
        return row(*parts, gap=24, align="start", pad=(32, 16, 32, 16), w=FILL)

    def _send(self) -> None:
        field = self.field("message")
        if field.text.strip():
            self.mm.send(self.name, field.text)
            field.set("")
            self.scroll().stick_to_end = True

    def _emoji(self) -> None:
        field = self.field("message")
        field.insert(self.t("[微笑]", "[Smile]"))

    def _attach(self) -> None:
        def picture() -> None:
            self.dismiss()
            self.mm.send(self.name, self.t("[图片]", "[Photo]"))
            self.scroll().stick_to_end = True

        def place() -> None:
            self.dismiss()
            self.mm.send(self.name, self.t("[位置] 北京市海淀区", "[Location] Haidian, Beijing"))
            self.scroll().stick_to_end = True

        items = (
            (self.t("照片", "Photo"), self.mm.rid("attach_photo"), picture),
            (self.t("位置", "Location"), self.mm.rid("attach_location"), place),
        )
        self.show(lambda: menu_card("", items, self.colours))

    def _menu(self, message: Message) -> None:
        def copy() -> None:
            self.dismiss()
            self.mm.host.clipboard = message.text
            self.mm.host.show_toast(self.t("已复制", "Copied"))

        def delete() -> None:
            self.dismiss()
            self.mm.chat(self.name).messages.remove(message)

        items = (
            (self.t("复制", "Copy"), self.mm.rid("menu_copy"), copy),
            (self.t("删除", "Delete"), self.mm.rid("menu_delete"), delete),
        )
        self.show(lambda: menu_card("", items, self.colours))

    def _profile(self) -> None:
        from deskhand.simphone.apps.messenger.tab_pages import ProfilePage

        self.mm.push(ProfilePage(self.mm, self.mm.person(self.name)))
