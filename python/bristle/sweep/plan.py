"""Plans a sweep: axes, and the points of a grid or a sample over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from .. import BristleError
from ..cli.extras import needing

SAMPLES = ("latin", "sobol")
MOST = 10_000_000


@dataclass(frozen=True)
class Axis:
    """A parameter and its values."""

    name: str
    low: float
    high: float
    count: int | None  # None: a range to sample
    logarithmic: bool
    listed: tuple[float, ...] = ()
    unit: str = ""

    @property
    def label(self) -> str:
        return f"{self.name} [{self.unit}]" if self.unit not in ("", "1") else self.name

    def levels(self) -> list[float]:
        if self.listed:
            return list(self.listed)
        shares = np.linspace(0.0, 1.0, self.count or 0)
        return [self.at(float(share)) for share in shares]

    def at(self, share: float) -> float:
        """Returns the value at a fraction of the range from low to high."""
        if self.logarithmic:
            return math.exp(math.log(self.low) + share * (math.log(self.high) - math.log(self.low)))
        return self.low + share * (self.high - self.low)


def read_axis(text: str) -> Axis:
    """Reads NAME=LOW:HIGH:COUNT, NAME=LOW:HIGH to sample, each optionally with :log, or
    NAME=A,B,C."""
    name, sign, words = text.partition("=")
    problem = BristleError(
        f"--over {text}: this is not NAME=LOW:HIGH:COUNT, NAME=LOW:HIGH or NAME=A,B,C."
    )
    if not sign or not name or not words:
        raise problem
    parts = words.split(":")
    logarithmic = parts[-1] == "log"
    parts = parts[:-1] if logarithmic else parts
    try:
        if len(parts) == 1:
            listed = tuple(_number(part) for part in parts[0].split(","))
            return Axis(name, min(listed), max(listed), len(listed), False, listed)
        low, high = _number(parts[0]), _number(parts[1])
        count = int(parts[2]) if len(parts) == 3 else None
    except (ValueError, IndexError):
        raise problem from None
    if len(parts) > 3:
        raise problem
    if low >= high:
        raise BristleError(f"--over {text}: the lower end has to be below the upper one.")
    if logarithmic and low <= 0:
        raise BristleError(f"--over {text}: a logarithmic axis has to be above 0.")
    if count is not None and count < 2:
        raise BristleError(f"--over {text}: an axis needs two values or more.")
    return Axis(name, low, high, count, logarithmic)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def points(
    axes: Sequence[Axis], sample: str | None, count: int | None, seed: int
) -> list[dict[str, float]]:
    """Returns the values of every run, in the order of the table."""
    names = [axis.name for axis in axes]
    if len(set(names)) != len(names):
        raise BristleError(
            f"--over names {next(name for name in names if names.count(name) > 1)} twice."
        )
    if sample is None:
        if unfinished := [axis.name for axis in axes if axis.count is None]:
            raise BristleError(
                f"--over {unfinished[0]} has no number of values; give one, or a --sample."
            )
        size = math.prod(axis.count or 0 for axis in axes)
        if size > MOST:
            raise BristleError(
                f"the grid has {size:.6g} points, more than {MOST:g}; take a --sample of it."
            )
        return [
            dict(zip(names, row, strict=True)) for row in product(*(axis.levels() for axis in axes))
        ]
    if not count or count < 2:
        raise BristleError("--sample needs --count, two or more.")
    if count > MOST:
        raise BristleError(f"--count {count} is more than {MOST:g}.")
    if listed := [axis.name for axis in axes if axis.listed]:
        raise BristleError(f"--over {listed[0]} is a list; a sample needs LOW:HIGH.")
    with needing("sweep"):
        from scipy.stats import qmc
    if sample == "sobol":
        rows = qmc.Sobol(len(axes), seed=seed).random_base2(math.ceil(math.log2(count)))[:count]
    else:
        rows = qmc.LatinHypercube(len(axes), seed=seed).random(count)
    return [
        {axis.name: axis.at(float(share)) for axis, share in zip(axes, row, strict=True)}
        for row in rows
    ]
