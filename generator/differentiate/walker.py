"""Walks through functions, for slopes and for dependencies: defines the supported C, and the errors
for all other C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pycparser import c_ast

from .kinds import Array, Kind, Pointer, Struct
from .source import SubsetError
from .unit import Function, Unit

CONSTANTS = {"DBL_EPSILON", "DBL_MIN", "DBL_MAX", "INFINITY", "HUGE_VAL", "NAN", "M_PI"}
MATH_ARGUMENTS = {
    "fabs": 1,
    "exp": 1,
    "expm1": 1,
    "log": 1,
    "sqrt": 1,
    "sin": 1,
    "cos": 1,
    "tan": 1,
    "tanh": 1,
    "atan": 1,
    "pow": 2,
    "copysign": 2,
    "fmin": 2,
    "fmax": 2,
}
TESTS = {"isfinite", "isnan", "isinf", "signbit"}  # functions of math.h that return an int

STATEMENTS = {
    "While": "while is not supported; use a for loop with constant bounds",
    "DoWhile": "do is not supported; use a for loop with constant bounds",
    "Switch": "switch is not supported; write if and else if",
    "Break": "break is not supported; let an if in the loop decide",
    "Continue": "continue is not supported; let an if in the loop decide",
    "Goto": "goto is not supported; use if and else",
    "Label": "a label is not supported; use if and else",
    "BinaryOp": "this statement has no effect",
    "ID": "this statement has no effect",
    "Typedef": "declare types outside of functions",
    "TernaryOp": "a choice as a statement is not supported; write if and else",
    "ExprList": "the comma operator is not supported; write separate statements",
}
EXPRESSIONS = {
    "Assignment": (
        "an assignment inside an expression is not supported; write it as a statement of its own"
    ),
    "ExprList": "the comma operator is not supported; write separate statements",
    "InitList": "values in braces are supported where a variable is declared only",
}
SELF_CALL = "calls itself, which is not supported; write a loop"

Named = TypeVar("Named")


class Scopes(Generic[Named]):
    """The names that are visible at one point of a function, with their meanings."""

    def __init__(self) -> None:
        self.open: list[dict[str, Named]] = [{}]

    @contextmanager
    def inner(self) -> Iterator[None]:
        self.open.append({})
        try:
            yield
        finally:
            self.open.pop()

    def define(self, name: str, meaning: Named) -> None:
        self.open[-1][name] = meaning

    def find(self, name: str) -> Named | None:
        return next((scope[name] for scope in reversed(self.open) if name in scope), None)


@dataclass
class Part:
    """A value of an initializer in braces."""

    item: c_ast.Node  # its expression
    step: str | int  # its member or index
    kind: Kind


class Walker:
    """Goes through functions. Subclasses have a method for each supported statement, `on_…`, and
    expression, `of_…`."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.statement_node: c_ast.Node | None = None  # the last one with a line

    def error(self, node: c_ast.Node | None, text: str) -> SubsetError:
        return self.unit.error(node if getattr(node, "coord", None) else self.statement_node, text)

    def for_statement(self, node: c_ast.Node) -> Callable[..., Any]:
        """Returns the method for a statement."""
        if getattr(node, "coord", None):
            self.statement_node = node
        return self.method("on_", node, STATEMENTS, "this statement is not supported")

    def for_expression(self, node: c_ast.Node) -> Callable[..., Any]:
        """Returns the method for an expression."""
        return self.method("of_", node, EXPRESSIONS, "this expression is not supported")

    def method(
        self, prefix: str, node: c_ast.Node, sentences: dict[str, str], otherwise: str
    ) -> Callable[..., Any]:
        kind = type(node).__name__
        method = getattr(self, prefix + kind, None)
        if method is None:
            raise self.error(node, sentences.get(kind, otherwise))
        return method

    def on_EmptyStatement(self, node: c_ast.EmptyStatement) -> None:
        pass

    def callee(self, node: c_ast.FuncCall) -> str:
        if not isinstance(node.name, c_ast.ID):
            raise self.error(node, "a function must be called by its name")
        return node.name.name

    def own_function(self, node: c_ast.FuncCall, name: str) -> Function:
        """Returns the called function of the model."""
        function = self.unit.function(name)
        if len(arguments(node)) != len(function.parameters):
            raise self.error(node, f"{name} takes {len(function.parameters)} argument(s)")
        return function

    def parts(self, node: c_ast.InitList, kind: Kind) -> Iterator[Part]:
        """Yields the values in braces for a value of this type."""
        for position, item in enumerate(node.exprs):
            if isinstance(item, c_ast.NamedInitializer):
                text = "a designator in braces is not supported; give the values in their order"
                raise self.error(item, text)
            if isinstance(kind, Array):
                yield Part(item, position, kind.element)
            elif isinstance(kind, Struct) and position < len(kind.members):
                yield Part(item, *kind.members[position])
            else:
                raise self.error(item, "too many values in braces")

    def check_target(self, node: c_ast.Assignment, kind: Kind) -> None:
        if isinstance(kind, (Pointer, Array)):
            text = "a pointer cannot be set; an array is set element by element"
            raise self.error(node, text)

    # errors

    def undeclared(self, node: c_ast.ID) -> SubsetError:
        return self.error(
            node, f"{node.name} is not declared as a local, an argument or a constant"
        )

    def unknown_function(self, node: c_ast.FuncCall, name: str) -> SubsetError:
        known = ", ".join(MATH_ARGUMENTS)
        text = (
            f"the function {name} is unknown here; write it as a static function, or use one of"
            f" {known}"
        )
        return self.error(node, text)

    def no_value(self, node: c_ast.FuncCall) -> SubsetError:
        return self.error(node, f"{self.callee(node)} gives no value")

    def pointer_choice(self, node: c_ast.TernaryOp) -> SubsetError:
        return self.error(node, "a choice between pointers is not supported; use if and else")


def arguments(node: c_ast.FuncCall) -> list[c_ast.Node]:
    return node.args.exprs if node.args else []


def statements(node: c_ast.Node) -> list[c_ast.Node]:
    """Returns the statements of a block, or the single statement in its place."""
    return (node.block_items or []) if isinstance(node, c_ast.Compound) else [node]
