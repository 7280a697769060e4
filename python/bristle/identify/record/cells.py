"""Reads cells of a measured table: numbers with either decimal sign and groups of thousands, clock
times, marks of missing values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

import numpy as np

GROUPING = " '’\u00a0\u2009\u202f"  # beside the sign that is not the decimal one
MISSING = {
    "",
    *"""
- -- --- – — ? * nan -nan +nan nan(ind) -nan(ind) 1.#ind -1.#ind 1.#qnan inf +inf -inf infinity
-infinity ∞ -∞ null none na n/a n.a. #n/a #na #nv #wert! #value! #div/0! #num! #ref! #name?
""".split(),
}
_NUMBER = re.compile(r"[+\-−]?(\d+([.,]\d*)?|[.,]\d+)([eEdD][+-]?\d+)?")
_GROUPED = re.compile(
    rf"[+\-−]?\d{{1,3}}(?:([.,{GROUPING}])\d{{3}})(?:\1\d{{3}})*(?:(?!\1)[.,]\d*)?"
)
# 1,234: thousands or thousandths
_EITHER = re.compile(r"^[+\-−]?[1-9]\d{0,2}[.,]\d{3}$", re.MULTILINE)
# beside 1.234 in a column a sign of a thousands separator
_SHORT = re.compile(r"^[+\-−]?[1-9]\d{1,2}$", re.MULTILINE)
_MONTHS = {
    name: month
    for month, names in enumerate(
        "jan,jän feb mar,mär,mrz apr may,mai jun jul aug sep oct,okt nov dec,dez".split(), 1
    )
    for name in names.split(",")
}
_DATE = (
    r"(?:(?P<year>\d{4})[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)|(?P<first>\d\d?)(?P<sign>[-/."
    r" ])(?P<second>\d\d?|[^\W\d_]{3})[-/. ](?P<last>\d{4}))"
)
_TIME = (
    r"(?:(?P<hour>\d\d?):)?(?P<minute>\d\d?):(?P<seconds>\d\d?)(?:[.,:](?P<fraction>\d+))?(?:"
    r" ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_CLOCK = re.compile(
    rf"(?:{_DATE}(?:[T, ]+{_TIME}(?:Z|"
    rf" ?(?P<zone>[+-]\d\d):?(?P<zone_minutes>\d\d))?)?|{_TIME.replace('?P<', '?P<bare_')}Z?)"
)
DAY = 86400.0


def is_number(cell: str) -> bool:
    """Checks whether a cell holds a number, or a clock time."""
    return bool(_NUMBER.fullmatch(cell) or _GROUPED.fullmatch(cell) or _CLOCK.fullmatch(cell))


def is_missing(cell: str) -> bool:
    return cell.lower() in MISSING


def decimal_signs(cells: Sequence[str]) -> set[str]:
    """Returns the signs, point or comma, that are clearly the decimal one in some cell: 0,5 or
    1.234,5, but not 1,234."""
    text = "\n".join(cells)
    return {
        sign
        for sign, other in (".,", ",.")
        if (sign in text or re.search(rf"\{other}\d{{3}}\{other}", text))
        and _is_decimal(sign, text)
    }


def _is_decimal(sign: str, text: str) -> bool:
    mine, other = re.escape(sign), "," if sign == "." else re.escape(".")
    exponent = r"[eEdD][+-]?\d+"
    alone = (
        rf"(?:\d*{mine}(?:\d{{0,2}}|\d{{4,}})|(?:0+|\d{{4,}}|){mine}\d+)(?:{exponent})?"
        rf"|\d*{mine}\d*{exponent}"
    )
    grouped = (
        rf"\d{{1,3}}(?:[{other}{GROUPING}]\d{{3}})+{mine}\d*|\d{{1,3}}(?:{other}\d{{3}}){{2,}}"
    )
    return re.search(rf"^[+\-−]?(?:{alone}|{grouped})$", text, re.MULTILINE) is not None


class NotANumber(Exception):
    """The first cell that cannot be read, and the reason."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(index, reason)
        self.index, self.reason = index, reason


def numbers(cells: Sequence[str], signs: set[str]) -> np.ndarray:
    """Reads the numbers, NaN where one is missing; the decimal sign is that of the column or, if it
    shows none, the one in `signs` of the table."""
    text = "\n".join(cells)
    if not signs and (either := _EITHER.search(text)) and "." in either[0] and _SHORT.search(text):
        raise NotANumber(cells.index(either[0]), _doubt(either[0]))
    first = next((cell for cell in cells if not is_missing(cell)), "")
    if ":" in first and _CLOCK.fullmatch(first):
        return clock_seconds(cells)
    known = decimal_signs(cells) or signs
    decimal = next(iter(known)) if len(known) == 1 else None
    if decimal == ",":
        text = text.replace(".", "?").replace(",", ".")  # there a point separates thousands
    try:
        return _finite(np.array(text.split("\n"), dtype=float))
    except ValueError:
        return _finite(np.array([_number(i, cell, decimal) for i, cell in enumerate(cells)]))


def _doubt(cell: str) -> str:
    bare = cell.replace(".", "").replace(",", "")
    return (
        f'"{cell}" may be {bare} or {cell.replace(",", ".")}: write it without a sign between the'
        " thousands."
    )


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), values, np.nan)


def _number(index: int, cell: str, decimal: str | None) -> float:
    if is_missing(cell):
        return np.nan
    cell = cell.replace("−", "-")
    if decimal is None and "," in cell and _EITHER.match(cell):
        raise NotANumber(index, _doubt(cell))
    if _NUMBER.fullmatch(cell) and not (decimal and decimal not in cell and _EITHER.match(cell)):
        return float(cell.replace(",", ".").replace("D", "e").replace("d", "e"))
    if _GROUPED.fullmatch(cell):
        sign = decimal or ("." if cell.rfind(".") > cell.rfind(",") else ",")
        bare = re.sub(rf"[{GROUPING}{',' if sign == '.' else '.'}]", "", cell).replace(",", ".")
        if bare.count(".") < 2:
            return float(bare)
    raise NotANumber(index, f'"{cell}" is not a number.')


def clock_seconds(cells: Sequence[str]) -> np.ndarray:
    """Returns seconds since the first time, with dates or without; where a time without a date
    falls back by half a day, midnight has passed."""
    matches = []
    for i, cell in enumerate(cells):
        match = _CLOCK.fullmatch(cell)
        if match is None and not is_missing(cell):
            raise NotANumber(i, f'"{cell}" is not a time like those before it.')
        matches.append(match)
    orders = [
        values
        for day_first in (False, True)
        if (values := _seconds(matches, day_first)) is not None
    ]
    if not orders:
        raise NotANumber(0, f'"{cells[0]}" is not a date.')
    # 3/4/2024 is March or April, and a record is short
    values = min(orders, key=lambda one: np.nanmax(one) - np.nanmin(one))
    there = np.flatnonzero(np.isfinite(values))
    if all(match is None or match["first"] is None and match["year"] is None for match in matches):
        values[there] += DAY * np.cumsum(np.concatenate(([0], np.diff(values[there]) < -DAY / 2)))
    return values - values[there[0]]


def _seconds(matches: Sequence[re.Match[str] | None], day_first: bool) -> np.ndarray | None:
    days: dict[tuple[str | None, ...], int] = {}  # each is parsed once
    values = np.full(len(matches), np.nan)
    for i, match in enumerate(matches):
        if match is None:
            continue
        key = match.group("year", "month", "day", "first", "sign", "second", "last")
        if key not in days:
            try:
                days[key] = _day(match, day_first)
            except (ValueError, KeyError):
                return None
        values[i] = DAY * (days[key] - next(iter(days.values()))) + _time_of_day(match)
    return values


def _day(match: re.Match[str], day_first: bool) -> int:
    if match["year"]:
        return date(int(match["year"]), int(match["month"]), int(match["day"])).toordinal()
    if not match["first"]:
        return 0
    year, one, second = int(match["last"]), int(match["first"]), match["second"]
    if not second.isdigit():
        return date(year, _MONTHS[second.lower()], one).toordinal()
    if day_first or match["sign"] != "/":
        return date(year, int(second), one).toordinal()
    return date(year, one, int(second)).toordinal()


def _time_of_day(match: re.Match[str]) -> float:
    begin = "" if match["minute"] else "bare_"
    hour, minute, seconds, fraction, half = match.group(
        *(begin + name for name in ("hour", "minute", "seconds", "fraction", "half"))
    )
    if minute is None:
        return 0.0
    if hour is None and fraction is None:
        # 12:30 is half past twelve, and 12:30.5 half a second after 12 minutes and 30
        hour, minute, seconds = (minute, seconds, "0")
    hours = int(hour or 0) % 12 + (12 if half in "Pp" else 0) if half else int(hour or 0)
    total = (
        3600.0 * hours
        + 60.0 * int(minute)
        + int(seconds)
        + (float(f"0.{fraction}") if fraction else 0.0)
    )
    zone = match["zone"]
    return (
        total
        if not zone
        else total
        - 3600.0 * int(zone)
        - (60.0 if zone[0] == "+" else -60.0) * int(match["zone_minutes"])
    )
