"""FMI 2.0 through ctypes: every function with its raw status, every message and every allocation on
record.

FMPy hides wrong calls and statuses behind exceptions; these tests make wrong calls and check the
results.
"""

import ctypes
import re
from ctypes import byref, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from functools import partial
from pathlib import Path
from typing import NamedTuple

import fmpy
from fmpy.fmi2 import fmi2CallbackAllocateMemoryTYPE as ALLOCATE
from fmpy.fmi2 import fmi2CallbackFreeMemoryTYPE as FREE
from fmpy.fmi2 import fmi2CallbackFunctions as Callbacks
from fmpy.fmi2 import fmi2CallbackLoggerTYPE as LOGGER
from fmpy.fmi2 import fmi2EventInfo, fmi2StepFinishedTYPE

OK, WARNING, DISCARD, ERROR, FATAL, PENDING = range(6)
MODEL_EXCHANGE, CO_SIMULATION = 0, 1
DO_STEP_STATUS, PENDING_STATUS, LAST_SUCCESSFUL_TIME, TERMINATED = range(4)

# Types of C by the names of the standard; all others are integers, or pointers if marked so.
TYPES = {
    "fmi2Real": c_double,
    "size_t": c_size_t,
    "fmi2String": c_char_p,
    "fmi2Component": c_void_p,
    "fmi2FMUstate": c_void_p,
    "void": None,
    "char*": c_char_p,
}


def prototypes(header):
    """Reads the types of result and arguments of each function in a header."""
    found = re.findall(r"typedef\s+(?:const )?(\S+)\s+(\w+)TYPE\s*\(([^)]*)\)", header)
    return {name: (TYPES.get(result, c_int), *_types(given)) for result, name, given in found}


def _types(given):
    declared = [] if given == "void" else given.replace("const ", "").split(",")
    return [
        c_void_p if re.search(r"[*[]", one) else TYPES.get(one.split()[0], c_int)
        for one in declared
    ]


HEADER = Path(fmpy.__file__).parent / "c-code" / "fmi2FunctionTypes.h"
COMMON, ONLY_MODEL_EXCHANGE, ONLY_CO_SIMULATION = map(
    prototypes, HEADER.read_text().split("\nTypes for ")[1:]
)
FUNCTIONS = {**COMMON, **ONLY_MODEL_EXCHANGE, **ONLY_CO_SIMULATION}


_libc = ctypes.CDLL(None)  # of the process: a sanitizer may have replaced its allocator
_libc.calloc.restype = c_void_p
_libc.calloc.argtypes = (c_size_t, c_size_t)
_libc.free.argtypes = (c_void_p,)


class EventInfo(fmi2EventInfo):
    @classmethod
    def dirty(cls):
        """Makes an event info as of an importer that never initializes the struct."""
        info = cls()
        ctypes.memset(byref(info), 0xA5, ctypes.sizeof(info))
        return info


class Message(NamedTuple):
    environment: int | None
    instance: str
    status: int
    category: str
    text: str

    def __repr__(self):
        return f"[{self.status} {self.category}] {self.text}"


class FmiError(Exception):
    def __init__(self, function, status, messages):
        super().__init__(f"{function} returned {status}: {messages[-3:]}")
        self.status, self.messages = status, messages


def reals(values):
    return (c_double * len(values))(*values)


def references(values):
    return (c_uint * len(values))(*values)


def integers(values):
    return (c_int * len(values))(*values)


class Library:
    """The binary of an FMU with all functions prototyped."""

    def __init__(self, path, prefix=""):
        self.path = str(path)
        self.handle = ctypes.CDLL(self.path)
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(self.handle, prefix + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)


class Host:
    """The environment of an instance: keeps its messages and counts its memory."""

    def __init__(self, logger=True, allocate=True, free=True):
        self.messages = []
        self.live = {}
        self.allocations = 0
        self.exhausted = False
        self._keep = (LOGGER(self._log), ALLOCATE(self._allocate), FREE(self._free))
        self.callbacks = Callbacks(
            self._keep[0] if logger else LOGGER(),
            self._keep[1] if allocate else ALLOCATE(),
            self._keep[2] if free else FREE(),
            fmi2StepFinishedTYPE(),
            id(self),
        )

    def _log(self, environment, instance, status, category, text):
        decoded = [
            part.decode() if part is not None else None for part in (instance, category, text)
        ]
        self.messages.append(Message(environment, decoded[0], status, decoded[1], decoded[2]))

    def _allocate(self, count, size):
        if self.exhausted:
            return None
        address = _libc.calloc(count, size)
        self.live[address] = count * size
        self.allocations += 1
        return address

    def _free(self, address):
        if address:
            del self.live[address]
            _libc.free(address)

    @property
    def bytes(self):
        return sum(self.live.values())


class Instance:
    """One instance of an FMU. `instance.fmi2Xxx(...)` is the raw call; the other methods raise
    FmiError unless the FMU returns OK."""

    def __init__(self, fmu, kind, name="element", logging=False, library=None, host=None):
        self.fmu, self.description, self.kind = fmu, fmu.description, kind
        self.library = library or fmu.library
        self.host = host or Host()
        self.component = self.library.fmi2Instantiate(
            name.encode(),
            kind,
            self.description.guid.encode(),
            fmu.resource_location.encode(),
            byref(self.host.callbacks),
            0,
            int(logging),
        )
        if not self.component:
            raise FmiError("fmi2Instantiate", None, self.host.messages)
        self.time = 0.0
        self._references = {}

    def __getattr__(self, name):
        if not name.startswith("fmi2"):
            raise AttributeError(name)
        self.__dict__[name] = call = partial(getattr(self.library, name), self.component)
        return call

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.free()
        if kind is None:
            assert not self.host.live, f"fmi2FreeInstance left {self.host.live} behind"

    def free(self):
        if self.component:
            self.library.fmi2FreeInstance(self.component)
            self.component = None

    @property
    def messages(self):
        return self.host.messages

    def demand(self, function, *arguments):
        status = getattr(self, function)(*arguments)
        if status != OK:
            raise FmiError(function, status, self.messages)

    # values

    def reference_array(self, numbers):
        key = tuple(numbers)
        if key not in self._references:
            self._references[key] = references(key)
        return self._references[key]

    def get_reals(self, numbers):
        values = (c_double * len(numbers))()
        self.demand("fmi2GetReal", self.reference_array(numbers), len(numbers), values)
        return list(values)

    def set_reals(self, numbers, values):
        self.demand("fmi2SetReal", self.reference_array(numbers), len(numbers), reals(values))

    def get(self, name):
        number, kind, get, _ = self._access(name)
        value = kind()
        self.demand(get, number, 1, byref(value))
        return value.value

    def set(self, values):
        for name, value in values.items():
            status = self.try_set(name, value)
            if status != OK:
                raise FmiError(f"setting {name} = {value}", status, self.messages)

    def try_set(self, name, value):
        number, kind, _, set_ = self._access(name)
        return getattr(self, set_)(number, 1, byref(kind(value)))

    def _access(self, name):
        """Looks up how to get and set a variable, once: its reference, its type in C, and the two
        functions."""
        accesses = self.description.accesses
        found = accesses.get(name)
        if found is None:
            variable = self.description[name]
            of, kind = ("Real", c_double) if variable.type == "Real" else ("Integer", c_int)
            found = accesses[name] = (
                references([variable.reference]),
                kind,
                f"fmi2Get{of}",
                f"fmi2Set{of}",
            )
        return found

    def modes(self):
        return {variable.name: self.get(variable.name) for variable in self.description.modes}

    # life cycle

    def initialize(self, values=None, time=0.0, tolerance=None, stop=None):
        """Initializes an instance; an ME instance is then in event mode."""
        self.demand(
            "fmi2SetupExperiment",
            tolerance is not None,
            tolerance or 0.0,
            time,
            stop is not None,
            stop or 0.0,
        )
        self.set(values or {})
        self.demand("fmi2EnterInitializationMode")
        self.demand("fmi2ExitInitializationMode")
        self.time = time

    def start(self, values=None, **experiment):
        """Initializes an instance; an ME instance is then in continuous-time mode."""
        self.initialize(values, **experiment)
        if self.kind == MODEL_EXCHANGE:
            self.settle()
            self.demand("fmi2EnterContinuousTimeMode")
        return self

    # model exchange

    def settle(self):
        """Iterates events; returns the number of passes and the last event info."""
        for passes in range(1, 11):
            info = EventInfo()
            self.demand("fmi2NewDiscreteStates", byref(info))
            assert not info.terminateSimulation
            if not info.newDiscreteStatesNeeded:
                return passes, info
        raise AssertionError("event iteration does not end")

    def event(self):
        """Goes from continuous-time mode through event mode and back."""
        self.demand("fmi2EnterEventMode")
        result = self.settle()
        self.demand("fmi2EnterContinuousTimeMode")
        return result

    def set_time(self, time):
        self.time = time
        self.demand("fmi2SetTime", time)

    def _vector(self, function, count):
        values = (c_double * count)()
        self.demand(function, values, count)
        return list(values)

    @property
    def states(self):
        return self._vector("fmi2GetContinuousStates", len(self.description.states))

    @states.setter
    def states(self, values):
        self.demand("fmi2SetContinuousStates", reals(values), len(values))

    @property
    def derivatives(self):
        return self._vector("fmi2GetDerivatives", len(self.description.states))

    @property
    def nominals(self):
        return self._vector("fmi2GetNominalsOfContinuousStates", len(self.description.states))

    @property
    def indicators(self):
        return self._vector("fmi2GetEventIndicators", self.description.indicators)

    def slopes(self, unknowns, knowns, seed):
        """Returns the directional derivative of the Reals `unknowns` along `seed` of the Reals
        `knowns` (value references)."""
        result = (c_double * len(unknowns))()
        self.demand(
            "fmi2GetDirectionalDerivative",
            self.reference_array(unknowns),
            len(unknowns),
            self.reference_array(knowns),
            len(knowns),
            reals(seed),
            result,
        )
        return list(result)

    # co-simulation

    def step(self, size, time=None):
        self.demand("fmi2DoStep", self.time if time is None else time, size, 1)
        self.time = (self.time if time is None else time) + size

    def set_input_derivative(self, name, value):
        self.demand(
            "fmi2SetRealInputDerivatives",
            self.reference_array([self.description[name].reference]),
            1,
            integers([1]),
            reals([value]),
        )

    @property
    def last_time(self):
        value = c_double()
        self.demand("fmi2GetRealStatus", LAST_SUCCESSFUL_TIME, byref(value))
        return value.value

    # FMU state

    def save(self):
        state = c_void_p()
        self.demand("fmi2GetFMUstate", byref(state))
        return state

    def restore(self, state):
        self.demand("fmi2SetFMUstate", state)

    def drop(self, state):
        self.demand("fmi2FreeFMUstate", byref(state))

    def pack(self, state):
        size = c_size_t()
        self.demand("fmi2SerializedFMUstateSize", state, byref(size))
        content = (ctypes.c_char * size.value)()
        self.demand("fmi2SerializeFMUstate", state, content, size.value)
        return content.raw

    def unpack(self, content):
        state = c_void_p()
        self.demand(
            "fmi2DeSerializeFMUstate",
            (ctypes.c_char * len(content)).from_buffer_copy(content),
            len(content),
            byref(state),
        )
        return state

    def snapshot(self):
        """Returns the whole state of the instance as bytes: equal snapshots are equal instances."""
        state = self.save()
        try:
            return self.pack(state)
        finally:
            self.drop(state)

    def resume(self, content):
        state = self.unpack(content)
        self.restore(state)
        self.drop(state)
