"""Hides what addresses and commands may carry besides themselves: passwords, keys, tokens."""

import re
import shlex
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
_MORE_SECRET_NAMES = re.compile(
    r"(.*_)?(auth|cookies?|pat|pwd|pw|pin|otp|login|passphrase|bearer|sig|signature|webhook|密码|口令|令牌|密钥)(_.*)?",
    re.IGNORECASE,
)
_PATH = ("/", ".", "~", "-", "@")
# A letter tells nothing of what follows: `-p` is a port here and a password there. Only these never have a secret.
_PLAIN_LETTERS = ("-c", "-m", "-y", "-q", "-v", "-e", "-i", "-H")
_PLAIN_VALUE = re.compile(r"[/.~@].*|\d{1,5}|[\w.-]+/[\w./-]+|https?://.*")
# `-pSECRET`, as database clients take it; `-abc` are three switches.
_JOINED = re.compile(r"-(p|[A-Za-z](?=[A-Za-z]*[\d\W_]))(?![=:]).+")


def mask_address(text: str) -> str:
    """Return an address without its login, the values of its query and keys in its path; other text as it is."""
    if "://" not in text:
        return text
    return _OPAQUE_PART.sub(MASK, _QUERY.sub(rf"\1{MASK}", _LOGIN.sub(MASK, text)))


def mask_command(words: Sequence[str]) -> list[str]:
    """Return a command line without the secrets that its arguments may be."""
    masked: list[str] = []
    before = ""  # the option before it, as in `--token abc`
    for word in words:
        option = word.startswith("-") and not _ASSIGNED.match(word)
        masked.append(_mask_word(word) if option or not _takes_secret(before, word) else MASK)
        before = word if option else ""
    return masked


def _takes_secret(option: str, value: str) -> bool:
    if len(option) == 2 and option[1].isalpha():
        return option not in _PLAIN_LETTERS and not _PLAIN_VALUE.fullmatch(value)
    return bool(option) and _is_secret_option(option)


def _mask_line(line: str) -> str:
    """Mask a command line in one argument, as in `sh -c "server --token abc"`."""
    try:
        return shlex.join(mask_command(shlex.split(line))).replace(f"'{MASK}'", MASK)
    except ValueError:  # an open quote: where a word ends can't be told
        return MASK


def _mask_word(word: str) -> str:
    if re.search(r"\s--?\w", word):
        return _mask_line(word)
    if _JOINED.fullmatch(word):
        return f"{word[:2]}{MASK}"
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
