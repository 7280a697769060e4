"""A small plot as SVG: axes, grid, lines and a key. The same data give the same text."""

from __future__ import annotations

from typing import Any
import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from .simplify import kept_rows

STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#4a5a63}"
    ".paper{fill:#fff}.grid{stroke:#e3e8eb}.frame{stroke:#9fb0ba}"
    "path,polyline{fill:none;stroke-width:1.6;stroke-linejoin:round}"
    ".c0{stroke:#b23a4c}.c1{stroke:#2470a8}.c2{stroke:#3d8a4f}.c3{stroke:#9a6a12}"
    "@media(prefers-color-scheme:dark){text{fill:#b4c2ca}.paper{fill:#171c20}.grid{stroke:#2b343a}"
    ".frame{stroke:#5b6b75}"
    ".c0{stroke:#ef8a98}.c1{stroke:#6db3e4}.c2{stroke:#7ecb8f}.c3{stroke:#e0b45c}}"
)
BAR = "#2470a8"
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 58, 14, 14, 42
DIGIT = 7  # px, the width of one in a number
TITLE = 22  # px, the room of a title along an upright axis
TOLERANCE = 3e-4  # of the height: a tenth of a pixel


@dataclass(frozen=True)
class Line:
    x: np.ndarray
    y: np.ndarray
    label: str = ""
    time: np.ndarray | None = None  # the order of the points where x does not increase


@dataclass(frozen=True)
class Panel:
    lines: Sequence[Line]
    x_label: str
    y_label: str
    equal: bool = False  # the same scale along both axes


def drawing(panels: Sequence[Panel], width: int = 560, height: int = 320) -> str:
    """Draws panels one above the other, with one key below all of them."""
    labels = [line.label for line in panels[0].lines if line.label]
    total = height * len(panels) + (22 if labels else 0)
    parts = _opened(width, total)
    for i, panel in enumerate(panels):
        parts += _panel(panel, i * height, width, height)
    x = MARGIN_LEFT
    for i, label in enumerate(labels):
        parts.append(f'<path class="c{i}" d="M{x} {total - 12}h18"/>')
        parts.append(f'<text x="{x + 24}" y="{total - 8}">{escape(label)}</text>')
        x += 44 + 7 * len(label)
    return "\n".join([*parts, "</svg>", ""])


def _opened(width: int, height: int) -> list[str]:
    return [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}">'
        ),
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
    ]


def _panel(panel: Panel, offset: int, width: int, height: int) -> list[str]:
    x_low, x_high = _range([line.x for line in panel.lines], margin=0)
    y_low, y_high = _range([line.y for line in panel.lines], margin=0.05)
    left, right, top, bottom = (
        _room(ticks(y_low, y_high, 5)),
        width - MARGIN_RIGHT,
        offset + MARGIN_TOP,
        offset + height - MARGIN_BOTTOM,
    )
    if panel.equal:
        scale = max((x_high - x_low) / (right - left), (y_high - y_low) / (bottom - top))
        x_low, x_high = _widened(x_low, x_high, scale * (right - left))
        y_low, y_high = _widened(y_low, y_high, scale * (bottom - top))

    def place_x(value: Any) -> Any:
        return left + (value - x_low) / (x_high - x_low) * (right - left)

    def place_y(value: Any) -> Any:
        return bottom - (value - y_low) / (y_high - y_low) * (bottom - top)

    parts = []
    for tick in _fitting_ticks(x_low, x_high, right - left):
        x = f"{place_x(tick):.1f}"
        parts.append(f'<path class="grid" d="M{x} {top}V{bottom}"/>')
        parts.append(_text(f'x="{x}" y="{bottom + 17}"', _number(tick)))
    for tick in ticks(y_low, y_high, 5):
        y = place_y(tick)
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{right}"/>')
        parts.append(_text(f'x="{left - 7}" y="{y + 4:.1f}"', _number(tick), "end"))
    parts.append(f'<path class="frame" d="M{left} {top}V{bottom}H{right}"/>')
    for i, line in enumerate(panel.lines):
        rows = _drawn_rows(line, right - left)
        xs, ys = place_x(line.x[rows]), place_y(line.y[rows])
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
        parts.append(f'<polyline class="c{i}" points="{points}"/>')
    parts.append(_text(f'x="{(left + right) / 2:.0f}" y="{bottom + 35}"', panel.x_label))
    parts.append(_upright(14, (top + bottom) / 2, panel.y_label))
    return parts


def _text(place: str, text: str, anchor: str = "middle") -> str:
    return f'<text {place} text-anchor="{anchor}">{escape(text)}</text>'


def _upright(x: float, y: float, text: str) -> str:
    """Draws the title of a vertical axis."""
    return _text(f'transform="translate({x} {y:.0f})rotate(-90)"', text)


def _room(numbers: Sequence[float]) -> int:
    """Returns the pixels for the numbers and the title beside a vertical axis."""
    widest = max((len(_number(one)) for one in numbers), default=0)
    return max(MARGIN_LEFT, TITLE + 7 + DIGIT * widest)


def _drawn_rows(line: Line, width: int) -> np.ndarray:
    """Selects the visible points of a line: of a curve those that bend it; of a signal over time
    with more points than pixels the first, least, largest and last of each column of pixels, so
    that every peak stays."""
    if line.time is not None or len(line.x) <= 4 * width or (np.diff(line.x) < 0).any():
        order = line.x if line.time is None else line.time
        return kept_rows(order, [line.x, line.y], 4 * width, TOLERANCE)
    edges = np.searchsorted(line.x, np.linspace(line.x[0], line.x[-1], width + 1)[:-1])
    rows: set[int] = set()
    for first, end in zip(edges, [*edges[1:], len(line.x)], strict=True):
        if first < end:
            part = line.y[first:end]
            rows |= {first, first + int(part.argmin()), first + int(part.argmax()), end - 1}
    shown = np.array(sorted(rows))
    x, y = line.x[shown], line.y[shown]
    return shown[kept_rows(x, [x, y], 4 * width, TOLERANCE)]


def _range(arrays: Sequence[np.ndarray], margin: float) -> tuple[float, float]:
    low, high = min(float(a.min()) for a in arrays), max(float(a.max()) for a in arrays)
    extra = margin * (high - low) or (0.0 if high > low else abs(high) or 1.0)
    return low - extra, high + extra


def _widened(low: float, high: float, span: float) -> tuple[float, float]:
    extra = (span - (high - low)) / 2
    return low - extra, high + extra


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Returns round numbers between low and high, about as many as wanted."""
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    return [
        round(i * step, 12)
        for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]


def _fitting_ticks(low: float, high: float, width: int) -> list[float]:
    """Returns as many ticks as fit beside each other with their numbers."""
    for wanted in (7, 5, 3):
        found = ticks(low, high, wanted)
        widest = max((len(_number(tick)) for tick in found), default=0) * DIGIT
        if len(found) < 2 or widest + DIGIT <= (found[1] - found[0]) / (high - low) * width:
            break
    return found


def _number(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def bars(entries: Sequence[tuple[str, float]], label: str, width: int = 720) -> str:
    """Draws a horizontal bar per entry, from zero, with its name and its number."""
    row, left, right = 20, 190, width - 70
    height = row * len(entries) + 44
    low, high = (
        min(0.0, *(value for _, value in entries)),
        max(0.0, *(value for _, value in entries)),
    )
    high = high if high > low else low + 1.0

    def place(value: float) -> float:
        return left + (value - low) / (high - low) * (right - left)

    parts = _opened(width, height)
    for i, (name, value) in enumerate(entries):
        y = 8 + row * i
        begin, end = sorted((place(0.0), place(value)))
        parts.append(_text(f'x="{left - 8}" y="{y + 14}"', name, "end"))
        parts.append(
            f'<rect fill="{BAR}" x="{begin:.1f}" y="{y + 3}" width="{max(end - begin, 0.5):.1f}"'
            f' height="{row - 6}"/>'
        )
        parts.append(
            f'<text x="{end + 6:.1f}" y="{y + 14}">{_number(float(f"{value:.3g}"))}</text>'
        )
    parts.append(_text(f'x="{(left + right) / 2:.0f}" y="{height - 12}"', label))
    return "\n".join([*parts, "</svg>", ""])


def heat_map(
    x: Sequence[float],
    y: Sequence[float],
    values: np.ndarray,
    labels: tuple[str, str, str],
    width: int = 620,
    height: int = 440,
) -> str:
    """Draws values over a grid as coloured cells, a row per y, a column per x, with a scale beside
    them; cells without a value stay empty."""
    x, y = ([float(f"{one:.4g}") for one in axis] for axis in (x, y))  # more does not show
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    high = high if high > low else low + (abs(low) or 1.0)
    left, right = _room(y), width - 36 - _room(ticks(low, high, 5))
    top, bottom = MARGIN_TOP, height - MARGIN_BOTTOM
    across, up = (right - left) / len(x), (bottom - top) / len(y)
    parts = _opened(width, height)
    for j in range(len(y)):
        for i in range(len(x)):
            if np.isfinite(values[j, i]):
                at = (
                    f'x="{left + i * across:.1f}" y="{bottom - (j + 1) * up:.1f}"'
                    f' width="{across + 0.3:.1f}" height="{up + 0.3:.1f}"'
                )
                parts.append(f'<rect {at} fill="{_colour((values[j, i] - low) / (high - low))}"/>')
    widest = DIGIT * (1 + max(len(_number(one)) for one in x))
    for i in _spread(len(x), max(min(6, int((right - left) / widest)), 2)):
        place = f'x="{left + (i + 0.5) * across:.1f}" y="{bottom + 17}"'
        parts.append(_text(place, _number(x[i])))
    for j in _spread(len(y), 8):
        place = f'x="{left - 6}" y="{bottom - (j + 0.5) * up + 4:.1f}"'
        parts.append(_text(place, _number(y[j]), "end"))
    for k in range(40):
        share = (k + 0.5) / 40
        at = (
            f'x="{right + 16}" y="{bottom - (k + 1) / 40 * (bottom - top):.1f}" width="14"'
            f' height="{(bottom - top) / 40 + 0.3:.1f}"'
        )
        parts.append(f'<rect {at} fill="{_colour(share)}"/>')
    for tick in ticks(low, high, 5):
        height_of = bottom - (tick - low) / (high - low) * (bottom - top) + 4
        parts.append(f'<text x="{right + 36}" y="{height_of:.1f}">{_number(tick)}</text>')
    middle = (top + bottom) / 2
    parts.append(_text(f'x="{(left + right) / 2:.0f}" y="{bottom + 35}"', labels[0]))
    parts += [_upright(14, middle, labels[1]), _upright(width - 8, middle, labels[2])]
    return "\n".join([*parts, "</svg>", ""])


def _spread(count: int, most: int) -> range:
    """Returns every n-th of the first `count` numbers, at most `most` of them."""
    return range(0, count, math.ceil(count / most))


COLOURS = np.array(
    [(38, 52, 118), (36, 112, 168), (61, 160, 140), (190, 200, 90), (250, 232, 120)], dtype=float
)  # dark to light


def _colour(share: float) -> str:
    place = min(max(float(share), 0.0), 1.0) * (len(COLOURS) - 1)
    i = min(int(place), len(COLOURS) - 2)
    red, green, blue = COLOURS[i] + (place - i) * (COLOURS[i + 1] - COLOURS[i])
    return f"#{round(red):02x}{round(green):02x}{round(blue):02x}"
