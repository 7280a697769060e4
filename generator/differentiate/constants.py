"""Folds constant expressions of C, as far as their values are known without running the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
import operator
import re

from pycparser import c_ast

Number = int | float

UNARY_OPERATIONS: dict[str, Callable[[Any], Number]] = {
    "-": operator.neg,
    "+": operator.pos,
    "!": lambda a: int(not a),
    "~": operator.invert,
}
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}
TRUTHS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "&&": lambda a, b: bool(a and b),
    "||": lambda a, b: bool(a or b),
}
BITWISE = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}


def number(node: c_ast.Constant) -> Number | None:
    """Returns the value of a constant; None for a string or a character."""
    if node.type in ("double", "float", "long double"):
        return (
            float.fromhex(node.value)
            if "x" in node.value.lower()
            else float(node.value.rstrip("fFlL"))
        )
    if "int" in node.type:
        text = node.value.rstrip("uUlL")
        return int(text, 8) if re.fullmatch(r"0[0-7]+", text) else int(text, 0)
    return None


def same(a: Number | None, b: Number | None) -> bool:
    """Checks that both are known, of one type, and equal."""
    return a is not None and b is not None and type(a) is type(b) and a == b


def fold_unary(op: str, a: Number | None) -> Number | None:
    return UNARY_OPERATIONS[op](a) if a is not None and op in UNARY_OPERATIONS else None


def fold_binary(op: str, a: Number | None, b: Number | None) -> Number | None:
    """Returns the result of an operator, or None if it is unknown."""
    if a is None or b is None:
        return _fold_half(op, a, b)
    whole = isinstance(a, int) and isinstance(b, int)
    if op in ("/", "%"):
        return _divided(op, a, b, whole)
    if op in ARITHMETIC:
        return ARITHMETIC[op](a, b)
    if op in TRUTHS:
        return int(TRUTHS[op](a, b))
    return BITWISE[op](a, b) if op in BITWISE and whole and b >= 0 else None


def _fold_half(op: str, a: Number | None, b: Number | None) -> Number | None:
    """Returns a result that is known although an operand is not: zero times anything."""
    if (op == "*" and 0 in (a, b)) or (op == "/" and a == 0):
        return 0.0
    if op == "&&" and 0 in (a, b):
        return 0
    return 1 if op == "||" and (a or b) else None


def _divided(op: str, a: Number, b: Number, whole: bool) -> Number | None:
    if b == 0:
        return None
    if whole:
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if op == "/" else a - quotient * b
    return a / b if op == "/" else None
