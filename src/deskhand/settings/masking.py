"""Hides what addresses and commands may carry besides themselves: passwords, keys, tokens."""

import re
from collections.abc import Sequence

from deskhand.settings.environment import is_secret_name

MASK = "***"
# A name and a password before the host.
_LOGIN = re.compile(r"(?<=://)[^/@\s]+(?=@)")
# The values of a query or a fragment: which of them is a key can't be told by its name.
_QUERY = re.compile(r"([?&#;][^=&#;\s]+=)[^&#;\s]+")
# `--api-key=…`, `API_KEY=…`, `Authorization: …`
_ASSIGNED = re.compile(r"^(-*[\w.-]+)(\s*[=:]\s*)(.+)$", re.DOTALL)
_BEARER = re.compile(r"\b(Bearer|Basic|Token)\s+\S+", re.IGNORECASE)
# `{"apiKey": "…"}`, `host=db password=…`: several in one argument.
_INSIDE = re.compile(r"""(?P<name>[A-Za-z][\w.-]*)(?P<is>["']?\s*[=:]\s*["']?)(?P<value>[^\s"',;&}]+)""")
# So many letters and digits in a row, of both kinds, are no word: sk-…, ghp_…, a hash.
_OPAQUE = re.compile(r"(?=[\w.+/=-]*\d)(?=[\w.+/=-]*[A-Za-z])[\w.+/=-]{20,}")
_OPAQUE_PART = re.compile(r"(?<=/)(?=[\w.+=-]*\d)(?=[\w.+=-]*[A-Za-z])[\w.+=-]{20,}(?=[/?#]|$)")
_MORE_SECRET_NAMES = re.compile(r"(.*_)?(auth|cookies?|pat|pwd|bearer|sig|signature|webhook)(_.*)?", re.IGNORECASE)
_PATH = ("/", ".", "~", "-", "@")


def mask_address(text: str) -> str:
    """Return an address without its login, the values of its query and keys in its path; other text as it is."""
    if "://" not in text:
        return text
    return _OPAQUE_PART.sub(MASK, _QUERY.sub(rf"\1{MASK}", _LOGIN.sub(MASK, text)))


def mask_command(words: Sequence[str]) -> list[str]:
    """Return a command line without the secrets that its arguments may be."""
    masked: list[str] = []
    named = False  # by the option before it, as in `--token abc`
    for word in words:
        option = word.startswith("-") and not _ASSIGNED.match(word)
        masked.append(MASK if named and not option else _mask_word(word))
        named = option and _is_secret_option(word)
    return masked


def _mask_word(word: str) -> str:
    if (given := _ASSIGNED.match(word)) and _is_secret_option(given[1]):
        return f"{given[1]}{given[2]}{MASK}"
    if "://" in word:
        return mask_address(word)
    word = _INSIDE.sub(_mask_inside, _BEARER.sub(rf"\1 {MASK}", word))
    return MASK if not word.startswith(_PATH) and _OPAQUE.fullmatch(word) else word


def _mask_inside(given: re.Match[str]) -> str:
    return f"{given['name']}{given['is']}{MASK}" if _is_secret_option(given["name"]) else given[0]


def _is_secret_option(name: str) -> bool:
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-.]", "_", name.strip("-"))
    return is_secret_name(plain) or bool(_MORE_SECRET_NAMES.fullmatch(plain))
