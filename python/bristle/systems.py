"""The systems of the rig without the rig: the same equations and coupling as a library, with an
integrator of its own."""

from __future__ import annotations

from typing import Any
import ctypes
import math
from collections.abc import Mapping
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from . import BristleError
from . import native
from .library import Model, describe

VERSION = 1  # of the library's interface: SYSTEMS_VERSION in systems.h
TOLERANCE = 1e-8

# The functions of an FMU in the order of the struct Functions in rig/fmu.h.
FUNCTIONS = tuple(
    "GetVersion Instantiate FreeInstance SetupExperiment EnterInitializationMode"
    " ExitInitializationMode Terminate GetReal GetInteger SetReal SetInteger"
    " GetDirectionalDerivative EnterEventMode NewDiscreteStates EnterContinuousTimeMode"
    " CompletedIntegratorStep SetTime SetContinuousStates GetDerivatives GetEventIndicators"
    " GetContinuousStates GetNominalsOfContinuousStates".split()
)
_KINDS = {"parameter": 1, "input": 2, "output": 3}  # Causality in rig/description.h


class _Parameter(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("value", c_double),
        ("range", c_int),
        ("text", c_char_p),
    ]


class _Contact(Structure):
    _fields_ = [("name", c_char_p), ("set", c_char_p), ("inputs", c_void_p), ("outputs", c_void_p)]


class _System(Structure):
    """The beginning of System in rig/system.h."""

    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
        ("source", c_char_p),
        ("stop", c_double),
        ("interval", c_double),
        ("parameters", POINTER(_Parameter)),
        ("states", c_void_p),
        ("outputs", c_void_p),
        ("contacts", POINTER(_Contact)),
        ("beside", c_void_p),
    ]


class _Variable(Structure):
    """Variable in rig/description.h."""

    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("declared_type", c_char_p),
        ("reference", c_uint),
        ("type", c_int),
        ("causality", c_int),
        ("derivative_of", c_int),
        ("minimum", c_double),
        ("maximum", c_double),
    ]


class _Value(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class _Setting(Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class _Run(Structure):
    """SystemRun in runner/systems.h."""

    _fields_ = [
        ("system", c_void_p),
        ("functions", c_void_p),
        ("name", c_char_p),
        ("guid", c_char_p),
        ("n_indicators", c_int),
        ("n_variables", c_int),
        ("n_rates", c_int),
        ("variables", POINTER(_Variable)),
        ("rates", POINTER(c_int)),
        ("n_parameters", c_int),
        ("parameters", POINTER(_Value)),
        ("n_settings", c_int),
        ("settings", POINTER(_Setting)),
        ("set", c_char_p),
        ("stop", c_double),
        ("interval", c_double),
        ("tolerance", c_double),
        ("n_columns", c_int),
        ("columns", POINTER(c_char_p)),
        ("n_rows", c_size_t),
        ("rows", POINTER(c_double)),
        ("misfits", c_int),
        ("message", c_char * 1024),
    ]


@dataclass(frozen=True)
class System:
    name: str
    title: str
    parameters: tuple[str, ...]
    contacts: tuple[str, ...]
    has_loads: bool  # it takes load elements, which only the rig has
    stop: float  # its own end [s]
    address: int


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    library = native.beside_the_fmus("systems")
    library.systems_version.restype = c_int
    if library.systems_version() != VERSION:
        raise BristleError(
            "the library of the systems is of another version of bristle; build it anew."
        )
    library.systems_all.restype = POINTER(c_void_p)
    library.systems_run.argtypes = library.systems_free.argtypes = [POINTER(_Run)]
    library.systems_run.restype, library.systems_free.restype = c_int, None
    return library


@lru_cache(maxsize=1)
def systems() -> dict[str, System]:
    """All systems by name."""
    found, addresses = {}, _library().systems_all()
    for address in iter(iter(addresses).__next__, None):
        one = _System.from_address(address)
        parameters: list[str] = []
        contacts: list[Any] = []
        while one.parameters and one.parameters[len(parameters)].name:
            parameters.append(one.parameters[len(parameters)].name.decode())
        while one.contacts[len(contacts)].name:
            contacts.append(one.contacts[len(contacts)].name.decode())
        found[one.name.decode()] = System(
            one.name.decode(),
            one.title.decode(),
            tuple(parameters),
            tuple(contacts),
            bool(one.beside),
            one.stop,
            address,
        )
    return found


def run_system(
    model: str | Path,
    system: str,
    parameters: Mapping[str, float] | None = None,
    settings: Mapping[str, float] | None = None,
    stop: float | None = None,
    interval: float = 0.0,
    parameter_set: str | None = None,
) -> dict[str, np.ndarray]:
    """A system of the rig with a model at all of its contacts; gives the columns of its results,
    one row per step, and two at an event.

    `parameters` are the system's, `settings` the model's (at one contact: "contact.name"). With an
    interval there is a row at each multiple of it.
    """
    about = describe(model)
    kept = [_variables(about), _rates(about), native.addresses(about, FUNCTIONS)]
    values = [_Value(name.encode(), value) for name, value in (parameters or {}).items()]
    texts = [
        _Setting(name.encode(), f"{value:.17g}".encode())
        for name, value in (settings or {}).items()
    ]
    run = _Run(
        system=systems()[system].address,
        functions=ctypes.cast(kept[2], c_void_p),
        name=about.name.encode(),
        guid=about.guid.encode(),
        n_indicators=about.indicators,
        n_variables=len(kept[0]),
        n_rates=len(kept[1]),
        variables=kept[0],
        rates=kept[1],
        n_parameters=len(values),
        parameters=(_Value * max(len(values), 1))(*values),
        n_settings=len(texts),
        settings=(_Setting * max(len(texts), 1))(*texts),
        set=None if parameter_set is None else parameter_set.encode(),
        stop=stop or 0.0,
        interval=interval,
        tolerance=TOLERANCE,
    )
    try:
        if _library().systems_run(ctypes.byref(run)):
            sentence = (
                run.message.decode(errors="replace").removeprefix(f"{about.name}: ").rstrip(".")
            )
            raise BristleError(f"{about.name} in {system}: {sentence}.")
        names = [run.columns[i].decode() for i in range(run.n_columns)]
        table = np.ctypeslib.as_array(run.rows, (run.n_rows, run.n_columns)).copy()
    finally:
        _library().systems_free(ctypes.byref(run))
    return {name: table[:, i] for i, name in enumerate(names)}


def _variables(about: Model) -> ctypes.Array:
    found = [
        _Variable(
            one.name.encode(),
            None if one.unit is None else one.unit.encode(),
            None,
            one.reference,
            1 if one.is_real else 2,
            _KINDS.get(one.causality, 0),
            one.derivative or 0,
            -math.inf if one.min is None else one.min,
            math.inf if one.max is None else one.max,
        )
        for one in about.variables
    ]
    return (_Variable * len(found))(*found)


def _rates(about: Model) -> ctypes.Array:
    places = [i for i, one in enumerate(about.variables, 1) if one.derivative]
    return (c_int * len(places))(*places)
