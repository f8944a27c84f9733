"""Finds placeholders of secrets in text: `{{secret:NAME}}`. Only the engine's vault knows their values."""

import re

PLACEHOLDER = re.compile(r"\{\{\s*secret\s*:\s*([A-Za-z][A-Za-z0-9_.-]*)\s*\}\}", re.IGNORECASE)
# Text that was meant as a placeholder and is none.
ALMOST = re.compile(r"\{+\s*secret\s*:[^{}\s]*(?:[^{}]{0,40}\}+)?", re.IGNORECASE)

# Variables with this prefix are not settings.
VARIABLE = "DESKHAND_SECRET_"


def make_placeholder(name: str) -> str:
    return f"{{{{secret:{name}}}}}"


def find_secret_names(text: str) -> tuple[str, ...]:
    """Return the secrets that a text names, each once, in their order."""
    return tuple(dict.fromkeys(PLACEHOLDER.findall(text)))


def find_misspelt_placeholder(text: str) -> str:
    """Return the first text that looks like a placeholder and is none; empty if there is none."""
    found = ALMOST.search(PLACEHOLDER.sub("", text))
    return found[0].strip() if found else ""
