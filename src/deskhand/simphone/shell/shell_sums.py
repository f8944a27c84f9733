"""Works out the sums of `$(( … ))`: whole numbers, as the shell has them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

_OPERATIONS: dict[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: lambda a, b: int(a / b) if b else 0, ast.Mod: lambda a, b: a - int(a / b) * b if b else 0,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def work_out(text: str, read_variable: Callable[[str], str]) -> int:
    """Return the value of a sum; 0 for what is no sum."""
    try:
        tree = ast.parse(text.replace("$", "").strip() or "0", mode="eval")
        return _evaluate_node(tree.body, read_variable)
    except (SyntaxError, ValueError):
        return 0


def _evaluate_node(node: ast.AST, read_variable: Callable[[str], str]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return int(value)
        case ast.Name(id=name):
            value = read_variable(name).strip()
            return int(value) if value.lstrip("-").isdecimal() else 0
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_evaluate_node(inner, read_variable)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            return _OPERATIONS[type(op)](_evaluate_node(left, read_variable), _evaluate_node(right, read_variable))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATIONS:
            return int(_OPERATIONS[type(op)](_evaluate_node(left, read_variable), _evaluate_node(right, read_variable)))
        case _:
            raise ValueError(f"not a sum: {ast.dump(node)}")
