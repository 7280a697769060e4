"""The rules of derivatives: sums, products, quotients and the functions of math.h.

A slope is a Text, or None where it is zero by construction.
"""

from __future__ import annotations

from collections.abc import Sequence

from .kinds import Kind, Struct
from .text import POSTFIX, PRODUCT, SUM, Text, binary, call_text, ternary, unary

Slope = Text | None

ZERO, ONE = Text("0"), Text("1")
NOUGHTS = {"0", "0.0", "0."}


def zero_or(slope: Slope, kind: Kind) -> Text:
    if slope is not None:
        return slope
    return Text(f"({kind.name}){{0}}", POSTFIX) if isinstance(kind, Struct) else ZERO


def negative(a: Slope) -> Slope:
    if a is None:
        return None
    if a.negated:
        return a.negated
    if a.precedence == PRODUCT and a.text[0] != "-":
        return Text("-" + a.text, PRODUCT, a)
    return unary("-", a)


def plus(a: Slope, b: Slope) -> Slope:
    if a is None or b is None:
        return b if a is None else a
    if b.negated:
        return binary("-", a, b.negated)
    if b.precedence == SUM:  # a sum of slopes needs no parentheses
        return Text(
            (
                f"{a.within(SUM)} - {b.text[1:]}"
                if b.text[0] == "-"
                else f"{a.within(SUM)} + {b.text}"
            ),
            SUM,
        )
    return binary("+", a, b)


def minus(a: Slope, b: Slope) -> Slope:
    if b is None:
        return a
    return negative(b) if a is None else plus(a, negative(b))


def times(a: Slope, b: Slope) -> Slope:
    """Multiplies a value and a slope, in any order."""
    if a is None or b is None or a.text in NOUGHTS or b.text in NOUGHTS:
        return None
    if a.text == "1" or b.text == "1":
        return b if a.text == "1" else a
    if a.negated or b.negated:
        product = times(a.negated or a, b.negated or b)
        return product if a.negated and b.negated else negative(product)
    return binary("*", a, b)


def over(a: Slope, b: Text) -> Slope:
    """Divides a slope by a value."""
    if a is None:
        return None
    return negative(over(a.negated, b)) if a.negated else binary("/", a, b)


def product_slope(a: Text, a_slope: Slope, b: Text, b_slope: Slope) -> Slope:
    """(a b)' = a' b + a b'."""
    return plus(times(a_slope, b), times(a, b_slope))


def quotient_slope(a: Text, a_slope: Slope, b: Text, b_slope: Slope) -> Slope:
    """(a/b)' = (a' - a/b b')/b, and a'/b for a constant b."""
    if b_slope is None:
        return over(a_slope, b)
    if a.text in NOUGHTS:
        return None
    return over(minus(a_slope, times(binary("/", a, b), b_slope)), b)


def choice_slope(condition: Text, a_slope: Slope, b_slope: Slope, kind: Kind) -> Slope:
    """(c ? a : b)' = c ? a' : b'."""
    if (a_slope and a_slope.text) == (b_slope and b_slope.text):
        return a_slope
    return ternary(condition, zero_or(a_slope, kind), zero_or(b_slope, kind))


ARITHMETIC = {
    "+": lambda a, a_slope, b, b_slope: plus(a_slope, b_slope),
    "-": lambda a, a_slope, b, b_slope: minus(a_slope, b_slope),
    "*": product_slope,
    "/": quotient_slope,
}

# Functions whose slope reuses their value.
FROM_VALUE = {
    "exp": times,
    "tan": lambda value, s: times(binary("+", ONE, binary("*", value, value)), s),
    "tanh": lambda value, s: times(binary("-", ONE, binary("*", value, value)), s),
}

# Functions in C for slopes that need a case; a file of slopes includes those that it calls.
HELPERS = {
    "fabs_slope": """\
/* By the sign bit, as copysign has it: copysign(fabs(x), x) rises at -0.0, too. */
static double fabs_slope(double x, double x_slope) {
    return copysign(1, x) * x_slope;
}
""",
    "copysign_slope": """\
static double copysign_slope(double x, double x_slope, double sign) {
    return copysign(1, sign) * (x < 0 ? -x_slope : x_slope);
}
""",
    "fmin_slope": """\
static double fmin_slope(double a, double a_slope, double b, double b_slope) {
    return a <= b ? a_slope : b_slope;
}
""",
    "fmax_slope": """\
static double fmax_slope(double a, double a_slope, double b, double b_slope) {
    return a >= b ? a_slope : b_slope;
}
""",
    "sqrt_slope": """\
/* Zero at the edge x = 0, where the root has no slope. */
static double sqrt_slope(double x, double x_slope) {
    return x > 0 ? x_slope / (2 * sqrt(x)) : 0;
}
""",
    "pow_base_slope": """\
/* Zero for x = 0 and y < 1, where the power has no slope. */
static double pow_base_slope(double x, double x_slope, double y) {
    return y == 0 || (x == 0 && y < 1) ? 0 : y * pow(x, y - 1) * x_slope;
}
""",
    "pow_exponent_slope": """\
/* x^y ln x, and its limit zero at x = 0. */
static double pow_exponent_slope(double x, double y, double y_slope) {
    return x > 0 ? pow(x, y) * log(x) * y_slope : 0;
}
""",
}


def math_slope(
    name: str, helpers: set[str], values: Sequence[Text], slopes: Sequence[Slope]
) -> Slope:
    """Returns the slope of a function of math.h with at least one argument that has a slope. Adds
    the helpers that it calls."""

    def helper(name: str, *arguments: Text) -> Text:
        helpers.add(name)
        return call_text(name, *arguments)

    x, s = values[0], slopes[0]
    match name:
        case "pow":
            base = helper("pow_base_slope", x, s, values[1]) if s else None
            return plus(
                base, helper("pow_exponent_slope", x, values[1], slopes[1]) if slopes[1] else None
            )
        case "fmin" | "fmax":
            return helper(f"{name}_slope", x, s or ZERO, values[1], slopes[1] or ZERO)
        case "copysign":
            return helper("copysign_slope", x, s, values[1]) if s else None
        case "fabs" | "sqrt":
            return helper(f"{name}_slope", x, s or ZERO)
        case "expm1":
            return times(call_text("exp", x), s)
        case "log":
            return over(s, x)
        case "sin":
            return times(call_text("cos", x), s)
        case "cos":
            return negative(times(call_text("sin", x), s))
        case "atan":
            return over(s, binary("+", ONE, binary("*", x, x)))
    raise AssertionError(name)
