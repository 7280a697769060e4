"""The table of models, as the README shows it: made from the descriptions, never by hand."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from . import BristleError
from .description import Description
from .reading import read_description

BEGIN = "<!-- models: written by `PYTHONPATH=tools .venv/bin/python -m bristle table README.md` -->"
END = "<!-- end of models -->"


def model_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("[A-Z]*.toml"))


def models_table(descriptions: Iterable[Description]) -> str:
    lines = ["| FMU | the law in a line | states | modes | choose it when |", "|---|---|---|---|---|"]
    for one in descriptions:
        if not one.choose:
            raise BristleError(f"{one.file}: choose: is missing; its first text is shown in the table")
        states = sum(state.count for state in one.states)
        modes = "yes" if one.modes else "–"
        lines.append(f"| `{one.name}` | {one.title} | {states or '–'} | {modes} | {one.choose[0]} |")
    return "\n".join(lines)


def with_table(text: str, table: str) -> str:
    """A text with the table between its two marks renewed."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    for mark, found in ((BEGIN, begin), (END, end)):
        if not found:
            raise BristleError(f"the line {mark} is missing, so the place of the table is not known.")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def renewed(readme: Path, descriptions: Path) -> str:
    table = models_table(read_description(file) for file in model_files(descriptions))
    try:
        return with_table(readme.read_text(encoding="utf-8"), table)
    except UnicodeDecodeError:
        raise BristleError(f"{readme}: not a text in UTF-8.") from None
    except BristleError as error:
        raise BristleError(f"{readme}: {error}") from None
