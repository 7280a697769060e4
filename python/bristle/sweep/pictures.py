"""Pictures of a sweep: a curve over one parameter, a map over two, a tornado over more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..pages.svg import Line, Panel, bars, drawing, heat_map
from .plan import Axis


def picture(
    axes: Sequence[Axis],
    points: Sequence[dict[str, float]],
    values: np.ndarray,
    label: str,
    is_grid: bool,
) -> tuple[str, str]:
    """Draws one quantity, and describes what the picture shows."""
    good = np.isfinite(values)
    if good.sum() < 2:
        return "", f"{label}: fewer than two runs have a value."
    if len(axes) == 1:
        return _curve(axes[0], points, values, good, label)
    if len(axes) == 2 and is_grid:
        return _map(axes, values, label)
    return _tornado(axes, points, values, good, label)


def _curve(
    axis: Axis, points: Sequence[dict[str, float]], values: np.ndarray, good: np.ndarray, label: str
) -> tuple[str, str]:
    x = np.array([point[axis.name] for point in points])[good]
    order = np.argsort(x)
    return (
        drawing([Panel([Line(x[order], values[good][order])], axis.label, label)]),
        f"{label} over {axis.name}",
    )


def _map(axes: Sequence[Axis], values: np.ndarray, label: str) -> tuple[str, str]:
    across, up = axes
    table = values.reshape(len(across.levels()), len(up.levels())).T
    svg = heat_map(across.levels(), up.levels(), table, (across.label, up.label, label))
    return svg, f"{label} over {across.name} and {up.name}; runs without a value are left empty"


def _tornado(
    axes: Sequence[Axis],
    points: Sequence[dict[str, float]],
    values: np.ndarray,
    good: np.ndarray,
    label: str,
) -> tuple[str, str]:
    """Draws the change of the quantity from the lower to the upper end of each parameter, by linear
    regression over all runs."""
    table = np.array([[_share(axis, point[axis.name]) for axis in axes] for point in points])[good]
    design = np.column_stack([np.ones(len(table)), table])
    found, *_ = np.linalg.lstsq(design, values[good], rcond=None)
    spread = float(np.sum((values[good] - values[good].mean()) ** 2))
    explained = (
        1 - float(np.sum((values[good] - design @ found) ** 2)) / spread if spread > 0 else 1.0
    )
    order = np.argsort(-np.abs(found[1:]))
    entries = [(axes[i].name, float(found[1 + i])) for i in order]
    caption = (
        f"{label}: change from the lower to the upper end of each parameter, by a linear regression"
        f" that explains {explained:.0%} of the variance"
    )
    return bars(entries, f"change of {label}"), caption


def _share(axis: Axis, value: float) -> float:
    if axis.logarithmic:
        return (np.log(value) - np.log(axis.low)) / (np.log(axis.high) - np.log(axis.low))
    return (value - axis.low) / (axis.high - axis.low)
