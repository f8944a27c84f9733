"""One conversation: bubbles, the input bar, and what a long press on a message offers."""

from __future__ import annotations

from deskhand.simphone.apps.framework import Page
from deskhand.simphone.apps.messenger.app import GREEN, Message, Messenger
from deskhand.simphone.ui.nodes import FILL, WRAP, Node, ScrollState
from deskhand.simphone.ui.widgets import Avatar, Column, Divider, Icon, Label, Row, Screen, Scroller, Space

BUBBLE_ME = (149, 236, 105)


class ChatPage(Page[Messenger]):
    activity = ".ui.chatting.ChattingUI"

    def __init__(self, app: Messenger, name: str) -> None:
        super().__init__(app)
        self.name = name
        self.scrolls["list"] = ScrollState(stick_to_end=True)

    def handle_shown(self) -> None:
        self.app.use_chat(self.name).unread = 0

    def build(self) -> Node:
        theme = self.colours
        details = self.build_icon_button("more", self.t("聊天信息", "Chat info"), "chat_info", self._open_profile)
        messages = self.app.use_chat(self.name).messages
        self.tick = 0.5 if any(m.fails_at is not None and self.host.now() < m.fails_at for m in messages) else 0.0
        bubbles = [self._build_bubble(m) for m in messages]
        log = Scroller(self.use_scroll(), *bubbles, rid=self.rid_of("chat_list"), pad=(0, 12, 0, 12))
        return Screen(
            theme, self.build_bar(self.name, details, rid="chat_title"), Divider(theme), log, self._build_input()
        )

    def _build_input(self) -> Node:
        t, theme, text = self.t, self.colours, self.use_field("message")
        text.on_enter = self._send_typed
        text.enter_label = t("发送", "Send")
        smile = self.build_icon_button(
            "smile", t("表情", "Stickers"), "emoji_btn", self._insert_emoji, size=66, pad=(12, 24, 12, 24)
        )
        if text.text:
            last = self.build_button(
                t("发送", "Send"), "send_btn", self._send_typed, fill=GREEN, w=WRAP, h=92, size=40, radius=14
            )
        else:
            last = self.build_icon_button(
                "plus_circle", t("更多", "More"), "attach_btn", self._show_attachments, size=66, pad=(12, 24, 12, 24)
            )
        box = self.build_entry(
            text, t("输入消息", "Message"), "chat_input", weight=1.0, h=100, radius=14, pad=(24, 12, 24, 12)
        )
        return Column(Divider(theme), Row(box, smile, last, gap=12, h=140, pad=(32, 0, 24, 0)))

    def _build_bubble(self, message: Message) -> Node:
        theme, mine = self.colours, message.sender == "me"
        text = Label(
            message.text,
            44,
            (20, 24, 20) if mine else theme.ink,
            fill=BUBBLE_ME if mine else theme.card,
            radius=16,
            pad=(32, 22, 32, 22),
            max_w=max(self.host.size[0] - 380, 300),
            on_long=lambda: self._show_menu(message),
            rid=self.rid_of("msg_text"),
        )
        face = Avatar(self.t("我", "D") if mine else self.name, 104)
        parts = (Space(weight=1.0), *self._build_mark(message), text, face) if mine else (face, text)
        return Row(*parts, gap=24, align="start", pad=(32, 16, 32, 16), w=FILL)

    def _build_mark(self, message: Message) -> tuple[Node, ...]:
        """Build what stands beside a message that is not delivered: it turns while that is tried."""
        if message.fails_at is None:
            return ()
        if self.host.now() < message.fails_at:
            return (Icon("refresh", 48, self.colours.soft, kind="android.widget.ProgressBar"),)
        return (Icon("info", 48, self.colours.red, desc=self.t("重发", "Resend"), rid=self.rid_of("msg_state")),)

    def _send_typed(self) -> None:
        field = self.use_field("message")
        if field.text.strip():
            self.app.send_message(self.name, field.text)
            field.set_text("")
            self.use_scroll().stick_to_end = True

    def _insert_emoji(self) -> None:
        field = self.use_field("message")
        field.insert_text(self.t("[微笑]", "[Smile]"))

    def _show_attachments(self) -> None:
        def send_text(text: str) -> None:
            self.app.send_message(self.name, text)
            self.use_scroll().stick_to_end = True

        photo, place = self.t("[图片]", "[Photo]"), self.t("[位置] 北京市海淀区", "[Location] Haidian, Beijing")
        self.show_menu(
            "",
            (self.t("照片", "Photo"), "attach_photo", lambda: send_text(photo)),
            (self.t("位置", "Location"), "attach_location", lambda: send_text(place)),
        )

    def _show_menu(self, message: Message) -> None:
        def copy_text() -> None:
            self.host.clipboard = message.text
            self.host.show_toast(self.t("已复制", "Copied"))

        messages = self.app.use_chat(self.name).messages
        delete = (self.t("删除", "Delete"), "menu_delete", lambda: messages.remove(message))
        self.show_menu("", (self.t("复制", "Copy"), "menu_copy", copy_text), delete)

    def _open_profile(self) -> None:
        from deskhand.simphone.apps.messenger.people_pages import ProfilePage

        self.app.push_page(ProfilePage(self.app, self.app.find_person(self.name)))
