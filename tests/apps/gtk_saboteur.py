"""A small GTK 3 program for the proofs: it does what it is told, or, with a trouble, only looks as if it would.

Run with the system's Python: `gtk_saboteur.py STATE [TROUBLE]`. STATE is a file that always holds its true state.
Troubles: dead, springs, springs-late, short, emptied, refused, stays, unnamed.
"""

import json
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

STATE, TROUBLE = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""


class Saboteur(Gtk.Window):
    def __init__(self) -> None:
        super().__init__(title="untitled - Workbench")
        self.state = {"greeted": False, "agreed": False, "name": "", "colour": "Red", "saved": "", "milk": True}
        self.out = Gtk.Label(label="Nothing yet")
        greet = Gtk.Button(label="Greet")
        greet.connect("clicked", self.on_greet)
        self.agree = Gtk.CheckButton(label="Agree")
        self.agree.connect("toggled", self.on_agree)
        self.name = Gtk.Entry(max_length=3 if TROUBLE == "short" else 0)
        self.name.get_accessible().set_name("Name")
        self.name.connect("changed", self.on_name)
        self.colour = Gtk.ComboBoxText()
        for colour in ("Red", "Green", "Blue"):
            self.colour.append_text(colour)
        self.colour.set_active(0)
        self.colour.connect("changed", self.on_colour)
        self.milk = Gtk.Box(spacing=8)
        self.milk.pack_start(Gtk.Label(label="Milk"), False, False, 0)
        remove = Gtk.Button(label="Delete")
        remove.connect("clicked", self.on_delete)
        self.milk.pack_start(remove, False, False, 0)
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=10, margin=20)
        colours = Gtk.Box(spacing=8)
        colours.pack_start(Gtk.Label(label="Colour", mnemonic_widget=self.colour), False, False, 0)
        colours.pack_start(self.colour, True, True, 0)
        for widget in (self.out, greet, self.agree, self.name, colours, Gtk.Label(label="Bread"), self.milk):
            box.pack_start(widget, False, False, 0)
        self.add(box)
        self.set_default_size(420, 320)
        self.connect("key-press-event", self.on_key)
        self.connect("destroy", Gtk.main_quit)
        self.tell()

    def tell(self) -> None:
        STATE.write_text(json.dumps(self.state), encoding="utf-8")

    def after(self, act: object) -> None:
        """Take it back: at once, or when a server would have refused."""
        if TROUBLE == "springs-late":
            GLib.timeout_add(250, act)
        elif TROUBLE == "springs":
            GLib.idle_add(act)

    def on_greet(self, _button: Gtk.Button) -> None:
        if TROUBLE != "dead":
            self.state["greeted"] = True
            self.out.set_text("Hello there")
        self.tell()

    def on_agree(self, check: Gtk.CheckButton) -> None:
        self.state["agreed"] = check.get_active()
        self.tell()
        if check.get_active():
            self.after(lambda: check.set_active(False))

    def on_name(self, field: Gtk.Entry) -> None:
        if TROUBLE == "emptied" and field.get_text():
            GLib.idle_add(lambda: field.set_text(""))
        self.state["name"] = field.get_text()
        self.tell()

    def on_colour(self, combo: Gtk.ComboBoxText) -> None:
        self.state["colour"] = combo.get_active_text()
        self.tell()
        if combo.get_active():
            self.after(lambda: combo.set_active(0))

    def on_delete(self, _button: Gtk.Button) -> None:
        if TROUBLE == "dead":
            return
        if TROUBLE == "stays":
            self.ask("Really delete Milk?")
            return
        self.milk.hide()
        self.state["milk"] = False
        self.tell()
        self.after(self.restore)

    def restore(self) -> None:
        self.milk.show_all()
        self.state["milk"] = True
        self.tell()

    def ask(self, text: str) -> None:
        """Ask something, and go on asking whatever is answered."""
        dialog = Gtk.MessageDialog(transient_for=self, modal=True, buttons=Gtk.ButtonsType.OK_CANCEL, text=text)
        dialog.connect("response", lambda _dialog, _answer: None)
        dialog.show_all()

    def on_key(self, _window: Gtk.Window, event: Gdk.EventKey) -> bool:
        control = event.state & Gdk.ModifierType.CONTROL_MASK and event.state & Gdk.ModifierType.SHIFT_MASK
        if not control or Gdk.keyval_name(event.keyval) not in ("S", "s"):
            return False
        if TROUBLE != "dead":
            self.save_as()
        return True

    def save_as(self) -> None:
        dialog = Gtk.Dialog(title="Save As", transient_for=self, modal=True)
        dialog.add_buttons("Cancel", Gtk.ResponseType.CANCEL, "Save", Gtk.ResponseType.OK)
        dialog.set_default_response(Gtk.ResponseType.OK)
        field = Gtk.Entry(activates_default=True)
        field.get_accessible().set_name("File name")
        dialog.get_content_area().add(field)
        dialog.connect("response", self.on_saved, field)
        dialog.show_all()
        field.grab_focus()

    def on_saved(self, dialog: Gtk.Dialog, answer: int, field: Gtk.Entry) -> None:
        if TROUBLE == "stays":
            return
        name = field.get_text()
        dialog.destroy()
        if TROUBLE == "refused":
            self.ask("The file could not be saved.")
        elif TROUBLE != "unnamed" and answer == Gtk.ResponseType.OK:
            self.state["saved"] = name
            self.set_title(f"{name} - Workbench")
            self.tell()


if __name__ == "__main__":
    Gdk.set_program_class("workbench")
    Saboteur().show_all()
    Gtk.main()
