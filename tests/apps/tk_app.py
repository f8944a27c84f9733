"""A small Tk program for the device tests: it has no accessibility tree. Needs python3-tk."""

import json
import sys
import tkinter as tk

LOG = open(sys.argv[1], "a", encoding="utf-8") if len(sys.argv) > 1 else sys.stdout  # noqa: SIM115


def say(event: str, **facts: object) -> None:
    LOG.write(json.dumps({"event": event, **facts}, ensure_ascii=False) + "\n")
    LOG.flush()


def main() -> None:
    window = tk.Tk(className="tk_app")
    window.title("Tk 测试 entry")
    text = tk.StringVar(window)
    text.trace_add("write", lambda *_: say("text", text=text.get()))
    entry = tk.Entry(window, textvariable=text, width=40)
    entry.pack(padx=10, pady=10)
    notes = tk.Text(window, width=40, height=5)
    notes.bind(
        "<<Modified>>", lambda _event: (say("notes", text=notes.get("1.0", "end-1c")), notes.edit_modified(False))
    )
    notes.pack(padx=10, pady=10)
    tk.Button(window, text="Press me", command=lambda: say("clicked")).pack(pady=10)
    entry.focus_set()
    window.after(50, lambda: say("ready"))
    window.mainloop()


main()
