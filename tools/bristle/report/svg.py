"""A small plot as SVG: axes, grid, lines and a key. The same data give the same text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from .simplify import kept_rows

STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#4a5a63}.paper{fill:#fff}.grid{stroke:#e3e8eb}.frame{stroke:#9fb0ba}"
    "path,polyline{fill:none;stroke-width:1.6;stroke-linejoin:round}"
    ".c0{stroke:#b23a4c}.c1{stroke:#2470a8}.c2{stroke:#3d8a4f}.c3{stroke:#9a6a12}"
    "@media(prefers-color-scheme:dark){text{fill:#b4c2ca}.paper{fill:#171c20}.grid{stroke:#2b343a}"
    ".frame{stroke:#5b6b75}.c0{stroke:#ef8a98}.c1{stroke:#6db3e4}.c2{stroke:#7ecb8f}.c3{stroke:#e0b45c}}"
)
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 58, 14, 14, 42
POINTS, TOLERANCE = 500, 3e-4


@dataclass(frozen=True)
class Line:
    x: np.ndarray
    y: np.ndarray
    label: str = ""
    time: np.ndarray | None = None  # what the points are ordered by, where x is not


@dataclass(frozen=True)
class Panel:
    lines: Sequence[Line]
    x_label: str
    y_label: str
    equal: bool = False  # the same scale along both axes


def drawing(panels: Sequence[Panel], width: int = 560, height: int = 320) -> str:
    """Panels one above the other, with one key below all of them."""
    labels = [line.label for line in panels[0].lines if line.label]
    total = height * len(panels) + (22 if labels else 0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" width="{width}" height="{total}">',
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{total}"/>',
    ]
    for i, panel in enumerate(panels):
        parts += _panel(panel, i * height, width, height)
    x = MARGIN_LEFT
    for i, label in enumerate(labels):
        parts.append(f'<path class="c{i}" d="M{x} {total - 12}h18"/>')
        parts.append(f'<text x="{x + 24}" y="{total - 8}">{escape(label)}</text>')
        x += 44 + 7 * len(label)
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, offset: int, width: int, height: int) -> list[str]:
    left, right, top, bottom = MARGIN_LEFT, width - MARGIN_RIGHT, offset + MARGIN_TOP, offset + height - MARGIN_BOTTOM
    x_low, x_high = _range([line.x for line in panel.lines], margin=0)
    y_low, y_high = _range([line.y for line in panel.lines], margin=0.05)
    if panel.equal:
        scale = max((x_high - x_low) / (right - left), (y_high - y_low) / (bottom - top))
        x_low, x_high = _widened(x_low, x_high, scale * (right - left))
        y_low, y_high = _widened(y_low, y_high, scale * (bottom - top))

    def place_x(value: np.ndarray | float) -> np.ndarray | float:
        return left + (value - x_low) / (x_high - x_low) * (right - left)

    def place_y(value: np.ndarray | float) -> np.ndarray | float:
        return bottom - (value - y_low) / (y_high - y_low) * (bottom - top)

    parts = []
    for tick in ticks(x_low, x_high, 7):
        x = f"{place_x(tick):.1f}"
        parts.append(f'<path class="grid" d="M{x} {top}V{bottom}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 17}" text-anchor="middle">{_number(tick)}</text>')
    for tick in ticks(y_low, y_high, 5):
        y = place_y(tick)
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{right}"/>')
        parts.append(f'<text x="{left - 7}" y="{y + 4:.1f}" text-anchor="end">{_number(tick)}</text>')
    parts.append(f'<path class="frame" d="M{left} {top}V{bottom}H{right}"/>')
    for i, line in enumerate(panel.lines):
        order = line.x if line.time is None else line.time
        rows = kept_rows(order, [line.x, line.y], POINTS, TOLERANCE)
        xs, ys = place_x(line.x[rows]), place_y(line.y[rows])
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
        parts.append(f'<polyline class="c{i}" points="{points}"/>')
    middle_x, middle_y = (left + right) / 2, (top + bottom) / 2
    parts.append(f'<text x="{middle_x:.0f}" y="{bottom + 35}" text-anchor="middle">{escape(panel.x_label)}</text>')
    parts.append(
        f'<text transform="translate(14 {middle_y:.0f})rotate(-90)" text-anchor="middle">{escape(panel.y_label)}</text>'
    )
    return parts


def _range(arrays: Sequence[np.ndarray], margin: float) -> tuple[float, float]:
    low, high = min(float(a.min()) for a in arrays), max(float(a.max()) for a in arrays)
    extra = margin * (high - low) or (0.0 if high > low else abs(high) or 1.0)
    return low - extra, high + extra


def _widened(low: float, high: float, span: float) -> tuple[float, float]:
    extra = (span - (high - low)) / 2
    return low - extra, high + extra


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Round numbers between low and high, about as many as wanted."""
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    return [round(i * step, 12) for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def _number(value: float) -> str:
    return f"{value:g}".replace("-", "−")
