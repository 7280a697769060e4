"""The systems of the rig, run by a library with the FMUs at their contacts, which Python has read
and loaded. `run_system` uses the library of the runner; the rig has one of its own."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_uint, c_void_p
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import BristleError
from . import native
from .format.archive import contents
from .library import Model, describe

VERSION = 3  # of the library's interface: SYSTEMS_VERSION in systems.h
TOLERANCE = 1e-8

# The functions of an FMU in the order of the struct Functions in rig/fmu.h.
FUNCTIONS = tuple(
    "Instantiate FreeInstance SetupExperiment EnterInitializationMode ExitInitializationMode"
    " Terminate GetReal GetInteger SetReal SetInteger GetDirectionalDerivative EnterEventMode"
    " NewDiscreteStates EnterContinuousTimeMode CompletedIntegratorStep SetTime"
    " SetContinuousStates GetDerivatives GetEventIndicators GetContinuousStates"
    " GetNominalsOfContinuousStates".split()
)
_CAUSALITIES = {"parameter": 1, "input": 2, "output": 3}  # Causality in rig/description.h
COMPLETED, DOES_NOT_FIT, CANNOT_BEGIN, BROKE_OFF = range(4)  # in systems.h
ANY, NOT_NEGATIVE, POSITIVE = range(3)  # Range in rig/system.h
COUNTS = ("steps", "evaluations", "jacobians", "events", "wall_seconds")


# as in rig/system.h
native.struct("Parameter", "char *name, *unit; double value; int range; char *text")
native.struct("Quantity", "char *name, *unit; double value; char *text")
native.struct("Contact", "char *name, *set, **inputs, **outputs")
_System = native.struct(
    "System",
    "char *name, *title, *source; double stop, interval; Parameter *parameters;"
    " Quantity *states, *outputs; Contact *contacts; char **beside; void *shared;"
    " int n_indicators; char *load; bool reads_table",
)
_Table = native.struct("Table", "int n_rows, n_columns; char **names; void *times, *values")
# in rig/description.h and rig/fmu.h
_Variable = native.struct(
    "Variable",
    "char *name, *unit; unsigned reference; int type, causality, derivative_of;"
    " double minimum, maximum",
)
native.struct(
    "Description",
    "char *guid, *identifier; int n_indicators; bool has_slopes, needs_completed_steps;"
    " int n_variables; Variable *variables; int n_rates, *rates",
)
_Fmu = native.struct(
    "Fmu",
    "char *path, *name, *folder; Description description; Functions call; bool warns;"
    " int n_states; unsigned *states, *rates",
    Functions=c_void_p * len(FUNCTIONS),
)
# in runner/systems.h
_Value = native.struct("Value", "char *name; double value")
native.struct("Statistics", "long steps, evaluations, jacobians, events; double wall_seconds")
_Progress = ctypes.CFUNCTYPE(c_int, c_double)
_Run = native.struct(
    "SystemRun",
    "void *system; Fmu **elements; Table *table; double *parameters;"
    " int n_settings; Value *settings; char *set; double stop, interval, tolerance;"
    " Progress on_progress; int n_columns; char **columns; size_t n_rows; double *rows;"
    " Statistics statistics; int outcome; Message message",
    Progress=_Progress,
    Message=c_char * 1024,
)


class Quantity(NamedTuple):
    """A parameter, with its default, a state or an output of a system."""

    name: str
    unit: str
    value: float
    text: str
    range: int = ANY


class Contact(NamedTuple):
    name: str
    set: str | None  # its parameter set
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class System:
    name: str
    title: str
    source: str
    stop: float  # its default end [s]
    interval: float
    parameters: dict[str, Quantity]
    states: tuple[Quantity, ...]
    outputs: tuple[Quantity, ...]
    contacts: dict[str, Contact]
    beside: tuple[str, ...]  # load elements, supported by the rig only
    reads_table: bool
    address: int

    def values(self, given: Mapping[str, float], where: str = "") -> list[float]:
        """Returns all parameters, with the given values in place of the defaults; refuses invalid
        ones in a sentence that begins with `where`."""
        for name, value in given.items():
            known = self.parameters.get(name)
            if known is None:
                raise BristleError(
                    f"{where}{name}={value:g}: the system {self.name} has no such parameter; rig"
                    f" list {self.name} lists them."
                )
            if known.range != ANY and (value < 0 or (value == 0 and known.range == POSITIVE)):
                least = "above 0" if known.range == POSITIVE else "0 or above"
                raise BristleError(f"{where}{name}={value:g}: it must be {least}.")
        return [given.get(name, one.value) for name, one in self.parameters.items()]


@dataclass(frozen=True)
class SystemResult:
    """The results of a run, as far as it came."""

    names: list[str]
    rows: np.ndarray
    statistics: dict[str, float]
    outcome: int
    message: str  # why it is not completed

    @property
    def columns(self) -> dict[str, np.ndarray]:
        return {name: self.rows[:, i] for i, name in enumerate(self.names)}


class Library:
    """Systems and their integrator, which differs between libraries."""

    def __init__(self, library: ctypes.CDLL) -> None:
        library.systems_version.restype = c_int
        if library.systems_version() != VERSION:
            raise BristleError(
                "the library of the systems belongs to another version of bristle; build it anew."
            )
        library.systems_all.restype = POINTER(c_void_p)
        self.library, self._run, self._free = library, library.systems_run, library.systems_free
        self._run.argtypes = self._free.argtypes = [POINTER(_Run)]
        self._run.restype, self._free.restype = c_int, None

    @cached_property
    def systems(self) -> dict[str, System]:
        """Returns all systems by name."""
        found = [
            _system(address) for address in _until(lambda one: one, self.library.systems_all())
        ]
        return {one.name: one for one in found}

    def run(
        self,
        system: System,
        elements: Sequence[Structure],
        parameters: Sequence[float],
        settings: Sequence[tuple[str, float]],
        stop: float,
        interval: float,
        tolerance: float = TOLERANCE,
        parameter_set: str | None = None,
        table: Mapping[str, np.ndarray] | None = None,
        on_progress: Callable[[float], int] | None = None,
    ) -> SystemResult:
        """Runs a system with an element at each contact. `parameters` are all of its values,
        `settings` are parameters of the elements, at one contact: "contact.name"; on_progress takes
        the finished part, and ends the run by returning anything but 0."""
        given = [_Value(name.encode(), value) for name, value in settings]
        pointers = [ctypes.pointer(one) for one in elements]
        run = _Run(
            system=system.address,
            elements=_array(POINTER(_Fmu), pointers),
            parameters=_array(c_double, parameters),
            n_settings=len(given),
            settings=_array(_Value, given),
            set=None if parameter_set is None else parameter_set.encode(),
            stop=stop,
            interval=interval,
            tolerance=tolerance,
            on_progress=_Progress(on_progress) if on_progress else _Progress(),
        )
        if table is not None:
            times, *columns = table.values()
            cells = np.column_stack(columns)
            heads = [name.encode() for name in table][1:]
            run.table = ctypes.pointer(
                _Table(
                    *cells.shape,
                    _array(c_char_p, [*heads, None]),
                    times.ctypes.data,
                    cells.ctypes.data,
                )
            )
        try:
            self._run(ctypes.byref(run))
            width = (run.n_rows, run.n_columns)
            rows = np.ctypeslib.as_array(run.rows, width).copy() if run.rows else np.empty(width)
            counts = {name: getattr(run.statistics, name) for name in COUNTS}
            counts["evaluations_per_simulated_second"] = counts["evaluations"] / stop
            names = [run.columns[i].decode() for i in range(run.n_columns)]
            message = run.message.decode(errors="replace")
            return SystemResult(names, rows, counts, run.outcome, message)
        finally:
            self._free(ctypes.byref(run))


def element(about: Model, path: str, name: str, folder: str = "", warns: bool = False) -> Structure:
    """Makes the struct of an FMU for the libraries, with its name in messages, the folder of its
    resources, and whether its warnings are wanted."""
    exchange, rates = _exchange(about)
    one = _Fmu(path.encode(), name.encode(), folder.encode(), warns=warns, n_states=len(rates))
    one.call = native.addresses(about, FUNCTIONS)
    one.states = _array(c_uint, [about.variables[i - 1].reference for i in rates.values()])
    one.rates = _array(c_uint, [about.variables[i - 1].reference for i in rates])
    one.description.guid = about.guid.encode()
    one.description.identifier = about.identifier.encode()
    one.description.n_indicators = about.indicators
    one.description.has_slopes = exchange.get("providesDirectionalDerivative") == "true"
    one.description.needs_completed_steps = (
        exchange.get("completedIntegratorStepNotNeeded") != "true"
    )
    one.description.n_variables, one.description.n_rates = len(about.variables), len(rates)
    one.description.variables = _array(
        _Variable,
        [
            (
                variable.name.encode(),
                None if variable.unit is None else variable.unit.encode(),
                variable.reference,
                1 if variable.is_real else 3 if variable.items else 2,
                _CAUSALITIES.get(variable.causality, 0),
                variable.derivative or 0,
                -math.inf if variable.min is None else variable.min,
                math.inf if variable.max is None else variable.max,
            )
            for variable in about.variables
        ],
    )
    one.description.rates = _array(c_int, [*rates])
    return one


@lru_cache(maxsize=256)
def _exchange(about: Model) -> tuple[Mapping[str, str], dict[int, int]]:
    """Reads the attributes of an FMU's model exchange, and the indices of the rates and of their
    states among its variables, counted from 1."""
    root, _ = contents(about.file)
    exchange = root.find("ModelExchange")
    if exchange is None:
        raise BristleError(f"{about.file}: it has no model exchange part.")
    known = {i: one.derivative for i, one in enumerate(about.variables, 1) if one.derivative}
    rates = [int(one.get("index", "0")) for one in root.iterfind("ModelStructure/Derivatives/*")]
    for i in rates:
        if known.get(i, 0) not in range(1, len(about.variables) + 1):
            raise BristleError(
                f"{about.file}: its model structure names variable {i} of {len(about.variables)},"
                " which is the derivative of no variable."
            )
    return exchange.attrib, {i: known[i] for i in rates}


@lru_cache(maxsize=1)
def _library() -> Library:
    return Library(native.beside_the_fmus("systems"))


def systems() -> dict[str, System]:
    """Returns all systems by name."""
    return _library().systems


def run_system(
    model: str | Path,
    system: str,
    parameters: Mapping[str, float] | None = None,
    settings: Mapping[str, float] | None = None,
    stop: float | None = None,
    interval: float = 0.0,
    parameter_set: str | None = None,
) -> dict[str, np.ndarray]:
    """Runs a system of the rig with a model at all of its contacts; returns the columns of its
    results, one row per step and two at an event.

    `parameters` are the system's, `settings` the model's (at one contact: "contact.name"). With an
    interval there is a row at each multiple of it.
    """
    about, one = describe(model), systems()[system]
    if one.beside:
        raise BristleError(
            f"{about.name} in {system}: the system {system} needs load elements; run it with the"
            " rig."
        )
    result = _library().run(
        one,
        [_known_element(about)] * len(one.contacts),
        one.values(parameters or {}, f"{about.name} in {system}: "),
        list((settings or {}).items()),
        stop or one.stop,
        interval,
        parameter_set=parameter_set,
    )
    if result.outcome != COMPLETED:
        sentence = result.message.removeprefix(f"{about.name}: ").rstrip(".")
        raise BristleError(f"{about.name} in {system}: {sentence}.")
    return result.columns


@lru_cache(maxsize=256)
def _known_element(about: Model) -> Structure:
    return element(about, about.name, about.name)


def _array(kind: Any, items: Sequence[Any]) -> ctypes.Array:
    return (kind * max(len(items), 1))(*items)


def _until(name: Callable[[Any], Any], items: Any) -> Iterator[Any]:
    """Yields the items of a list in C, which ends with one that has no name."""
    place = 0
    while items and name(items[place]):
        yield items[place]
        place += 1


def _texts(items: Any) -> tuple[str, ...]:
    return tuple(one.decode() for one in _until(lambda one: one, items))


def _text(text: bytes | None) -> str:
    return "" if text is None else text.decode()


def _quantities(items: Any) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(
            _text(one.name), _text(one.unit), one.value, _text(one.text), getattr(one, "range", ANY)
        )
        for one in _until(lambda one: one.name, items)
    )


def _system(address: int) -> System:
    one = _System.from_address(address)
    contacts = [
        Contact(_text(c.name), c.set and c.set.decode(), _texts(c.inputs), _texts(c.outputs))
        for c in _until(lambda one: one.name, one.contacts)
    ]
    return System(
        _text(one.name),
        _text(one.title),
        _text(one.source),
        one.stop,
        one.interval,
        {parameter.name: parameter for parameter in _quantities(one.parameters)},
        _quantities(one.states),
        _quantities(one.outputs),
        {contact.name: contact for contact in contacts},
        tuple(one.beside[i].decode() for i in range(len(contacts))) if one.beside else (),
        one.reads_table,
        address,
    )
