"""A host for co-simulation with FMI 2.0 or 3.0, through ctypes: for reference results, and for FMUs
of 3.0, which the runner does not know."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from ctypes import CFUNCTYPE, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int32
from ctypes import c_int64, c_size_t, c_uint, c_void_p
from typing import Any
from xml.etree.ElementTree import Element

from .. import BristleError
from .variables import elements_of, scalars, token_name, version_of

_LOGGER = CFUNCTYPE(None, c_void_p, c_char_p, c_int, c_char_p, c_char_p)
_LOGGER_3 = CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_char_p)
_UPDATE_3 = CFUNCTYPE(None, c_void_p, c_double, *[c_bool] * 4, c_void_p, c_void_p)
_ALLOCATE = CFUNCTYPE(c_void_p, c_size_t, c_size_t)
_FREE = CFUNCTYPE(None, c_void_p)
_TYPES = {"Float64": c_double, "Int32": c_int32, "Enumeration": c_int64}  # of FMI 3.0

Number = float | int


class _Callbacks(Structure):
    _fields_ = [
        ("logger", _LOGGER),
        ("allocate", _ALLOCATE),
        ("free", _FREE),
        ("step_finished", c_void_p),
        ("environment", c_void_p),
    ]


def instance(functions: ctypes.CDLL, root: Element) -> Instance:
    """Makes an instance of the FMU with this description."""
    return (Instance3 if version_of(root) == 3 else Instance2)(functions, root)


class Instance:
    """An instance for co-simulation; variables are given by the value references of their
    scalars."""

    prefix = ""

    def __init__(self, functions: ctypes.CDLL, root: Element) -> None:
        self.functions = functions
        self.token = root.get(token_name(root), "").encode()
        self.messages: list[str] = []
        self.address = self._instantiate()
        if not self.address:
            raise BristleError(" ".join(self.messages))

    def _instantiate(self) -> int | None:
        raise NotImplementedError

    def function(self, name: str) -> Any:
        try:
            return getattr(self.functions, self.prefix + name)
        except AttributeError as error:
            raise BristleError(f"the library lacks a function: {error}.") from None

    def call(self, function: str, *arguments: object) -> None:
        status = self.function(function)(c_void_p(self.address), *arguments)
        if status > 1:
            raise BristleError(" ".join(self.messages) or f"{self.prefix}{function} fails.")

    def begin(
        self,
        tolerance: float,
        time: float,
        values: Mapping[int, Number],
        inputs: Mapping[int, Number],
    ) -> None:
        """Sets the values, then the inputs, and initializes."""
        self.put(values)
        self._initialize(tolerance, time)
        self.put(inputs)
        self.call("ExitInitializationMode")

    def _initialize(self, tolerance: float, time: float) -> None:
        raise NotImplementedError

    def put(self, values: Mapping[int, Number]) -> None:
        raise NotImplementedError

    def take(self, references: Sequence[int]) -> list[Any]:
        raise NotImplementedError

    def step(self, time: float, length: float) -> None:
        raise NotImplementedError

    def free(self) -> None:
        self.function("FreeInstance")(c_void_p(self.address))


class Instance2(Instance):
    prefix = "fmi2"

    def _instantiate(self) -> int | None:
        self.rooms: list[ctypes.Array] = []
        self.callbacks = _Callbacks(
            _LOGGER(lambda *message: self.messages.append(message[-1].decode(errors="replace"))),
            _ALLOCATE(self._allocate),
            _FREE(lambda address: None),  # freed with the instance
        )
        make = self.function("Instantiate")
        make.restype = c_void_p
        about = (b"bristle", 1, self.token, b"", byref(self.callbacks), 0, 0)
        return make(*about)

    def _allocate(self, count: int, size: int) -> int:
        self.rooms.append(ctypes.create_string_buffer(count * size))
        return ctypes.addressof(self.rooms[-1])

    def _initialize(self, tolerance: float, time: float) -> None:
        defined = (int(tolerance > 0), c_double(tolerance))
        self.call("SetupExperiment", *defined, c_double(time), 0, c_double(0))
        self.call("EnterInitializationMode")

    def put(self, values: Mapping[int, Number]) -> None:
        reals = {place: value for place, value in values.items() if isinstance(value, float)}
        if reals:
            room = (c_double * len(reals))(*reals.values())
            self.call("SetReal", (c_uint * len(reals))(*reals), c_size_t(len(reals)), room)
        for place, value in values.items():
            if place not in reals:
                self.call("SetInteger", byref(c_uint(place)), c_size_t(1), byref(c_int(int(value))))

    def take(self, references: Sequence[int]) -> list[Any]:
        """Reads real variables."""
        count = len(references)
        values = (c_double * count)()
        self.call("GetReal", (c_uint * count)(*references), c_size_t(count), values)
        return list(values)

    def step(self, time: float, length: float) -> None:
        self.call("DoStep", c_double(time), c_double(length), 1)


class Instance3(Instance):
    """FMI 3.0 sets and reads whole vectors: elements that are not given keep their values."""

    prefix = "fmi3"

    def __init__(self, functions: ctypes.CDLL, root: Element) -> None:
        self.ends: Mapping[int, Number] = {}  # inputs at the end of the next step, if they change
        self.inputs = [
            int(one.get("valueReference", ""))
            for one in elements_of(root)
            if one.get("causality") == "input"
        ]
        self.values: dict[int, list[Any]] = {}  # of each variable: set values or start values
        self.types: dict[int, str] = {}
        self.places: dict[int, tuple[int, int]] = {}  # variable and element
        for element in elements_of(root):
            first = int(element.get("valueReference", ""))
            self.values[first] = scalars(element)[1]
            self.types[first] = element.tag
            self.places |= {first + i: (first, i) for i in range(len(self.values[first]))}
        super().__init__(functions, root)

    def _instantiate(self) -> int | None:
        self.logger = _LOGGER_3(
            lambda *message: self.messages.append(message[-1].decode(errors="replace"))
        )
        self.update = _UPDATE_3(self._update)
        make = self.function("InstantiateCoSimulation")
        make.restype = c_void_p
        flags = [c_bool(False)] * 4
        moving = ((c_uint * len(self.inputs))(*self.inputs), c_size_t(len(self.inputs)))
        hosted = (None, self.logger, self.update)
        about = (b"bristle", self.token, None, *flags, *moving, *hosted)
        return make(*about)

    def _update(self, *_intermediate: object) -> None:
        """Sets the inputs at the end of a step, reached on a straight line."""
        with suppress(BristleError):  # an error is reported by the step
            self.put(self.ends)

    def _initialize(self, tolerance: float, time: float) -> None:
        defined = (c_bool(tolerance > 0), c_double(tolerance))
        self.call("EnterInitializationMode", *defined, c_double(time), c_bool(False), c_double(0))

    def put(self, values: Mapping[int, Number]) -> None:
        for place, value in values.items():
            first, i = self.places[place]
            self.values[first][i] = value
        for first in dict.fromkeys(self.places[place][0] for place in values):
            name, number = self._kind(first)
            room = (number * len(self.values[first]))(*self.values[first])
            self.call(f"Set{name}", byref(c_uint(first)), c_size_t(1), room, c_size_t(len(room)))

    def take(self, references: Sequence[int]) -> list[Any]:
        read: dict[int, list[Any]] = {}
        for first in dict.fromkeys(self.places[place][0] for place in references):
            name, number = self._kind(first)
            room = (number * len(self.values[first]))()
            self.call(f"Get{name}", byref(c_uint(first)), c_size_t(1), room, c_size_t(len(room)))
            read[first] = list(room)
        return [read[first][i] for first, i in (self.places[place] for place in references)]

    def _kind(self, first: int) -> tuple[str, Any]:
        tag = self.types[first]
        return ("Int64" if tag == "Enumeration" else tag), _TYPES[tag]

    def step(self, time: float, length: float) -> None:
        point = (c_double(time), c_double(length), c_bool(True))
        flags = [byref(c_bool()) for _ in range(3)]  # an event, the end, an early return
        with _raising():
            self.call("DoStep", *point, *flags, byref(c_double()))


@contextmanager
def _raising() -> Iterator[None]:
    """Raises what is raised in a callback, which ctypes would print and forget: an interruption,
    too. Signals come to the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    raised: list[BaseException] = []
    before, sys.unraisablehook = (
        sys.unraisablehook,
        lambda one: raised.append(one.exc_value or one.exc_type()),
    )
    try:
        yield
    finally:
        sys.unraisablehook = before
    if raised:
        raise raised[0]
