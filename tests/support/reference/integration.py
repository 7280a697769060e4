"""Integrates an FMU's own equations tightly in model exchange, with its events, as the reference
for co-simulation; host/reference.c does the work.
"""

import ctypes
from ctypes import POINTER, Structure, byref, c_double, c_long, c_size_t, c_uint, c_void_p, cast
from functools import cache
from pathlib import Path

import fmpy

from fmi2 import reals, references
from build_cache import compiled

FUNCTIONS = (
    "fmi2SetTime fmi2SetReal fmi2SetContinuousStates fmi2GetContinuousStates "
    "fmi2GetDerivatives fmi2GetEventIndicators fmi2GetDirectionalDerivative "
    "fmi2EnterEventMode fmi2NewDiscreteStates fmi2EnterContinuousTimeMode"
).split()


class TooManyEvents(Exception):
    """The model changes its modes so often that no reference can follow in reasonable time."""


class System(Structure):
    _fields_ = (
        [("component", c_void_p)]
        + [(name, c_void_p) for name in FUNCTIONS]
        + [(name, c_size_t) for name in ("states", "indicators", "inputs")]
        + [
            (name, POINTER(c_uint))
            for name in ("state_references", "derivative_references", "input_references")
        ]
        + [
            ("nominal", POINTER(c_double)),
            ("start", c_double),
            ("length", c_double),
            ("input_start", POINTER(c_double)),
            ("input_rate", POINTER(c_double)),
        ]
    )


@cache
def library():
    folders = {
        "sources": Path(__file__).parent.parent / "host",
        "headers": Path(fmpy.__file__).parent / "c-code",
    }
    command = (
        "gcc -std=c99 -O2 -Wall -Wextra -Werror -fPIC -shared -I {headers} -o "
        "reference.so {sources}/reference.c -lm"
    ).split()
    target = compiled("reference", folders, command) / "reference.so"
    found = ctypes.CDLL(str(target))
    found.integrate.restype = c_long
    found.integrate.argtypes = (c_void_p, c_double, c_double, c_double)
    return found


def integrate_me(instance, start, stop, tolerance=1e-10, rates=None, hop=0.0):
    """Integrates an ME instance in continuous-time mode from `start` to `stop`, locating events; it
    is left there, settled. Inputs move from their current values by `rates` ({name: rate}), or are
    held. The run is split where an input crosses zero, since laws have kinks there. Where the
    normal force does, a law may be singular: there time hops from `hop` before the zero to `hop`
    after it (as a part of the length), with the states kept. Returns the states.
    """
    d = instance.description
    length = stop - start
    inputs = d.inputs if rates else []
    values = {v.name: instance.get(v.name) for v in inputs}
    slopes = {v.name: rates.get(v.name, 0.0) for v in inputs}
    system = System(instance.component)
    for name in FUNCTIONS:
        setattr(system, name, cast(getattr(instance.library, name), c_void_p))
    system.states, system.indicators, system.inputs = len(d.states), d.indicators, len(inputs)
    system.state_references = references([v.reference for v in d.states])
    system.derivative_references = references([v.reference for v in d.derivatives])
    system.input_references = references([v.reference for v in inputs])
    system.nominal = reals([v.nominal for v in d.states])
    system.start, system.length = start, length
    system.input_start, system.input_rate = (
        reals(list(values.values())),
        reals(list(slopes.values())),
    )

    at = 0.0
    for cut, width in cuts(values, slopes, length, hop) + [(1.0, 0.0)]:
        end = min(1.0, cut - width)
        if end > at:
            result = library().integrate(byref(system), at, end, tolerance)
            if result == -2:
                raise TooManyEvents
            assert result >= 0, instance.messages[-3:]
        at = max(at, min(1.0, cut + width))
        if width:
            instance.set_time(start + at * length)
            instance.set(
                {name: value + slopes[name] * at * length for name, value in values.items()}
            )
            instance.event()
    instance.time = stop
    return instance.states


def cuts(values, slopes, length, hop):
    """Returns where inputs cross zero, as parts of the length, each with the width of its hop."""
    found = []
    for name, slope in slopes.items():
        zero = -values[name] / (slope * length) if slope else -1.0
        if 0 < zero < 1:
            found.append((zero, hop if name == "normalForce" else 0.0))
    return sorted(found)
