"""Expressions over the columns of a run: names, numbers, arithmetic and a few functions of time."""

from __future__ import annotations

from typing import Any
import ast
import re
from functools import cache
from types import CodeType

import numpy as np

from . import BristleError

_ALLOWED = (
    ast.Expression,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.Load,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Pow,
    ast.USub,
    ast.UAdd,
    ast.cmpop,
)
# characters of an expression: this and the length of a column bound its work
_LONGEST = 1000


class WrongExpression(BristleError):
    """An expression that has a value in no run."""


def quantity(expression: str, columns: dict[str, np.ndarray]) -> float:
    """Evaluates an expression over columns (`top.frictionForce` is written top_frictionForce).

    at(a, t): value at a time, interpolated; at a jump the one after it; start(a), final(a);
    largest(a), smallest(a), mean(a) (over time); between(a, t0, t1): the part of a column in a time
    span; crossing(a, level, after=0): first time at which a crosses a level; abs, sqrt, sign,
    where; time.
    """
    time = columns["time"]

    def at(a: np.ndarray, t: float) -> Any:
        return np.interp(t, time, a)

    def mean(a: np.ndarray) -> Any:
        return np.trapezoid(a, time) / (time[-1] - time[0])

    def between(a: np.ndarray, t0: float, t1: float) -> np.ndarray:
        return a[(time >= t0) & (time <= t1)]

    def crossing(a: np.ndarray, level: float, after: float = 0.0) -> float:
        above = a > level
        turns = np.flatnonzero((above[1:] != above[:-1]) & (time[1:] >= after))
        if not turns.size:
            raise BristleError(f"{expression}: the level is never crossed.")
        i = turns[0]
        if time[i + 1] == time[i] or a[i + 1] == a[i]:
            return time[i + 1]
        return time[i] + (level - a[i]) / (a[i + 1] - a[i]) * (time[i + 1] - time[i])

    names: dict[str, Any] = {re.sub(r"\W", "_", name): values for name, values in columns.items()}
    names |= {
        "at": at,
        "start": lambda a: a[0],
        "final": lambda a: a[-1],
        "largest": lambda a: np.max(a),
        "smallest": lambda a: np.min(a),
        "mean": mean,
        "between": between,
        "crossing": crossing,
        # numpy's functions also take output arrays and other arguments
        "abs": lambda a: np.abs(a),
        "sqrt": lambda a: np.sqrt(a),
        "sign": lambda a: np.sign(a),
        "where": lambda condition, a, b: np.where(condition, a, b),
    }
    try:
        with np.errstate(all="ignore"):
            value = eval(_checked(expression), {"__builtins__": {}}, names)
        if np.iscomplexobj(value):
            raise TypeError("the value is not real")
        return float(value)
    except NameError as error:
        found = ", ".join(sorted(names))
        raise WrongExpression(
            f"{expression}: {error.name} is neither a column nor a function; there are {found}."
        ) from None
    except (TypeError, ArithmeticError) as error:
        # OverflowError comes from the expression's own numbers: columns overflow to infinity
        raise WrongExpression(f"{expression}: {error.args[-1]}.") from None
    except (ValueError, IndexError) as error:
        raise BristleError(f"{expression}: {error}.") from None


def check_expression(expression: str) -> None:
    """Refuses anything but an expression over columns."""
    _checked(expression)


@cache
def _checked(expression: str) -> CodeType:
    """Compiles the expression: names, numbers, arithmetic and calls, nothing else. Numbers become
    floating point: a power of integers may have more digits than fit into memory.
    """
    if len(expression) > _LONGEST:
        raise BristleError(
            f'"{expression[:20]}…" has {len(expression)} characters, more than {_LONGEST}.'
        )
    try:
        tree = ast.parse(expression, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
                node.value = float(node.value)
            elif not isinstance(node, _ALLOWED):
                raise BristleError(
                    f'"{expression}": only names, numbers, arithmetic, comparisons and calls are'
                    " known."
                )
        return compile(tree, "<quantity>", "eval")
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        raise BristleError(f'"{expression}" is not an expression.') from None
