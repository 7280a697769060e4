"""Writes calls with their slopes: of functions of math.h by the rules, of the model's own through
`f_slopes`."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from pycparser import c_ast, c_generator

from .expression_slopes import Destination, ExpressionWriter, Findings, Value
from .kinds import (
    DOUBLE,
    INT,
    VOID,
    Pointer,
    Struct,
    held_struct,
    is_active,
    is_active_pointer,
    type_name,
)
from .rules import FROM_VALUE, math_slope, zero_or
from .source import SubsetError
from .text import POSTFIX, Text, call_text
from .unit import Function, Unit, all_nodes
from .walker import MATH_ARGUMENTS, TESTS, arguments

HELD = {
    "Parameters": "no_parameter_slopes",
    "Inputs": "no_input_slopes",
}  # endings for slopes along the states alone, and for constants of zeros


@dataclass
class Written:
    """A function with slopes: its text, and the facts that its callers need."""

    text: str = ""  # None if it is written by hand
    found: Findings = field(default_factory=Findings)
    zero_result: bool = False


SlopesOf = Callable[[Function, c_ast.Node], Written]  # writes the called function


class CallWriter(ExpressionWriter):
    """Makes the text of calls and of their slopes, and writes a call that needs a line of its
    own."""

    def __init__(self, unit: Unit, taken: Iterable[str], slopes_of: SlopesOf) -> None:
        super().__init__(unit, taken)
        self.slopes_of = slopes_of

    def of_FuncCall(self, node: c_ast.FuncCall, want: bool, place: Destination | None) -> Value:
        name = self.callee(node)
        if name in self.unit.definitions:
            return self.own_call(node, self.own_function(node, name), want, place)
        if name in TESTS:
            return Value(
                call_text(name, *(self.plain(a).value for a in arguments(node))), None, INT
            )
        if name not in MATH_ARGUMENTS:
            raise self.unknown_function(node, name)
        if len(arguments(node)) != MATH_ARGUMENTS[name]:
            raise self.error(node, f"{name} takes {MATH_ARGUMENTS[name]} argument(s)")
        return self.math_call(node, name, want, place)

    def math_call(
        self, node: c_ast.FuncCall, name: str, want: bool, place: Destination | None
    ) -> Value:
        wants = [want and not (name == "copysign" and i) for i in range(MATH_ARGUMENTS[name])]
        inner = [
            self.expression(a, wanted) for a, wanted in zip(arguments(node), wants, strict=True)
        ]
        values, slopes = [a.value for a in inner], [a.slope for a in inner]
        value = call_text(name, *values)
        if not any(slopes):
            return Value(value, None, DOUBLE)
        if name not in FROM_VALUE:
            return Value(value, math_slope(name, self.found.helpers, values, slopes), DOUBLE)
        if place and place.name:
            self.lines.write(f"{place.opening}{value.text};")
            return Value(place.name, FROM_VALUE[name](place.name, slopes[0]), DOUBLE, declared=True)
        kept = Text(self.fresh(name))
        self.lines.write(f"const double {kept.text} = {value.text};")
        return Value(kept, FROM_VALUE[name](kept, slopes[0]), DOUBLE)

    # the model's own functions

    def on_FuncCall(self, node: c_ast.FuncCall) -> None:
        name = self.callee(node)
        if name not in self.unit.definitions:
            unused = f"the result of {name} is not used"
            raise self.error(
                node, unused if name in MATH_ARGUMENTS else f"{name} is not a function of the model"
            )
        function = self.own_function(node, name)
        if not function.writes:
            self.lines.write(self.value_call(node, function).value.text + ";")
            return
        sources = self.sources(node, function)
        function = self.along(node, function, sources)
        given = self.slopes_arguments(node, function, sources)
        if is_active(function.result):
            given.append(Text(f"&{self.kept_slope(function)}_slope"))
        self.lines.write(call_text(function.with_slopes, *given).text + ";")

    def own_call(
        self, node: c_ast.FuncCall, function: Function, want: bool, place: Destination | None
    ) -> Value:
        """Makes a call that returns a value."""
        result = function.result
        if result == VOID:
            raise self.no_value(node)
        if not function.writes and not (want and self.gives_slope(node, function)):
            return self.value_call(node, function)
        sources = self.sources(node, function)
        if not function.writes and all(source.slope is None for source in sources):
            return Value(
                call_text(function.name, *(source.value for source in sources)), None, result
            )
        function = self.along(node, function, sources)
        given = self.slopes_arguments(node, function, sources)
        if not is_active(result):
            kept = self.fresh(function.name)
            text = call_text(function.with_slopes, *given).text
            self.lines.write(f"const {type_name(result)} {kept} = {text};")
            return Value(Text(kept), None, result)
        return self.slopes_call(function, given, place)

    def gives_slope(self, node: c_ast.FuncCall, function: Function) -> bool:
        return is_active(function.result) and not self.slopes_of(function, node).zero_result

    def value_call(self, node: c_ast.FuncCall, function: Function) -> Value:
        """Makes a call of the function without slopes."""
        values = [self.plain(a).value for a in arguments(node)]
        return Value(call_text(function.name, *values), None, function.result)

    def slopes_call(
        self, function: Function, given: list[Text], place: Destination | None
    ) -> Value:
        """Writes a call whose result has a slope, to the destination or to a new variable."""
        name, result = function.with_slopes, function.result
        through_pointers = any(isinstance(p.kind, Pointer) for p in function.parameters)
        if place and (place.name or place.opening == "return " or not through_pointers):
            if place.before:
                self.lines.write(place.before)
            self.lines.write(f"{place.opening}{call_text(name, *given, place.slope).text};")
            slope = Text(place.name.text + "_slope") if place.name else place.slope
            return Value(place.name or place.slope, slope, result, declared=True)
        kept = self.kept_slope(function)
        text = call_text(name, *given, Text(f"&{kept}_slope")).text
        self.lines.write(f"const {type_name(result)} {kept} = {text};")
        return Value(Text(kept), Text(kept + "_slope"), result)

    def kept_slope(self, function: Function) -> str:
        """Returns a new name for the result of a call, and declares its slope."""
        kept = self.fresh(function.name)
        self.lines.write(f"{type_name(function.result)} {kept}_slope;")
        return kept

    # arguments

    def sources(self, node: c_ast.FuncCall, function: Function) -> list[Value]:
        """Evaluates the arguments of a call of the function with slopes."""
        self.slopes_of(function, node)
        pairs = list(zip(function.parameters, arguments(node), strict=True))
        sources = [self.expression(a, is_active(p.kind)) for p, a in pairs]
        for p, a in pairs:
            if is_active_pointer(p.kind):
                self.escape(a)
        return sources

    def slopes_arguments(
        self, node: c_ast.FuncCall, function: Function, sources: list[Value]
    ) -> list[Text]:
        """Returns the arguments for the function with slopes, and notes the call. A function
        written by hand also takes slopes of held structs."""
        by_hand = self.unit.has_companion(function.name)
        given = []
        for p, a, source in zip(function.parameters, arguments(node), sources, strict=True):
            given.append(source.value)
            if is_active_pointer(p.kind):
                given.append(source.slope or self.zero_companion(a))
            elif is_active(p.kind):
                given.append(zero_or(source.slope, p.kind))
            elif by_hand and (held := held_struct(p.kind)):
                self.found.zero_structs.add(held.name)
                given.append(Text(f"&{HELD[held.name]}"))
        if function.with_slopes not in self.found.calls:
            self.found.calls.append(function.with_slopes)
        return given

    def along(self, node: c_ast.FuncCall, function: Function, sources: list[Value]) -> Function:
        """Returns the function with slopes along the arguments that vary in a call, so that nothing
        is multiplied by a zero slope. Arguments changed in its body or reached through a pointer
        count as varying; for a function written by hand all do."""
        if self.unit.has_companion(function.name):
            return function
        changed = {
            part.name
            for inner in all_nodes(function.node.body)
            if isinstance(inner, c_ast.Assignment)
            for part in all_nodes(inner.lvalue)
            if isinstance(part, c_ast.ID)
        }
        active = [
            (p, source)
            for p, source in zip(function.parameters, sources, strict=True)
            if is_active(p.kind)
        ]
        still = {
            p.name
            for p, source in active
            if source.slope is None and not is_active_pointer(p.kind) and p.name not in changed
        }
        if not still:
            return function
        moving = "_".join(["_along", *(p.name for p, _ in active if p.name not in still)])
        variant = replace(
            function, with_slopes=function.with_slopes + moving, still=frozenset(still)
        )
        self.slopes_of(variant, node)
        return variant

    def escape(self, node: c_ast.Node) -> None:
        """Marks the slope of a variable reached through a pointer as set and as read."""
        root = self.root(node)
        if root is None:
            raise self.no_address(node)
        self.found.nonzero.add(root.key)
        self.found.read.add(root.key)

    def zero_companion(self, node: c_ast.Node) -> Text:
        """Returns the slope of a constant or held struct reached through a pointer: the same place
        in a constant of zeros."""
        root = self.root(node)
        through = held_struct(root.kind) if root else None
        held = through or (root.kind if root else None)
        if isinstance(held, Struct) and held.held:
            self.found.zero_structs.add(held.name)
            zeros = f"(&{HELD[held.name]})" if through else HELD[held.name]
        elif root is None or root.place != "constant" or root.key == 0:
            raise self.no_address(node)
        else:
            self.found.zero_constants.add(root.name)
            zeros = root.name + "_slope"
        renamed = inner = copy.deepcopy(node)
        while not isinstance(inner, c_ast.ID):
            inner = inner.expr if isinstance(inner, c_ast.UnaryOp) else inner.name
        inner.name = zeros
        return Text(c_generator.CGenerator().visit(renamed), POSTFIX)

    def no_address(self, node: c_ast.Node) -> SubsetError:
        return self.error(node, "pass the address of a variable, a member or an element")
