"""Evaluates what is typed on a calculator: + − × ÷ with precedence, decimals, signs and per cent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal, DecimalException, Inexact, localcontext

_TOKEN = re.compile(r"\d+\.?\d*|\.\d+|[+−×÷%()]")


class BadExpression(Exception):
    """The expression is unfinished or has no value (division by zero)."""


@dataclass
class _Value:
    number: Decimal
    percent: bool = False


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self._at += 1
        return token

    def sum(self) -> Decimal:
        total = self.product().number
        while self.peek() in ("+", "−"):
            sign = 1 if self.take() == "+" else -1
            right = self.product()
            # 200 + 10 % means ten per cent more, as people expect of a pocket calculator
            total += sign * (total * right.number if right.percent else right.number)
        return total

    def product(self) -> _Value:
        value = self.signed()
        while self.peek() in ("×", "÷"):
            if self.take() == "×":
                value = _Value(value.number * self.signed().number)
            else:
                value = _Value(value.number / self.signed().number)
        return value

    def signed(self) -> _Value:
        if self.peek() in ("−", "+"):
            sign = -1 if self.take() == "−" else 1
            inner = self.signed()
            return _Value(sign * inner.number, inner.percent)
        return self.atom()

    def atom(self) -> _Value:
        token = self.take()
        if token == "(":
            value = _Value(self.sum())
            if self.take() != ")":
                raise BadExpression
        elif token and (token[0].isdigit() or token[0] == "."):
            value = _Value(Decimal(token))
        else:
            raise BadExpression
        while self.peek() == "%":
            self.take()
            value = _Value(value.number / 100, percent=True)
        return value


def evaluate(expression: str) -> Decimal:
    tokens = _TOKEN.findall(expression)
    if "".join(tokens) != expression.replace(" ", ""):
        raise BadExpression
    parser = _Parser(tokens)
    try:
        with localcontext(Context(prec=28)) as context:
            context.traps[Inexact] = False
            value = parser.sum()
    except DecimalException as exc:
        raise BadExpression from exc
    if parser.peek():
        raise BadExpression
    return value


def shown(value: Decimal) -> str:
    """As a calculator's display writes it: at most 12 significant digits, no trailing zeros, a real minus sign."""
    with localcontext(Context(prec=12)):
        rounded = +value
    if rounded == 0:
        return "0"
    plain = f"{rounded.normalize():f}"
    if len(plain.replace("-", "").replace(".", "")) > 15:
        plain = f"{rounded.normalize():E}"
    return plain.replace("-", "−")
