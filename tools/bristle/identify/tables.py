"""Reads a measured table as it comes: comma, semicolon, tab or blanks between the cells, decimal comma, units in the header."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, time
from pathlib import Path

import numpy as np

from .. import BristleError
from .units import NUMBER, Unit, known_units, unit_of

SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", None: "blanks"}
COMMENTS = ("#", "%", "//", "!")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eEdD][+-]?\d+)?$")
_CLOCK = re.compile(r"(\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d(:\d\d([.,]\d+)?)?Z?")
_WORDS = {"nan", "inf", "-inf", "+inf", "infinity", "-infinity", "null", "none", "na", "n/a", "#n/a", "-nan", "1.#ind", "1.#qnan"}


@dataclass(frozen=True)
class Column:
    """A column that is read when it is used, so that others may hold texts or gaps."""

    file: Path
    title: str  # as in the file
    name: str  # without the unit
    unit_text: str | None  # None: none is given
    lines: tuple[int, ...]
    cells: tuple[str, ...]

    @property
    def unit(self) -> Unit | None:
        return None if self.unit_text is None else unit_of(self.unit_text)

    @property
    def values(self) -> np.ndarray:
        """The numbers in SI units; an error that names file, line and column where there are none."""
        if self.unit_text is not None and self.unit is None:
            known = f"known are {known_units()}; if it is no unit, take the brackets away"
            raise BristleError(f'{self.file}: column "{self.title}": the unit {self.unit_text} is not known; {known}.')
        try:
            numbers = np.array(self.cells, dtype=float)
        except ValueError:
            numbers = None
        if numbers is None or not np.isfinite(numbers).all():
            pairs = zip(self.lines, self.cells, strict=True)
            numbers = np.array([_value(f'{self.file}: line {line}, column "{self.title}"', cell) for line, cell in pairs])
        return numbers * (self.unit.factor if self.unit else 1.0)


@dataclass(frozen=True)
class Table:
    file: Path
    columns: tuple[Column, ...]
    lines: tuple[int, ...]  # number of each row's line in the file

    @property
    def titles(self) -> str:
        return ", ".join(f'"{column.title}"' for column in self.columns)


def read_table(file: Path) -> Table:
    """The columns of a file, by the titles of its header, or numbered where it has none."""
    rows = _rows(_text(file), file)
    head, units, data = _split(rows, file)
    width = len(head) or len(data[0][1])
    usual = Counter(len(cells) for _, cells in data).most_common(1)[0][0]
    for line, cells in data:
        if len(cells) == usual < width:
            cells += [""] * (width - usual)  # columns that are empty from top to bottom, as LabVIEW's comments
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if len(cells) != width:
            raise BristleError(f"{file}: line {line} has {len(cells)} cells, but the {'header' if head else 'first line'} has {width}.")
    titles = head or [str(i + 1) for i in range(width)]
    lines = tuple(line for line, _ in data)
    contents = zip(*(cells for _, cells in data))
    columns = []
    for i, (title, cells) in enumerate(zip(titles, contents, strict=True)):
        name, unit = _name_and_unit(title)
        columns.append(Column(file, title, name, units[i] if units else unit, lines, cells))
    return Table(file, tuple(columns), lines)


def _text(file: Path) -> str:
    data = file.read_bytes()
    if not data.strip():
        raise BristleError(f"{file}: the file is empty.")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors="replace")
    if b"\0" in data[:4096]:
        raise BristleError(f"{file}: this is not a text file; a table of numbers with a header is needed.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _rows(text: str, file: Path) -> list[tuple[int, list[str]]]:
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    first_numbers = next((k for k, (_, line) in enumerate(lines) if _is_data(line)), None)
    if first_numbers is None:
        raise BristleError(f"{file}: there is no line of numbers in it.")
    sample = [line for _, line in lines[first_numbers : first_numbers + 20]]
    separator = _separator(sample)
    kept = [(i, line) for k, (i, line) in enumerate(lines) if k >= first_numbers - 2]
    rows = []
    for i, line in kept:
        bare = line.strip()
        if bare.startswith(COMMENTS):
            if i > lines[first_numbers][0]:
                continue
            bare = line = bare.lstrip("#%!/ ")  # the header may stand in a comment
        quoted = '"' in line and separator is not None
        cells = next(csv.reader(io.StringIO(line), delimiter=separator)) if quoted else line.split(separator)
        cells = [cell.strip() for cell in cells]
        rows.append((i, _with_units_joined(cells) if separator is None else cells))
    return [(i, cells) for i, cells in rows if cells]


def _with_units_joined(cells: list[str]) -> list[str]:
    """In a header parted by blanks, a unit in brackets belongs to the title before it."""
    joined: list[str] = []
    for cell in cells:
        if joined and cell.startswith(("[", "(")):
            joined[-1] += f" {cell}"
        else:
            joined.append(cell)
    return joined


def _is_data(line: str) -> bool:
    cells = [cell.strip(' "') for cell in re.split(r"[;\t ]+|,(?=\S)", line.strip()) if cell.strip(' "')]
    return bool(cells) and not line.strip().startswith(COMMENTS) and sum(map(_is_number, cells)) * 2 > len(cells)


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.match(cell) or _CLOCK.fullmatch(cell))


def _clock(cell: str) -> float | None:
    """The seconds of a date and time such as 2024-05-02T12:00:00.25, or of a time of the day."""
    plain = cell.strip().replace("/", "-").replace(",", ".")
    try:
        return (datetime.fromisoformat(plain).replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()
    except ValueError:
        pass
    try:
        moment = time.fromisoformat(plain)
    except ValueError:
        return None
    return 3600.0 * moment.hour + 60.0 * moment.minute + moment.second + 1e-6 * moment.microsecond


def _separator(lines: list[str]) -> str | None:
    """What parts the cells: the sign that gives every line the same number of cells, all of them numbers."""
    for separator in ("\t", ";"):
        if all(separator in line for line in lines):
            return separator
    blanks = all(len(line.split()) > 1 and all(_is_number(cell) for cell in line.split()) for line in lines)
    if blanks or not any("," in line for line in lines):
        return None
    return ","


def _split(rows: list[tuple[int, list[str]]], file: Path) -> tuple[list[str], list[str] | None, list[tuple[int, list[str]]]]:
    """The titles, a line of units below them if there is one, and the lines of numbers."""
    start = next((k for k, (_, cells) in enumerate(rows) if sum(map(_is_number, cells)) * 2 > len([c for c in cells if c])), None)
    if start is None:
        raise BristleError(f"{file}: there is no line of numbers in it.")
    data = rows[start:]
    above = [cells for _, cells in rows[:start]]
    if not above:
        return [], None, data
    if len(above) > 1 and len(above[-1]) == len(above[-2]) and all(unit_of(cell) for cell in above[-1]):
        return above[-2], above[-1], data
    return above[-1], None, data


_SNAKES = (r"(.+)_([^_]+_per_[^_]+)$", r"(.+)_([^_]+_[^_]+)$", r"(.+)_([^_]{2,})$")  # a single letter may as well be an index: F_N, x_m


_BRACKETS = re.compile(r"[\[({<]([^\[\](){}<>]*)[\])}>]")
_REMARKS = """
raw filtered unfiltered filt smoothed smooth lowpass lp averaged avg mean corrected uncorrected calibrated zeroed offset resampled interpolated
actual act ist measured meas gemessen calculated calc computed derived estimated est setpoint soll target command commanded reference ref
sensor encoder loadcell cell channel ch axis achse motor drive left right upper lower front rear absolute abs relative rel utc t local
gefiltert roh links rechts oben unten friction reibung normal tangential
""".split()


def _is_remark(bracket: re.Match[str]) -> bool:
    """Whether what stands in brackets is a remark and no unit: (filtered), (Ch 3), (second run). One word that is not known may be either."""
    text = bracket[1].strip()
    if (words := re.findall(r"[^\W\d_]+", text.lower())) and words[0] not in _REMARKS:
        return bracket[0][0] == "(" and " " in text and not re.search(r"[/^·*²]", text) and not _unit_text(text.split()[-1])
    return bool(words) or text.isdigit()


def _name_and_unit(title: str) -> tuple[str, str | None]:
    """A title such as "Position [mm]", "Position (mm)", "Position / mm", "Position, mm", x/mm, "v mm/s", position_mm or vel_mm_s."""
    brackets = list(_BRACKETS.finditer(title))
    for found in reversed(brackets):  # a unit that is known, wherever it stands: "Force [N] (filtered)", "Force (N, filtered)"
        unit, _, remark = found[1].partition(",")
        if unit_of(unit) and found[0] != "(1)":
            parts = (title[: found.start()].strip().rstrip("/_- "), remark.strip(), title[found.end() :].strip(" _"))
            return " ".join(part for part in parts if part) or title, unit.strip()
    if brackets and brackets[-1].end() == len(title.rstrip()) and not _is_remark(brackets[-1]):
        return title[: brackets[-1].start()].strip().rstrip("/_- ") or title, brackets[-1][1].strip()
    for pattern in (r"(.*\S)\s+/\s*(\S+)$", r"(.*?),\s*(\S+)$", r"(.*\S)\s+in\s+(\S+)$"):
        if (found := re.match(pattern, title)) and (not brackets or unit_of(found[2])):
            return found[1].strip() or title, found[2].strip()
    # only where it is a unit for sure
    for pattern in (r"(.*\S)\s+([^\s\d-]\S+)$", *_SNAKES, r"([^/]+)/(\S+)$"):
        if not title.endswith(")") and unit_of(title) is None and (found := re.match(pattern, title)) and (unit := _unit_text(found[2])):
            return found[1].strip(" _"), unit
    return title, None


def _unit_text(text: str) -> str | None:
    """A unit as it may stand at the end of a title: mm/s, mm_s, mm_per_s, N_m."""
    plain = text.replace("_per_", "/")
    for unit in (plain, plain.replace("_", "/"), plain.replace("_", "·")):
        if (known := unit_of(unit)) and known.kind != NUMBER and text != "in":
            return unit
    return None


def _value(where: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        bare = cell.strip('"').replace(",", ".") if cell.count(",") == 1 and "." not in cell else cell.strip('"')
        bare = bare.replace("D", "e").replace("d", "e").replace("−", "-") if bare[:1].isdigit() or bare[:1] in "+-−." else bare
        try:
            value = float(bare)
        except ValueError:
            value = _clock(cell) if _CLOCK.fullmatch(cell) else None
    if value is None and not cell:
        raise BristleError(f"{where}: the cell is empty.")
    if value is None and cell.lower() not in _WORDS:
        raise BristleError(f'{where}: "{cell}" is not a number.')
    if value is None or not np.isfinite(value):
        raise BristleError(f"{where}: {cell} is not a finite number; take the line out, gaps in time are bridged.")
    return value
