"""ProjectedLuGre: LuGreNormalized on every line, a bristle that turns with its plane, a grain."""

import math

import numpy as np
import pytest

from fmus import FMUS
from fmi2 import ERROR, FmiError
from operating_points import Sampler
from prescribed import BOUNDED, PRINTED
from reference import integrate_me
from vectors import random_rotation, read, spread

CUBE = {
    "staticFriction": 0.15,
    "dynamicFriction": 0.1,
    "bristleStiffness": 1e4,
    "bristleDamping": math.sqrt(1e5) / 10,
}
RELAXATION = CUBE["bristleStiffness"] / CUBE["bristleDamping"]


def named(name):
    return next(fmu for fmu in FMUS if fmu.name == name)


@pytest.mark.skipif(
    not any(fmu.name == "LuGreNormalized" for fmu in FMUS),
    reason="LuGreNormalized is not in the folder",
)
def test_on_a_line_it_is_the_scalar_model(fmu):
    sampler = Sampler(fmu.description, "line")
    draw = sampler.random
    with fmu.co_simulation() as space, named("LuGreNormalized").co_simulation() as line:
        for _ in range(5):
            rotation = random_rotation(draw)
            n, e = rotation[:, 2], rotation[:, 0]
            space.start(spread(contactNormal=n), tolerance=1e-9)
            line.start(tolerance=1e-9)
            for _ in range(30):
                load, velocity = (
                    draw.choice([10.0, 3.0, 30.0, -1.0]),
                    draw.gauss(0, 1) * 10 ** draw.uniform(-4, -2),
                )
                space.set({"normalForce": load, **spread(relativeVelocity=velocity * e)})
                line.set({"normalForce": load, "relativeVelocity": velocity})
                space.step(2e-3)
                line.step(2e-3)
                # both keep 1e-9 of the nominal deflection, 1e-14 m
                assert read(space, "bristleDeflection") == pytest.approx(
                    line.get("bristleDeflection") * e, abs=1e-12
                )
                force = line.get("frictionForce")
                assert read(space, "frictionForce") == pytest.approx(force * e, rel=1e-6, abs=1e-6)
                assert space.get("dissipatedPower") == pytest.approx(
                    line.get("dissipatedPower"), rel=1e-6, abs=1e-8
                )
                assert read(space, "slidingVelocity") == pytest.approx(
                    line.get("slidingVelocity") * e, rel=1e-6, abs=1e-9
                )
            space.demand("fmi2Reset")
            line.demand("fmi2Reset")


def turn(instance, rate, duration, step=1e-3):
    """Rotates the normal from z towards x about y; yields (angle, normal) after every step."""
    for i in range(round(duration / step)):
        here, there = (
            np.array([math.sin(a), 0, math.cos(a)])
            for a in (rate * i * step, rate * (i + 1) * step)
        )
        instance.set(spread(contactNormal=here))
        for k in range(3):
            instance.set_input_derivative(f"contactNormal[{k + 1}]", (there[k] - here[k]) / step)
        instance.step(step)
        yield rate * (i + 1) * step, there


@pytest.mark.parametrize("rate", [0.1, 1.0, 10.0])
def test_the_bristle_turns_with_the_plane(fmu, rate):
    """A quarter turn in stick: the part along x ends along -z, that along y stays. Within a step
    the bristle lags behind the plane, at most by the rate over sigma0/sigma1 = k: out of it by
    rate/k (1 - exp(-k t)). This part fades, and is removed at the end of the step, so per radian
    the length decreases by rate/k (1 - (1 - exp(-k h))/(k h)).
    """
    deflection, step = 5e-6, 1e-2 / rate
    part = rate / RELAXATION * (1 + math.expm1(-RELAXATION * step) / (RELAXATION * step))
    with fmu.co_simulation() as instance:
        instance.start(
            {**CUBE, **spread(bristleDeflectionStart=(deflection, deflection, 0))}, tolerance=1e-8
        )
        for angle, n in turn(instance, rate, math.pi / 2 / rate, step):
            z, force = read(instance, "bristleDeflection"), read(instance, "frictionForce")
            assert abs(z @ n) <= 1e-15 * deflection
            assert abs(force @ n) <= 1e-14 * np.linalg.norm(force)
            along = np.array([math.cos(angle), 0, -math.sin(angle)])
            lag = math.exp(-part * angle)
            assert z @ along == pytest.approx(lag * deflection, rel=2 * part * part + 1e-4)
            assert z[1] == pytest.approx(deflection, rel=1e-6)


@pytest.mark.parametrize("rate", [0.1, 10.0])
def test_in_model_exchange_the_bristle_follows_the_plane(fmu, rate):
    """There the importer has the state: it is out of the plane by the rate over sigma0/sigma1,
    while the force is in it up to rounding."""
    deflection, part, time = 5e-6, rate / RELAXATION, 0.0
    with fmu.model_exchange() as instance:
        instance.start({**CUBE, **spread(bristleDeflectionStart=(deflection, deflection, 0))})
        while rate * time < 1:
            angle, step = rate * time, 1e-2 / rate
            slope = rate * np.array([math.cos(angle), 0, -math.sin(angle)])
            integrate_me(
                instance,
                time,
                time + step,
                1e-10,
                {f"contactNormal[{k + 1}]": slope[k] for k in range(3)},
            )
            time += step
            n = np.array([math.sin(rate * time), 0, math.cos(rate * time)])
            instance.set(spread(contactNormal=n))
            z, force = read(instance, "bristleDeflection"), read(instance, "frictionForce")
            assert (
                abs(z @ n) <= 1.05 * part * deflection + 1e-4 * deflection
            )  # chords instead of the arc: half a step squared
            assert abs(force @ n) <= 1e-14 * np.linalg.norm(force)
        integrate_me(
            instance, time, time + 50 / RELAXATION, 1e-10
        )  # the plane is at rest: the part out of it fades
        assert (
            abs(read(instance, "bristleDeflection") @ n) <= 1e-10 * deflection
        )  # within the tolerance of the integration


def test_the_state_stays_in_a_plane_that_does_not_turn(fmu):
    sampler = Sampler(fmu.description, "in the plane")
    draw = sampler.random
    with fmu.co_simulation() as instance:
        for _ in range(5):
            n = random_rotation(draw)[:, 2]
            instance.start({**CUBE, **spread(contactNormal=n)})
            for _ in range(100):
                instance.set(
                    {
                        "normalForce": draw.choice([1.0, 10.0, -1.0]),
                        **spread(relativeVelocity=[draw.gauss(0, 3e-3) for _ in range(3)]),
                    }
                )
                instance.step(1e-3)
                assert abs(read(instance, "bristleDeflection") @ n) <= 1e-14 * 1.5e-5
            instance.demand("fmi2Reset")


def test_the_deflection_is_bounded_whatever_moves(fmu):
    """|z| never exceeds mu_s/sigma0, with a plane that rotates arbitrarily."""
    limit = CUBE["staticFriction"] / CUBE["bristleStiffness"]
    draw = Sampler(fmu.description, "bounded").random
    with fmu.in_co_simulation(CUBE, tolerance=1e-8) as instance:
        for _ in range(500):
            instance.set(
                {
                    "normalForce": 10.0,
                    **spread(
                        relativeVelocity=[
                            draw.gauss(0, 1) * 10 ** draw.uniform(-5, 1) for _ in range(3)
                        ],
                        contactNormal=random_rotation(draw)[:, 0],
                    ),
                }
            )
            instance.step(10 ** draw.uniform(-5, -2))
            assert np.linalg.norm(read(instance, "bristleDeflection")) <= limit * (1 + 1e-6)


def test_separation_relaxes_the_bristle(fmu):
    with fmu.co_simulation() as instance:
        start = np.array([4e-6, -3e-6, 2e-6])
        instance.start(
            {
                **CUBE,
                "normalForce": -1.0,
                **spread(bristleDeflectionStart=start, relativeVelocity=(1, 2, 3)),
            },
            tolerance=1e-9,
        )
        instance.step(5e-3)
        assert read(instance, "bristleDeflection") == pytest.approx(
            start * math.exp(-5e-3 * RELAXATION), rel=1e-6
        )
        assert list(read(instance, "frictionForce")) == [0, 0, 0]


# the grain

GRAIN = {
    "transverseFriction": 0.4,
    "stribeckVelocity": 1e-3,
    "stribeckExponent": 2.0,
    "viscousFriction": 0.0,
    "viscousDamping": 0.0,
}


def test_with_a_grain_the_force_of_steady_sliding_lies_on_an_ellipse(fmu):
    axis, n, load, speed = (
        np.array([1.0, 1.0, 0.0]) / math.sqrt(2),
        np.array([0.0, 0.0, 1.0]),
        10.0,
        2e-3,
    )
    across = np.cross(n, axis)
    g = 0.1 + 0.05 * math.exp(-4)
    for ratio in (0.4, 1.0, 2.5):
        for angle in np.linspace(0, 2 * math.pi, 13):
            v = speed * (math.cos(angle) * axis + math.sin(angle) * across)
            with fmu.co_simulation() as instance:
                instance.start(
                    {
                        **CUBE,
                        **GRAIN,
                        "transverseFriction": ratio,
                        "normalForce": load,
                        **spread(frictionAxis=3 * axis + n, relativeVelocity=v),
                    },
                    tolerance=1e-10,
                )
                instance.step(1.0)
                force = read(instance, "frictionForce")
            stretched = v @ axis * axis + ratio * (v @ across) * across
            expected = (
                load
                * g
                * (v @ axis * axis + ratio**2 * (v @ across) * across)
                / np.linalg.norm(stretched)
            )
            assert force == pytest.approx(expected, abs=1e-8)
            assert math.hypot(force @ axis, force @ across / ratio) == pytest.approx(
                load * g, rel=1e-8
            )
            assert force @ v > 0


def test_with_a_grain_it_takes_energy_as_long_as_its_page_says(fmu):
    """As printed, at sigma1 |v| <= 4 g min(1, r^2)/max(1, r) under a constant normal force: from an
    unloaded start the energy taken is never negative."""
    draw = Sampler(fmu.description, "grain").random
    with fmu.co_simulation() as instance:
        for _ in range(60):
            ratio = 10 ** draw.uniform(-0.5, 0.5)
            damping = 10 ** draw.uniform(0, 2)
            fastest = 4 * 0.1 * min(1, ratio**2) / max(1, ratio) / damping
            instance.start(
                {
                    **CUBE,
                    **GRAIN,
                    "bristleDamping": damping,
                    "transverseFriction": ratio,
                    "normalForce": 10.0,
                },
                tolerance=1e-8,
            )
            taken = moved = 0.0
            for _ in range(draw.choice([2, 4, 8])):
                angle, speed = draw.uniform(0, 2 * math.pi), fastest * 10 ** draw.uniform(-2, 0)
                instance.set(
                    spread(relativeVelocity=(speed * math.cos(angle), speed * math.sin(angle), 0))
                )
                instance.step(0.0)
                step = 10 ** draw.uniform(-6, -4) / speed / 100
                powers = [instance.get("dissipatedPower")]
                for _ in range(100):
                    instance.step(step)
                    powers.append(instance.get("dissipatedPower"))
                taken += (
                    step
                    / 3
                    * (powers[0] + powers[-1] + 4 * sum(powers[1:-1:2]) + 2 * sum(powers[2:-1:2]))
                )
                moved += step * sum(map(abs, powers))
                assert taken >= -1e-4 * moved
            instance.demand("fmi2Reset")


def test_bounded_it_makes_heat_and_stays_within_its_ellipse_whatever_the_grain_is(fmu):
    """At any point, also with a deflection beyond what the grain carries, as after a turn of the
    motion; with the printed law heat is negative at some."""
    draw, cold, beyond = Sampler(fmu.description, "heat of a grain").random, 0, 0
    with fmu.model_exchange() as instance:
        for law in (PRINTED, BOUNDED):
            for _ in range(60):
                ratio = 10 ** draw.uniform(-1.5, 1.5)
                instance.start(
                    {
                        **CUBE,
                        **GRAIN,
                        **law,
                        "bristleDamping": 10 ** draw.uniform(0, 3),
                        "transverseFriction": ratio,
                        "normalForce": 10.0,
                    }
                )
                for _ in range(20):
                    v, z = (
                        draw.gauss(0, 1) * np.array([math.cos(angle), math.sin(angle), 0])
                        for angle in (draw.uniform(0, 7), draw.uniform(0, 7))
                    )
                    instance.set(spread(relativeVelocity=10 ** draw.uniform(-4, 1) * v))
                    instance.states = list(1e-5 * z * [1, ratio, 0])
                    heat, force = instance.get("heatFlow"), read(instance, "frictionForce")
                    size = abs(instance.get("dissipatedPower")) + abs(heat)
                    if law is PRINTED:
                        cold, beyond = (
                            cold + (heat < 0),
                            beyond + (math.hypot(force[0], force[1] / ratio) > 1.5),
                        )
                    else:
                        assert heat >= -1e-12 * size
                        assert math.hypot(force[0], force[1] / ratio) <= 1.5 * (1 + 1e-12)
                instance.demand("fmi2Reset")
    assert cold > 100 and beyond > 100, "points that show it"


def test_no_friction_across_the_axis_is_refused(fmu):
    with fmu.model_exchange() as instance:
        with pytest.raises(FmiError) as refusal:
            instance.start({"transverseFriction": 0.0})
        assert refusal.value.status == ERROR and "transverseFriction" in instance.messages[-1].text
