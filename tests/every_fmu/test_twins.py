"""Rotational twins, tested by their relation to their models: v = r ω, F_ext = T_ext/r, T = r F.

A twin has the C of its model, so with the same products of radius and angular velocity the law gets
the same numbers, and the results are the same bit for bit, but for input and directional
derivatives, which agree up to rounding.
"""

import random
import tomllib
from dataclasses import replace

import pytest
from fmpy.validation import validate_fmu

from fixed_step import NORMAL, element, limit_of
from fmus import FMUS, REPOSITORY, TWINS
from fmi2 import CO_SIMULATION, ERROR, MODEL_EXCHANGE, FmiError
from operating_points import Sampler

import bristle

TWIN = tomllib.loads(
    (REPOSITORY / "modelDescription" / "twins" / "Rotational.toml").read_text(encoding="utf-8")
)
RENAMED = {name: entry["name"] for name, entry in TWIN["replace"].items()}
BACK = {new: old for old, new in RENAMED.items()}
POWER = {name: entry["power"] for name, entry in TWIN["replace"].items()}
SCALED = {name for name, power in POWER.items() if power}
RADIUS = 0.037  # not a power of two, so that a missing or doubled factor changes every bit


@pytest.mark.shipped
@pytest.mark.collection
@pytest.mark.platforms
def test_every_translational_element_has_a_twin():
    translational = {
        fmu.name
        for fmu in FMUS
        if fmu.description.takes("normalForce", "relativeVelocity")
        and "relativeVelocity" in fmu.description
    }
    assert {model.name for _, model in TWINS} == translational and translational


def test_a_twin_is_valid_and_has_the_variables_of_its_model(twin, model):
    assert validate_fmu(str(twin.path)) == []
    names = [v.name for v in twin.description.variables]
    wanted = [RENAMED.get(v.name, v.name) for v in model.description.variables]
    assert [name for name in names if name != "frictionRadius"] == wanted
    for variable in model.description.variables:
        other = twin.description[RENAMED.get(variable.name, variable.name)]
        assert (other.causality, other.variability, other.type) == (
            variable.causality,
            variable.variability,
            variable.type,
        )
        if variable.name not in RENAMED:
            assert {
                key: value for key, value in other.attributes.items() if key != "derivative"
            } == {
                key: value for key, value in variable.attributes.items() if key != "derivative"
            }, variable.name


def test_tools_know_a_twin_by_its_model_and_its_own_names(twin, model):
    """The facts are those of the model, with the names of the twin and its radius."""
    facts, of = bristle.describe(twin.path).facts, bristle.describe(model.path).facts
    assert facts.law == of.law == model.name and facts.law + facts.twin == twin.name
    roles = {role: RENAMED.get(name, name) for role, name in of.roles.items()}
    assert facts.roles == roles | {"radius": "frictionRadius"}
    own = {
        "twin": facts.twin,
        "roles": facts.roles,
        "summary": facts.summary,
        "equations": facts.equations,
    }
    assert facts == replace(of, **own)


def test_dependencies_are_those_of_the_model_and_of_the_radius(twin, model):
    """The radius acts on what depends on a scaled input, and on the torque."""
    for kind in ("Outputs", "Derivatives", "InitialUnknowns"):
        found = {
            twin.description.variables[u.index - 1].name: {
                twin.description.variables[i - 1].name for i in u.dependencies
            }
            for u in twin.description.structure[kind]
        }
        wanted = {}
        for unknown in model.description.structure[kind]:
            name = model.description.variables[unknown.index - 1].name
            knowns = {model.description.variables[i - 1].name for i in unknown.dependencies}
            radius = kind == "InitialUnknowns" and (knowns & SCALED or (knowns and name in SCALED))
            wanted[RENAMED.get(name, name)] = {RENAMED.get(known, known) for known in knowns} | (
                {"frictionRadius"} if radius else set()
            )
        # if modes are computed by code that is not followed, everything at the start depends on
        # every parameter
        for name in wanted:
            assert found[name] | {"frictionRadius"} == wanted[name] | {"frictionRadius"}, name
            assert ("frictionRadius" in found[name]) >= ("frictionRadius" in wanted[name]), name


def turned(inputs):
    """Returns inputs of a twin for which the law gets nearly these inputs, and the model's inputs
    for exactly the same."""
    given, seen = {}, {}
    for name, value in inputs.items():
        power = POWER.get(name, 0)
        given[RENAMED.get(name, name)] = (
            value / RADIUS if power == 1 else value * RADIUS if power == -1 else value
        )
        seen[name] = (
            RADIUS * given[RENAMED[name]]
            if power == 1
            else given[RENAMED[name]] / RADIUS
            if power == -1
            else value
        )
    return given, seen


def expected(model, name):
    """Returns the value of a variable of the twin, from the model."""
    value = model.get(BACK.get(name, name))
    return RADIUS * value if POWER.get(BACK.get(name)) == 1 else value


def renamed(parameters):
    return {RENAMED.get(name, name): value for name, value in parameters.items()}


def watched(description):
    return [v.name for v in description.states + description.derivatives + description.outputs]


def test_evaluation_is_the_models_bit_for_bit(twin, model):
    d = model.description
    for instance, parameters in Sampler(d, "twin").points(model, 6, 12):
        given, seen = turned({v.name: instance.get(v.name) for v in d.inputs})
        with model.model_exchange() as a, twin.model_exchange() as b:
            a.start(parameters | seen)
            b.start(renamed(parameters) | given | {"frictionRadius": RADIUS})
            if d.states:
                a.states = b.states = instance.states
                a.event(), b.event()
            assert b.modes() == a.modes() and b.indicators == a.indicators
            for name in watched(twin.description):
                assert b.get(name) == expected(a, name), name


def test_directional_derivatives_are_the_models_with_the_radius(twin, model):
    """dT/dω = r dF/dv r, and the radius itself as a direction: v = r ω moves with ω, F_ext =
    T_ext/r with −T_ext/r²; to rounding."""
    d, t = model.description, twin.description
    unknowns = [v.name for v in d.derivatives + d.select("output", "Real")]
    for instance, parameters in Sampler(d, "twin slopes").points(model, 3, 6):
        given, seen = turned({v.name: instance.get(v.name) for v in d.inputs})
        with model.model_exchange() as a, twin.model_exchange() as b:
            a.start(parameters | seen)
            b.start(renamed(parameters) | given | {"frictionRadius": RADIUS})
            if d.states:
                a.states = b.states = instance.states

            def slopes(element, description, names, seeds):
                return element.slopes(
                    [description[n].reference for n in names],
                    [description[n].reference for n in seeds],
                    list(seeds.values()),
                )

            new = [RENAMED.get(name, name) for name in unknowns]
            for known in [
                v.name for v in d.inputs + d.states + d.real_parameters if v not in d.initial_values
            ]:
                factor = RADIUS ** POWER.get(known, 0)
                one = slopes(a, d, unknowns, {known: factor})
                other = slopes(b, t, new, {RENAMED.get(known, known): 1.0})
                for name, x, y in zip(unknowns, one, other):
                    wanted = RADIUS * x if name == "frictionForce" else x
                    assert y == pytest.approx(wanted, rel=1e-9, abs=1e-9 * abs(wanted) + 1e-300), (
                        name,
                        known,
                    )
            moved = {
                name: (
                    given[RENAMED[name]] if POWER[name] == 1 else -given[RENAMED[name]] / RADIUS**2
                )
                for name in SCALED
                if name in seen
            }
            along = slopes(a, d, unknowns, moved)
            for name, x, y in zip(unknowns, along, slopes(b, t, new, {"frictionRadius": 1.0})):
                wanted = RADIUS * x + a.get("frictionForce") if name == "frictionForce" else x
                size = (
                    abs(RADIUS * x) + abs(a.get("frictionForce"))
                    if name == "frictionForce"
                    else abs(x)
                )
                assert y == pytest.approx(wanted, rel=1e-9, abs=1e-9 * size + 1e-300), name


def motion(model, draw, count):
    """Draws inputs of `count` steps: speeds that reverse, loads, a contact that opens and
    closes."""
    for i in range(count):
        inputs = {
            "normalForce": draw.choice([9.81, 9.81, 3.0, -1.0]),
            "relativeVelocity": draw.uniform(-1, 1) * 10 ** draw.uniform(-5, -1),
        }
        if "externalForce" in model.description:
            inputs["externalForce"] = draw.uniform(-8, 8)
        yield 10 ** draw.uniform(-4, -2), inputs


def test_co_simulation_and_rollback_are_the_models_bit_for_bit(twin, model):
    draw = random.Random(twin.name)
    with model.co_simulation() as a, twin.co_simulation() as b:
        a.start()
        b.start({"frictionRadius": RADIUS})
        stored = None
        for i, (step, inputs) in enumerate(motion(model, draw, 40)):
            given, seen = turned(inputs)
            a.set(seen)
            b.set(given)
            if i == 20:
                stored = (a.snapshot(), b.snapshot(), a.time)
            a.step(step)
            b.step(step)
            assert b.modes() == a.modes()
            for name in watched(twin.description):
                assert b.get(name) == expected(a, name), (name, i)
        end = b.snapshot()
        b.resume(stored[1])
        b.time = stored[2]
        again = random.Random(twin.name)
        for i, (step, inputs) in enumerate(motion(model, again, 40)):
            if i >= 20:
                b.set(turned(inputs)[0])
                b.step(step)
        assert b.snapshot() == end


def test_moving_inputs_act_as_in_the_model(twin, model):
    """A ramp of the angular velocity: rounding of r (ω + t dω/dt) against v + t dv/dt, amplified by
    a stiff bristle; 1e-7 is well below the tolerance of the step, 1e-6."""
    with model.co_simulation() as a, twin.co_simulation() as b:
        a.start({"normalForce": 9.81}, tolerance=1e-6)
        b.start({"normalForce": 9.81, "frictionRadius": RADIUS}, tolerance=1e-6)
        velocity, rate = -0.02, 0.4
        for _ in range(10):
            a.set({"relativeVelocity": velocity})
            b.set({"relativeAngularVelocity": velocity / RADIUS})
            a.set_input_derivative("relativeVelocity", rate)
            b.set_input_derivative("relativeAngularVelocity", rate / RADIUS)
            a.step(0.01)
            b.step(0.01)
            velocity += 0.01 * rate
            assert b.get("frictionTorque") == pytest.approx(
                RADIUS * a.get("frictionForce"), rel=1e-7, abs=1e-7 * RADIUS * 6
            )


@pytest.mark.parametrize("kind", [MODEL_EXCHANGE, CO_SIMULATION], ids=["ME", "CS"])
def test_a_radius_that_is_not_positive_is_refused_in_a_sentence(twin, model, kind):
    with twin.instance(kind) as instance, pytest.raises(FmiError) as refused:
        instance.start({"frictionRadius": 0.0})
    assert refused.value.status == ERROR
    assert refused.value.messages[-1].text.startswith("frictionRadius = 0 must be ")


def test_with_its_inertia_a_twin_moves_a_body_as_its_model_does(twin, model):
    """A load that jumps to 1.01 of the limit, in steps of 1 ms: only the law and its radius set
    scales. With a radius that is a power of two everything is the same bit for bit without states.
    With states the pivots of the solver differ, and rounding grows where a bristle yields: to
    3.4e-5 in Leuven, below the tolerance of the loop, 1e-4."""
    radius = 0.125
    load = 1.01 * limit_of(model)
    with (
        element(model, 1.0, normalForce=NORMAL) as a,
        twin.co_simulation() as b,
    ):
        b.initialize({"couplingInertia": radius**2, "frictionRadius": radius})
        b.set({"normalForce": NORMAL})
        velocity = 0.0
        for n in range(100):
            a.set({"relativeVelocity": velocity})
            b.set({"relativeAngularVelocity": velocity / radius})
            a.step(1e-3, time=n * 1e-3)
            b.step(1e-3, time=n * 1e-3)
            assert b.get("frictionTorque") / radius == pytest.approx(
                a.get("frictionForce"), rel=1e-4 if model.description.states else 0, abs=0
            ), n
            velocity += 1e-3 * (load - a.get("frictionForce"))
