"""Reads a measured table in its usual forms: comma, semicolon, tab, bar or blanks between the
cells, decimal comma, units in the header."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ... import BristleError
from .cells import NotANumber, decimal_signs, is_missing, is_number, numbers
from .units import NUMBER, Unit, known_units, unit_of

COMMENTS = ("#", "%", "//", "!")
FIRST_LINES = 400  # of a longer file, to find its titles and its separator
MOST_COLUMNS = 1000  # of which a record needs four: each is searched for its unit and its role
HEAD = 8  # lines above the numbers to search for titles and units
Row = tuple[int, list[str]]  # number of the line in the file, and its cells


@dataclass(frozen=True, eq=False)
class Column:
    """A column that is read only when used, so that others may hold texts or gaps."""

    file: Path
    title: str  # as in the file
    name: str  # without the unit
    unit_text: str | None  # None: none is given
    lines: Sequence[int]
    cells: tuple[str, ...]
    decimal_signs: frozenset[str] = frozenset()  # of the whole table
    read: np.ndarray | None = None  # its numbers, if the whole table was read at once

    @property
    def unit(self) -> Unit | None:
        return None if self.unit_text is None else unit_of(self.unit_text)

    @property
    def values(self) -> np.ndarray:
        """The numbers in SI units, NaN where one is missing; an error names file, line and column
        of anything else."""
        if self.unit_text is not None and self.unit is None:
            known = f"known are {known_units()}; if it is no unit, remove it from the title"
            raise BristleError(
                f'{self.file}: column "{self.title}": the unit {self.unit_text} is not known;'
                f" {known}."
            )
        try:
            values = (
                numbers(self.cells, set(self.decimal_signs)) if self.read is None else self.read
            )
        except NotANumber as error:
            raise BristleError(
                f'{self.file}: line {self.lines[error.index]}, column "{self.title}":'
                f" {error.reason}"
            ) from None
        return values * (self.unit.factor if self.unit else 1.0)


@dataclass(frozen=True)
class Table:
    file: Path
    columns: tuple[Column, ...]
    lines: Sequence[int]  # number of each row's line in the file

    @property
    def titles(self) -> str:
        return ", ".join(f'"{column.title}"' for column in self.columns)


def read_table(file: Path) -> Table:
    """Reads the columns of a file, by the titles of its header, or numbered if it has none."""
    text = _text(file)
    try:
        return _large_table(text, file) or _table(text, file)
    except csv.Error as error:
        raise BristleError(f"{file}: {error}.") from None


def _large_table(text: str, file: Path) -> Table | None:
    """Reads a file with nothing but numbers below its header at once; None for any other. The first
    lines give titles and separator. All others must have the same number of cells, and one clear
    decimal sign; any other file is left to the reader of lines, with its messages.
    """
    lines = text.rstrip("\r\n").replace("\r\n", "\n").split("\n")
    if len(lines) <= FIRST_LINES:
        return None
    head = "\n".join(lines[:FIRST_LINES])
    try:
        first = _table(head, file)
    except BristleError:
        return None
    begin = first.lines[0]
    values = _all_numbers(lines[begin - 1 :], _separator(_numbered(head)))
    if values is None or values.shape != (len(lines) - begin + 1, len(first.columns)):
        return None
    numbers_of_lines = range(begin, len(lines) + 1)
    columns = [
        replace(one, lines=numbers_of_lines, cells=(), read=values[:, i])
        for i, one in enumerate(first.columns)
    ]
    return Table(file, tuple(columns), numbers_of_lines)


def _all_numbers(lines: list[str], separator: str | None) -> np.ndarray | None:
    """Returns the numbers of uniform lines; None if they are not uniform."""
    text = "\n".join(lines)
    signs = decimal_signs([text.replace(separator or " ", "\n").replace("\n ", "\n")])
    if signs == {","} and separator != "," and "." not in text:
        lines = text.replace(",", ".").split("\n")
    elif signs != {"."} or (separator != "," and "," in text):
        return None
    try:
        values = np.loadtxt(lines, delimiter=separator, comments=None, ndmin=2)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def _numbered(text: str) -> list[tuple[int, str]]:
    return [(i, line) for i, line in _lines(text) if line.strip()]


def _table(text: str, file: Path) -> Table:
    """Reads a table line by line."""
    lines = _numbered(text)
    separator = _separator(lines)
    split = [(i, _cells(line, separator)) for i, line in lines if not _is_comment(line)]
    rows = [(i, cells) for i, cells in split if cells]
    first = _first_row(rows, file)
    data = rows[first:]
    usual = Counter(len(cells) for _, cells in data).most_common(1)[0][0]
    head, units = _head([line for i, line in lines if i < data[0][0]][-HEAD:], separator, usual)
    width = len(head) or len(data[0][1])
    if width > MOST_COLUMNS:
        raise BristleError(
            f"{file}: there are {width} columns, more than {MOST_COLUMNS}; rows and columns seem to"
            " be exchanged."
        )
    for line, cells in data:
        if len(cells) == usual < width and separator is not None:
            # entirely empty columns, as LabVIEW's comments
            cells += [""] * (width - usual)
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if len(cells) != width:
            what = (
                f"line {line} has {len(cells)} cell{'s' if len(cells) != 1 else ''}, but the"
                f" {'header' if head else 'first line'} has {width}"
            )
            is_doubled = separator == "," and head and len(cells) == 2 * width
            if is_doubled:
                what += "; the comma seems to be both decimal sign and separator"
            raise BristleError(f"{file}: {what}.")
    titles = head or [str(i + 1) for i in range(width)]
    numbers_of_lines = tuple(line for line, _ in data)
    contents = list(zip(*(cells for _, cells in data)))
    signs = frozenset().union(*map(decimal_signs, contents))
    columns = []
    for i, (title, texts) in enumerate(zip(titles, contents, strict=True)):
        name, unit = _name_and_unit(title)
        columns.append(
            Column(
                file,
                title,
                name,
                (units[i] or None) if units else unit,
                numbers_of_lines,
                texts,
                signs,
            )
        )
    return Table(file, tuple(columns), numbers_of_lines)


def _text(file: Path) -> str:
    data = file.read_bytes()
    if not data.strip(b"\0 \t\r\n\x1a"):
        raise BristleError(f"{file}: the file is empty.")
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise BristleError(
            f"{file}: this is not a text file but a workbook or an archive; save the table as CSV."
        )
    if data.startswith((b"MATLAB 5.0", b"\x89HDF")):
        raise BristleError(
            f"{file}: this is not a text file but one of MATLAB or HDF5; write the table as CSV"
            " (writetable in MATLAB)."
        )
    text = data.decode(coding, errors="replace") if (coding := _wide_coding(data)) else None
    if text is None:
        data = data.rstrip(b"\0\x1a")  # a log file that was allocated longer than it was filled
        if b"\0" in data[:4096]:
            raise BristleError(
                f"{file}: this is not a text file; a table of numbers with a header is needed."
            )
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", errors="replace")
    return text.rstrip("\0\x1a")


def _wide_coding(data: bytes) -> str | None:
    """Returns the encoding of a text with two or four bytes per character."""
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = data[:4096]
    low, high = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if half > 8 and (low == 0 or high == 0) and max(low, high) > 0.8 * half:
        return "utf-16-le" if high else "utf-16-be"
    return None


def _lines(text: str) -> list[tuple[int, str]]:
    """Returns the lines with their numbers; a quoted title over several lines is one."""
    bare = text.split("\n") if "\n" in text else text.split("\r")
    lines = []
    i = 0
    while i < len(bare):
        count, line = 1, bare[i]
        if line.count('"') % 2 and i < 10 * HEAD:
            count = next(
                (k for k in range(2, 6) if "".join(bare[i : i + k]).count('"') % 2 == 0), 1
            )
            line = " ".join(part.strip() for part in bare[i : i + count])
        lines.append((i + 1, line))
        i += count
    return lines


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENTS)


def _cells(line: str, separator: str | None) -> list[str]:
    if '"' in line and separator is not None:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
    return [cell.strip() for cell in line.split(separator)]


def _separator(lines: list[tuple[int, str]]) -> str | None:
    """Returns the separator of the cells; None for blanks. It is found in the middle of the file,
    where there are no titles."""
    texts = [line for _, line in lines if not _is_comment(line)]
    middle = texts[len(texts) // 2 :][:20] or texts
    for separator in ("\t", ";", "|"):
        if middle and all(separator in line.strip(" ") for line in middle):
            return separator
    blanks = all(
        len(cells := line.split()) > 1
        and all(is_number(cell) or is_missing(cell) for cell in cells)
        for line in middle
    )
    return None if blanks or not any("," in line for line in middle) else ","


def _first_row(rows: list[Row], file: Path) -> int:
    """Finds where the numbers begin: the first line that is mostly numbers and as wide as those in
    the middle of the file."""
    middle = Counter(len(cells) for _, cells in rows[len(rows) // 2 :][:20] if _is_data(cells))
    usual = middle.most_common(1)[0][0] if middle else None
    start = next(
        (k for k, (_, cells) in enumerate(rows) if _is_data(cells) and len(cells) == usual), None
    )
    if start is None:
        with_unit = next((cell for _, cells in rows for cell in cells if _has_unit(cell)), None)
        hint = (
            f'; "{with_unit}" has its unit in the cell, and it belongs into the header'
            if with_unit
            else ""
        )
        raise BristleError(f"{file}: there is no line of numbers in it{hint}.")
    return start


def _is_data(cells: list[str]) -> bool:
    known = sum(map(is_number, cells))
    return known > 0 and 2 * (known + sum(1 for cell in cells if cell and is_missing(cell))) > sum(
        1 for cell in cells if cell
    )


def _has_unit(cell: str) -> bool:
    number, _, unit = cell.partition(" ")
    return bool(unit) and is_number(number) and unit_of(unit) is not None


def _head(
    lines: list[str], separator: str | None, width: int
) -> tuple[list[str], list[str] | None]:
    """Returns the titles and the line of units below them, if there is one; a header may be in a
    comment, with a remark below it."""
    above = [
        cells
        for line in lines
        if any(cells := _titles(line, separator, width))
        and (len(cells) >= width or not _is_comment(line))
    ]
    for k in range(len(above) - 1, 0, -1):
        if len(above[k]) == len(above[k - 1]) >= width and _are_units(above[k]):
            titles = above[k - 1]
            # "Friction" and "Normal" above "force" and "force"
            if k > 1 and len(set(titles)) < len(titles) and len(above[k - 2]) == len(titles):
                titles = [
                    f"{one} {two}".strip() for one, two in zip(above[k - 2], titles, strict=True)
                ]
            return titles, above[k]
    wide = [cells for cells in above if len(cells) >= width]
    return (wide or [cells for cells in above if len(cells) > 1] or [[]])[-1], None


def _titles(line: str, separator: str | None, width: int) -> list[str]:
    """Returns the cells of a line above the numbers. If blanks separate them, pairs of blanks or
    brackets of units may, so that there are as many titles as columns."""
    line = line.strip().lstrip("#%!/ ") if _is_comment(line) else line
    if separator is not None:
        cells = _cells(line, separator)
        names, units = cells[::2], cells[1::2]
        # Time, s,Force, N
        if separator == "," and len(cells) == 2 * width and all(map(unit_of, units)):
            return [f"{name}, {unit}" for name, unit in zip(names, units, strict=True)]
        return cells
    bare = line.strip()
    ways = [
        _with_units_joined(bare.split()),
        re.split(r"\s{2,}|\t", bare),
        re.split(r"(?<=[\])])\s+", bare),
    ]
    ways += [[cell.strip() for cell in bare.split(sign)] for sign in ",;" if sign in bare]
    ways += [next(csv.reader([bare], delimiter=" ", skipinitialspace=True))] if '"' in bare else []
    return next((cells for cells in ways if len(cells) == width), ways[0])


def _with_units_joined(cells: list[str]) -> list[str]:
    """Joins, in a header separated by blanks, a unit in brackets with the title before it."""
    joined: list[str] = []
    for cell in cells:
        if joined and cell.startswith(("[", "(")):
            joined[-1] += f" {cell}"
        else:
            joined.append(cell)
    return joined


def _are_units(cells: list[str]) -> bool:
    """Checks whether a line gives units: most of its cells are units."""
    filled = [cell for cell in cells if cell]
    return 2 * sum(1 for cell in filled if unit_of(cell)) > len(filled) > 0


# a single letter may as well be an index: F_N, x_m
_SNAKES = (r"(.+)_([^_]+_per_[^_]+)$", r"(.+)_([^_]+_[^_]+)$", r"(.+)_([^_]{2,})$")


_BRACKETS = re.compile(r"[\[({<]([^\[\](){}<>]*)[\])}>]")
_REMARKS = """
raw filtered unfiltered filt smoothed smooth lowpass lp averaged avg mean corrected uncorrected
calibrated zeroed offset resampled interpolated actual act ist measured meas gemessen calculated
calc computed derived estimated est setpoint soll target command commanded reference ref sensor
encoder loadcell cell channel ch axis achse motor drive left right upper lower front rear
absolute abs relative rel utc t local gefiltert roh links rechts oben unten friction reibung
normal tangential
""".split()


def _is_remark(bracket: re.Match[str]) -> bool:
    """Checks whether a text in brackets is a remark and no unit: (filtered), (Ch 3), (second run),
    [hh:mm:ss]. A single unknown word may be either."""
    text = bracket[1].strip()
    if ":" in text:
        return True
    if (words := re.findall(r"[^\W\d_]+", text.lower())) and words[0] not in _REMARKS:
        return (
            bracket[0][0] == "("
            and " " in text
            and not re.search(r"[/^·*²]", text)
            and not _unit_text(text.split()[-1])
        )
    return bool(words) or text.isdigit()


def _name_and_unit(title: str) -> tuple[str, str | None]:
    """Splits a title such as "Position [mm]", "Position (mm)", "Position / mm", "Position, mm",
    x/mm, "v mm/s", position_mm or vel_mm_s."""
    brackets = list(_BRACKETS.finditer(title))
    # a known unit, in any place: "Force [N] (filtered)", "Force (N, filtered)"
    for found in reversed(brackets):
        unit, _, remark = found[1].partition(",")
        if unit_of(unit) and found[0] != "(1)":
            parts = (
                title[: found.start()].strip().rstrip("/_- "),
                remark.strip(),
                title[found.end() :].strip(" _"),
            )
            return " ".join(part for part in parts if part) or title, unit.strip()
    if brackets and brackets[-1].end() == len(title.rstrip()) and not _is_remark(brackets[-1]):
        return (
            title[: brackets[-1].start()].strip().rstrip("/_- ") or title,
            brackets[-1][1].strip(),
        )
    for pattern in (r"(.*\S)\s+/\s*(\S+)$", r"(.*?),\s*(\S+)$", r"(.*\S)\s+in\s+(\S+)$"):
        if (match := re.match(pattern, title)) and (not brackets or unit_of(match[2])):
            return match[1].strip() or title, match[2].strip()
    # only if it is certainly a unit
    for pattern in (r"(.*\S)\s+([^\s\d-]\S+)$", *_SNAKES, r"([^/]+)/(\S+)$"):
        if (
            not title.endswith(")")
            and unit_of(title) is None
            and (match := re.match(pattern, title))
            and (known := _unit_text(match[2]))
        ):
            return match[1].strip(" _"), known
    return title, None


def _unit_text(text: str) -> str | None:
    """Returns a unit as written at the end of a title: mm/s, mm_s, mm_per_s, N_m."""
    plain = text.replace("_per_", "/")
    for unit in (plain, plain.replace("_", "/"), plain.replace("_", "·")):
        if (known := unit_of(unit)) and known.kind != NUMBER and text != "in":
            return unit
    return None
