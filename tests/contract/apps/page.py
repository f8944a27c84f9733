"""A window that is called as it is told: another program, or the page of an address."""

import sys
import tkinter as tk

window = tk.Tk(className=sys.argv[1].lower())
window.title(sys.argv[1])
window.geometry("300x200+100+100")
tk.Label(window, text=" ".join(sys.argv[1:])).pack()
window.mainloop()
