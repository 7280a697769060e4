"""Names that a variable or a symbol must not have."""

from __future__ import annotations

import re

MODELICA_KEYWORDS = frozenset(
    """algorithm and annotation assert block break class connect connector constant constrainedby
    der discrete each else elseif elsewhen encapsulated end enumeration equation expandable
    extends external false final flow for function if import impure in initial inner input loop
    model not operator or outer output package parameter partial protected public pure record
    redeclare replaceable return stream then true type when while within""".split()
)
OPENMODELICA_NAMES = frozenset(
    {"time", "logLevel", "debugLogging", "fmuWorkingDir", "fmi_x", "fmi_z", "nextEventTime"}
)
C_KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while none""".split()
)
MANGLED = str.maketrans(dict.fromkeys(". [](),", "_"))


def mangled(name: str) -> str:
    """Returns the name that OpenModelica gives a variable on import."""
    return name.translate(MANGLED)


def taken_variable(name: str) -> str | None:
    """Returns why a variable cannot have this name, or None."""
    if not re.fullmatch(r"[a-z][A-Za-z0-9]*", name):
        return "the name of a variable starts with a small letter and has letters and digits only"
    if name in MODELICA_KEYWORDS:
        return "the name is a keyword of Modelica"
    if name in OPENMODELICA_NAMES or name.startswith("flow"):
        return "the name is taken in OpenModelica"
    return None


def taken_symbol(symbol: str) -> str | None:
    """Returns why a variable cannot have this symbol, or None."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", symbol):
        return f'"{symbol}" is not a name in C'
    if symbol in C_KEYWORDS:
        return f'"{symbol}" is taken in C'
    if symbol.endswith(("_slope", "_start")):
        return f'"{symbol}" ends like a generated name'
    return None
