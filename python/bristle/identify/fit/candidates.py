"""The parameters of a model that can be fitted, their limits, and their coordinates for an
optimizer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ... import BristleError
from ... import native
from ...format.facts import FACTS
from ...forms import Form, form_of
from ...library import Model, Variable, describe, hint, models
from ...running import settings
from ..record.reading import Options, Record

VISCOUS = "viscousFriction"
RESTS = ("regularizationVelocity", "staticVelocity")  # up to which a body counts as at rest
BACKWARD = "backwardFrictionRatio"
BACKWARD_VISCOUS = "backwardViscousRatio"
# whose default changes nothing
_EXTRA = {BACKWARD_VISCOUS, "viscousExponent", "viscousReferenceVelocity"}
# how far a parameter may be from its start, with a unit and without one
_WIDE, _NARROW = (math.log(1e6), math.log(8))
_SMALLEST_GAP = 1e-6  # between two parameters of which one has to be above the other, relative


@dataclass(frozen=True)
class Limit:
    """A rule between two parameters: this one is above or below the other."""

    above: bool
    other: str


@dataclass(frozen=True)
class Parameter:
    name: str
    unit: str
    text: str
    default: float = 0.0
    low: float = -math.inf
    high: float = math.inf
    positive: bool = False  # never zero: its logarithm is fitted
    limit: Limit | None = None
    advice: str = ""  # how it is found

    @property
    def is_extra(self) -> bool:
        """Whether it belongs to an extension of the law that is off by default (a preload, a film,
        a power law): fitted only on request."""
        return (self.default == 0 and self.name != VISCOUS) or self.name in _EXTRA


@dataclass(frozen=True)
class Candidate:
    """A model that can be run over a record of motion and normal force."""

    name: str
    title: str
    file: Path
    parameters: tuple[Parameter, ...]  # parameters that may be fitted
    form: Form
    radius: float = 1.0  # at which it turns
    options: tuple[str, ...] = ()  # names of the parameters that it has
    starts: tuple[Parameter, ...] = ()  # initial values of its first state, or of that vector
    # options that differ from their defaults
    chosen: Mapping[str, int] = field(default_factory=dict)

    @property
    def needs_load(self) -> bool:
        return bool(self.form.load)

    @property
    def place(self) -> dict[str, float]:
        """Parameters of its installation: known, not fitted."""
        return ({self.form.radius: self.radius} if self.form.turns else {}) | dict(self.chosen)

    def with_options(self, values: Mapping[str, float | str]) -> Candidate:
        """Sets the options among the values, given by number or by the name of an item."""
        given = {name: value for name, value in values.items() if name in self.options}
        chosen = settings(describe(self.file), given)
        return replace(self, chosen={one.name: int(value) for one, value in chosen.items()})

    def __getitem__(self, name: str) -> Parameter:
        for parameter in self.parameters + self.starts:
            if parameter.name == name:
                return parameter
        known = [parameter.name for parameter in self.parameters]
        raise BristleError(
            f"{self.name} has no parameter {name} to fit{hint(name, known)}; it has"
            f" {', '.join(known)}."
        )


@lru_cache(maxsize=256)
def candidate(name: str) -> Candidate:
    model = describe(name)
    # reports faults of its library now, not in each of a thousand runs
    native.functions(model)
    form = form_of(model)
    if form is None:
        why = "it does not take a normal force and a velocity, or gives no friction force"
        older = f"the FMU has no {FACTS}, as one of an older bristle or of another tool"
        reason = why if model.facts.law else older
        raise BristleError(f"{model.name} is not a scalar friction element: {reason}.")
    initial = [f"{one.name.partition('[')[0]}Start" for one in model.states]
    known = {*initial, form.radius}
    parameters = tuple(
        _parameter(model, one)
        for one in model.parameters
        if one.is_real and one.start is not None and one.name.partition("[")[0] not in known
    )
    if not parameters:
        raise BristleError(f"{model.name} has no parameters to fit.")
    radius = float(model[form.radius].start) if form.turns else 1.0
    options = tuple(one.name for one in model.parameters if not one.is_real)
    starts = tuple(
        _parameter(model, one)
        for one in model.parameters
        if initial and one.name.partition("[")[0] == initial[0]
    )
    return Candidate(model.name, model.title, model.file, parameters, form, radius, options, starts)


def all_candidates(turns: bool = False) -> list[Candidate]:
    """Returns every model of a scalar contact, in one of its forms."""
    found = []
    for name in models():
        try:
            found.append(candidate(name))
        except BristleError:
            continue  # a spatial element, or one that computes a normal force
    return [one for one in found if one.form.turns == turns]


def for_joints(of: Candidate | None, options: Options, fixed: dict[str, Any]) -> Options:
    """Returns the options for reading records of an element that turns, or for the ranking, in
    which the records decide; a fixed radius is known."""
    twins = [one for one in ([of] if of else all_candidates(turns=True)) if one.form.turns]
    if not twins:
        return options
    name = twins[0].form.radius
    radius = fixed.pop(name, options.radius)
    if radius is not None and radius <= 0:
        raise BristleError(f"--fix {name}={radius:g} has to be above 0.")
    return replace(options, radius=radius, turns=of is not None, assumed_radius=twins[0].radius)


def suited(laws: Sequence[Candidate], records: Sequence[Record]) -> list[Candidate]:
    """Returns the laws or, if all records are of a joint, their twins at its radius."""
    if not all(record.radius for record in records):
        return list(laws)
    twins = {of.name: of for of in all_candidates(turns=True)}
    chosen = [of if of.form.turns else twins.get(f"{of.name}Rotational") for of in laws]
    return [replace(of, radius=records[0].radius or 1.0) for of in chosen if of]


def check_values(where: str, laws: Sequence[Candidate], values: Mapping[str, Any]) -> None:
    """Refuses an item that an option lacks, and any other value that is not a number."""
    options = {name for of in laws for name in of.options}
    for name, value in values.items():
        is_number = isinstance(value, int | float) and math.isfinite(value)
        if name not in options and not is_number:
            raise BristleError(f"{where} {name}={value}: this is not a number.")
    for of in laws:
        of.with_options(values)


def _parameter(model: Model, variable: Variable) -> Parameter:
    bare = variable.name.partition("[")[0]
    rules = model.facts.rules.get(bare, {})
    limit = None
    for relation, other in rules.items():
        limit = Limit(relation in ("above", "at_least"), other)
    low = -math.inf if variable.min is None else variable.min
    high = math.inf if variable.max is None else variable.max
    return Parameter(
        name=variable.name,
        unit=variable.unit or "1",
        text=variable.text,
        default=float(variable.start),
        low=low,
        high=high,
        positive="above" in rules or low > 0,
        limit=limit,
        advice=model.facts.identify.get(bare, ""),
    )


@dataclass(frozen=True)
class Nuisance:
    """A number that is fitted with the law: the state at the beginning of a record."""

    parameter: Parameter
    scale: float
    record: int  # whose state it is
    weights: Mapping[str, float]  # per initial value


# lag of the records' force behind the motion: by a dead time, or the time constant of a low-pass
DELAY, LOW_PASS = LAGS = ("forceDelay", "forceLowPass")


class Space:
    """Converts the fitted parameters to the optimizer's coordinates and back. A positive parameter
    is fitted by its logarithm, one that has to stay below another by their ratio, one that has to
    stay above another by the logarithm of the difference, so that every point of the optimizer
    keeps the rules.
    """

    def __init__(
        self,
        of: Candidate,
        fitted: Sequence[str],
        fixed: Mapping[str, float],
        scales: Mapping[str, float],
        caps: Mapping[str, float] | None = None,
        nuisances: Sequence[Nuisance] = (),
    ) -> None:
        self.fixed = dict(fixed)
        self.caps = dict(caps or {})  # largest value, from the record
        self.nuisances = tuple(nuisances)
        self.law = list(fitted)  # names of the element's parameters
        self.parameters = [of[name] for name in fitted] + [one.parameter for one in nuisances]
        self.scales = {
            name: abs(scales.get(name, 0.0)) or abs(of[name].default) or 1.0 for name in fitted
        } | {one.parameter.name: one.scale for one in nuisances}
        # references first
        self.order = sorted(self.parameters, key=lambda one: one.limit is not None)

    @property
    def names(self) -> list[str]:
        return [parameter.name for parameter in self.parameters]

    def values(self, point: np.ndarray) -> dict[str, float]:
        """Returns the parameters of the model at a point."""
        numbers = dict(zip(self.names, point, strict=True))
        values = dict(self.fixed)
        for one in self.order:
            number = float(numbers[one.name])
            limit = one.limit if one.limit and one.limit.other in values else None
            if limit and limit.above:
                value = values[limit.other] * (1 + math.exp(min(number, 50.0)))
            elif limit:
                value = values[limit.other] * math.exp(min(number, 0.0))
            elif one.positive:
                value = math.exp(number)
            else:
                value = number * self.scales[one.name]
            values[one.name] = min(max(value, one.low), one.high)
        return values

    def of_fmu(self, values: Mapping[str, float], record: int) -> dict[str, float]:
        """Returns the values for an FMU and a record."""
        beside = {one.parameter.name for one in self.nuisances}
        given = {name: value for name, value in values.items() if name not in beside}
        for one in self.nuisances:
            if one.record == record:
                share = values[one.parameter.name]
                given |= {name: weight * share for name, weight in one.weights.items()}
        return given

    def point(self, values: Mapping[str, float]) -> np.ndarray:
        """Returns the point of given parameters, moved to where the rules hold."""
        numbers = []
        merged = self.fixed | dict(values)
        for one in self.parameters:
            value = merged[one.name]
            limit = one.limit if one.limit and one.limit.other in merged else None
            if limit and limit.above:
                numbers.append(math.log(max(value / merged[limit.other] - 1, _SMALLEST_GAP)))
            elif limit:
                numbers.append(math.log(min(max(value, 1e-300) / merged[limit.other], 1.0)))
            elif one.positive:
                numbers.append(math.log(max(value, 1e-300)))
            else:
                numbers.append(value / self.scales[one.name])
        return np.array(numbers)

    def bounds(self, around: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the bounds of the description, not absurdly far from the start."""
        lows, highs = [], []
        for one, number in zip(self.parameters, around, strict=True):
            width = _NARROW if one.unit == "1" else _WIDE
            known = {*self.fixed, *self.names}
            limit = one.limit if one.limit and one.limit.other in known else None
            if limit and limit.above:
                low, high = math.log(_SMALLEST_GAP), number + width
            elif limit:
                low, high = min(number, 0.0) - width, 0.0
            elif one.positive:
                low, high = number - width, number + width
                low = max(low, math.log(one.low)) if one.low > 0 else low
                high = min(high, math.log(one.high)) if math.isfinite(one.high) else high
                high = max(min(high, math.log(self.caps.get(one.name, math.inf))), low + 1e-3)
            else:
                scale = self.scales[one.name]
                low, high = max(one.low / scale, -1e3), min(one.high / scale, 1e3)
            lows.append(low - 1e-9)
            highs.append(high + 1e-9)
        return np.array(lows), np.array(highs)

    def inside(self, point: np.ndarray, bounds: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Moves the point slightly into the bounds, as the optimizer needs it."""
        low, high = bounds
        margin = 1e-6 * np.minimum(high - low, 1.0)
        return np.clip(point, low + margin, high - margin)

    def slopes(self, point: np.ndarray) -> np.ndarray:
        """Returns the derivatives of the model's parameters with respect to the point: a row per
        parameter."""
        table = np.empty((len(point), len(point)))
        for j in range(len(point)):
            step = np.zeros(len(point))
            step[j] = 1e-6
            plus, minus = self.values(point + step), self.values(point - step)
            one_sided = 1.0 if plus != minus else 0.0
            table[:, j] = [one_sided * (plus[name] - minus[name]) / 2e-6 for name in self.names]
        return table
