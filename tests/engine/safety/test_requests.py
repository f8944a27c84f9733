"""What a request says before it leaves a browser: the decision table of the wire."""

import json
from typing import Any

import pytest

from deskhand.core.outgoing import OutgoingRequest
from deskhand.engine.safety.policy import ANYTHING, judge_request
from deskhand.engine.safety.request_risk import assess_request, describe_request
from deskhand.settings.schema import PolicySettings


def sent(method: str, path: str, body: str = "", **more: Any) -> OutgoingRequest:
    url = path if "//" in path else f"https://x.example{path}"
    return OutgoingRequest("1", method, url, body, **more)


@pytest.mark.parametrize(
    ("method", "path", "body", "deed"),
    [
        ("DELETE", "/api/repos/5", "", "delete"),
        ("POST", "/orders/5/pay", "", "pay"),
        ("POST", "/v1/payment_intents/pi_1/confirm", "", "submit"),
        ("POST", "/checkout", "cardNumber=4111", "pay"),
        ("POST", "/x", "to=bob&amount=50", "pay"),
        ("POST", "/x", '{"amount": 50, "iban": "DE89"}', "pay"),
        ("POST", "/items/5", "_method=delete", "delete"),
        ("POST", "/admin", "action=delete_user&id=5", "delete"),
        ("POST", "/admin", "delete=1&id=5", "delete"),
        ("POST", "/?action=DeleteAll", "", "delete"),
        ("POST", "/", "Action=TerminateInstances", "delete"),
        ("POST", "/api/chat.postMessage", "text=hi", "send"),
        ("POST", "/channels/5/messages", "{}", "send"),
        ("POST", "/api/createOrder", "{}", "pay"),
        ("POST", "/order/create", "", "pay"),
        ("POST", "/i/api/graphql/x/CreateTweet", "{}", "send"),
        ("POST", "/graphql", json.dumps({"query": "mutation { deleteProject(id: 5) }"}), "delete"),
        ("POST", "/sql", json.dumps({"query": "DROP TABLE users"}), "delete"),
        ("POST", "/x", '--b\r\nContent-Disposition: form-data; name="_method"\r\n\r\ndelete\r\n--b--', "delete"),
        ("PUT", "/users/5/deactivate", "", "delete"),
    ],
)
def test_a_request_that_says_what_it_does(method: str, path: str, body: str, deed: str) -> None:
    found = assess_request(sent(method, path, body))
    assert found.risk == "irreversible"
    assert found.deed is not None
    assert found.deed.name == deed


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/search", "q=delete"),
        ("POST", "/orders/search", "q=pay"),
        ("POST", "/login", "user=a&password=b"),
        ("POST", "/oauth/token", "grant_type=x"),
        ("POST", "/cart/add", "id=5"),
        ("POST", "/graphql", json.dumps({"query": "query Orders { orders { id } }"})),
        ("POST", "/graphql", json.dumps({"operationName": "DeleteDialog", "query": "query DeleteDialog { a }"})),
        ("POST", "/graphql", json.dumps({"query": "mutation { updateTheme(dark: true) }"})),
        ("POST", "/users/autocomplete", "q=a"),
        ("POST", "/api/stats/track", "event=purchase"),
        ("POST", "https://analytics.example/pay", "x"),
        ("POST", "https://o1.ingest.sentry.io/api/5/envelope/", "{}"),
        ("PUT", "/settings", "name=x"),
        ("PATCH", "/profile", "{}"),
        ("DELETE", "/api/session", ""),
        ("DELETE", "/posts/5/like", ""),
        ("POST", "/x9", "a=1"),
        ("GET", "/checkout", ""),
        ("GET", "/wiki/Delete_key", ""),
        ("GET", "/docs/delete-user", ""),
        ("GET", "/?q=delete+all", ""),
    ],
)
def test_a_request_that_only_reads_or_is_easily_undone(method: str, path: str, body: str) -> None:
    assert assess_request(sent(method, path, body, page=True)).risk != "irreversible"


@pytest.mark.parametrize("path", ["/deleteAll", "/mail?action=delete-all", "/users/5/destroy", "/?cmd=emptyTrash"])
def test_a_page_that_acts_when_it_is_opened(path: str) -> None:
    assert assess_request(sent("GET", path, page=True)).risk == "irreversible"
    assert assess_request(sent("GET", path)).risk == "look", "a script that reads"


def test_a_form_that_is_sent_again_needs_its_own_yes_whatever_it_says() -> None:
    again = sent("POST", "/search", "q=a", page=True, repeated=True)
    for more in ({}, {"approved": "search for a, then press F5"}, {"approved": "Go", "labels": ("Go",)}):
        assert judge_request(again, PolicySettings(), **more).verdict == "ask"


@pytest.mark.parametrize(("setting", "verdict"), [("allow", "allow"), ("ask", "ask"), ("deny", "deny")])
def test_the_setting_for_what_can_not_be_undone_holds(setting: Any, verdict: str) -> None:
    permit = judge_request(sent("POST", "/pay", "amount=5&pin=1234"), PolicySettings(irreversible=setting))
    assert permit.verdict == verdict
    assert "1234" not in permit.reason


def test_what_was_approved_covers_its_request() -> None:
    pay = sent("POST", "/pay")
    assert judge_request(pay, PolicySettings(), covers="pay").verdict == "allow"
    assert judge_request(pay, PolicySettings(), covers=ANYTHING).verdict == "allow"
    for other in ("send", "delete", "submit", "confirm"):
        assert judge_request(pay, PolicySettings(), covers=other).verdict == "ask", other
    assert judge_request(pay, PolicySettings(), approved="pay the bill").verdict == "ask"
    assert judge_request(pay, PolicySettings(), approved="click Buy now", labels=("Buy now",)).verdict == "allow"
    assert judge_request(pay, PolicySettings(), approved="click Next", labels=("Next",)).verdict == "ask"
    assert judge_request(pay, PolicySettings(), approved="read the news", labels=("Next",)).verdict == "ask"
    assert judge_request(pay, PolicySettings(), labels=("Next",)).verdict == "ask"


def test_a_request_is_told_without_what_may_be_secret() -> None:
    assert describe_request(sent("POST", "/pay?token=abc", "pin=1")) == "POST x.example/pay"


@pytest.mark.parametrize(
    ("body", "risk"),
    [
        ('{"operationName":"DeleteProject","variables":{}}', "irreversible"),
        ('{"operationName":"GetDeletedProjects","variables":{}}', "reversible"),
        ('{"data":{"amount":50,"iban":"DE89"}}', "irreversible"),
        ('{"input":{"item":{"action":"delete"}}}', "irreversible"),
        ('{"data":{"name":"Bob"}}', "reversible"),
    ],
)
def test_what_a_site_wraps_or_knows_by_name_is_read_as_well(body: str, risk: str) -> None:
    assert assess_request(sent("POST", "/rpc", body)).risk == risk


@pytest.mark.parametrize(
    ("path", "body", "deed"),
    [
        ("/checkout/submit", "", "pay"),
        ("/account/close/confirm", "", "delete"),
        ("/payments/send", "amount=5", "pay"),
        ("/orders/5/cancel", "", "delete"),
        ("/posts/5/reply", "", "send"),
        ("/forms/5/submit", "", "submit"),
    ],
)
def test_the_graver_of_two_deeds_that_a_request_says_counts(path: str, body: str, deed: str) -> None:
    found = assess_request(sent("POST", path, body))
    assert found.deed
    assert found.deed.name == deed
