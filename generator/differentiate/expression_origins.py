"""Follows what expressions are made from, for the functions they stand in: names take the place of
numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from pycparser import c_ast

from .constants import fold_binary, fold_unary, number
from .kinds import DOUBLE, INT, Array, Kind, Pointer, Struct, leaves, no_member
from .memory import (
    NOTHING,
    Address,
    Memory,
    Origin,
    Origins,
    converted,
    joined,
    merged_values,
    scalar,
)
from .unit import Function, Unit
from .walker import CONSTANTS, Scopes, Walker


@dataclass
class Frame:
    """One running call."""

    function: Function | None = None  # none for what stands outside of functions
    scopes: Scopes[tuple[Address, Kind]] = field(default_factory=Scopes)
    results: list[tuple[Origins | None, Origins]] = field(
        default_factory=list
    )  # value and state at each return


class ExpressionTracer(Walker):
    """Gives the value of expressions: the origins of its leaves, or an Address."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.memory = Memory()
        self.frames = [Frame()]

    def set_constants(self) -> None:
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

    def number(self, node: c_ast.Node) -> Origin:
        value = self.value(node)
        if isinstance(value, Address) or () not in value:
            raise self.error(node, "a number is needed here")
        return value[()]

    def content(self, node: c_ast.Node, value: Origins | Address, kind: Kind) -> Origins:
        """The value of an expression as a variable of this type holds it."""
        if isinstance(value, Address):
            raise self.error(node, "a pointer cannot stand where a value is needed")
        return converted(value, kind)

    def initial(self, node: c_ast.Node, kind: Kind) -> Origins:
        """What a variable of this type is set to where it is declared."""
        if not isinstance(node, c_ast.InitList):
            return self.content(node, self.value(node), kind)
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

    def of_Cast(self, node: c_ast.Cast) -> Origins | Address:
        value = self.value(node.expr)
        if isinstance(value, Address):
            return value
        return converted(value, self.unit.kind_of(node.to_type))

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

    def of_TernaryOp(self, node: c_ast.TernaryOp) -> Origins | Address:
        condition = self.number(node.cond)
        if condition.number is not None:
            return self.value(node.iftrue if condition.number else node.iffalse)
        memory, values, states = self.memory, [], []
        before, control = memory.state, memory.control
        for branch in (node.iftrue, node.iffalse):
            memory.state, memory.control = dict(before), control | condition.roots
            value = self.value(branch)
            if isinstance(value, Address):
                raise self.pointer_choice(node)
            values.append(
                {path: Origin(o.roots | condition.roots, o.number) for path, o in value.items()}
            )
            states.append(memory.state)
        memory.state, memory.control = joined(states) or {}, control
        return merged_values(values)

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
        elif isinstance(node.name, c_ast.FuncCall):
            address, kind = self.held(node.name)
        else:
            address, kind = self.place(node.name)
        member = kind.member(node.field.name) if isinstance(kind, Struct) else None
        if member is None:
            raise self.error(node, no_member(kind, node.field.name))
        return address.inner(node.field.name), member

    def held(self, node: c_ast.FuncCall) -> tuple[Address, Kind]:
        """The struct that a call gives, as a variable."""
        kind = self.unit.function(node.name.name).result
        value = self.content(node, self.value(node), kind)
        address = self.memory.new_variable("held", kind)
        self.memory.store(address, kind, value)
        return address, kind

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
