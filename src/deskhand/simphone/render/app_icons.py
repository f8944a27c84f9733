"""Icons of apps and of things inside them; importing this module registers them."""

from __future__ import annotations

from deskhand.simphone.render.icons import Pen, drawn


@drawn("chat")
def _chat(p: Pen) -> None:
    p.box(6, 14, 66, 62, 24)
    p.shape((16, 54), (14, 74), (36, 60))
    p.disc(26, 34, 4, cut=True)
    p.disc(46, 34, 4, cut=True)
    p.box(40, 42, 92, 82, 20, cut=True)
    p.box(44, 46, 90, 80, 17)
    p.shape((76, 74), (84, 90), (62, 78))
    p.disc(59, 60, 3.5, cut=True)
    p.disc(75, 60, 3.5, cut=True)


@drawn("people")
def _people(p: Pen) -> None:
    p.disc(38, 32, 17)
    p.box(10, 54, 66, 84, 18)
    p.box(72, 26, 90, 33, 3)
    p.box(72, 46, 90, 53, 3)
    p.box(72, 66, 90, 73, 3)


@drawn("compass")
def _compass(p: Pen) -> None:
    p.ring(48, 48, 38, 8)
    p.shape((66, 30), (54, 56), (30, 66), (42, 40))


@drawn("person")
def _person(p: Pen) -> None:
    p.disc(48, 32, 19)
    p.box(14, 56, 82, 104, 26)


@drawn("gear")
def _gear(p: Pen) -> None:
    for a, b in ((48, 8), (48, 88), (8, 48), (88, 48), (20, 20), (76, 76), (20, 76), (76, 20)):
        p.line((48, 48), (a, b), width=16)
    p.disc(48, 48, 32)
    p.disc(48, 48, 14, cut=True)


@drawn("note")
def _note(p: Pen) -> None:
    p.box(18, 10, 78, 86, 10)
    for y, end in ((30, 66), (46, 66), (62, 50)):
        p.line((30, y), (end, y), width=6, cut=True)


@drawn("globe")
def _globe(p: Pen) -> None:
    p.ring(48, 48, 38, 7)
    p.line((12, 48), (84, 48), width=6)
    p.arc(84, 48, 50, 133, 227, 6)
    p.arc(12, 48, 50, -47, 47, 6)
    p.line((48, 12), (48, 84), width=6)


@drawn("calculator")
def _calculator(p: Pen) -> None:
    p.box(16, 8, 80, 88, 12)
    p.box(26, 18, 70, 36, 4, cut=True)
    for x in (32, 48, 64):
        for y in (50, 66, 78):
            p.disc(x, y, 5, cut=True)


@drawn("clock")
def _clock(p: Pen) -> None:
    p.ring(48, 48, 38, 8)
    p.line((48, 24), (48, 50), (66, 60), width=7)


@drawn("alarm")
def _alarm(p: Pen) -> None:
    p.ring(48, 52, 32, 8)
    p.line((48, 34), (48, 54), (60, 62), width=7)
    p.line((12, 26), (28, 14), width=9)
    p.line((84, 26), (68, 14), width=9)


@drawn("stopwatch")
def _stopwatch(p: Pen) -> None:
    p.ring(48, 54, 32, 8)
    p.line((48, 36), (48, 54), width=7)
    p.line((38, 12), (58, 12), width=9)


@drawn("timer")
def _timer(p: Pen) -> None:
    p.shape((22, 12), (74, 12), (52, 48), (74, 84), (22, 84), (44, 48))
    p.line((18, 12), (78, 12), width=8)
    p.line((18, 84), (78, 84), width=8)


@drawn("bank")
def _bank(p: Pen) -> None:
    p.shape((48, 8), (88, 34), (8, 34))
    for x in (20, 42, 64):
        p.box(x, 40, x + 12, 70)
    p.box(10, 76, 86, 88, 3)


@drawn("cart")
def _cart(p: Pen) -> None:
    p.line((8, 16), (22, 16), (34, 60), (76, 60), (86, 28), (26, 28), width=8)
    p.disc(40, 78, 8)
    p.disc(70, 78, 8)


@drawn("bag")
def _bag(p: Pen) -> None:
    p.box(14, 32, 82, 88, 10)
    p.arc(48, 32, 18, 180, 360, 8)
    p.arc(48, 40, 18, 0, 180, 6)


@drawn("camera")
def _camera(p: Pen) -> None:
    p.box(8, 26, 88, 80, 12)
    p.box(32, 14, 64, 34, 8)
    p.disc(48, 52, 20, cut=True)
    p.disc(48, 52, 13)


@drawn("image")
def _image(p: Pen) -> None:
    p.frame(10, 16, 86, 80, 10, 8)
    p.disc(32, 36, 8)
    p.shape((18, 72), (42, 46), (56, 60), (66, 50), (80, 72))


@drawn("cloud")
def _cloud(p: Pen) -> None:
    p.disc(30, 58, 20)
    p.disc(52, 42, 25)
    p.disc(70, 60, 18)
    p.box(28, 58, 72, 78, 6)


@drawn("rain")
def _rain(p: Pen) -> None:
    p.disc(30, 46, 18)
    p.disc(52, 34, 22)
    p.disc(70, 48, 16)
    p.box(28, 46, 72, 64, 6)
    for x in (32, 50, 68):
        p.line((x, 74), (x - 6, 88), width=6)


@drawn("phone")
def _phone(p: Pen) -> None:
    p.line((26, 22), (34, 50), (50, 66), (76, 74), width=15)
    p.line((24, 20), (34, 34), width=20)
    p.line((62, 66), (76, 74), width=20)


@drawn("scan")
def _scan(p: Pen) -> None:
    for x, y, a, b in ((14, 14, 1, 1), (82, 14, -1, 1), (14, 82, 1, -1), (82, 82, -1, -1)):
        p.line((x + 22 * a, y), (x, y), (x, y + 22 * b), width=7)
    p.line((14, 48), (82, 48), width=6)


@drawn("moments")
def _moments(p: Pen) -> None:
    p.ring(48, 48, 37, 7)
    p.disc(48, 48, 15)
    for x, y in ((48, 16), (76, 48), (48, 80), (20, 48)):
        p.line((48, 48), (x, y), width=5)


@drawn("wallet")
def _wallet(p: Pen) -> None:
    p.box(8, 24, 88, 80, 10)
    p.box(58, 44, 92, 62, 6, cut=True)
    p.disc(70, 53, 5)


@drawn("heart")
def _heart(p: Pen) -> None:
    p.disc(32, 36, 21)
    p.disc(64, 36, 21)
    p.shape((13, 45), (83, 45), (48, 86))


@drawn("cup")
def _cup(p: Pen) -> None:
    p.box(16, 26, 66, 80, 12)
    p.ring(68, 46, 16, 7)
    p.line((28, 8), (28, 18), width=6)
    p.line((46, 8), (46, 18), width=6)


@drawn("headphones")
def _headphones(p: Pen) -> None:
    p.arc(48, 48, 36, 180, 360, 8)
    p.box(8, 46, 28, 82, 8)
    p.box(68, 46, 88, 82, 8)


@drawn("book")
def _book(p: Pen) -> None:
    p.shape((46, 22), (10, 14), (10, 76), (46, 86))
    p.shape((50, 22), (86, 14), (86, 76), (50, 86))


@drawn("lamp")
def _lamp(p: Pen) -> None:
    p.shape((32, 14), (64, 14), (82, 52), (14, 52))
    p.line((48, 52), (48, 80), width=8)
    p.line((26, 84), (70, 84), width=9)


@drawn("update")
def _update(p: Pen) -> None:
    p.ring(48, 48, 38, 7)
    p.line((48, 66), (48, 32), width=8)
    p.line((32, 46), (48, 30), (64, 46), width=8)
