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

    def handle_shown(self) -> None:
        self.mm.use_chat(self.name).unread = 0

    def build(self) -> Node:
        theme = self.colours
        details = icon(
            "more",
            56,
            theme.ink,
            on_tap=self._open_profile,
            desc=self.t("聊天信息", "Chat info"),
            rid=self.mm.rid_of("chat_info"),
        )
        bubbles = [self._build_bubble(m) for m in self.mm.use_chat(self.name).messages]
        log = scroller(self.use_scroll(), *bubbles, rid=self.mm.rid_of("chat_list"), pad=(0, 12, 0, 12))
        return screen(
            theme, self.build_bar(self.name, details, rid="chat_title"), line(theme), log, self._build_input()
        )

    def _build_input(self) -> Node:
        t, theme, text = self.t, self.colours, self.use_field("message")
        text.on_enter = self._send_typed
        text.enter_label = t("发送", "Send")
        smile = icon(
            "smile",
            66,
            theme.ink,
            on_tap=self._insert_emoji,
            desc=t("表情", "Stickers"),
            rid=self.mm.rid_of("emoji_btn"),
            pad=(12, 24, 12, 24),
        )
        if text.text:
            last = button(
                t("发送", "Send"),
                self._send_typed,
                theme,
                fill=GREEN,
                w=WRAP,
                h=92,
                size=40,
                radius=14,
                rid=self.mm.rid_of("send_btn"),
            )
        else:
            last = icon(
                "plus_circle",
                66,
                theme.ink,
                on_tap=self._show_attachments,
                desc=t("更多", "More"),
                rid=self.mm.rid_of("attach_btn"),
                pad=(12, 24, 12, 24),
            )
        box = entry(
            text,
            t("输入消息", "Message"),
            theme,
            rid=self.mm.rid_of("chat_input"),
            weight=1.0,
            h=100,
            fill=theme.card,
            radius=14,
            pad=(24, 12, 24, 12),
        )
        return column(line(theme), row(box, smile, last, gap=12, h=140, pad=(32, 0, 24, 0)))

    def _build_bubble(self, message: Message) -> Node:
        theme, mine = self.colours, message.sender == "me"
        text = label(
            message.text,
            44,
            (20, 24, 20) if mine else theme.ink,
            fill=BUBBLE_ME if mine else theme.card,
            radius=16,
            pad=(32, 22, 32, 22),
            max_w=max(self.mm.host.size[0] - 380, 300),
            on_long=lambda: self._show_menu(message),
            rid=self.mm.rid_of("msg_text"),
        )
        face = avatar(self.t("我", "D") if mine else self.name, 104)
        parts = (space(weight=1.0), text, face) if mine else (face, text)
        return row(*parts, gap=24, align="start", pad=(32, 16, 32, 16), w=FILL)

    def _send_typed(self) -> None:
        field = self.use_field("message")
        if field.text.strip():
            self.mm.send_message(self.name, field.text)
            field.set_text("")
            self.use_scroll().stick_to_end = True

    def _insert_emoji(self) -> None:
        field = self.use_field("message")
        field.insert_text(self.t("[微笑]", "[Smile]"))

    def _show_attachments(self) -> None:
        def send_picture() -> None:
            self.dismiss_dialog()
            self.mm.send_message(self.name, self.t("[图片]", "[Photo]"))
            self.use_scroll().stick_to_end = True

        def send_place() -> None:
            self.dismiss_dialog()
            self.mm.send_message(self.name, self.t("[位置] 北京市海淀区", "[Location] Haidian, Beijing"))
            self.use_scroll().stick_to_end = True

        items = (
            (self.t("照片", "Photo"), self.mm.rid_of("attach_photo"), send_picture),
            (self.t("位置", "Location"), self.mm.rid_of("attach_location"), send_place),
        )
        self.show_dialog(lambda: menu_card("", items, self.colours))

    def _show_menu(self, message: Message) -> None:
        def copy_text() -> None:
            self.dismiss_dialog()
            self.mm.host.clipboard = message.text
            self.mm.host.show_toast(self.t("已复制", "Copied"))

        def delete_message() -> None:
            self.dismiss_dialog()
            self.mm.use_chat(self.name).messages.remove(message)

        items = (
            (self.t("复制", "Copy"), self.mm.rid_of("menu_copy"), copy_text),
            (self.t("删除", "Delete"), self.mm.rid_of("menu_delete"), delete_message),
        )
        self.show_dialog(lambda: menu_card("", items, self.colours))

    def _open_profile(self) -> None:
        from deskhand.simphone.apps.messenger.tab_pages import ProfilePage

        self.mm.push_page(ProfilePage(self.mm, self.mm.find_person(self.name)))
