"""Decides if an address may be opened: parses it as a browser would and matches it with lists of sites.

Others enforce it: the browser for every page it loads, the policy before an address is opened. All of them judge what
`unwrap_address` returns: the address that is shown in the end, whatever was written around or into it.
"""

from __future__ import annotations

import re
import socket
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import unquote

# An empty page; a frame shows it before, or instead of, an address.
_EMPTY = re.compile(r"about:(blank|srcdoc)(?=[?#]|$)", re.IGNORECASE)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
# A host with its port is not a scheme: `localhost:8000/a`.
_HOST_AND_PORT = re.compile(r"[^\s/?#@:]+:\d{1,5}(?=[/?#]|$)")
# Addresses around another one, which is the one that counts.
_WRAPPERS = ("view-source", "blob", "filesystem", "feed", "jar")
# Everything before the first of these is the scheme, or a host with its port.
_HEAD_ENDS = re.compile(r"[/\\?#]")
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}
_FORBIDDEN = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^|\x7f]")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_SHOWN = 80


@dataclass(frozen=True, slots=True)
class SiteAddress:
    """A parsed address. `host` is normalized: lower case, punycode, no dot at its end; empty if there is none.

    Without a scheme (`example.com/a`) the device chooses one.
    """

    scheme: str
    host: str = ""
    port: int | None = None

    @property
    def site(self) -> str:
        """The site as shown to a user."""
        if not self.host:
            return f"{self.scheme}:"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port in (None, _PORTS.get(self.scheme)) else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class SitePattern:
    """One entry of a list: a site with its subdomains, `*.` for those alone, an origin, or a scheme (`file:`)."""

    host: str
    scheme: str = ""
    port: int | None = None
    reach: str = "site"

    def covers_address(self, address: SiteAddress) -> bool:
        if self.scheme and address.scheme not in (self.scheme, ""):
            return False
        if not self.host:
            return bool(address.scheme)
        if self.port is not None and address.port not in (self.port, None):
            return False
        below = address.host.endswith(f".{self.host}")
        return {"site": below or address.host == self.host, "below": below, "exact": address.host == self.host}[
            self.reach
        ]


def explain_block(url: str, allow: Iterable[str], deny: Iterable[str]) -> str:
    """Return the reason why this address is blocked; empty if it may be opened.

    Without lists every address may be opened, with an allow-list only those on it; denied ones are always blocked.
    """
    allowed, denied = tuple(allow), tuple(deny)
    if not (allowed or denied) or is_empty_page(url):
        return ""
    try:
        address = parse_address(url)
    except ValueError as trouble:
        return f"{_shorten_address(url)} can't be opened: {trouble}, so no list of sites can allow it."
    if any(parse_pattern(entry).covers_address(address) for entry in denied):
        return f"{address.site} is blocked by policy.sites_deny."
    if allowed and not any(parse_pattern(entry).covers_address(address) for entry in allowed):
        return f"{address.site} is blocked: it is not in policy.sites_allow."
    return ""


def is_empty_page(url: str) -> bool:
    return bool(_EMPTY.match(unwrap_address(url)))


def parse_address(url: str) -> SiteAddress:
    """Return the address that a browser would open; raises ValueError if none would."""
    scheme, rest = split_scheme(unwrap_address(url))
    if scheme and scheme not in _PORTS:
        if scheme == "javascript":
            raise ValueError("a script is no address")
        return SiteAddress(scheme)
    # Browsers accept any number of slashes, of either kind, in place of the two.
    authority = re.split(r"[/\\?#]", re.sub(r"^[/\\]*", "", rest), maxsplit=1)[0]
    # The text before the last @ is a login, which may look like another site; it is not the site.
    place = authority.rpartition("@")[2]
    found = re.fullmatch(r"(\[[^\]]*\]|[^:]*)(?::(\d*))?", place)
    if not found:
        raise ValueError("its host can't be read")
    port = int(found[2]) if found[2] else _PORTS.get(scheme)
    if port is not None and port > 65_535:
        raise ValueError("its port is too large")
    return SiteAddress(scheme, normalize_host(found[1]), port)


def normalize_host(text: str) -> str:
    """Return the normalized host, by the rules that browsers use; raises ValueError."""
    if text.startswith("["):
        try:
            number = IPv6Address(text[1:-1])
        except ValueError:
            raise ValueError("its host can't be read") from None
        return str(number.ipv4_mapped or number)
    host = ".".join(_normalize_label(label) for label in re.split("[.。．｡]", unquote(text))).removesuffix(".")
    if not host or _FORBIDDEN.search(host) or ".." in host or host.startswith("."):
        raise ValueError("its host can't be read")
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        try:
            # As browsers do: 127.1, 0x7f000001 and 2130706433 are the same host.
            return str(IPv4Address(socket.inet_aton(host)))
        except OSError:
            raise ValueError("its host can't be read") from None
    return host


def _normalize_label(label: str) -> str:
    """Return one normalized part of a host; other scripts in punycode, so that look-alike letters stay different."""
    plain = unicodedata.normalize("NFKC", label).lower()
    kept = "".join(letter for letter in plain if unicodedata.category(letter) != "Cf" or letter in "\u200c\u200d")
    if kept.isascii():
        return kept
    return "xn--" + unicodedata.normalize("NFC", kept).encode("punycode").decode("ascii")


@lru_cache(maxsize=256)
def parse_pattern(entry: str) -> SitePattern:
    """Parse an entry of a list; raises ValueError that says what is wrong with it."""
    text = entry.strip()
    scheme, slashes, rest = text.partition("://")
    if not slashes:
        scheme, rest = "", text
        if re.fullmatch(r"[A-Za-z][A-Za-z0-9+.\-]*:", text):
            return SitePattern("", text[:-1].lower())
    scheme, rest = scheme.lower(), rest.removesuffix("/")
    below = rest.startswith("*.")
    found = re.fullmatch(r"(\[[^\]]*\]|[^:/?#@\s*]+)(?::(\d{1,5}))?", rest.removeprefix("*."))
    if not found or (scheme and scheme not in _PORTS):
        raise ValueError(f"{entry!r} is no site: write example.com, *.example.com, https://example.com:8443 or file:")
    host = normalize_host(found[1])
    port = int(found[2]) if found[2] else _PORTS.get(scheme)
    number = ":" in host or _NUMBER.fullmatch(host.rpartition(".")[2])
    return SitePattern(host, scheme, port, "below" if below else "exact" if scheme or number else "site")


def unwrap_address(url: str) -> str:
    """Return the address that counts: without wrappers (`view-source:`), its scheme in plain lower case.

    What a wrapper holds has a scheme of its own, or is the web's (`view-source:example.com`); a `blob:` without one
    (`blob:null/5f0c`) stays as it is.
    """
    text = _tidy_scheme(url)
    scheme, rest = split_scheme(text)
    if scheme not in _WRAPPERS:
        return text
    inner = unwrap_address(rest)
    return inner if scheme in ("view-source", "feed") or split_scheme(inner)[0] else text


def split_scheme(address: str) -> tuple[str, str]:
    """Return the scheme in lower case and the rest; the scheme is empty if there is none (`localhost:8000/a`)."""
    named = None if _HOST_AND_PORT.match(address) else _SCHEME.match(address)
    return (named[1].lower(), address[named.end() :]) if named else ("", address)


def _tidy_scheme(url: str) -> str:
    """Return the address with its scheme as plain letters, however it is written: `%66ile:`, `ＦＩＬＥ:`."""
    text = clean_address(url)
    end = _HEAD_ENDS.search(text)
    head, tail = (text[: end.start()], text[end.start() :]) if end else (text, "")
    plain = head
    while (decoded := unquote(plain)) != plain:
        plain = decoded
    seen = unicodedata.normalize("NFKC", plain)
    name, colon, rest = seen.partition(":")
    name = "".join(sign for sign in name if unicodedata.category(sign) not in ("Cc", "Cf", "Zs", "Zl", "Zp"))
    scheme = split_scheme(f"{name}:{rest}{tail}")[0] if colon else ""
    if not scheme:
        return text
    # Past the first colon nothing is changed, unless the colon itself was hidden.
    return f"{scheme}:{head.partition(':')[2] if ':' in head else rest}{tail}"


def clean_address(url: str) -> str:
    """Return the address without the characters that browsers drop before they parse it."""
    return re.sub(r"[\t\n\r]", "", url.strip("".join(map(chr, range(0x21)))))


def _shorten_address(url: str) -> str:
    return url if len(url) <= _SHOWN else url[:_SHOWN] + "…"
