"""The values of secrets: learned once, filled in for the device alone, and found again wherever they show.

Where values are kept is left to the settings; where they are filled in and hidden, to the guarded parts of a task.
"""

import asyncio
import base64
import html
import json
import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import replace
from urllib.parse import quote, quote_plus

from rapidfuzz.fuzz import partial_ratio

from deskhand.core.errors import SettingsError
from deskhand.core.screen import Element
from deskhand.engine.secrets.spellings import Span, find_pieces, find_spellings
from deskhand.settings.placeholders import PLACEHOLDER, find_secret_names, make_placeholder

HIDDEN = "(hidden)"
# A shorter value is found only where no letter or digit stands beside it: 1234 is no secret in the middle of a number.
_SHORT = 6
_KEYRING_S = 60.0
# So many letters in a row are no coincidence.
_TELLING = 5
# Read from a picture, this much of a value is the value.
_NEARLY = 75


ReadSecret = Callable[[str], str]


class Vault:
    """`read` gets a value by its name, or raises SettingsError. Capitals make no difference in a name."""

    def __init__(self, read: ReadSecret) -> None:
        self._read = read
        self._names: dict[str, str] = {}
        # The one typed last comes last: of two with the same value, it is the one that is seen.
        self._values: dict[str, str] = {}
        self._typed: set[str] = set()
        self._pattern: re.Pattern[str] | None = None

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Vault({', '.join(self._values)})"

    async def learn_values(self, names: Iterable[str], read: ReadSecret | None = None) -> None:
        """Get the values that are not known yet. The user may have to unlock a keyring first.

        `read`: how this task's settings find a value, if not as the vault's own.
        """
        for name in names:
            if name.casefold() in self._names:
                continue
            try:
                async with asyncio.timeout(_KEYRING_S):
                    value = await asyncio.to_thread(read or self._read, name)
            except TimeoutError:
                raise SettingsError(f"The keyring did not return {name} within {_KEYRING_S:g} s: unlock it.") from None
            self._names[name.casefold()], self._values[name] = name, value
            self._pattern = _compile_pattern(self._values)

    def fill_text(self, text: str) -> str:
        """Return the text with values instead of placeholders, all of them known. For the device and nobody else."""
        for name in find_secret_names(text):
            known = self._names[name.casefold()]
            self._values[known] = self._values.pop(known)
            self._typed.add(known)
        self._pattern = _compile_pattern(self._values)
        return PLACEHOLDER.sub(lambda found: self._values[self._names[found[1].casefold()]], text)

    # --- where it shows ----------------------------------------------------------------------------------------

    def scrub_text(self, text: str) -> str:
        """Return the text with placeholders instead of values, however they are escaped or spelled."""
        if not self._pattern or not text:
            return text
        return self._replace_spellings(
            self._pattern.sub(self._placeholder_of, text), lambda name, _: make_placeholder(name)
        )

    def blot_text(self, text: str) -> str:
        """Return the text with dots instead of values, never longer than it was: there is no room for placeholders."""

        def blot_match(found: re.Match[str]) -> str:
            return found[0] if found.lastgroup == "named" else "•" * min(3, len(found[0]))

        if not self._pattern:
            return text
        return self._replace_spellings(self._pattern.sub(blot_match, text), lambda _, shown: "•" * min(3, len(shown)))

    def _replace_spellings(self, text: str, replace_value: Callable[[str, str], str]) -> str:
        """Replace what the pattern does not know: the same letters with other separators, widths or accents."""
        for name, value in sorted(self._values.items(), key=lambda one: -len(one[1])):
            named = [Span(*found.span()) for found in PLACEHOLDER.finditer(text)]
            for span in reversed(find_spellings(text, value)):
                if not any(span.start < other.end and other.start < span.end for other in named):
                    shown = text[span.start : span.end]
                    text = text[: span.start] + replace_value(name, shown) + text[span.end :]
        return text

    def _placeholder_of(self, found: re.Match[str]) -> str:
        return (
            found[0]
            if found.lastgroup == "named"
            else make_placeholder(list(self._values)[int(str(found.lastgroup)[1:])])
        )

    def scrub_elements(self, elements: tuple[Element, ...]) -> tuple[Element, ...]:
        """Return the elements as others may read them."""
        return tuple(map(self.scrub_element, self.hide_pieces(elements))) if self._values else elements

    def hide_pieces(self, elements: tuple[Element, ...]) -> tuple[Element, ...]:
        """Return the elements without the pieces of values that are split over several: the boxes of a PIN.

        They are marked as passwords, so that pictures are covered there.
        """
        places = find_pieces(elements, self._values.values(), (self._values[name] for name in self._typed))
        return tuple(_hide_piece(element) if n in places else element for n, element in enumerate(elements))

    def scrub_element(self, element: Element) -> Element:
        """Return the element as others may read it. A field that took only a part of a value shows nothing at all."""
        if not self.shows_value(element):
            return element
        told = (element.name, element.value, element.hint, element.error)
        name, value, hint, error = map(self.scrub_text, told)
        if (name, value, hint, error) == told:
            name, value = (self._guess_placeholder(name), value) if element.source == "ocr" else (name, HIDDEN)
        return replace(element, name=name, value=value, hint=hint, error=error, id=self.scrub_text(element.id))

    def shows_value(self, element: Element) -> bool:
        """True if its place on a picture may show a value, or a part of one."""
        texts = (element.name, element.value, element.hint, element.error)
        if any(self.scrub_text(text) != text for text in texts):
            return True
        if element.source == "ocr":
            return bool(self._guess_placeholder(element.name) != element.name)
        return element.editable and not element.password and self._has_part_of_value(element.value)

    def _has_part_of_value(self, text: str) -> bool:
        """True if a good part of a value is in it: typing may have ended in the middle, or something was deleted."""
        seen = PLACEHOLDER.sub("", text).casefold().strip()
        return any(
            (2 < len(seen) < len(value) <= 2 * len(seen) and seen in value)
            or any(part in seen for part in _telling_parts_of(value))
            for value in map(str.casefold, self._values.values())
        )

    def _guess_placeholder(self, line: str) -> str:
        """Return the placeholder of a value that was read from a picture, perhaps misread; else the line itself."""
        seen = _letters_of(line)
        for name, value in self._values.items():
            wanted = _letters_of(value)
            # A line may hold a part of the value, which goes on in the next one.
            enough = len(seen) >= max(4, len(wanted) / 3) and len(wanted) >= 4
            if enough and partial_ratio(wanted, seen) >= _NEARLY:
                return make_placeholder(name)
        return line


def _hide_piece(element: Element) -> Element:
    if element.editable:
        return replace(element, value=HIDDEN, password=True)
    return replace(element, name=HIDDEN, password=True)


def _telling_parts_of(value: str) -> set[str]:
    """Return every stretch of a value that gives it away, whatever stands around it."""
    return {value[start : start + _TELLING] for start in range(len(value) - _TELLING + 1)}


def _letters_of(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _compile_pattern(values: dict[str, str]) -> re.Pattern[str] | None:
    """Match every form of every value, the longest first, and placeholders, which are left as they are."""
    if not values:
        return None
    numbered = sorted(enumerate(values.values()), key=lambda one: (-len(one[1]), -one[0]))
    parts = [f"(?P<v{number}>{'|'.join(_list_forms(value))})" for number, value in numbered]
    return re.compile("|".join((f"(?P<named>{_PLAIN})", *parts)), re.IGNORECASE)


# Without its group: a match is told by the outer one.
_PLAIN = PLACEHOLDER.pattern.replace("([", "(?:[")


def _list_forms(value: str) -> list[str]:
    """Return patterns for the value as it is shown, quoted, sent and logged."""
    gap = r"[\s\-]*" if value.isdigit() else r"\s*"
    shown = (gap if len(value) >= 4 else "").join(re.escape(letter) for letter in value if not letter.isspace())
    escaped = {
        quote(value, safe=""), quote(value), quote_plus(value), html.escape(value), html.escape(value, quote=False),
        json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], repr(value)[1:-1], shlex.quote(value),
        value.replace(" ", "%s"), value.encode().hex(), *_list_base64(value),
    }  # fmt: skip
    forms = [*(re.escape(form) for form in sorted(escaped - {value}, key=len, reverse=True)), shown or re.escape(value)]
    if len(value) >= _SHORT:
        return forms
    return [rf"(?<![^\W_]){form}(?![^\W_])" for form in forms]


def _list_base64(value: str) -> set[str]:
    """Return the value in base64, also as it looks in the middle of more ("user:value")."""
    data = value.encode()
    alone = base64.b64encode(data).decode()
    # Behind one or two bytes of something else, the first letters and the last depend on what stands there.
    shifted = (base64.b64encode(bytes(before) + data)[-(-before * 8 // 6) :] for before in (0, 1, 2))
    within = {part.decode().rstrip("=")[: len(data) * 4 // 3 - 1] for part in shifted}
    return {alone, *(part for part in within if len(part) > 2 * _SHORT)}
