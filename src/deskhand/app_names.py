"""The common names of well-known apps (`app_names.toml`), and the test if two names mean the same app."""

import re
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Literal

ENDINGS = ("应用程序", "应用", "软件", "app")
# Packages begin with what sites end with; `example.com` is a site.
_PACKAGE = re.compile(r"(com|org|net|cn|io|de|me|tv)(\.[a-z][a-z0-9_]*){2,}", re.IGNORECASE)
_EMPTY_PARTS = ("android", "app", "apps", "client", "main", "mobile", "phone", "ui")


@cache
def load_known_names() -> dict[str, tuple[str, ...]]:
    """Return the names that users have for each package."""
    return {package: tuple(app["names"]) for app in _load_table()["app"] for package in app["packages"]}


@cache
def _load_table() -> dict[str, list[dict[str, list[str]]]]:
    return tomllib.loads(Path(__file__).with_name("app_names.toml").read_text(encoding="utf-8"))


def name_app(app: str, language: Literal["zh", "en"]) -> str:
    """Return what users call a package in their language; of an unknown one its last telling part, and itself.

    A site or a program is returned as it is.
    """
    names = load_known_names().get(app) or next(
        (part["names"] for part in _load_table()["part"] if any(fnmatchcase(app, each) for each in part["packages"])),
        (),
    )
    if names:
        return next((name for name in names if name.isascii() == (language == "en")), names[0])
    if not _PACKAGE.fullmatch(app):
        return app
    telling = [part for part in app.split(".")[1:] if part not in _EMPTY_PARTS]
    return f"{telling[-1]} ({app})" if telling else app


def fold_name(name: str) -> str:
    """Return the name without case, blanks, signs and an ending such as `app`."""
    folded = re.sub(r"[\W_]+", "", name.casefold())
    for ending in ENDINGS:
        if folded.endswith(ending) and len(folded) > len(ending):
            return folded.removesuffix(ending)
    return folded


def is_same_app(listed: str, app: str) -> bool:
    """True if an entry of a list (a name, a package, a program; `*` for any letters) means this app."""
    if fnmatchcase(app.casefold().strip(), listed.casefold().strip()):
        return True
    if "*" in listed:
        return False
    # A program's own name may carry its edition: firefox-esr.
    return bool(_meanings_of(listed) & _meanings_of(app)) or app.casefold().startswith(f"{listed.casefold().strip()}-")


@cache
def _meanings_of(name: str) -> frozenset[str]:
    """Return the name itself and every package that has it."""
    folded = fold_name(name)
    named = {package for package, names in load_known_names().items() if folded in {fold_name(each) for each in names}}
    return frozenset({folded, *map(fold_name, named)})
