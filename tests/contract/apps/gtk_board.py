"""The contract's board in GTK 3 (python3-gi, gir1.2-gtk-3.0)."""

import gi

gi.require_version("Gtk", "3.0")
from board import Board, chord  # noqa: E402
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

BUTTONS = {1: "left", 2: "middle", 3: "right"}


class Gui:
    def __init__(self) -> None:
        self.board = Board(self)
        self.window = Gtk.Window(title="Board")
        self.name, self.short = Gtk.Entry(), Gtk.Entry(max_length=5)
        self.secret, self.notes = Gtk.Entry(visibility=False), Gtk.TextView()
        self.paper = Gtk.ScrolledWindow()
        self.paper.set_size_request(300, 80)
        self.paper.add(self.notes)
        self.agree = Gtk.CheckButton(label="Agree")
        self.button, self.off = Gtk.Button(label="Press me"), Gtk.Button(label="Disabled", sensitive=False)
        self.button.connect("clicked", lambda _: self.board.press_me())
        self.pad = Gtk.EventBox()
        self.pad.set_size_request(400, 200)
        self.pad.add_events(Gdk.EventMask.POINTER_MOTION_MASK)
        self.rows = Gtk.ScrolledWindow()
        self.rows.set_size_request(400, 200)
        lines = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        lines.set_size_request(3000, -1)
        for number in range(300):
            lines.add(Gtk.Label(label=f"Row {number}", xalign=0))
        self.rows.add(lines)
        self.parts = {
            "Name": self.name, "Notes": self.paper, "Short": self.short, "Password": self.secret, "Agree": self.agree,
            "Press me": self.button, "Disabled": self.off, "Rows": self.rows, "Pad": self.pad,
        }  # fmt: skip
        self.colour = 0
        self.lay_out()

    def lay_out(self) -> None:
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=8, margin=20)
        for name, widget in (("Name", self.name), ("Short", self.short), ("Password", self.secret)):
            widget.get_accessible().set_name(name)
        self.notes.get_accessible().set_name("Notes")
        line = Gtk.Box(spacing=8)
        for widget in (self.agree, self.button, self.off):
            line.pack_start(widget, False, False, 0)
        for widget in (self.name, self.short, self.secret, self.paper, line, self.rows, self.pad):
            box.pack_start(widget, False, False, 0)
        self.window.add(box)
        self.window.connect("destroy", Gtk.main_quit)
        self.window.fullscreen()

    # --- what the board asks -------------------------------------------------------------------------------

    def places(self):
        found = {}
        for name, widget in {**self.parts, "Board": self.window}.items():
            area = widget.get_allocation()
            _, left, top = self.window.get_window().get_origin()
            x, y = widget.translate_coordinates(self.window, 0, 0)
            found[name] = [left + x, top + y, left + x + area.width, top + y + area.height]
        return found

    def texts(self):
        buffer = self.notes.get_buffer()
        fields = {"Name": self.name, "Short": self.short, "Password": self.secret}
        return {
            "Notes": buffer.get_text(*buffer.get_bounds(), False),
            **{name: field.get_text() for name, field in fields.items()},
        }

    def agreed(self):
        return self.agree.get_active()

    def scrolled(self):
        return [int(self.rows.get_hadjustment().get_value()), int(self.rows.get_vadjustment().get_value())]

    def reset(self) -> None:
        for field in (self.name, self.short, self.secret):
            field.set_text("")
        self.notes.get_buffer().set_text("")
        self.agree.set_active(False)
        self.rows.get_hadjustment().set_value(0)
        self.rows.get_vadjustment().set_value(0)
        self.window.set_focus(None)

    def paint(self) -> None:
        self.colour += 1
        shade = (self.colour % 5) / 5
        self.pad.override_background_color(Gtk.StateFlags.NORMAL, Gdk.RGBA(shade, 0.4, 1 - shade, 1))

    # --- what is felt --------------------------------------------------------------------------------------

    def feel(self, event) -> None:
        kinds = Gdk.EventType
        if event.type in (kinds.BUTTON_PRESS, kinds.BUTTON_RELEASE, kinds.DOUBLE_BUTTON_PRESS):
            what = {kinds.BUTTON_PRESS: "press", kinds.BUTTON_RELEASE: "release"}.get(event.type, "double")
            if event.button.button in BUTTONS:
                x, y = int(event.button.x_root), int(event.button.y_root)
                self.board.note(what, x=x, y=y, button=BUTTONS[event.button.button])
        elif event.type == kinds.MOTION_NOTIFY:
            self.board.note("move", x=int(event.motion.x_root), y=int(event.motion.y_root))
        elif event.type == kinds.KEY_PRESS:
            control = event.key.state & Gdk.ModifierType.CONTROL_MASK
            self.board.note("key", key=chord(Gdk.keyval_name(event.key.keyval) or "", control))
        Gtk.main_do_event(event)


if __name__ == "__main__":
    Gdk.set_program_class("board")
    gui = Gui()
    Gdk.event_handler_set(gui.feel)
    GLib.io_add_watch(gui.board.listener.fileno(), GLib.IO_IN, gui.board.answer)
    gui.window.show_all()
    Gtk.main()
