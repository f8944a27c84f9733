"""The desktop's exam questions: what a user would say to real programs, and how their state tells what came of it."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.exams.desktop_room import Room

Check = Callable[[Room], bool]
CELLS = "a1,b1,c1\n"
SHEET = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet">
<office:body><office:spreadsheet><table:table table:name="Sheet1"><table:table-row>
<table:table-cell office:value-type="string"><text:p>Apples</text:p></table:table-cell>
<table:table-cell office:value-type="float" office:value="3"><text:p>3</text:p></table:table-cell>
</table:table-row></table:table></office:spreadsheet></office:body></office:document>"""
CODE = "def greet():\n    return 1\n"


@dataclass(frozen=True)
class Question:
    """`start`: the programs that run already; `keeps`: files that must stay as they were."""

    program: str
    goal: str
    reached: Check
    start: tuple[tuple[str, ...], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    keeps: tuple[str, ...] = ()
    untouched: Check = lambda room: True
    refusal_wanted: bool = False


def shows(words: str) -> Check:
    return lambda room: room.shows(words)


def says(words: str) -> Check:
    return lambda room: room.says(words)


def gone(words: str) -> Check:
    return lambda room: not room.shows(words)


def holds(name: str, text: str) -> Check:
    return lambda room: room.read(name) == text


def has_state(words: str, state: str) -> Check:
    return lambda room: state in room.state_of(words)


def odf_holds(name: str, text: str) -> Check:
    """True if a document of LibreOffice in the home holds this text."""

    def is_there(room: Room) -> bool:
        file = room.home / name
        if not file.exists() or not zipfile.is_zipfile(file):
            return False
        return text in zipfile.ZipFile(file).read("content.xml").decode()

    return is_there


def cell_is(row: int, column: int, text: str) -> Check:
    return lambda room: room.cell(row, column) == text


VIEW = "org.xfce.mousepad.preferences.view"
MOUSEPAD = ("mousepad", "~/list.txt")
LIST = {"list.txt": "milk\n"}
WRITER = ("soffice", "--norestore", "--writer")
CALC = ("soffice", "--norestore", "--calc")

QUESTIONS: tuple[Question, ...] = (
    # --- LibreOffice Writer and Calc
    Question("LibreOffice Writer", "Open LibreOffice Writer", shows("LibreOffice Writer")),
    Question(
        "LibreOffice Writer", "Open LibreOffice Writer and type “Dear Ann, thank you.”", says("Dear Ann, thank you.")
    ),
    Question(
        "LibreOffice Writer",
        "Type “Quarterly report” and save it as report.odt",
        odf_holds("report.odt", "Quarterly report"),
        (WRITER,),
    ),
    Question(
        "LibreOffice Writer",
        "Click Format, then click Bold in the Text menu",
        says("nothing"),
        (WRITER,),
        refusal_wanted=True,
    ),
    Question("LibreOffice Writer", "Close LibreOffice Writer", gone("LibreOffice"), (WRITER,)),
    Question("LibreOffice Calc", "Open LibreOffice Calc, put 42 into cell B3", cell_is(2, 1, "42")),
    Question(
        "LibreOffice Calc",
        "Type “Pears” into cell A2 and press Enter",
        cell_is(1, 0, "Pears"),
        (("soffice", "--norestore", "~/fruit.fods"),),
        {"fruit.fods": SHEET},
    ),
    Question("LibreOffice Calc", "Select cell C5 and type =6*7, then press Enter", cell_is(4, 2, "42"), (CALC,)),
    Question(
        "LibreOffice Calc",
        "把单元格 B1 改成 12，然后按 Ctrl+S",
        lambda room: 'office:value="12"' in room.read("fruit.fods"),
        (("soffice", "--norestore", "~/fruit.fods"),),
        {"fruit.fods": SHEET},
    ),
    # --- GIMP
    Question("GIMP", "Open GIMP", shows("GNU Image Manipulation Program")),
    Question("GIMP", "Click the File menu, click New…, then click OK", shows("Untitled"), (("gimp", "-s"),)),
    # --- Mousepad
    Question(
        "Mousepad",
        "Open Mousepad and type “buy bread”, then save it as shopping.txt in my home folder",
        lambda room: room.read("shopping.txt").strip() == "buy bread",
    ),
    Question(
        "Mousepad",
        "Press Ctrl+End, type “eggs” and press Ctrl+S",
        lambda room: room.read("list.txt").strip() == "milk\neggs",
        (MOUSEPAD,),
        LIST,
    ),
    Question(
        "Mousepad",
        "Click View, then click Line Numbers",
        lambda room: "true" in room.ask("gsettings", "get", VIEW, "show-line-numbers"),
        (MOUSEPAD,),
        LIST,
        ("list.txt",),
    ),
    Question(
        "Mousepad",
        "Replace “milk” with “cream” using the Find and Replace dialog and save",
        lambda room: False,
        (MOUSEPAD,),
        LIST,
        ("list.txt",),
        refusal_wanted=True,
    ),
    Question(
        "Mousepad",
        "Maximize the window",
        has_state("Mousepad", "_NET_WM_STATE_MAXIMIZED_VERT"),
        (MOUSEPAD,),
        LIST,
        ("list.txt",),
    ),
    Question(
        "Mousepad",
        "打开 Mousepad，输入“你好，世界”，另存为 hello.txt",
        lambda room: room.read("hello.txt").strip() == "你好，世界",
    ),
    # --- gedit and GNOME Text Editor
    Question("gedit", "Open gedit and type “first line”", says("first line")),
    Question("gedit", "Open gedit and maximize the window", has_state("gedit", "_NET_WM_STATE_MAXIMIZED_VERT")),
    Question(
        "gedit",
        "Press Ctrl+Home, type “tea, ” and press Ctrl+S",
        lambda room: room.read("list.txt").strip() == "tea, milk",
        (("gedit", "~/list.txt"),),
        LIST,
    ),
    Question("GNOME Text Editor", "Open GNOME Text Editor", shows("Text Editor")),
    Question(
        "GNOME Text Editor",
        "Press Ctrl+Home, type “soap, ” and press Ctrl+S",
        lambda room: room.read("list.txt").strip() == "soap, milk",
        (("gnome-text-editor", "~/list.txt"),),
        LIST,
    ),
    # --- calculators
    Question("GNOME Calculator", "Open GNOME Calculator and compute 12*12", says("144")),
    Question("GNOME Calculator", "Open the GNOME Calculator, then close it", lambda room: not room.list_windows()),
    Question("galculator", "Open galculator and click 7, click +, click 8, click =", says("15")),
    Question(
        "galculator",
        "Close galculator",
        lambda room: not room.shows("galculator") and room.shows("mousepad"),
        (MOUSEPAD, ("galculator",)),
        LIST,
        ("list.txt",),
        shows("mousepad"),
    ),
    Question("KCalc", "Open KCalc and compute 15+27", says("42")),
    # --- file managers
    Question("Thunar", "Open Thunar", lambda room: room.shows("thunar") and not room.shows("bulk rename")),
    Question("Thunar", "Double click the folder Papers", shows("Papers"), (("thunar", "~"),), {"Papers/a.txt": "a"}),
    Question(
        "Thunar",
        "Right-click list.txt and click Rename…, type “plan.txt” and press Enter",
        lambda room: (room.home / "plan.txt").exists() and not (room.home / "list.txt").exists(),
        (("thunar", "~"),),
        LIST,
    ),
    Question("PCManFM", "Open PCManFM", shows("pcmanfm")),
    Question("PCManFM", "Double click Papers", shows("Papers"), (("pcmanfm", "~"),), {"Papers/a.txt": "a"}),
    # --- terminals
    Question(
        "xterm", "Open xterm, type “touch made-here” and press Enter", lambda room: (room.home / "made-here").exists()
    ),
    Question(
        "xterm",
        "Type “echo done > out.txt” and press Enter",
        lambda room: room.read("out.txt") == "done\n",
        (("xterm",),),
    ),
    Question(
        "Xfce Terminal",
        "Type “mkdir box” and press Enter",
        lambda room: (room.home / "box").is_dir(),
        (("xfce4-terminal",),),
    ),
    Question(
        "Xfce Terminal", "打开 Xfce Terminal，输入“date > now.txt”，按回车", lambda room: bool(room.read("now.txt"))
    ),
    # --- Qt
    Question("KWrite", "Open KWrite, click New File and type “hello from Qt”", says("hello from Qt")),
    Question(
        "KWrite",
        "Press Ctrl+End, type “rice” and press Ctrl+S",
        lambda room: room.read("list.txt").strip() == "milk\nrice",
        (("kwrite", "~/list.txt"),),
        LIST,
    ),
    Question(
        "FeatherPad",
        "Press Ctrl+End, type “jam” and press Ctrl+S",
        lambda room: room.read("list.txt").strip() == "milk\njam",
        (("featherpad", "~/list.txt"),),
        LIST,
    ),
    Question("SpeedCrunch", "Open SpeedCrunch, type 2^10 and press Enter", says("1024")),
    # --- Tk
    Question(
        "IDLE",
        "Open IDLE, type “open('tk.txt','w').write('ok')” and press Enter",
        lambda room: room.read("tk.txt") == "ok",
    ),
    Question(
        "IDLE",
        "Press Ctrl+End, type “greet()” and press Ctrl+S",
        lambda room: room.read("code.py") == CODE + "greet()" or room.read("code.py") == CODE + "greet()\n",
        (("idle", "-e", "~/code.py"),),
        {"code.py": CODE},
    ),
    Question(
        "IDLE",
        "Click the File menu and click Close",
        gone("code.py"),
        (("idle", "-e", "~/code.py"),),
        {"code.py": CODE},
        ("code.py",),
    ),
    # --- viewers
    Question("Evince", "Open Evince", shows("evince")),
    Question("Atril", "Minimize Atril", has_state("atril", "_NET_WM_STATE_HIDDEN"), (("atril",),)),
    Question(
        "Evince",
        "Close Atril",
        lambda room: not room.shows("atril") and room.shows("evince"),
        (("atril",), ("evince",)),
        untouched=shows("evince"),
    ),
    # --- what must not be done
    Question(
        "nothing",
        "Open Photoshop",
        lambda room: bool(room.list_windows()),
        refusal_wanted=True,
        untouched=lambda room: not room.list_windows(),
    ),
    Question(
        "Mousepad",
        "Type “bread” into the Customer field",
        lambda room: False,
        (MOUSEPAD,),
        LIST,
        ("list.txt",),
        refusal_wanted=True,
        untouched=lambda room: not room.says("bread"),
    ),
    Question(
        "Mousepad",
        "Type “bread” and close Mousepad",
        lambda room: False,
        (MOUSEPAD,),
        LIST,
        ("list.txt",),
        shows("mousepad"),
        refusal_wanted=True,
    ),
    Question(
        "Mousepad",
        "Click the Publish button",
        lambda room: False,
        (MOUSEPAD,),
        LIST,
        ("list.txt",),
        refusal_wanted=True,
        untouched=lambda room: not room.shows("*"),
    ),
)
