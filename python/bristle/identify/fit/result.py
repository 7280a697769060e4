"""The settings and results of a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..record.reading import Record
from .candidates import LAGS, Candidate
from .problem import Linear
from .starts import Scales
from .statistics import Quality

# half width of the interval, relative, from which on a parameter counts as not determined: not even
# its first digit is known
UNDETERMINED = 0.5
# s of processor time for one fit of up to this many samples, and in proportion for more: some laws
# take very long with some parameters, and all laws should be compared within the hour
PATIENCE = 300.0
SAMPLES = 2000


@dataclass(frozen=True)
class Wanted:
    """What to fit of a law, and how thoroughly."""

    fixed: Mapping[str, float] = field(default_factory=dict)
    fitted: Sequence[str] | None = None
    delay: float | None = None  # s, if known
    # whether to remove the springs of parameters that the data determine: intervals need it, errors
    # hardly change
    released: bool = True
    seed: int = 1
    begin: Fit | None = None  # an earlier fit of the same law, to continue without a search
    patience: float = PATIENCE


@dataclass(frozen=True)
class Estimate:
    """A fitted parameter with its uncertainty."""

    name: str
    unit: str
    value: float
    low: float  # of the confidence interval
    high: float
    determined: bool
    at_limit: str = ""  # the limit it reached
    partner: str = ""  # the parameter that it can be exchanged for

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def about(name: str, unit: str, value: float, half: float, size: float | None = None) -> Estimate:
    """Makes an estimate with an interval of this half width on either side; `size` is the reference
    for it, if not the value itself."""
    known = half < UNDETERMINED * abs(value if size is None else size)
    return Estimate(name, unit, value, value - half, value + half, known)


@dataclass(frozen=True)
class Fit:
    of: Candidate
    records: Sequence[Record]
    estimates: tuple[Estimate, ...]
    fixed: Mapping[str, float]
    linear: Linear
    mass: Estimate | None  # if it was fitted, too
    load: tuple[Estimate, ...]  # that depends on the position, if it was fitted
    nuisances: tuple[Estimate, ...]  # numbers of the records: their first states, the lag
    modelled: tuple[np.ndarray, ...]
    quality: Quality
    baseline: Quality  # Coulomb friction with the direction of the last motion
    seen: Scales
    confusions: tuple[tuple[str, ...], ...]  # parameters that are determined only in combination
    # N: rms of the residual that repeats with velocity or displacement in every stroke, a defect of
    # the law; 0 if chance explains it
    systematic: float
    # half widths of the confidence intervals of offset and drift, per record
    linear_doubts: tuple[tuple[float, float], ...]
    runs: int = 0
    # number of starts, and whether the best solution was found twice
    starts: int = 0
    confirmed: bool = False
    hurried: str = ""  # the step at which the time was up; "" if it was enough

    @property
    def beside(self) -> tuple[Estimate, ...]:
        """What was fitted beside the parameters of the element."""
        return (*self.load, *([self.mass] if self.mass else []), *self.nuisances)

    @property
    def values(self) -> dict[str, float]:
        return {**self.fixed, **{one.name: one.value for one in self.estimates}}

    @property
    def lag(self) -> Estimate | None:
        return next((one for one in self.nuisances if one.name in LAGS), None)
