"""Writes expressions with their slopes, for calls and statements."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from pycparser import c_ast, c_generator

from .constants import number
from .kinds import (
    type_name,
    DOUBLE,
    INT,
    Array,
    Kind,
    Pointer,
    Struct,
    is_active,
    no_member,
    pointed,
)
from .rules import ARITHMETIC, Slope, choice_slope, negative, zero_or
from .text import POSTFIX, UNARY, Lines, Text, binary, ternary, unary
from .unit import Unit
from .walker import CONSTANTS, Part, Scopes, Walker

STEPS = ("++", "--", "p++", "p--")


@dataclass
class Symbol:
    name: str
    kind: Kind
    key: int  # identity of its declaration
    place: Literal["parameter", "local", "constant"]


@dataclass
class Value:
    value: Text
    slope: Slope
    kind: Kind
    declared: bool = False  # whether the value is already in its destination


@dataclass
class Destination:
    """The destination of a value, so that a call can write it directly."""

    opening: str  # "const double a = ", "y->F = " or "return "
    slope: Text  # pointer to its slope
    before: str = ""  # declaration of the slope
    name: Text | None = None  # the name of a new variable


@dataclass
class Findings:
    """Facts found while a function is written."""

    calls: list[str] = field(default_factory=list)  # the functions whose slopes it needs
    helpers: set[str] = field(default_factory=set)
    # constants and held structs that need a companion of zeros
    zero_constants: set[str] = field(default_factory=set)
    zero_structs: set[str] = field(default_factory=set)
    read: set[int] = field(default_factory=set)  # symbols whose slope is read
    nonzero: set[int] = field(default_factory=set)  # symbols whose slope is set to other than zero
    names: dict[str, int] = field(default_factory=dict)  # number of new names by their stem


class ExpressionWriter(Walker):
    """Makes the text of expressions and of their slopes, and writes lines that have to precede
    it."""

    def __init__(self, unit: Unit, taken: Iterable[str]) -> None:
        super().__init__(unit)
        self.taken = taken  # names in use
        self.slopeless: set[int] = set()  # locals that need no slope
        self.begin()

    def begin(self) -> None:
        self.lines = Lines()
        self.scopes: Scopes[Symbol] = Scopes()
        self.found = Findings()

    # names

    def look_up(self, node: c_ast.ID) -> Symbol:
        symbol = self.scopes.find(node.name)
        if symbol:
            return symbol
        if node.name in self.unit.constants:
            kind, declared = self.unit.constants[node.name]
            return Symbol(node.name, kind, id(declared), "constant")
        if node.name in self.unit.enumerators:
            return Symbol(node.name, INT, 0, "constant")
        if node.name in CONSTANTS:
            return Symbol(node.name, DOUBLE, 0, "constant")
        raise self.undeclared(node)

    def root(self, node: c_ast.Node) -> Symbol | None:
        """Returns the variable that a place belongs to."""
        while not isinstance(node, c_ast.ID):
            if isinstance(node, (c_ast.StructRef, c_ast.ArrayRef)):
                node = node.name
            elif isinstance(node, c_ast.UnaryOp) and node.op in ("*", "&"):
                node = node.expr
            else:
                return None
        return self.look_up(node)

    def has_slope(self, symbol: Symbol) -> bool:
        return (
            is_active(symbol.kind)
            and symbol.place != "constant"
            and symbol.key not in self.slopeless
        )

    def fresh(self, stem: str) -> str:
        while True:
            self.found.names[stem] = self.found.names.get(stem, 0) + 1
            name = f"{stem}_{self.found.names[stem]}"
            if name not in self.taken:
                return name

    # expressions

    def plain(self, node: c_ast.Node) -> Value:
        """Returns the expression's value without its slope."""
        return self.expression(node, False)

    def full(self, node: c_ast.Node, place: Destination | None = None) -> Value:
        """Returns the expression's value and slope."""
        return self.expression(node, True, place)

    def expression(self, node: c_ast.Node, want: bool, place: Destination | None = None) -> Value:
        return self.for_expression(node)(node, want, place)

    @contextmanager
    def tried(self) -> Iterator[list[str]]:
        """Yields the lines written meanwhile, and undoes all that was written and found."""
        before = copy.deepcopy(self.found)
        with self.lines.captured() as lines:
            yield lines
        self.found = before

    def of_Constant(self, node: c_ast.Constant, want: bool, place: Destination | None) -> Value:
        value = number(node)
        if value is None:
            raise self.error(node, "only numbers are supported here")
        return Value(Text(node.value), None, INT if isinstance(value, int) else DOUBLE)

    def of_ID(self, node: c_ast.ID, want: bool, place: Destination | None) -> Value:
        symbol = self.look_up(node)
        slope = None
        if want and self.has_slope(symbol):
            slope = Text(node.name + "_slope")
            self.found.read.add(symbol.key)
        return Value(Text(node.name), slope, symbol.kind)

    def of_StructRef(self, node: c_ast.StructRef, want: bool, place: Destination | None) -> Value:
        base = self.expression(node.name, want)
        kind = pointed(base.kind) if node.type == "->" else base.kind
        member = kind.member(node.field.name) if isinstance(kind, Struct) else None
        if kind is None or member is None:
            raise self.error(node, no_member(kind or base.kind, node.field.name))

        def of(text: Text) -> Text:
            if node.type == "->" and text.text[0] == "&":
                return Text(f"{text.text[1:]}.{node.field.name}", POSTFIX)
            return Text(f"{text.within(POSTFIX)}{node.type}{node.field.name}", POSTFIX)

        return Value(
            of(base.value), of(base.slope) if base.slope and is_active(member) else None, member
        )

    def of_ArrayRef(self, node: c_ast.ArrayRef, want: bool, place: Destination | None) -> Value:
        base = self.expression(node.name, want)
        index = self.plain(node.subscript)
        if index.kind != INT:
            raise self.error(node, "an index must be an int")
        kind = pointed(base.kind)
        if kind is None:
            raise self.error(node, f"{base.value.text} is not an array")

        def of(text: Text) -> Text:
            return Text(f"{text.within(POSTFIX)}[{index.value.text}]", POSTFIX)

        return Value(of(base.value), of(base.slope) if base.slope else None, kind)

    def of_Cast(self, node: c_ast.Cast, want: bool, place: Destination | None) -> Value:
        kind = self.unit.kind_of(node.to_type)
        if kind not in (INT, DOUBLE):
            raise self.error(node, "only casts to double and int are supported")
        inner = self.expression(node.expr, want and kind == DOUBLE)
        value = Text(
            f"({c_generator.CGenerator().visit(node.to_type)}){inner.value.within(UNARY)}", UNARY
        )
        return Value(value, inner.slope, kind)

    def of_UnaryOp(self, node: c_ast.UnaryOp, want: bool, place: Destination | None) -> Value:
        if node.op in STEPS:
            text = (
                f"{node.op.lstrip('p')} inside an expression is not supported; write it as a"
                " statement of its own"
            )
            raise self.error(node, text)
        if node.op == "sizeof":
            raise self.error(node, "sizeof is not supported")
        inner = self.expression(node.expr, want and node.op in "-+*&")
        if node.op in "*&":
            kind = Pointer(inner.kind, False) if node.op == "&" else pointed(inner.kind)
            if kind is None:
                raise self.error(node, f"{inner.value.text} is not a pointer")
            return Value(
                unary(node.op, inner.value),
                unary(node.op, inner.slope) if inner.slope else None,
                kind,
            )
        slope = {"-": negative(inner.slope), "+": inner.slope}.get(node.op)
        return Value(unary(node.op, inner.value), slope, inner.kind if node.op != "!" else INT)

    def of_BinaryOp(self, node: c_ast.BinaryOp, want: bool, place: Destination | None) -> Value:
        want = want and node.op in ARITHMETIC
        a = self.expression(node.left, want)
        with self.lines.captured() as lines:
            b = self.expression(node.right, want)
        if lines and node.op in ("&&", "||"):
            text = (
                f"a call behind {node.op} that writes through a pointer is not supported; use a"
                " nested if"
            )
            raise self.error(node, text)
        self.lines.written += lines
        for side in (a, b):
            if isinstance(side.kind, (Pointer, Array)):
                raise self.error(node, "arithmetic with pointers is not supported; write &a[i]")
            if isinstance(side.kind, Struct):
                raise self.error(node, f"{node.op} does not work on structs")
        value = binary(node.op, a.value, b.value)
        if node.op not in ARITHMETIC:
            return Value(value, None, INT)
        kind = DOUBLE if DOUBLE in (a.kind, b.kind) else INT
        return Value(value, ARITHMETIC[node.op](a.value, a.slope, b.value, b.slope), kind)

    def of_TernaryOp(self, node: c_ast.TernaryOp, want: bool, place: Destination | None) -> Value:
        condition = self.plain(node.cond).value
        with self.lines.captured() as first, self.lines.deeper():
            a = self.expression(node.iftrue, want)
        with self.lines.captured() as second, self.lines.deeper():
            b = self.expression(node.iffalse, want)
        kind = (
            a.kind
            if isinstance(a.kind, Struct)
            else DOUBLE
            if DOUBLE in (a.kind, b.kind)
            else a.kind
        )
        if isinstance(kind, Pointer):
            raise self.pointer_choice(node)
        if first or second:
            return self.written_choice(condition, ((first, a), (second, b)), kind)
        slope = choice_slope(condition, a.slope, b.slope, kind)
        return Value(ternary(condition, a.value, b.value), slope, kind)

    def written_choice(
        self, condition: Text, branches: Sequence[tuple[list[str], Value]], kind: Kind
    ) -> Value:
        """Writes a choice whose branches need lines of their own, as if and else."""
        name = self.fresh("choice")
        zero = all(branch.slope is None for _, branch in branches)
        self.lines.write(f"{type_name(kind)} {name};")
        if not zero:
            self.lines.write(f"{type_name(kind)} {name}_slope;")
        self.lines.write(f"if ({condition.text}) {{")
        for (lines, branch), closing in zip(branches, ("} else {", "}"), strict=True):
            self.lines.written += lines
            with self.lines.deeper():
                if not zero:
                    self.lines.write(f"{name}_slope = {zero_or(branch.slope, kind).text};")
                self.lines.write(f"{name} = {branch.value.text};")
            self.lines.write(closing)
        return Value(Text(name), None if zero else Text(name + "_slope"), kind)

    # values in braces

    def of_CompoundLiteral(
        self, node: c_ast.CompoundLiteral, want: bool, place: Destination | None
    ) -> Value:
        kind = self.unit.kind_of(node.type)
        if not isinstance(kind, Struct):
            raise self.error(node, "a literal in braces is supported for structs only")
        value, slope = self.braces(node.init, kind, want)
        literal, slope_literal = (Text(f"({kind.name}){text}", POSTFIX) for text in (value, slope))
        return Value(literal, slope_literal if slope else None, kind)

    def braces(self, node: c_ast.InitList, kind: Kind, want: bool) -> tuple[str, str | None]:
        """Returns the text of `{…}` for the value and for the slope (None if all zero)."""
        values, slopes, any_slope = [], [], False
        for part in self.parts(node, kind):
            value, slope = self.part(part, want, alone=len(node.exprs) == 1)
            zero = "{0}" if isinstance(part.item, c_ast.InitList) else zero_or(None, part.kind).text
            values.append(value)
            slopes.append(slope or zero)
            any_slope = any_slope or slope is not None
        return "{" + ", ".join(values) + "}", "{" + ", ".join(slopes) + "}" if any_slope else None

    def part(self, part: Part, want: bool, alone: bool) -> tuple[str, str | None]:
        """Returns the text of one value in braces and of its slope."""
        if isinstance(part.item, c_ast.InitList):
            return self.braces(part.item, part.kind, want)
        if (
            isinstance(part.kind, (Array, Struct))
            and not alone
            and not isinstance(self.plain(part.item).kind, Struct)
        ):
            raise self.error(
                part.item, "write the values of an inner struct or array in braces of their own"
            )
        source = self.expression(part.item, want)
        return source.value.text, source.slope.text if source.slope else None
