"""The risk of opening an address: one that acts, shows what is on this computer, or says a deed."""

import re
from urllib.parse import unquote

from deskhand.core.screen import Element
from deskhand.engine.safety import risk_words as words
from deskhand.engine.safety.request_risk import list_order_names, list_orders
from deskhand.engine.safety.risk_finding import UNDOABLE, RiskFinding, make_irreversible
from deskhand.settings.site_lists import clean_address, is_empty_page, split_scheme, unwrap_address


def assess_address(url: str) -> RiskFinding:
    known = words.read_table()["addresses"]
    url = unwrap_address(url)
    named = _find_scheme(url)
    if named and named not in known["plain"] and not is_empty_page(url):
        return make_irreversible(f"{named}: is no page of the web: it may act, or show what is on this computer")
    parts = re.split(r"[/?#&=;]+", unquote(url).casefold().partition("//")[2] or unquote(url).casefold())[1:]
    # `send.php` sends.
    if deed := next((part for part in parts if part.partition(".")[0] in known["deeds"]), ""):
        return make_irreversible(f'the address says "{deed}": opening it may do that')
    for deed, said in (*list_orders(url), *list_order_names(url)):
        return make_irreversible(f'the address says "{said}": opening it may do that', deed, said)
    return UNDOABLE


def _find_scheme(url: str) -> str:
    """Return the scheme; `nas:8080` is a host with its port, but `sms:123` is none."""
    acting: list[str] = words.read_table()["addresses"]["acting"]
    return split_scheme(url)[0] or next((name for name in acting if url.casefold().startswith(f"{name}:")), "")


def find_address(typed: str, field: Element | None) -> str:
    """Return the address in what is typed or what the field held; empty for words that are only searched for."""
    known = words.read_table()["addresses"]
    for text in (typed, field.value if field else ""):
        plain = clean_address(text)
        if _find_scheme(unwrap_address(text)) in known["acting"] or (
            plain and " " not in plain and ("." in plain or "://" in plain)
        ):
            return plain
    return ""
