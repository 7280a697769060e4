"""C that compilers put in wherever it is called; in a module of its own, because packing an FMU
needs it and no parser of C."""

from __future__ import annotations


def all_inlined(lines: list[str]) -> list[str]:
    """Functions that are inlined wherever they are called, so that what a caller does not need can
    be left out there. gcc does it by itself where it has to inline all (`flatten`); clang looks
    at the first calls only."""
    return [
        "#ifdef __clang__",
        "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)",
        "#endif",
        *lines,
        "#ifdef __clang__",
        "#pragma clang attribute pop",
        "#endif",
    ]
