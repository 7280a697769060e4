"""Least squares within bounds by Levenberg and Marquardt's method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

# dampings tried at a time, relative to the last successful one: the runs share the cores
_DAMPINGS = (0.1, 1.0, 10.0)
_FIRST_DAMPING = 1e-2
_LARGEST_DAMPING = 1e9  # beyond, a step has no effect
_LONGEST_STEP = 1.5  # of one number: of a logarithm a factor of five
# of the sum of squares: with 1000 independent samples a number is then within a hundredth of its
# interval, less than its printed digits
_SAME = 1e-7


@dataclass(frozen=True)
class Solution:
    point: np.ndarray
    cost: float  # sum of squares


def least_squares(
    residuals: Callable[[Sequence[np.ndarray]], np.ndarray],
    slopes: Callable[[np.ndarray], np.ndarray],
    begin: np.ndarray,
    bounds: tuple[np.ndarray, np.ndarray],
    iterations: int,
    is_over: Callable[[], bool] = lambda: False,
) -> Solution:
    """Finds the point within bounds with the least sum of squares, or the best until `is_over`;
    `residuals` returns a row for each of several points."""
    low, high = bounds
    point = np.clip(begin, low, high)
    residual = residuals([point])[0]
    cost, damping = float(residual @ residual), _FIRST_DAMPING
    sizes = np.zeros(len(point))
    for _ in range(iterations):
        if is_over():
            break
        table = slopes(point)
        gradient, squares = table.T @ residual, table.T @ table
        sizes = np.maximum(sizes, np.diag(squares))
        free = ~((point <= low) & (gradient > 0) | (point >= high) & (gradient < 0))
        before = cost
        while free.any() and damping < _LARGEST_DAMPING:
            dampings = [damping * factor for factor in _DAMPINGS]
            points = [
                np.clip(point + _step(squares, gradient, sizes, free, one), low, high)
                for one in dampings
            ]
            tried = residuals(points)
            costs = (tried**2).sum(axis=1)
            best = int(np.argmin(costs))
            if costs[best] < cost:
                point, residual, cost = points[best], tried[best], float(costs[best])
                damping = max(dampings[best] / 3, 1e-9)
                break
            damping *= 100
        if before - cost <= _SAME * before:
            break
    return Solution(point, cost)


def _step(
    squares: np.ndarray, gradient: np.ndarray, sizes: np.ndarray, free: np.ndarray, damping: float
) -> np.ndarray:
    table = squares[np.ix_(free, free)] + np.diag(damping * np.maximum(sizes[free], 1e-300))
    step = np.zeros(len(gradient))
    step[free] = np.linalg.lstsq(table, -gradient[free], rcond=None)[0]
    return np.clip(step, -_LONGEST_STEP, _LONGEST_STEP)


def latin_hypercube(count: int, dimensions: int, seed: int) -> np.ndarray:
    """Returns points in the unit cube with each coordinate once in each of `count` equal parts."""
    random = np.random.default_rng(seed)
    parts = np.stack([random.permutation(count) for _ in range(dimensions)], axis=1)
    return (parts + random.random((count, dimensions))) / count
