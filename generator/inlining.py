"""Marks C as always inlined; a module of its own, because packing an FMU needs it and no parser of
C."""

from __future__ import annotations


def all_inlined(lines: list[str]) -> list[str]:
    """Marks functions to be inlined everywhere, so that each call drops what it does not need. gcc
    does it by itself under `flatten`; clang considers the first calls only."""
    return [
        "#ifdef __clang__",
        "#pragma clang attribute push(__attribute__((always_inline)), apply_to = function)",
        "#endif",
        *lines,
        "#ifdef __clang__",
        "#pragma clang attribute pop",
        "#endif",
    ]
