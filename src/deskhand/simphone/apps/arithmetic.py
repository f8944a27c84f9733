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


class _ExpressionParser:
    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek_token(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take_token(self) -> str:
        token = self.peek_token()
        self._at += 1
        return token

    def parse_sum(self) -> Decimal:
        total = self.parse_product().number
        while self.peek_token() in ("+", "−"):
            sign = 1 if self.take_token() == "+" else -1
            right = self.parse_product()
            # 200 + 10 % means ten per cent more, as people expect of a pocket calculator
            total += sign * (total * right.number if right.percent else right.number)
        return total

    def parse_product(self) -> _Value:
        value = self.parse_signed()
        while self.peek_token() in ("×", "÷"):
            if self.take_token() == "×":
                value = _Value(value.number * self.parse_signed().number)
            else:
                value = _Value(value.number / self.parse_signed().number)
        return value

    def parse_signed(self) -> _Value:
        if self.peek_token() in ("−", "+"):
            sign = -1 if self.take_token() == "−" else 1
            inner = self.parse_signed()
            return _Value(sign * inner.number, inner.percent)
        return self.parse_atom()

    def parse_atom(self) -> _Value:
        token = self.take_token()
        if token == "(":
            value = _Value(self.parse_sum())
            if self.take_token() != ")":
                raise BadExpression
        elif token and (token[0].isdigit() or token[0] == "."):
            value = _Value(Decimal(token))
        else:
            raise BadExpression
        while self.peek_token() == "%":
            self.take_token()
            value = _Value(value.number / 100, percent=True)
        return value


def evaluate_expression(expression: str) -> Decimal:
    tokens = _TOKEN.findall(expression)
    if "".join(tokens) != expression.replace(" ", ""):
        raise BadExpression
    parser = _ExpressionParser(tokens)
    try:
        with localcontext(Context(prec=28)) as context:
            context.traps[Inexact] = False
            value = parser.parse_sum()
    except DecimalException as exc:
        raise BadExpression from exc
    if parser.peek_token():
        raise BadExpression
    return value


def format_value(value: Decimal) -> str:
    """Write a value as a calculator does: at most 12 significant digits, no trailing zeros, a real minus sign."""
    with localcontext(Context(prec=12)):
        rounded = +value
    if rounded == 0:
        return "0"
    plain = f"{rounded.normalize():f}"
    if len(plain.replace("-", "").replace(".", "")) > 15:
        plain = f"{rounded.normalize():E}"
    return plain.replace("-", "−")
