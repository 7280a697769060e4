"""Starts around the staged one, and least squares from each of them."""

from __future__ import annotations

import math

import numpy as np

from ..record.reading import averaged
from .problem import Problem
from .result import UNDETERMINED
from .solver import latin_hypercube
from .starts import spreads
from .statistics import correlation_time, covariance_of

# means of each record, with two points of a run for each, in the search for a start with its
# hundreds of runs; the same on every machine, so that the result is
SEARCHED = 1000
CLOUD = 10  # points about the staged start per parameter
POLISHED = 6  # of them
MOST_SPRINGS = 4  # times that the springs are weakened
SETTLED = 0.9  # of its earlier strength: a spring that would be weakened by less is weak enough
ITERATIONS = 40  # of the last least squares

Bounds = tuple[np.ndarray, np.ndarray]


def begins(problem: Problem, staged: np.ndarray, seed: int) -> list[np.ndarray]:
    """Returns the staged start and others around it, after a few steps of least squares over means
    of the records, sorted by error after the staged one."""
    bounds = problem.space.bounds(staged)
    staged = problem.space.inside(staged, bounds)
    coarse = [averaged(record, SEARCHED) for record in problem.records]
    small = Problem(problem.of, coarse, problem.space, watch=problem.watch)
    cloud = latin_hypercube(CLOUD * len(staged), len(staged), seed)
    apart = spreads(problem.space) * (2 * cloud - 1)
    points = [staged, *np.clip(staged + apart, *bounds)]
    chosen = dict.fromkeys([0, *np.argsort(small.costs(points))[:POLISHED]])
    first, *others = [small.solved(points[i], bounds, 10) for i in chosen]
    return [first.point, *(one.point for one in sorted(others, key=lambda one: one.cost))]


def settled(
    problem: Problem, begin: np.ndarray, bounds: Bounds, anchor: np.ndarray, released: bool
) -> np.ndarray:
    """Solves least squares with springs that weaken with the residual, and then without those of
    parameters that the data determine."""
    problem.anchor = anchor
    found, before = begin, math.inf
    for iterations in (ITERATIONS // 2, *[ITERATIONS] * MOST_SPRINGS):
        strength = _spring(problem, found)
        if strength > SETTLED * before:
            break
        problem.spring, before = strength / np.maximum(spreads(problem.space), 0.5), strength
        found = problem.solved(found, bounds, iterations).point
    if released:
        problem.spring = np.where(_is_determined(problem, found), 0.0, problem.spring)
        found = problem.solved(found, bounds, ITERATIONS).point
    return found


def _spring(problem: Problem, point: np.ndarray) -> float:
    """Returns the cost of a parameter at the end of its usual range: that of one independent
    sample."""
    rest = problem.residuals(problem.forces([point])[0])
    counted = problem.weight > 0
    return math.sqrt(float(rest @ rest) * correlation_time(rest[counted]) / counted.sum())


def _is_determined(problem: Problem, point: np.ndarray) -> np.ndarray:
    """Checks which parameters the data determine, so that a spring would only pull them out of
    their confidence intervals."""
    forces = problem.forces([point])[0]
    quality = problem.quality(forces, problem.linear(forces))
    slopes = problem.jacobian(point, central=True)
    covariance, _ = covariance_of(slopes, problem.residuals(forces), quality)
    logarithms = [one.positive or one.limit is not None for one in problem.space.parameters]
    sizes = np.where(logarithms, 1.0, np.maximum(np.abs(point), 1.0))
    return 2 * np.sqrt(np.maximum(np.diag(covariance), 0)) < UNDETERMINED * sizes
