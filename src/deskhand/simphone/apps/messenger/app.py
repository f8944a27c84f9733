"""WeChat: chats, contacts, moments; what was said is kept per person."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deskhand.simphone.apps.first_contacts import Person, load_people
from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.apps.notification import Notification

GREEN = (7, 193, 96)
# How long a message that fails looks as if it were on its way.
FAILING_S = 4.0
DAYS = {"Yesterday": "昨天", "Mon": "周一", "Tue": "周二", "Wed": "周三", "Sun": "周日"}


@dataclass
class Message:
    sender: str
    """A person's name, or "me"."""
    text: str
    time: str
    fails_at: float | None = None
    """When it turns out that it was not delivered."""


@dataclass
class Chat:
    name: str
    messages: list[Message] = field(default_factory=list[Message])
    unread: int = 0


@dataclass
class Moment:
    author: str
    text: tuple[str, str]
    likes: int
    liked: bool = False


def _load_chats() -> list[Chat]:
    table = tomllib.loads(Path(__file__).with_name("first_chats.toml").read_text(encoding="utf-8"))
    return [Chat(row["name"], [Message(*words) for words in row["messages"]], row["unread"]) for row in table["chats"]]


class Messenger(App):
    package, label, label_en, activity = "com.tencent.mm", "微信", "WeChat", ".ui.LauncherUI"
    icon, tint = "chat", GREEN

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.people: list[Person] = list(load_people())
        self.chats = _load_chats()
        self.moments = [
            Moment("陈晨", ("今天的晚霞真美", "What a sunset today"), 6),
            Moment("Grace", ("新书推荐：《设计心理学》", "Book of the week: The Design of Everyday Things"), 3),
            Moment("周杰", ("跑完了人生第一个半马", "Finished my first half marathon"), 12),
        ]
        self.starred: set[str] = set()
        self.notify = True

    def build_first_page(self) -> Page[App]:
        # here, because the pages import this module for the data they show
        from deskhand.simphone.apps.messenger.main_page import MainPage

        return MainPage(self)

    def find_person(self, name: str) -> Person:
        return next(p for p in self.people if p.name == name)

    def use_chat(self, name: str) -> Chat:
        """Return the chat with a person, and begin it if there is none."""
        found = next((c for c in self.chats if c.name == name), None)
        if found is None:
            found = Chat(name)
            self.chats.append(found)
        return found

    def send_message(self, name: str, text: str) -> None:
        chat = self.use_chat(name)
        fails_at = self.host.now() + FAILING_S if "failed-sending" in self.host.conditions else None
        chat.messages.append(Message("me", text, self.host.today().strftime("%H:%M"), fails_at))
        self.chats.remove(chat)
        self.chats.insert(0, chat)

    def receive_message(self, name: str, text: str) -> None:
        """Take in what somebody has written."""
        chat = self.use_chat(name)
        chat.messages.append(Message(name, text, self.host.today().strftime("%H:%M")))
        chat.unread += 1
        self.chats.remove(chat)
        self.chats.insert(0, chat)

    def list_notifications(self) -> list[Notification]:
        """One for each chat with something unread, unless they are turned off in the app."""
        return [self._make_notification(chat) for chat in self.chats if chat.unread and self.notify]

    def _make_notification(self, chat: Chat) -> Notification:
        count = self.t(f"[{chat.unread}条] ", f"[{chat.unread} new] ") if chat.unread > 1 else ""
        text = count + chat.messages[-1].text
        return Notification(self.package, chat.name, chat.name, text, lambda: self.show_chat(chat.name))

    def show_chat(self, name: str) -> None:
        from deskhand.simphone.apps.messenger.chat_page import ChatPage

        self.host.apps.launch_app(self.package)
        self.reset_pages(self.build_first_page(), ChatPage(self, name))

    def add_person(self, name: str) -> None:
        if all(p.name != name for p in self.people):
            self.people.append(Person(name, "", name.lower(), ("未知", "Unknown"), name.lower()))
            self.people.sort(key=lambda p: p.sort)

    @property
    def unread(self) -> int:
        return sum(chat.unread for chat in self.chats)

    def read_state(self) -> dict[str, Any]:
        """chats: name → {unread, messages: [{from, text}]}; contacts: names; starred; moments; notifications."""
        return {
            "chats": {
                chat.name: {
                    "unread": chat.unread,
                    "messages": [{"from": m.sender, "text": m.text} for m in chat.messages],
                }
                for chat in self.chats
                if chat.messages
            },
            "contacts": [p.name for p in self.people],
            "starred": sorted(self.starred),
            "moments": [{"author": m.author, "likes": m.likes, "liked": m.liked} for m in self.moments],
            "notifications": self.notify,
        }
