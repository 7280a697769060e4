"""Follows what functions make from what they are given, statement by statement, for the
dependencies of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pycparser import c_ast

from .constants import fold_binary
from .expression_origins import ExpressionTracer, Frame
from .kinds import VOID, Kind, Pointer, leaves
from .memory import (
    NOTHING,
    Address,
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
from .walker import MATH_ARGUMENTS, SELF_CALL, TESTS, arguments, statements

MOST_TURNS = 100000  # of all loops together


@dataclass
class Outcome:
    """How a statement ends: the state behind it (None if it always returns), and, if some path
    returned, what that decision depends on."""

    state: Origins | None
    returned: bool = False
    roots: Roots = NOTHING


class Tracer(ExpressionTracer):
    """Runs functions over origins. Both branches are taken where a condition is not known."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(unit)
        self.turns = 0
        self.results: dict[tuple, Origins | None] = {}  # of calls without pointers
        self.set_constants()

    # calls

    def of_FuncCall(self, node: c_ast.FuncCall) -> Origins:
        value = self.call(node)
        if value is None:
            raise self.no_value(node)
        return value

    def call(self, node: c_ast.FuncCall) -> Origins | None:
        """What a call gives, if it gives anything."""
        name = self.callee(node)
        given = [self.value(a) for a in arguments(node)]
        if name in self.unit.definitions:
            given = self.checked(node, self.own_function(node, name), given)
            return (self.companion_call if self.unit.has_companion(name) else self.run)(
                name, given, node
            )
        if name not in MATH_ARGUMENTS and name not in TESTS:
            raise self.unknown_function(node, name)
        numbers = [a[()] for a in given if not isinstance(a, Address) and () in a]
        if len(numbers) < len(given):
            raise self.error(node, f"{name} takes numbers")
        return scalar(union(numbers))

    def checked(
        self, node: c_ast.FuncCall, function: Function, given: Sequence[Origins | Address]
    ) -> list[Origins | Address]:
        """The arguments of a call, each as its parameter takes it."""
        for p, value in zip(function.parameters, given, strict=True):
            if isinstance(p.kind, Pointer) != isinstance(value, Address):
                raise self.error(
                    node, f"the argument {p.name} of {function.name} has the wrong type"
                )
        return [
            value if isinstance(value, Address) else converted(value, p.kind)
            for p, value in zip(function.parameters, given, strict=True)
        ]

    def run(
        self, name: str, given: Sequence[Origins | Address], node: c_ast.FuncCall | None = None
    ) -> Origins | None:
        """What a function gives; without pointers it is run once for the same arguments."""
        function = self.unit.function(name)
        if any(frame.function is function for frame in self.frames):
            raise self.error(node, f"{name} {SELF_CALL}")
        values = [value for value in given if not isinstance(value, Address)]
        if len(values) < len(given):
            return self.body(function, given)
        call = (name, tuple(tuple(value.items()) for value in values))
        if call not in self.results:
            control, self.memory.control = self.memory.control, NOTHING
            self.results[call] = self.body(function, given)
            self.memory.control = control
        return self.results[call]

    def body(self, function: Function, given: Sequence[Origins | Address]) -> Origins | None:
        memory, frame = self.memory, Frame(function)
        outside, control = set(memory.variables), memory.control
        self.frames.append(frame)
        for p, value in zip(function.parameters, given, strict=True):
            if isinstance(value, Address):
                address = value
            else:
                address = memory.new_variable(p.name, p.kind)
                memory.store(address, p.kind, value)
            frame.scopes.define(p.name, (address, p.kind))
        outcome = self.block(function.node.body)
        self.frames.pop()
        memory.control = control
        memory.state = joined([*(state for _, state in frame.results), outcome.state]) or {}
        memory.keep(outside)
        if function.result == VOID:
            return None
        if not frame.results:
            raise self.no_result(function.node, function)
        return merged_values([value for value, _ in frame.results if value is not None])

    def companion_call(
        self, name: str, given: Sequence[Origins | Address], node: c_ast.FuncCall
    ) -> Origins | None:
        """A function with a hand-written companion may hold any C: then all it gives depends on all
        it takes."""
        memory, frames = self.memory, list(self.frames)
        state, control = dict(memory.state), memory.control
        try:
            return self.run(name, given, node)
        except SubsetError:
            memory.state, memory.control, self.frames = state, control, frames
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
        return (
            {path: everything for path, _ in leaves(function.result)}
            if function.result != VOID
            else None
        )

    def reach(self, address: Address, kind: Pointer) -> tuple[Address, Kind]:
        """All that a pointer reaches: the whole array where it points to an element."""
        first = address.places[0]
        if isinstance(first[-1], int):
            return Address((first[:-1],), address.roots), self.memory.kind_at(first[:-1])
        return address, kind.target

    # blocks, branches and loops

    def statement(self, node: c_ast.Node) -> Outcome:
        return self.for_statement(node)(node) or Outcome(self.memory.state)

    def follow(self, outcome: Outcome, part: Outcome) -> bool:
        """Goes on behind a part of a statement, unless it always returns."""
        outcome.returned |= part.returned
        outcome.roots |= part.roots
        outcome.state = part.state
        if part.state is None:
            return False
        self.memory.state = part.state
        self.memory.control |= part.roots
        return True

    def block(self, node: c_ast.Node) -> Outcome:
        control, outcome = self.memory.control, Outcome(self.memory.state)
        with self.frame.scopes.inner():
            for statement in statements(node):
                if not self.follow(outcome, self.statement(statement)):
                    break
        self.memory.control = control
        return outcome

    def on_Compound(self, node: c_ast.Compound) -> Outcome:
        return self.block(node)

    def on_If(self, node: c_ast.If) -> Outcome | None:
        condition = self.number(node.cond)
        if condition.number is not None:
            branch = node.iftrue if condition.number else node.iffalse
            return self.block(branch) if branch is not None else None
        memory, outcomes = self.memory, []
        before, control = memory.state, memory.control
        for branch in (node.iftrue, node.iffalse):
            memory.state, memory.control = dict(before), control | condition.roots
            outcomes.append(self.block(branch) if branch is not None else Outcome(memory.state))
        memory.control = control
        returned = any(o.returned for o in outcomes)
        roots = condition.roots.union(*(o.roots for o in outcomes)) if returned else NOTHING
        return Outcome(joined([o.state for o in outcomes]), returned, roots)

    def on_For(self, node: c_ast.For) -> Outcome:
        control, outcome = self.memory.control, Outcome(self.memory.state)
        with self.frame.scopes.inner():
            for start in node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init]:
                self.statement(start)
            while self.goes_on(node):
                if not self.follow(outcome, self.block(node.stmt)):
                    break
                self.statement(node.next)
            else:
                outcome.state = self.memory.state
        self.memory.control = control
        return outcome

    def goes_on(self, node: c_ast.For) -> bool:
        """Whether a loop takes another turn."""
        self.turns += 1
        condition = self.number(node.cond) if node.cond is not None else Origin()
        if condition.number is None or self.turns > MOST_TURNS:
            raise self.error(node, "the bounds of a for loop must be constants")
        return bool(condition.number)

    def on_Return(self, node: c_ast.Return) -> Outcome:
        value, function = None, self.frame.function
        assert function is not None  # the parser lets nothing return elsewhere
        if node.expr is None and function.result != VOID:
            raise self.no_result(node, function)
        if node.expr is not None:
            given = self.content(node, self.value(node.expr), function.result)
            value = {
                path: Origin(o.roots | self.memory.control, o.number) for path, o in given.items()
            }
        self.frame.results.append((value, self.memory.state))
        return Outcome(None, True)

    def no_result(self, node: c_ast.Node, function: Function) -> SubsetError:
        return self.error(node, f"{function.name} returns nothing")

    # statements that compute

    def on_Cast(self, node: c_ast.Cast) -> None:
        if isinstance(node.expr, c_ast.FuncCall):
            self.call(node.expr)

    def on_FuncCall(self, node: c_ast.FuncCall) -> None:
        self.call(node)

    def on_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        address, kind = self.place(node.expr)
        old = self.memory.load(address, kind)[()]
        self.memory.store(address, kind, scalar(old.roots, fold_binary(node.op[-1], old.number, 1)))

    def on_Assignment(self, node: c_ast.Assignment) -> None:
        source = node.rvalue
        if node.op != "=":
            source = c_ast.BinaryOp(node.op[:-1], node.lvalue, node.rvalue, node.coord)
        value = self.value(source)
        address, kind = self.place(node.lvalue)
        self.check_target(node, kind)
        self.memory.store(address, kind, self.content(node, value, kind))

    def on_Decl(self, node: c_ast.Decl) -> None:
        kind = self.unit.kind_of(node.type, init=node.init)
        if isinstance(kind, Pointer):
            address = self.value(node.init)
            if not isinstance(address, Address):
                raise self.error(node, f"the pointer {node.name} must point to a variable")
        else:
            value = self.initial(node.init, kind) if node.init is not None else None
            address = self.memory.new_variable(node.name, kind)
            if value is not None:
                self.memory.store(address, kind, value)
        self.frame.scopes.define(node.name, (address, kind))
