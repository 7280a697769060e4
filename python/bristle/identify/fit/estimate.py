"""The fit: a start by stages, least squares from several starts until two of them agree, and what
the result is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..record.reading import Record
from .candidates import Candidate
from .extras import Solved, worth_it
from .intervals import judged
from .problem import Problem
from .profile import checked
from .result import Fit, Wanted
from .search import ITERATIONS, begins, settled
from .starts import first_values, scales
from .statistics import correlation_time
from .unknowns import first_point, unknowns

STARTS = 4  # least squares of the whole, at most, until the best of them is found twice
# of what one independent sample contributes to the sum of squares, by which two solutions are the
# same: a third of a standard deviation of a number
AGREE = 0.1
COARSE = 0.2  # of the residual, that modelled means may be off: 4 % of the sum of squares

Teller = Callable[[str], None]


def fit(
    of: Candidate,
    records: Sequence[Record],
    fixed: Mapping[str, float] | None = None,
    wanted: Wanted | None = None,
    weights: Sequence[np.ndarray] | None = None,
    tell: Teller = lambda text: None,
) -> Fit:
    """The parameters of a model that fit records best."""
    wanted = replace(wanted or Wanted(), fixed=dict(fixed or {}))
    for name in [*wanted.fixed, *wanted.start, *(wanted.fitted or [])]:
        of[name]
    records = [record.delayed(wanted.delay or 0.0) for record in records]
    seen = scales(records)
    first = first_values(of, seen) | dict(wanted.fixed) | dict(wanted.start)
    space = unknowns(of, records, seen, first, wanted)
    problem = Problem(of, records, space, weights)
    staged = first_point(space, first, records, seen)
    tell("looking for a start")
    starts = begins(problem, staged, wanted)
    tell("least squares")
    low, high = space.bounds(staged)
    bounds = np.minimum(low, starts[0]), np.maximum(high, starts[0])
    anchor = space.inside(staged, bounds)
    found: list[tuple[float, np.ndarray]] = []
    for begin in starts[:STARTS]:
        point = settled(problem, np.clip(begin, *bounds), bounds, anchor, wanted.released)
        found.append((float(problem.costs([point])[0]), point))
        if len(alike := _best(problem, found)) > 1:
            break
    # the staged start has no seed: where it leads to the best solution, no seed changes anything
    point, confirmed = alike[0], len(alike) > 1
    if any(record.block > 1 for record in records) and _is_too_coarse(problem, point):
        tell("least squares, with more points of a run for each mean")
        problem = problem.finer()
        point = problem.solved(point, bounds, ITERATIONS).point
    tell("confidence")
    solved, result = Solved(problem, point, bounds), judged(problem, point, bounds, seen)
    if wanted.extras:
        tell("a lag, and a viscous part that differs by direction")
        solved, result = worth_it(solved, wanted, result)
    if wanted.released:
        tell("ends of the intervals")
        result = checked(solved, result)
    return replace(
        result,
        fixed={name: value for name, value in space.fixed.items() if name in wanted.fixed},
        starts=len(found),
        confirmed=confirmed,
    )


def _best(problem: Problem, found: Sequence[tuple[float, np.ndarray]]) -> list[np.ndarray]:
    """The solutions that cannot be told from the best, in the order of their starts."""
    least, point = min(found, key=lambda one: one[0])
    rest = problem.residuals(problem.forces([point])[0])[problem.weight > 0]
    independent = len(rest) / correlation_time(rest)
    return [point for cost, point in found if cost <= (1 + AGREE / independent) * least]


def _is_too_coarse(problem: Problem, point: np.ndarray) -> bool:
    """Whether the modelled means, which are made of the force at the ends and in the middle of
    each, are off by a part of the residual that matters."""
    forces = problem.forces([point])[0]
    off = np.linalg.norm((problem.finer().forces([point])[0] - forces) * problem.weight)
    return bool(off > COARSE * np.linalg.norm(problem.residuals(forces)))
