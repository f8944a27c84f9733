"""Says in plain words what is wrong with a value that pydantic refused, for people who write settings or requests."""

from collections.abc import Mapping
from typing import Any

_WORDS = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such field",
    "model_type": "it should be a group of names and values",
    "model_attributes_type": "it should be a group of names and values",
    "dict_type": "it should be a group of names and values",
    "tuple_type": "it should be a list",
    "list_type": "it should be a list",
    "string_type": "it should be text",
    "bool_type": "it should be true or false",
    "bool_parsing": "it should be true or false",
    "int_type": "it should be a whole number",
    "int_parsing": "it should be a whole number",
    "int_from_float": "it should be a whole number",
    "float_type": "it should be a number",
    "float_parsing": "it should be a number",
    "decimal_type": "it should be a number",
    "decimal_parsing": "it should be a number",
    "path_type": "it should be a path",
    "string_pattern_mismatch": "it has the wrong form",
}


def describe_problem(problem: Mapping[str, Any]) -> str:
    """Return what is wrong, as a clause without a full stop, given one of pydantic's error details."""
    told = str(problem["msg"]).removeprefix("Value error, ")
    for begin in ("Input should", "Value should", "String should", "Tuple should", "List should"):
        told = told.replace(begin, "it should", 1) if told.startswith(begin) else told
    return _WORDS.get(str(problem["type"]), told)
