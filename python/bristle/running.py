"""Runs records through FMUs: outputs from times, inputs and parameters."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import cpu_count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import BristleError
from . import native
from .format.archive import contents
from .format.hosting import Instance, Instance3
from .library import Model, Variable, describe

# relative step of differences of event indicators: rounding of 1e-16 becomes an error of 1e-10
DIFFERENCE = 1e-6
INTERPOLATIONS = ("linear", "hold")
MOST_SAMPLES = 10_000_000  # their outputs take 1 GB of memory
Values = Mapping[str, Any]


def run(
    model: str | Path,
    time: ArrayLike,
    inputs: Mapping[str, ArrayLike],
    parameters: Values | None = None,
    outputs: str | Sequence[str] | None = None,
    interpolate: str = "linear",
    tolerance: float | None = None,
    slopes: str | Sequence[str] = (),
) -> dict[Any, np.ndarray]:
    """Runs a record through a model by co-simulation and returns the named outputs (default: all)
    at every time.

    An input is one number or one per time; inputs left out keep their defaults. Between two times
    inputs are "linear" or held ("hold"). The outputs at a time are those under the inputs of that
    time. A vector has one name and a column per element, as input and as output; an element has its
    name in the FMU, frictionForce[1]. An option is given by the name of its item or its number.
    With `slopes` the result also has, by (output, name), the derivatives of the real outputs at
    every time with respect to these parameters, from the exact ones of the law and, at events,
    differences of its indicators.

    >>> time = [0, 0.05, 0.1]
    >>> inputs = {"relativeVelocity": 0.02, "normalForce": 10.0}
    >>> force = bristle.run("LuGre", time, inputs, {"staticFriction": 0.5})["frictionForce"]
    >>> print(force.round(3))
    [7.9   3.271 3.271]

    A vector, one number per element for all times:

    >>> inputs = {"relativeVelocity": [0.3, 0.4, 0.0], "contactNormal": [0, 0, 1]}
    >>> result = bristle.run("ProjectedLuGre", time, inputs, outputs="frictionForce")
    >>> result["frictionForce"].shape
    (3, 3)

    Derivatives of the run:

    >>> inputs = {"relativeVelocity": 0.02}
    >>> result = bristle.run("LuGre", time, inputs, slopes="dynamicFriction")
    >>> print(result["frictionForce", "dynamicFriction"].round(2))
    [0.   8.48 8.48]
    """
    return Runs(model, time, inputs, outputs, interpolate, tolerance).one(parameters or {}, slopes)


def run_many(
    model: str | Path,
    time: ArrayLike,
    inputs: Mapping[str, ArrayLike],
    parameters: Sequence[Values],
    outputs: str | Sequence[str] | None = None,
    interpolate: str = "linear",
    tolerance: float | None = None,
    failed: str = "raise",
    workers: int | None = None,
    seconds: float | None = None,
) -> dict[str, np.ndarray]:
    """Runs a record for many sets of parameters on all cores; each output has a row per set. With
    failed="nan" a set that fails, or that the model refuses, gets rows of NaN instead of an error.
    A run that takes more than `seconds` of processor time has failed.

    >>> sets = [{"dynamicFriction": value} for value in (0.2, 0.3, 0.4)]
    >>> inputs = {"relativeVelocity": 0.05}
    >>> result = bristle.run_many("LuGre", [0, 0.5], inputs, sets, "frictionForce")
    >>> print(result["frictionForce"][:, -1].round(3))
    [1.988 2.963 3.937]
    """
    if isinstance(parameters, Mapping) or not isinstance(parameters, Sequence):
        raise TypeError(f"parameters must be a list of dictionaries, not {_type(parameters)}.")
    if failed not in ("raise", "nan"):
        raise BristleError(f'failed = "{failed}" must be "raise" or "nan".')
    workers = min(workers or cpu_count(), len(parameters))
    limit = seconds and seconds * workers  # the time of all threads counts
    runs = Runs(model, time, inputs, outputs, interpolate, tolerance, limit)

    def work(one: Values) -> dict[str, np.ndarray]:
        try:
            return runs.one(one)
        except BristleError:
            if failed == "raise":
                raise
            return runs.nothing()

    results = _in_threads(work, parameters, workers)
    if not results:
        return {name: column[np.newaxis][:0] for name, column in runs.nothing().items()}
    return {name: np.stack([one[name] for one in results]) for name in results[0]}


def evaluate(
    model: str | Path,
    values: Values,
    outputs: str | Sequence[str] | None = None,
    slopes: str | Sequence[str] = (),
) -> dict[Any, Any]:
    """Evaluates the law at single points, without history: returns the outputs at the start, with
    these inputs and parameters.

    Each value is one number or one per point, of inputs and parameters alike; the initial states
    are parameters (bristleDeflectionStart). With `slopes` the result also has, by (output, name),
    the exact derivatives of the real outputs with respect to these inputs or parameters.

    >>> values = {"relativeVelocity": [0.001, 0.01, 0.1], "normalForce": 10.0}
    >>> result = bristle.evaluate("StaticRegularized", values, slopes="relativeVelocity")
    >>> print(result["frictionForce"].round(3))
    [6.   4.22 3.  ]
    >>> print(result["frictionForce", "relativeVelocity"].round(1))
    [-300. -122.   -0.]
    """
    about, slopes = describe(model), _names("slopes", slopes)
    check_mapping("values", values)
    fixed: dict[str, Any] = {}
    moving: dict[str, Any] = {}
    for name, value in values.items():
        several = np.ndim(value) > (name in about.vectors)
        (moving if several else fixed)[name] = value
    lengths = {name: len(value) for name, value in moving.items()}
    if len(set(lengths.values())) > 1:
        raise BristleError(
            f"{about.name}: there are"
            f" {', '.join(f'{n} values of {name}' for name, n in lengths.items())}."
        )
    count = next(iter(lengths.values()), 1)
    reals, integers = _settable(about, fixed)
    signals = _signals(about, moving, count, about.inputs + about.parameters)
    results = Results(about, outputs, count)
    if about.version == 3 and not slopes:
        for i in range(count):
            _hosted(
                about, results, {**reals, **integers}, signals, np.zeros(count), range(i, i + 1)
            )
        return dict(results.columns())
    record = _Call(about, np.zeros(count), signals, results)
    record.set(reals, integers)
    table = record.slopes([_real(about, name) for name in slopes])
    record.call(
        native.runner().runner_evaluate, lambda done: f", at point {done}" if count > 1 else ""
    )
    found: dict[Any, np.ndarray] = {**results.columns(), **results.slopes(slopes, table)}
    return found


class Runs:
    """One record, to be run with any parameters; safe to use from several threads."""

    def __init__(
        self,
        model: str | Path,
        time: ArrayLike,
        inputs: Mapping[str, ArrayLike],
        outputs: Sequence[str] | None = None,
        interpolate: str = "linear",
        tolerance: float | None = None,
        seconds: float | None = None,
    ) -> None:
        self.about = describe(model)
        if interpolate not in INTERPOLATIONS:
            raise BristleError(
                f'interpolate = "{interpolate}" must be {" or ".join(map(repr, INTERPOLATIONS))}.'
            )
        if tolerance is not None and not 0 < tolerance < np.inf:
            raise BristleError(f"the tolerance {tolerance:g} must be greater than 0.")
        self.times = _times(time)
        check_mapping("inputs", inputs)
        self.signals = _signals(self.about, inputs, len(self.times), self.about.inputs)
        self.results = Results(self.about, outputs, len(self.times))
        self.linear = interpolate == "linear"
        self.tolerance, self.seconds = tolerance or 0.0, seconds or 0.0
        self.known: dict[tuple[str, ...], ctypes.Structure] = {}

    @cached_property
    def ready(self) -> _Call:
        """What all runs have in common, made once: making it holds the lock that threads share."""
        call = _Call(self.about, self.times, self.signals, self.results)
        call.set({}, {})
        call.record.linear = self.linear
        call.record.tolerance = self.tolerance
        call.record.seconds = self.seconds
        return call

    def one(self, parameters: Values, slopes: str | Sequence[str] = ()) -> dict[Any, np.ndarray]:
        slopes = _names("slopes", slopes)
        check_mapping("parameters", parameters)
        results = self.results.empty()
        if self.about.version == 3 and not slopes:
            self._hosted(results, parameters)
            return dict(results.columns())
        call = self.ready.into(results)
        names = tuple(parameters)
        values = list(parameters.values())
        is_plain = not slopes and all(type(one) is float and math.isfinite(one) for one in values)
        if is_plain and names in self.known:  # no lookup is needed
            call.record.reals = self.known[names]
            call.array("real_values", np.array(values))
        else:
            call.set(*_settable(self.about, parameters, self.about.parameters))
            if is_plain:
                self.ready.kept += call.kept
                self.known[names] = call.record.reals
        table = call.slopes([_parameter(self.about, name) for name in slopes]) if slopes else None
        runner = native.runner()
        call.call(
            runner.runner_sensitivities if slopes else runner.runner_simulate,
            lambda done: f", at {self.times[done]:g} s" if done else "",
        )
        found: dict[Any, np.ndarray] = dict(results.columns())
        return found if table is None else found | results.slopes(slopes, table)

    def _hosted(self, results: Results, parameters: Values) -> None:
        values = settings(self.about, parameters, self.about.parameters)
        samples = range(len(self.times))
        how = (self.tolerance, self.linear)
        _hosted(self.about, results, values, self.signals, self.times, samples, *how)

    def nothing(self) -> dict[str, np.ndarray]:
        """Returns the results of a failed run: NaN."""
        return {
            name: np.full(column.shape, np.nan) for name, column in self.results.columns().items()
        }


@dataclass(frozen=True)
class Signals:
    """The values to set at each sample."""

    variables: list[Variable]
    values: np.ndarray  # a row per sample

    def at(self, sample: int) -> dict[int, float]:
        """Returns the values by value reference."""
        row = self.values[sample].tolist()
        return {one.reference: value for one, value in zip(self.variables, row, strict=True)}


class Results:
    """The values to read at each sample."""

    def __init__(self, about: Model, wanted: str | Sequence[str] | None, count: int) -> None:
        names = list(dict.fromkeys(one.base for one in about.outputs))
        if wanted is not None:
            names = _names("outputs", wanted)
        self.groups = {
            name: [about[element] for element in about.vectors.get(name, [name])] for name in names
        }
        self.vectors = about.vectors.keys() & names
        asked = [one for group in self.groups.values() for one in group]
        self.reals = [one for one in asked if one.is_real]
        self.modes = [one for one in asked if not one.is_real]
        self.real_values = np.empty((count, len(self.reals)))
        self.mode_values = np.empty((count, len(self.modes)), dtype=np.int32)

    def read(self, sample: int, fmu: Instance) -> None:
        taken = fmu.take([one.reference for one in self.reals + self.modes])
        self.real_values[sample] = taken[: len(self.reals)]
        self.mode_values[sample] = taken[len(self.reals) :]

    def empty(self) -> Results:
        """Makes arrays for another run."""
        other = _twin(self)
        other.real_values = np.empty_like(self.real_values)
        other.mode_values = np.empty_like(self.mode_values)
        return other

    def columns(self) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = {
            one.name: np.ascontiguousarray(self.real_values[:, i])
            for i, one in enumerate(self.reals)
        }
        for i, one in enumerate(self.modes):
            found[one.name] = np.ascontiguousarray(self.mode_values[:, i])
        return {
            name: (
                np.stack([found[one.name] for one in group], axis=1)
                if name in self.vectors
                else found[name]
            )
            for name, group in self.groups.items()
        }

    def slopes(self, names: Sequence[str], table: np.ndarray) -> dict[tuple[str, str], np.ndarray]:
        """Returns the slopes by output and name; of a vector with a column per element."""
        place = {one: i for i, one in enumerate(self.reals)}
        return {
            (output, name): (
                table[:, j, [place[one] for one in group]]
                if output in self.vectors
                else table[:, j, place[group[0]]].copy()
            )
            for output, group in self.groups.items()
            if group[0].is_real
            for j, name in enumerate(names)
        }


class _Call:
    """One call of the runner, with everything that has to stay in memory during it."""

    def __init__(self, about: Model, times: np.ndarray, signals: Signals, results: Results) -> None:
        self.about = about
        self.kept: list[Any] = []
        self.values: dict[Variable, float] = {}
        self.record = native.SampledRun()
        functions = native.functions(about)
        self.record.fmu = ctypes.cast(functions, ctypes.c_void_p)
        self.record.guid = about.guid.encode()
        self.record.n_samples = len(times)
        self.array("times", times)
        self.variables("signals", signals.variables)
        self.array("signal_values", signals.values)
        self.variables("outputs", results.reals)
        self.variables("modes", results.modes)
        self._give_room(results)

    def _give_room(self, results: Results) -> None:
        self.array("output_values", results.real_values)
        self.array("mode_values", results.mode_values)

    def into(self, results: Results) -> _Call:
        """Copies the call for other results; this one has to outlive the copy."""
        other = _twin(self)
        other.record, other.kept = native.SampledRun.from_buffer_copy(self.record), []
        other._give_room(results)
        return other

    def set(self, reals: dict[Variable, float], integers: dict[Variable, int]) -> None:
        self.values = reals
        self.variables("reals", list(reals))
        self.array("real_values", np.array(list(reals.values()), dtype=np.float64))
        self.variables("integers", list(integers))
        self.array("integer_values", np.array(list(integers.values()), dtype=np.int32))

    def slopes(self, knowns: Sequence[Variable]) -> np.ndarray:
        """Makes the array for the slopes of all real outputs with respect to these."""
        table = np.empty((self.record.n_samples, len(knowns), self.record.outputs.count))
        derivatives = [one for one in self.about.variables if one.derivative]
        self.variables("knowns", knowns)
        self.variables("states", self.about.states)
        self.variables("derivatives", derivatives)
        self.variables("event_modes", [one for one in self.about.outputs if not one.is_real])
        self.record.n_indicators = self.about.indicators
        starts = {f"{one.name.partition('[')[0]}Start" for one in self.about.states}
        self.array("known_steps", np.array([DIFFERENCE * self._size(one) for one in knowns]))
        self.array(
            "lasting",
            np.array([one.name.partition("[")[0] not in starts for one in knowns], dtype=np.int32),
        )
        self.array("slopes", table)
        return table

    def _size(self, known: Variable) -> float:
        """Returns the nominal size of a parameter: its set value, or its default."""
        return abs(self.values.get(known, 0.0)) or abs(known.start or 0.0) or known.nominal or 1.0

    def variables(self, field: str, variables: Sequence[Variable]) -> None:
        references = (ctypes.c_uint * max(1, len(variables)))(*[one.reference for one in variables])
        self.kept.append(references)
        setattr(self.record, field, native.Variables(len(variables), references))

    def array(self, field: str, values: np.ndarray) -> None:
        values = np.ascontiguousarray(values)
        # an FMU may ask for a pointer even where there is nothing
        room = values if values.size else np.empty(1)
        self.kept.append(room)
        setattr(self.record, field, room.__array_interface__["data"][0])

    def call(self, function: Callable[[Any], int], place: Callable[[int], str]) -> None:
        if function(ctypes.byref(self.record)):
            sentence = self.record.message.decode(errors="replace").rstrip(".")
            raise BristleError(f"{self.about.name}: {sentence}{place(self.record.done)}.")


def _hosted(
    about: Model,
    results: Results,
    values: Mapping[Variable, float | int],
    signals: Signals,
    times: np.ndarray,
    samples: range,
    tolerance: float = 0.0,
    linear: bool = False,
) -> None:
    """Runs a record through an FMU of FMI 3.0, which the runner does not know."""
    sample = samples[0]
    given = {one.reference: value for one, value in values.items()}
    fmu: Instance3 | None = None
    try:
        fmu = Instance3(native.library_of(about), contents(about.file)[0])
        fmu.begin(tolerance, times[sample], given, signals.at(sample))
        results.read(sample, fmu)
        for sample in samples[1:]:
            if times[sample] > times[sample - 1]:
                fmu.ends = signals.at(sample) if linear else {}
                fmu.step(times[sample - 1], times[sample] - times[sample - 1])
            fmu.put(signals.at(sample))
            results.read(sample, fmu)
    except BristleError as error:
        place = f", at {times[sample]:g} s" if sample and times[sample] else ""
        raise BristleError(f"{about.name}: {str(error).rstrip('.')}{place}.") from None
    finally:
        if fmu:
            fmu.free()


def _in_threads(
    work: Callable[[Values], dict], items: Sequence[Values], workers: int
) -> list[dict]:
    if workers <= 1:
        return [work(item) for item in items]
    # handing one on costs half as much as a run without samples: eight shares for each worker
    size = math.ceil(len(items) / (8 * workers))
    shares = [items[i : i + size] for i in range(0, len(items), size)]
    with ThreadPoolExecutor(workers) as pool:
        try:
            done = pool.map(lambda share: [work(item) for item in share], shares)
            return [found for share in done for found in share]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _twin(one: Any) -> Any:
    """Copies an object, three times as fast as copy.copy: it holds the lock that threads share."""
    other = object.__new__(type(one))
    other.__dict__.update(one.__dict__)
    return other


def _names(what: str, given: str | Sequence[str]) -> list[str]:
    """Makes a list of one name or several."""
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, Iterable) or not all(isinstance(one, str) for one in names):
        raise TypeError(f"{what} must be a name or a list of names, not {given!r}.")
    return list(names)


def check_mapping(what: str, given: Any) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"{what} must be a dictionary of names and values, not {_type(given)}.")
    for name in given:
        if not isinstance(name, str):
            raise TypeError(f"{what} must have names as keys, not {name!r}.")


def _type(given: Any) -> str:
    return type(given).__name__


def _real(about: Model, name: str) -> Variable:
    found = about[name]
    if not found.is_real or found.causality not in ("input", "parameter"):
        raise BristleError(f"{about.name}: {name} is neither an input nor a real parameter.")
    return found


def _parameter(about: Model, name: str) -> Variable:
    found = about[name]
    if not found.is_real or found.causality != "parameter":
        raise BristleError(f"{about.name}: {name} is not a real parameter.")
    return found


def check_samples(stop: float, interval: float) -> None:
    """Refuses more samples than fit into memory, in a message with the names of the options."""
    if stop / interval > MOST_SAMPLES:
        raise BristleError(
            f"--interval {interval:g} and --stop {stop:g} make {stop / interval:.3g} samples, more"
            f" than {MOST_SAMPLES:g}."
        )


def _times(time: ArrayLike) -> np.ndarray:
    times = _numbers("time", time)
    if times.ndim != 1 or len(times) == 0:
        raise BristleError("time must be a list of at least one number.")
    back = np.flatnonzero(times[1:] < times[:-1])
    if len(back):
        i = int(back[0])
        raise BristleError(
            f"time goes back from {times[i]:.9g} s to {times[i + 1]:.9g} s at sample {i + 1}."
        )
    return times


def _numbers(name: str, values: ArrayLike) -> np.ndarray:
    try:
        unfit = values is None or np.asarray(values).dtype.kind == "b"  # a boolean is no number
        numbers = np.asarray({} if unfit else values, dtype=np.float64)
    except ValueError:
        rule = f"= {values} must be a number" if isinstance(values, str) else "must be numbers"
        raise BristleError(f"{name} {rule}.") from None
    except TypeError:
        raise TypeError(f"{name} must be a number or numbers, not {values!r:.60}.") from None
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        place = tuple(int(i) for i in bad[0])
        at = f" at sample {place[0]}" if numbers.ndim else ""
        raise BristleError(f"{name} must be finite, not {numbers[place]:g}{at}.")
    return numbers


def _signals(
    about: Model, values: Mapping[str, ArrayLike], count: int, allowed: Sequence[Variable]
) -> Signals:
    columns: dict[Variable, np.ndarray] = {}
    for name, value in values.items():
        numbers = _numbers(name, value)
        elements = about.vectors.get(name, [])
        if elements:
            if numbers.shape not in ((len(elements),), (count, len(elements))):
                raise BristleError(
                    f"{about.name}: {name} needs {len(elements)} numbers, or as many for each of"
                    f" {count} samples."
                )
            parts = np.broadcast_to(numbers, (count, len(elements))).T
        else:
            if numbers.shape not in ((), (count,)):
                raise BristleError(
                    f"{about.name}: {name} has {numbers.size} values, but there are {count}"
                    " samples."
                )
            elements, parts = [name], np.broadcast_to(numbers, (1, count))
        for element, part in zip(elements, parts, strict=True):
            variable = about[element]
            if variable not in allowed or not variable.is_real:
                raise BristleError(
                    f"{about.name}: {element} is not an input; these are"
                    f" {', '.join(one.name for one in about.inputs)}."
                )
            if variable in columns:
                raise BristleError(f"{about.name}: {element} is given twice.")
            columns[variable] = part
    table = np.stack(list(columns.values()), axis=1) if columns else np.empty((count, 0))
    return Signals(list(columns), np.ascontiguousarray(table))


def _settable(
    about: Model, values: Values, allowed: Sequence[Variable] | None = None
) -> tuple[dict[Variable, float], dict[Variable, int]]:
    """Returns the values by variable: reals and options."""
    reals: dict[Variable, float] = {}
    integers: dict[Variable, int] = {}
    for name, value in values.items():
        elements = about.vectors.get(name, [])
        parts = list(value) if elements and np.ndim(value) else [value]
        if elements and len(parts) != len(elements):
            raise BristleError(f"{about.name}: {name} needs {len(elements)} numbers.")
        for element, part in zip(elements or [name], parts, strict=True):
            variable = about[element]
            if variable not in (about.inputs + about.parameters if allowed is None else allowed):
                raise BristleError(f"{about.name}: {element} is not a parameter.")
            if variable.is_real:
                reals[variable] = _number(element, part)
            else:
                integers[variable] = _item(variable, part)
    return reals, integers


def settings(
    about: Model, values: Values, allowed: Sequence[Variable] | None = None
) -> dict[Variable, float | int]:
    """Returns the values of inputs and parameters, by variable."""
    reals, integers = _settable(about, values, allowed)
    return {**reals, **integers}


def _number(name: str, value: Any) -> float:
    if isinstance(value, float) and math.isfinite(value):
        return value  # the usual case, kept fast: this holds the lock that threads share
    numbers = _numbers(name, value)
    if numbers.ndim:
        raise BristleError(f"{name} must be one number.")
    return float(numbers)


def _item(option: Variable, value: Any) -> int:
    if value in option.items:
        return option.items.index(value) + 1
    if isinstance(value, (int, float, np.integer)) and value in range(1, int(option.max or 0) + 1):
        return int(value)
    if not option.items:
        raise BristleError(
            f"{option.name} = {value} must be a whole number from 1 to {option.max:g}."
        )
    raise BristleError(f"{option.name} = {value} must be {' or '.join(option.items)}.")
