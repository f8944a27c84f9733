"""Reads installed programs from `.desktop` files and finds them by the names users say, in English and Chinese.

Starting them is up to `app_launcher`.
"""

import configparser
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

# A misspelt name counts if it is this similar, this long, and begins alike: KCalc is not Calc.
_SIMILAR, _LONG_ENOUGH = 88, 6
# How sure a way of finding is; what is below is only a suggestion.
_BY_NAME, _BY_KIND, _BY_WORDS, _BY_SPELLING = 100.0, 90.0, 88.0, 80.0
_ARTICLES = ("the ", "my ", "a ", "an ")
_NAMES = ("Name", "Name[zh_CN]", "Name[zh]")
_GENERIC_NAMES = ("GenericName", "GenericName[zh_CN]", "GenericName[zh]")
# Names for a kind of program whose file gives only a brand: category or word in the file → names.
_KINDS: Mapping[str, tuple[str, ...]] = {
    "calculator": ("calculator", "计算器"),
    "calculations": ("calculator", "计算器"),
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
    """One installed program. `command` still holds its field codes (`%U`).

    `words` are its own names, the surest first; `kinds` are what it shares with others (a text editor).
    """

    name: str
    words: tuple[str, ...]
    command: str
    kinds: tuple[str, ...] = ()
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
    generic = [entry[key] for key in _GENERIC_NAMES if entry.get(key)]
    schemes = [m for m in entry.get("MimeType", "").split(";") if m.startswith("x-scheme-handler/")]
    return DesktopApp(
        name=entry["Name"],
        words=tuple(
            dict.fromkeys([*_names_of_file(file.stem), *names, *map(_drop_brackets, names), *_programs_of(command)])
        ),
        command=command,
        kinds=tuple(dict.fromkeys([*generic, *_kinds_of(entry)])),
        window_class=entry.get("StartupWMClass", ""),
        terminal=entry.get("Terminal") == "true",
        schemes=tuple(scheme.removeprefix("x-scheme-handler/") for scheme in schemes),
        folder=entry.get("Path") or None,
    )


def _kinds_of(entry: Mapping[str, str]) -> list[str]:
    text = " ".join(entry.get(key, "") for key in ("Categories", "Keywords", "Comment")).casefold()
    words = text.replace(";", " ").split()
    return [name for kind, names in _KINDS.items() if kind in words for name in names]


def _names_of_file(stem: str) -> list[str]:
    """`org.gnome.TextEditor` is called that, TextEditor, and gnome TextEditor."""
    parts = [part for part in stem.split(".") if part not in ("org", "com", "net", "io")]
    if "." not in stem or len(parts) < 2 or parts[-1].isdigit():
        return [stem]
    return [stem, parts[-1], f"{parts[-2]} {parts[-1]}"]


def _programs_of(command: str) -> list[str]:
    """Return the program's name, with and without its version, if it is started without arguments: thunar
    --bulk-rename is not Thunar."""
    words = [word for word in shlex.split(command) if not re.fullmatch(r"%[a-zA-Z]", word)]
    if len(words) != 1:
        return []
    program = Path(words[0]).name
    return [program, re.sub(r"[-_]?\d[\d.]*$", "", program) or program]


def _drop_brackets(name: str) -> str:
    return re.sub(r"\s*[(（].*?[)）]", "", name).strip() or name


def find_app(wanted: str, apps: Sequence[DesktopApp]) -> DesktopApp | None:
    """Return the program that a name means; a nearly right spelling counts, words that are left over do not."""
    best = max(apps, key=lambda app: likeness_of(wanted, app), default=None)
    return best if best is not None and likeness_of(wanted, best) >= _BY_SPELLING - _TERMINAL else None


def suggest_apps(wanted: str, apps: Sequence[DesktopApp], count: int = 3) -> list[str]:
    """Return the names of the most similar programs."""
    return [app.name for app in sorted(apps, key=lambda app: -likeness_of(wanted, app))[:count]]


# A program that needs a terminal is the last choice among equals: it opens no window itself.
_TERMINAL = 5.0


def likeness_of(wanted: str, app: DesktopApp) -> float:
    """Return how sure it is that the name means this program, as one of the ways above; less: by spelling alone."""
    plain = wanted.casefold().strip()
    article = next((word for word in _ARTICLES if plain.startswith(word)), "")
    return _score_name(plain.removeprefix(article), app) - _TERMINAL * app.terminal


def _score_name(plain: str, app: DesktopApp) -> float:
    folded = _fold_name(plain)
    if not folded:
        return 0.0
    for sure, names in ((_BY_NAME, app.words), (_BY_KIND, app.kinds)):
        for place, name in enumerate(names):
            if _fold_name(name) == folded:
                return sure - 0.1 * min(place, 9)
    own = {word for name in (app.name, *app.words) for word in _split_name(name)}
    shared = {word for kind in app.kinds for word in _split_name(kind)}
    said = set(_split_name(plain))
    if said & own and said <= own | shared:
        # Among several, the one with the fewest words that were not said.
        return _BY_WORDS - 0.1 * min(len(own - said), 60)
    spelling = max(
        (fuzz.ratio(folded, _fold_name(name)) for name in app.words if _begins_alike(folded, name)), default=0
    )
    if spelling >= _SIMILAR and len(folded) >= _LONG_ENOUGH:
        return _BY_SPELLING + (spelling - _SIMILAR) / 10
    return max((fuzz.ratio(plain, name.casefold()) for name in (*app.words, *app.kinds)), default=0) * 0.7


def _begins_alike(folded: str, name: str) -> bool:
    return _fold_name(name)[:1] == folded[:1]


def _fold_name(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold())


def _split_name(name: str) -> list[str]:
    """`TextEditor`, `text-editor`: text, editor."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [word for word in re.split(r"[\W_]+", spaced.casefold()) if word]
