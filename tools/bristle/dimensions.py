"""Dimensions of equations: terms that are added or compared must agree, arguments of functions must be numbers."""

from __future__ import annotations

import ast
from fractions import Fraction

Dimension = dict[str, Fraction]

NUMBERS_ONLY = {"exp", "log", "sin", "cos", "tan", "atan", "tanh"}
UNCHANGED = {"abs"}


class DimensionError(Exception):
    """What does not fit, in a few words."""


def check_dimensions(equation: str, units: dict[str, dict[str, int]]) -> None:
    """Raises where the sides of `left = right` differ, over the units' exponents by variable name."""
    left, equals, right = equation.partition("=")
    if not equals:
        raise DimensionError("has no equals sign")
    known = {name: _clean({base: Fraction(power) for base, power in unit.items()}) for name, unit in units.items()}
    sides = [_dimension(_parsed(side), known) for side in (left, right)]
    if sides[0] != sides[1]:
        raise DimensionError(f"left is in {_words(sides[0])}, right in {_words(sides[1])}")


def _parsed(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        raise DimensionError("is not an equation") from None


def _clean(dimension: Dimension) -> Dimension:
    """Angles count as numbers; powers of zero are left out."""
    return {base: power for base, power in dimension.items() if power and base != "rad"}


def _words(dimension: Dimension) -> str:
    return ".".join(base if power == 1 else f"{base}^{power}" for base, power in sorted(dimension.items())) or "1"


def _product(left: Dimension, right: Dimension, sign: int) -> Dimension:
    bases = left.keys() | right.keys()
    return _clean({base: left.get(base, Fraction(0)) + sign * right.get(base, Fraction(0)) for base in bases})


def _dimension(node: ast.expr, known: dict[str, Dimension]) -> Dimension:
    match node:
        case ast.Constant(value=int() | float()):
            return {}
        case ast.Name(id=name):
            return _of_variable(name, known)
        case ast.UnaryOp(operand=operand):
            return _dimension(operand, known)
        case ast.BinOp(left=left, op=ast.Pow(), right=exponent):
            return _power(_dimension(left, known), exponent, known)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(_dimension(left, known), op, _dimension(right, known))
        case ast.Call(func=ast.Name(id="der"), args=[ast.Name(id=name)]):
            return _of_variable(f"der({name})", known)
        case ast.Call(func=ast.Name(id=name), args=[argument]):
            return _call(name, _dimension(argument, known))
    raise DimensionError("has a part that is not understood")


def _of_variable(name: str, known: dict[str, Dimension]) -> Dimension:
    if name not in known:
        raise DimensionError(f'"{name}" is not a variable of this model')
    return known[name]


def _binary(left: Dimension, op: ast.operator, right: Dimension) -> Dimension:
    match op:
        case ast.Add() | ast.Sub():
            if left != right:
                raise DimensionError(f"adds {_words(left)} and {_words(right)}")
            return left
        case ast.Mult():
            return _product(left, right, 1)
        case ast.Div():
            return _product(left, right, -1)
    raise DimensionError("has an operator that is not understood")


def _power(base: Dimension, exponent: ast.expr, known: dict[str, Dimension]) -> Dimension:
    if isinstance(exponent, ast.Constant):
        return _clean({name: power * Fraction(exponent.value) for name, power in base.items()})
    if base or _dimension(exponent, known):
        raise DimensionError("has a power of or with a dimension")
    return {}


def _call(name: str, argument: Dimension) -> Dimension:
    if name in UNCHANGED:
        return argument
    if name == "sqrt":
        return {base: power / 2 for base, power in argument.items()}
    if name not in NUMBERS_ONLY:
        raise DimensionError(f'"{name}" is not a known function')
    if argument:
        raise DimensionError(f"takes {name} of {_words(argument)}")
    return {}
