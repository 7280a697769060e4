"""The table of models, as the README shows it: made from the descriptions, never by hand."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from bristle import BristleError
from .description import MODEL_KINDS, Description
from .reading import read_description

BEGIN = "<!-- models: written by `.venv/bin/python -m generator table README.md` -->"
END = "<!-- end of models -->"


def model_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("[A-Z]*.toml"))


def twins_of(file: Path) -> list[str]:
    """The names of a model's twins: those of the files in twins/ whose interface it includes."""
    included = tomllib.loads(file.read_text(encoding="utf-8")).get("include", [])
    twins = sorted((file.parent / "twins").glob("*.toml"))
    return [
        file.stem + twin.stem
        for twin in twins
        if tomllib.loads(twin.read_text(encoding="utf-8"))["of"] in included
    ]


def models_table(descriptions: Iterable[Description]) -> str:
    """A table for each kind of model, with its caption."""
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


def _needs(one: Description) -> str:
    """What an element asks of its host beside normal force and velocity: inputs, and events where
    it has modes."""
    needs = [
        f"`{entry.name}`"
        for entry in one.inputs
        if entry.name not in ("normalForce", "relativeVelocity")
    ]
    return ", ".join(needs + (["state events"] if one.modes else [])) or "–"


def with_table(text: str, table: str) -> str:
    """A text with the table between its two marks renewed."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    for mark, found in ((BEGIN, begin), (END, end)):
        if not found:
            raise BristleError(
                f"the line {mark} is missing, so the place of the table is not known."
            )
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def renewed(readme: Path, descriptions: Path) -> str:
    table = models_table(read_description(file) for file in model_files(descriptions))
    try:
        return with_table(readme.read_text(encoding="utf-8"), table)
    except UnicodeDecodeError:
        raise BristleError(f"{readme}: not a text in UTF-8.") from None
    except BristleError as error:
        raise BristleError(f"{readme}: {error}") from None
