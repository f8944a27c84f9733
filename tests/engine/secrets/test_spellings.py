"""A value is found in every spelling and in the boxes of a PIN; what only looks like it is left alone."""

import unicodedata
from collections.abc import Callable

import pytest

from deskhand.core.geometry import Rect
from deskhand.core.screen import Element
from deskhand.engine.secrets.vault import HIDDEN, Vault

VALUES = {
    "key": "7K4P-Q9ZX-2M8D",
    "card": "4929 1834 7720 5563",
    "word": "Ärger-Größe-9",
    "hex": "0xDEADbeef42c1",
    "chinese": "密码 芝麻开门吧",
}


def full_width(text: str) -> str:
    return "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "blanks": lambda value: value.replace("-", " "),
    "nothing between": lambda value: value.replace("-", "").replace(" ", ""),
    "other dashes": lambda value: value.replace("-", "\u2013").replace(" ", "\u2014"),
    "dots": lambda value: value.replace("-", ".").replace(" ", "."),
    "underscores and slashes": lambda value: value.replace("-", "_").replace(" ", "/"),
    "zero width": "\u200b".join,
    "soft hyphens": "\u00ad".join,
    "joiners": "\u2060".join,
    "full width": full_width,
    "NFC": lambda value: unicodedata.normalize("NFC", value),
    "NFD": lambda value: unicodedata.normalize("NFD", value),
    "NFKD": lambda value: unicodedata.normalize("NFKD", value),
    "lines": "\n".join,
    "groups of three": lambda value: "\r\n\t".join(value[at : at + 3] for at in range(0, len(value), 3)),
    "upper": str.upper,
    "lower": str.lower,
    "swapped": str.swapcase,
    "spaced": "\u00a0".join,
    "boxed": " | ".join,
    "reading marks": "\u200e".join,
}


async def knowing(*values: str) -> Vault:
    named = {f"S{number}": value for number, value in enumerate(values)}
    vault = Vault(named.__getitem__)
    await vault.learn_values(named)
    return vault


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_every_spelling_becomes_the_placeholder(value: str, spelling: str) -> None:
    vault = await knowing(value)
    shown = SPELLINGS[spelling](value)
    assert vault.scrub_text(f"It is {shown}!") == "It is {{secret:S0}}!"
    blotted = vault.blot_text(f"It is {shown}!")
    assert blotted.startswith("It is •••")
    assert len(blotted) <= len(f"It is {shown}!")


@pytest.mark.parametrize("spelling", ["zero width", "full width", "lines", "spaced"])
async def test_a_short_pin_is_found_alone_and_not_in_a_number(spelling: str) -> None:
    vault = await knowing("4829")
    assert vault.scrub_text(f"PIN: {SPELLINGS[spelling]('4829')}.") == "PIN: {{secret:S0}}."
    for harmless in ("14829", "48291", "4,829", "48.29", "a4829"):
        assert vault.scrub_text(harmless) == harmless


async def test_placeholders_stay_and_several_values_are_told_apart() -> None:
    vault = await knowing("AB-CD-EF-12", "S0 secret S0")
    text = "{{secret:S0}} ab cd ef 12 {{secret:S1}} s0-secret-s0"
    assert vault.scrub_text(text) == "{{secret:S0}} {{secret:S0}} {{secret:S1}} {{secret:S1}}"


# --- single boxes --------------------------------------------------------------------------------------------------


def boxes(pieces: list[str], *, editable: bool = True, clickable: bool = False) -> tuple[Element, ...]:
    return tuple(
        Element(
            number, "field" if editable else "text", Rect(30 * number, 0, 30 * number + 25, 25),
            name=f"Digit {number}" if editable else piece, value=piece if editable else "",
            editable=editable, clickable=clickable,
        )
        for number, piece in enumerate(pieces)
    )  # fmt: skip


@pytest.mark.parametrize("editable", [True, False], ids=["fields", "texts"])
@pytest.mark.parametrize(
    "pieces",
    [list("482915"), ["48", "29", "15"], list("４８２９１５"), ["4", "8", "2", "-", "9", "1", "5"], ["x1", *"482915"]],
    ids=["digits", "pairs", "full width", "with a dash", "behind another"],
)
async def test_a_value_split_over_boxes_shows_nowhere(pieces: list[str], editable: bool) -> None:
    vault = await knowing("482915")
    shown = vault.scrub_elements(boxes(pieces, editable=editable))
    hidden = [e.value == HIDDEN if editable else e.name == HIDDEN for e in shown]
    assert hidden == [piece not in ("-", "x1") for piece in pieces]
    assert [e.password for e in shown] == hidden, "pictures are covered there, too"


async def test_boxes_that_are_listed_out_of_order_are_read_as_a_person_would() -> None:
    vault = await knowing("482915")
    first, *rest = boxes(list("482915"))
    assert all(element.value == HIDDEN for element in vault.scrub_elements((*reversed(rest), first)))


async def test_a_begun_row_is_hidden_as_soon_as_the_value_was_typed() -> None:
    vault = await knowing("482915")
    begun = boxes(["4", "8", "", "", "", ""])
    assert vault.scrub_elements(begun) == begun, "nobody has typed it: the two digits are someone else's"
    vault.fill_text("{{secret:S0}}")
    assert [element.value for element in vault.scrub_elements(begun)] == [HIDDEN, HIDDEN, "", "", "", ""]
    assert [e.value for e in vault.scrub_elements(boxes(["", "7", ""]))] == ["", "7", ""]


async def test_a_card_in_four_fields_is_hidden_and_its_neighbours_are_not() -> None:
    vault = await knowing("4929 1834 7720 5563")
    fields = boxes(["Ada", "4929", "1834", "7720", "5563", "12", "2030"])
    assert [e.value for e in vault.scrub_elements(fields)] == ["Ada", *[HIDDEN] * 4, "12", "2030"]


async def test_the_keys_of_a_number_pad_are_left_alone() -> None:
    vault = await knowing("123456")
    pad = boxes(list("1234567890"), editable=False, clickable=True)
    assert vault.scrub_elements(pad) == pad
