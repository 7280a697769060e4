"""Fits a law: a start by stages, least squares from several starts until two of them agree, and the
uncertainty of the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..record.reading import Record
from .candidates import Candidate
from .extras import Solved, through_narrower_windows, worth_it
from .intervals import judged
from .problem import Problem, Reporter, Watch
from .profile import checked
from .result import SAMPLES, Fit, Wanted
from .search import ITERATIONS, begins, settled
from .starts import first_values, scales
from .statistics import correlation_time
from .unknowns import first_point, unknowns

# of the usual starts; another seed adds starts, and changes the result only if one of them is
# better
SEED = 1
STARTS = 4  # least squares over the whole records, at most, until the best is found twice
# part of one independent sample's contribution to the sum of squares, below which two solutions are
# equal: a third of a standard deviation of a number
AGREE = 0.1
COARSE = 0.2  # of the residual: allowed error of modelled means, 4 % of the sum of squares


def fit(
    of: Candidate,
    records: Sequence[Record],
    fixed: Mapping[str, float] | None = None,
    wanted: Wanted | None = None,
    weights: Sequence[np.ndarray] | None = None,
    report: Reporter = lambda text: None,
) -> Fit:
    """Finds the parameters of a model that fit records best."""
    wanted = replace(wanted or Wanted(), fixed=dict(fixed or {}))
    for name in [*wanted.fixed, *(wanted.fitted or [])]:
        of[name]
    records = [record.delayed(wanted.delay or 0.0) for record in records]
    seen = scales(records)
    first = first_values(of, seen) | dict(wanted.fixed)
    space = unknowns(of, records, seen, first, wanted)
    samples = sum(len(record.time) for record in records)
    times = 1.0 if wanted.begin else max(1.0, samples / SAMPLES)  # no longer than the ranking's
    watch = Watch(wanted.patience * times, report)
    problem = Problem(of, records, space, weights, watch=watch)
    staged = first_point(space, first, records, seen)
    bounds = space.bounds(staged)
    solutions = _solutions(problem, staged, wanted, SEED)
    if wanted.seed != SEED and not wanted.begin:
        other = problem.like(space=space)
        more = _solutions(other, staged, wanted, wanted.seed)
        if not set(_best(problem, solutions + more)) & set(range(len(solutions))):
            problem, solutions = other, more
    alike = _best(problem, solutions)
    point = solutions[alike[0]]
    if any(record.block > 1 for record in records) and _is_too_coarse(problem, point):
        watch.begin("least squares, with more points of a run for each mean")
        problem = problem.finer()
        point = problem.solved(point, bounds, ITERATIONS).point
    solved = Solved(problem, point, bounds)
    if wanted.released:
        watch.begin("least squares, with narrower windows for the velocity")
        solved = through_narrower_windows(solved)
        problem, point = solved.problem, solved.point
    watch.begin("intervals")
    result = judged(problem, point, bounds, seen, filters=wanted.released)
    if not watch.is_up:
        watch.begin("a lag, and a viscous part that differs by direction")
        solved, result = worth_it(solved, wanted, result)
    if wanted.released and not watch.is_up:
        watch.begin("ends of the intervals")
        result = checked(solved, result)
    return replace(
        result,
        fixed={name: value for name, value in space.fixed.items() if name in wanted.fixed},
        runs=watch.runs,
        starts=wanted.begin.starts if wanted.begin else len(solutions),
        confirmed=wanted.begin.confirmed if wanted.begin else len(alike) > 1,
        hurried=watch.step if watch.is_up else "",
    )


def _solutions(problem: Problem, staged: np.ndarray, wanted: Wanted, seed: int) -> list[np.ndarray]:
    """Returns solutions from several starts, until the best is found twice; or the one that
    continues an earlier fit."""
    problem.watch.begin("looking for a start")
    if wanted.begin:
        known = {one.name: one.value for one in (*wanted.begin.estimates, *wanted.begin.nuisances)}
        starts = [problem.space.point(problem.space.values(staged) | known)]
    else:
        starts = begins(problem, staged, seed)
    problem.watch.begin("least squares")
    bounds = problem.space.bounds(staged)
    anchor = problem.space.inside(staged, bounds)
    found: list[np.ndarray] = []
    for begin in starts[:STARTS]:
        found.append(settled(problem, begin, bounds, anchor, wanted.released))
        if problem.watch.is_up or len(_best(problem, found)) > 1:
            break
    return found


def _best(problem: Problem, found: Sequence[np.ndarray]) -> list[int]:
    """Returns the solutions that are indistinguishable from the best."""
    rests = problem.residuals(problem.forces(found))
    costs = (rests**2).sum(axis=1)
    rest = rests[int(np.argmin(costs))][problem.weight > 0]
    enough = (1 + AGREE * correlation_time(rest) / len(rest)) * costs.min()
    return [i for i, cost in enumerate(costs) if cost <= enough]


def _is_too_coarse(problem: Problem, point: np.ndarray) -> bool:
    """Checks whether the error of the modelled means, computed from the force at the ends and in
    the middle of each, is a significant part of the residual."""
    forces = problem.forces([point])[0]
    off = np.linalg.norm((problem.finer().forces([point])[0] - forces) * problem.weight)
    return bool(off > COARSE * np.linalg.norm(problem.residuals(forces)))
