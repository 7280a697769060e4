"""Finds the states that an event may set: those that `next_modes` and `constrain` write, themselves
or through their calls."""

from __future__ import annotations

from pycparser import c_ast

from .unit import Unit, all_nodes, parameters_of

EVENT_FUNCTIONS = ("next_modes", "constrain")


def reset_states(unit: Unit) -> frozenset[str]:
    """Returns the members of States that an event may set."""
    found: set[str] = set()
    seen: set[str] = set()
    waiting = list(EVENT_FUNCTIONS)
    while waiting:
        name = waiting.pop()
        if name in seen or name not in unit.definitions:
            continue
        seen.add(name)
        function = unit.definitions[name]
        waiting += [
            node.name.name for node in all_nodes(function.body) if isinstance(node, c_ast.FuncCall)
        ]
        states = _state_names(function)
        found |= {
            place.field.name
            for node in _written(unit, function.body)
            for place in all_nodes(node)
            if _is_member_of(place, states)
        }
    return frozenset(found)


def writes_states(unit: Unit, function: c_ast.FuncDef, statement: c_ast.Node) -> bool:
    """Checks whether a statement of a function sets a state, itself or by a call whose result it
    ignores."""
    states = _state_names(function)
    if isinstance(statement, c_ast.FuncCall):
        for argument in _written_arguments(unit, statement):
            if isinstance(argument, c_ast.ID) and argument.name in states:
                called = unit.definitions[statement.name.name]
                return any(
                    writes_states(unit, called, node)
                    for node in all_nodes(called.body)
                    if isinstance(node, (c_ast.Assignment, c_ast.FuncCall))
                )
    if not isinstance(statement, (c_ast.Assignment, c_ast.FuncCall)):
        return False
    return any(
        _is_member_of(place, states)
        for node in _written(unit, statement)
        for place in all_nodes(node)
    )


def _written(unit: Unit, node: c_ast.Node) -> list[c_ast.Node]:
    """Lists what a piece of code sets, or passes on to be set."""
    calls = [inner for inner in all_nodes(node) if isinstance(inner, c_ast.FuncCall)]
    targets = [inner.lvalue for inner in all_nodes(node) if isinstance(inner, c_ast.Assignment)]
    return targets + [argument for call in calls for argument in _written_arguments(unit, call)]


def _state_names(function: c_ast.FuncDef) -> set[str]:
    """Returns the arguments through which a function may set states."""
    return {p.name for p in parameters_of(function) if _is_written(p) and _points_to_states(p)}


def _written_arguments(unit: Unit, call: c_ast.FuncCall) -> list[c_ast.Node]:
    """Lists the arguments that a call may write."""
    function = unit.definitions.get(call.name.name)
    if function is None or not call.args:
        return []
    pairs = zip(call.args.exprs, parameters_of(function), strict=False)
    return [argument for argument, parameter in pairs if _is_written(parameter)]


def _is_written(parameter: c_ast.Decl) -> bool:
    """Checks whether a parameter is a pointer through which a function may write."""
    return (
        isinstance(parameter.type, (c_ast.PtrDecl, c_ast.ArrayDecl))
        and "const" not in parameter.type.type.quals
    )


def _points_to_states(parameter: c_ast.Decl) -> bool:
    return getattr(parameter.type.type.type, "names", None) == ["States"]


def _is_member_of(node: c_ast.Node, names: set[str]) -> bool:
    return (
        isinstance(node, c_ast.StructRef)
        and isinstance(node.name, c_ast.ID)
        and node.name.name in names
    )
