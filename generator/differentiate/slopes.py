"""Writes the file of slopes of a model: the functions with slopes that it needs, each once and
before its callers."""

from __future__ import annotations

from collections.abc import Iterable

from pycparser import c_ast

from ..inlining import all_inlined
from .call_slopes import HELD, Written
from .expression_slopes import Findings
from .function_slopes import FunctionWriter
from .rules import HELPERS
from .unit import Function, Unit, declaration
from .walker import SELF_CALL

DIFFERENTIATED = ("evaluate", "initialize")

OPENING = """\
/* Values and exact directional derivatives of the functions in models/{}.
 * Generated from that file; change it there. */
#include <math.h>
"""

ALONG_STATES = """\
/* The same along directions of the states alone, under parameters and inputs that stay: \
what a solver's Jacobian is made of. */
"""


def slopes_text(unit: Unit, model_name: str) -> str:
    """Writes the functions with slopes along any direction, and `evaluate` also along the states
    alone."""
    files = _File(unit), _File(Unit(unit.source, HELD, "_state_slopes"))
    files[0].fill(DIFFERENTIATED)
    files[1].fill(DIFFERENTIATED[:1])
    helpers = {name for file in files for one in file.found for name in one.helpers}
    zeros = {name for file in files for one in file.found for name in one.zero_constants}
    files[0].check_names(helpers | {name + "_slope" for name in zeros})
    parts = [OPENING.format(model_name)]
    parts += [text for name, text in HELPERS.items() if name in helpers]
    parts += [
        f"{declaration(node, name + '_slope')} = {{0}};\n"
        for name, (_, node) in unit.constants.items()
        if name in zeros
    ]
    held = {name for one in files[1].found for name in one.zero_structs}
    parts += [
        f"static const {kind} {name} = {{0}};\n" for kind, name in HELD.items() if kind in held
    ]
    return "\n".join([*parts, *files[0].functions(), ALONG_STATES, *files[1].functions()])


class _File:
    """Functions with slopes, each written when it is first called."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.written: dict[str, Written] = {}  # by the names with slopes
        self.busy: list[str] = []
        self.order: list[str] = []

    def fill(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self.unit.definitions:
                function = self.unit.function(name)
                self.slopes_of(function)
                self.place(function.with_slopes)

    @property
    def found(self) -> list[Findings]:
        return [self.written[name].found for name in self.order]

    def functions(self) -> list[str]:
        """Returns the texts, all inlined except functions called from outside."""
        texts = {name: self.written[name].text for name in self.order if self.written[name].text}
        called = {name + self.unit.ending for name in DIFFERENTIATED}
        first = next(i for i, name in enumerate(texts) if name in called)
        inner, outer = list(texts.values())[:first], list(texts.values())[first:]
        return [*(all_inlined(inner) if inner else []), *outer]

    def slopes_of(self, function: Function, node: c_ast.Node | None = None) -> Written:
        """Returns the function with slopes; `node` is the call that needs it."""
        name, key = function.name, function.with_slopes
        if name in self.busy:
            raise self.unit.error(node, f"{name} {SELF_CALL}")
        if key not in self.written:
            self.busy.append(name)
            by_hand = self.unit.has_companion(name)
            self.written[key] = Written() if by_hand else self.write(function)
            self.busy.pop()
        return self.written[key]

    def write(self, function: Function) -> Written:
        return FunctionWriter(self.unit, function, self.slopes_of).write()

    def place(self, name: str) -> None:
        """Puts a function after those that it calls."""
        if name not in self.order:
            for callee in self.written[name].found.calls:
                self.place(callee)
            self.order.append(name)

    def check_names(self, taken: set[str]) -> None:
        declared = self.unit.definitions | {
            name: node for name, (_, node) in self.unit.constants.items()
        }
        for name, node in declared.items():
            if name in taken:
                raise self.unit.error(
                    node, f"the name {name} is used by generated code; choose another"
                )
