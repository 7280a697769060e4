"""Writes the tables of models from the descriptions, short in README.md and complete in
docs/models.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from bristle import BristleError
from bristle.format.facts import MODEL_KINDS, needs
from .description import Description
from .facts import facts
from .project import Project, twins_of
from .reading import read_description

END = "<!-- end of models -->"


def models_table(descriptions: Iterable[Description]) -> str:
    """Writes a table for each kind of model, with its caption."""
    rows: dict[str, list[str]] = {kind: [] for kind in MODEL_KINDS}
    for one in descriptions:
        if not one.choose:
            raise BristleError(
                f"{one.file}: choose: is missing; its first text is shown in the table"
            )
        states = sum(state.count for state in one.states)
        twins = ", ".join(f"`{name}`" for name in twins_of(one.file)) or "–"
        rows[one.kind].append(
            f"| `{one.name}` | {twins} | {one.title} | {states or '–'} | {_needs(one)} |"
            f" {one.choose[0]} |"
        )
    head = [
        "| FMU | for a joint | the law in one line | states | needs | choose it if |",
        "|---|---|---|---|---|---|",
    ]
    return "\n\n".join(
        "\n".join([f"**{MODEL_KINDS[kind]}**", "", *head, *lines])
        for kind, lines in rows.items()
        if lines
    )


def families_table(descriptions: Iterable[Description]) -> str:
    """Writes a line for each kind of model, with the names of its members."""
    members: dict[str, list[str]] = {kind: [] for kind in MODEL_KINDS}
    for one in descriptions:
        members[one.kind].append(f"`{one.name}`")
    lines = [
        f"| {MODEL_KINDS[kind]} | {', '.join(names)} |" for kind, names in members.items() if names
    ]
    return "\n".join(["| kind | models |", "|---|---|", *lines])


WRITTEN = "<!-- {}: written by `.venv/bin/python -m generator table {}` -->"
BEGINS = {  # the line before each table, with the function that writes it
    WRITTEN.format("families", "README.md"): families_table,
    WRITTEN.format("models", "docs/models.md"): models_table,
}


def _needs(one: Description) -> str:
    inputs = [entry.name for entry in one.inputs]
    found = needs(inputs, facts(one).roles, bool(one.modes))
    return ", ".join(f"`{name}`" if name in inputs else name for name in found) or "–"


def renewed(file: Path, descriptions: Path) -> str:
    """Returns the text of a file with the table between its two marks, and the numbers of models
    before it, renewed."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BristleError(f"{file}: is not UTF-8 text.") from None
    begin = next((mark for mark in BEGINS if mark in text), None)
    before, _, rest = text.partition(begin or "\0")
    _, end, after = rest.partition(END)
    if begin is None or not end:
        missing = END if begin else " or ".join(BEGINS)
        raise BristleError(
            f"{file}: the line {missing} is missing, so the place of the table is not known."
        )
    models = [read_description(one) for one in Project(descriptions.parent).descriptions]
    loads = sum(one.kind == "load" for one in models)
    for what, count in (
        ("friction and contact models", len(models) - loads),
        ("load elements", loads),
    ):
        before = re.sub(rf"\d+(?= {what})", str(count), before)
    return f"{before}{begin}\n{BEGINS[begin](models)}\n{END}{after}"
