"""What is asked of a fit, and what comes out of it."""

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
# s of processor time for one fit of up to so many samples, and in proportion for more: some laws
# take very long with some of the parameters that are tried, and all laws are to be compared within
# the hour
PATIENCE = 300.0
SAMPLES = 2000


@dataclass(frozen=True)
class Wanted:
    """What of a law is fitted, and how thoroughly."""

    fixed: Mapping[str, float] = field(default_factory=dict)
    fitted: Sequence[str] | None = None
    delay: float | None = None  # s, where it is known
    # whether springs are taken off what the data determine: intervals need it, errors hardly change
    released: bool = True
    seed: int = 1
    begin: Fit | None = None  # one of the same law, from which this one goes on without a search
    patience: float = PATIENCE


@dataclass(frozen=True)
class Estimate:
    """A fitted parameter and what is known about it."""

    name: str
    unit: str
    value: float
    low: float  # of the confidence interval
    high: float
    determined: bool
    at_limit: str = ""  # the limit it came to
    partner: str = ""  # the parameter that it can be traded for

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def about(name: str, unit: str, value: float, half: float, size: float | None = None) -> Estimate:
    """An estimate with an interval of this half width on either side; `size` is what it is
    compared with, where that is not the value itself."""
    known = half < UNDETERMINED * abs(value if size is None else size)
    return Estimate(name, unit, value, value - half, value + half, known)


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
    confusions: tuple[tuple[str, ...], ...]  # parameters that are determined only in a combination
    # N: rms of the residual that goes with velocity or way in every stroke, which is the law's; 0
    # where chance would explain it
    systematic: float
    # half widths of the confidence intervals of offset and drift, per record
    linear_doubts: tuple[tuple[float, float], ...]
    runs: int = 0
    # solutions from so many starts, and whether the best of them was found twice
    starts: int = 0
    confirmed: bool = False
    hurried: str = ""  # at which step the time was up; nothing, if it was enough

    @property
    def beside(self) -> tuple[Estimate, ...]:
        """What was found with the parameters of the element, but is none of them."""
        return (*self.load, *([self.mass] if self.mass else []), *self.nuisances)

    @property
    def values(self) -> dict[str, float]:
        return {**self.fixed, **{one.name: one.value for one in self.estimates}}

    @property
    def lag(self) -> Estimate | None:
        return next((one for one in self.nuisances if one.name in LAGS), None)
