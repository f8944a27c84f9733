"""The common names of well-known apps (`app_names.toml`), and the test if two names mean the same app."""

import re
import tomllib
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

ENDINGS = ("应用程序", "应用", "软件", "app")


@cache
def load_known_names() -> dict[str, tuple[str, ...]]:
    """Return the names that users have for each package."""
    table = tomllib.loads(Path(__file__).with_name("app_names.toml").read_text(encoding="utf-8"))
    return {package: tuple(app["names"]) for app in table["app"] for package in app["packages"]}


def name_app(app: str) -> str:
    """Return what users call a package; any other name is returned as it is."""
    return load_known_names().get(app, (app,))[0]


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
