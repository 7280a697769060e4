"""Writes the file of slopes of a model: the functions with slopes that it needs, each once and before its callers."""

from __future__ import annotations

from pycparser import c_ast

from .call_slopes import Written
from .function_slopes import FunctionWriter
from .rules import HELPERS
from .text import all_inlined
from .unit import Unit, declaration
from .walker import SELF_CALL

DIFFERENTIATED = ("evaluate", "initialize")

OPENING = """\
/* Values and exact directional derivatives of the functions in models/{}.
 * Generated from that file; change it there. */
#include <math.h>
"""


def slopes_text(unit: Unit, model_name: str) -> str:
    return _File(unit, model_name).text()


class _File:
    """A file of slopes. Functions are written when they are called for the first time."""

    def __init__(self, unit: Unit, model_name: str) -> None:
        self.unit = unit
        self.model_name = model_name
        self.written: dict[str, Written] = {}
        self.busy: list[str] = []
        self.order: list[str] = []

    def text(self) -> str:
        for name in DIFFERENTIATED:
            if name in self.unit.definitions:
                self.place(name)
        found = [self.written[name].found for name in self.order]
        helpers = {name for one in found for name in one.helpers}
        zeros = {name for one in found for name in one.zero_constants}
        self.check_names(helpers | {name + "_slope" for name in zeros})
        parts = [OPENING.format(self.model_name)]
        parts += [text for name, text in HELPERS.items() if name in helpers]
        parts += [
            f"{declaration(node, name + '_slope')} = {{0}};\n"
            for name, (_, node) in self.unit.constants.items()
            if name in zeros
        ]
        texts = {name: self.written[name].text for name in self.order if self.written[name].text}
        first = next(i for i, name in enumerate(texts) if name in DIFFERENTIATED)
        inner, outer = list(texts.values())[:first], list(texts.values())[first:]
        parts += [*(all_inlined(inner) if inner else []), *outer]
        return "\n".join(parts)

    def slopes_of(self, name: str, node: c_ast.Node | None = None) -> Written:
        """The function of this name with slopes; `node` is the call that needs it."""
        if name in self.busy:
            raise self.unit.error(node, f"{name} {SELF_CALL}")
        if name not in self.written:
            self.busy.append(name)
            self.written[name] = Written() if self.unit.has_companion(name) else self.write(name)
            self.busy.pop()
        return self.written[name]

    def write(self, name: str) -> Written:
        return FunctionWriter(self.unit, self.unit.function(name), self.slopes_of).write()

    def place(self, name: str) -> None:
        """Puts a function behind those that it calls."""
        if name not in self.order:
            for callee in self.slopes_of(name).found.calls:
                self.place(callee)
            self.order.append(name)

    def check_names(self, taken: set[str]) -> None:
        declared = self.unit.definitions | {name: node for name, (_, node) in self.unit.constants.items()}
        for name, node in declared.items():
            if name in taken:
                raise self.unit.error(node, f"the name {name} is taken by generated code; choose another")
