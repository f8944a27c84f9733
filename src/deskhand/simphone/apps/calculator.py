"""The calculator: keys, the formula above, the result below."""

from __future__ import annotations

from typing import Any

from deskhand.simphone.apps.arithmetic import BadExpression, evaluate_expression, format_value
from deskhand.simphone.apps.framework import App, Host, Page
from deskhand.simphone.ui.nodes import FILL, Node
from deskhand.simphone.ui.widgets import WHITE, Column, Divider, Icon, Label, NodeLook, Row, Screen

ORANGE = (240, 130, 30)
OPERATORS = "+−×÷"
KEYS = (("C", "⌫", "%", "÷"), ("7", "8", "9", "×"), ("4", "5", "6", "−"), ("1", "2", "3", "+"), ("±", "0", ".", "="))
NAMES = {
    "C": ("clr", "清除", "clear"),
    "⌫": ("del", "删除", "delete"),
    "%": ("pct", "百分号", "percent"),
    "÷": ("op_div", "除", "divide"),
    "×": ("op_mul", "乘", "multiply"),
    "−": ("op_sub", "减", "minus"),
    "+": ("op_add", "加", "plus"),
    "=": ("eq", "等于", "equals"),
    ".": ("dec_point", "点", "point"),
    "±": ("sign", "正负", "plus minus"),
}


class KeyPage(Page["Calculator"]):
    activity = ".Calculator"

    def build(self) -> Node:
        theme, calc = self.colours, self.app
        small, big = (48, 64) if self.is_wide else (64, 130)
        formula = Label(
            calc.formula or "0", big, theme.ink, rid=self.rid_of("formula"), w=FILL, align="end", max_lines=2
        )
        result = Label(calc.result, small, theme.soft, rid=self.rid_of("result"), w=FILL, align="end", max_lines=1)
        formula.pad, result.pad = (56, 0, 56, 0), (56, 0, 56, 20)
        keys = Column(
            *(Row(*(self._build_key(key) for key in keys), gap=20, weight=1.0) for keys in KEYS),
            gap=20,
            pad=(32, 32, 32, 24),
            weight=3.0 if self.is_wide else 1.7,
            h=FILL,
        )
        upper = Column(formula, result, weight=1.0, h=FILL, justify="end")
        return Screen(theme, upper, Divider(theme), keys, fill=theme.card)

    def _build_key(self, key: str) -> Node:
        theme = self.colours
        name = NAMES.get(key)
        rid = self.rid_of(name[0] if name else f"digit_{key}")
        desc = self.t(name[1], name[2]) if name else ""
        fill = ORANGE if key == "=" else theme.field
        ink = WHITE if key == "=" else ORANGE if key in "C⌫%÷×−+" else theme.ink
        look: NodeLook = {"fill": fill, "radius": 60, "weight": 1.0, "h": FILL, "desc": desc, "rid": rid}
        look["on_tap"] = lambda: self.app.press_key(key)
        if key == "⌫":
            return Icon("backspace", 72, ink, **look)
        look["kind"], look["align"], look["justify"] = "android.widget.Button", "center", "center"
        return Label(key, 68, ink, **look)


class Calculator(App):
    package, label, label_en, activity = "com.android.calculator2", "计算器", "Calculator", ".Calculator"
    icon, tint = "calculator", ORANGE

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.formula = ""
        self.done = False
        self.history: list[str] = []

    def build_first_page(self) -> Page[App]:
        return KeyPage(self)

    @property
    def result(self) -> str:
        """The value so far, shown while the formula is more than a number."""
        if not any(c in self.formula[1:] for c in OPERATORS + "%"):
            return ""
        try:
            return "= " + format_value(evaluate_expression(self.formula))
        except BadExpression:
            return ""

    def press_key(self, key: str) -> None:
        error = self.t("错误", "Error")
        if self.formula == error:
            self.formula = ""
        if key == "C":
            self.formula, self.done = "", False
        elif key == "⌫":
            self.formula, self.done = self.formula[:-1], False
        elif key == "=":
            self._show_result(error)
        elif key == "±":
            self.formula = self.formula[1:] if self.formula.startswith("−") else "−" + self.formula
        elif key in OPERATORS or key == "%":
            self._add_operator(key)
        else:
            self._add_digit(key)

    def _add_digit(self, key: str) -> None:
        if self.done:
            self.formula, self.done = "", False
        number = self.formula
        for mark in OPERATORS + "%":
            number = number.rsplit(mark, 1)[-1]
        if key == "." and "." in number:
            return
        if number == "0" and key != ".":
            self.formula = self.formula[:-1]
        self.formula += key

    def _add_operator(self, key: str) -> None:
        self.done = False
        if self.formula and self.formula[-1] in OPERATORS and key != "%":
            # a minus after × or ÷ is a sign; any other operator replaces the one before it
            signed = key == "−" and self.formula[-1] in "×÷"
            self.formula = self.formula if signed else self.formula[:-1]
        if self.formula or key == "−":
            self.formula += key

    def _show_result(self, error: str) -> None:
        if not self.formula:
            return
        try:
            value = format_value(evaluate_expression(self.formula))
        except BadExpression:
            self.formula = error
            return
        self.history.append(f"{self.formula}={value}")
        self.formula, self.done = value, True

    def read_state(self) -> dict[str, Any]:
        """display: the formula line; history: "formula=value", oldest first."""
        return {"display": self.formula or "0", "history": list(self.history)}
