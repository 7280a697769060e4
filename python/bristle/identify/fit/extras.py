"""Fits numbers that the residual shows significantly: the lag of the force behind the motion, a
dead time or a low-pass, and a viscous part that differs by direction."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .candidates import BACKWARD_VISCOUS, DELAY, LAGS, VISCOUS, Space
from .intervals import judged
from .problem import Problem
from .result import Fit, Wanted
from .search import ITERATIONS, Bounds
from .statistics import correlation_time

# gain in the likelihood (twice its logarithm) from which on another number is accepted: chance
# gives as much once in 500 times
WORTH = 10.0
# samples of the measurement: the longest lag; a longer one is rather a defect of the law
LATEST = 20.0
# likewise, from which the search for a lag begins, with all else fitted: a bristle fitted without
# one is soft enough to compensate for it
_LAGS = (0.0, 1.0, -1.0, 3.0, -3.0, 10.0, -10.0)
_LAG_STEPS = 12  # at most, each with a few steps of least squares
_SHORTEST = 0.05  # samples: of a negligible low-pass
_SAME_LAG = 1e-3  # samples: far below any interval of a lag
_SOME = 4  # steps of least squares between two steps of the lag


@dataclass(frozen=True)
class Solved:
    problem: Problem
    point: np.ndarray
    bounds: Bounds

    @cached_property
    def rest(self) -> np.ndarray:
        return self.problem.residuals(self.problem.forces([self.point])[0])

    @property
    def cost(self) -> float:
        return max(float(self.rest @ self.rest), 1e-300)


def through_narrower_windows(solved: Solved) -> Solved:
    """Halves the window for the velocity as long as that reduces the residual significantly: the
    width that the noise requires follows from the motion, the width that the reversals of friction
    allow from the force."""
    while (problem := solved.problem.narrower()) and not problem.watch.is_up:
        found = problem.solved(solved.point, solved.bounds, ITERATIONS)
        tried = Solved(problem, found.point, solved.bounds)
        if _gain(solved, tried) <= WORTH:
            break
        solved = tried
    return solved


def worth_it(solved: Solved, wanted: Wanted, plain: Fit) -> tuple[Solved, Fit]:
    """Returns the fit with those of the numbers that gain significantly and differ from their
    values without being fitted."""
    result, lag = plain, ""
    if wanted.delay is None:
        # an acceleration, which is compared with the force, would have to pass the low-pass, too
        is_plain = all(len(record.kernel) == 1 for record in solved.problem.records)
        lags = {
            kind: _with_lag(solved.problem, solved.point, kind)
            for kind in (LAGS if is_plain else (DELAY,))
        }
        kind = min(lags, key=lambda one: lags[one].cost)
        if _gain(solved, tried := lags[kind]) > WORTH:
            tried = _from_the_start(solved.problem, tried, kind)
            more = judged(tried.problem, tried.point, tried.bounds, plain.seen, kind)
            if _is_a_lag(more):
                solved, result, lag = tried, more, kind
    if _may_differ(solved.problem, wanted):
        tried = _with_viscous_direction(solved.problem, solved.point)
        if _gain(solved, tried) > WORTH:
            more = judged(tried.problem, tried.point, tried.bounds, plain.seen, lag)
            (ratio,) = (one for one in more.estimates if one.name == BACKWARD_VISCOUS)
            if ratio.determined and not ratio.low <= 1 <= ratio.high:
                solved, result = tried, more
    return solved, result


def _gain(solved: Solved, tried: Solved) -> float:
    """Returns the gain of the likelihood by a smaller sum of squares, with the number of
    independent samples in the residual of the better one, which is more like noise than what it
    explains."""
    rest = tried.rest
    counted = tried.problem.weight > 0
    independent = counted.sum() / correlation_time(rest[counted])
    return float(independent * math.log(solved.cost / tried.cost))


def _from_the_start(problem: Problem, solved: Solved, kind: str) -> Solved:
    """Returns the better of a solution with a lag and of one with the start of the fit without it:
    compensating for the lag may have moved a number, as the damping, to where it has no effect."""
    if problem.anchor is None:
        return solved
    first = solved.problem.records[0]
    lag = (first.time_constant or first.delay) * first.block / first.interval
    again = _with_lag(problem, problem.anchor, kind, (lag,), ITERATIONS)
    return min(solved, again, key=lambda one: one.cost)


def _with_lag(
    problem: Problem,
    point: np.ndarray,
    kind: str,
    lags: Sequence[float] = _LAGS,
    iterations: int = _SOME,
) -> Solved:
    """Delays the force by the lag that fits best: Gauss-Newton steps in the lag and all else at
    once, with least squares in between."""
    interval = problem.records[0].interval / problem.records[0].block
    bounds = problem.space.bounds(point)
    bounds = np.minimum(bounds[0], point), np.maximum(bounds[1], point)
    least = -LATEST if kind == DELAY else _SHORTEST
    begun = [
        (problem.lagging(kind, lag * interval).solved(point, bounds, iterations), lag)
        for lag in lags
        if lag >= least
    ]
    solution, lag = min(begun, key=lambda one: one[0].cost)
    other = problem.lagging(kind, lag * interval)
    step = math.inf
    for _ in range(_LAG_STEPS):
        if abs(step) < _SAME_LAG:
            break
        table = np.column_stack([other.jacobian(solution.point), other.lag_slope(solution.point)])
        rest = other.residuals(other.forces([solution.point])[0])
        sizes = np.maximum(np.linalg.norm(table, axis=0), 1e-300)
        step = float((np.linalg.lstsq(table / sizes, -rest, rcond=1e-6)[0] / sizes)[-1] / interval)
        while abs(step) >= _SAME_LAG:
            later = float(np.clip(lag + step, least, LATEST))
            further = problem.lagging(kind, later * interval)
            found = further.solved(solution.point, bounds, _SOME)
            if found.cost < solution.cost:
                lag, other, solution = later, further, found
                break
            step /= 2
    return Solved(other, other.solved(solution.point, bounds, ITERATIONS).point, bounds)


def _is_a_lag(result: Fit) -> bool:
    """Checks whether the lag exceeds the effect of the velocity's filter on a reversal, which looks
    like a lag, and is within the searched range."""
    record = result.records[0]
    latest = LATEST * record.interval / record.block
    return bool(result.lag and result.lag.determined and abs(result.lag.value) < latest)


def _may_differ(problem: Problem, wanted: Wanted) -> bool:
    """Checks whether a viscous part is fitted that may differ by direction, and both directions
    occur."""
    return (
        wanted.fitted is None
        and VISCOUS in problem.space.law
        and BACKWARD_VISCOUS in {one.name for one in problem.of.parameters}
        and BACKWARD_VISCOUS not in {*wanted.fixed, *problem.space.law}
        and all(record.goes_both_ways for record in problem.records)
    )


def _with_viscous_direction(problem: Problem, point: np.ndarray) -> Solved:
    old, law = problem.space, [*problem.space.law, BACKWARD_VISCOUS]
    fixed = {name: value for name, value in old.fixed.items() if name not in law}
    sizes = old.scales | {BACKWARD_VISCOUS: 1.0}
    space = Space(problem.of, law, fixed, sizes, old.caps, old.nuisances)
    begins: Sequence[np.ndarray] = [
        space.point(old.values(point) | {BACKWARD_VISCOUS: ratio}) for ratio in (1.0, 0.8, 1.25)
    ]
    other = problem.like(space=space)
    low, high = space.bounds(begins[0])
    bounds = np.minimum(low, np.min(begins, axis=0)), np.maximum(high, np.max(begins, axis=0))
    begin = begins[int(np.argmin(other.costs(begins)))]
    return Solved(other, other.solved(begin, bounds, ITERATIONS).point, bounds)
