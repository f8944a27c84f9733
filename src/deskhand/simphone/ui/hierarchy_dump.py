"""Writes a laid-out window as `uiautomator dump` does: only what is on the screen, bounds clipped to it."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from deskhand.simphone.ui.nodes import Field, Node

HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


def hierarchy_xml(root: Node, package: str, rotation: int, focus: Field | None) -> str:
    parts = [HEADER, f'<hierarchy rotation="{rotation}">']
    _write(root, 0, package, focus, parts)
    parts.append("</hierarchy>")
    return "".join(parts)


def _flag(value: object) -> str:
    return "true" if value else "false"


def _shown_text(node: Node) -> str:
    return node.text if node.entry is None else (node.entry.shown or node.hint)


def _clean(text: str) -> str:
    """Characters XML 1.0 cannot carry become dots, as Android's own dumper writes them."""
    return "".join(c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff") else "." for c in text)


def _attributes(node: Node, index: int, package: str, focus: Field | None) -> list[tuple[str, str]]:
    x1, y1, x2, y2 = node.seen
    entry = node.entry
    text, hint = _clean(_shown_text(node)), _clean(node.hint)
    return [
        ("index", str(index)),
        ("text", text),
        ("resource-id", node.rid),
        ("class", node.kind),
        ("package", package),
        ("content-desc", node.desc),
        ("checkable", _flag(node.checked is not None)),
        ("checked", _flag(node.checked)),
        ("clickable", _flag(node.clickable)),
        ("enabled", _flag(node.enabled)),
        ("focusable", _flag(node.clickable)),
        ("focused", _flag(entry is not None and entry is focus)),
        ("scrollable", _flag(node.scroll is not None and node.scroll.limit > 0)),
        ("long-clickable", _flag(node.on_long or entry is not None)),
        ("password", _flag(entry is not None and entry.password)),
        ("selected", _flag(node.selected)),
        ("visible-to-user", "true"),
        ("bounds", f"[{x1},{y1}][{x2},{y2}]"),
        ("hint", hint),
    ]


def _write(node: Node, index: int, package: str, focus: Field | None, parts: list[str]) -> None:
    attributes = " ".join(
        f"{k}={quoteattr(v, {chr(10): '&#10;', chr(34): '&quot;'})}"
        for k, v in _attributes(node, index, package, focus)
    )
    children = [child for child in node.children if not child.seen.empty and child.kind != "android.widget.Space"]
    if not children:
        parts.append(f"<node {attributes} />")
        return
    parts.append(f"<node {attributes}>")
    for i, child in enumerate(children):
        _write(child, i, package, focus, parts)
    parts.append("</node>")
