"""The contract's board in Qt 5 (python3-pyqt5)."""

from board import Board, chord
from PyQt5 import QtCore, QtGui, QtWidgets

BUTTONS = {QtCore.Qt.LeftButton: "left", QtCore.Qt.MiddleButton: "middle", QtCore.Qt.RightButton: "right"}
KINDS = {
    QtCore.QEvent.MouseButtonPress: "press",
    QtCore.QEvent.MouseButtonRelease: "release",
    QtCore.QEvent.MouseButtonDblClick: "double",
}


class Gui(QtCore.QObject):
    def __init__(self) -> None:
        super().__init__()
        self.board = Board(self)
        self.window = QtWidgets.QWidget()
        self.window.setWindowTitle("Board")
        self.name, self.short, self.secret = QtWidgets.QLineEdit(), QtWidgets.QLineEdit(), QtWidgets.QLineEdit()
        self.short.setMaxLength(5)
        self.secret.setEchoMode(QtWidgets.QLineEdit.Password)
        self.notes = QtWidgets.QPlainTextEdit()
        self.notes.setFixedHeight(80)
        self.agree = QtWidgets.QCheckBox("Agree")
        self.button, self.off = QtWidgets.QPushButton("Press me"), QtWidgets.QPushButton("Disabled")
        self.off.setEnabled(False)
        self.button.clicked.connect(self.board.press_me)
        self.pad = QtWidgets.QFrame()
        self.pad.setFixedSize(400, 200)
        self.pad.setAutoFillBackground(True)
        self.rows = QtWidgets.QScrollArea()
        self.rows.setFixedSize(400, 200)
        inside = QtWidgets.QWidget()
        inside.setMinimumWidth(3000)
        lines = QtWidgets.QVBoxLayout(inside)
        for number in range(300):
            lines.addWidget(QtWidgets.QLabel(f"Row {number}"))
        self.rows.setWidget(inside)
        self.parts = {
            "Name": self.name, "Notes": self.notes, "Short": self.short, "Password": self.secret, "Agree": self.agree,
            "Press me": self.button, "Disabled": self.off, "Rows": self.rows, "Pad": self.pad,
        }  # fmt: skip
        self.colour = 0
        self.lay_out()

    def lay_out(self) -> None:
        box = QtWidgets.QVBoxLayout(self.window)
        box.setContentsMargins(20, 20, 20, 20)
        for name in ("Name", "Short", "Password", "Notes"):
            self.parts[name].setAccessibleName(name)
        line = QtWidgets.QHBoxLayout()
        for widget in (self.agree, self.button, self.off):
            line.addWidget(widget)
        line.addStretch()
        for widget in (self.name, self.short, self.secret, self.notes):
            box.addWidget(widget)
        box.addLayout(line)
        box.addWidget(self.rows)
        box.addWidget(self.pad)
        box.addStretch()
        self.window.setMouseTracking(True)
        self.pad.setMouseTracking(True)

    # --- what the board asks -------------------------------------------------------------------------------

    def places(self):
        found = {}
        for name, widget in {**self.parts, "Board": self.window}.items():
            corner = widget.mapToGlobal(QtCore.QPoint(0, 0))
            found[name] = [corner.x(), corner.y(), corner.x() + widget.width(), corner.y() + widget.height()]
        return found

    def texts(self):
        fields = {"Name": self.name, "Short": self.short, "Password": self.secret}
        return {"Notes": self.notes.toPlainText(), **{name: field.text() for name, field in fields.items()}}

    def agreed(self):
        return self.agree.isChecked()

    def scrolled(self):
        return [self.rows.horizontalScrollBar().value(), self.rows.verticalScrollBar().value()]

    def reset(self) -> None:
        for field in (self.name, self.short, self.secret, self.notes):
            field.clear()
        self.agree.setChecked(False)
        self.rows.horizontalScrollBar().setValue(0)
        self.rows.verticalScrollBar().setValue(0)
        focus = QtWidgets.QApplication.focusWidget()
        if focus is not None:
            focus.clearFocus()

    def paint(self) -> None:
        self.colour += 1
        palette = self.pad.palette()
        palette.setColor(QtGui.QPalette.Window, QtGui.QColor(50 * (self.colour % 5), 100, 200))
        self.pad.setPalette(palette)

    # --- what is felt --------------------------------------------------------------------------------------

    def eventFilter(self, thing, event) -> bool:  # noqa: N802
        if not thing.isWindowType():
            return False
        if event.type() in KINDS and event.button() in BUTTONS:
            place = event.globalPos()
            self.board.note(KINDS[event.type()], x=place.x(), y=place.y(), button=BUTTONS[event.button()])
        elif event.type() == QtCore.QEvent.MouseMove:
            self.board.note("move", x=event.globalPos().x(), y=event.globalPos().y())
        elif event.type() == QtCore.QEvent.KeyPress:
            name = QtGui.QKeySequence(event.key()).toString()
            self.board.note("key", key=chord(name, event.modifiers() & QtCore.Qt.ControlModifier))
        return False


def main() -> None:
    app = QtWidgets.QApplication(["board"])
    gui = Gui()
    app.installEventFilter(gui)
    bell = QtCore.QSocketNotifier(gui.board.listener.fileno(), QtCore.QSocketNotifier.Read)
    bell.activated.connect(gui.board.answer)
    gui.window.showFullScreen()
    app.exec_()


main()
