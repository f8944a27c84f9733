"""A small GTK 3 program for the device tests: every kind of widget, and a log of what reached it on its output.

Run with the system's Python (python3-gi, gir1.2-gtk-3.0). `--hang` stops answering when its button is clicked.
"""

import json
import sys
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

LOG = open(sys.argv[1], "a", encoding="utf-8") if len(sys.argv) > 1 else sys.stdout  # noqa: SIM115


def say(event: str, **facts: object) -> None:
    LOG.write(json.dumps({"event": event, **facts}, ensure_ascii=False) + "\n")
    LOG.flush()


class Board(Gtk.DrawingArea):
    """Says where and how it was clicked, in root coordinates."""

    def __init__(self) -> None:
        super().__init__()
        self.set_size_request(300, 120)
        self.add_events(
            Gdk.EventMask.BUTTON_PRESS_MASK
            | Gdk.EventMask.BUTTON_RELEASE_MASK
            | Gdk.EventMask.POINTER_MOTION_MASK
            | Gdk.EventMask.SCROLL_MASK
        )
        self.get_accessible().set_name("board")
        for name in ("button-press-event", "button-release-event"):
            self.connect(name, self.on_button)
        self.connect("motion-notify-event", self.on_motion)
        self.connect("scroll-event", self.on_scroll)

    def on_button(self, _widget: Gtk.Widget, event: Gdk.EventButton) -> bool:
        names = {
            Gdk.EventType.BUTTON_PRESS: "press",
            Gdk.EventType.BUTTON_RELEASE: "release",
            Gdk.EventType._2BUTTON_PRESS: "double",
        }
        if event.type in names:
            say(names[event.type], button=event.button, x=int(event.x_root), y=int(event.y_root))
        return True

    def on_motion(self, _widget: Gtk.Widget, event: Gdk.EventMotion) -> bool:
        held = bool(event.state & Gdk.ModifierType.BUTTON1_MASK)
        say("motion", x=int(event.x_root), y=int(event.y_root), held=held)
        return True

    def on_scroll(self, _widget: Gtk.Widget, event: Gdk.EventScroll) -> bool:
        say("scroll", direction=event.direction.value_nick)
        return True


def rows() -> Gtk.Widget:
    store = Gtk.ListStore(str, str)
    for number in range(5000):
        store.append([f"Row {number}", f"Value {number}"])
    view = Gtk.TreeView(model=store)
    for column, title in enumerate(("Name", "Value")):
        view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=column))
    scroll = Gtk.ScrolledWindow()
    scroll.set_size_request(300, 160)
    scroll.add(view)
    return scroll


def on_key(_widget: Gtk.Widget, event: Gdk.EventKey) -> bool:
    mask = event.state & (Gdk.ModifierType.CONTROL_MASK | Gdk.ModifierType.MOD1_MASK | Gdk.ModifierType.SHIFT_MASK)
    say("key", name=Gdk.keyval_name(event.keyval), state=list(mask.value_nicks))
    return False


def build() -> Gtk.Window:
    window = Gtk.Window(title="GTK 测试 board")
    box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4)
    entry = Gtk.Entry()
    entry.get_accessible().set_name("Name")
    entry.connect("activate", lambda field: say("activate", text=field.get_text()))
    secret = Gtk.Entry(visibility=False)
    secret.get_accessible().set_name("Password")
    notes = Gtk.TextView()
    notes.get_accessible().set_name("Notes")
    paper = Gtk.ScrolledWindow()
    paper.set_size_request(300, 60)
    paper.add(notes)
    short = Gtk.Entry(max_length=5)
    short.get_accessible().set_name("Short")
    button = Gtk.Button(label="Press me")
    button.connect("clicked", lambda _button: say("clicked"))
    dialog = Gtk.Button(label="Open dialog")
    dialog.connect("clicked", lambda _button: open_dialog(window))
    hang = Gtk.Button(label="Hang")
    hang.connect("clicked", lambda _button: time.sleep(60))  # the point of it: it answers nobody
    check = Gtk.CheckButton(label="Agree")
    check.connect("toggled", lambda box: say("toggled", active=box.get_active()))
    off = Gtk.Button(label="Disabled", sensitive=False)
    combo = Gtk.ComboBoxText()
    for colour in ("Red", "Green", "蓝色"):
        combo.append_text(colour)
    combo.set_active(0)
    scale = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 10, 1)
    scale.set_value(3)
    line = Gtk.Box(spacing=4)
    for widget in (button, dialog, hang, check, off):
        line.pack_start(widget, False, False, 0)
    for widget in (entry, secret, short, paper, line, combo, scale, Board(), rows()):
        box.pack_start(widget, False, False, 0)
    window.add(box)
    window.connect("destroy", Gtk.main_quit)
    window.connect("key-press-event", on_key)
    entry.connect("changed", lambda field: say("text", text=field.get_text()))
    notes.get_buffer().connect(
        "changed", lambda buffer: say("notes", text=buffer.get_text(*buffer.get_bounds(), False))
    )
    entry.grab_focus()
    return window


def open_dialog(parent: Gtk.Window) -> None:
    dialog = Gtk.MessageDialog(transient_for=parent, modal=True, buttons=Gtk.ButtonsType.OK, text="Really?")
    dialog.set_title("Question")
    dialog.connect("response", lambda shown, _answer: shown.destroy())
    dialog.show_all()


if __name__ == "__main__":
    Gdk.set_program_class("gtk_app")
    shown = build()
    shown.show_all()
    GLib.idle_add(say, "ready")
    Gtk.main()
