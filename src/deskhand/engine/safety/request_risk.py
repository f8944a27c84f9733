"""The risk of a request before it leaves a browser: by its method, its target and what it carries.

It promises to know what says a deed in the plain words of its address, its form or its operation (DELETE,
`/orders/5/pay`, `?action=delete-all`, `_method=delete`, `mutation DeleteProject`, an amount of money, a card), and a
form that a reload sends again. It promises to let searches, log-ins, drafts, carts, queries and telemetry go. It does
not promise to know what a site calls by other names: a bare `POST /x9` passes, and so do beacons, web sockets and a GET
whose address says nothing. Those are left to what is written on the control (`press_risk`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from deskhand.core.outgoing import OutgoingRequest
from deskhand.engine.safety import risk_words as words
from deskhand.engine.safety.risk_finding import LOOK, UNDOABLE, RiskFinding, make_irreversible

# The parts of a path that tell what is done: `/v1/projects/acme/orders/5/pay` pays, whatever comes before.
_LAST_PARTS = 4
_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[\u4e00-\u9fff]+")
_ID = re.compile(r"[\d.\-:]*|[0-9a-f\-]{12,}|v\d+", re.IGNORECASE)
_SQL = re.compile(r"\s*(?:drop|delete|truncate|alter|update)\s+\w", re.IGNORECASE)
_GRAPHQL = re.compile(r"^\s*(query|mutation|subscription)?\s*(\w*)[^{]*\{\s*(\w*)", re.DOTALL)
_MOST_BODY, _MOST_ORDER = 20_000, 60
# A name such as deleteAll or remove_user has this many words; more are the title of an article.
_ORDER_WORDS = 3
# Words that say little about what is handed in come behind those that say it: /checkout/submit pays.
_RANKS = {"send": 1, "submit": 2}


def assess_request(request: OutgoingRequest) -> RiskFinding:
    """Return the risk of letting this request go."""
    if request.repeated:
        return make_irreversible("it was sent before, and loading its result again sends it once more")
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return _assess_get(request)
    if _is_telemetry(request.url):
        return LOOK
    if _reads_only(request):
        return UNDOABLE
    # What is only handed in, or sent, may be a payment or a deletion by another of its words.
    for deed, sign in sorted(_list_signs(request), key=lambda said: _RANKS.get(said[0], 0)):
        return make_irreversible(f'the request says "{sign}"', deed, sign)
    return UNDOABLE


def may_change_something(request: OutgoingRequest) -> bool:
    """True unless it is known to read only: a server may keep whatever is handed in, as often as it comes."""
    reading = request.method in ("GET", "HEAD", "OPTIONS") or _is_telemetry(request.url)
    return not reading and not _reads_only(request)


def describe_request(request: OutgoingRequest) -> str:
    """Return the request in a few words, without its query and body, which may hold secrets."""
    place = _split_address(request.url)
    return f"{request.method} {place.netloc}{place.path[:60]}"


def _list_signs(request: OutgoingRequest) -> Iterable[tuple[str, str]]:
    """Yield the deeds that a request says, each with the word that says it."""
    path, fields = _split_path(request.url), _read_fields(request.body)
    if request.method == "DELETE" and not _has_any(path, "undoable"):
        yield "delete", "DELETE"
    if operation := _find_operation(fields):
        yield from (*_find_verbs(operation), *_find_made(_split_name(operation), operation))
        return
    yield from list_orders(request.url, fields)
    calm = _has_any(path[-_LAST_PARTS:], "places")
    for part in reversed(path[-_LAST_PARTS:]):
        yield from _find_verbs(part, calm=calm)
    if request.method == "POST":
        yield from _find_made([name for part in path[-2:] for name in _split_name(part)], "/".join(path[-2:]))
        yield from (("pay", key) for key in fields if _names_money(key))
    yield from (("delete", value[:40]) for value in fields.values() if _SQL.match(value))


def _assess_get(request: OutgoingRequest) -> RiskFinding:
    """A page that is opened only shows something, unless its address orders a deed, or removes something."""
    if not request.page:
        return LOOK
    signs = [
        *list_orders(request.url),
        *((deed, name) for deed, name in list_order_names(request.url) if deed == "delete"),
    ]
    signs += [("delete", part) for part in _split_path(request.url)[-2:] if part.casefold() in _read_wire()["get"]]
    for deed, sign in signs:
        return make_irreversible(f'the request says "{sign}"', deed, sign)
    return UNDOABLE


def list_orders(url: str, fields: Mapping[str, str] | None = None) -> Iterable[tuple[str, str]]:
    """Yield what a field such as `action=delete-all` orders, in the address or the form."""
    for key, value in (*parse_qsl(_split_address(url).query, keep_blank_values=True), *(fields or {}).items()):
        name = key.casefold()
        if name in _read_wire()["orders"] and len(value) <= _MOST_ORDER:
            yield from _find_verbs(value)
        elif value.casefold() in ("", "1", "true", "on", name) and len(_split_name(key)) <= _ORDER_WORDS:
            yield from _find_verbs(key)


def list_order_names(url: str) -> Iterable[tuple[str, str]]:
    """Yield the parts of a path that programmers named after a deed: deleteAll, remove_user. Delete_key is a title."""
    for part in _split_path(url):
        names, plain = _split_name(part), part.partition(".")[0]
        said = plain[:1].islower() or plain.isupper()
        if said and 1 < len(names) <= _ORDER_WORDS and "-" not in plain:
            yield from _find_verbs(names[0])


def _split_address(url: str) -> SplitResult:
    """Return the parts of an address; none of one that is malformed, which no browser opens."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def _find_verbs(text: str, *, calm: bool = False) -> Iterable[tuple[str, str]]:
    names = [name for name in _split_name(text) if not (calm and name in _read_wire()["soft"])]
    yield from ((deed, text[:40]) for deed, known in _read_wire()["verbs"].items() if set(names) & set(known))


def _find_made(names: Sequence[str], said: str) -> Iterable[tuple[str, str]]:
    """Yield what is handed in: its name comes last, or beside a word for creating."""
    creates = set(names) & set(_read_wire()["creating"])
    for deed, known in _read_wire()["made"].items():
        for name in names:
            if _make_singular(name) in known and (name == names[-1] or creates - {name}):
                yield deed, said[:40]


def _names_money(key: str) -> bool:
    names = _split_name(key)
    return "".join(names) in _read_wire()["money_fields"] or names[-1:] in (["amount"], ["cvc"], ["cvv"], ["iban"])


def _make_singular(name: str) -> str:
    return (
        name[:-3] + "y"
        if name.endswith("ies")
        else name.removesuffix("es")
        if name.endswith("uses")
        else name.removesuffix("s")
    )


# --- what only reads -------------------------------------------------------------------------------------------------


def _is_telemetry(url: str) -> bool:
    place = _split_address(url)
    names = {name for part in (place.hostname or "").split(".")[:-1] for name in _split_name(part)}
    return bool(names & set(_read_wire()["telemetry"]))


def _reads_only(request: OutgoingRequest) -> bool:
    """True for a search, a log-in, a draft, a query: by the last names of its path, or by the query itself."""
    path, fields = _split_path(request.url), _read_fields(request.body)
    if _has_any(path[-1:], "harmless"):
        return True
    asked = fields.get("query", "")
    if "operationName" in fields or asked.lstrip().startswith(("query", "mutation", "subscription", "{")):
        found = _GRAPHQL.match(asked)
        return bool(found) and found[1] != "mutation"
    return False


def _find_operation(fields: Mapping[str, str]) -> str:
    """Return the name of a GraphQL mutation; empty for any other request."""
    if (found := _GRAPHQL.match(fields.get("query", ""))) and found[1] == "mutation":
        return f"{fields.get('operationName', '')} {found[2]} {found[3]}"
    # A query that the server knows by its name alone; it begins with what it does.
    named = fields.get("operationName", "") if not fields.get("query") else ""
    return named if named and not set(_split_name(named)[:1]) & set(_read_wire()["harmless"]) else ""


# --- parts -----------------------------------------------------------------------------------------------------------


def _read_wire() -> dict[str, Any]:
    return words.read_table()["wire"]


def _split_path(url: str) -> list[str]:
    parts = unquote(_split_address(url).path).split("/")
    return [part for part in parts if part and not _ID.fullmatch(part)]


def _has_any(parts: Iterable[str], kind: str) -> bool:
    known = set(_read_wire()[kind])
    return any(name in known for part in parts for name in _split_name(part))


def _split_name(text: str) -> list[str]:
    """Return the words of a name that programmers gave: deleteAll, DELETE_POST, remove-user, chat.postMessage."""
    return [name.casefold() for name in _NAME.findall(text)]


def _read_fields(body: str) -> dict[str, str]:
    """Return what a form or a flat piece of JSON holds."""
    body = body[:_MOST_BODY]
    try:
        read: Any = json.loads(body) if body.lstrip().startswith(("{", "[")) else None
    except ValueError:
        read = None
    if isinstance(read, list):  # a batch
        read = cast("list[Any]", read)[0] if read else None
    if isinstance(read, dict):
        return _flatten_fields(cast("dict[str, Any]", read))
    if "Content-Disposition: form-data" in body:
        parts = re.findall(r'name="([^"]*)"(?:[^\r\n]*\r\n)+\r\n([^\r\n]*)', body)
        return dict(parts)
    return dict(parse_qsl(body, keep_blank_values=True))


def _flatten_fields(read: dict[str, Any], depth: int = 2) -> dict[str, str]:
    """Return the fields of an object and of those inside it: many sites wrap what they send in `data` or `input`."""
    fields = {key: value if isinstance(value, str) else json.dumps(value) for key, value in read.items()}
    inner = [cast("dict[str, Any]", value) for value in read.values() if depth and isinstance(value, dict)]
    return {key: value for one in inner for key, value in _flatten_fields(one, depth - 1).items()} | fields
