"""The contract's board in Tk (python3-tk), which has no accessibility tree."""

import tkinter as tk

from board import Board, chord

BUTTONS = {1: "left", 2: "middle", 3: "right"}
WHEEL = {4: -1, 5: 1}
SHIFT, CONTROL = 1, 4


class Gui:
    def __init__(self) -> None:
        self.board = Board(self)
        self.window = tk.Tk(className="board")
        self.window.title("Board")
        self.window.attributes("-fullscreen", True)
        self.name, self.secret = tk.Entry(self.window, width=60), tk.Entry(self.window, width=60, show="*")
        fits = self.window.register(lambda text: len(text) <= 5)
        self.short = tk.Entry(self.window, width=60, validate="key", validatecommand=(fits, "%P"))
        self.notes = tk.Text(self.window, width=60, height=4)
        self.ticked = tk.BooleanVar(self.window)
        self.agree = tk.Checkbutton(self.window, text="Agree", variable=self.ticked)
        self.button = tk.Button(self.window, text="Press me", command=self.board.press_me)
        self.off = tk.Button(self.window, text="Disabled", state="disabled")
        self.rows = tk.Canvas(self.window, width=400, height=160, scrollregion=(0, 0, 4000, 6000))
        for number in range(300):
            self.rows.create_text(4, 20 * number, anchor="nw", text=f"Row {number}")
        self.pad = tk.Frame(self.window, width=400, height=160, background="#888888")
        self.parts = {
            "Name": self.name, "Notes": self.notes, "Short": self.short, "Password": self.secret, "Agree": self.agree,
            "Press me": self.button, "Disabled": self.off, "Rows": self.rows, "Pad": self.pad,
        }  # fmt: skip
        for widget in self.parts.values():
            widget.pack(padx=20, pady=4, anchor="w")
        self.colour = 0
        self.listen()

    def listen(self) -> None:
        self.window.bind_all("<Button>", self.on_button)
        self.window.bind_all("<ButtonRelease>", lambda event: self.feel("release", event))
        self.window.bind_all("<Double-Button-1>", self.on_double)
        self.window.bind_all("<Motion>", lambda event: self.board.note("move", x=event.x_root, y=event.y_root))
        self.window.bind_all(
            "<Key>", lambda event: self.board.note("key", key=chord(event.keysym, event.state & CONTROL))
        )
        self.window.tk.createfilehandler(self.board.listener, tk.READABLE, self.board.answer)

    # --- what the board asks -------------------------------------------------------------------------------

    def places(self):
        found = {}
        for name, widget in {**self.parts, "Board": self.window}.items():
            x, y = widget.winfo_rootx(), widget.winfo_rooty()
            found[name] = [x, y, x + widget.winfo_width(), y + widget.winfo_height()]
        return found

    def texts(self):
        fields = {"Name": self.name, "Short": self.short, "Password": self.secret}
        return {"Notes": self.notes.get("1.0", "end-1c"), **{name: field.get() for name, field in fields.items()}}

    def agreed(self):
        return self.ticked.get()

    def scrolled(self):
        return [int(self.rows.canvasx(0)), int(self.rows.canvasy(0))]

    def reset(self) -> None:
        for field in (self.name, self.short, self.secret):
            field.delete(0, "end")
        self.notes.delete("1.0", "end")
        self.ticked.set(False)
        self.rows.xview_moveto(0)
        self.rows.yview_moveto(0)
        self.window.focus_set()

    def paint(self) -> None:
        self.colour += 1
        self.pad.configure(background=f"#{50 * (self.colour % 5):02x}64c8")

    # --- what is felt --------------------------------------------------------------------------------------

    def feel(self, what, event) -> None:
        if event.num in BUTTONS:
            self.board.note(what, x=event.x_root, y=event.y_root, button=BUTTONS[event.num])

    def on_button(self, event) -> None:
        self.feel("press", event)
        if event.num in WHEEL and event.widget is self.rows:
            # Tk tells a wheel that is tilted as one that is turned with Shift held.
            scroll = self.rows.xview_scroll if event.state & SHIFT else self.rows.yview_scroll
            scroll(WHEEL[event.num], "units")

    def on_double(self, event) -> None:
        # In Tk only the first click of two gives the focus, which a reset may have taken away in between.
        event.widget.focus_set()
        self.feel("press", event)
        self.feel("double", event)


if __name__ == "__main__":
    Gui().window.mainloop()
