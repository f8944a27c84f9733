"""Reads installed programs from `.desktop` files and finds them by the names users say, in English and Chinese.

Starting them is up to `app_launcher`.
"""

import configparser
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

_CLOSE_ENOUGH = 84
_NAMES = ("Name", "Name[zh_CN]", "Name[zh]", "GenericName", "GenericName[zh_CN]", "GenericName[zh]")
# Names for a kind of program whose file gives only a brand: category or word in the file → names.
_KINDS: Mapping[str, tuple[str, ...]] = {
    "calculator": ("calculator", "calc", "计算器"),
    "calculations": ("calculator", "calc", "计算器"),
    "texteditor": ("text editor", "notepad", "editor", "文本编辑器", "记事本"),
    "webbrowser": ("web browser", "browser", "internet", "浏览器", "网页浏览器"),
    "terminalemulator": ("terminal", "console", "终端"),
    "filemanager": ("file manager", "files", "文件管理器", "文件"),
    "wordprocessor": ("word processor", "文字处理"),
    "spreadsheet": ("spreadsheet", "电子表格"),
    "email": ("mail", "email", "邮件"),
}


@dataclass(frozen=True, slots=True)
class DesktopApp:
    """One installed program. `command` still holds its field codes (`%U`); `words` are all its names."""

    name: str
    words: tuple[str, ...]
    command: str
    window_class: str = ""
    terminal: bool = False
    schemes: tuple[str, ...] = ()
    folder: str | None = None

    @property
    def program(self) -> str:
        words = shlex.split(self.command)
        return Path(words[0]).name if words else ""

    def build_argv(self, url: str = "") -> list[str]:
        """Return the command line with its field codes filled in."""
        filled: list[str] = []
        for word in shlex.split(self.command):
            if word in ("%u", "%U", "%f", "%F"):
                filled += [url] if url else []
            elif word in ("%i", "%k", "%d", "%D", "%n", "%N", "%v", "%m"):
                continue
            else:
                filled.append(word.replace("%c", self.name).replace("%%", "%"))
        return filled


def list_application_folders(environment: Mapping[str, str]) -> list[Path]:
    """Return the folders of `.desktop` files, the user's own first."""
    home = environment.get("XDG_DATA_HOME") or f"{environment.get('HOME', '')}/.local/share"
    shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    extra = "/var/lib/flatpak/exports/share:/var/lib/snapd/desktop"
    return [Path(part) / "applications" for part in [home, *shared.split(":"), *extra.split(":")] if part]


def list_installed(folders: Iterable[Path], path: str | None) -> list[DesktopApp]:
    """Return every program a menu would show; a file of the same name in an earlier folder wins."""
    found: dict[str, DesktopApp | None] = {}
    for folder in folders:
        for file in sorted(folder.rglob("*.desktop")):
            key = str(file.relative_to(folder))
            if key not in found:
                found[key] = read_desktop_file(file, path)
    return [app for app in found.values() if app is not None]


def read_desktop_file(file: Path, path: str | None) -> DesktopApp | None:
    """Return the program of one file; None if it is hidden, no program, or not installed."""
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment,method-assign] keys are case-sensitive here
    try:
        parser.read_string(file.read_text(encoding="utf-8", errors="replace"))
        entry = dict(parser["Desktop Entry"])
    except (OSError, KeyError, configparser.Error):
        return None
    hidden = "true" in (entry.get("NoDisplay", ""), entry.get("Hidden", ""))
    if entry.get("Type") != "Application" or hidden or not entry.get("Exec") or not entry.get("Name"):
        return None
    command = entry["Exec"]
    try:
        needed = entry.get("TryExec") or shlex.split(command)[0]
    except (ValueError, IndexError):
        return None
    if shutil.which(needed, path=path) is None:
        return None
    names = [entry[key] for key in _NAMES if entry.get(key)]
    schemes = [m for m in entry.get("MimeType", "").split(";") if m.startswith("x-scheme-handler/")]
    return DesktopApp(
        name=entry["Name"],
        words=tuple(dict.fromkeys([*names, file.stem, Path(shlex.split(command)[0]).name, *_kinds_of(entry)])),
        command=command,
        window_class=entry.get("StartupWMClass", ""),
        terminal=entry.get("Terminal") == "true",
        schemes=tuple(scheme.removeprefix("x-scheme-handler/") for scheme in schemes),
        folder=entry.get("Path") or None,
    )


def _kinds_of(entry: Mapping[str, str]) -> list[str]:
    text = " ".join(entry.get(key, "") for key in ("Categories", "Keywords", "Comment")).casefold()
    words = text.replace(";", " ").split()
    return [name for kind, names in _KINDS.items() if kind in words for name in names]


def find_app(wanted: str, apps: Sequence[DesktopApp]) -> DesktopApp | None:
    """Return the program that a name means; a nearly right spelling counts."""
    best = max(apps, key=lambda app: likeness_of(wanted, app), default=None)
    return best if best is not None and likeness_of(wanted, best) >= _CLOSE_ENOUGH else None


def suggest_apps(wanted: str, apps: Sequence[DesktopApp], count: int = 3) -> list[str]:
    """Return the names of the most similar programs."""
    return [app.name for app in sorted(apps, key=lambda app: -likeness_of(wanted, app))[:count]]


def likeness_of(wanted: str, app: DesktopApp) -> float:
    """Return 100 for its own name, a little less for each word further down its list, then by spelling."""
    plain = wanted.casefold().strip()
    best = 0.0
    for place, word in enumerate(app.words):
        known = word.casefold()
        score = fuzz.ratio(plain, known)
        if score < 100 and len(plain) >= 3 and (plain in known.split() or known in plain.split()):
            score = max(score, 92.0)
        best = max(best, score - 0.1 * place)
    # A program that needs a terminal is the last choice among equals: it opens no window itself.
    return best - 5 * app.terminal
