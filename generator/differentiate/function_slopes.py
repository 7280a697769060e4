"""Writes `f_slopes` of a function, statement by statement."""

from __future__ import annotations

import re
from collections.abc import Callable

from pycparser import c_ast

from .call_slopes import CallWriter, SlopesOf, Written
from .expression_slopes import STEPS, Destination, Symbol, Value
from .kinds import DOUBLE, INT, Kind, Pointer, VOID, is_active, is_mixed, type_name
from .rules import product_slope, quotient_slope, zero_or
from .source import SubsetError
from .text import UNARY, Text, unary, wrapped
from .unit import Function, Unit, declaration
from .walker import statements

OPPOSITE = {"+=": "-=", "-=": "+="}


class FunctionWriter(CallWriter):
    """Writes `f_slopes`. Repeats until no further local is found that needs no slope, because
    nothing reads it or it is always zero."""

    def __init__(self, unit: Unit, function: Function, slopes_of: SlopesOf) -> None:
        declared = _declared_names(function)
        super().__init__(unit, set(declared) | set(unit.definitions), slopes_of)
        self.function = function
        self.slopeless |= {id(p.node) for p in function.parameters if p.name in function.still}
        self.statement_node = function.node
        self.check_names(declared)

    def write(self) -> Written:
        while True:
            self.run()
            slopeless = self.needless_slopes()
            if slopeless <= self.slopeless:
                break
            self.slopeless |= slopeless
        body = "\n".join(self.lines.written)
        for p in reversed(self.function.parameters):
            unread = id(p.node) not in self.found.read or not re.search(
                rf"\b{p.name}_slope\b", body
            )
            if is_active(p.kind) and unread:
                body = f"    (void){p.name}_slope;\n{body}"
        text = wrapped(self.function.slopes_head + " {") + "\n" + body + "\n}\n"
        return Written(text, self.found, not self.nonzero_result)

    def run(self) -> None:
        self.begin()
        self.symbols: list[Symbol] = []
        self.nonzero_result = False
        for p in self.function.parameters:
            self.define(Symbol(p.name, p.kind, id(p.node), "parameter"))
        self.block(self.function.node.body)

    def needless_slopes(self) -> set[int]:
        """Returns the locals whose slope, in the last run, nothing reads or is always zero."""
        active = [s for s in self.symbols if s.place == "local" and is_active(s.kind)]
        return {s.key for s in active} - (self.found.read & self.found.nonzero)

    # names

    def check_names(self, declared: dict[str, c_ast.Decl]) -> None:
        for name, node in declared.items():
            stem = name.removesuffix("_slopes")
            if stem != name and stem in self.unit.definitions and name != self.function.name:
                raise self.unit.error(
                    node, f"the name {name} is that of a function; choose another"
                )
            stem = name.removesuffix("_slope")
            if name == "result_slope" or (stem != name and stem in declared):
                raise self.unit.error(
                    node, f"the name {name} is taken by the slope of {stem}; choose another"
                )

    def define(self, symbol: Symbol) -> None:
        self.scopes.define(symbol.name, symbol)
        self.symbols.append(symbol)

    # blocks and branches

    def statement(self, node: c_ast.Node) -> None:
        self.for_statement(node)(node)

    def block(self, node: c_ast.Node) -> None:
        with self.scopes.inner():
            for statement in statements(node):
                self.statement(statement)

    def inner(self, node: c_ast.Node) -> None:
        with self.lines.deeper():
            self.block(node)

    def on_Compound(self, node: c_ast.Compound) -> None:
        self.lines.write("{")
        self.inner(node)
        self.lines.write("}")

    def on_If(self, node: c_ast.If, keyword: str = "if") -> None:
        condition = self.plain(node.cond).value
        self.lines.write(f"{keyword} ({condition.text}) {{")
        self.inner(node.iftrue)
        if isinstance(node.iffalse, c_ast.If):
            with self.tried() as lines:
                self.plain(node.iffalse.cond)
            if not lines:
                self.on_If(node.iffalse, "} else if")
                return
        if node.iffalse is not None:
            self.lines.write("} else {")
            self.inner(node.iffalse)
        self.lines.write("}")

    def on_Return(self, node: c_ast.Return) -> None:
        if node.expr is None:
            self.lines.write("return;")
            return
        if not is_active(self.function.result):
            self.lines.write(f"return {self.plain(node.expr).value.text};")
            return
        if self.split(node.expr, lambda branch: c_ast.Return(branch, node.coord)):
            return
        value = self.full(node.expr, Destination("return ", Text("result_slope")))
        if value.slope is not None:
            self.nonzero_result = True
        if not value.declared:
            self.lines.write(f"*result_slope = {zero_or(value.slope, self.function.result).text};")
            self.lines.write(f"return {value.value.text};")

    def split(self, node: c_ast.Node, statement: Callable[[c_ast.Node], c_ast.Node]) -> bool:
        """Writes a statement over `c ? a : b` as if/else when a branch cannot stay inside an
        expression."""
        if not self.is_long_choice(node):
            return False
        self.statement(
            c_ast.If(node.cond, statement(node.iftrue), statement(node.iffalse), node.coord)
        )
        return True

    def is_long_choice(self, node: c_ast.Node) -> bool:
        """Checks for a choice with a branch that needs lines of its own."""
        if not isinstance(node, c_ast.TernaryOp):
            return False
        with self.tried() as lines:
            self.full(node.iftrue)
            self.full(node.iffalse)
        return bool(lines)

    # loops

    def on_For(self, node: c_ast.For) -> None:
        with self.scopes.inner():
            start = self.for_start(node.init)
            with self.lines.captured() as hoisted:
                condition, step = self.plain(node.cond).value.text, self.for_step(node)
            if hoisted:
                raise self.error(
                    node, "the head of a for loop must count an int; call functions in its body"
                )
            self.lines.write(f"for ({start}; {condition}; {step}) {{")
            self.inner(node.stmt)
            self.lines.write("}")

    def for_start(self, node: c_ast.Node) -> str:
        counter = (
            node.decls[0] if isinstance(node, c_ast.DeclList) and len(node.decls) == 1 else None
        )
        if counter and counter.init and self.unit.kind_of(counter.type) == INT:
            self.define(Symbol(counter.name, INT, id(counter), "local"))
            return f"{declaration(counter, counter.name)} = {self.plain(counter.init).value.text}"
        raise self.miscount(node)

    def for_step(self, node: c_ast.For) -> str:
        step = node.next
        if (
            isinstance(step, c_ast.UnaryOp)
            and step.op in STEPS
            and self.target(step.expr).kind == INT
        ):
            return self.step(step)
        raise self.miscount(node)

    def miscount(self, node: c_ast.Node) -> SubsetError:
        text = "a for loop must count one int, as in for (int i = 0; i < 3; i++)"
        return self.error(node, text)

    # statements that compute

    def on_Cast(self, node: c_ast.Cast) -> None:
        if self.unit.kind_of(node.to_type) != VOID:
            raise self.error(node, "this statement has no effect")
        self.lines.write(f"(void){self.plain(node.expr).value.within(UNARY)};")

    def on_UnaryOp(self, node: c_ast.UnaryOp) -> None:
        if node.op not in STEPS:
            raise self.error(node, "this statement has no effect")
        self.lines.write(self.step(node) + ";")

    def step(self, node: c_ast.UnaryOp) -> str:
        target = self.target(node.expr)
        op = node.op.lstrip("p")
        if target.kind not in (INT, DOUBLE):
            raise self.error(node, f"{op} works on numbers only")
        return target.value.text + op if node.op[0] == "p" else op + target.value.text

    def target(self, node: c_ast.Node) -> Value:
        """Returns a place to be written: its slope's name is used, but not read."""
        is_place = isinstance(node, (c_ast.ID, c_ast.StructRef, c_ast.ArrayRef))
        if not is_place and not (isinstance(node, c_ast.UnaryOp) and node.op == "*"):
            raise self.error(node, "only a variable, a member or an element can be set")
        read = set(self.found.read)
        value = self.full(node)
        root = self.root(node)
        self.found.read = read | ({root.key} if root and isinstance(root.kind, Pointer) else set())
        return value

    def on_Assignment(self, node: c_ast.Assignment) -> None:
        target = self.target(node.lvalue)
        self.check_target(node, target.kind)
        if target.kind == INT or target.slope is None:
            self.lines.write(f"{target.value.text} {node.op} {self.plain(node.rvalue).value.text};")
            return
        if node.op not in ("=", "+=", "-=", "*=", "/="):
            raise self.error(node, f"the assignment {node.op} is not supported on a double")
        if node.op != "=":
            self.assign(node, target, self.full(node.rvalue))
        elif not self.split(
            node.rvalue, lambda branch: c_ast.Assignment("=", node.lvalue, branch, node.coord)
        ):
            place = Destination(f"{target.value.text} = ", unary("&", target.slope))
            self.assign(node, target, self.full(node.rvalue, place))

    def assign(self, node: c_ast.Assignment, target: Value, source: Value) -> None:
        root = self.root(node.lvalue)
        if source.slope is not None and root:
            self.found.nonzero.add(root.key)
        if source.declared:
            return
        slope = _slope_assignment(node.op, target, source)
        if slope and target.slope:
            self.lines.write(f"{target.slope.text} {slope};")
        self.lines.write(f"{target.value.text} {node.op} {source.value.text};")

    # declarations

    def on_Decl(self, node: c_ast.Decl) -> None:
        if "static" in node.storage or "extern" in node.storage:
            raise self.error(
                node, "a static local is not supported; a model has no memory but its states"
            )
        if isinstance(node.type, (c_ast.FuncDecl, c_ast.Struct, c_ast.Enum)):
            raise self.error(node, "declare types and functions outside of functions")
        kind = self.unit.kind_of(node.type)
        if isinstance(kind, Pointer):
            text = "a local pointer is not supported; name the place that it points to"
            raise self.error(node, text)
        symbol = Symbol(node.name, kind, id(node), "local")
        wants = self.has_slope(symbol)
        if node.init is None:
            self.declare_unset(node, kind, wants)
        elif isinstance(node.init, c_ast.InitList):
            self.declare_braces(node, kind, wants)
        elif not wants:
            self.declare(node, self.plain(node.init).value.text)
        elif self.is_long_choice(node.init):
            self.declare_choice(node, symbol)
        else:
            self.declare_value(node, kind)
        self.define(symbol)

    def declare(self, node: c_ast.Decl, value: str) -> None:
        self.lines.write(f"{declaration(node, node.name)} = {value};")

    def declare_slope(self, node: c_ast.Decl, slope: str) -> None:
        self.lines.write(f"{declaration(node, node.name + '_slope')} = {slope};")

    def declare_unset(self, node: c_ast.Decl, kind: Kind, wants: bool) -> None:
        self.lines.write(f"{declaration(node, node.name)};")
        if wants and is_mixed(kind):
            self.declare_slope(node, "{0}")
        elif wants:
            self.lines.write(f"{declaration(node, node.name + '_slope')};")

    def declare_braces(self, node: c_ast.Decl, kind: Kind, wants: bool) -> None:
        value, slope = self.braces(node.init, kind, wants)
        if slope is not None:
            self.found.nonzero.add(id(node))
        if wants:
            self.declare_slope(node, slope or "{0}")
        self.declare(node, value)

    def declare_choice(self, node: c_ast.Decl, symbol: Symbol) -> None:
        """Writes `const double a = c ? f(x) : 0;` as a declaration and if/else."""
        self.lines.write(f"{type_name(symbol.kind)} {node.name};")
        self.lines.write(f"{type_name(symbol.kind)} {node.name}_slope;")
        with self.scopes.inner():
            self.scopes.define(node.name, symbol)
            name = c_ast.ID(node.name, node.coord)
            self.split(node.init, lambda branch: c_ast.Assignment("=", name, branch, node.coord))

    def declare_value(self, node: c_ast.Decl, kind: Kind) -> None:
        slope, opening = f"{node.name}_slope", f"{declaration(node, node.name)} = "
        place = Destination(
            opening, Text(f"&{slope}"), f"{type_name(kind)} {slope};", Text(node.name)
        )
        source = self.full(node.init, place)
        if source.slope is not None:
            self.found.nonzero.add(id(node))
        if source.slope is None or source.slope.text != slope:
            self.declare_slope(node, zero_or(source.slope, kind).text)
        if not source.declared:
            self.declare(node, source.value.text)


def _declared_names(function: Function) -> dict[str, c_ast.Decl]:
    """Lists the names declared anywhere in a function, each with its first declaration."""
    names: dict[str, c_ast.Decl] = {}

    class Names(c_ast.NodeVisitor):
        def visit_Decl(self, node: c_ast.Decl) -> None:
            if node.name:
                names.setdefault(node.name, node)
            self.generic_visit(node)

    Names().visit(function.node)
    return names


def _slope_assignment(op: str, target: Value, source: Value) -> str | None:
    """Returns operator and right side of the assignment to a target's slope; None if it stays."""
    slope = source.slope
    if op == "=":
        return f"= {zero_or(slope, target.kind).text}"
    if op in OPPOSITE:
        if slope is None:
            return None
        return f"{OPPOSITE[op]} {slope.negated.text}" if slope.negated else f"{op} {slope.text}"
    if slope is None:
        return f"{op} {source.value.text}"
    rule = product_slope if op == "*=" else quotient_slope
    return f"= {zero_or(rule(target.value, target.slope, source.value, slope), target.kind).text}"
