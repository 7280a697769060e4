"""Executes functions symbolically, for the dependencies of a model: a number is represented by its
origins.

The functions have been checked while their slopes were written, so few errors are reported here.

A struct or an array is a dict of its parts, by names of members or by indices, and so are the
variables of a function. If a condition is unknown, both branches run from the same state, and
values that differ after them depend on the condition, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pycparser import c_ast

from .constants import Number, fold_binary, fold_unary, number, same
from .kinds import DOUBLE, INT, VOID, Array, Kind, Path, Pointer, Struct, leaves
from .unit import Function, Unit
from .walker import (
    CONSTANTS,
    MATH_ARGUMENTS,
    SELF_CALL,
    TESTS,
    Scopes,
    Walker,
    arguments,
    statements,
)

MOST_TURNS = 100000  # of all loops together

Roots = frozenset[str]  # members of the model's structs

NOTHING: Roots = frozenset()


@dataclass(frozen=True, eq=False)  # two with the same roots may differ
class Origin:
    """The roots of a number, its value if it is constant, and whether some path leaves it unset."""

    roots: Roots = NOTHING
    number: Number | None = None
    unset: bool = False


UNSET = Origin(unset=True)

Value = Origin | dict
State = list[tuple[dict, str | int, Origin]]  # of all numbers: the place and origin of each


@dataclass(frozen=True)
class Address:
    """The target of a pointer: one place, or one of several; a place is a dict and a key."""

    places: tuple[tuple[dict, str | int], ...]
    roots: Roots = NOTHING

    def inner(self, step: str | int) -> Address:
        """Returns the address of a member or an element."""
        return Address(tuple((parts[key], step) for parts, key in self.places), self.roots)


def union(origins: Iterable[Origin]) -> Roots:
    return NOTHING.union(*(origin.roots for origin in origins))


def built(kind: Kind, make: Callable[[Path, Kind], Origin], path: Path = ()) -> Value:
    """Builds a value of this type with the numbers from `make`."""
    if isinstance(kind, Struct):
        return {name: built(member, make, (*path, name)) for name, member in kind.members}
    if isinstance(kind, Array):
        return {i: built(kind.element, make, (*path, i)) for i in range(kind.size)}
    return make(path, kind)


def combined(function: Callable[..., Origin], *values: Value) -> Value:
    """Builds a value whose numbers a function makes from those of others."""
    parts = [value for value in values if isinstance(value, dict)]
    if not parts:
        return function(*values)
    return {key: combined(function, *(part[key] for part in parts)) for key in parts[0]}


def numbers(value: Value, path: Path = ()) -> Iterator[tuple[Path, Origin]]:
    """Yields the numbers of a value, each with its path."""
    if isinstance(value, Origin):
        yield path, value
    else:
        for key, part in value.items():
            yield from numbers(part, (*path, key))


def state_of(variables: Iterable[dict]) -> State:
    found: State = []
    for parts in variables:
        for key, value in parts.items():
            if isinstance(value, dict):
                found += state_of([value])
            else:
                found.append((parts, key, value))
    return found


def restore(state: State) -> None:
    for parts, key, origin in state:
        parts[key] = origin


def one_of(roots: Roots, one: Origin, other: Origin) -> Origin:
    """Merges two numbers of a choice; where they differ, they depend on the roots of the choice."""
    if one is other:
        return one
    known = one.number if same(one.number, other.number) else None
    chosen = NOTHING if known is not None else roots
    return Origin(chosen | one.roots | other.roots, known, one.unset or other.unset)


def one_state_of(roots: Roots, one: State, other: State) -> State:
    return [
        (parts, key, one_of(roots, a, b))
        for (parts, key, a), (_, _, b) in zip(one, other, strict=True)
    ]


def converted(value: Value, kind: Kind) -> Value:
    """Converts a number to the type of the place it is stored in."""
    if isinstance(value, dict) or value.number is None or kind not in (INT, DOUBLE):
        return value
    if not isinstance(value.number, int) and not math.isfinite(value.number):
        return Origin(value.roots)
    return Origin(value.roots, float(value.number) if kind == DOUBLE else int(value.number))


@dataclass
class Frame:
    """One running call."""

    function: Function | None = None  # None outside functions
    outside: list[dict] = field(default_factory=list)  # variables of outer scopes
    scopes: Scopes[tuple[Address, Kind]] = field(default_factory=Scopes)
    control: Roots = NOTHING  # roots of the conditions of the current statement
    # at each return: the roots of its conditions, value and state
    returns: list[tuple[Roots, Value | None, State]] = field(default_factory=list)


class Tracer(Walker):
    """Evaluates expressions to a Value or an Address, and runs statements, which return whether the
    function always returns there."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.variables: list[dict] = []  # all variables, each in a dict of its own
        self.frames = [Frame()]
        self.turns = 0
        self.constants: dict[str, Value] = {}
        for name, (kind, node) in unit.constants.items():
            self.constants[name] = built(kind, lambda *_: UNSET)
            if node.init is not None and all(leaf in (INT, DOUBLE) for _, leaf in leaves(kind)):
                self.constants[name] = self.initial(node.init, kind)

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def new_variable(self, name: str, value: Value) -> Address:
        """Makes a variable with a copy of the value."""
        self.variables.append({name: combined(lambda origin: origin, value)})
        return Address(((self.variables[-1], name),))

    def load(self, address: Address) -> Value:
        values = [parts[key] for parts, key in address.places]
        if len(values) == 1 and not address.roots:
            return values[0]

        def any_of(*origins: Origin) -> Origin:
            known = origins[0].number if len(origins) == 1 else None
            return Origin(address.roots | union(origins), known)

        return combined(any_of, *values)

    def store(self, address: Address, value: Value) -> None:
        """Sets a place. If it is one of several, each of them may also have kept its value."""
        if isinstance(value, dict):
            for step, part in value.items():
                self.store(address.inner(step), part)
            return
        is_certain = len(address.places) == 1 and not address.roots
        for parts, key in address.places:
            parts[key] = value if is_certain else one_of(address.roots, parts[key], value)

    # values

    def value(self, node: c_ast.Node) -> Value | Address:
        return self.for_expression(node)(node)

    def content(self, node: c_ast.Node) -> Value:
        """Evaluates an expression that is no pointer."""
        value = self.value(node)
        if isinstance(value, Address):
            raise self.error(node, "a pointer cannot stand where a value is needed")
        return value

    def number(self, node: c_ast.Node) -> Origin:
        value = self.content(node)
        if isinstance(value, dict):
            raise self.error(node, "a number is needed here")
        return value

    def initial(self, node: c_ast.Node, kind: Kind) -> Value:
        """Evaluates the initializer of a variable of this type."""
        if not isinstance(node, c_ast.InitList):
            return converted(self.content(node), kind)
        value = built(kind, lambda *_: Origin(number=0))
        for part in self.parts(node, kind):
            inner = self.initial(part.item, part.kind)
            if isinstance(inner, Origin):  # which may be the 0 of {0}
                inner = built(part.kind, lambda *_, zero=inner: zero)
            value[part.step] = inner  # type: ignore[index]
        return value

    def of_Constant(self, node: c_ast.Constant) -> Value:
        return Origin(number=number(node))

    def of_ID(self, node: c_ast.ID) -> Value | Address:
        if node.name in self.unit.enumerators:
            return Origin(number=self.unit.enumerators[node.name])
        return Origin() if node.name in CONSTANTS else self.of_place(node)

    def of_place(self, node: c_ast.Node) -> Value | Address:
        address, kind = self.place(node)
        if isinstance(kind, Pointer):
            return address
        return address.inner(0) if isinstance(kind, Array) else self.load(address)

    of_StructRef = of_ArrayRef = of_place

    def of_Cast(self, node: c_ast.Cast) -> Value:
        return converted(self.content(node.expr), self.unit.kind_of(node.to_type))

    def of_CompoundLiteral(self, node: c_ast.CompoundLiteral) -> Value:
        return self.initial(node.init, self.unit.kind_of(node.type))

    def of_UnaryOp(self, node: c_ast.UnaryOp) -> Value | Address:
        if node.op == "&":
            return self.place(node.expr)[0]
        if node.op == "*":
            return self.of_place(node)
        inner = self.number(node.expr)
        return Origin(inner.roots, fold_unary(node.op, inner.number))

    def of_BinaryOp(self, node: c_ast.BinaryOp) -> Value:
        a = self.number(node.left)
        if node.op in ("&&", "||") and a.number is not None and bool(a.number) == (node.op == "||"):
            return Origin(a.roots, int(bool(a.number)))
        b = self.number(node.right)
        result = fold_binary(node.op, a.number, b.number)
        return Origin(a.roots | b.roots if result is None else NOTHING, result)

    def of_TernaryOp(self, node: c_ast.TernaryOp) -> Value:
        decided = self.number(node.cond)
        if decided.number is not None:
            return self.content(node.iftrue if decided.number else node.iffalse)
        (one, state), (other, end) = self.both(self.content, node.iftrue, node.iffalse)
        restore(one_state_of(decided.roots, state, end))
        return combined(lambda a, b: one_of(decided.roots, a, b), one, other)

    def both(self, run: Callable, *branches: c_ast.Node) -> list[tuple[Any, State]]:
        """Runs each of two branches from the same state; returns their results and final states."""
        before, ends = state_of(self.variables), []
        for branch in branches:
            restore(before)
            ends.append((run(branch), state_of(self.variables)))
        return ends

    # places

    def place(self, node: c_ast.Node) -> tuple[Address, Kind]:
        """Returns address and type of a variable, member or element, or of the target of a
        pointer."""
        if isinstance(node, c_ast.ID):
            return self.variable(node)
        if isinstance(node, c_ast.StructRef):
            return self.member(node)
        if isinstance(node, c_ast.ArrayRef):
            address, kind = self.target(node.name)
            return self.element(node, address, self.number(node.subscript)), kind
        if isinstance(node, c_ast.UnaryOp) and node.op == "*":
            return self.target(node.expr)
        raise self.error(node, "only a variable, a member or an element can stand here")

    def variable(self, node: c_ast.ID) -> tuple[Address, Kind]:
        found = self.frame.scopes.find(node.name)
        if found:
            return found
        if node.name in self.unit.constants:
            return Address(((self.constants, node.name),)), self.unit.constants[node.name][0]
        raise self.undeclared(node)

    def member(self, node: c_ast.StructRef) -> tuple[Address, Kind]:
        if node.type == "->":
            address, kind = self.target(node.name)
        elif isinstance(node.name, c_ast.FuncCall):  # the struct that a call returns
            kind = self.unit.function(node.name.name.name).result
            address = Address((({"given": self.content(node.name)}, "given"),))
        else:
            address, kind = self.place(node.name)
        member = kind.member(node.field.name) if isinstance(kind, Struct) else None
        if member is None:
            raise self.error(node, f"there is no member {node.field.name}")
        return address.inner(node.field.name), member

    def target(self, node: c_ast.Node) -> tuple[Address, Kind]:
        """Returns the target of a pointer expression."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            return self.place(node.expr)
        address, kind = self.place(node)
        if isinstance(kind, Array):
            return address.inner(0), kind.element
        if isinstance(kind, Pointer):
            return address, kind.target
        raise self.error(node, "a pointer or an array is needed here")

    def element(self, node: c_ast.ArrayRef, address: Address, index: Origin) -> Address:
        """Returns the element at an index from a pointer; any of the array if the index is
        unknown."""
        if index.number == 0:
            return address
        places: dict[tuple[int, str | int], tuple[dict, str | int]] = {}
        for array, first in address.places:
            if not isinstance(first, int):
                raise self.error(node, "an index is supported on arrays only")
            wanted = array if index.number is None else [first + int(index.number)]
            for key in wanted:
                if key not in array:
                    text = f"the index {key} is outside of the array of {len(array)}"
                    raise self.error(node, text)
                places[id(array), key] = array, key
        return Address(tuple(places.values()), address.roots | index.roots)

    # calls

    def of_FuncCall(self, node: c_ast.FuncCall) -> Value:
        name = self.callee(node)
        if name in MATH_ARGUMENTS or name in TESTS:
            return Origin(union([self.number(a) for a in arguments(node)]))
        if name not in self.unit.definitions:
            raise self.unknown_function(node, name)
        function = self.own_function(node, name)
        given = [self.value(a) for a in arguments(node)]
        for p, value in zip(function.parameters, given, strict=True):
            if isinstance(p.kind, Pointer) != isinstance(value, Address):
                raise self.error(node, f"the argument {p.name} of {name} has the wrong type")
        given = [
            value if isinstance(value, Address) else converted(value, p.kind)
            for p, value in zip(function.parameters, given, strict=True)
        ]
        if self.unit.has_companion(name):
            return self.black_box(name, given)
        return self.run(name, given, node)

    def run(
        self, name: str, given: Sequence[Value | Address], node: c_ast.FuncCall | None = None
    ) -> Value:
        """Runs a function and returns its result."""
        function = self.unit.function(name)
        if any(frame.function is function for frame in self.frames):
            raise self.error(node, f"{name} {SELF_CALL}")
        outside = list(self.variables)
        frame = Frame(function, outside)
        self.frames.append(frame)
        for p, value in zip(function.parameters, given, strict=True):
            address = value if isinstance(value, Address) else self.new_variable(p.name, value)
            frame.scopes.define(p.name, (address, p.kind))
        if not self.block(function.node.body):
            frame.returns.append((NOTHING, None, state_of(outside)))
        self.frames.pop()
        self.variables = outside
        *earlier, (_, result, end) = frame.returns
        for roots, value, state in reversed(earlier):
            end = one_state_of(roots, state, end)
            if result is None or value is None:
                result = value
            else:
                result = combined(lambda a, b, by=roots: one_of(by, a, b), value, result)
        restore(end)
        if result is None and function.result != VOID:
            raise self.error(function.node, f"{name} returns nothing")
        return {} if result is None else result

    def black_box(self, name: str, given: Sequence[Value | Address]) -> Value:
        """Runs a function with a hand-written companion, which may contain any C: all that it
        returns or writes depends on all its arguments."""
        function = self.unit.function(name)
        seen = [
            self.reach(value) if isinstance(value, Address) else state_of([{name: value}])
            for value in given
        ]
        everything = Origin(union(origin for one in seen for _, _, origin in one))
        for p, one in zip(function.parameters, seen, strict=True):
            if isinstance(p.kind, Pointer) and not p.kind.const:
                restore([(parts, key, everything) for parts, key, _ in one])
        return built(function.result, lambda *_: everything)

    def reach(self, address: Address) -> State:
        """Returns all that a pointer reaches: for an element the whole array."""
        parts, key = address.places[0]
        if isinstance(key, int):
            return state_of([parts])
        inner = parts[key]
        return state_of([inner]) if isinstance(inner, dict) else [(parts, key, inner)]

    # statements

    def block(self, node: c_ast.Node) -> bool:
        existing = len(self.variables)
        with self.frame.scopes.inner():
            returns = any(self.for_statement(one)(one) for one in statements(node))
        del self.variables[existing:]
        return returns

    def on_Compound(self, node: c_ast.Compound) -> bool:
        return self.block(node)

    def on_If(self, node: c_ast.If) -> bool:
        decided, otherwise = self.number(node.cond), node.iffalse or c_ast.EmptyStatement()
        if decided.number is not None:
            return self.block(node.iftrue if decided.number else otherwise)
        control = self.frame.control
        self.frame.control |= decided.roots
        both = self.both(self.block, node.iftrue, otherwise)
        ends = [state for returns, state in both if not returns]
        self.frame.control = control
        if ends:
            restore(ends[0] if len(ends) == 1 else one_state_of(decided.roots, *ends))
        return not ends

    def on_For(self, node: c_ast.For) -> bool:
        with self.frame.scopes.inner():
            for start in node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init]:
                self.for_statement(start)(start)
            while self.goes_on(node):
                if self.block(node.stmt):
                    return True
                self.for_statement(node.next)(node.next)
        return False

    def goes_on(self, node: c_ast.For) -> bool:
        """Checks whether a loop continues."""
        self.turns += 1
        condition = self.number(node.cond) if node.cond is not None else Origin()
        if condition.number is None or self.turns > MOST_TURNS:
            raise self.error(node, "the bounds of a for loop must be constants")
        return bool(condition.number)

    def on_Return(self, node: c_ast.Return) -> bool:
        frame, value = self.frame, None
        assert frame.function is not None  # the parser lets nothing return elsewhere
        if frame.function.result != VOID:
            if node.expr is None:
                raise self.error(node, f"{frame.function.name} returns nothing")
            value = converted(self.content(node.expr), frame.function.result)
        frame.returns.append((frame.control, value, state_of(frame.outside)))
        return True

    def on_Cast(self, node: c_ast.Cast) -> None:
        if isinstance(node.expr, c_ast.FuncCall):
            self.of_FuncCall(node.expr)

    def on_FuncCall(self, node: c_ast.FuncCall) -> None:
        self.of_FuncCall(node)

    def on_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        old = self.number(node.expr)
        new = Origin(old.roots, fold_binary(node.op[-1], old.number, 1))
        self.store(self.place(node.expr)[0], new)

    def on_Assignment(self, node: c_ast.Assignment) -> None:
        source = node.rvalue
        if node.op != "=":
            source = c_ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue, node.coord)
        value = self.content(source)
        address, kind = self.place(node.lvalue)
        self.store(address, converted(value, kind))

    def on_Decl(self, node: c_ast.Decl) -> None:
        kind = self.unit.kind_of(node.type)
        unset = built(kind, lambda *_: UNSET)
        value = unset if node.init is None else self.initial(node.init, kind)
        self.frame.scopes.define(node.name, (self.new_variable(node.name, value), kind))
