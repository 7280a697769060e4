"""Reads the frame between the variables of an element and those of its law."""

from __future__ import annotations

from typing import Any

from ..description import Description, Frame, Variable


def frame_of(
    description: Description,
    inputs: tuple[Variable, ...],
    outputs: tuple[Variable, ...],
    tables: dict[str, dict[str, Any]],
) -> Frame | None:
    """Returns the frame from the element's variables to those of the law; None if they are the
    same. `inputs` and `outputs` are the law's."""
    own = list(tables["inputs"].values())
    given = {
        entry.symbol: one.get("law", f"u->{entry.symbol}")
        for entry, one in zip(inputs, own, strict=True)
    }
    taken = {
        entry.symbol: one.get("law", f"law.{entry.symbol}")
        for entry, one in ((entry, tables["outputs"][entry.name]) for entry in description.outputs)
    }
    if not any(
        "law" in entry
        for entry in [*own, *(tables["outputs"][entry.name] for entry in description.outputs)]
    ):
        return None
    return Frame(inputs, outputs, given, taken)
