"""The state machine of FMI 2.0, bad input, messages, memory, and the process."""

import ctypes
import locale
import math
import mmap
import os
import re
import signal
from ctypes import byref, c_char_p, c_double, c_int, c_void_p

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fmi2 import (
    CO_SIMULATION,
    DISCARD,
    DO_STEP_STATUS,
    ERROR,
    FUNCTIONS,
    LAST_SUCCESSFUL_TIME,
    MODEL_EXCHANGE,
    OK,
    ONLY_CO_SIMULATION,
    ONLY_MODEL_EXCHANGE,
    PENDING_STATUS,
    TERMINATED,
    EventInfo,
    Host,
    Instance,
    integers,
    reals,
)
from operating_points import Sampler


def test_a_reset_forgets_the_status_of_the_last_step(fmu):
    with fmu.in_co_simulation() as instance:
        assert instance.fmi2DoStep(0.0, -1.0, 1) == ERROR
        status = c_int(7)
        instance.demand("fmi2GetStatus", DO_STEP_STATUS, byref(status))
        assert status.value == ERROR
        instance.demand("fmi2Reset")
        instance.demand("fmi2GetStatus", DO_STEP_STATUS, byref(status))
        assert status.value == OK


# phases and calls that are wrong in them


def to_phase(instance, phase):
    """Brings a fresh instance to a phase."""
    if phase == "instantiated":
        return
    instance.demand("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
    instance.demand("fmi2EnterInitializationMode")
    if phase == "initialization":
        return
    instance.demand("fmi2ExitInitializationMode")
    if phase in ("event", "stepping"):
        return
    if instance.kind == MODEL_EXCHANGE:
        instance.settle()
        instance.demand("fmi2EnterContinuousTimeMode")
        if phase == "continuous":
            return
    instance.demand("fmi2Terminate")


PHASES = {
    MODEL_EXCHANGE: ("instantiated", "initialization", "event", "continuous", "terminated"),
    CO_SIMULATION: ("instantiated", "initialization", "stepping", "terminated"),
}

# Calls that change something, and the phases of either kind where the standard allows them.
ALLOWED = {
    "fmi2SetupExperiment": ("instantiated",),
    "fmi2EnterInitializationMode": ("instantiated",),
    "fmi2ExitInitializationMode": ("initialization",),
    "fmi2Terminate": ("event", "continuous", "stepping"),
    "fmi2EnterEventMode": ("continuous",),
    "fmi2NewDiscreteStates": ("event",),
    "fmi2EnterContinuousTimeMode": ("event",),
    "fmi2CompletedIntegratorStep": ("continuous",),
    "fmi2SetContinuousStates": ("continuous",),
    "fmi2SetTime": ("event", "continuous"),
    "fmi2DoStep": ("stepping",),
    "fmi2SetReal": ("instantiated", "initialization", "event", "continuous", "stepping"),
}
# Against the standard, but real importers do it and nothing is at risk.
TOLERATED = {
    ("fmi2SetContinuousStates", "event"),
    ("fmi2SetTime", "instantiated"),
    ("fmi2SetTime", "initialization"),
    ("fmi2EnterEventMode", "event"),
    ("fmi2CompletedIntegratorStep", "event"),
}


def arguments(instance, function):
    n = len(instance.description.states)
    first = instance.description.inputs[0].reference
    return {
        "fmi2SetupExperiment": (0, 0.0, 0.0, 0, 0.0),
        "fmi2NewDiscreteStates": (byref(EventInfo()),),
        "fmi2CompletedIntegratorStep": (1, byref(c_int()), byref(c_int())),
        "fmi2SetContinuousStates": (reals([0.0] * n), n),
        "fmi2SetTime": (1.0,),
        "fmi2DoStep": (0.0, 1e-3, 1),
        "fmi2SetReal": (instance.reference_array([first]), 1, reals([1.0])),
    }.get(function, ())


def wrong_calls(kind, phase):
    """Lists the functions that an instance of the kind refuses in a phase."""
    foreign = ONLY_CO_SIMULATION if kind == MODEL_EXCHANGE else ONLY_MODEL_EXCHANGE
    return [
        name
        for name, allowed in ALLOWED.items()
        if name in foreign or (phase not in allowed and (name, phase) not in TOLERATED)
    ]


@pytest.mark.parametrize(
    "kind, phase",
    [
        pytest.param(kind, phase, id=f"{'CS' if kind else 'ME'}-{phase}")
        for kind in PHASES
        for phase in PHASES[kind]
    ],
)
def test_a_call_in_a_wrong_phase_is_an_error_and_changes_nothing(fmu, kind, phase):
    for function in wrong_calls(kind, phase):
        with fmu.instance(kind) as instance:
            to_phase(instance, phase)
            before, said = instance.snapshot(), len(instance.messages)
            assert getattr(instance, function)(*arguments(instance, function)) == ERROR, function
            assert instance.snapshot() == before, function
            new = instance.messages[said:]
            assert len(new) == 1 and new[0].status == ERROR and function in new[0].text, function
            continue_to_the_end(instance, phase)


def continue_to_the_end(instance, phase):
    """Continues the run as if the wrong call had not been made."""
    order = [
        "instantiated",
        "initialization",
        "event" if instance.kind == MODEL_EXCHANGE else "stepping",
        "continuous",
        "terminated",
    ]
    steps = {
        "instantiated": "fmi2EnterInitializationMode",
        "initialization": "fmi2ExitInitializationMode",
        "event": "fmi2EnterContinuousTimeMode",
        "continuous": "fmi2Terminate",
        "stepping": "fmi2Terminate",
    }
    for name in order[order.index(phase) : -1]:
        if instance.kind == CO_SIMULATION and name == "continuous":
            continue
        instance.demand(steps[name])
    instance.demand("fmi2Reset")


def test_no_instance_is_no_crash(fmu):
    """NULL instead of an instance is an error; freeing NULL does nothing."""
    simple = {c_int: 0, ctypes.c_size_t: 0, c_double: 0.0, c_void_p: None, c_char_p: None}
    for function in set(FUNCTIONS) - {"fmi2GetTypesPlatform", "fmi2GetVersion", "fmi2Instantiate"}:
        result = getattr(fmu.library, function)(*[simple[kind] for kind in FUNCTIONS[function][1:]])
        assert result is None if function == "fmi2FreeInstance" else result == ERROR, function


def test_null_pointers_are_an_error(fmu, kind):
    """Each pointer of each function, alone and with all others; nothing changes."""
    d = fmu.description
    with fmu.started(kind) as instance:
        number, value, whole, flag, n = (
            instance.reference_array([d.inputs[0].reference]),
            reals([0.0]),
            integers([1]),
            c_int(),
            len(d.states),
        )
        state, bytes_, size, other = (
            instance.save(),
            ctypes.create_string_buffer(instance.snapshot()),
            ctypes.c_size_t(),
            c_void_p(),
        )
        calls = [
            (f"fmi2{verb}{of}", number, 1, value if of == "Real" else whole)
            for verb in ("Get", "Set")
            for of in ("Real", "Integer", "Boolean", "String")
        ]
        calls += [
            ("fmi2SetDebugLogging", 1, 1, None),
            (
                "fmi2GetDirectionalDerivative",
                instance.reference_array([d.outputs[0].reference]),
                1,
                number,
                1,
                value,
                value,
            ),
            ("fmi2GetFMUstate", byref(other)),
            ("fmi2SetFMUstate", state),
            ("fmi2SerializedFMUstateSize", state, byref(size)),
            ("fmi2SerializeFMUstate", state, bytes_, len(bytes_)),
            ("fmi2DeSerializeFMUstate", bytes_, len(bytes_) - 1, byref(other)),
        ]
        if kind == MODEL_EXCHANGE:
            calls += [("fmi2CompletedIntegratorStep", 1, byref(flag), byref(flag))]
            calls += (
                [("fmi2GetEventIndicators", reals([0.0] * d.indicators), d.indicators)]
                if d.indicators
                else []
            )
            calls += (
                [
                    (name, reals([0.0] * n), n)
                    for name in (
                        "fmi2GetDerivatives",
                        "fmi2GetContinuousStates",
                        "fmi2SetContinuousStates",
                        "fmi2GetNominalsOfContinuousStates",
                    )
                ]
                if n
                else []
            )
        else:
            calls += [
                (name, number, 1, whole, value)
                for name in ("fmi2SetRealInputDerivatives", "fmi2GetRealOutputDerivatives")
            ]
            calls += [
                (f"fmi2Get{of}Status", LAST_SUCCESSFUL_TIME, byref(value))
                for of in ("", "Real", "Integer", "Boolean", "String")
            ]
        before = instance.snapshot()
        for function, *arguments in calls:
            pointers = [i for i, argument in enumerate(arguments) if not isinstance(argument, int)]
            for nulls in [[i] for i in pointers] + [pointers]:
                without = [None if i in nulls else argument for i, argument in enumerate(arguments)]
                assert getattr(instance, function)(*without) == ERROR, (function, nulls)
                assert instance.snapshot() == before and other.value is None, (function, nulls)
        instance.drop(state)
        if kind == MODEL_EXCHANGE:
            instance.demand("fmi2EnterEventMode")
            assert instance.fmi2NewDiscreteStates(None) == ERROR
            instance.settle()


def test_wrong_vector_lengths_are_an_error(fmu):
    d = fmu.description
    with fmu.in_model_exchange() as instance:
        before = instance.snapshot()
        for function, right in (
            ("fmi2GetDerivatives", len(d.states)),
            ("fmi2GetContinuousStates", len(d.states)),
            ("fmi2SetContinuousStates", len(d.states)),
            ("fmi2GetNominalsOfContinuousStates", len(d.states)),
            ("fmi2GetEventIndicators", d.indicators),
        ):
            for wrong in (right + 1, right - 1, 10**9):
                if wrong >= 0:
                    assert getattr(instance, function)(reals([0.0] * (right + 1)), wrong) == ERROR
        assert instance.snapshot() == before


def test_completed_step_requests_nothing(fmu):
    with fmu.in_model_exchange() as instance:
        enter, terminate = c_int(-7), c_int(-7)
        assert instance.fmi2CompletedIntegratorStep(1, byref(enter), byref(terminate)) == OK
        assert (enter.value, terminate.value) == (0, 0)


# instantiation


def instantiate(
    fmu, name=b"element", kind=MODEL_EXCHANGE, guid=None, callbacks=True, host=None, resources=b""
):
    host = host or Host()
    guid = fmu.description.guid.encode() if guid is None else guid
    component = fmu.library.fmi2Instantiate(
        name, kind, guid or None, resources, byref(host.callbacks) if callbacks else None, 0, 0
    )
    return component, host


def test_a_wrong_guid_is_refused_with_a_message(fmu):
    for guid in (
        b"{00000000-0000-0000-0000-000000000000}",
        fmu.description.guid.encode()[:-1],
        b" ",
    ):
        component, host = instantiate(fmu, guid=guid)
        assert component is None and not host.live
        assert host.messages[-1].status == ERROR and "GUID" in host.messages[-1].text.upper()


def test_no_guid_no_name_no_callbacks_are_refused(fmu):
    assert (
        fmu.library.fmi2Instantiate(b"element", 0, None, None, byref(Host().callbacks), 0, 0)
        is None
    )
    for options in (
        {"callbacks": False},
        {"name": None},
        {"name": b""},
        {"host": Host(allocate=False)},
        {"host": Host(free=False)},
        {"kind": 7},
    ):
        component, host = instantiate(fmu, **options)
        assert component is None and not host.live
        if options.get("callbacks", True):
            assert host.messages and host.messages[-1].text


def test_a_missing_logger_is_no_crash(fmu, kind):
    with Instance(fmu, kind, host=Host(logger=False)) as instance:
        instance.start()
        assert instance.try_set(fmu.description.inputs[0].name, math.nan) == DISCARD
        assert instance.fmi2SetReal(instance.reference_array([10**6]), 1, reals([0.0])) == ERROR
    assert instantiate(fmu, guid=b"wrong", host=Host(logger=False))[0] is None


def test_nothing_is_read_beyond_the_end_of_a_name(fmu):
    """A name that ends at the end of the process's memory."""
    page = mmap.PAGESIZE
    room = mmap.mmap(-1, 2 * page)
    place = ctypes.addressof((ctypes.c_char * (2 * page)).from_buffer(room))
    libc = ctypes.CDLL(None)
    libc.mprotect.argtypes = (c_void_p, ctypes.c_size_t, c_int)
    name = b"element\0"
    room[page - len(name) : page] = name
    assert libc.mprotect(place + page, page, 0) == 0
    try:
        component, host = instantiate(fmu, name=ctypes.cast(place + page - len(name), c_char_p))
        assert component
        fmu.library.fmi2FreeInstance(component)
    finally:
        libc.mprotect(place + page, page, mmap.PROT_READ | mmap.PROT_WRITE)


def test_resources_may_be_missing(fmu):
    """Nothing is read from disk."""
    for location in (None, b"", b"file:///nowhere"):
        component, host = instantiate(fmu, resources=location)
        assert component
        fmu.library.fmi2FreeInstance(component)
        assert not host.live


def test_memory_that_runs_out_is_no_crash(fmu, kind):
    host = Host()
    host.exhausted = True
    component, _ = instantiate(fmu, kind=kind, host=host)
    assert component is None and host.messages
    with fmu.started(kind) as instance:
        content, state = instance.snapshot(), c_void_p()
        instance.host.exhausted = True
        assert instance.fmi2GetFMUstate(byref(state)) == ERROR
        assert instance.fmi2DeSerializeFMUstate(content, len(content), byref(state)) == ERROR
        assert state.value is None
        instance.host.exhausted = False
        assert instance.snapshot() == content


def test_memory_is_small_and_freed(fmu, kind):
    """At most two allocations and 1280 bytes per instance in model exchange, none during the
    run."""
    with fmu.instance(kind) as instance:
        if kind == MODEL_EXCHANGE:
            assert instance.host.allocations <= 2 and instance.host.bytes <= 1280
        count = instance.host.allocations
        sampler = Sampler(fmu.description, "memory")
        parameters = sampler.start(instance)
        for _ in range(50):
            instance.set(sampler.inputs(parameters))
            if kind == CO_SIMULATION:
                instance.step(1e-3)
            else:
                instance.states = sampler.states(parameters)
                instance.event()
        instance.demand("fmi2Terminate")
        assert instance.host.allocations == count
    assert not instance.host.live


def test_freeing_is_allowed_in_every_phase(fmu, kind):
    for phase in PHASES[kind]:
        with fmu.instance(kind) as instance:
            to_phase(instance, phase)


def test_versions(fmu):
    assert fmu.library.fmi2GetVersion() == b"2.0"
    assert fmu.library.fmi2GetTypesPlatform() == b"default"


# values


def test_everything_can_be_read_in_every_phase(fmu, kind):
    for phase in PHASES[kind]:
        with fmu.instance(kind) as instance:
            to_phase(instance, phase)
            for variable in fmu.description.variables:
                assert math.isfinite(instance.get(variable.name))


def test_unknown_value_references_are_an_error(fmu, kind):
    d = fmu.description
    used = {v.reference for v in d.variables}
    known = d.inputs[0].reference
    with fmu.started(kind) as instance:
        before = instance.snapshot()
        for wrong in (max(used) + 1, 10**6, 2**31, 2**32 - 1):
            numbers = instance.reference_array([known, wrong])
            assert instance.fmi2GetReal(numbers, 2, reals([0, 0])) == ERROR
            assert instance.fmi2SetReal(numbers, 2, reals([3.0, 0])) == ERROR, (
                "and the known one is not set either"
            )
            assert (
                instance.fmi2GetInteger(instance.reference_array([wrong]), 1, integers([0]))
                == ERROR
            )
            assert (
                instance.fmi2SetInteger(instance.reference_array([wrong]), 1, integers([0]))
                == ERROR
            )
            assert str(wrong) in instance.messages[-1].text
        for type_name in ("Boolean", "String"):
            for verb in ("Get", "Set"):
                value = integers([0]) if type_name == "Boolean" else (c_char_p * 1)()
                assert (
                    getattr(instance, f"fmi2{verb}{type_name}")(
                        instance.reference_array([known]), 1, value
                    )
                    == ERROR
                )
                assert getattr(instance, f"fmi2{verb}{type_name}")(None, 0, None) == OK
        assert instance.fmi2GetReal(None, 0, None) == OK
        assert instance.fmi2SetReal(None, 0, None) == OK
        assert instance.snapshot() == before


def test_types_are_not_mixed_up(fmu, kind):
    with fmu.instance(kind) as instance:
        for variable in fmu.description.variables:
            number = instance.reference_array([variable.reference])
            if variable.type == "Real":
                assert instance.fmi2GetInteger(number, 1, integers([0])) == ERROR
            else:
                assert instance.fmi2GetReal(number, 1, reals([0])) == ERROR


def test_what_the_model_computes_cannot_be_set(fmu, kind):
    d = fmu.description
    for phase in PHASES[kind]:
        with fmu.instance(kind) as instance:
            to_phase(instance, phase)
            before = instance.snapshot()
            tolerated = (
                d.states if phase in ("event", "continuous") else []
            )  # see test_importers.py
            for variable in [v for v in d.states + d.derivatives + d.outputs if v not in tolerated]:
                assert instance.try_set(variable.name, 1.0) == ERROR
                if phase != "terminated":
                    assert variable.name in instance.messages[-1].text
            for mode in d.modes:
                assert instance.try_set(mode.name, 1) == ERROR
            assert instance.snapshot() == before


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=str)
def test_nan_and_infinity_are_discarded(fmu, kind, value):
    """Not set, with a message that names the variable; the instance can continue."""
    d = fmu.description
    with fmu.instance(kind) as instance:
        for phase_parameters in (d.inputs + d.real_parameters, d.inputs):
            for variable in phase_parameters:
                before = instance.snapshot()
                assert instance.try_set(variable.name, value) == DISCARD
                assert (
                    instance.messages[-1].status == DISCARD
                    and variable.name in instance.messages[-1].text
                )
                assert instance.snapshot() == before
            if phase_parameters is not d.inputs:
                instance.start()
        good, bad = d.inputs[0], d.inputs[-1]
        before = instance.get(good.name)
        status = instance.fmi2SetReal(
            instance.reference_array([good.reference, bad.reference]), 2, reals([before + 1, value])
        )
        assert status == DISCARD and instance.get(good.name) == before, (
            "a set that is refused in part is refused as a whole"
        )
        if kind == MODEL_EXCHANGE:
            before, n = instance.snapshot(), len(d.states)
            if n:
                assert instance.fmi2SetContinuousStates(reals([value] * n), n) == DISCARD
            assert instance.fmi2SetTime(value) in (DISCARD, ERROR)
            assert instance.snapshot() == before
            instance.event()
        else:
            before = instance.snapshot()
            number = instance.reference_array([bad.reference])
            assert (
                instance.fmi2SetRealInputDerivatives(number, 1, integers([1]), reals([value]))
                == DISCARD
            )
            assert instance.snapshot() == before
            for point, size in ((value, 1e-3), (0.0, value)):
                assert instance.fmi2DoStep(point, size, 1) in (ERROR, DISCARD)
            assert instance.snapshot() == before
            instance.step(1e-3)


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_any_finite_input_is_accepted(all_fmus, value):
    for fmu in all_fmus:
        with fmu.in_co_simulation() as instance:
            for variable in fmu.description.inputs:
                instance.set({variable.name: value})
                assert instance.get(variable.name) == value


# parameters


def out_of_rule(variable):
    """Yields values that break a rule of the XML."""
    if variable.min is not None:
        yield variable.min - 1.0, variable.min
    if variable.max is not None:
        yield variable.max + 1.0, variable.max


def names_the_rule(text, variable, value, bound):
    found = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:[eE][+-]?\d+)?", text)]
    assert variable.name in text, text
    assert any(math.isclose(number, value, rel_tol=1e-4) for number in found), text
    assert any(math.isclose(number, bound, rel_tol=1e-4, abs_tol=1e-300) for number in found), text


def test_parameters_out_of_their_rule_stop_the_initialization(fmu, kind):
    """Not when they are set (the other parameter of the rule may follow), but when they take
    effect; then they can be corrected."""
    with fmu.instance(kind) as instance:
        for variable in fmu.description.real_parameters:
            for value, bound in out_of_rule(variable):
                to_phase(instance, "initialization")
                assert instance.try_set(variable.name, value) == OK
                assert instance.fmi2ExitInitializationMode() == ERROR
                assert instance.messages[-1].status == ERROR
                names_the_rule(instance.messages[-1].text, variable, value, bound)
                instance.set({variable.name: variable.start})
                instance.demand("fmi2ExitInitializationMode")
                instance.demand("fmi2Reset")


def test_parameters_with_a_rule_have_it_in_the_xml(fmu):
    """A single parameter that is refused far from its start has a min or max, or a rule with a
    parameter that the message names."""
    d = fmu.description
    with fmu.model_exchange() as instance:
        for variable in d.real_parameters:
            size = abs(variable.start) or 1.0
            for value in (-size, 0.0, 1e-9 * size, 1e9 * size):
                to_phase(instance, "initialization")
                instance.set({variable.name: value})
                status = instance.fmi2ExitInitializationMode()
                assert status in (OK, ERROR)
                if status == ERROR:
                    text = instance.messages[-1].text
                    partner = any(v.name in text for v in d.parameters if v is not variable)
                    outside = (variable.min is not None and value <= variable.min) or (
                        variable.max is not None and value >= variable.max
                    )
                    assert partner or (outside and variable.name in text), text
                instance.demand("fmi2Reset")


def test_options_out_of_range_are_refused(fmu, kind):
    d = fmu.description
    with fmu.instance(kind) as instance:
        for variable in d.options + d.counts:
            for value in (0, -1, len(variable.values) + 1):
                assert instance.try_set(variable.name, value) == ERROR
                assert variable.name in instance.messages[-1].text
                assert instance.get(variable.name) == variable.start


def test_a_tunable_parameter_out_of_its_rule_stops_the_next_event_or_step(fmu, kind):
    with fmu.started(kind) as instance:
        for variable in fmu.description.tunable_parameters:
            for value, bound in out_of_rule(variable):
                if kind == MODEL_EXCHANGE:
                    instance.demand("fmi2EnterEventMode")
                instance.set({variable.name: value})
                said, modes = len(instance.messages), instance.modes()
                if kind == MODEL_EXCHANGE:
                    info = EventInfo.dirty()
                    assert instance.fmi2NewDiscreteStates(byref(info)) == ERROR
                else:
                    assert instance.fmi2DoStep(instance.time, 1e-3, 1) == ERROR
                    assert instance.last_time == instance.time
                assert len(instance.messages) == said + 1
                names_the_rule(instance.messages[-1].text, variable, value, bound)
                assert instance.modes() == modes
                instance.set({variable.name: variable.start})
                if kind == MODEL_EXCHANGE:
                    instance.settle()
                    instance.demand("fmi2EnterContinuousTimeMode")
                else:
                    instance.step(1e-3)


def test_a_tunable_parameter_takes_effect_at_once(fmu, kind):
    """Changed at an event or between steps, the model equals one with the value from the start, in
    the same state."""
    d = fmu.description
    tunable = [v.name for v in d.tunable_parameters]
    sampler = Sampler(d, "tunable")
    for _ in range(5):
        with fmu.instance(kind) as one, fmu.instance(kind) as two:
            parameters = sampler.start(one)
            inputs = {v.name: one.get(v.name) for v in d.inputs}
            others = {name: value for name, value in parameters.items() if name not in tunable}
            two.start({**others, **inputs})
            if kind == MODEL_EXCHANGE:
                two.demand("fmi2EnterEventMode")
            two.set({name: parameters[name] for name in tunable})
            if kind == MODEL_EXCHANGE:
                two.settle()
                two.demand("fmi2EnterContinuousTimeMode")
                two.states = one.states
                one.event(), two.event()
            if one.modes() == two.modes() and not d.modes:
                for v in d.outputs + d.derivatives:
                    assert two.get(v.name) == one.get(v.name)


def test_initial_values_and_options_hold_once_the_run_has_begun(fmu, kind):
    held = fmu.description.initial_values + fmu.description.options + fmu.description.counts
    with fmu.started(kind) as instance:
        if kind == CO_SIMULATION:
            instance.step(1e-3)
        else:
            instance.demand("fmi2EnterEventMode")
        before = instance.snapshot()
        for variable in held:
            other = variable.start + 1e-3 if variable.type == "Real" else 3 - min(variable.start, 2)
            assert instance.try_set(variable.name, other) == ERROR
            assert variable.name in instance.messages[-1].text
        assert instance.snapshot() == before
        for variable in held:
            assert instance.try_set(variable.name, variable.start) == OK, (
                "setting the current value is no change"
            )


def test_a_parameter_set_in_continuous_time_has_to_keep_its_rules(fmu):
    """There it takes effect with the next evaluation; the instance continues once it is corrected.
    The mode cannot be entered with one that breaks a rule."""
    d = fmu.description
    limited = [v for v in d.tunable_parameters if v.min is not None]
    with fmu.in_model_exchange() as instance:
        before = instance.snapshot()
        for variable in d.initial_values:
            assert instance.try_set(variable.name, (variable.start or 1.0) * 1.01) == ERROR
        assert instance.snapshot() == before
        for variable in limited:
            before = instance.snapshot()
            assert instance.try_set(variable.name, variable.min - 1) == OK
            output = instance.reference_array([d.outputs[0].reference])
            assert instance.fmi2GetReal(output, 1, reals([0])) == ERROR
            assert variable.name in instance.messages[-1].text
            assert instance.try_set(variable.name, variable.start) == OK
            assert instance.fmi2GetReal(output, 1, reals([0])) == OK
            assert instance.snapshot() == before
    assert limited
    with fmu.model_exchange() as instance:
        instance.initialize()
        instance.settle()
        for variable in limited:
            assert instance.try_set(variable.name, variable.min - 1) == OK
            assert (
                instance.fmi2EnterContinuousTimeMode() == ERROR
                and variable.name in instance.messages[-1].text
            )
            assert instance.try_set(variable.name, variable.start) == OK
        instance.demand("fmi2EnterContinuousTimeMode")


# messages


def test_messages_are_plain_text_in_declared_categories(fmu, kind):
    declared = {e.get("name") for e in fmu.description.root.findall("LogCategories/Category")}
    with fmu.instance(kind, name="100% element", logging=True) as instance:
        instance.try_set(fmu.description.inputs[0].name, math.nan)
        instance.fmi2SetReal(instance.reference_array([10**6]), 1, reals([0.0]))
        instance.fmi2DoStep(1.0, 1.0, 1)
        instance.start()
        if kind == MODEL_EXCHANGE:
            for normal in (-1.0, 1.0):
                instance.set({v.name: normal for v in fmu.description.inputs})
                instance.event()
        assert len(instance.messages) >= 3
        for message in instance.messages:
            assert (
                message.instance == "100% element"
                and message.environment == instance.host.callbacks.componentEnvironment
            )
            assert message.category in declared
            assert message.text and "%" not in message.text and "\n" not in message.text
    component, host = instantiate(fmu, name=b"100% element", guid=b"%s%s%n")
    assert component is None and "%" not in host.messages[-1].text
    assert (
        host.messages[-1].instance == "100% element"
        and host.messages[-1].environment == host.callbacks.componentEnvironment
    )


def test_a_run_is_quiet(fmu, kind):
    """OpenModelica switches logging on for everyone: a normal run logs nothing."""
    with fmu.instance(kind, logging=True) as instance:
        sampler = Sampler(fmu.description, "quiet")
        parameters = {v.name: v.start for v in fmu.description.parameters}
        instance.start(sampler.inputs(parameters))
        for _ in range(100):
            if kind == CO_SIMULATION:
                instance.step(1e-4)
            else:
                instance.set_time(instance.time + 1e-4)
                instance.states = [
                    x + 1e-4 * dx for x, dx in zip(instance.states, instance.derivatives)
                ]
                instance.demand("fmi2CompletedIntegratorStep", 1, byref(c_int()), byref(c_int()))
        assert [
            message for message in instance.messages if "law = 2 (Bounded)" not in message.text
        ] == []


def test_logging_shows_warnings_and_categories_show_all_else(fmu, kind):
    """A load that is never set is a warning; touch-down is an event, and a parameter set in the run
    is a tolerated call."""
    parameter = fmu.description.tunable_parameters[0]
    touching = {"normalForce": 1.0} if fmu.description.takes("normalForce") else {}
    for categories, shown in (
        (None, {"has never been set"}),
        ((b"logStatusWarning",), {"has never been set", "was set after"}),
        ((b"logEvents",), {"goes from"}),
        ((b"logAll",), {"has never been set", "was set after", "goes from"}),
    ):
        with fmu.instance(kind, logging=True) as instance:
            if categories:
                instance.demand(
                    "fmi2SetDebugLogging",
                    1,
                    len(categories),
                    (c_char_p * len(categories))(*categories),
                )
            instance.start({name: -1.0 for name in touching})
            instance.set({parameter.name: parameter.start * 1.01, **touching})
            if kind == CO_SIMULATION:
                instance.step(1e-3)
            else:
                instance.demand("fmi2EnterEventMode")
                instance.settle()
            texts = " ".join(m.text for m in instance.messages)
            assert {
                part
                for part in ("has never been set", "was set after", "goes from")
                if part in texts
            } <= shown, categories
            if "was set after" in shown:
                assert "was set after" in texts


def test_debug_categories_can_be_chosen(fmu, kind):
    names = [e.get("name") for e in fmu.description.root.findall("LogCategories/Category")]
    with fmu.instance(kind) as instance:
        for name in names:
            assert instance.fmi2SetDebugLogging(1, 1, (c_char_p * 1)(name.encode())) == OK
        assert instance.fmi2SetDebugLogging(1, 0, None) == OK
        assert instance.fmi2SetDebugLogging(0, 0, None) == OK
        assert instance.fmi2SetDebugLogging(1, 1, (c_char_p * 1)(b"logNothing")) == ERROR
        assert "logNothing" in instance.messages[-1].text


def test_errors_are_reported_even_when_logging_is_off(fmu, kind):
    with fmu.instance(kind, logging=False) as instance:
        instance.fmi2SetDebugLogging(0, 0, None)
        assert instance.fmi2SetReal(instance.reference_array([10**6]), 1, reals([0.0])) == ERROR
        assert instance.messages


# experiment


@pytest.mark.parametrize(
    "experiment",
    [
        (1, -1.0, 0.0, 0, 0.0),
        (1, math.nan, 0.0, 0, 0.0),
        (0, 0.0, math.nan, 0, 0.0),
        (0, 0.0, math.inf, 0, 0.0),
        (0, 0.0, 1.0, 1, 0.5),
    ],
)
def test_an_impossible_experiment_is_refused(fmu, kind, experiment):
    with fmu.instance(kind) as instance:
        assert instance.fmi2SetupExperiment(*experiment) == ERROR
        assert instance.messages[-1].text
        instance.start()


def test_an_experiment_need_not_be_set_up(fmu, kind):
    with fmu.instance(kind) as instance:
        instance.demand("fmi2EnterInitializationMode")
        instance.demand("fmi2ExitInitializationMode")
        if kind == CO_SIMULATION:
            instance.step(1e-3)


def test_a_tolerance_that_is_not_defined_does_not_count(fmu, kind):
    """Nor does one of 0, which some importers pass; a defined one is kept."""

    def bytes_after(defined, tolerance):
        with fmu.instance(kind) as instance:
            instance.demand("fmi2SetupExperiment", defined, tolerance, 0.0, 0, 0.0)
            return instance.snapshot()

    assert (
        bytes_after(0, 1e-2) == bytes_after(1, 0.0) == bytes_after(0, 0.0) != bytes_after(1, 1e-2)
    )


def test_status_functions_return_what_they_know(fmu):
    with fmu.in_co_simulation(time=3.0) as instance:
        instance.step(0.5)
        known = {
            ("", DO_STEP_STATUS): OK,
            ("Real", LAST_SUCCESSFUL_TIME): 3.5,
            ("Boolean", TERMINATED): 0,
            ("String", PENDING_STATUS): b"",
        }
        for name, value in (
            ("", c_int(7)),
            ("Real", c_double(7)),
            ("Integer", c_int(7)),
            ("Boolean", c_int(7)),
            ("String", c_char_p(b"7")),
        ):
            for kind in (DO_STEP_STATUS, PENDING_STATUS, LAST_SUCCESSFUL_TIME, TERMINATED):
                before = value.value
                status = getattr(instance, f"fmi2Get{name}Status")(kind, byref(value))
                assert status == (OK if (name, kind) in known else DISCARD), (name, kind)
                assert value.value == known.get((name, kind), before), (name, kind)
        status = c_int()
        assert instance.fmi2DoStep(3.5, -1.0, 1) in (ERROR, DISCARD)
        assert instance.fmi2GetStatus(DO_STEP_STATUS, byref(status)) == OK and status.value in (
            ERROR,
            DISCARD,
        )
        assert instance.fmi2CancelStep() == ERROR


# the process


class Environment:
    """The state of the process: working directory, locale, floating-point mode, streams, signal
    handlers."""

    libm = ctypes.CDLL("libm.so.6")

    @classmethod
    def now(cls):
        return (
            os.getcwd(),
            locale.setlocale(locale.LC_ALL),
            cls.libm.fegetround(),
            cls.libm.fegetexcept(),
            dict(os.environ),
            signal.getsignal(signal.SIGFPE),
            os.umask(os.umask(0o22)),
            len(os.listdir("/proc/self/fd")),
        )


def test_the_process_is_left_unchanged(fmu, kind, capfd):
    def whole_life():
        with fmu.instance(kind) as instance:
            sampler = Sampler(fmu.description, "process")
            parameters = sampler.start(instance)
            for _ in range(10):
                instance.set(sampler.inputs(parameters))
                if kind == CO_SIMULATION:
                    instance.step(1e-2)
                else:
                    instance.event()
            instance.try_set(fmu.description.inputs[0].name, math.nan)
            instance.snapshot()
            instance.demand("fmi2Terminate")

    whole_life()
    before = Environment.now()
    whole_life()
    assert Environment.now() == before
    upward = 0x800
    Environment.libm.fesetround(upward)
    try:
        whole_life()
        assert Environment.libm.fegetround() == upward
    finally:
        Environment.libm.fesetround(0)
    assert capfd.readouterr() == ("", "")
