"""Checks intervals: each end is fixed, all else fitted again, and the sum of squares must rise
there as much as predicted by straight lines from the solution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from .candidates import Space
from .extras import Solved
from .problem import Problem
from .result import UNDETERMINED, Estimate, Fit
from .search import ITERATIONS
from .statistics import SINGULAR

# times its width, within which the predicted rise has to occur: the interval is then too narrow by
# at most a quarter, which is also the effect of noise on its width
_FIRM = 1.25


def checked(solved: Solved, result: Fit) -> Fit:
    """Returns the result with checked intervals. If the data determine every number the solution is
    a point and straight lines are valid near it; otherwise it is a valley that may bend."""
    numbers = [*result.estimates, *result.nuisances]
    if all(one.determined for one in numbers) or not any(one.determined for one in numbers):
        return result
    problem, point = solved.problem, solved.point
    free = problem.like(space=problem.space)  # without springs, like the repeated fits
    least = min(solved.cost, free.solved(point, solved.bounds, ITERATIONS).cost)
    slopes, table = problem.jacobian(point, central=True), problem.space.slopes(point)
    sizes = np.where((norms := np.linalg.norm(slopes, axis=0)) > 0, norms, 1.0)
    inverse = np.linalg.pinv(slopes / sizes, rcond=SINGULAR)
    spread = np.linalg.norm((table / sizes) @ inverse, axis=1)  # of each value per unit of residual
    values = problem.space.values(point)
    estimates = [
        _Ends(problem, values, one, float(width), least).tried() if one.determined else one
        for one, width in zip(result.estimates, spread[: len(result.estimates)], strict=True)
    ]
    return replace(result, estimates=tuple(estimates))


@dataclass(frozen=True)
class _Ends:
    """The ends of the interval of one number."""

    problem: Problem
    values: Mapping[str, float]
    one: Estimate
    spread: float
    least: float  # sum of squares

    def tried(self) -> Estimate:
        low, high = self._end(-1), self._end(1)
        half = (self._way(high) - self._way(low)) / 2
        known = half < UNDETERMINED * self._size
        return replace(self.one, low=low, high=high, determined=known)

    @property
    def _size(self) -> float:
        scale = 0.0 if self._is_positive else self.problem.space.scales[self.one.name]
        return max(abs(self.one.value), scale)

    @property
    def _is_positive(self) -> bool:
        return self.problem.of[self.one.name].positive and self.one.value > 0

    def _at(self, way: float) -> float:
        """Returns the number at a distance from its value, in the interval's measure."""
        value = self.one.value
        return value * math.exp(way / value) if self._is_positive else value + way

    def _way(self, number: float) -> float:
        """Returns the distance of a number from its value, in the same measure."""
        value = self.one.value
        if not self._is_positive:
            return number - value
        return value * math.log(number / value) if number > 0 else -math.inf

    def _end(self, sign: int) -> float:
        """Finds where the sum of squares has risen as predicted, or the limit beyond which a number
        counts as undetermined."""
        one = self.one
        shown, about = (one.low, one.high)[sign > 0], self.problem.of[one.name]
        if not about.low < shown < about.high or not self.spread:
            return shown  # nothing lies beyond
        reach = abs(self._way(shown))
        promised = reach / self.spread  # root of the rise
        before, rise, values = 0.0, 0.0, dict(self.values)
        way = _FIRM * reach
        while before < 2 * UNDETERMINED * self._size:
            cost, values = self._refitted(self._at(sign * way), values)
            if self.problem.watch.is_up:
                return shown  # and the time limit is reported
            last, rise = rise, math.sqrt(max(cost - self.least, 0.0))
            if rise >= promised and not before:
                return shown
            if rise >= promised:
                part = (promised - last) / (rise - last)
                return self._at(sign * (before + part * (way - before)))
            before, way = way, 2 * way
        return self._at(sign * before)

    def _refitted(
        self, target: float, values: Mapping[str, float]
    ) -> tuple[float, dict[str, float]]:
        """Returns the least sum of squares with the number fixed, and all numbers there."""
        old = self.problem.space
        law = [name for name in old.law if name != self.one.name]
        fixed = old.fixed | {self.one.name: target}
        space = Space(self.problem.of, law, fixed, old.scales, old.caps, old.nuisances)
        begin = space.point(dict(values) | fixed)
        low, high = space.bounds(begin)
        other = self.problem.like(space=space)
        found = other.solved(begin, (low, high), ITERATIONS)
        return found.cost, space.values(found.point)
