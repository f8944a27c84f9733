"""What the boards of all toolkits share: the log of what was felt, and answers to the stage over a socket.

Runs under the system's Python, where the toolkits are; needs nothing but the standard library.
"""

import json
import os
import socket
import sys
import time


class Board:
    """`toolkit` gives places(), texts(), agreed(), scrolled(), reset() and paint()."""

    def __init__(self, toolkit) -> None:
        self.toolkit = toolkit
        self.felt = []
        self.pressed = 0
        self.listener = socket.socket(socket.AF_UNIX)
        path = sys.argv[1]
        if os.path.exists(path):
            os.unlink(path)
        self.listener.bind(path)
        self.listener.listen()
        self.listener.setblocking(False)

    def note(self, what, **facts) -> None:
        self.felt.append({"what": what, "at": time.monotonic(), **facts})

    def press_me(self) -> None:
        self.pressed += 1

    def answer(self, *_) -> bool:
        """Called by the toolkit's own loop: what is told is what the loop has already handled."""
        try:
            line, _ = self.listener.accept()
        except BlockingIOError:
            return True
        with line:
            line.settimeout(5)
            asked = json.loads(line.makefile().readline())
            line.sendall(json.dumps(self.do(asked["do"])).encode() + b"\n")
        if asked["do"] == "hang":
            time.sleep(asked["seconds"])
        return True

    def do(self, word):
        if word == "reset":
            self.felt.clear()
            self.pressed = 0
            self.toolkit.reset()
        elif word == "paint":
            self.toolkit.paint()
        toolkit = self.toolkit
        return {
            "places": toolkit.places(),
            "texts": toolkit.texts(),
            "agreed": toolkit.agreed(),
            "scrolled": toolkit.scrolled(),
            "pressed": self.pressed,
            "felt": self.felt,
        }


def chord(name, control) -> str:
    names = {"return": "enter", "kp_enter": "enter"}
    low = name.lower()
    return ("ctrl+" if control else "") + names.get(low, low)
