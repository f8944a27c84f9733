"""Writes a laid-out window as `uiautomator dump` does: only what is on the screen, bounds clipped to it."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from deskhand.simphone.skin import Skin
from deskhand.simphone.ui.nodes import Node, TextField
from deskhand.simphone.ui.touch import Window

HEADER = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"


@dataclass(frozen=True)
class _Context:
    """What every node of a dump shares."""

    package: str
    focus: TextField | None
    skin: Skin


def write_hierarchy(root: Node, window: Window, rotation: int, skin: Skin) -> str:
    parts = [HEADER, f'<hierarchy rotation="{rotation}">']
    _write_node(root, 0, _Context(window.package, window.focus, skin), parts)
    parts.append("</hierarchy>")
    return "".join(parts)


def _to_flag(value: object) -> str:
    return "true" if value else "false"


def _clean_text(text: str) -> str:
    """Replace characters that XML 1.0 cannot carry by dots, as Android's own dumper does."""
    return "".join(c if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff") else "." for c in text)


def _list_attributes(node: Node, index: int, context: _Context) -> list[tuple[str, str]]:
    x1, y1, x2, y2 = node.seen
    entry = node.entry
    text, hint = _clean_text(node.shown_text), _clean_text(node.hint)
    return [
        ("index", str(index)),
        ("text", text),
        ("resource-id", context.skin.rename_id(node.rid)),
        ("class", node.kind),
        ("package", context.package),
        ("content-desc", node.desc),
        ("checkable", _to_flag(node.checked is not None)),
        ("checked", _to_flag(node.checked)),
        ("clickable", _to_flag(node.is_clickable)),
        ("enabled", _to_flag(node.enabled)),
        ("focusable", _to_flag(node.is_clickable)),
        ("focused", _to_flag(entry is not None and entry is context.focus)),
        ("scrollable", _to_flag(node.scroll is not None and node.scroll.limit > 0)),
        ("long-clickable", _to_flag(node.on_long or entry is not None)),
        ("password", _to_flag(entry is not None and entry.password)),
        ("selected", _to_flag(node.selected)),
        ("visible-to-user", "true"),
        ("bounds", f"[{x1},{y1}][{x2},{y2}]"),
        ("hint", hint),
    ]


def _write_node(node: Node, index: int, context: _Context, parts: list[str]) -> None:
    attributes = " ".join(
        f"{k}={quoteattr(v, {chr(10): '&#10;', chr(34): '&quot;'})}" for k, v in _list_attributes(node, index, context)
    )
    children = [child for child in node.children if not child.seen.is_empty and child.kind != "android.widget.Space"]
    if not children:
        parts.append(f"<node {attributes} />")
        return
    parts.append(f"<node {attributes}>")
    for i, child in enumerate(children):
        _write_node(child, i, context, parts)
    parts.append("</node>")
