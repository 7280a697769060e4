"""Changes Python by the rules of operators.py. Strings, annotations, decorators and messages are
left alone. A removed assignment to a name would fail at its first use with any tests, so only
calls, augmented assignments and those to attributes or items are removed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .edits import Mutant, text_of

RELATIONS = {
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
    "==": "!=",
    "!=": "==",
    "in": "not in",
    "not in": "in",
    "is": "is not",
    "is not": "is",
}
ARITHMETIC = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}


def python_mutants_of(file: str) -> Iterator[Mutant]:
    """Lists all changes of one file, in order."""
    source = text_of(file)
    found = _Changes(source)
    found.visit(ast.parse(source))
    for kind, begin, end, text in sorted(found.changes, key=lambda change: change[1:]):
        yield Mutant(kind, file, begin, end, text)


class _Changes(ast.NodeVisitor):
    def __init__(self, source: str) -> None:
        self.source = source
        self.changes: list[tuple[str, int, int, str]] = []
        self.lines = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def _place(self, line: int, column: int) -> int:
        """Converts the parser's offset in bytes to one in the text."""
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None  # of parsed text
        return self._place(node.lineno, node.col_offset), self._place(
            node.end_lineno, node.end_col_offset
        )

    def _between(self, kind: str, left: ast.expr, right: ast.expr, mark: str, other: str) -> None:
        """Exchanges the operator between two operands, except in brackets and comments."""
        first, last = self._span(left)[1], self._span(right)[0]
        pattern = rf"\b{mark}\b".replace(" ", r"\s+") if mark[0].isalpha() else re.escape(mark)
        if place := re.search(pattern, self.source[first:last]):
            self.changes.append((kind, first + place.start(), first + place.end(), other))

    def _negation(self, test: ast.expr) -> None:
        begin, end = self._span(test)
        self.changes.append(("negation", begin, end, f"(not ({self.source[begin:end]}))"))

    def _omission(self, node: ast.expr | ast.stmt) -> None:
        self.changes.append(("statement", *self._span(node), "pass"))

    def visit_Compare(self, node: ast.Compare) -> None:
        operands = [node.left, *node.comparators]
        names = {
            ast.Lt: "<",
            ast.Gt: ">",
            ast.LtE: "<=",
            ast.GtE: ">=",
            ast.Eq: "==",
            ast.NotEq: "!=",
            ast.In: "in",
            ast.NotIn: "not in",
            ast.Is: "is",
            ast.IsNot: "is not",
        }
        for left, kind, right in zip(operands, node.ops, operands[1:]):
            mark = names[type(kind)]
            self._between("relation", left, right, mark, RELATIONS[mark])
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC:
            self._between("arithmetic", node.left, node.right, *ARITHMETIC[type(node.op)])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        mark, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:]):
            self._between("logic", left, right, mark, other)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            self.changes.append(("constant", *self._span(node), repr(node.value + 1)))

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        self._negation(node.test)
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_If

    def visit_comprehension(self, node: ast.comprehension) -> None:
        for test in node.ifs:
            self._negation(test)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._omission(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._omission(node)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets):
            self._omission(node)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for part in [
            *node.args.defaults,
            *(one for one in node.args.kw_defaults if one),
            *node.body,
        ]:
            self.visit(part)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in node.body:
            self.visit(part)

    def visit_Raise(self, node: ast.Raise) -> None:
        pass  # a message

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        pass  # a string, in which the parser of Python 3.11 has no positions
