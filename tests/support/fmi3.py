"""An element in FMI 3.0, through FMPy, by its name in 2.0, with all messages on record. FMPy turns
a refused call into an exception; `refused` returns its message.
"""

import tempfile
import zipfile
from ctypes import byref, c_double, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_void_p
from functools import cache

import fmpy
from fmpy.fmi1 import FMICallException
from fmpy.fmi3 import FMU3Model, FMU3Slave

from fmus import FOLDER

MODEL_EXCHANGE, CO_SIMULATION = 0, 1
ERROR = 3


@cache
def described(name):
    """Reads the description of an element's FMU for 3.0; returns it and the folder it is unpacked
    in."""
    path = FOLDER / "fmi3" / f"{name}.fmu"
    folder = tempfile.mkdtemp(prefix=f"{name}-3-")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return fmpy.read_model_description(path), folder


class Instance3:
    """An instance of either kind; variables by their names, arrays as lists."""

    def __init__(self, name, kind, token=None, **options):
        self.description, folder = described(name)
        self.variables = {v.name: v for v in self.description.modelVariables}
        self.kind, self.messages = kind, []
        make = FMU3Model if kind == MODEL_EXCHANGE else FMU3Slave
        interface = (self.description.modelExchange, self.description.coSimulation)[kind]
        self.fmu = make(
            guid=token or self.description.guid,
            unzipDirectory=folder,
            modelIdentifier=interface.modelIdentifier,
            instanceName="element",
        )
        self.fmu.instantiate(logMessage=self._log, **options)

    def _log(self, environment, status, category, text):
        self.messages.append((status, category.decode(), text.decode()))

    def __getattr__(self, name):
        return getattr(self.fmu, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.fmu.freeInstance()

    def call(self, function, *arguments):
        return getattr(self.fmu, f"fmi3{function}")(self.fmu.component, *arguments)

    def refused(self, function, *arguments):
        """Makes a call that has to be refused; returns the sentence of the refusal."""
        before = len(self.messages)
        try:
            self.call(function, *arguments)
        except FMICallException as refusal:
            assert refusal.status in (2, ERROR)
            (message,) = self.messages[before:]
            assert message[0] == refusal.status
            return message[2]
        raise AssertionError(f"{function} was taken")

    def size(self, name):
        """Returns the number of elements of a variable."""
        count = 1
        for dimension in self.variables[name].dimensions:
            count *= int(dimension.start)
        return count

    def _access(self, verb, name, values):
        variable = self.variables[name]
        kind, typed = {
            "Float64": ("Float64", c_double),
            "Enumeration": ("Int64", c_int64),
            "Int32": ("Int32", c_int32),
        }[variable.type]
        array = (typed * len(values))(*values)
        reference = c_uint32(variable.valueReference)
        self.call(f"{verb}{kind}", byref(reference), 1, array, len(values))
        return list(array)

    def get(self, name):
        return self._access("Get", name, [0] * self.size(name))

    def set(self, values):
        for name, value in values.items():
            self._access("Set", name, value if isinstance(value, list) else [value])

    def start(self, values=None, time=0.0):
        """Initializes, and goes to continuous-time or step mode."""
        self.set(values or {})
        self.fmu.enterInitializationMode(tolerance=None, startTime=time)
        self.fmu.exitInitializationMode()
        if self.kind == MODEL_EXCHANGE:
            self.event()
            self.fmu.enterContinuousTimeMode()

    def event(self):
        return self.fmu.updateDiscreteStates()

    def set_scalars(self, values):
        """Sets variables by their names in 2.0, where each element of a vector has its own."""
        for name, variable in self.variables.items():
            if name in values:
                self.set({name: values[name]})
            elif variable.dimensions and f"{name}[1]" in values:
                self.set({name: [values[f"{name}[{i + 1}]"] for i in range(self.size(name))]})

    def reals(self):
        """Returns all values that are Reals in 2.0, in the order of their references."""
        ordered = sorted(self.variables.values(), key=lambda v: v.valueReference)
        names = [v.name for v in ordered if v.type == "Float64"]
        return [value for name in names[: names.index("time")] for value in self.get(name)]

    def modes(self):
        chosen = [v.name for v in self.variables.values() if v.type == "Enumeration"]
        return [value for name in chosen for value in self.get(name)]

    def slopes(self, function, unknowns, knowns, seed):
        """Returns slopes along a direction (GetDirectionalDerivative) or its transpose
        (GetAdjointDerivative)."""
        sizes = [sum(self.size(name) for name in names) for names in (unknowns, knowns)]
        count = sizes[0 if function == "GetDirectionalDerivative" else 1]
        result = (c_double * count)()
        lists = []
        for names in (unknowns, knowns):
            references = [self.variables[name].valueReference for name in names]
            lists += [(c_uint32 * len(names))(*references), len(names)]
        self.call(function, *lists, (c_double * len(seed))(*seed), len(seed), result, count)
        return list(result)

    def snapshot(self):
        """Returns the stored state as bytes."""
        state = c_void_p()
        self.call("GetFMUState", byref(state))
        size = c_size_t()
        self.call("SerializedFMUStateSize", state, byref(size))
        content = (c_uint8 * size.value)()
        self.call("SerializeFMUState", state, content, size)
        self.call("FreeFMUState", byref(state))
        return bytes(content)

    def resume(self, content):
        state = c_void_p()
        array = (c_uint8 * len(content)).from_buffer_copy(content)
        self.call("DeserializeFMUState", array, len(content), byref(state))
        self.call("SetFMUState", state)
        self.call("FreeFMUState", byref(state))
