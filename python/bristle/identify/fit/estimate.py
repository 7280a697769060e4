"""The fit: staged start, bounded least squares, a global search where that fails, and what the
result is worth."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import differential_evolution, least_squares
from scipy.stats import qmc
from scipy.stats import t as student

from ... import BristleError
from .candidates import BACKWARD, RESTS, VISCOUS, Candidate, Space
from .problem import Linear, Problem, affordable, extracts
from ..record.reading import GRAVITY, SPRING, Record, directions, whole_drive
from .starts import Scales, first_values, scales, spreads

SEARCHED = 800, 3000  # least and most samples of each record in the search for a start
PATIENCE = 0.01  # s that a run in this search may take
POLISHED = 2  # of the starts
MOST_SPRINGS = 4  # times that the springs are weakened
SETTLED = 0.9  # of its strength before: a spring that would be weakened by less is weak enough
EVALUATIONS = 60  # of the last least squares
GLOBAL_GENERATIONS = 40
GLOBAL_POPULATION = 6  # per parameter
GOOD_ENOUGH = 0.8  # coefficient of determination from which on no global search is made
BLOCKS = 40  # into which the residual is cut for confidence intervals
# of the velocity, and of the way after a reversal, in which a residual is looked at that repeats
CLASSES = 16
BEYOND_CHANCE = 3.0  # standard deviations of what noise alone shows there
CONFIDENCE = 0.95
UNDETERMINED = (
    0.5  # half width of the interval, relative, from which on a parameter counts as not determined
)
SINGULAR = (
    1e-6  # singular value, relative to the largest, of a direction that nothing in the data tells
)
COARSE = 0.2  # of the residual, that modelled means may be off
PROFILE = 9  # points
PROFILE_PATIENCE = (
    0.1  # s that a run for a profile may take; beyond, it is made of parts of the record
)
BETTER = 0.97  # sum of squares, relative to the least, from which on the fit is begun anew

Teller = Callable[[str], None]


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
    profile: tuple[np.ndarray, np.ndarray] | None = (
        None  # values, and the sum of squares relative to the least
    )

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


@dataclass(frozen=True)
class Quality:
    """How well modelled and measured forces agree."""

    rms: float  # N
    relative: float  # to the rms of the measured force, less its offset
    relative_to_largest: float
    r2: float
    samples: int
    independent: float  # number of samples that count as independent
    relative_to_drive: float | None = None  # to the rms of the whole driving force, of drive data


@dataclass(frozen=True)
class Fit:
    of: Candidate
    records: Sequence[Record]
    estimates: tuple[Estimate, ...]
    fixed: Mapping[str, float]
    linear: Linear
    mass: Estimate | None  # where it was to be found, too
    load: tuple[Estimate, ...]  # that goes with the position, where it was to be found
    modelled: tuple[np.ndarray, ...]
    quality: Quality
    baseline: Quality  # Coulomb friction with the direction of the last motion
    seen: Scales
    aic: float
    bic: float
    runs: int
    searched_globally: bool
    # of the profiles: the sum of squares at the ends of the confidence interval, relative to the
    # least
    threshold: float
    confusions: tuple[tuple[str, ...], ...]  # parameters that are determined only in a combination
    # N: rms of the residual that goes with velocity or way in every stroke, which is the law's; 0
    # where chance would explain it
    systematic: float
    linear_doubts: tuple[
        tuple[float, float], ...
    ]  # half widths of the confidence intervals of offset and drift, per record

    @property
    def beside(self) -> tuple[Estimate, ...]:
        """What was found with the parameters of the element, but is none of them."""
        return (*self.load, *([self.mass] if self.mass else []))

    @property
    def values(self) -> dict[str, float]:
        return {**self.fixed, **{one.name: one.value for one in self.estimates}}


def fit(
    of: Candidate,
    records: Sequence[Record],
    fixed: Mapping[str, float] | None = None,
    fitted: Sequence[str] | None = None,
    start: Mapping[str, float] | None = None,
    weights: Sequence[np.ndarray] | None = None,
    with_profiles: bool = True,
    released: bool = True,
    tell: Teller = lambda text: None,
    seed: int = 1,
) -> Fit:
    """The parameters of a model that fit records best.

    `released`: the springs that hold what the data do not tell are taken off whatever the data do
    determine, and the fit goes on from there; intervals need this, the error alone hardly changes.
    """
    fixed = dict(fixed or {})
    for name in [*fixed, *(start or {}), *(fitted or [])]:
        of[name]
    hidden = () if any(record.tells_directions_apart for record in records) else (BACKWARD,)
    usual = [one.name for one in of.parameters if not one.is_extra and one.name not in hidden]
    chosen = [
        one.name
        for one in of.parameters
        if one.name not in fixed and one.name in (usual if fitted is None else fitted)
    ]
    if not chosen:
        raise BristleError(f"{of.name}: all parameters are fixed, so that nothing is left to fit.")
    seen = scales(records)
    first = first_values(of, seen) | fixed | dict(start or {})
    held = {name: first[name] for name in (one.name for one in of.parameters) if name not in chosen}
    typical = first | {VISCOUS: seen.viscous or 0.1 * seen.friction / max(seen.fastest, 1e-12)}
    space = Space(of, chosen, held, typical, _rests(of, records, seen))
    problem = Problem(of, records, space, weights)
    tell("looking for a start")
    begin, searched, more = _start(
        of, records, space, first, weights, dict(start or {}), seed, tell
    )
    tell("least squares")
    bounds = _bounds(space, space.point(first), begin)
    problem.anchor = space.inside(space.point(first), bounds)
    found, before = begin, math.inf
    for evaluations in (
        EVALUATIONS // 2,
        *[EVALUATIONS] * MOST_SPRINGS,
    ):  # again with springs as weak as the residual has become
        strength = _spring(problem, found)
        if strength > SETTLED * before:
            break
        problem.spring, before = strength / np.maximum(spreads(of, chosen), 0.5), strength
        found = _least_squares(problem, found, bounds, evaluations).x
    if released:
        problem.spring = np.where(_is_told(problem, found), 0.0, problem.spring)
        found = _least_squares(problem, found, bounds, EVALUATIONS).x
    if any(record.block > 1 for record in records) and _is_too_coarse(problem, found):
        tell("least squares, with more points of a run for each mean")
        problem = problem.finer()
        found = _least_squares(problem, found, bounds, EVALUATIONS).x
    tell("confidence")
    result, better = _judged(
        problem, found, bounds, seen, with_profiles, searched, more, fixed, held
    )
    if better is not None:
        tell("least squares again, from a better point")
        found = _least_squares(problem, better, bounds, EVALUATIONS).x
        result, _ = _judged(
            problem, found, bounds, seen, with_profiles, searched, more, fixed, held
        )
    return result


def _rests(of: Candidate, records: Sequence[Record], seen: Scales) -> dict[str, float]:
    """The largest speeds at which an element may take a body for resting: one that is told the load
    would otherwise call every motion rest, and answer the measured force with itself."""
    told = of.needs_load and any(record.external is not None for record in records)
    return {
        one.name: seen.slowest
        for one in of.parameters
        if told and one.name in RESTS and one.positive and seen.slowest > 0
    }


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
    covariance, _ = _covariance(problem.jacobian(point, central=True), rest, quality)
    logarithms = [one.positive or one.limit is not None for one in problem.space.parameters]
    sizes = np.where(logarithms, 1.0, np.maximum(np.abs(point), 1.0))
    return 2 * np.sqrt(np.maximum(np.diag(covariance), 0)) < UNDETERMINED * sizes


def _bounds(space: Space, first: np.ndarray, begin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    low, high = space.bounds(first)
    return np.minimum(low, begin), np.maximum(high, begin)


def _least_squares(
    problem: Problem, begin: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], evaluations: int
):
    return least_squares(
        problem.objective,
        problem.space.inside(begin, bounds),
        problem.objective_slopes,
        bounds,
        x_scale=np.ones(len(begin)),
        ftol=1e-5,
        xtol=1e-5,
        gtol=1e-12,
        max_nfev=evaluations,
    )


def _start(
    of: Candidate,
    records: Sequence[Record],
    space: Space,
    first: Mapping[str, float],
    weights: Sequence[np.ndarray] | None,
    given: Mapping[str, float],
    seed: int,
    tell: Teller,
) -> tuple[np.ndarray, bool, int]:
    """The best of the staged start and of others around it, after a few steps each; if all are bad,
    of a global search."""
    staged = space.point(first)
    bounds = space.bounds(staged)
    staged = space.inside(staged, bounds)
    samples = affordable(Problem(of, records, space), staged, PATIENCE, *SEARCHED)
    problem = Problem(of, [part for record in records for part in extracts(record, samples)], space)
    count = len(staged)
    width = np.where([name in given for name in space.names], 0.02, spreads(of, space.names))
    cloud = qmc.LatinHypercube(count, seed=seed).random(10 * count)
    points = [staged, *(np.clip(staged + width * (2 * row - 1), *bounds) for row in cloud)]
    costs = problem.costs(points)
    best = None
    for i in dict.fromkeys([0, *np.argsort(costs)[:POLISHED]]):
        tried = _least_squares(problem, points[i], bounds, 10)
        best = tried if best is None or tried.cost < best.cost else best
    total = float(np.sum((problem.measured * problem.weight) ** 2))
    explained = 1 - 2 * best.cost / total
    if explained < GOOD_ENOUGH:
        tell("the staged start is poor: searching globally")
        wide = (
            np.maximum(bounds[0], staged - 2.5 * np.maximum(width, 0.5)),
            np.minimum(bounds[1], staged + 2.5 * np.maximum(width, 0.5)),
        )
        search = differential_evolution(
            lambda columns: (
                problem.costs(list(columns.T))
                if columns.ndim > 1
                else float(problem.costs([columns])[0])
            ),
            list(zip(*wide, strict=True)),
            popsize=GLOBAL_POPULATION,
            maxiter=GLOBAL_GENERATIONS,
            tol=1e-3,
            polish=False,
            vectorized=True,
            updating="deferred",
            init="sobol",
            x0=np.clip(best.x, wide[0] + 1e-6, wide[1] - 1e-6),
            seed=seed,
        )
        tried = _least_squares(problem, search.x, bounds, 20)
        best = tried if tried.cost < best.cost else best
    return best.x, explained < GOOD_ENOUGH, problem.runs


def _judged(
    problem: Problem,
    point: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    seen: Scales,
    with_profiles: bool,
    searched: bool,
    more_runs: int,
    fixed: Mapping[str, float],
    held: Mapping[str, float],
) -> tuple[Fit, np.ndarray | None]:
    """The result, and a point that turned out to be better while its profiles were made, if there
    is one."""
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
    covariance, directions_lost = _covariance(slopes, rest, quality, systematic)
    count = len(point)
    freedom = max(min(quality.independent, BLOCKS) - count, 3.0)
    reach = float(student.ppf(0.5 + CONFIDENCE / 2, freedom))
    covariance = covariance + _by_filter(problem, point, forces, slopes) / reach**2
    confusions = _confusions(directions_lost, slopes, problem.space.names)
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0))
    lost = {name for group in confusions for name in group}
    threshold = 1 + reach**2 / max(quality.independent - count, 3.0)
    profiles, better = (
        _profiles(problem, point, bounds, deviations * reach) if with_profiles else ({}, None)
    )
    estimates = []
    for i, one in enumerate(problem.space.parameters):
        estimates.append(
            _estimate(
                problem.space,
                i,
                point,
                deviations[i] * reach,
                bounds,
                covariance,
                one.name in lost,
                profiles.get(one.name),
            )
        )
    alone = problem.linear_alone(point)
    reaches = [
        reach * math.sqrt(float(_covariance(column[:, None], rest, quality, systematic)[0][0, 0]))
        for column in alone.T
    ]
    n, k = quality.independent, count + problem.design.shape[1]
    deviance = n * math.log(max(quality.rms, 1e-300) ** 2)
    lengths = np.cumsum([len(record.time) for record in problem.records])[:-1]
    result = Fit(
        of=problem.of,
        records=tuple(problem.records),
        estimates=tuple(estimates),
        fixed={name: value for name, value in held.items() if name in fixed},
        linear=linear,
        mass=_of_a_joint(_mass(linear, reaches[-1]), problem.of) if problem.has_mass else None,
        load=tuple(_of_a_joint(one, problem.of) for one in _load(problem, linear, reaches)),
        modelled=tuple(np.split(modelled, lengths)),
        quality=quality,
        baseline=coulomb(problem),
        seen=seen,
        aic=deviance + 2 * k,
        bic=deviance + k * math.log(max(n, 2)),
        runs=problem.runs + more_runs,
        searched_globally=searched,
        threshold=threshold,
        confusions=confusions,
        systematic=systematic,
        linear_doubts=_by_record(problem, reaches),
    )
    return result, better


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


def _load(problem: Problem, linear: Linear, reaches: Sequence[float]) -> tuple[Estimate, ...]:
    """The load that goes with the position; of gravity on an axis, which is constant, the offsets
    are it."""
    kind, first = problem.records[0].load, 2 * sum(record.has_offset for record in problem.records)
    if kind == GRAVITY and not linear.load:
        several = len(problem.records) > 1
        names = [f"weight in {record.name}" if several else "weight" for record in problem.records]
        values, halves, unit = linear.offsets, reaches[:first:2], "N"
    else:
        names, unit = (
            (["loadStiffness"], "N/m")
            if kind == SPRING
            else (["gravityCosine", "gravitySine"], "N")
        )
        values, halves = linear.load, reaches[first : first + len(linear.load)]
    size = math.hypot(*values) if linear.load else 0.0
    return (
        tuple(
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
            for name, value, half in zip(names, values, halves)
        )
        if kind
        else ()
    )


def _quality(problem: Problem, modelled: np.ndarray, linear: Linear) -> Quality:
    counted = problem.weight > 0
    linear_part = problem.modelled(np.zeros(len(modelled)), linear)
    return quality_of(
        problem.measured, modelled, linear_part, counted, whole_drive(problem.records)
    )


def quality_of(
    measured: np.ndarray,
    modelled: np.ndarray,
    linear_part: np.ndarray,
    counted: np.ndarray,
    drive: np.ndarray | None = None,
) -> Quality:
    """Errors, where samples count, relative to the friction itself, that is to the measured force
    without offset, drift and inertia."""
    measured, modelled, linear_part = measured[counted], modelled[counted], linear_part[counted]
    rest = measured - modelled
    friction = measured - linear_part
    size = float(np.sqrt(np.mean(friction**2))) or 1e-300
    rms = float(np.sqrt(np.mean(rest**2)))
    spread = float(np.sum((friction - friction.mean()) ** 2)) or 1e-300
    return Quality(
        rms=rms,
        relative=rms / size,
        relative_to_largest=rms / (float(np.abs(friction).max()) or 1e-300),
        r2=1 - float(np.sum(rest**2)) / spread,
        samples=len(rest),
        independent=len(rest) / correlation_time(rest),
        relative_to_drive=(
            None
            if drive is None
            else rms / (float(np.sqrt(np.mean(drive[counted] ** 2))) or 1e-300)
        ),
    )


def correlation_time(rest: np.ndarray) -> float:
    """Over how many samples a residual remembers: twice the sum of its autocorrelation up to the
    first zero.

    It is at most a fifth of them: a residual that drifts through the whole record still counts as
    five independent samples.
    """
    n = len(rest)
    centred = rest - rest.mean()
    power = float(centred @ centred)
    if power <= 0:
        return 1.0
    spectrum = np.fft.rfft(centred, 2 * n)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)[: n // 2] / power
    below = np.flatnonzero(correlation <= 0)
    end = below[0] if len(below) else len(correlation)
    return min(1 + 2 * float(correlation[1:end].sum()), max(n / 5, 1.0))


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


def systematic_part(records: Sequence[Record], rest: np.ndarray) -> float:
    """The rms of what is the same in every stroke at the same velocity, or at the same way after a
    reversal, which noise is not: a wrong law leaves it.

    The means of classes in one half of the strokes are multiplied by those in the other half, so
    that noise gives nothing on average.
    """
    ends = np.cumsum([len(record.time) for record in records])[:-1]
    found = [0.0]
    for seen in (lambda record: record.velocity, _way_after_reversal):
        total, left = 0.0, []
        for record, part in zip(records, np.split(rest, ends), strict=True):
            counted = record.weight > 0
            values, part = seen(record)[counted], part[counted]
            halves = _half(record)[counted]
            edges = np.quantile(
                np.abs(values), np.linspace(0, 1, CLASSES // 2 + 1)[1:-1] ** 2
            )  # narrower at rest and after a reversal, where laws differ
            places = 2 * np.searchsorted(edges, np.abs(values), side="right") + (values > 0)
            for i in range(CLASSES):
                one, other = (places == i) & halves, (places == i) & ~halves
                if one.any() and other.any():
                    total += float(part[one].mean() * part[other].mean()) * int(
                        one.sum() + other.sum()
                    )
                    part = np.where(one | other, part - part[one | other].mean(), part)
            left.append(part)
        noise = np.concatenate(left)
        count = len(noise)
        chance = (
            2 * math.sqrt(CLASSES) * float(np.mean(noise**2)) * correlation_time(noise)
        )  # of the sum, if nothing repeats
        found.append(total / count if total > BEYOND_CHANCE * chance else 0.0)
    return math.sqrt(max(found))


def _way_after_reversal(record: Record) -> np.ndarray:
    """With the sign of the direction."""
    moved = np.concatenate(([0.0], np.cumsum(np.abs(record.velocity[1:])) * record.interval))
    starts = np.concatenate(([0], record.reversals()))
    began = starts[np.searchsorted(starts, np.arange(len(moved)), side="right") - 1]
    return (moved - moved[began]) * directions(record.velocity)


def _half(record: Record) -> np.ndarray:
    """Every second pair of strokes, there and back; where there are few, every second of some
    blocks of time."""
    strokes = np.searchsorted(record.reversals(), np.arange(len(record.time)), side="right")
    if strokes[-1] < 4:
        strokes = 2 * (np.arange(len(record.time)) * BLOCKS // len(record.time))
    return strokes // 2 % 2 == 0


def _covariance(
    slopes: np.ndarray, rest: np.ndarray, quality: Quality, systematic: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Of the fitted numbers: from the residual as a whole, with its correlation in time, or from
    its scatter over blocks of time, whichever is larger. More samples do not make up for a wrong
    law: what is systematic counts as many times as there are classes in which it was seen, less
    what was fitted. The second value are the directions that the data do not tell, one per column.
    """
    sizes = np.linalg.norm(slopes, axis=0)
    scale = np.where(sizes > 0, sizes, 1.0)
    _, singular, rotation = np.linalg.svd(slopes / scale, full_matrices=False)
    kept = singular > SINGULAR * max(singular[0], 1e-300)
    inverse = (rotation[kept].T / singular[kept] ** 2) @ rotation[kept]
    lost = rotation[~kept].T
    n, count = quality.samples, slopes.shape[1]
    variance = float(rest @ rest) / max(quality.independent - count, 3.0) / n * quality.independent
    simple = inverse * variance * (n / quality.independent)
    blocks = np.array_split(np.arange(len(rest)), BLOCKS)
    scores = np.array([(slopes[rows] / scale).T @ rest[rows] for rows in blocks])
    robust = inverse @ (scores.T @ scores) @ inverse * BLOCKS / max(BLOCKS - count, 1)
    diagonal = np.maximum(np.diag(simple), np.diag(robust))
    larger = simple if np.trace(simple) >= np.trace(robust) else robust
    old = np.sqrt(np.where(np.diag(larger) > 0, np.diag(larger), 1.0))
    covariance = larger * np.outer(
        np.sqrt(diagonal) / old, np.sqrt(diagonal) / old
    ) + inverse * n * systematic**2 / max(CLASSES - count, 3)
    covariance[sizes == 0, sizes == 0] = np.inf
    return covariance / np.outer(scale, scale), lost


def _confusions(
    lost: np.ndarray, slopes: np.ndarray, names: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    groups = []
    for direction in lost.T:
        members = tuple(
            name for name, share in zip(names, direction, strict=True) if abs(share) > 0.2
        )
        if len(members) > 1:
            groups.append(members)
    return tuple(groups)


def _estimate(
    space: Space,
    i: int,
    point: np.ndarray,
    reach: float,
    bounds: tuple[np.ndarray, np.ndarray],
    covariance: np.ndarray,
    confused: bool,
    profile: tuple[np.ndarray, np.ndarray] | None,
) -> Estimate:
    one = space.parameters[i]
    value = space.values(point)[one.name]
    gradient = space.slopes(point)[i]
    own = covariance.copy()
    finite = np.isfinite(np.diag(own))
    variance = float(gradient[finite] @ own[np.ix_(finite, finite)] @ gradient[finite])
    blind = bool(np.any(np.abs(gradient[~finite]) > 0))
    deviation = math.inf if blind else math.sqrt(max(variance, 0.0))
    ratio = reach / math.sqrt(own[i, i]) if np.isfinite(own[i, i]) and own[i, i] > 0 else 2.0
    half = deviation * ratio
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
    partner = _partner(space.names, i, covariance)
    return Estimate(one.name, one.unit, value, low, high, determined, at, partner, profile)


def _partner(names: Sequence[str], i: int, covariance: np.ndarray) -> str:
    """The parameter with which this one is exchanged most easily, if nearly without loss."""
    sizes = np.sqrt(np.abs(np.diag(covariance)))
    if not np.isfinite(sizes[i]) or sizes[i] == 0:
        return ""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.abs(covariance[i]) / (sizes * sizes[i])
    shares[i] = 0
    shares[~np.isfinite(shares)] = 0
    j = int(np.argmax(shares))
    return names[j] if shares[j] > 0.95 else ""


def _profiles(
    problem: Problem, point: np.ndarray, bounds: tuple[np.ndarray, np.ndarray], reach: np.ndarray
) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], np.ndarray | None]:
    """The least sum of squares with one parameter held: all others follow by a predicted and a
    corrected Gauss-Newton step. The second value is the best of all points, where it is clearly
    better than the one the profiles are about.
    """
    count = len(point)
    samples = affordable(
        problem,
        point,
        PROFILE_PATIENCE,
        SEARCHED[0],
        max(len(record.time) for record in problem.records),
    )
    short = [part for record in problem.records for part in extracts(record, samples)]
    small = (
        Problem(problem.of, short, problem.space)
        if problem.weights is not None and _is_whole(problem)
        else problem
    )
    table = small.jacobian(point)
    base = small.costs([point])[0]
    starts, keys = [], []
    for i in range(count):
        width = min(2 * reach[i], 1.5) if np.isfinite(reach[i]) and reach[i] > 0 else 1.5
        others = np.arange(count) != i
        follow = (
            np.linalg.lstsq(table[:, others], table[:, i], rcond=1e-8)[0]
            if count > 1
            else np.empty(0)
        )
        for offset in np.linspace(-width, width, PROFILE):
            moved = point.copy()
            moved[i] += offset
            moved[others] -= np.clip(follow * offset, -2.0, 2.0)
            starts.append(np.clip(moved, *bounds))
            keys.append(i)
    rests = small.residuals(small.forces(starts))
    costs = (rests**2).sum(axis=1)
    damping = 1e-3 * np.diag(np.maximum((table**2).sum(axis=0), 1e-300))
    corrected = []
    for moved, rest, i in zip(starts, rests, keys, strict=True):
        others = np.arange(count) != i
        step = np.zeros(count)
        if count > 1:
            part = table[:, others]
            step[others] = np.linalg.solve(
                part.T @ part + damping[np.ix_(others, others)], -part.T @ rest
            )
        corrected.append(np.clip(moved + np.clip(step, -0.5, 0.5), *bounds))
    after = small.costs(corrected)
    tried, costs = np.where((after < costs)[:, None], corrected, starts), np.minimum(costs, after)
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for i, name in enumerate(problem.space.names):
        rows = [k for k, key in enumerate(keys) if key == i]
        values = np.array([problem.space.values(starts[k])[name] for k in rows])
        sums = costs[rows] / max(base, 1e-300)
        found[name] = (values, sums)
    best = int(np.argmin(costs))
    return found, tried[best] if costs[best] < BETTER * base else None


def _is_whole(problem: Problem) -> bool:
    return all(
        np.array_equal(weight, record.weight)
        for weight, record in zip(problem.weights, problem.records, strict=True)
    )


def coulomb(problem: Problem) -> Quality:
    """The static fit to compare with: one coefficient, the direction of the last motion, and the
    same linear part."""
    part = np.concatenate(
        [directions(record.velocity) * np.maximum(record.normal, 0) for record in problem.records]
    )
    table = np.column_stack([part, problem.design])
    counted = problem.weight > 0
    found = np.linalg.lstsq(table[counted], problem.measured[counted], rcond=None)[0]
    return quality_of(problem.measured, table @ found, problem.design @ found[1:], counted)
