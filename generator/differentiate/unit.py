"""The types, constants and functions that a model's C declares."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pycparser import c_ast, c_generator

from .constants import Number, fold_binary, fold_unary, number
from .kinds import (
    DOUBLE,
    INT,
    VOID,
    Array,
    Kind,
    Pointer,
    Scalar,
    Struct,
    is_active,
    is_active_pointer,
    held_struct,
    type_name,
)
from .source import Source, SubsetError, syntax_tree

INTEGERS = {"int", "unsigned", "char", "short", "long", "signed", "_Bool"}


@dataclass
class Parameter:
    name: str
    kind: Kind
    node: c_ast.Decl


@dataclass
class Function:
    name: str
    node: c_ast.FuncDef
    result: Kind
    parameters: list[Parameter]
    with_slopes: str  # its name with slopes
    still: frozenset[str] = frozenset()  # parameters held constant there

    @property
    def writes(self) -> bool:
        """Checks whether it may change doubles through a pointer."""
        return any(
            isinstance(p.kind, Pointer) and is_active(p.kind) and not p.kind.const
            for p in self.parameters
        )

    @property
    def slopes_kinds(self) -> list[Kind]:
        """Returns the argument types of the function with slopes as written by hand: held structs
        have slopes, too."""
        kinds = [
            kind
            for p in self.parameters
            for kind in [p.kind] * (2 if is_active(p.kind) or held_struct(p.kind) else 1)
        ]
        return kinds + [Pointer(self.result, False)] * is_active(self.result)

    @property
    def slopes_head(self) -> str:
        """Returns the declaration of the function with slopes."""
        arguments = []
        for p in self.parameters:
            arguments.append(declaration(p.node, p.name))
            if is_active(p.kind):
                arguments.append(declaration(p.node, p.name + "_slope"))
        if is_active(self.result):
            arguments.append(f"{type_name(self.result)} *result_slope")
        result = type_name(self.result)
        return f"static {result} {self.with_slopes}({', '.join(arguments) or 'void'})"


def all_nodes(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """Yields a node and all below it."""
    yield node
    for _, child in node.children():
        yield from all_nodes(child)


def parameters_of(node: c_ast.FuncDef) -> list[c_ast.Node]:
    """Returns the parameters that a function declares."""
    arguments = node.decl.type.args
    return list(arguments.params) if arguments else []


def declaration(node: c_ast.Decl, name: str) -> str:
    """Declares another name with the type of this one."""
    renamed = inner = copy.copy(node)
    renamed.init = None
    while not isinstance(inner, c_ast.TypeDecl):
        inner.type = copy.copy(inner.type)
        inner = inner.type
    inner.declname = renamed.name = name
    return c_generator.CGenerator().visit(renamed)


class Unit:
    """Types, constants and functions of the whole text. Structs in `held` count as constant: the
    functions with slopes then have another ending."""

    def __init__(self, source: Source, held: Iterable[str] = (), ending: str = "_slopes") -> None:
        self.source = source
        self.held = frozenset(held)
        self.ending = ending
        self.typedefs: dict[str, Kind] = {}
        self.enumerators: dict[str, int] = {}
        self.constants: dict[str, tuple[Kind, c_ast.Decl]] = {}
        self.definitions: dict[str, c_ast.FuncDef] = {}
        self.signatures: dict[str, Function] = {}
        for node in syntax_tree(source.text).ext:
            self.declare(node)
        if "evaluate" not in self.definitions:
            raise SubsetError(f"{source.model}:1: the function evaluate is missing")

    def declare(self, node: c_ast.Node) -> None:
        if isinstance(node, c_ast.Typedef):
            self.typedefs[node.name] = self.kind_of(node.type, name=node.name)
        elif isinstance(node, c_ast.FuncDef):
            self.definitions[node.decl.name] = node
        elif not isinstance(node, c_ast.Decl) or isinstance(node.type, c_ast.FuncDecl):
            return
        elif isinstance(node.type, c_ast.Enum):
            self.base_kind(node.type, None)
        elif "const" in node.quals:
            self.constants[node.name] = (self.kind_of(node.type), node)

    def error(self, node: c_ast.Node | None, text: str) -> SubsetError:
        coord = getattr(node, "coord", None)
        where = f"{coord.file}:{coord.line}" if coord else f"{self.source.model}:1"
        return SubsetError(f"{where}: {text}")

    # types

    def kind_of(self, node: c_ast.Node, name: str | None = None) -> Kind:
        """Returns the type of a declaration; `name` is its name in a typedef."""
        if isinstance(node, c_ast.TypeDecl):
            return self.base_kind(node.type, name)
        if isinstance(node, c_ast.PtrDecl):
            if isinstance(node.type, c_ast.FuncDecl):
                raise self.error(
                    node, "a pointer to a function is not supported; call the function by its name"
                )
            return self.pointer_to(node.type)
        if isinstance(node, c_ast.ArrayDecl):
            return self.array(node)
        if isinstance(node, c_ast.Typename):
            return self.kind_of(node.type)
        raise self.unsupported(node)

    def pointer_to(self, node: c_ast.Node) -> Pointer:
        return Pointer(self.kind_of(node), _is_const(node))

    def array(self, node: c_ast.ArrayDecl) -> Array:
        if node.dim is None:
            raise self.error(node, "an array needs its size")
        return Array(self.kind_of(node.type), self.constant_int(node.dim))

    def base_kind(self, node: c_ast.Node, name: str | None) -> Kind:
        if isinstance(node, c_ast.Enum):
            return self.enum(node)
        if isinstance(node, c_ast.Struct):
            return self.struct(node, name)
        if isinstance(node, c_ast.IdentifierType):
            return self.named_kind(node)
        raise self.unsupported(node)

    def enum(self, node: c_ast.Enum) -> Scalar:
        value = 0
        for item in node.values.enumerators if node.values else ():
            value = self.constant_int(item.value) if item.value is not None else value
            self.enumerators[item.name] = value
            value += 1
        return INT

    def struct(self, node: c_ast.Struct, name: str | None) -> Struct:
        if node.decls is None or name is None:
            raise self.error(node, "a struct needs a name by typedef")
        members = tuple((d.name, self.kind_of(d.type)) for d in node.decls)
        return Struct(name, members, name in self.held)

    def named_kind(self, node: c_ast.IdentifierType) -> Kind:
        names = node.names
        if names in (["double"], ["void"]):
            return DOUBLE if names == ["double"] else VOID
        if all(n in INTEGERS for n in names):
            return INT
        if len(names) == 1 and names[0] in self.typedefs:
            return self.typedefs[names[0]]
        text = f"the type {' '.join(names)} is not supported; use double, int or a struct of double"
        raise self.error(node, text)

    def unsupported(self, node: c_ast.Node) -> SubsetError:
        text = (
            "this type is not supported; use double, int, structs of double, pointers and arrays of"
            " these"
        )
        return self.error(node, text)

    # constants

    def constant_int(self, node: c_ast.Node) -> int:
        value = self.fold(node)
        if not isinstance(value, int):
            raise self.error(node, "this must be a constant integer")
        return value

    def fold(self, node: c_ast.Node) -> Number | None:
        """Evaluates a constant expression of integers; None if it is no such."""
        if isinstance(node, c_ast.Constant):
            return number(node)
        if isinstance(node, c_ast.ID):
            return self.enumerators.get(node.name)
        if isinstance(node, c_ast.UnaryOp):
            return fold_unary(node.op, self.fold(node.expr))
        if isinstance(node, c_ast.BinaryOp):
            return fold_binary(node.op, self.fold(node.left), self.fold(node.right))
        return None

    # functions

    def function(self, name: str) -> Function:
        if name not in self.signatures:
            node = self.definitions[name]
            head = node.decl.type
            parameters = [self.parameter(name, node, p) for p in parameters_of(node)]
            result = self.kind_of(head.type)
            if is_active_pointer(result):
                text = (
                    f"{name} returns a pointer, which is not supported; return a struct or write"
                    " through an argument"
                )
                raise self.error(node, text)
            given = [p for p in parameters if p.kind != VOID]
            ending = "_slopes" if name + "_slopes" in self.definitions else self.ending
            self.signatures[name] = Function(name, node, result, given, name + ending)
        return self.signatures[name]

    def parameter(self, name: str, node: c_ast.FuncDef, parameter: c_ast.Node) -> Parameter:
        """Reads a parameter of the named function; its type is void in a list without
        parameters."""
        if isinstance(parameter, c_ast.EllipsisParam):
            raise self.error(
                node, f"{name} takes a varying number of arguments, which is not supported"
            )
        is_array = isinstance(parameter.type, c_ast.ArrayDecl)
        kind = self.pointer_to(parameter.type.type) if is_array else self.kind_of(parameter.type)
        if kind != VOID and not parameter.name:
            raise self.error(parameter, f"an argument of {name} needs a name")
        return Parameter(parameter.name, kind, parameter)

    def has_companion(self, name: str) -> bool:
        """Checks whether a hand-written companion exists; its arguments must be those of a
        generated one."""
        written = name + "_slopes"
        if written not in self.definitions:
            return False
        function, own = self.function(name), self.function(written)
        if (
            own.result != function.result
            or [p.kind for p in own.parameters] != function.slopes_kinds
        ):
            raise self.error(
                own.node, f"{written} does not fit {name}; declare it as {function.slopes_head}"
            )
        return True


def _is_const(node: c_ast.Node) -> bool:
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return "const" in node.quals
