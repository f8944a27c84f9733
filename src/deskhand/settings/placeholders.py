"""How a secret is named in words: `{{secret:NAME}}`. What it stands for is known to the engine's vault alone."""

import re

PLACEHOLDER = re.compile(r"\{\{\s*secret\s*:\s*([A-Za-z][A-Za-z0-9_.-]*)\s*\}\}", re.IGNORECASE)
# What was meant as one, and is none.
ALMOST = re.compile(r"\{+\s*secret\s*:[^{}\s]*(?:[^{}]{0,40}\}+)?", re.IGNORECASE)

# Variables that begin so are no settings.
VARIABLE = "DESKHAND_SECRET_"


def make_placeholder(name: str) -> str:
    return f"{{{{secret:{name}}}}}"


def find_secret_names(text: str) -> tuple[str, ...]:
    """The secrets that a text names, each once, in their order."""
    return tuple(dict.fromkeys(PLACEHOLDER.findall(text)))


def find_misspelt_placeholder(text: str) -> str:
    """The first thing that looks like a placeholder and is none; empty when there is nothing of the kind."""
    found = ALMOST.search(PLACEHOLDER.sub("", text))
    return found[0].strip() if found else ""
