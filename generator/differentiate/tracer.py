"""Runs functions symbolically, for the dependencies of a model: in place of a value stands what it
is made from.

The functions have been checked while their slopes were written, so few errors are reported here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pycparser import c_ast

from .constants import fold_binary, fold_unary, number
from .kinds import DOUBLE, INT, VOID, Array, Kind, Pointer, Struct, leaves
from .memory import (
    NOTHING,
    Address,
    Memory,
    Origin,
    Origins,
    Roots,
    converted,
    joined,
    merged_values,
    scalar,
    union,
)
from .source import SubsetError
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


@dataclass
class Frame:
    """One running call."""

    function: Function | None = None  # none for what stands outside of functions
    scopes: Scopes[tuple[Address, Kind]] = field(default_factory=Scopes)
    # value and state at each return
    results: list[tuple[Origins, Origins]] = field(default_factory=list)


class Tracer(Walker):
    """Evaluates expressions to the origins of their leaves or to an Address, and runs statements,
    which return whether the function always returns there. Both branches are taken where a
    condition is not known."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.memory = Memory()
        self.frames = [Frame()]
        self.turns = 0
        self.results: dict[tuple, Origins] = {}  # of calls without pointers
        for name, (kind, _) in self.unit.constants.items():
            self.memory.new_variable(name, kind)
        for name, (kind, node) in self.unit.constants.items():
            if node.init is not None and all(leaf in (INT, DOUBLE) for _, leaf in leaves(kind)):
                self.memory.store(Address(((name,),)), kind, self.initial(node.init, kind))

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    # values

    def value(self, node: c_ast.Node) -> Origins | Address:
        return self.for_expression(node)(node)

    def content(self, node: c_ast.Node) -> Origins:
        """The value of an expression that is no pointer."""
        value = self.value(node)
        if isinstance(value, Address):
            raise self.error(node, "a pointer cannot stand where a value is needed")
        return value

    def number(self, node: c_ast.Node) -> Origin:
        value = self.content(node)
        if () not in value:
            raise self.error(node, "a number is needed here")
        return value[()]

    def initial(self, node: c_ast.Node, kind: Kind) -> Origins:
        """What a variable of this type is set to where it is declared."""
        if not isinstance(node, c_ast.InitList):
            return converted(self.content(node), kind)
        value = {path: Origin(NOTHING, 0) for path, _ in leaves(kind)}
        for part in self.parts(node, kind):
            inner = self.initial(part.item, part.kind)
            if () in inner and isinstance(part.kind, (Array, Struct)):  # the 0 of {0}
                inner = {path: inner[()] for path, _ in leaves(part.kind)}
            value.update({(part.step, *path): origin for path, origin in inner.items()})
        return value

    def of_Constant(self, node: c_ast.Constant) -> Origins:
        return scalar(NOTHING, number(node))

    def of_ID(self, node: c_ast.ID) -> Origins | Address:
        if node.name in self.unit.enumerators:
            return scalar(NOTHING, self.unit.enumerators[node.name])
        return scalar() if node.name in CONSTANTS else self.of_place(node)

    def of_place(self, node: c_ast.Node) -> Origins | Address:
        address, kind = self.place(node)
        if isinstance(kind, Pointer):
            return address
        return address.inner(0) if isinstance(kind, Array) else self.memory.load(address, kind)

    of_StructRef = of_ArrayRef = of_place

    def of_Cast(self, node: c_ast.Cast) -> Origins:
        return converted(self.content(node.expr), self.unit.kind_of(node.to_type))

    def of_CompoundLiteral(self, node: c_ast.CompoundLiteral) -> Origins:
        return self.initial(node.init, self.unit.kind_of(node.type))

    def of_UnaryOp(self, node: c_ast.UnaryOp) -> Origins | Address:
        if node.op == "&":
            return self.place(node.expr)[0]
        if node.op == "*":
            return self.of_place(node)
        inner = self.number(node.expr)
        return scalar(inner.roots, fold_unary(node.op, inner.number))

    def of_BinaryOp(self, node: c_ast.BinaryOp) -> Origins:
        a = self.number(node.left)
        if node.op in ("&&", "||") and a.number is not None and bool(a.number) == (node.op == "||"):
            return scalar(a.roots, int(bool(a.number)))
        b = self.number(node.right)
        result = fold_binary(node.op, a.number, b.number)
        return scalar(NOTHING if result is not None else a.roots | b.roots, result)

    def of_TernaryOp(self, node: c_ast.TernaryOp) -> Origins:
        values, states = [], []
        for branch, roots in self.branches(node.cond, node.iftrue, node.iffalse):
            value = self.content(branch)
            values.append({path: Origin(o.roots | roots, o.number) for path, o in value.items()})
            states.append(self.memory.state)
        self.memory.state = joined(states)
        return merged_values(values)

    def branches(self, condition: c_ast.Node, *both: c_ast.Node) -> Iterator[tuple]:
        """The branch that is taken or, from the same state, each of the two, with what decides
        between them."""
        decided, memory = self.number(condition), self.memory
        if decided.number is not None:
            yield both[0 if decided.number else 1], NOTHING
            return
        before, control, returned = memory.state, memory.control, [memory.returned]
        for branch in both:
            memory.state, memory.returned = dict(before), returned[0]
            memory.control = control | decided.roots
            yield branch, decided.roots
            returned.append(memory.returned)
        memory.control, memory.returned = control, NOTHING.union(*returned)

    # places

    def place(self, node: c_ast.Node) -> tuple[Address, Kind]:
        """Address and type of a variable, member or element; of a pointer: where it points to, and
        its type."""
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
            return Address(((node.name,),)), self.unit.constants[node.name][0]
        raise self.undeclared(node)

    def member(self, node: c_ast.StructRef) -> tuple[Address, Kind]:
        if node.type == "->":
            address, kind = self.target(node.name)
        elif isinstance(node.name, c_ast.FuncCall):  # the struct that a call gives
            kind = self.unit.function(node.name.name.name).result
            value = self.content(node.name)
            address = self.memory.new_variable("given", kind)
            self.memory.store(address, kind, value)
        else:
            address, kind = self.place(node.name)
        member = kind.member(node.field.name) if isinstance(kind, Struct) else None
        if member is None:
            raise self.error(node, f"there is no member {node.field.name}")
        return address.inner(node.field.name), member

    def target(self, node: c_ast.Node) -> tuple[Address, Kind]:
        """What a pointer expression points to."""
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            return self.place(node.expr)
        address, kind = self.place(node)
        if isinstance(kind, Array):
            return address.inner(0), kind.element
        if isinstance(kind, Pointer):
            return address, kind.target
        raise self.error(node, "a pointer or an array is needed here")

    def element(self, node: c_ast.ArrayRef, address: Address, index: Origin) -> Address:
        """The element at an index from where a pointer points to; any of the array where the index
        is not known."""
        if index.number == 0:
            return address
        places = []
        for place in address.places:
            if not isinstance(place[-1], int):
                raise self.error(node, "an index is supported on arrays only")
            array = self.memory.kind_at(place[:-1])
            assert isinstance(array, Array)
            size = array.size
            if index.number is None:
                places += [(*place[:-1], i) for i in range(size)]
                continue
            position = place[-1] + int(index.number)
            if not 0 <= position < size:
                raise self.error(node, f"the index {position} is outside of the array of {size}")
            places.append((*place[:-1], position))
        return Address(tuple(dict.fromkeys(places)), address.roots | index.roots)

    # calls

    def of_FuncCall(self, node: c_ast.FuncCall) -> Origins:
        name = self.callee(node)
        if name in MATH_ARGUMENTS or name in TESTS:
            return scalar(union([self.number(a) for a in arguments(node)]))
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
        by_hand = self.unit.has_companion(name)
        return (self.companion_call if by_hand else self.run)(name, given, node)

    def run(
        self, name: str, given: Sequence[Origins | Address], node: c_ast.FuncCall | None = None
    ) -> Origins:
        """The result of a function; without pointers it is run once for the same arguments."""
        function = self.unit.function(name)
        if any(frame.function is function for frame in self.frames):
            raise self.error(node, f"{name} {SELF_CALL}")
        values = [value for value in given if not isinstance(value, Address)]
        if len(values) < len(given):
            return self.body(function, given, self.memory.deciding)
        call = (name, tuple(tuple(value.items()) for value in values))
        if call not in self.results:
            self.results[call] = self.body(function, given, NOTHING)
        return self.results[call]

    def body(
        self, function: Function, given: Sequence[Origins | Address], deciding: Roots
    ) -> Origins:
        memory, frame = self.memory, Frame(function)
        outside, before = set(memory.variables), (memory.control, memory.returned)
        memory.control, memory.returned = deciding, NOTHING
        self.frames.append(frame)
        for p, value in zip(function.parameters, given, strict=True):
            address = value if isinstance(value, Address) else memory.new_variable(p.name, p.kind)
            if not isinstance(value, Address):
                memory.store(address, p.kind, value)
            frame.scopes.define(p.name, (address, p.kind))
        returns = self.block(function.node.body)
        self.frames.pop()
        memory.state = joined(
            [*(state for _, state in frame.results), *([] if returns else [memory.state])]
        )
        memory.control, memory.returned = before
        memory.keep(outside)
        if not frame.results and function.result != VOID:
            raise self.error(function.node, f"{function.name} returns nothing")
        return merged_values([value for value, _ in frame.results]) if frame.results else {}

    def companion_call(
        self, name: str, given: Sequence[Origins | Address], node: c_ast.FuncCall
    ) -> Origins:
        """A function with a hand-written companion may hold any C: then all that it returns or
        writes depends on all its arguments."""
        memory, frames = self.memory, list(self.frames)
        state, control, returned = dict(memory.state), memory.control, memory.returned
        try:
            return self.run(name, given, node)
        except SubsetError:
            memory.state, memory.control, memory.returned = state, control, returned
            self.frames = frames
        function = self.unit.function(name)
        reached = [
            (p.kind, *self.reach(value, p.kind))
            for p, value in zip(function.parameters, given, strict=True)
            if isinstance(p.kind, Pointer) and isinstance(value, Address)
        ]
        values = [value for value in given if not isinstance(value, Address)]
        values += [memory.load(address, kind) for _, address, kind in reached]
        everything = Origin(union(origin for value in values for origin in value.values()))
        for pointer, address, kind in reached:
            if not pointer.const:
                memory.store(address, kind, {path: everything for path, _ in leaves(kind)})
        return {path: everything for path, _ in leaves(function.result)}

    def reach(self, address: Address, kind: Pointer) -> tuple[Address, Kind]:
        """All that a pointer reaches: the whole array where it points to an element."""
        first = address.places[0]
        if isinstance(first[-1], int):
            return Address((first[:-1],), address.roots), self.memory.kind_at(first[:-1])
        return address, kind.target

    # statements

    def block(self, node: c_ast.Node) -> bool:
        with self.frame.scopes.inner():
            return any(self.for_statement(one)(one) for one in statements(node))

    def on_Compound(self, node: c_ast.Compound) -> bool:
        return self.block(node)

    def on_If(self, node: c_ast.If) -> bool:
        states, otherwise = [], node.iffalse or c_ast.EmptyStatement()
        for branch, _ in self.branches(node.cond, node.iftrue, otherwise):
            if not self.block(branch):
                states.append(self.memory.state)
        self.memory.state = joined(states)
        return not states

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
        """Whether a loop takes another turn."""
        self.turns += 1
        condition = self.number(node.cond) if node.cond is not None else Origin()
        if condition.number is None or self.turns > MOST_TURNS:
            raise self.error(node, "the bounds of a for loop must be constants")
        return bool(condition.number)

    def on_Return(self, node: c_ast.Return) -> bool:
        function, memory = self.frame.function, self.memory
        assert function is not None  # the parser lets nothing return elsewhere
        given: Origins = {}
        if function.result != VOID:
            if node.expr is None:
                raise self.error(node, f"{function.name} returns nothing")
            given = converted(self.content(node.expr), function.result)
        memory.returned |= memory.control
        value = {path: Origin(o.roots | memory.deciding, o.number) for path, o in given.items()}
        self.frame.results.append((value, memory.state))
        return True

    def on_Cast(self, node: c_ast.Cast) -> None:
        if isinstance(node.expr, c_ast.FuncCall):
            self.of_FuncCall(node.expr)

    def on_FuncCall(self, node: c_ast.FuncCall) -> None:
        self.of_FuncCall(node)

    def on_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        address, kind = self.place(node.expr)
        old = self.memory.load(address, kind)[()]
        self.memory.store(address, kind, scalar(old.roots, fold_binary(node.op[-1], old.number, 1)))

    def on_Assignment(self, node: c_ast.Assignment) -> None:
        source = node.rvalue
        if node.op != "=":
            source = c_ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue, node.coord)
        value = self.content(source)
        address, kind = self.place(node.lvalue)
        self.memory.store(address, kind, converted(value, kind))

    def on_Decl(self, node: c_ast.Decl) -> None:
        kind = self.unit.kind_of(node.type)
        value = self.initial(node.init, kind) if node.init is not None else None
        address = self.memory.new_variable(node.name, kind)
        if value is not None:
            self.memory.store(address, kind, value)
        self.frame.scopes.define(node.name, (address, kind))
