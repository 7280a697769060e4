"""Tables of numbers as text: a line of names, then one line per sample."""

from __future__ import annotations

from numpy.typing import ArrayLike
import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from . import BristleError

DELIMITERS = "\t;,"


@dataclass(frozen=True)
class Table:
    """Columns by the names in the header."""

    file: Path
    columns: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise BristleError(
                f"{self.file}: no column {name}; there are {', '.join(self.columns)}."
            )
        return self.columns[name]


def read_table(file: Path) -> Table:
    """Reads columns separated by tabs, semicolons or commas; with the first two a comma may be the
    decimal sign. Empty lines and lines that begin with # are skipped. Every entry has to be a
    number; NaN is none.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise BristleError(f"{file}: is not UTF-8 text.") from None
    lines = [
        (i, line)
        for i, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.startswith("#")
    ]
    if not lines:
        raise BristleError(f"{file}: is empty.")
    delimiter = next((sign for sign in DELIMITERS if sign in lines[0][1]), ",")
    names = [name.strip() for name in _cells(*lines[0], delimiter, file)]
    for name, count in Counter(names).items():
        if not name or count > 1:
            raise BristleError(
                f"{file}, line {lines[0][0]}:"
                f" {f'two columns are named {name}' if name else 'a column has no name'}."
            )
    values = np.empty((len(lines) - 1, len(names)))
    for i, (number, line) in enumerate(lines[1:]):
        row = _cells(number, line, delimiter, file)
        if len(row) != len(names):
            raise BristleError(
                f"{file}, line {number}: there are {len(row)} entries for {len(names)} columns."
            )
        for j, entry in enumerate(row):
            values[i, j] = _number(
                entry if delimiter == "," else entry.replace(",", "."), file, number, names[j]
            )
    if not len(values):
        raise BristleError(f"{file}: there are no numbers below the names.")
    return Table(file, {name: values[:, j].copy() for j, name in enumerate(names)})


def _cells(number: int, line: str, delimiter: str, file: Path) -> list[str]:
    """Splits one line, so that an unclosed quote affects no other."""
    try:
        return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True, strict=True))
    except csv.Error as error:
        reason = "a quote is not closed" if "end of data" in str(error) else error
        raise BristleError(f"{file}, line {number}: {reason}.") from None


def _number(entry: str, file: Path, line: int, name: str) -> float:
    try:
        value = float(entry)
    except ValueError:
        raise BristleError(
            f'{file}, line {line}, column {name}: "{entry.strip()}" is not a number.'
        ) from None
    if not np.isfinite(value):
        raise BristleError(f"{file}, line {line}, column {name}: {entry.strip()} is not finite.")
    return value


def write_table(handle: IO[str], columns: Mapping[str, ArrayLike]) -> None:
    """Writes numbers with all their digits; of a vector one column per element."""
    flat: dict[str, np.ndarray] = {}
    for name, values in columns.items():
        numbers = np.asarray(values)
        parts = (
            {name: numbers}
            if numbers.ndim == 1
            else {f"{name}[{i + 1}]": part for i, part in enumerate(numbers.T)}
        )
        flat |= parts
    handle.write(",".join(flat) + "\n")
    for row in zip(*(part.tolist() for part in flat.values()), strict=True):
        handle.write(",".join(map(repr, row)) + "\n")
