"""The web as this phone knows it: a few sites with pages made of headings, paragraphs, links and forms."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
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


NEWS = "news.local/"


@cache
def load_pages() -> dict[str, WebPage]:
    """Return the pages by address: those of `web_sites.toml`, and the articles that the front page of the news has."""
    table = tomllib.loads(Path(__file__).with_name("web_sites.toml").read_text(encoding="utf-8"))
    pages: dict[str, WebPage] = {}
    for page in table["pages"]:
        blocks = tuple(Block(kind, (zh, en), *to) for kind, zh, en, *to in page["blocks"])
        pages[page["address"]] = WebPage(tuple(page["title"]), blocks)
    links = [block for block in pages[NEWS].blocks if block.kind == "link" and block.to not in pages]
    paragraphs = [Block("text", (zh, en)) for zh, en in table["paragraphs"]]
    articles = {link.to: _build_article(link, links, paragraphs) for link in links}
    return {NEWS: pages[NEWS], **articles, **pages}


def _build_article(link: Block, links: list[Block], paragraphs: list[Block]) -> WebPage:
    related = Block("heading", ("相关新闻", "Related news"))
    others = [other for other in links if other is not link]
    back = Block("link", ("返回新闻首页", "Back to the front page"), NEWS)
    return WebPage(link.text, (Block("heading", link.text), *paragraphs, related, *others, back))


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
    return [(a, p.title) for a, p in load_pages().items() if any(wanted in name.lower() for name in p.title)]
