"""The fit: a start by stages, least squares from several starts until two of them agree, and what
the result is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ... import BristleError
from ...running import run
from ..record.reading import GRAVITY, SPRING, Record, directions, whole_drive
from .candidates import (
    BACKWARD,
    BACKWARD_VISCOUS,
    DELAY,
    RESTS,
    VISCOUS,
    Candidate,
    Nuisance,
    Parameter,
    Space,
)
from .problem import Linear, Problem, affordable, extracts
from .solver import latin_hypercube
from .starts import Scales, first_values, scales, spreads
from .statistics import (
    BLOCKS,
    SINGULAR,
    Quality,
    confusions_of,
    correlation_time,
    covariance_of,
    partner_of,
    quality_of,
    student,
    systematic_part,
)

SEARCHED = 800, 3000  # least and most samples of each record in the search for a start
PATIENCE = 0.01  # s that a run in this search may take
CLOUD = 10  # points about the staged start per parameter
POLISHED = 6  # of them
STARTS = 4  # least squares of the whole, at most, until the best of them is found twice
# of the sum of squares, by which two solutions are the same: a tenth of what one independent sample
# of a thousand contributes
AGREE = 1e-4
MOST_SPRINGS = 4  # times that the springs are weakened
SETTLED = 0.9  # of its strength before: a spring that would be weakened by less is weak enough
ITERATIONS = 40  # of the last least squares
GOOD_ENOUGH = 0.8  # coefficient of determination, below which starts are looked for farther away
FARTHER = 2.5  # times as far
# half width of the interval, relative, from which on a parameter counts as not determined: not even
# its first digit is known
UNDETERMINED = 0.5
COARSE = 0.2  # of the residual, that modelled means may be off: 2 % of the sum of squares
# gain in the likelihood (twice its logarithm) from which on a number more is believed: chance gives
# as much once in 500 times
WORTH = 10.0
LATEST = 20  # samples: the longest lag; what is longer is rather something that the law lacks

Teller = Callable[[str], None]
Bounds = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Estimate:
    """A fitted parameter and what is known about it."""

    name: str
    unit: str
    value: float
    low: float  # of the confidence interval
    high: float
    determined: bool
    at_limit: str  # "", or the limit it came to
    partner: str  # "", or the parameter that it can be traded for

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Fit:
    of: Candidate
    records: Sequence[Record]
    estimates: tuple[Estimate, ...]
    fixed: Mapping[str, float]
    linear: Linear
    mass: Estimate | None  # where it was to be found, too
    load: tuple[Estimate, ...]  # that goes with the position, where it was to be found
    nuisances: tuple[Estimate, ...]  # numbers of the records: their first states, the lag
    modelled: tuple[np.ndarray, ...]
    quality: Quality
    baseline: Quality  # Coulomb friction with the direction of the last motion
    seen: Scales
    runs: int
    # solutions from so many starts, and whether the best of them was found twice
    starts: int
    confirmed: bool
    confusions: tuple[tuple[str, ...], ...]  # parameters that are determined only in a combination
    # N: rms of the residual that goes with velocity or way in every stroke, which is the law's; 0
    # where chance would explain it
    systematic: float
    # half widths of the confidence intervals of offset and drift, per record
    linear_doubts: tuple[tuple[float, float], ...]

    @property
    def beside(self) -> tuple[Estimate, ...]:
        """What was found with the parameters of the element, but is none of them."""
        return (*self.load, *([self.mass] if self.mass else []), *self.nuisances)

    @property
    def values(self) -> dict[str, float]:
        return {**self.fixed, **{one.name: one.value for one in self.estimates}}

    @property
    def delay(self) -> Estimate | None:
        return next((one for one in self.nuisances if one.name == DELAY), None)


@dataclass(frozen=True)
class Wanted:
    """What of a law is fitted, and how thoroughly."""

    fixed: Mapping[str, float]
    fitted: Sequence[str] | None = None
    start: Mapping[str, float] | None = None
    # whether a lag and a viscous part that differs by direction are tried, as well, where the
    # residual shows them
    extras: bool = True
    delay: float | None = None  # s, where it is known
    # whether springs are taken off what the data determine: intervals need it, errors hardly change
    released: bool = True
    seed: int = 1


def fit(
    of: Candidate,
    records: Sequence[Record],
    fixed: Mapping[str, float] | None = None,
    fitted: Sequence[str] | None = None,
    start: Mapping[str, float] | None = None,
    weights: Sequence[np.ndarray] | None = None,
    released: bool = True,
    extras: bool = True,
    delay: float | None = None,
    tell: Teller = lambda text: None,
    seed: int = 1,
) -> Fit:
    """The parameters of a model that fit records best."""
    wanted = Wanted(dict(fixed or {}), fitted, start, extras, delay, released, seed)
    for name in [*wanted.fixed, *(start or {}), *(fitted or [])]:
        of[name]
    seen = scales(records)
    first = first_values(of, seen) | wanted.fixed | dict(start or {})
    space = _space(of, records, seen, first, wanted)
    problem = Problem(of, records, space, weights)
    tell("looking for a start")
    begins, searched = _begins(problem, first, wanted)
    tell("least squares")
    bounds = space.bounds(space.point(_all_first(space, first, records, seen)))
    bounds = np.minimum(bounds[0], begins[0]), np.maximum(bounds[1], begins[0])
    anchor = space.inside(space.point(_all_first(space, first, records, seen)), bounds)
    found: list[tuple[float, np.ndarray]] = []
    for begin in begins[:STARTS]:
        point = _settled(problem, np.clip(begin, *bounds), bounds, anchor, released)
        found.append((float(problem.costs([point])[0]), point))
        if _is_confirmed(found):
            break
    point = min(found, key=lambda one: one[0])[1]
    if any(record.block > 1 for record in records) and _is_too_coarse(problem, point):
        tell("least squares, with more points of a run for each mean")
        problem = problem.finer()
        point = problem.solved(point, bounds, ITERATIONS).point
    problem.runs += searched
    tell("confidence")

    def judged(problem: Problem, point: np.ndarray, bounds: Bounds) -> Fit:
        return _judged(problem, point, bounds, seen, wanted, len(found), _is_confirmed(found))

    result = judged(problem, point, bounds)
    for extra in (_with_delay, _with_viscous_direction) if extras else ():
        space, begins = extra(problem, point, wanted)
        if space is None:
            continue
        tell("least squares, with a number more")
        other = Problem(of, problem.records, space, problem.weights, origins=problem.origins)
        other.patience, other.runs = problem.patience, problem.runs
        low, high = space.bounds(begins[0])
        limits = np.minimum(low, np.min(begins, axis=0)), np.maximum(high, np.max(begins, axis=0))
        begin = begins[int(np.argmin(other.costs(begins)))]
        solution = other.solved(begin, limits, ITERATIONS)
        if _gain(problem, point, solution.cost) > WORTH:
            more = judged(other, solution.point, limits)
            if _differs(more):
                problem, point, result = other, solution.point, more
    return result


def _differs(result: Fit) -> bool:
    """Whether the number more that was fitted is another one than if it were not: 0 of a lag, 1 of
    a ratio of directions. A tenth of a filter's window may as well come from that."""
    lag, ratios = result.delay, [one for one in result.estimates if one.name == BACKWARD_VISCOUS]
    window = max(record.smoothing for record in result.records)
    if lag and abs(lag.value) < window / 10:
        return False
    return all(
        one.determined and not one.low <= neutral <= one.high
        for one, neutral in [*((one, 1.0) for one in ratios), *([(lag, 0.0)] if lag else [])]
    )


def _is_confirmed(found: Sequence[tuple[float, np.ndarray]]) -> bool:
    """Whether the least sum of squares was found from two starts."""
    costs = sorted(cost for cost, _ in found)
    return len(costs) > 1 and costs[1] <= (1 + AGREE) * costs[0]


def _space(
    of: Candidate,
    records: Sequence[Record],
    seen: Scales,
    first: Mapping[str, float],
    wanted: Wanted,
) -> Space:
    """The parameters that are fitted, and the first state of each record with them."""
    hidden = () if any(record.tells_directions_apart for record in records) else (BACKWARD,)
    usual = [one.name for one in of.parameters if not one.is_extra and one.name not in hidden]
    chosen = [
        one.name
        for one in of.parameters
        if one.name not in wanted.fixed
        and one.name in (usual if wanted.fitted is None else wanted.fitted)
    ]
    if not chosen:
        raise BristleError(f"{of.name}: all parameters are fixed, so that nothing is left to fit.")
    held = {one.name: first[one.name] for one in of.parameters if one.name not in chosen}
    held |= {one.name: wanted.fixed[one.name] for one in of.starts if one.name in wanted.fixed}
    held |= {DELAY: wanted.delay} if wanted.delay else {}
    typical = dict(first) | {
        VISCOUS: seen.viscous or 0.1 * seen.friction / max(seen.fastest, 1e-12)
    }
    known = wanted.fixed.keys() & {one.name for one in of.starts}
    states = [] if known else first_states(of, records, seen, first)
    return Space(of, chosen, held, typical, _rests(of, records, seen), states)


def first_states(
    of: Candidate, records: Sequence[Record], seen: Scales, values: Mapping[str, float]
) -> list[Nuisance]:
    """The unknown state with which each record begins: of a vector the share that all of its
    elements have of the state in sliding, which is that of these values."""
    if not of.starts:
        return []
    states = [one.name.replace("Start", "") for one in of.starts]
    motion = of.form.inputs(np.full(2, seen.normal), np.full(2, seen.speed), None, of.radius)
    law = {one.name: values[one.name] for one in of.parameters}
    way = 100 * seen.turning / max(seen.speed, 1e-12)  # s: until nothing changes any more
    try:
        slid = run(of.file, [0.0, way], motion, of.place | law, states)
        sizes = [abs(float(slid[name][-1])) for name in states]
    except BristleError:
        sizes = [0.0] * len(states)
    several = len(states) > 1
    size = seen.turning if not several and not sizes[0] else 1.0 if several else sizes[0]
    weights = {
        one.name: slid_to if several else 1.0 for one, slid_to in zip(of.starts, sizes, strict=True)
    }
    bare, unit = of.starts[0].name.partition("[")[0], "1" if several else of.starts[0].unit
    return [
        Nuisance(
            Parameter(
                f"{bare} in {record.name}" if len(records) > 1 else bare,
                unit,
                "The state at the first sample",
                0.0,
                -10 * size,
                10 * size,
                False,
                None,
                "",
            ),
            size,
            i,
            weights,
        )
        for i, record in enumerate(records)
    ]


def _all_first(
    space: Space, first: Mapping[str, float], records: Sequence[Record], seen: Scales
) -> dict[str, float]:
    """First values of what is fitted, with a state for the force with which a record begins."""
    values = dict(first)
    for one in space.nuisances:
        share = 0.0
        if one.weights:
            record = records[one.record]
            level = seen.friction * seen.normal
            share = float(np.clip(np.median(record.force[:5]) / level, -1.0, 1.0))
        values[one.parameter.name] = share * one.scale
    return values


def _rests(of: Candidate, records: Sequence[Record], seen: Scales) -> dict[str, float]:
    """The largest speeds at which an element may take a body for resting: one that is told the load
    would otherwise call every motion rest, and answer the measured force with itself."""
    told = of.needs_load and any(record.external is not None for record in records)
    return {
        one.name: seen.slowest
        for one in of.parameters
        if told and one.name in RESTS and one.positive and seen.slowest > 0
    }


def _settled(
    problem: Problem,
    begin: np.ndarray,
    bounds: Bounds,
    anchor: np.ndarray,
    released: bool,
) -> np.ndarray:
    """Least squares with springs as weak as the residual becomes, and then without them wherever
    the data determine a parameter."""
    problem.anchor = anchor
    found, before = begin, math.inf
    for iterations in (ITERATIONS // 2, *[ITERATIONS] * MOST_SPRINGS):
        strength = _spring(problem, found)
        if strength > SETTLED * before:
            break
        problem.spring, before = strength / np.maximum(spreads(problem.space), 0.5), strength
        found = problem.solved(found, bounds, iterations).point
    if released:
        problem.spring = np.where(_is_told(problem, found), 0.0, problem.spring)
        found = problem.solved(found, bounds, ITERATIONS).point
    return found


def _is_too_coarse(problem: Problem, point: np.ndarray) -> bool:
    """Whether the modelled means, which are made of the force at the ends and in the middle of
    each, are off by a part of the residual that matters."""
    forces = problem.forces([point])[0]
    off = np.linalg.norm((problem.finer().forces([point])[0] - forces) * problem.weight)
    return bool(off > COARSE * np.linalg.norm(problem.residuals(forces)))


def _spring(problem: Problem, point: np.ndarray) -> float:
    """What a parameter costs at the end of its usual range: as much as one independent sample."""
    rest = problem.residuals(problem.forces([point])[0])
    counted = problem.weight > 0
    return math.sqrt(float(rest @ rest) * correlation_time(rest[counted]) / counted.sum())


def _is_told(problem: Problem, point: np.ndarray) -> np.ndarray:
    """Which parameters the data determine, so that a spring would only draw them out of their
    confidence intervals."""
    forces = problem.forces([point])[0]
    rest = problem.residuals(forces)
    quality = _quality(
        problem, problem.modelled(forces, problem.linear(forces)), problem.linear(forces)
    )
    covariance, _ = covariance_of(problem.jacobian(point, central=True), rest, quality)
    logarithms = [one.positive or one.limit is not None for one in problem.space.parameters]
    sizes = np.where(logarithms, 1.0, np.maximum(np.abs(point), 1.0))
    return 2 * np.sqrt(np.maximum(np.diag(covariance), 0)) < UNDETERMINED * sizes


def _begins(
    problem: Problem, first: Mapping[str, float], wanted: Wanted
) -> tuple[list[np.ndarray], int]:
    """The staged start and others around it, after a few steps of least squares in parts of the
    records, the best first; if all are bad, of a wider search. The second value counts runs."""
    of, space = problem.of, problem.space
    staged = space.point(_all_first(space, first, problem.records, scales(problem.records)))
    bounds = space.bounds(staged)
    staged = space.inside(staged, bounds)
    samples = affordable(problem, staged, PATIENCE, *SEARCHED)
    parts, origins = extracts(problem.records, samples)
    small = Problem(of, parts, space, origins=origins)
    width = np.where([name in (wanted.start or {}) for name in space.names], 0.02, spreads(space))
    total = float(np.sum((small.measured * small.weight) ** 2))
    found: list[tuple[float, np.ndarray]] = []
    for reach in (1.0, FARTHER):
        cloud = latin_hypercube(round(CLOUD * reach) * len(staged), len(staged), wanted.seed)
        points = [
            staged,
            *(np.clip(staged + reach * width * (2 * row - 1), *bounds) for row in cloud),
        ]
        order = np.argsort(small.costs(points))
        for i in dict.fromkeys([0, *order[:POLISHED]]):
            tried = small.solved(points[i], bounds, 10)
            found.append((tried.cost, tried.point))
        if min(cost for cost, _ in found) < (1 - GOOD_ENOUGH) * total:
            break
    return [point for _, point in sorted(found, key=lambda one: one[0])], small.runs


def _gain(problem: Problem, point: np.ndarray, cost: float) -> float:
    """Of the likelihood, by a smaller sum of squares: as often as there are independent samples."""
    rest = problem.residuals(problem.forces([point])[0])
    counted = problem.weight > 0
    independent = counted.sum() / correlation_time(rest[counted])
    return float(independent * math.log(max(float(rest @ rest), 1e-300) / max(cost, 1e-300)))


Extra = tuple[Space | None, list[np.ndarray]]


def _with_delay(problem: Problem, point: np.ndarray, wanted: Wanted) -> Extra:
    """With a lag: begun from several, as it hides in the stiffness once that is fitted. Of drive
    data the inertia lags as well, and nothing is tried."""
    drives = any(record.drive is not None for record in problem.records)
    if wanted.delay is not None or drives:
        return None, []
    interval = problem.records[0].interval
    most, text = LATEST * interval, "By how much the force lags behind the motion"
    one = Parameter(DELAY, "s", text, 0.0, -most, most, False, None, "")
    nuisance = Nuisance(one, interval, -1)
    old = problem.space
    space = _extended(problem.of, old, old.law, {}, [*old.nuisances, nuisance])
    lags = [0.3, -0.3, 1.0, -1.0, 3.0, -3.0, 10.0, -10.0]
    return space, [np.append(point, lag) for lag in lags]


def _with_viscous_direction(problem: Problem, point: np.ndarray, wanted: Wanted) -> Extra:
    """With a viscous part that differs by direction, where one is fitted and both directions are
    there."""
    old = problem.space
    known = {one.name for one in problem.of.parameters}
    both = all(record.goes_both_ways for record in problem.records)
    if (
        BACKWARD_VISCOUS not in known
        or wanted.fitted is not None
        or BACKWARD_VISCOUS in {*wanted.fixed, *old.law}
        or VISCOUS not in old.law
        or not both
    ):
        return None, []
    law = [*old.law, BACKWARD_VISCOUS]
    space = _extended(problem.of, old, law, {BACKWARD_VISCOUS: 1.0}, old.nuisances)
    values = old.values(point)
    return space, [space.point(values | {BACKWARD_VISCOUS: ratio}) for ratio in (1.0, 0.8, 1.25)]


def _extended(
    of: Candidate,
    old: Space,
    law: Sequence[str],
    more: Mapping[str, float],
    nuisances: Sequence[Nuisance],
) -> Space:
    fixed = {name: value for name, value in old.fixed.items() if name not in law}
    return Space(of, law, fixed, old.scales | dict(more), old.caps, nuisances)


def _judged(
    problem: Problem,
    point: np.ndarray,
    bounds: Bounds,
    seen: Scales,
    wanted: Wanted,
    starts: int,
    confirmed: bool,
) -> Fit:
    """The result with its intervals."""
    forces = problem.forces([point])[0]
    if not np.isfinite(forces).all():
        raise BristleError(
            f"{problem.of.name}: no parameters were found with which it can follow the record."
        )
    linear = problem.linear(forces)
    modelled = problem.modelled(forces, linear)
    rest = problem.residuals(forces)
    slopes = problem.jacobian(point, central=True)
    quality = _quality(problem, modelled, linear)
    systematic = systematic_part(problem.records, rest)
    covariance, lost = covariance_of(slopes, rest, quality, systematic)
    reach = student(max(min(quality.independent, BLOCKS) - len(point), 3.0))
    covariance = covariance + _by_filter(problem, point, forces, slopes) / reach**2
    confusions = confusions_of(lost, problem.space.names)
    confused = {name for group in confusions for name in group}
    estimates = [
        _estimate(problem.space, i, point, reach, bounds, covariance, one.name in confused)
        for i, one in enumerate(problem.space.parameters)
    ]
    reaches = [
        reach * math.sqrt(float(covariance_of(column[:, None], rest, quality, systematic)[0][0, 0]))
        for column in problem.linear_alone(point).T
    ]
    lengths = np.cumsum([len(record.time) for record in problem.records])[:-1]
    law = len(problem.space.law)
    return Fit(
        of=problem.of,
        records=tuple(problem.records),
        estimates=tuple(estimates[:law]),
        fixed={name: value for name, value in problem.space.fixed.items() if name in wanted.fixed},
        linear=linear,
        mass=_of_a_joint(_mass(linear, reaches[-1]), problem.of) if problem.has_mass else None,
        load=tuple(_of_a_joint(one, problem.of) for one in _load(problem, linear, reaches)),
        nuisances=tuple(estimates[law:]),
        modelled=tuple(np.split(modelled, lengths)),
        quality=quality,
        baseline=coulomb(problem),
        seen=seen,
        runs=problem.runs,
        starts=starts,
        confirmed=confirmed,
        confusions=confusions,
        systematic=systematic,
        linear_doubts=_by_record(problem, reaches),
    )


def _by_record(problem: Problem, reaches: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """Those of offset and drift, in the order of the columns of the linear part."""
    left = list(reaches)
    return tuple(
        (left.pop(0), left.pop(0)) if record.has_offset else (0.0, 0.0)
        for record in problem.records
    )


def _mass(linear: Linear, half: float) -> Estimate:
    value = float(linear.mass or 0.0)
    determined = half < UNDETERMINED * value
    return Estimate(
        "mass",
        "kg",
        value,
        max(value - half, 0.0),
        value + half,
        determined,
        "" if value > 0 else "lower",
        "",
    )


_TURNING = {
    "kg": ("kg.m2", 2),
    "N": ("N.m", 1),
    "N/m": ("N.m/rad", 2),
    "1": ("1", 0),
}  # unit of a twin, and the power of the radius that leads to it


def _of_a_joint(one: Estimate, of: Candidate) -> Estimate:
    """What is known at the radius, as a joint has it: an inertia in place of a mass, torques in
    place of forces."""
    if not of.form.turns:
        return one
    unit, power = _TURNING[one.unit]
    factor = of.radius**power
    name = "inertia" if one.name == "mass" else one.name
    return replace(
        one,
        name=name,
        unit=unit,
        value=one.value * factor,
        low=one.low * factor,
        high=one.high * factor,
    )


GEAR = "gearLoadCoefficient"


def _load(problem: Problem, linear: Linear, reaches: Sequence[float]) -> tuple[Estimate, ...]:
    """The load that goes with the position, and the friction of a gear under what it transmits; of
    gravity on an axis, which is constant, the offsets are the load."""
    kind, first = problem.records[0].load, 2 * sum(record.has_offset for record in problem.records)
    shown = list(zip(linear.load, reaches[first : first + len(linear.load)], strict=True))
    has_gear = problem.records[0].transmitted is not None
    gear = shown.pop() if has_gear else None
    if kind == GRAVITY and not shown:
        several = len(problem.records) > 1
        names = [f"weight in {record.name}" if several else "weight" for record in problem.records]
        shown, unit = list(zip(linear.offsets, reaches[:first:2], strict=True)), "N"
    elif kind == SPRING:
        names, unit = ["loadStiffness"], "N/m"
    else:
        names, unit = ["gravityCosine", "gravitySine"][: len(shown)], "N"
    size = math.hypot(*(value for value, _ in shown)) if len(shown) > 1 else 0.0
    found = [
        Estimate(
            name,
            unit,
            value,
            value - half,
            value + half,
            half < UNDETERMINED * (size or abs(value)),
            "",
            "",
        )
        for name, (value, half) in zip(names, shown, strict=True)
    ]
    if gear:
        value, half = gear
        known = half < UNDETERMINED * abs(value)
        found.append(Estimate(GEAR, "1", value, value - half, value + half, known, "", ""))
    return tuple(found)


def _quality(problem: Problem, modelled: np.ndarray, linear: Linear) -> Quality:
    counted = problem.weight > 0
    linear_part = problem.modelled(np.zeros(len(modelled)), linear)
    return quality_of(
        problem.measured, modelled, linear_part, counted, whole_drive(problem.records)
    )


def _by_filter(
    problem: Problem, point: np.ndarray, forces: np.ndarray, slopes: np.ndarray
) -> np.ndarray:
    """The squares of what other filters of the velocity would change in the fitted numbers, by a
    Gauss-Newton step: the filter itself may do as much to them."""
    squares = np.zeros((len(point), len(point)))
    sizes = np.where((norms := np.linalg.norm(slopes, axis=0)) > 0, norms, 1.0)
    for other in problem.with_other_filters():
        changed = other.forces([point])[0]
        if np.isfinite(changed).all():
            change = problem.project((changed - forces) * problem.weight)
            shift = np.linalg.lstsq(slopes / sizes, change, rcond=SINGULAR)[0] / sizes
            squares += np.outer(shift, shift)
    return squares


def _estimate(
    space: Space,
    i: int,
    point: np.ndarray,
    reach: float,
    bounds: Bounds,
    covariance: np.ndarray,
    confused: bool,
) -> Estimate:
    """`reach`: half the width of an interval in standard deviations."""
    one = space.parameters[i]
    value = space.values(point)[one.name]
    gradient = space.slopes(point)[i]
    finite = np.isfinite(np.diag(covariance))
    variance = float(gradient[finite] @ covariance[np.ix_(finite, finite)] @ gradient[finite])
    blind = bool(np.any(np.abs(gradient[~finite]) > 0))
    half = math.inf if blind else reach * math.sqrt(max(variance, 0.0))
    if one.positive and value > 0 and math.isfinite(half):
        grown = math.exp(min(half / value, 50.0))
        low, high = value / grown, value * grown
    else:
        low, high = value - half, value + half
    low, high = max(low, one.low), min(high, one.high)
    size = abs(value) if one.positive else max(abs(value), space.scales[one.name])
    determined = math.isfinite(half) and half < UNDETERMINED * size and not confused
    low_end, high_end = bounds[0][i], bounds[1][i]
    margin = 1e-3 * min(high_end - low_end, 1.0)
    at = "lower" if point[i] < low_end + margin else "upper" if point[i] > high_end - margin else ""
    partner = partner_of(space.names, i, covariance)
    return Estimate(one.name, one.unit, value, low, high, determined, at, partner)


def coulomb(problem: Problem) -> Quality:
    """The static fit to compare with: one coefficient, the direction of the last motion, and the
    same linear part."""
    part = np.concatenate(
        [directions(record.velocity) * np.maximum(record.normal, 0) for record in problem.records]
    )
    table = np.column_stack([part, problem.design])
    counted = problem.weight > 0
    found = np.linalg.lstsq(table[counted], problem.measured[counted], rcond=None)[0]
    drive = whole_drive(problem.records)
    return quality_of(problem.measured, table @ found, problem.design @ found[1:], counted, drive)
