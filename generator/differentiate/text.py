"""Writes C as text: expressions with their precedence, and wrapped lines."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# Operators from the lowest precedence, 4, upwards.
OPERATORS = ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %")
PRECEDENCE = {one: level for level, ones in enumerate(OPERATORS, 4) for one in ones.split()}
PRIMARY, POSTFIX, UNARY, PRODUCT, SUM, TERNARY = 16, 15, 14, 13, 12, 3
COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
JUNCTIONS = {"&&", "||"}

WIDTH = 120
BREAKS = dict.fromkeys("+ - ? : && ||".split(), 0.5) | {"*": 0.8, "/": 0.8}  # cost of one before


@dataclass(frozen=True)
class Text:
    text: str
    precedence: int = PRIMARY
    negated: Text | None = None  # the Text without the minus sign

    def within(self, precedence: int) -> str:
        return self.text if self.precedence >= precedence else f"({self.text})"


def binary(op: str, a: Text, b: Text) -> Text:
    precedence = PRECEDENCE[op]
    if precedence >= SUM:
        left, right = a.within(precedence), b.within(precedence + 1)
    else:
        chained = op in JUNCTIONS and a.precedence == precedence
        left = a.text if chained or _is_clear(a, op) else f"({a.text})"
        right = b.text if _is_clear(b, op) else f"({b.text})"
    negated = binary(op, a.negated, b) if a.negated and op in ("*", "/") else None
    return Text(f"{left} {op} {right}", precedence, negated)


def _is_clear(side: Text, op: str) -> bool:
    """Checks whether an operand needs no parentheses, neither for a reader nor to avoid a
    compiler's warning."""
    if op in JUNCTIONS:
        return side.precedence in (PRECEDENCE["=="], PRECEDENCE["<"]) or side.precedence >= SUM
    return side.precedence >= (SUM if op in COMPARISONS else UNARY) and side.text[0] != "!"


def unary(op: str, a: Text) -> Text:
    inner = a.within(UNARY)
    if inner[0] == op[0]:
        inner = f"({inner})"
    return Text(op + inner, UNARY, a if op == "-" else None)


def ternary(condition: Text, a: Text, b: Text) -> Text:
    return Text(
        f"{condition.within(TERNARY + 1)} ? {a.within(TERNARY + 1)} : {b.within(TERNARY)}", TERNARY
    )


def call_text(name: str, *arguments: Text) -> Text:
    return Text(f"{name}({', '.join(a.text for a in arguments)})", POSTFIX)


class Lines:
    """The lines of a function's body written so far."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.indent = 1

    def write(self, text: str) -> None:
        self.written.append(wrapped("    " * self.indent + text))

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.indent += 1
        try:
            yield
        finally:
            self.indent -= 1

    @contextmanager
    def captured(self) -> Iterator[list[str]]:
        """Yields the lines written meanwhile, instead of writing them."""
        before, self.written = self.written, []
        try:
            yield self.written
        finally:
            self.written = before


def wrapped(line: str) -> str:
    """Breaks a long line after a comma or before an operator, as late as possible and outside deep
    parentheses."""
    indent = len(line) - len(line.lstrip()) + 8
    lines = []
    while len(line) > WIDTH:
        places = list(_breaks(line, indent))
        if not places:
            break
        _, at = min(places)
        lines.append(line[:at])
        line = " " * indent + line[at + 1 :]
    return "\n".join([*lines, line])


def _breaks(line: str, indent: int) -> Iterator[tuple[float, int]]:
    """Yields the places where a line may be broken, each with its cost."""
    depth = 0
    for i, character in enumerate(line[: WIDTH + 1]):
        depth += (character in "([{") - (character in ")]}")
        if i <= indent or character != " ":
            continue
        follows = line[i + 1 : line.find(" ", i + 1)]
        if line[i - 1] == "," or follows in BREAKS:
            yield depth + (0 if line[i - 1] == "," else BREAKS[follows]) + (WIDTH - i) / 40, i
