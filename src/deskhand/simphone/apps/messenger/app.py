"""WeChat: chats, contacts, moments; what was said is kept per person."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from deskhand.simphone.apps.first_contacts import PEOPLE, Person
from deskhand.simphone.apps.framework import App, Host, Page

GREEN = (7, 193, 96)
DAYS = {"Yesterday": "昨天", "Mon": "周一", "Tue": "周二", "Wed": "周三", "Sun": "周日"}


@dataclass
class Message:
    sender: str
    """A person's name, or "me"."""
    text: str
    time: str


@dataclass
class Chat:
    name: str
    messages: list[Message] = field(default_factory=list[Message])
    unread: int = 0

    def add_message(self, sender: str, text: str, time: str) -> None:
        self.messages.append(Message(sender, text, time))


@dataclass
class Moment:
    author: str
    text: tuple[str, str]
    likes: int
    liked: bool = False


_TALK: tuple[tuple[str, int, tuple[tuple[str, str, str], ...]], ...] = (
    (
        "李四",
        2,
        (
            ("李四", "周末去爬山吗？", "09:12"),
            ("me", "可以啊，几点？", "09:15"),
            ("李四", "早上八点，地铁站见", "09:16"),
            ("李四", "记得带水", "09:16"),
        ),
    ),
    ("Alice", 1, (("me", "Did you get the report?", "08:40"), ("Alice", "Yes, reading it now. Thanks!", "08:52"))),
    ("王五", 0, (("王五", "合同已经寄出", "Yesterday"), ("me", "收到，谢谢", "Yesterday"))),
    (
        "Bob",
        0,
        (
            ("Bob", "Lunch on Friday?", "Yesterday"),
            ("me", "Sure, 12:30?", "Yesterday"),
            ("Bob", "Perfect", "Yesterday"),
        ),
    ),
    (
        "韩梅",
        3,
        (
            ("韩梅", "会议资料发你邮箱了", "Yesterday"),
            ("韩梅", "看完告诉我", "Yesterday"),
            ("韩梅", "不急", "Yesterday"),
        ),
    ),
    ("刘洋", 0, (("me", "生日快乐！", "Wed"), ("刘洋", "谢谢", "Wed"))),
    ("Emma", 0, (("Emma", "See you at the airport", "Tue"),)),
    ("赵六", 0, (("赵六", "快递放在前台了", "Tue"),)),
    ("杨帆", 0, (("me", "代码已经提交", "Mon"), ("杨帆", "好的，我看一下", "Mon"))),
    ("Tom", 0, (("Tom", "The match starts at eight", "Mon"),)),
    ("孙丽", 0, (("孙丽", "菜谱发我一份", "Sun"),)),
)


class Messenger(App):
    package, label, label_en, activity = "com.tencent.mm", "微信", "WeChat", ".ui.LauncherUI"
    icon, tint = "chat", GREEN

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.people: list[Person] = list(PEOPLE)
        self.chats: list[Chat] = []
        for name, unread, said in _TALK:
            chat = Chat(name, unread=unread)
            for sender, text, time in said:
                chat.add_message(sender, text, time)
            self.chats.append(chat)
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
        chat.add_message("me", text, self.host.today().strftime("%H:%M"))
        self.chats.remove(chat)
        self.chats.insert(0, chat)

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
