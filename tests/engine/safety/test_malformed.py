"""Addresses and forms that nobody should write: each is judged, none ends a task with an error of ours."""

from contextlib import suppress

from hypothesis import example, given, settings
from hypothesis import strategies as st

from deskhand.core.errors import NotPossible
from deskhand.core.outgoing import OutgoingRequest
from deskhand.devices.browser.navigation import to_full_url
from deskhand.engine.safety.address_risk import assess_address, find_address
from deskhand.engine.safety.request_risk import assess_request, describe_request
from deskhand.settings.site_lists import explain_block

PIECES = st.sampled_from(
    ["http:", "https:", "file:", "view-source:", "blob:", "//", "/", "\\", ".", "..", "?", "#", "&", "=", "@", ":",
     "[", "]", "%", "%2e", "%zz", "80", "99999", "~", "-", "_", " ", "\t", "\x00", "é", "删除", "ｆ", "delete",
     "deleteAll", "action=delete", "example.com", ".well-known", "{", "}", '"', "query", "mutation X {", "_method"]
)  # fmt: skip
ODD = st.lists(PIECES, max_size=9).map("".join) | st.text(max_size=20)


@settings(max_examples=150, deadline=None)
@given(ODD, ODD, st.sampled_from(["GET", "POST", "DELETE", "PUT", "ODD"]))
@example("https://example.com/.well-known/x", "", "GET")
@example("~/.ssh/id_rsa", "", "GET")
@example("http://[", "{", "POST")
def test_every_address_and_every_form_is_judged(url: str, body: str, method: str) -> None:
    assess_address(url)
    find_address(url, None)
    explain_block(url, ["example.com"], ["file:"])
    request = OutgoingRequest(id="1", method=method, url=url, body=body, page=True)
    assess_request(request)
    describe_request(request)
    with suppress(NotPossible):
        to_full_url(url)
