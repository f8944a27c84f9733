"""A small Qt 5 program for the device tests. Run with the system's Python (python3-pyqt5)."""

import json
import sys

from PyQt5 import QtCore, QtWidgets

LOG = open(sys.argv[1], "a", encoding="utf-8") if len(sys.argv) > 1 else sys.stdout  # noqa: SIM115


def say(event: str, **facts: object) -> None:
    LOG.write(json.dumps({"event": event, **facts}, ensure_ascii=False) + "\n")
    LOG.flush()


def main() -> None:
    app = QtWidgets.QApplication(["qt_app"])
    window = QtWidgets.QWidget()
    window.setWindowTitle("Qt 测试 form")
    form = QtWidgets.QFormLayout(window)
    name, notes = QtWidgets.QLineEdit(), QtWidgets.QPlainTextEdit()
    secret = QtWidgets.QLineEdit()
    secret.setEchoMode(QtWidgets.QLineEdit.Password)
    name.textChanged.connect(lambda text: say("text", text=text))
    name.returnPressed.connect(lambda: say("activate", text=name.text()))
    notes.textChanged.connect(lambda: say("notes", text=notes.toPlainText()))
    agree = QtWidgets.QCheckBox("Agree")
    agree.toggled.connect(lambda active: say("toggled", active=active))
    combo = QtWidgets.QComboBox()
    combo.addItems(["Red", "Green", "蓝色"])
    button = QtWidgets.QPushButton("Press me")
    button.clicked.connect(lambda: say("clicked"))
    off = QtWidgets.QPushButton("Disabled")
    off.setEnabled(False)
    rows = QtWidgets.QListWidget()
    rows.addItems([f"Row {number}" for number in range(3000)])
    for label, widget in (("Name", name), ("Password", secret), ("Notes", notes), ("Colour", combo), ("Rows", rows)):
        form.addRow(label, widget)
    for widget in (agree, button, off):
        form.addRow(widget)
    window.resize(420, 560)
    window.show()
    name.setFocus()
    QtCore.QTimer.singleShot(0, lambda: say("ready"))
    app.exec_()


main()
