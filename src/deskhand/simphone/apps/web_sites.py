"""The web as this phone knows it: a few sites with pages made of headings, paragraphs, links and forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Text = tuple[str, str]


@dataclass(frozen=True)
class Block:
    kind: Literal["heading", "text", "link", "field", "submit"]
    text: Text
    to: str = ""


@dataclass(frozen=True)
class WebPage:
    title: Text
    blocks: tuple[Block, ...]


def _build_article(key: str, title: Text) -> WebPage:
    others = [Block("link", name, f"news.local/{other}") for other, name in ARTICLES.items() if other != key]
    return WebPage(
        title,
        (
            Block("heading", title),
            *(Block("text", paragraph) for paragraph in _FILLER),
            Block("heading", ("相关新闻", "Related news")),
            *others,
            Block("link", ("返回新闻首页", "Back to the front page"), "news.local/"),
        ),
    )


_FILLER: tuple[Text, ...] = (
    ("记者在现场看到，清晨六点就有市民排队等候。工作人员表示，准备工作从去年春天就已开始，前后修改了十几个版本。",
     "People queued from six in the morning. Staff said that preparations began last spring and that the plan went "
     "through more than a dozen versions before anyone was happy with it."),
    ("专家认为，这一变化的影响将在未来几年里逐渐显现，普通人最先感受到的会是出行时间的缩短。",
     "Experts expect the effect to show over the coming years; what most people will notice first is a shorter "
     "way to work."),
    ("附近的商户也做好了准备。一位面包店老板说，他已经多雇了两名员工，并把营业时间延长到晚上十点。",
     "Nearby shops are ready too. A baker said that he has hired two more people and now stays open until ten."),
    ("不过也有居民担心噪音和拥挤。社区将在下月举行一次说明会，所有人都可以报名参加并提出意见。",
     "Some neighbours worry about noise and crowds. A meeting next month is open to everyone who wants to speak."),
    ("根据公布的时间表，第二阶段将在明年夏天开始，整个项目预计需要三年完成。",
     "By the published schedule the second phase begins next summer; the whole project should take three years."),
    ("本报将继续关注事情的进展。", "We will keep following the story."),
)  # fmt: skip

ARTICLES: dict[str, Text] = {
    "metro": ("地铁十二号线今日开通", "Metro line 12 opens today"),
    "library": ("市图书馆延长开放时间", "City library extends its opening hours"),
    "robot": ("机器人学会了叠衣服", "Robot learns to fold laundry"),
    "football": ("本地球队三比一获胜", "Local team wins three to one"),
    "weather": ("周末将迎来降温", "Cold weekend ahead"),
    "museum": ("博物馆展出千年瓷器", "Museum shows thousand-year-old porcelain"),
    "bike": ("骑行道新增四十公里", "Forty more kilometres of cycle path"),
    "tea": ("春茶价格回落", "Spring tea gets cheaper"),
    "space": ("新望远镜传回首批照片", "New telescope sends its first pictures"),
    "school": ("小学试行午睡课", "Primary school tries a nap lesson"),
}

_GOODS: tuple[tuple[Text, str], ...] = (
    (("无线耳机", "Wireless headphones"), "¥299"),
    (("保温杯", "Thermos cup"), "¥89"),
    (("台灯", "Desk lamp"), "¥159"),
    (("双肩包", "Backpack"), "¥239"),
)


def _build_front() -> WebPage:
    links = [Block("link", title, f"news.local/{key}") for key, title in ARTICLES.items()]
    subscribe = Block("link", ("订阅新闻邮件", "Subscribe by e-mail"), "news.local/subscribe")
    return WebPage(("本地新闻", "Local News"), (Block("heading", ("今日要闻", "Today's headlines")), *links, subscribe))


def _build_shop() -> WebPage:
    goods = [Block("text", (f"{zh} {price}", f"{en} {price}")) for (zh, en), price in _GOODS]
    contact = Block("link", ("联系客服", "Contact us"), "shop.local/contact")
    return WebPage(("小店", "Corner Shop"), (Block("heading", ("本周推荐", "This week's picks")), *goods, contact))


PAGES: dict[str, WebPage] = {
    "news.local/": _build_front(),
    **{f"news.local/{key}": _build_article(key, title) for key, title in ARTICLES.items()},
    "news.local/subscribe": WebPage(
        ("订阅", "Subscribe"),
        (
            Block("heading", ("订阅新闻邮件", "Subscribe by e-mail")),
            Block("field", ("姓名", "Name"), "name"),
            Block("field", ("邮箱", "E-mail"), "email"),
            Block("submit", ("提交", "Submit"), "news.local/thanks"),
        ),
    ),
    "news.local/thanks": WebPage(
        ("谢谢", "Thank you"),
        (
            Block("heading", ("订阅成功", "You are subscribed")),
            Block("link", ("返回新闻首页", "Back to the front page"), "news.local/"),
        ),
    ),
    "shop.local/": _build_shop(),
    "shop.local/contact": WebPage(
        ("联系客服", "Contact us"),
        (
            Block("heading", ("给我们留言", "Leave us a message")),
            Block("field", ("您的姓名", "Your name"), "name"),
            Block("field", ("留言内容", "Message"), "message"),
            Block("submit", ("发送", "Send"), "shop.local/sent"),
        ),
    ),
    "shop.local/sent": WebPage(
        ("已收到", "Received"),
        (
            Block("heading", ("我们已收到您的留言", "We got your message")),
            Block("link", ("返回小店", "Back to the shop"), "shop.local/"),
        ),
    ),
    "wiki.local/": WebPage(
        ("百科", "Encyclopedia"),
        (
            Block("heading", ("长城", "The Great Wall")),
            Block("text", ("长城是中国古代的军事防御工程，总长超过两万千米。",
                           "The Great Wall is a series of fortifications in China, over 20,000 km long.")),
            Block("text", ("现存的长城遗迹主要为始建于十四世纪的明长城。",
                           "Most of what is left was built from the 14th century on, under the Ming dynasty.")),
        ),
    ),
}  # fmt: skip

BOOKMARKS: tuple[tuple[str, Text], ...] = (
    ("news.local", ("本地新闻", "Local News")),
    ("shop.local", ("小店", "Corner Shop")),
    ("wiki.local", ("百科", "Encyclopedia")),
)


def tidy_address(address: str) -> str:
    """Return an address without scheme and with a path; "" if it is not an address but words to search for."""
    plain = address.strip().removeprefix("http://").removeprefix("https://").removeprefix("www.")
    if not plain or " " in plain or "." not in plain:
        return ""
    host, _, path = plain.partition("/")
    return f"{host.lower()}/{path.rstrip('/')}"


def find_pages(words: str) -> list[tuple[str, Text]]:
    """Return the pages whose title has the words, in either language."""
    wanted = words.strip().lower()
    return [(a, p.title) for a, p in PAGES.items() if any(wanted in name.lower() for name in p.title)]
