"""Friction elements in space: nothing depends on the frame of reference, and friction stays in the
plane."""

import math

import numpy as np
import pytest

from fmi2 import DISCARD, FmiError
from operating_points import Sampler
from vectors import random_rotation, read, spread, vectors

SPATIAL = pytest.mark.fmus(lambda d: d.takes("contactNormal[1]"))
BRISTLED = pytest.mark.fmus(lambda d: d.takes("contactNormal[1]") and bool(d.states))
GIVEN_LOAD = pytest.mark.fmus(lambda d: d.takes("contactNormal[1]", "normalForce"))

IN_CONTACT = {"normalForce": 10.0, "pointPosition[3]": -3e-7}


def in_contact(description):
    """Returns inputs that press the surfaces together, for either kind of element."""
    return {name: value for name, value in IN_CONTACT.items() if description.takes(name)}


def rotated(values, rotation):
    """Returns values with every array of three rotated."""
    result = dict(values)
    for base in {
        name[:-3] for name in values if name.endswith("[1]") and f"{name[:-3]}[3]" in values
    }:
        result.update(spread(**{base: rotation @ [values[f"{base}[{i}]"] for i in (1, 2, 3)]}))
    return result


def at(instance, inputs, states):
    instance.set(inputs)
    instance.states = states
    instance.event()


@SPATIAL
def test_turning_the_inputs_turns_the_outputs(fmu):
    d = fmu.description
    sampler = Sampler(d, "isotropy")
    bases = vectors(d, d.outputs) + [f"der({base})" for base in vectors(d, d.states)]
    scalars = [v.name for v in d.outputs if not v.base]
    checked = 0
    with fmu.model_exchange() as one, fmu.model_exchange() as two:
        for _ in range(15):
            parameters = sampler.start(one)
            rotation = random_rotation(sampler.random)
            two.start(rotated(parameters, rotation))
            for _ in range(20):
                inputs, states = sampler.inputs(parameters), np.array(sampler.states(parameters))
                try:
                    at(one, inputs, list(states))
                    at(
                        two,
                        rotated(inputs, rotation),
                        [float(x) for x in rotation @ states] if len(states) else [],
                    )
                except FmiError as refusal:
                    assert refusal.status == DISCARD
                    continue
                # a penetration is the difference of positions: rounding of their digits
                lengths = [
                    abs(value)
                    for name, value in inputs.items()
                    if name.startswith(("pointPosition", "planePoint"))
                ]
                depth = one.get("penetration") if lengths else 1.0
                if lengths and depth < 1e-2 * max(lengths):
                    continue
                for base in bases:
                    here, there = rotation @ read(one, base), read(two, base)
                    assert there == pytest.approx(
                        here, rel=1e-9, abs=1e-9 * np.linalg.norm(here) + 1e-15
                    ), base
                for name in scalars:
                    size = max(abs(one.get(name)), d[name].nominal or 0)
                    assert two.get(name) == pytest.approx(
                        one.get(name), rel=1e-9, abs=1e-10 * size
                    ), name
                checked += 1
            one.demand("fmi2Reset")
            two.demand("fmi2Reset")
    assert checked > 50


@SPATIAL
def test_friction_is_in_the_plane_to_rounding(fmu):
    sampler = Sampler(fmu.description, "plane")
    for instance, _ in sampler.points(fmu, 15, 20):
        force, velocity, n = (
            read(instance, base) for base in ("frictionForce", "slidingVelocity", "contactNormal")
        )
        size = np.linalg.norm(force)
        # spring and damper cancel, and may be larger than their sum
        if "bristleDeflection[1]" in fmu.description and size:
            normal = instance.get("normalForce")
            stiffness, damping = instance.get("bristleStiffness"), instance.get("bristleDamping")
            rates = np.linalg.norm(read(instance, "der(bristleDeflection)")) + np.linalg.norm(
                read(instance, "relativeVelocity")
            )
            size += normal * (
                stiffness * np.linalg.norm(read(instance, "bristleDeflection")) + damping * rates
            )
        assert abs(force @ n) <= 1e-14 * size
        assert abs(velocity @ n) <= 1e-13 * max(
            np.linalg.norm(read(instance, "relativeVelocity")), np.linalg.norm(velocity)
        )
        assert instance.get("frictionForceMagnitude") == pytest.approx(
            np.linalg.norm(force), rel=1e-12, abs=0
        )
        assert instance.get("slidingSpeed") == pytest.approx(
            np.linalg.norm(velocity), rel=1e-12, abs=0
        )


@BRISTLED
@pytest.mark.parametrize("turning", ["in jumps", "at a rate"])
def test_the_bristle_is_in_a_turning_plane_to_rounding(fmu, turning):
    """At every communication point, however the plane has rotated in the step."""
    d = fmu.description
    draw = Sampler(d, "turning").random
    n, largest = np.array([0.0, 0.0, 1.0]), 0.0
    with fmu.in_co_simulation(in_contact(d)) as instance:
        for _ in range(200):
            there = (
                random_rotation(draw)[:, 2]
                if turning == "in jumps"
                else n + [draw.gauss(0, 0.1) for _ in range(3)]
            )
            if turning == "in jumps":
                n = there
            # normal force or penetration, whichever is an input
            inputs = {
                "normalForce": 10.0,
                **spread(
                    pointPosition=-3e-7 * n,
                    relativeVelocity=[draw.gauss(0, 1e-3) for _ in range(3)],
                    contactNormal=n,
                ),
            }
            instance.set({name: value for name, value in inputs.items() if d.takes(name)})
            for i in range(3):
                instance.set_input_derivative(f"contactNormal[{i + 1}]", (there[i] - n[i]) / 1e-3)
            instance.step(1e-3)
            n = there / np.linalg.norm(there)
            if instance.get("normalForce") > 0:
                z = read(instance, "bristleDeflection")
                largest = max(largest, np.linalg.norm(z))
                assert abs(z @ n) <= 4e-16 * np.linalg.norm(z)
    assert largest > 1e-7, "the bristle must have been bent"


@BRISTLED
def test_an_event_projects_the_bristle_into_a_plane_that_has_rotated(fmu):
    """It reports that the states have changed; in a plane at rest, a start out of it fades by
    itself."""
    d = fmu.description
    start = {f"bristleDeflectionStart[{i}]": 1e-6 for i in (1, 2, 3)}
    with fmu.in_model_exchange({**in_contact(d), **start}) as instance:
        _, info = instance.event()
        assert not info.valuesOfContinuousStatesChanged and instance.states == [1e-6] * 3
        n = np.array([0.6, 0.0, 0.8])
        here = {**spread(pointPosition=-3e-7 * n), **spread(contactNormal=n)}
        instance.set({name: value for name, value in here.items() if d.takes(name)})
        force = read(instance, "frictionForce")
        _, info = instance.event()
        assert info.valuesOfContinuousStatesChanged
        assert instance.states == pytest.approx(list(np.full(3, 1e-6) - 1.4e-6 * n), rel=1e-14)
        assert read(instance, "frictionForce") == pytest.approx(
            force, rel=1e-14
        )  # only the part without effect is gone
        _, info = instance.event()
        assert not info.valuesOfContinuousStatesChanged


@SPATIAL
def test_the_length_of_the_normal_does_not_matter(fmu):
    d = fmu.description
    sampler = Sampler(d, "length")
    names = [v.name for v in d.outputs + d.derivatives]
    for instance, _ in sampler.points(fmu, 5, 10):
        n = read(instance, "contactNormal")
        expected = [instance.get(name) for name in names]
        sizes = [
            max(
                abs(instance.get(other))
                for other in names
                if other.partition("[")[0] == name.partition("[")[0]
            )
            for name in names
        ]
        for length in (1e-300, 1e-12, 0.3, 7.0, 1e12, 1e300):
            instance.set(spread(contactNormal=length * n))
            for name, value, size in zip(names, expected, sizes):
                assert instance.get(name) == pytest.approx(
                    value, rel=1e-9, abs=1e-10 * size + 1e-300
                ), (name, length)
        instance.set(spread(contactNormal=n))


@GIVEN_LOAD
def test_the_sense_of_the_normal_and_motion_along_it_do_not_matter(fmu):
    d = fmu.description
    sampler = Sampler(d, "sense")
    for instance, _ in sampler.points(fmu, 6, 15):
        n, v = read(instance, "contactNormal"), read(instance, "relativeVelocity")
        force = read(instance, "frictionForce")
        size = np.linalg.norm(force)
        for other in (-n, 2 * n):
            instance.set(spread(contactNormal=other, relativeVelocity=v))
            assert read(instance, "frictionForce") == pytest.approx(
                force, rel=1e-12, abs=1e-12 * size
            )
        instance.set(spread(contactNormal=n, relativeVelocity=v + 3 * np.linalg.norm(v) * n))
        assert read(instance, "frictionForce") == pytest.approx(force, rel=1e-9, abs=1e-9 * size)


@GIVEN_LOAD
def test_friction_reverses_with_the_motion(fmu):
    """Odd symmetry, bit for bit."""
    d = fmu.description
    sampler = Sampler(d, "odd")
    for instance, _ in sampler.points(fmu, 8, 15):
        force, power, v = (
            read(instance, "frictionForce"),
            instance.get("dissipatedPower"),
            read(instance, "relativeVelocity"),
        )
        instance.set(spread(relativeVelocity=-v))
        instance.states = [-x for x in instance.states]
        instance.event()
        assert list(read(instance, "frictionForce")) == list(-force)
        assert instance.get("dissipatedPower") == power


@SPATIAL
def test_nothing_is_undefined_at_rest(fmu, kind):
    d = fmu.description
    unknowns = [v.reference for v in d.outputs + d.derivatives]
    with fmu.started(kind, {**in_contact(d), **spread(relativeVelocity=(0, 0, 0))}) as instance:
        assert all(math.isfinite(instance.get(v.name)) for v in d.reals)
        assert list(read(instance, "frictionForce")) == [0, 0, 0]
        for v in d.inputs + d.states:
            assert all(map(math.isfinite, instance.slopes(unknowns, [v.reference], [1.0])))


@SPATIAL
def test_a_normal_without_length_is_refused_in_contact(fmu):
    d = fmu.description
    with fmu.in_model_exchange(in_contact(d)) as instance:
        before = read(instance, "frictionForce")
        instance.set(spread(contactNormal=(0, 0, 0)))
        for call in (
            lambda: instance.get("frictionForceMagnitude"),
            lambda: instance.slopes(
                [d["dissipatedPower"].reference], [d.inputs[0].reference], [1.0]
            ),
        ):
            with pytest.raises(FmiError) as refusal:
                call()
            assert refusal.value.status == DISCARD
            assert "contactNormal has zero length" in instance.messages[-1].text
        instance.set(spread(contactNormal=(0, 0, 1)))
        assert list(read(instance, "frictionForce")) == list(before)
    with fmu.in_co_simulation(in_contact(d)) as instance:
        instance.set(spread(contactNormal=(0, 0, 0)))
        with pytest.raises(FmiError) as refusal:
            instance.step(1e-3)
        assert refusal.value.status == DISCARD
        assert "contactNormal has zero length" in instance.messages[-1].text
        instance.set(spread(contactNormal=(0, 0, 1)))
        instance.step(1e-3)


@GIVEN_LOAD
def test_a_normal_without_length_does_no_harm_when_separated(fmu, kind):
    with fmu.instance(kind) as instance:
        instance.start(
            {"normalForce": 0.0, **spread(contactNormal=(0, 0, 0), relativeVelocity=(1e-3, 0, 0))}
        )
        assert list(read(instance, "frictionForce")) == [0, 0, 0]
        assert all(math.isfinite(instance.get(v.name)) for v in fmu.description.reals)


@pytest.mark.fmus(lambda d: d.takes("contactNormal[1]") and "frictionAxis[1]" in d)
def test_an_axis_without_a_direction_in_the_plane_is_refused_in_contact(fmu):
    """If friction differs by direction; without a grain, or without contact, the axis has no
    effect."""
    d = fmu.description
    axis = spread(frictionAxis=(0, 0, 2), relativeVelocity=(1e-3, 0, 0))
    for grain, touches in ((1.0, True), (0.5, False), (0.5, True)):
        with fmu.model_exchange() as instance:
            instance.start(
                {
                    "transverseFriction": grain,
                    **axis,
                    **{name: value if touches else -value for name, value in in_contact(d).items()},
                }
            )
            if grain != 1 and touches:
                with pytest.raises(FmiError) as refusal:
                    instance.get("frictionForceMagnitude")
                assert (
                    refusal.value.status == DISCARD and "frictionAxis" in instance.messages[-1].text
                )
            else:
                assert (instance.get("frictionForceMagnitude") > 0) == touches
