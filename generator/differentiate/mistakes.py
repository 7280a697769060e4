"""Finds mistakes that compile: a division that drops the remainder, and an unreported reset of a
state."""

from __future__ import annotations

from pycparser import c_ast

from .resets import writes_states
from .unit import Unit, all_nodes, parameters_of

WHOLE = {"int", "unsigned", "long", "short", "char"}


def check_mistakes(unit: Unit) -> None:
    for function in unit.definitions.values():
        _check_divisions(unit, function)
    if "next_modes" in unit.definitions:
        _check_reset(unit, unit.definitions["next_modes"])


def _check_divisions(unit: Unit, function: c_ast.FuncDef) -> None:
    """Refuses 1/2, which is 0."""
    declared = [
        *parameters_of(function),
        *(node for node in all_nodes(function.body) if isinstance(node, c_ast.Decl)),
    ]
    whole = {node.name for node in declared if _names(node.type) <= WHOLE} - {
        node.name for node in declared if not _names(node.type) <= WHOLE
    }
    for node in all_nodes(function.body):
        if (
            isinstance(node, c_ast.BinaryOp)
            and node.op == "/"
            and _is_whole(unit, node.left, whole)
            and _is_whole(unit, node.right, whole)
        ):
            raise unit.error(
                node,
                "a division of two whole numbers drops the remainder; write one of them as a"
                " double, as in 1.0/2",
            )


def _names(node: c_ast.Node) -> set[str]:
    """Returns the words of a plain type; none for a pointer or an array."""
    inner = getattr(node, "type", None)
    return (
        set(inner.names)
        if isinstance(node, c_ast.TypeDecl) and isinstance(inner, c_ast.IdentifierType)
        else {"?"}
    )


def _is_whole(unit: Unit, node: c_ast.Node, names: set[str]) -> bool:
    if isinstance(node, c_ast.Constant):
        return "int" in node.type
    if isinstance(node, c_ast.ID):
        return node.name in names or node.name in unit.enumerators
    if isinstance(node, c_ast.Cast):
        return _names(node.to_type.type) <= WHOLE
    if isinstance(node, c_ast.UnaryOp):
        return node.op in ("-", "+", "~") and _is_whole(unit, node.expr, names)
    if isinstance(node, c_ast.BinaryOp):
        return node.op == "%" or (
            node.op in ("+", "-", "*", "/")
            and all(_is_whole(unit, side, names) for side in (node.left, node.right))
        )
    if isinstance(node, c_ast.FuncCall):
        called = unit.definitions.get(node.name.name)
        return called is not None and _names(called.decl.type.type) <= WHOLE
    return False


def _check_reset(unit: Unit, function: c_ast.FuncDef) -> None:
    """Refuses a `return 0` that may follow a reset of a state: importers would continue with the
    old state."""

    def walk(node: c_ast.Node | None, has_reset: bool) -> bool | None:
        """Returns whether a state may have been set at the end of the statement; None if it never
        ends."""
        if isinstance(node, c_ast.Return):
            if has_reset and node.expr is not None and unit.fold(node.expr) == 0:
                raise unit.error(
                    node,
                    "next_modes returns 0 although it may have set a state; return 1 where a state"
                    " was reset",
                )
            return None
        if isinstance(node, c_ast.Compound):
            ends: bool | None = has_reset
            for statement in node.block_items or ():
                ends = walk(statement, bool(ends)) if ends is not None else None
            return ends
        if isinstance(node, c_ast.If):
            branches = [walk(node.iftrue, has_reset), walk(node.iffalse, has_reset)]
            known = [branch for branch in branches if branch is not None]
            return any(known) if known else None
        if isinstance(
            node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch, c_ast.Case, c_ast.Default)
        ):
            body = node.stmts if isinstance(node, (c_ast.Case, c_ast.Default)) else [node.stmt]
            for statement in body or ():
                has_reset = bool(walk(statement, has_reset)) or has_reset
            return has_reset
        return has_reset or (node is not None and writes_states(unit, function, node))

    walk(function.body, False)
