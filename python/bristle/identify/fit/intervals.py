"""Computes the uncertainty of a solution: the interval of every fitted number, and numbers that are
interchangeable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ... import BristleError
from ..record.reading import GRAVITY, SPRING, directions, whole_drive
from .candidates import Candidate, Space
from .problem import Linear, Problem
from .result import UNDETERMINED, Estimate, Fit, about
from .search import ITERATIONS, Bounds
from .starts import Scales
from .statistics import (
    BLOCKS,
    SINGULAR,
    Quality,
    confusions_of,
    covariance_of,
    distance_after_reversal,
    partner_of,
    quality_of,
    student,
    systematic_part,
)

# loss of a gear relative to its load, and the difference between driving the load and the mean
GEARS = ("gearLoadDifference", "gearLoadCoefficient")
_LARGEST_LOGARITHM = 50.0  # of a factor: beyond, an interval has no end
_AT_THE_END = 1e-3  # of a range, or of a logarithm: distance below which a number is at a bound


def judged(
    problem: Problem,
    point: np.ndarray,
    bounds: Bounds,
    seen: Scales,
    lag: str = "",
    filters: bool = True,
) -> Fit:
    """Returns the result with its intervals; `lag`: the one that was fitted, too; `filters`: the
    intervals include the effect of other filters of the velocity."""
    forces = problem.forces([point])[0]
    if not np.isfinite(forces).all():
        raise BristleError(
            f"{problem.of.name}: no parameters were found with which it can follow the record."
        )
    linear, rest = problem.linear(forces), problem.residuals(forces)
    slopes = problem.jacobian(point, central=True)
    if lag:
        slopes = np.column_stack([slopes, problem.lag_slope(point)])
    quality = problem.quality(forces, linear)
    systematic = systematic_part(problem.records, rest)
    covariance, lost = covariance_of(slopes, rest, quality, systematic)
    reach = student(max(min(quality.independent, BLOCKS) - slopes.shape[1], 3.0))
    gear = _by_gear(problem, linear, seen)
    moved = _by_change(problem, slopes, gear)
    filtered = _by_filter(problem, point, bounds, slopes) if filters else []
    moved += [shift for shift, _ in filtered]
    covariance = covariance + sum(np.outer(shift, shift) for shift in moved) / reach**2
    names = [*problem.space.names, *([lag] if lag else [])]
    confusions = confusions_of(lost, names)
    estimates = _estimates(problem.space, point, reach, bounds, covariance, confusions)
    if lag:
        half = reach * math.sqrt(covariance[-1, -1])
        first = problem.records[0]
        estimates.append(about(lag, "s", first.time_constant or first.delay, half))
    reaches = [
        math.hypot(
            reach
            * math.sqrt(float(covariance_of(column[:, None], rest, quality, systematic)[0][0, 0])),
            *(column @ change / max(column @ column, 1e-300) for change in gear),
            *(shift[i] for _, shift in filtered),
        )
        for i, column in enumerate(problem.linear_alone(point).T)
    ]
    lengths = np.cumsum([len(record.time) for record in problem.records])[:-1]
    law = len(problem.space.law)
    beside = [_of_a_joint(one, problem.of) for one in _beside(problem, linear, reaches)]
    return Fit(
        of=problem.of,
        records=tuple(problem.records),
        estimates=tuple(estimates[:law]),
        fixed={},
        linear=linear,
        mass=beside.pop() if problem.has_mass else None,
        load=tuple(beside),
        nuisances=tuple(estimates[law:]),
        modelled=tuple(np.split(problem.modelled(forces, linear), lengths)),
        quality=quality,
        baseline=coulomb(problem),
        seen=seen,
        confusions=confusions,
        systematic=systematic,
        linear_doubts=_by_record(problem, reaches),
    )


def _by_filter(
    problem: Problem, point: np.ndarray, bounds: Bounds, slopes: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Returns the error of the solution and the linear part by the filter of the velocity: their
    change with other filters, along the slopes, or fitted again if that is larger, as for a damping
    of 2490 caused by the window, for 1200, which vanishes with half of it."""
    forces, moved = problem.forces([point])[0], []
    for other, times in problem.with_other_filters():
        change = (other.forces([point])[0] - forces) * problem.weight
        if np.isfinite(change).all():
            (along,) = _by_change(problem, slopes, [change])  # of a lag, too
            there = other.solved(point, bounds, ITERATIONS).point
            again, near = there - point, along[: len(point)]
            along[: len(point)] = np.where(np.abs(again) > np.abs(near), again, near)
            linear = other.shares_of(other.forces([there])[0]) - problem.shares_of(forces)
            moved.append((times * along, times * linear))
    return moved


def _by_gear(problem: Problem, linear: Linear, seen: Scales) -> list[np.ndarray]:
    """Returns the change of the force if the loss of a gear reversed over the displacement that a
    bristle needs, F = F_s (1 - 2 exp(-k d/F_s)), and not at once: its sign at a reversal must not
    distinguish it from friction without load."""
    if problem.records[0].transmitted is None:
        return []
    parts = [
        -2 * np.exp2(-distance_after_reversal(record) / seen.turning) * record.shapes[-1]
        for record in problem.records
    ]
    return [linear.load[-1] * np.concatenate(parts) * problem.weight]


def _by_change(
    problem: Problem, slopes: np.ndarray, changes: Sequence[np.ndarray]
) -> list[np.ndarray]:
    """Returns the effect of changes of the force on the fitted numbers, by a Gauss-Newton step."""
    sizes = np.where((norms := np.linalg.norm(slopes, axis=0)) > 0, norms, 1.0)
    return [
        np.linalg.lstsq(slopes / sizes, problem.project(change), rcond=SINGULAR)[0] / sizes
        for change in changes
    ]


def _estimates(
    space: Space,
    point: np.ndarray,
    reach: float,
    bounds: Bounds,
    covariance: np.ndarray,
    confusions: Sequence[Sequence[str]],
) -> list[Estimate]:
    """Returns the estimates of all numbers of a point; `reach`: half the width of an interval in
    standard deviations."""
    confused = {name for group in confusions for name in group}
    covariance = covariance[: len(point), : len(point)]
    finite = np.isfinite(np.diag(covariance))
    values, table = space.values(point), space.slopes(point)
    made = []
    for i, one in enumerate(space.parameters):
        value, gradient = values[one.name], table[i]
        variance = float(gradient[finite] @ covariance[np.ix_(finite, finite)] @ gradient[finite])
        # a number at the end of its range does not change
        blind = bool(np.any(np.abs(gradient[~finite]) > 0)) or not gradient.any()
        half = math.inf if blind else reach * math.sqrt(max(variance, 0.0))
        low, high = value - half, value + half
        if one.positive and value > 0 and math.isfinite(half):
            grown = math.exp(min(half / value, _LARGEST_LOGARITHM))
            low, high = value / grown, value * grown
        size = abs(value) if one.positive else max(abs(value), space.scales[one.name])
        made.append(
            Estimate(
                one.name,
                one.unit,
                value,
                max(low, one.low),
                min(high, one.high),
                half < UNDETERMINED * size and one.name not in confused,
                _end(point[i], bounds[0][i], bounds[1][i]),
                partner_of(space.names, i, covariance),
            )
        )
    return made


def _end(number: float, low: float, high: float) -> str:
    """Returns the end of its range that a number has reached."""
    margin = _AT_THE_END * min(high - low, 1.0)
    return "lower" if number < low + margin else "upper" if number > high - margin else ""


def _by_record(problem: Problem, reaches: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Returns the half widths of offset and drift, in the order of the columns of the linear
    part."""
    left = list(reaches)
    return tuple(
        (left.pop(0), left.pop(0)) if record.has_offset else (0.0, 0.0)
        for record in problem.records
    )


def _beside(problem: Problem, linear: Linear, reaches: Sequence[float]) -> list[Estimate]:
    """Returns the load that depends on the position, the friction of a gear under its load, and the
    mass; for gravity on an axis, which is constant, the offsets are the load."""
    records, kind = problem.records, problem.records[0].load
    first = 2 * sum(record.has_offset for record in records)
    shown = list(zip(linear.load, reaches[first : first + len(linear.load)], strict=True))
    gear = [] if records[0].transmitted is None else [shown.pop(-2), shown.pop()]
    names, unit = ["gravityCosine", "gravitySine"][: len(shown)], "N"
    if kind == GRAVITY and not shown:
        several = len(records) > 1
        names = [f"weight in {record.name}" if several else "weight" for record in records]
        shown = list(zip(linear.offsets, reaches[:first:2], strict=True))
    elif kind == SPRING:
        names, unit = ["loadStiffness"], "N/m"
    size = math.hypot(*(value for value, _ in shown)) if len(shown) > 1 else None
    found = [
        about(name, unit, value, half, size)
        for name, (value, half) in zip(names, shown, strict=True)
    ]
    sizes = (gear[-1][0], None) if gear else ()  # the difference is that of the coefficient
    found += [
        about(name, "1", value, half, size)
        for name, (value, half), size in zip(GEARS, gear, sizes, strict=bool(gear))
    ]
    return [*found, mass_of(linear, reaches[-1])] if problem.has_mass else found


def mass_of(linear: Linear, half: float) -> Estimate:
    found = about("mass", "kg", float(linear.mass or 0.0), half)
    return replace(found, low=max(found.low, 0.0), at_limit="" if found.value > 0 else "lower")


# unit of a twin, and the power of the radius in the conversion
_TURNING = {"kg": ("kg.m2", 2), "N": ("N.m", 1), "N/m": ("N.m/rad", 2), "1": ("1", 0)}


def _of_a_joint(one: Estimate, of: Candidate) -> Estimate:
    """Converts an estimate at the radius to a joint: an inertia in place of a mass, torques in
    place of forces."""
    if not of.form.turns:
        return one
    unit, power = _TURNING[one.unit]
    name = "inertia" if one.name == "mass" else one.name
    value, low, high = (of.radius**power * number for number in (one.value, one.low, one.high))
    return replace(one, name=name, unit=unit, value=value, low=low, high=high)


def coulomb(problem: Problem) -> Quality:
    """Returns the static fit for comparison: one coefficient, the direction of the last motion, and
    the same linear part."""
    part = np.concatenate(
        [directions(record.velocity) * np.maximum(record.normal, 0) for record in problem.records]
    )
    table = np.column_stack([part, problem.design])
    counted = problem.weight > 0
    found = np.linalg.lstsq(table[counted], problem.measured[counted], rcond=None)[0]
    drive = whole_drive(problem.records)
    return quality_of(problem.measured, table @ found, problem.design @ found[1:], counted, drive)
