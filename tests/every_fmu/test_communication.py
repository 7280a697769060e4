"""What a master may do between two steps, and an importer before the first, in any order."""

import pytest

from fmi2 import OK
from build_cache import compiled
from operating_points import Sampler

MODES = pytest.mark.fmus(lambda d: bool(d.modes))
STATES = pytest.mark.fmus(lambda d: bool(d.states))
HELD = pytest.mark.fmus(
    lambda d: any(v.name == "stictionDeflection" for v in d.states) and "externalForce" not in d
)


def after_a_step(fmu, seed, count):
    """Yields instances after their first step in co-simulation, with random parameters, each with
    the next inputs."""
    sampler = Sampler(fmu.description, seed)
    for _ in range(count):
        with fmu.co_simulation() as instance:
            parameters = sampler.start(instance)
            instance.step(1e-3)
            yield instance, sampler.inputs(parameters)


@MODES
def test_outputs_show_the_mode_that_new_inputs_make(fmu):
    """A master reads outputs right after setting inputs; a step of negligible length gives the
    same."""
    d = fmu.description
    for instance, inputs in after_a_step(fmu, "between steps", 40):
        instance.set(inputs)
        read = {v.name: instance.get(v.name) for v in d.outputs}
        modes = instance.modes()
        instance.step(1e-13)
        assert instance.modes() == modes
        for v in d.outputs:
            assert instance.get(v.name) == pytest.approx(
                read[v.name], rel=1e-6, abs=1e-6 * (v.nominal or 1)
            ), v.name


@MODES
def test_inputs_that_are_set_back_leave_no_trace(fmu):
    d = fmu.description
    for instance, inputs in after_a_step(fmu, "set back", 20):
        here = {v.name: instance.get(v.name) for v in d.inputs}
        before = instance.modes(), [instance.get(v.name) for v in d.states + d.outputs]
        instance.set(inputs)
        instance.modes(), [instance.get(v.name) for v in d.outputs]
        instance.set(here)
        assert (instance.modes(), [instance.get(v.name) for v in d.states + d.outputs]) == before


def test_value_and_derivative_of_an_input_may_come_in_any_order(fmu):
    d = fmu.description
    name = d.inputs[0].name
    ends = []
    for value_first in (True, False):
        with fmu.in_co_simulation() as instance:
            if value_first:
                instance.set({name: 3.0})
                instance.set_input_derivative(name, 2.0)
            else:
                instance.set_input_derivative(name, 2.0)
                instance.set({name: 3.0})
            instance.step(0.25)
            ends.append(instance.get(name))
    assert ends == [3.5, 3.5]


def test_a_tolerance_of_zero_is_none(fmu, kind):
    with fmu.instance(kind) as instance:
        assert instance.fmi2SetupExperiment(1, 0.0, 0.0, 0, 0.0) == OK


@STATES
def test_states_set_by_an_importer_survive_its_parameters(fmu):
    """In the first event mode: states, then a parameter that is not their start value."""
    d = fmu.description
    given = [0.25 * v.nominal for v in d.states]
    parameter = next(v for v in d.real_parameters if not v.name.endswith("Start") and v.start)
    with fmu.model_exchange() as instance:
        instance.initialize()
        instance.states = given
        instance.set({parameter.name: parameter.start * 1.0001})
        assert list(instance.states) == given


@HELD
def test_a_long_step_does_not_run_over_the_limit_of_a_deflection(fmu):
    """The velocity reverses after the deflection has reached its limit: one step and two hundred
    end alike."""
    ends = []
    for steps in (1, 200):
        with fmu.co_simulation() as instance:
            instance.start({"normalForce": 10.0, "relativeVelocity": 7.658e-5}, tolerance=1e-7)
            instance.set_input_derivative("relativeVelocity", -2.774e-4)
            for _ in range(steps):
                instance.step(0.5297 / steps)
            ends.append(instance.get("stictionDeflection"))
    assert ends[0] == pytest.approx(
        ends[1], abs=1e-3 * fmu.description["stictionDeflection"].nominal
    )


@pytest.mark.shipped
def test_sources_need_no_include_path(fmu):
    compiled(
        f"alone/{fmu.name}",
        {"sources": fmu.folder / "sources"},
        ("gcc", "-std=c99", "-fsyntax-only", "{sources}/fmu.c"),
    )
