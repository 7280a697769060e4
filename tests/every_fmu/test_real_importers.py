"""libcosim, a third-party master, and the FMI Library in it: what they read, report and compute.
test_importers.py imitates importers, this is a real one: its parser is that of PyFMI and of
fmuCheck. It does not know enumerations and reports each; it must report nothing else. Its binaries
have no sanitizer in them, so the tests are marked as shipped.
"""

import ctypes
import math
import re
import zipfile

import pytest
from libcosimpy.CosimEnums import (
    CosimVariableCausality,
    CosimVariableType,
    CosimVariableVariability,
)
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimManipulator import CosimManipulator
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave

from operating_points import Sampler
from test_parameter_sets import sets_of

pytestmark = pytest.mark.shipped

# libcosim counts nanoseconds. This step is a whole number of them and a binary fraction of a
# second, so that both sides step between the same times to the last bit.
STEP = 1 / 512
NANOSECONDS = 1953125
STEPS = 256

SSD = """<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    name="system" version="1.0">
  <ssd:System name="root">
    <ssd:Elements>
      <ssd:Component name="element" type="application/x-fmu-sharedlibrary"
          source="resources/element.fmu">
        <ssd:ParameterBindings><ssd:ParameterBinding source="resources/set.ssv"
            /></ssd:ParameterBindings>
      </ssd:Component>
    </ssd:Elements>
  </ssd:System>
  <ssd:DefaultExperiment startTime="0.0" stopTime="1.0" />
</ssd:SystemStructureDescription>
"""


class Master:
    """An execution of libcosim with one element."""

    def __init__(self, execution, description):
        self.execution, self.description = execution, description
        self.index = execution.slave_index_from_instance_name("element")
        self.inputs = CosimManipulator.create_override()
        self.values = CosimObserver.create_last_value()
        assert execution.add_manipulator(self.inputs) and execution.add_observer(self.values)

    @classmethod
    def of_fmu(cls, fmu):
        execution = CosimExecution.from_step_size(NANOSECONDS)
        slave = CosimLocalSlave(str(fmu.path), "element")
        assert slave.ptr(), "libcosim refuses the FMU"
        execution.add_local_slave(slave)
        return cls(execution, fmu.description)

    @classmethod
    def of_package(cls, path, description):
        return cls(CosimExecution.from_ssp_file(str(path), NANOSECONDS), description)

    def start(self, values):
        for name, value in values.items():
            assert self.execution.real_initial_value(
                self.index, self.description[name].reference, value
            ), name

    def step(self, values):
        assert self.inputs.slave_real_values(
            self.index, [self.description[name].reference for name in values], list(values.values())
        )
        assert self.execution.step()

    def get(self, names):
        return self.values.last_real_values(
            self.index, [self.description[name].reference for name in names]
        )


@pytest.fixture
def warnings(capfd):
    """Returns the complaints of libcosim and the FMI Library since the test began."""
    log_output_level(CosimLogLevel.WARNING)

    def said():
        ctypes.CDLL(None).fflush(None)
        output = capfd.readouterr()
        lines = [
            re.sub(r"^(\[[^]]*\] )*", "", line).strip()
            for line in (output.out + output.err).splitlines()
        ]
        return [line for line in lines if not OF_THE_CONTACT.search(line)]

    return said


# Messages of the element itself about the motion of these tests and about a load that is not
# connected.
OF_THE_CONTACT = re.compile(
    r"law = 2 \(Bounded\)|externalForce has never been set|rebound|chatter|contact softer"
)


def complaints_of_enumerations(description, times):
    return times * [
        f"FMI 2.0 Enumeration variable type not supported, variable with name {v.name} will be"
        " ignored"
        for v in description.variables
        if v.type == "Enumeration"
    ]


def motion(description):
    """Makes inputs as functions of time: each oscillates by twice its nominal size at its own
    frequency, so that contact comes and goes."""
    sampler = Sampler(description)

    def swing(variable, rhythm):
        size = 0 if variable.unit == "1" else 2 * sampler.size(variable)  # directions stay constant
        return lambda time: variable.start + size * math.sin(2 * math.pi * rhythm * time)

    return {v.name: swing(v, 3 + 0.7 * i) for i, v in enumerate(description.inputs)}


def test_libcosim_finds_every_variable_as_declared(fmu, warnings):
    d = fmu.description
    master = Master.of_fmu(fmu)
    seen = {v.name.decode(): v for v in master.execution.slave_variables(master.index)}
    assert list(seen) == [v.name for v in d.variables if v.type != "Enumeration"]
    for name, found in seen.items():
        assert found.reference == d[name].reference
        assert CosimVariableType(found.type).name == d[name].type.upper()
        assert CosimVariableCausality(found.causality).name == d[name].causality.upper()
        assert CosimVariableVariability(found.variability).name == d[name].variability.upper()
    assert warnings() == complaints_of_enumerations(d, 1)


def test_libcosim_computes_what_direct_calls_do(fmu, warnings):
    """Bit for bit: the same times, the same inputs, the same calls."""
    d = fmu.description
    inputs = motion(d)
    outputs = [v.name for v in d.outputs]

    def at(time):
        return {name: value(time) for name, value in inputs.items()}

    if d.takes("normalForce"):
        forces = [inputs["normalForce"](k * STEP) for k in range(STEPS)]
        assert min(forces) < 0 < max(forces), "the motion must press and lift"
    master = Master.of_fmu(fmu)
    master.start(at(0.0))
    with fmu.in_co_simulation(at(0.0)) as direct:
        for k in range(STEPS):
            values = at(k * STEP)
            direct.set(values)
            direct.step(STEP)
            master.step(values)
            expected = [direct.get(name) for name in outputs]
            assert master.get(outputs) == expected, f"step {k}"
    # Position and velocity are inconsistent here, so a contact may give back more than it took.
    others = [one for one in warnings() if not one.startswith("The contact has returned more")]
    assert others == complaints_of_enumerations(d, 1)


def test_every_parameter_set_works_in_a_system_of_libcosim(fmu, tmp_path, warnings):
    """A system structure package of the FMU and one of its own resources/*.ssv."""
    d = fmu.description
    sets = [
        (name, {key: value for key, value in values.items() if d[key].type == "Real"})
        for name, values, _ in sets_of(fmu)
    ]
    for name, values in sets:
        package = tmp_path / f"{name}.ssp"
        with zipfile.ZipFile(package, "w") as archive:
            archive.writestr("SystemStructure.ssd", SSD)
            archive.write(fmu.path, "resources/element.fmu")
            archive.write(fmu.folder / "resources" / f"{name}.ssv", "resources/set.ssv")
        master = Master.of_package(package, d)
        master.get(values)  # to be observed from the first step on
        master.step({})
        assert dict(zip(values, master.get(values))) == values, name
    assert warnings() == complaints_of_enumerations(d, len(sets))
