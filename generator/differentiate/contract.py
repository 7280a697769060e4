"""Checks the functions of the contract in a model."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from pycparser import c_ast, c_generator

from ..contract import CONTRACT, arguments_of
from .unit import Unit, all_nodes, declaration, parameters_of


def check_contract(unit: Unit) -> None:
    """Refuses a function of the contract with wrong types, and a function that nothing calls."""
    for name, wanted in CONTRACT.items():
        node = unit.definitions.get(name)
        if node and _with_arguments(node, [name for _, name in arguments_of(wanted)]) != wanted:
            raise unit.error(node, f"{name} must be declared as {wanted}")
    called = {name for node in unit.definitions.values() for name in _names(node.body)}
    for name, node in unit.definitions.items():
        if name in CONTRACT or name in called or node.coord.file != str(unit.source.model):
            continue
        if name.removesuffix("_slopes") in unit.definitions.keys() - {name}:
            continue
        meant = get_close_matches(name, CONTRACT, n=1)
        raise unit.error(
            node, f"{name} is never called{f'; is {meant[0]} meant?' if meant else ''}"
        )


def members_used(unit: Unit) -> frozenset[str]:
    """Lists the members of structs that any function reads."""
    nodes = (inner for node in unit.definitions.values() for inner in all_nodes(node.body))
    return frozenset(node.field.name for node in nodes if isinstance(node, c_ast.StructRef))


def check_indicators(unit: Unit, count: int) -> None:
    """Refuses `indicators` that set more or fewer than the description states."""
    node = unit.definitions.get("indicators")
    if node is None:
        return
    places = [unit.fold(index) for index in _indicator_indices(unit, node, 4)]
    known = [place for place in places if isinstance(place, int)]
    most = max(known, default=-1)
    if most >= count:
        raise unit.error(
            node, f"indicators sets g[{most}], but the description has indicators = {count}"
        )
    if most + 1 < count and len(known) == len(places):
        raise unit.error(
            node,
            f"indicators never sets g[{count - 1}], but the description has indicators = {count}",
        )


def _indicator_indices(unit: Unit, function: c_ast.FuncDef, argument: int) -> Iterator[c_ast.Node]:
    """Yields the indices of all elements of an array argument that a function writes, itself or
    through its calls."""
    array = parameters_of(function)[argument].name
    for node in all_nodes(function.body):
        if isinstance(node, c_ast.Assignment) and isinstance(node.lvalue, c_ast.ArrayRef):
            if isinstance(node.lvalue.name, c_ast.ID) and node.lvalue.name.name == array:
                yield node.lvalue.subscript
        elif isinstance(node, c_ast.FuncCall) and node.args and node.name.name in unit.definitions:
            for place, given in enumerate(node.args.exprs):
                if isinstance(given, c_ast.ID) and given.name == array:
                    yield from _indicator_indices(unit, unit.definitions[node.name.name], place)


def _with_arguments(node: c_ast.FuncDef, names: list[str]) -> str:
    """Returns the declaration of a function with these argument names; "" if their number
    differs."""
    parameters = parameters_of(node)
    if len(parameters) != len(names) or not all(
        isinstance(parameter, c_ast.Decl) for parameter in parameters
    ):
        return ""
    arguments = ", ".join(
        declaration(parameter, name) for parameter, name in zip(parameters, names, strict=True)
    )
    head = c_generator.CGenerator().visit(node.decl).partition("(")[0]
    return f"{head}({arguments})"


def _names(node: c_ast.Node) -> Iterator[str]:
    """Yields all names in a function."""
    return (inner.name for inner in all_nodes(node) if isinstance(inner, c_ast.ID))
