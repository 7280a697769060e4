"""FMI 3.0 beside 2.0: the same numbers bit for bit, derivatives in both directions, located events,
states, refusals, and exports of the library."""

import random
import re
from ctypes import CDLL, byref, c_bool, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from pathlib import Path

import fmpy
import pytest

from commands import printed
from fmi2 import FmiError
from fmi3 import CO_SIMULATION, ERROR, MODEL_EXCHANGE, Instance3, described
from fmus import FOLDER
from operating_points import Sampler

pytestmark = pytest.mark.skipif(
    not (FOLDER / "fmi3").is_dir(), reason="there are no FMUs for 3.0 in the folder"
)

HEADER = Path(fmpy.__file__).parent / "c-code" / "fmi3Functions.h"
STEP = 2.0**-10  # exact, so that rate times length is exactly the change


def inputs_of(description):
    return [v.name for v in description.inputs]


def rounded(values):
    """Rounds values so that differences, and rates times a STEP, are exact."""
    return {name: round(value * 2**20) / 2**20 for name, value in values.items()}


def start_both(fmu, kind, one, other, seed):
    sampler = Sampler(fmu.description, seed)
    parameters = sampler.start(one, tolerance=1e-6)
    other.set_scalars(parameters | {name: one.get(name) for name in inputs_of(fmu.description)})
    other.enterInitializationMode(tolerance=1e-6)
    other.exitInitializationMode()
    if kind == MODEL_EXCHANGE:
        other.event()
        other.enterContinuousTimeMode()
    return sampler, parameters


def check_same(one, other):
    assert one.get_reals(range(len(one.description.reals))) == other.reals()
    assert list(one.modes().values()) == other.modes()


@pytest.mark.parametrize("moving", (False, True), ids=("held", "moving"))
def test_co_simulation_is_that_of_2_0_bit_for_bit(fmu, moving):
    """With inputs held over a step, and with inputs that move: by their rates in 2.0, by an
    intermediate update in 3.0. Without event mode a step continues over its events."""
    ends = {}

    def update(environment, time, wanted, allowed, finished, early, requested, until):
        assert wanted and not allowed and not early
        other.set_scalars(ends)

    _, references = zip(*((v.name, v.valueReference) for v in inputs_of_3(fmu.name)), strict=True)
    options = {"intermediateUpdate": update, "requiredIntermediateVariables": references}
    with (
        fmu.co_simulation() as one,
        Instance3(fmu.name, CO_SIMULATION, **options if moving else {}) as other,
    ):
        sampler, parameters = start_both(fmu, CO_SIMULATION, one, other, 3)
        for n in range(60):
            values = rounded(sampler.inputs(parameters))
            one.set(values)
            other.set_scalars(values)
            if moving:
                ends |= rounded(sampler.inputs(parameters))
                for name, value in values.items():
                    one.set_input_derivative(name, (ends[name] - value) / STEP)
            one.step(STEP)
            other.doStep(n * STEP, STEP)
            check_same(one, other)
        assert one.snapshot() == other.snapshot()


def inputs_of_3(name):
    return [v for v in described(name)[0].modelVariables if v.causality == "input"]


def test_model_exchange_is_that_of_2_0_bit_for_bit(fmu):
    with fmu.model_exchange() as one, Instance3(fmu.name, MODEL_EXCHANGE) as other:
        sampler, parameters = start_both(fmu, MODEL_EXCHANGE, one, other, 4)
        for n in range(30):
            values = sampler.inputs(parameters)
            states = sampler.states(parameters)
            for instance, set_all in ((one, one.set), (other, other.set_scalars)):
                time = n * STEP
                instance.set_time(time) if instance is one else instance.setTime(time)
                set_all(values)
            if states:
                one.states = states
                other.setContinuousStates((c_double * len(states))(*states), len(states))
            check_same(one, other)
            names = [name for name in other.variables if name.startswith("eventIndicator")]
            values = (c_double * len(names))()
            other.getEventIndicators(values, len(names))
            assert one.indicators == list(values) == [other.get(name)[0] for name in names]
            if n % 3 == 0:
                one.event()
                other.enterEventMode()
                other.event()
                other.enterContinuousTimeMode()


def test_a_state_of_2_0_continues_in_3_0_and_back(fmu):
    """The bytes are the same in both versions, by design."""
    with fmu.co_simulation() as one, Instance3(fmu.name, CO_SIMULATION) as other:
        sampler, parameters = start_both(fmu, CO_SIMULATION, one, other, 5)
        one.set(sampler.inputs(parameters))
        one.step(STEP)
        other.resume(one.snapshot())
        assert other.snapshot() == one.snapshot()
        check_same(one, other)
        values = sampler.inputs(parameters)
        one.set(values)
        other.set_scalars(values)
        one.step(STEP)
        other.doStep(STEP, STEP)
        check_same(one, other)
        one.resume(other.snapshot())
        check_same(one, other)
        first = fmu.description.inputs[0]  # its rate is not that of the next step in 3.0
        one.set_input_derivative(first.name, 1e-3)
        one.step(STEP)
        other.resume(one.snapshot())
        one.set({first.name: one.get(first.name)})
        one.step(STEP)
        other.doStep(3 * STEP, STEP)
        check_same(one, other)
    with (
        fmu.co_simulation() as one,
        Instance3(fmu.name, CO_SIMULATION, eventModeUsed=True) as other,
    ):
        other.start()  # in event mode, which co-simulation of 2.0 lacks
        with pytest.raises(FmiError, match="values that no instance of"):
            one.resume(other.snapshot())


def test_the_adjoint_is_the_transpose(fmu):
    """Each entry of the Jacobian, from both functions; arrays count as their elements."""
    description, _ = described(fmu.name)
    with fmu.model_exchange() as one, Instance3(fmu.name, MODEL_EXCHANGE) as other:
        sampler, parameters = start_both(fmu, MODEL_EXCHANGE, one, other, 6)
        other.set_scalars(sampler.inputs(parameters))
        derived = [v.name for v in description.modelVariables if v.derivative is not None]
        unknowns = derived + [
            v.name
            for v in description.modelVariables
            if v.causality == "output" and v.type == "Float64"
        ]
        states = [v.derivative.name for v in description.modelVariables if v.derivative is not None]
        knowns = [v.name for v in inputs_of_3(fmu.name)] + states
        rows = sum(other.size(name) for name in unknowns)
        columns = sum(other.size(name) for name in knowns)

        def unit(count, place):
            return [float(i == place) for i in range(count)]

        forward = [
            other.slopes("GetDirectionalDerivative", unknowns, knowns, unit(columns, j))
            for j in range(columns)
        ]
        for i in range(rows):
            adjoint = other.slopes("GetAdjointDerivative", unknowns, knowns, unit(rows, i))
            assert adjoint == [column[i] for column in forward]
        draw = random.Random(fmu.name)
        seed = [draw.uniform(-1, 1) for _ in range(rows)]
        adjoint = other.slopes("GetAdjointDerivative", unknowns, knowns, seed)
        timed = ["time", *knowns, "time"]  # which CasADi includes
        assert other.slopes("GetAdjointDerivative", unknowns, timed, seed) == [0, *adjoint, 0]
        weights = [draw.uniform(-1, 1) for _ in range(columns)]
        assert other.slopes("GetDirectionalDerivative", unknowns, timed, [1, *weights, 1]) == (
            other.slopes("GetDirectionalDerivative", unknowns, knowns, weights)
        )
        sums = [sum(a * b for a, b in zip(seed, column, strict=True)) for column in forward]
        assert adjoint == pytest.approx(sums, rel=1e-12, abs=1e-300)


class Master:
    """A co-simulation with event mode whose inputs are functions of time, set at the end of a step
    in an intermediate update."""

    def __init__(self, name, inputs, early=True):
        self.inputs, self.events = inputs, []
        references = [v.valueReference for v in inputs_of_3(name)]
        self.element = Instance3(
            name,
            CO_SIMULATION,
            eventModeUsed=True,
            earlyReturnAllowed=early,
            intermediateUpdate=lambda environment, time, *_: self.give(time),
            requiredIntermediateVariables=references,
        )

    def give(self, time):
        self.element.set(self.inputs(time))

    def start(self, parameters):
        self.element.start(parameters)
        self.give(0.0)
        self.element.event()
        self.element.enterStepMode()

    def run(self, stop, size):
        """Takes steps of a size, each up to its event; `events` has their times."""
        time, regular = 0.0, 1
        while time < stop:
            needed, _, early, time = self.element.doStep(time, regular * size - time)
            regular += not early
            assert needed or not early
            if needed:
                self.events.append(time)
                self.element.enterEventMode()
                self.give(time)
                assert not self.element.event()[0]
                self.element.enterStepMode()


@pytest.mark.fmus(lambda d: d.name == "Coulomb")
@pytest.mark.parametrize("size", (1e-3, 0.013, 0.1))
def test_events_of_a_mass_are_located(fmu, size):
    """A mass slides, stops and is pulled until it breaks away, with unrelated steps. Stick begins
    at REST = 1e-4 of the regularization velocity and ends at 1e-6 above the limit
    (hysteresis.h)."""
    mass, load, rest = 2.0, 7.0, 1e-4 * 1e-5
    force, speed = 0.4 * 20.0, 0.3
    stops, breaks = (speed - rest) * mass / force, 0.2 + 0.5 * 20.0 * (1 + 1e-6) / load

    def inputs(time):
        return {
            "normalForce": 20.0,
            "relativeVelocity": 0.0 if master.events else speed - force / mass * time,
            "externalForce": load * max(time - 0.2, 0.0),
        }

    master = Master(fmu.name, inputs)
    with master.element as element:
        master.start(
            {"staticFriction": 0.5, "dynamicFriction": 0.4, "regularizationVelocity": 1e-5}
        )
        master.run(1.7, size)
        assert master.events == pytest.approx([stops, breaks], rel=0, abs=1e-9)
        assert element.get("mode") == [3]  # slides


@pytest.mark.fmus(lambda d: d.takes("normalForce") and d.takes("relativeVelocity"))
def test_lift_off_is_located(fmu):
    """Also in models without modes; a step continues over it if the host allows no early return."""
    lifts = 0.3217

    def inputs(time):
        normal = 40.0 * (lifts - time)
        return {"normalForce": normal, "relativeVelocity": 0.01}

    # GeneralizedMaxwellSlip takes 650 substeps to get there; with one, it would skip parts of steps
    for early, substeps in ((True, 60000), (False, 60000), (True, 1)):
        master = Master(fmu.name, inputs, early)
        with master.element as element:
            master.start({"maximumSubsteps": substeps})
            master.run(0.5, 0.125)
            if substeps > 1:
                assert any(abs(time - lifts) < 1e-9 for time in master.events) == early
            assert element.get("frictionForce") == [0.0]


@pytest.mark.fmus(lambda d: d.name == "Coulomb")
def test_held_inputs_cause_events_where_they_are_set(fmu):
    """A step that begins with an event ends there, and the next one continues."""
    with Instance3(fmu.name, CO_SIMULATION, eventModeUsed=True, earlyReturnAllowed=True) as element:
        element.start({"normalForce": 20.0, "relativeVelocity": 0.3})
        element.event()
        element.enterStepMode()
        assert element.doStep(0.0, 0.1) == (False, False, False, 0.1)
        element.set({"relativeVelocity": 0.0})
        assert element.doStep(0.1, 0.1) == (True, False, True, 0.1)
        element.enterEventMode()
        element.event()
        element.enterStepMode()
        assert element.get("mode") == [2]  # sticks
        assert element.doStep(0.1, 0.1) == (False, False, False, 0.2)


def test_meaningless_calls_are_refused_in_one_sentence(fmu):
    number, value = c_uint32(), c_double()
    with Instance3(fmu.name, CO_SIMULATION) as element:
        after = max(v.valueReference for v in element.variables.values()) + 1

        def clocks(function, *arguments):
            return element.refused(function, byref(number), 1, *arguments)

        none = "must not be called: there are no structural parameters."
        assert element.refused("EnterConfigurationMode").endswith(none)
        assert element.refused("ExitConfigurationMode").endswith(none)
        for verb in ("Get", "Set"):
            no_clock = "There is no Clock variable with value reference 0."
            assert clocks(f"{verb}Clock", byref(c_bool())) == no_clock
            no_text = "There is no Boolean variable with value reference 0."
            assert clocks(f"{verb}Boolean", byref(c_bool()), 1) == no_text
            number.value = after
            unknown = f"There is no Float64 variable with value reference {after}."
            assert element.refused(f"{verb}Float64", byref(number), 1, byref(value), 1) == unknown
            number.value = 0
            wrong = f"fmi3{verb}Float64 was given 0 values, the variables have {{}}."
            first = next(v.name for v in element.variables.values() if v.valueReference == 0)
            found = element.refused(f"{verb}Float64", byref(number), 1, byref(value), 0)
            assert found == wrong.format(element.size(first))
        many = 1 + len(element.reals())  # of one variable: each fits once
        same = next(v for v in inputs_of_3(fmu.name))
        size = many * element.size(same.name)
        twice = (c_uint32 * many)(*[same.valueReference] * many), many
        found = element.refused(
            "GetDirectionalDerivative", *twice, *twice, (c_double * size)(), size, None, size
        )
        assert (
            found == f"fmi3GetDirectionalDerivative was given {size} values, there are {many - 1}."
        )
        assert "must not be called after instantiation" in element.refused("EnterStepMode")
        assert "belongs to model exchange" in element.refused("EnterEventMode")
        assert "dependencies" in element.refused(
            "GetNumberOfVariableDependencies", 0, byref(c_size_t())
        )
        element.start()
        answers = [byref(c_bool()) for _ in range(3)] + [byref(value)]
        found = element.refused("DoStep", 1.0, 0.1, True, *answers)
        assert found == "The step starts at 1 s, but the last one ended at 0 s."
        assert value.value == 0.0
        for mode in [v for v in element.variables.values() if v.type == "Enumeration"]:
            number.value = mode.valueReference
            count = element.size(mode.name)
            found = element.refused(
                "SetInt64", byref(number), 1, (c_int64 * count)(*[1] * count), count
            )
            assert found == "A mode is determined by the model and cannot be set."
    for token in (b"", b"{other}"):
        with pytest.raises(Exception, match="Failed to instantiate"):
            Instance3(fmu.name, MODEL_EXCHANGE, token=token.decode() or "none")


def test_a_parameter_that_is_tunable_may_be_changed_between_steps(fmu):
    """Without a message; a parameter of the start may not."""
    with Instance3(fmu.name, CO_SIMULATION) as element:
        element.call("SetDebugLogging", True, 0, None)
        element.start()
        element.doStep(0.0, STEP)
        before = len(element.messages)
        for variable in list(element.variables.values()):
            if variable.causality == "parameter" and variable.type == "Float64":
                values = [value * (1 + 1e-9) + 1e-9 for value in element.get(variable.name)]
                if variable.variability == "tunable":
                    element.set({variable.name: values})
                else:
                    number = byref(c_uint32(variable.valueReference))
                    array = (c_double * len(values))(*values)
                    found = element.refused("SetFloat64", number, 1, array, len(values))
                    assert "takes effect only at the start of a run" in found
        assert not [
            text for _, _, text in element.messages[before:] if "after initialization" in text
        ]


def raw(element, function, *arguments):
    """Makes a call and returns its status."""
    return getattr(element.fmu.dll, f"fmi3{function}")(*arguments)


def arguments_of(element):
    """Returns valid calls: name, arguments without the instance, and places of the pointers among
    them."""
    real = byref(c_uint32(inputs_of_3(element.description.modelName)[0].valueReference))
    option = byref(c_uint32(element.variables["maximumSubsteps"].valueReference))
    output = next(v for v in element.description.modelVariables if v.causality == "output")
    out, n = byref(c_uint32(output.valueReference)), element.size(output.name)
    values, flags = (c_double * 255)(), [byref(c_bool()) for _ in range(5)]
    count = element.size(next(iter(inputs_of_3(element.description.modelName))).name)
    calls = [(f"{verb}Float64", (real, 1, values, count), (0, 2)) for verb in ("Get", "Set")] + [
        (f"{verb}Int32", (option, 1, (c_int32 * 1)(600), 1), (0, 2)) for verb in ("Get", "Set")
    ]
    calls += [
        (f"Get{direction}Derivative", (out, 1, real, 1, values, *counts), (0, 2, 4, 6))
        for direction, counts in (
            ("Directional", (count, values, n)),
            ("Adjoint", (n, values, count)),
        )
    ]
    calls += [
        (f"GetNumberOf{what}", (byref(c_size_t()),), (0,))
        for what in ("EventIndicators", "ContinuousStates")
    ]
    if element.kind == CO_SIMULATION:
        calls += [
            ("GetOutputDerivatives", (out, 1, (c_int32 * 1)(1), values, n), (0, 2, 3)),
            ("DoStep", (0.0, STEP, True, *flags[:3], values), (3, 4, 5, 6)),
        ]
    else:
        calls += [("CompletedIntegratorStep", (True, *flags[:2]), (1, 2))]
    return calls


def test_a_null_pointer_is_an_error_in_3_0(fmu, kind):
    """Each pointer of the functions that 2.0 lacks in this form, alone and with all others, and the
    instance itself; nothing changes."""
    with Instance3(fmu.name, kind) as element:
        element.start()
        before = element.snapshot()
        component = element.fmu.component
        for function, arguments, pointers in arguments_of(element):
            for nulls in [(i,) for i in pointers] + [pointers]:
                without = [None if i in nulls else a for i, a in enumerate(arguments)]
                assert raw(element, function, component, *without) == ERROR, (function, nulls)
                assert element.messages[-1][2] == f"fmi3{function} was given a null pointer."
            assert raw(element, function, None, *arguments) == ERROR, function
        assert raw(element, "EnterConfigurationMode", None) == ERROR
        assert element.snapshot() == before
        for function, arguments, _ in arguments_of(element):
            assert raw(element, function, component, *arguments) == 0, function
        if kind == MODEL_EXCHANGE:
            element.enterEventMode()
            answers = [*(byref(c_bool()) for _ in range(5)), byref(c_double())]
            for i in range(len(answers)):
                without = [None if i == n else answer for n, answer in enumerate(answers)]
                assert raw(element, "UpdateDiscreteStates", component, *without) == ERROR


def test_a_call_without_variables_is_accepted(fmu):
    """As in 2.0: nothing is read or set."""
    nothing = (None, 0, None, 0)
    with Instance3(fmu.name, CO_SIMULATION) as element:
        element.start()
        for kind in ("Float64", "Int64", "Int32"):
            for verb in ("Get", "Set"):
                element.call(f"{verb}{kind}", *nothing)
        for direction in ("Directional", "Adjoint"):
            element.call(f"Get{direction}Derivative", None, 0, *nothing, None, 0)
        element.doStep(0.0, STEP)
        element.call("GetOutputDerivatives", None, 0, None, None, 0)


def test_output_derivatives_are_those_of_2_0(fmu):
    """After the same step with moving inputs."""
    ends = {}
    update = lambda *_: other.set_scalars(ends)  # noqa: E731
    references = [v.valueReference for v in inputs_of_3(fmu.name)]
    outputs = [v for v in fmu.description.outputs if v.type == "Real"]
    with (
        fmu.co_simulation() as one,
        Instance3(
            fmu.name,
            CO_SIMULATION,
            intermediateUpdate=update,
            requiredIntermediateVariables=references,
        ) as other,
    ):
        sampler, parameters = start_both(fmu, CO_SIMULATION, one, other, 7)
        starts = rounded(sampler.inputs(parameters))
        ends |= rounded({name: value * 1.25 for name, value in starts.items()})
        one.set(starts)
        other.set_scalars(starts)
        for name, value in starts.items():
            one.set_input_derivative(name, (ends[name] - value) / STEP)
        one.step(STEP)
        other.doStep(0.0, STEP)
        expected = (c_double * len(outputs))()
        numbers = one.reference_array([v.reference for v in outputs])
        one.demand(
            "fmi2GetRealOutputDerivatives",
            numbers,
            len(outputs),
            (c_int32 * len(outputs))(*[1] * len(outputs)),
            expected,
        )
        names = [
            v.name
            for v in other.variables.values()
            if v.causality == "output" and v.type == "Float64"
        ]
        sizes = [other.size(name) for name in names]
        found = (c_double * sum(sizes))()
        other.call(
            "GetOutputDerivatives",
            (c_uint32 * len(names))(*[other.variables[name].valueReference for name in names]),
            len(names),
            (c_int32 * len(names))(*[1] * len(names)),
            found,
            sum(sizes),
        )
        assert list(found) == list(expected)


def test_variables_of_other_kinds_are_refused(fmu, kind):
    """Time has its own function; a mode is no Float64; an array has to be complete."""
    with Instance3(fmu.name, kind) as element:
        element.start()
        time = element.variables["time"]
        assert element.get("time") == [0.0]
        two = (c_double * 2)()
        number = byref(c_uint32(time.valueReference))
        only = {MODEL_EXCHANGE: "fmi3SetTime", CO_SIMULATION: "fmi3DoStep"}[kind]
        assert element.refused("SetFloat64", number, 1, two, 1) == f"time is set by {only} alone."
        unknown = f"There is no Float64 variable with value reference {time.valueReference}."
        assert element.refused("SetFloat64", number, 1, two, 2) == unknown
        both = (c_uint32 * 2)(inputs_of_3(fmu.name)[0].valueReference, time.valueReference)
        assert element.refused("SetFloat64", both, 2, two, 2) == unknown
        for mode in [v for v in element.variables.values() if v.type == "Enumeration"]:
            number = byref(c_uint32(mode.valueReference))
            assert "There is no Float64 variable" in element.refused(
                "GetFloat64", number, 1, two, 1
            )
            for verb in ("Get", "Set"):
                found = element.refused(f"{verb}Int64", number, 1, (c_int64 * 9)(), 9)
                assert found.startswith(f"fmi3{verb}Int64 was given 9 values")
                nothing = None, 1
                assert "null pointer" in element.refused(f"{verb}Int64", number, 1, *nothing)
        for vector in [v for v in inputs_of_3(fmu.name) if v.dimensions]:
            number, size = byref(c_uint32(vector.valueReference)), element.size(vector.name)
            for verb in ("Get", "Set"):
                assert (
                    element.refused(f"{verb}Float64", number, 1, two, 1)
                    == f"fmi3{verb}Float64 was given 1 values, the variables have {size}."
                )


@pytest.mark.fmus(lambda d: d.has("staticFriction", "dynamicFriction"))
def test_parameters_that_break_a_rule_give_no_indicator(fmu):
    with Instance3(fmu.name, MODEL_EXCHANGE) as element:
        element.start()
        element.set({"staticFriction": [0.5 * element.get("dynamicFriction")[0]]})
        for name in [name for name in element.variables if name.startswith("eventIndicator")]:
            number = byref(c_uint32(element.variables[name].valueReference))
            found = element.refused("GetFloat64", number, 1, (c_double * 1)(), 1)
            assert "must be at most staticFriction" in found


@pytest.mark.fmus(lambda d: d.takes("penetration"))
def test_an_indicator_that_overflows_is_refused(fmu):
    """Of a contact so deep that its normal force overflows."""
    sentence = "At time 0 an event indicator overflows."
    with fmu.model_exchange() as one, Instance3(fmu.name, MODEL_EXCHANGE) as other:
        one.start()
        other.start()
        one.set({"penetration": 1e300})
        other.set({"penetration": 1e300})
        with pytest.raises(FmiError, match=sentence):
            one.indicators  # noqa: B018
        number = byref(c_uint32(other.variables["eventIndicator1"].valueReference))
        assert other.refused("GetFloat64", number, 1, (c_double * 1)(), 1) == sentence


def test_a_wrong_start_is_refused(fmu):
    with Instance3(fmu.name, CO_SIMULATION) as element:
        found = element.refused("EnterInitializationMode", False, 0.0, float("nan"), False, 0.0)
        assert "nan" in found
    with pytest.raises(Exception, match="Failed to instantiate"):
        Instance3(fmu.name, CO_SIMULATION, token="{other}")


def test_intermediate_updates_are_only_for_declared_inputs(fmu):
    """Not if nothing or an output is named, nor in a step of length zero; and within an update no
    step is taken and no state entered, stored or restored."""
    asked = []

    def update(*_):
        asked.append(True)
        answers = [byref(c_bool()) for _ in range(3)] + [byref(c_double())]
        calls = {"DoStep": (0.0, STEP, True, *answers), "GetFMUState": (byref(c_void_p()),)}
        calls |= {"SetFMUState": (None,), "EnterEventMode": (), "Terminate": (), "Reset": ()}
        for function, arguments in calls.items():
            found = element.refused(function, *arguments)
            assert found == f"fmi3{function} must not be called in an intermediate update."

    output = next(v for v in described(fmu.name)[0].modelVariables if v.causality == "output")
    inputs = [v.valueReference for v in inputs_of_3(fmu.name)]
    for required, times in (([], 0), ([output.valueReference], 0), (inputs, 1)):
        with Instance3(
            fmu.name,
            CO_SIMULATION,
            eventModeUsed=True,
            intermediateUpdate=update,
            requiredIntermediateVariables=required,
        ) as element:
            element.start()
            element.enterStepMode()
            asked.clear()
            element.doStep(0.0, 0.0)
            assert not asked
            element.doStep(0.0, STEP)
            assert len(asked) == times


def test_reading_in_an_intermediate_update_changes_nothing(fmu):
    """Outputs under the inputs at the end of a step do not affect its start."""
    ends, results = {}, []

    def update(*_):
        element.set_scalars(ends)
        if reads:
            element.reals()

    for reads in (False, True):
        sampler, found = Sampler(fmu.description, 8), []
        results.append(found)
        with Instance3(
            fmu.name,
            CO_SIMULATION,
            intermediateUpdate=update,
            requiredIntermediateVariables=[v.valueReference for v in inputs_of_3(fmu.name)],
        ) as element:
            element.start()
            for n in range(40):
                ends |= sampler.inputs({})
                element.doStep(n * STEP, STEP)
                found.append(element.reals())
    assert results[0] == results[1]


@pytest.mark.fmus(lambda d: d.name == "Coulomb")
def test_an_event_at_the_start_of_a_step_up_to_rounding_does_not_end_it(fmu):
    """After 1e9 s the next time is 1.2e-7 s later: a body that comes to rest (at 1e-4 of the
    regularization velocity) within 1e-8 s would stop there for ever. The event is logged all the
    same."""
    begin, speeds = 1e9, [1e-3, 1e-9 * (1 + 1e-8), 0.0]

    def inputs(time):
        return {"normalForce": 20.0, "relativeVelocity": speeds[round(time - begin)]}

    master = Master(fmu.name, inputs)
    with master.element as element:
        element.call("SetDebugLogging", True, 0, None)
        element.set({"regularizationVelocity": 1e-5})
        element.start(inputs(begin), time=begin)
        element.event()
        element.enterStepMode()
        before = len(element.messages)
        for n, mode in enumerate((3, 2)):  # slides, then sticks
            _, _, early, time = element.doStep(begin + n, 1.0)
            assert (early, time) == (False, begin + n + 1)
            assert element.get("mode") == [mode]
        changes = [text for _, _, text in element.messages[before:] if "goes from" in text]
        assert len(changes) == 1


@pytest.mark.fmus(lambda d: d.name == "Coulomb")
def test_events_of_early_steps_are_logged_once(fmu):
    """A lift-off, which ends the step, and the touch-down, which begins the next one."""
    master = Master(fmu.name, lambda time: {"normalForce": 40.0 * (0.05 - time)})
    with master.element as element:
        element.call("SetDebugLogging", True, 0, None)
        master.start({"normalForce": 2.0, "relativeVelocity": 0.1})
        before = len(element.messages)
        master.run(0.1, 0.1)
        changes = [text for _, _, text in element.messages[before:] if "goes from" in text]
        assert len(changes) == 1 and changes[0].endswith("to Separated.")


@pytest.mark.fmus(lambda d: d.name == "Coulomb")
def test_steps_with_the_body_do_not_end_early(fmu):
    """Iterates towards a common solution are no events."""
    with Instance3(fmu.name, CO_SIMULATION, eventModeUsed=True, earlyReturnAllowed=True) as element:
        element.start({"couplingMass": 1.0, "normalForce": 20.0, "relativeVelocity": 0.01})
        element.event()
        element.enterStepMode()
        _, _, early, time = element.doStep(0.0, 0.1)  # the body would come to rest in it
        assert (early, time) == (False, 0.1)


def test_a_stored_event_mode_continues(fmu):
    with (
        Instance3(fmu.name, CO_SIMULATION, eventModeUsed=True) as one,
        Instance3(fmu.name, CO_SIMULATION, eventModeUsed=True) as other,
    ):
        one.start()
        other.resume(one.snapshot())
        other.event()
        other.enterStepMode()
        other.doStep(0.0, STEP)


@pytest.mark.fmus(lambda d: d.has("bristleDeflectionStart"))
def test_a_start_value_may_be_set_until_the_first_step(fmu):
    """Until a step it is still the start of the run, even after initialization."""
    with Instance3(fmu.name, CO_SIMULATION) as element:
        element.start()
        element.set({"bristleDeflectionStart": [1e-6]})
        assert element.get("bristleDeflection") == [1e-6]


@pytest.mark.fmus(lambda d: d.name == "LuGre")
def test_invalid_adjoints_are_refused(fmu):
    with Instance3(fmu.name, MODEL_EXCHANGE) as element:
        element.start({"relativeVelocity": 1e-3, "normalForce": 20.0})

        def refused(unknown, known, seed):
            one, other = (
                byref(c_uint32(element.variables[v].valueReference)) for v in (unknown, known)
            )
            return element.refused(
                "GetAdjointDerivative",
                one,
                1,
                other,
                1,
                (c_double * 1)(seed),
                1,
                (c_double * 1)(),
                1,
            )

        force, velocity = "frictionForce", "relativeVelocity"
        assert "not an unknown" in refused(velocity, velocity, 1.0)
        assert "There is no Float64 variable" in refused("time", velocity, 1.0)
        assert "There is no Float64 variable" in refused(force, "law", 1.0)
        assert "an adjoint derivative is not finite" in refused(force, velocity, 1.7e308)


def test_a_null_list_of_variables_is_an_error(fmu):
    """Also if its stated length is one."""
    description, folder = described(fmu.name)
    library = CDLL(str(next(Path(folder, "binaries").glob("x86_64-linux/*.so"))))
    make, token = library.fmi3InstantiateCoSimulation, description.instantiationToken.encode()
    make.restype = c_void_p
    switches = [c_bool(False)] * 4
    component = make(b"element", token, None, *switches, None, c_size_t(1), None, None, None)
    assert component
    library.fmi3FreeInstance(c_void_p(component))


@pytest.mark.fmus(lambda d: d.name == "LuGre")
def test_a_step_that_fails_leaves_the_output_derivatives(fmu):
    """Those of the inputs that moved in the step before."""
    ends = {"relativeVelocity": 0.02}
    _, references = zip(*((v.name, v.valueReference) for v in inputs_of_3(fmu.name)), strict=True)
    with Instance3(
        fmu.name,
        CO_SIMULATION,
        intermediateUpdate=lambda *_: element.set(ends),
        requiredIntermediateVariables=references,
    ) as element:
        element.start({"relativeVelocity": 0.01, "normalForce": 20.0})
        value = c_double()
        force = byref(c_uint32(element.variables["frictionForce"].valueReference))
        rates = []
        for length in (STEP, 0.9):
            if rates:
                ends["relativeVelocity"] = 1e308
                answers = [byref(c_bool()) for _ in range(3)] + [byref(value)]
                assert "not finite" in element.refused("DoStep", STEP, length, True, *answers)
            else:
                element.doStep(0.0, length)
            element.call("GetOutputDerivatives", force, 1, (c_int32 * 1)(1), byref(value), 1)
            rates.append(value.value)
        assert rates[0] == rates[1] != 0


# Functions of types without variables: the arguments after one reference.
NOTHING = {
    f"{verb}{of}": (of, (None, 1))
    for verb in ("Get", "Set")
    for of in "Float32 Int8 UInt8 Int16 UInt16 UInt32 UInt64 Boolean String".split()
}
NOTHING |= {f"{verb}Binary": ("Binary", (None, None, 1)) for verb in ("Get", "Set")}
NOTHING |= {f"{verb}Clock": ("Clock", (None,)) for verb in ("Get", "Set")}
NOTHING |= {
    f"{verb}{what}{how}": (
        "Clock",
        (None,) * (1 + (how == "Fraction") + (verb + what == "GetInterval")),
    )
    for verb in ("Get", "Set")
    for what in ("Interval", "Shift")
    for how in ("Decimal", "Fraction")
}


def test_there_are_no_variables_of_other_types_and_no_clocks(fmu):
    number = byref(c_uint32(0))
    with Instance3(fmu.name, CO_SIMULATION) as element:
        element.start()
        for function, (of, rest) in NOTHING.items():
            assert (
                element.refused(function, number, 1, *rest)
                == f"There is no {of} variable with value reference 0."
            )
        found = element.refused("ActivateModelPartition", 7, 0.0)
        assert found == "There is no Clock variable with value reference 7."
        assert "dependencies" in element.refused("GetVariableDependencies", 0, *[None] * 4, 0)
        library = element.fmu.dll
        assert library.fmi3GetVersion() == b"3.0"
        messages, make = [], library.fmi3InstantiateScheduledExecution
        log = make.argtypes[-4](lambda environment, status, category, text: messages.append(text))
        callbacks = [log, *(kind() for kind in make.argtypes[-3:])]
        assert not make(b"element", b"", b"", False, False, None, *callbacks)
        assert messages == [
            f"{fmu.name} has no clocks: it is not for scheduled execution.".encode()
        ]


def test_a_run_ends_and_starts_again(fmu):
    """Terminate, reset, and the states beside those of 2.0."""
    size = len(fmu.description.states)
    with fmu.model_exchange() as one, Instance3(fmu.name, MODEL_EXCHANGE) as other:
        for _ in range(2):
            start_both(fmu, MODEL_EXCHANGE, one, other, 8)
            for function, expected in (
                ("GetContinuousStates", one.states),
                ("GetContinuousStateDerivatives", one.derivatives),
                ("GetNominalsOfContinuousStates", one.nominals),
            ):
                values = (c_double * size)()
                other.call(function, values, size)
                assert list(values) == list(expected), function
            other.enterEventMode()
            other.call("EvaluateDiscreteStates")
            other.enterContinuousTimeMode()
            other.call("Terminate")
            assert "must not be called" in other.refused("EnterEventMode")
            other.call("Reset")
            one.demand("fmi2Reset")


@pytest.mark.shipped
def test_linux_exports_the_functions_of_3_0_and_nothing_else(fmu):
    declared = set(re.findall(r"FMI3_Export \w+\s+(fmi3\w+);", HEADER.read_text(encoding="utf-8")))
    description, folder = described(fmu.name)
    library = Path(folder) / "binaries" / "x86_64-linux" / f"{description.modelName}.so"
    lines = printed("nm", "--dynamic", "--defined-only", "--extern-only", library).splitlines()
    assert len(declared) == 75
    assert {line.split()[-1].split("@")[0] for line in lines} == declared
