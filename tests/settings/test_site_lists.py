"""An address is read as a browser reads it, whatever it is dressed up as, and held against the lists."""

from typing import Any

import pytest
from pydantic import ValidationError

from deskhand.settings.schema import PolicySettings
from deskhand.settings.site_lists import explain_block, parse_pattern, unwrap_address

BANK = ("bank.example",)


@pytest.mark.parametrize(
    "url",
    [
        "https://bank.example",
        "https://bank.example/pay?to=evil.example",
        "HTTPS://BANK.EXAMPLE./",
        "http://www.bank.example:8080/x",
        "https://me:pass@bank.example/",
        "https://evil.example@bank.example/",
        "https:bank.example",
        "https:///bank.example",
        r"https:\\bank.example\x",
        "  https://ba\tnk.exa\nmple  ",
        "https://ｂａｎｋ.example",
        "https://bank。example",
        "https://b%61nk.example",
        "bank.example/login",
        "bank.example:8443",
        "blob:https://bank.example/5f0c",
        "view-source:https://bank.example/",
        "about:blank",
        "about:srcdoc",
        "about:blank#x",
    ],
)
def test_a_site_is_known_again_in_any_spelling(url: str) -> None:
    assert explain_block(url, BANK, ()) == ""
    if not url.startswith("about:"):
        assert "policy.sites_deny" in explain_block(url, (), BANK)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://evil.example/bank.example", "evil.example"),
        ("https://bank.example@evil.example", "evil.example"),
        ("https://bank.example:443@evil.example", "evil.example"),
        ("https://bank.example%40evil.example", ""),
        (r"https://evil.example\@bank.example", "evil.example"),
        ("https://evil.example#@bank.example", "evil.example"),
        ("https://evil.example?@bank.example", "evil.example"),
        ("https://bank.example.evil.example", "bank.example.evil.example"),
        ("https://mybank.example", "mybank.example"),
        ("https://bаnk.example", "xn--bnk-6cd.example"),
        ("https://xn--bnk-6cd.example", "xn--bnk-6cd.example"),
        ("https://bank.example%00.evil.example", ""),
        ("https://bank.example%2eevil.example", "bank.example.evil.example"),
        ("https://127.1:9000/", "127.0.0.1:9000"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://0x7f.0.0.1/", "127.0.0.1"),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("http://[::ffff:127.0.0.1]/", "127.0.0.1"),
        ("https://", ""),
        ("https://[::1", ""),
        ("https://bank.example:99999", ""),
        ("view-source:https://evil.example", "evil.example"),
        ("blob:https://evil.example/5f0c", "evil.example"),
        ("file:///etc/passwd", "file:"),
        ("data:text/html,<p>bank.example", "data:"),
        ("javascript:alert(1)//bank.example", ""),
        ("jav\tascript:alert(1)", ""),
        ("intent://bank.example#Intent;end", "intent:"),
        ("chrome://settings", "chrome:"),
        ("about:config", "about:"),
        ("mailto:me@bank.example", "mailto:"),
    ],
)
def test_everything_else_is_refused_and_named_for_what_it_is(url: str, site: str) -> None:
    said = explain_block(url, BANK, ())
    assert said.startswith(f"{site} is blocked" if site else url[:20]), said
    assert explain_block(url, (), ()) == ""


DISGUISES = [
    "view-source:{}", "VIEW-SOURCE:{}", "view-source:view-source:{}", "view-source: {}", "view-source:\t{}",
    "blob:{}", "filesystem:{}", "feed:{}", "jar:{}!/x", "view-source:blob:{}", "blob:filesystem:view-source:{}",
    "  {}", "\x01{}", "\ufeff{}", "%20{}",
]  # fmt: skip
LOCAL = ["file:///etc/passwd", "chrome://settings", "devtools://x/y", "data:text/html,<p>x"]


def spell(address: str) -> list[str]:
    """The same scheme in other letters."""
    scheme, _, rest = address.partition(":")
    half = len(scheme) // 2
    return [
        address, f"{scheme.upper()}:{rest}", f"{scheme[:half]}\n{scheme[half:]}:{rest}",
        f"{scheme[:half]}\u200b{scheme[half:]}:{rest}", f"{scheme[:half]}\x00{scheme[half:]}:{rest}",
        f"%{ord(scheme[0]):02x}{scheme[1:]}:{rest}", f"%25{ord(scheme[0]):02x}{scheme[1:]}:{rest}",
        f"{scheme}%3A{rest}", f"{scheme[:half]} {scheme[half:]}:{rest}",
        f"{''.join(chr(ord(one) + 0xFEE0) for one in scheme)}:{rest}",
    ]  # fmt: skip


DISGUISED = [(disguise.format(each), one) for one in LOCAL for each in spell(one) for disguise in DISGUISES]


def test_what_is_on_this_computer_is_known_in_any_disguise() -> None:
    for url, plain in DISGUISED:
        scheme = plain.partition(":")[0]
        said = explain_block(url, (), (f"{scheme}:",))
        assert said == f"{scheme}: is blocked by policy.sites_deny.", (url, said)
        assert explain_block(url, BANK, ()) != "", url


@pytest.mark.parametrize("url", ["bank.example:8443/a", "localhost:8000", "https://x.example/?u=file:///etc/passwd"])
def test_what_is_no_scheme_is_not_taken_for_one(url: str) -> None:
    assert unwrap_address(url) == url


@pytest.mark.parametrize(
    ("entry", "yes", "no"),
    [
        ("bank.example", "https://a.b.bank.example", "https://abank.example"),
        ("*.bank.example", "https://a.bank.example", "https://bank.example"),
        ("https://bank.example", "https://bank.example/x", "http://bank.example"),
        ("https://bank.example/", "https://bank.example:443", "https://a.bank.example"),
        ("http://bank.example:8080", "http://bank.example:8080", "http://bank.example"),
        ("bank.example:8080", "https://bank.example:8080", "https://bank.example"),
        ("https://*.bank.example", "https://a.bank.example", "http://a.bank.example"),
        ("BANK.example.", "http://bank.example", "http://bank.example.org"),
        ("münchen.example", "https://xn--mnchen-3ya.example", "https://munchen.example"),
        ("straße.example", "https://xn--strae-oqa.example", "https://strasse.example"),
        ("127.0.0.1", "http://127.0.0.1:5000", "http://10.127.0.0"),
        ("[::1]", "http://[0:0:0:0:0:0:0:1]:80", "http://[::2]"),
        ("localhost", "http://localhost:3000", "http://127.0.0.1:3000"),
        ("file:", "file:///tmp/a.html", "https://bank.example"),
        ("http:", "http://any.example", "https://any.example"),
    ],
)
def test_what_an_entry_covers(entry: str, yes: str, no: str) -> None:
    assert explain_block(yes, (entry,), ()) == ""
    assert explain_block(no, (entry,), ()) != ""


def test_what_is_denied_is_denied_even_if_it_is_allowed() -> None:
    lists = (("bank.example",), ("shop.bank.example",))
    assert explain_block("https://bank.example", *lists) == ""
    assert "blocked by policy.sites_deny" in explain_block("https://shop.bank.example", *lists)


def test_without_an_allow_list_only_what_is_denied_is_refused() -> None:
    assert explain_block("https://any.example", (), BANK) == ""
    assert explain_block("file:///tmp/x", (), BANK) == ""
    assert "can't be opened" in explain_block("https://%00/", (), BANK)


@pytest.mark.parametrize(
    "entry", ["https://bank.example/path", "a b", "*", "*.*.example", "me@bank.example", "", "x://y"]
)
def test_an_entry_that_is_no_site_is_a_mistake_in_the_settings(entry: str) -> None:
    with pytest.raises(ValueError, match="is no site"):
        parse_pattern(entry)
    with pytest.raises(ValidationError):
        PolicySettings(sites_allow=(entry,))


@pytest.mark.parametrize("name", ["sites_allow", "sites_deny", "apps_allow", "apps_deny"])
def test_a_list_from_the_environment_is_one_line(name: str) -> None:
    lists: Any = PolicySettings.model_validate({name: "a.example, b.example"})
    assert getattr(lists, name) == ("a.example", "b.example")
