"""First values: the numbers of the papers, their effect in the model itself, and warnings where
models misbehave."""

import math
from dataclasses import fields

import numpy as np
import pytest

from fmus import FMUS, TWINS, need_all_fmus

import bristle
from bristle import cli
from bristle.format.contact_step import CONTACT, contact_step
from bristle.parameters import read_ssv
from bristle.suggesting import LARGEST, SMALLEST, Known, suggest

need_all_fmus()


def test_the_example_of_rill_gives_his_numbers():
    made = suggest("LuGre", Known(reference_force=4, deflection=5e-5))
    assert made.values["bristleStiffness"] == pytest.approx(80000)
    assert made.values["bristleDamping"] == pytest.approx(
        362, abs=1
    )  # with the mass rounded to 0.41 kg, as printed
    assert any("0.4077 kg" in line for line in made.assumed) and any(
        "aperiodic" in line for line in made.assumed
    )


def test_the_regularization_is_a_tenth_of_the_stribeck_velocity():
    assert suggest("SecondOrderBristle", Known(stribeck_velocity=0.02)).values[
        "regularizationVelocity"
    ] == pytest.approx(0.002)


def test_the_resulting_oscillator_has_the_given_rise_time():
    """After a step of the load the force of the spring first reaches the load after the rise time;
    in closed form for the damped oscillator."""
    mass, rise, ratio = 2.0, 0.003, 0.4
    made = suggest("SimpackStickSlip", Known(mass=mass, rise_time=rise, damping_ratio=ratio))
    stiffness, damping = made.values["stictionStiffness"], made.values["stictionDamping"]
    omega = math.sqrt(stiffness / mass)
    assert damping / (2 * math.sqrt(stiffness * mass)) == pytest.approx(ratio)
    damped = omega * math.sqrt(1 - ratio**2)
    time = np.linspace(0, rise, 1001)
    force = 1 - np.exp(-ratio * omega * time) * (
        np.cos(damped * time) + ratio * omega / damped * np.sin(damped * time)
    )
    assert np.all(force[:-1] < 1) and force[-1] == pytest.approx(1, abs=1e-9)


def test_a_model_per_unit_of_normal_force_is_the_same_contact():
    """Colantonio eq 14: under the normal force of the suggestion LuGre and LuGreNormalized agree,
    bounded and as printed."""
    known = Known(
        normal_force=50,
        static_friction=0.4,
        dynamic_friction=0.25,
        stribeck_velocity=0.01,
        deflection=2e-5,
    )
    time = np.linspace(0, 0.2, 201)
    inputs = {"normalForce": 50.0, "relativeVelocity": 0.02 * np.sin(40 * time)}
    shape = {"stribeckExponent": 2.0, "viscousFriction": 0.0, "viscousDamping": 0.0}
    for law in (1, 2):
        one, two = (
            bristle.run(
                name,
                time,
                inputs,
                {**suggest(name, known).values, **shape, "law": law},
                tolerance=1e-9,
            )["frictionForce"]
            for name in ("LuGre", "LuGreNormalized")
        )
        assert np.max(np.abs(one - two)) < 1e-6 * np.max(np.abs(one))


@pytest.mark.fmus(
    lambda d: (
        not d.states
        and not d.modes
        and d.takes("relativeVelocity", "normalForce")
        and d.has("frictionForce")
    )
)
def test_the_tolerated_creep_is_the_one_under_load(fmu):
    known = Known(normal_force=12, creep=2e-5, load=2.0)
    made = suggest(fmu.name, known)
    if any("says nothing" in line for line in made.warnings):
        assert not fmu.description.has("regularizationVelocity") and not fmu.description.has(
            "staticVelocity"
        )
        return
    force = bristle.evaluate(
        fmu.name,
        {**made.values, "normalForce": 12, "relativeVelocity": [1e-5, 2e-5, 2.02e-5]},
        ["frictionForce"],
    )["frictionForce"]
    assert force[0] < 2.0 <= force[1] <= 2.0 * (1 + 1e-6) < force[2]


def test_without_a_load_creep_is_judged_under_half_of_the_static_friction():
    made = suggest("StaticRegularized", Known(normal_force=12, static_friction=0.5, creep=2e-5))
    values = {**made.values, "normalForce": 12, "relativeVelocity": 2e-5}
    force = bristle.evaluate("StaticRegularized", values, ["frictionForce"])["frictionForce"]
    assert force == pytest.approx(0.5 * 0.5 * 12, rel=1e-2)


def test_break_away_is_nine_tenths_of_the_deflection_at_the_static_limit():
    made = suggest("ElastoPlastic", Known(normal_force=20, static_friction=0.5, deflection=1e-5))
    assert made.values["breakawayDeflection"] == pytest.approx(
        0.9 * 0.5 * 20 / made.values["bristleStiffness"], rel=1e-12
    )
    assert made.reasons["breakawayDeflection"].startswith(
        "0.9 of the deflection at the static limit"
    )


def roots(**known):
    made = suggest("ImplicitBristle", Known(**known))
    return any("several roots" in line for line in made.warnings), made


def test_several_roots_of_the_implicit_bristle_cause_a_warning():
    """c(1) = 1: with mass and deflection of the second case the damping of the aperiodic limit is
    too small."""
    warned, made = roots(
        mass=0.3, static_friction=0.5, dynamic_friction=0.1, stribeck_velocity=1e-3, deflection=1e-5
    )
    needed = 0.3 * 9.81 * 0.4 / 1e-3
    assert warned and f"below {needed:.4g} N.s/m" in " ".join(made.warnings)
    assert not roots(
        mass=1, static_friction=0.6, dynamic_friction=0.3, stribeck_velocity=0.1, deflection=1.5e-4
    )[0]


def test_a_bristle_that_is_not_passive_causes_a_warning_with_the_speed():
    made = suggest(
        "LuGre", Known(normal_force=20, dynamic_friction=0.3, static_friction=0.5, deflection=1e-5)
    )
    speed = 4 * 0.3 * 20 / made.values["bristleDamping"]
    assert any(
        "passive only with law = Bounded: it can give back more energy than it took at speeds"
        f" above {speed:.4g} m/s" in line
        for line in made.warnings
    )
    made = suggest(
        "LuGreNormalized",
        Known(normal_force=20, dynamic_friction=0.3, static_friction=0.5, deflection=1e-5),
    )
    speed = 4 * 0.3 / made.values["bristleDamping"]
    assert any(
        "where the normal force rises and, unless law = Bounded, at speeds above"
        f" {speed:.4g} m/s" in line
        for line in made.warnings
    )
    assert not any(
        "passive" in line for line in suggest("LuGreModified", Known(deflection=1e-5)).warnings
    )


@pytest.mark.fmus(lambda d: d.takes("relativeVelocity", "normalForce"))
def test_the_bounded_law_is_recommended_where_a_model_has_it(fmu):
    assumed = suggest(
        fmu.name, Known(normal_force=20, static_friction=0.4, dynamic_friction=0.3)
    ).assumed
    said = any(
        "normal force does not fall" in line and "law = 2 (Bounded)" in line for line in assumed
    )
    assert said == ("law" in fmu.description)


def test_an_element_that_is_bounded_by_default_causes_no_warning(tmp_path):
    """Unlike the model that it was stamped from."""
    own = bristle.stamp("LuGre", {"law": "Bounded"}, "BoundedLuGre", tmp_path / "BoundedLuGre.fmu")
    for model, is_warned_of in (("LuGre", True), (own, False)):
        warnings = suggest(model, Known(deflection=1e-5)).warnings
        assert any("passive" in line for line in warnings) == is_warned_of


def swing(model, values, mass, normal, step, steps=400):
    """Returns the growth of a small disturbance of a mass, in co-simulation with a host of that
    step."""
    instance_time, speed, speeds = 0.0, 1e-9, []
    fmu = next(one for one in FMUS if one.name == model)
    with fmu.co_simulation() as instance:
        instance.start({**values, "normalForce": normal, "relativeVelocity": speed})
        for _ in range(steps):
            instance.set({"relativeVelocity": speed})
            force = instance.get("frictionForce")
            instance.step(step, instance_time)
            instance_time += step
            speed -= step / mass * force
            speeds.append(abs(speed))
    return max(speeds[-50:]) / max(speeds[:50])


@pytest.mark.parametrize("model", ["LuGre", "StaticRegularized", "LuGreNormalized"])
def test_the_largest_step_separates_growth_from_decay(model):
    """A host that is 5 % below the limit settles, one that is 5 % above does not."""
    known = Known(mass=0.8, normal_force=8, deflection=2e-4, damping_ratio=0.5)
    made = suggest(model, known)
    line = next(
        line for line in made.limits if line.startswith("co-simulation with held inputs, at rest")
    )
    limit = float(line.split("at most ")[1].split()[0])
    assert swing(model, made.values, 0.8, 8, 0.95 * limit) < 0.5
    assert swing(model, made.values, 0.8, 8, 1.05 * limit) > 2
    judged = suggest(
        model, Known(mass=0.8, normal_force=8, deflection=2e-4, damping_ratio=0.5, step=1.1 * limit)
    )
    assert any("is too large" in line for line in judged.warnings)


def test_in_fast_sliding_the_bristle_sets_the_step_and_not_the_falling_curve():
    """σ0 v/g is the rate of the bristle: explicit Euler is stable up to 2/rate. The growth on the
    falling Stribeck curve is the motion's own."""
    values = dict(
        mass=1.0,
        normal_force=10.0,
        static_friction=0.5,
        dynamic_friction=0.3,
        stribeck_velocity=0.05,
        deflection=5e-5,
    )
    made = suggest("LuGre", Known(**values, speed=0.2))
    line = next(line for line in made.limits if line.startswith("explicit Euler, sliding"))
    limit = float(line.split("at most ")[1].split()[0])
    friction = 0.3 + 0.2 * math.exp(
        -((0.2 / 0.05) ** bristle.describe("LuGre")["stribeckExponent"].start)
    )
    rate = made.values["bristleStiffness"] * 0.2 / (friction * 10)
    assert limit == pytest.approx(2 / rate, rel=0.1)


@pytest.mark.parametrize(
    "known, sentence",
    [
        (dict(mass=-1), "mass = -1 must lie between 1e-12 and 1e+12."),
        (dict(mass=1e300), "mass = 1e+300 must lie between 1e-12 and 1e+12."),
        (
            dict(static_friction=0.1, break_away_force=2),
            "static friction and break away force say the same: give one of them.",
        ),
        (
            dict(deflection=1e-5, rise_time=1e-3),
            "deflection and rise time say the same: give one of them.",
        ),
        (
            dict(rise_time=1e-3, damping_ratio=1.5),
            "damping ratio = 1.5 must be less than 1 for a rise time.",
        ),
        (
            dict(static_friction=0.1, dynamic_friction=0.2),
            "LuGre: dynamicFriction = 0.2 must be at most staticFriction = 0.1.",
        ),
        (
            dict(normal_force=10),
            "LuGre has no parameter that follows from what is given; give what you know of static"
            " and dynamic friction, mass or normal force, deflection or creep (bristle suggest"
            " --help).",
        ),
    ],
)
def test_impossible_quantities_are_reported(known, sentence):
    with pytest.raises(bristle.BristleError) as raised:
        suggest("LuGre", Known(**known))
    assert str(raised.value) == sentence


@pytest.mark.fmus(lambda d: "normalForce" in {v.name for v in d.outputs} and "penetration" not in d)
def test_for_an_element_without_friction_there_is_nothing_to_suggest(fmu):
    with pytest.raises(
        bristle.BristleError,
        match=f"^{fmu.name} has no friction of its own: it computes the normal force",
    ):
        suggest(fmu.path, Known(normal_force=10.0, dynamic_friction=0.2))


def test_the_command_writes_a_set_that_the_model_accepts(tmp_path, capsys):
    out = tmp_path / "first.ssv"
    words = "suggest LuGre --mass 1 --deflection 1e-5 --static-friction 0.4 --speed 0.1".split()
    assert cli.main([*words, "-o", str(out)]) == 0
    said = capsys.readouterr().out
    assert "Assumed:" in said and "Largest steps" in said and "Warnings:" in said
    values = read_ssv(out, bristle.describe("LuGre"))
    assert values["staticFriction"] == 0.4 and set(values) == {
        "staticFriction",
        "bristleStiffness",
        "bristleDamping",
    }
    bristle.run("LuGre", [0, 0.01], {"relativeVelocity": 0.1}, values)


WITH_TWINS = pytest.mark.skipif(
    not TWINS, reason="twins are not built: the presets of one platform leave them out"
)


@WITH_TWINS
@pytest.mark.parametrize("model", ["LuGre", "StaticRegularized", "ImplicitBristle"])
def test_a_twin_gets_the_values_and_steps_of_its_model_at_the_radius(model):
    """v = r omega, T = r F and m = J/r2: the same surface, and a host may take the same steps."""
    known = {
        "normal_force": 100,
        "static_friction": 0.25,
        "deflection": 1e-5,
        "creep": 1e-5,
        "load": 10,
        "speed": 0.02,
    }
    slides = suggest(model, Known(mass=3.0, **known))
    turns = suggest(f"{model}Rotational", Known(inertia=3.0 * 0.02**2, radius=0.02, **known))
    assert turns.values.pop("frictionRadius") == 0.02
    assert turns.values == pytest.approx(slides.values, rel=1e-6)
    assert (
        len(slides.limits) == len(turns.limits) == 5
    )  # two steps at two speeds, the coupling mass
    for ours, theirs in zip(turns.limits, slides.limits, strict=True):
        ours = ours.replace("an inertia of 0.0012 kg.m2", "a mass of 3 kg")
        assert ours.replace("couplingInertia", "couplingMass") == theirs


@WITH_TWINS
def test_an_inertia_is_for_elements_that_turn():
    with pytest.raises(bristle.BristleError, match="LuGre slides; take its rotational twin"):
        suggest("LuGre", Known(inertia=1.0))
    with pytest.raises(bristle.BristleError, match="mass and inertia say the same"):
        suggest("LuGreRotational", Known(inertia=1.0, mass=1.0))


@pytest.mark.fmus(lambda d: d.name == "Awrejcewicz")
def test_a_law_without_a_slope_at_rest_has_a_largest_step_all_the_same(fmu):
    """Its slope is that of the middle of the band, 1.5 F_s/v_s: Euler's step is at most twice the
    mass over it."""
    made = suggest(fmu.path, Known(mass=2.0, normal_force=10.0, static_friction=0.6))
    largest = 2 * 2.0 / (1.5 * 6.0 / 1e-3)
    assert f"at rest (half of staticVelocity): at most {largest:.4g} s" in made.limits[0]


@pytest.mark.fmus(lambda d: d.takes("relativeVelocity", "normalForce"))
def test_a_mass_gives_the_largest_steps_of_every_model(fmu):
    """States may be vectors, whose elements start at elementForceStart[1] and so on."""
    made = suggest(fmu.path, Known(mass=2.0, speed=0.1))
    assert any("at rest" in line for line in made.limits)
    assert any("couplingMass" in line for line in made.limits)


def test_a_law_that_sets_no_limit_is_said_to_bear_any_step():
    made = suggest("Coulomb", Known(mass=1.0, speed=1.0))
    assert "explicit Euler, sliding at 1 m/s: any step is stable" in made.limits


def test_a_value_that_was_changed_is_not_said_to_stay():
    made = suggest("LuGre", Known(mass=1.0, static_friction=0.25))
    assert made.values["dynamicFriction"] == 0.25
    assert not any("dynamicFriction stays" in line for line in made.assumed)


def test_a_bristle_without_damping_gets_no_damping_ratio():
    made = suggest("Dahl", Known(mass=1.0, deflection=1e-5, damping_ratio=0.5))
    assert any("a damping ratio says nothing" in line for line in made.warnings)
    silent = suggest("Dahl", Known(mass=1.0, deflection=1e-5))
    assert not any("damping ratio" in line for line in silent.assumed + silent.warnings)


def trembling(values, mass, normal, step):
    """Returns the largest friction force, relative to that in sliding, that remains after a small
    disturbance."""
    speed, time, forces = 1e-6, 0.0, []
    fmu = next(one for one in FMUS if one.name == "Dahl")
    with fmu.co_simulation() as instance:
        instance.start({**values, "normalForce": normal, "relativeVelocity": speed})
        for _ in range(4000):
            instance.set({"relativeVelocity": speed})
            forces.append(instance.get("frictionForce"))
            instance.step(step, time)
            time, speed = time + step, speed - step / mass * forces[-1]
    return max(map(abs, forces[-500:])) / (0.3 * normal)


def test_a_body_on_a_bristle_without_damping_oscillates_no_more_than_stated():
    """Growth by the step and the hysteresis of the bristle balance at a quarter of the deflection
    in sliding."""
    made = suggest("Dahl", Known(mass=1.0, deflection=1e-5))
    line = next(line for line in made.limits if line.startswith("co-simulation with held inputs"))
    limit = float(line.split("at most ")[1].split()[0])
    assert trembling(made.values, 1.0, 9.81, limit) < 0.3
    assert trembling(made.values, 1.0, 9.81, 10 * limit) > 0.6


def test_a_step_that_is_too_long_requires_the_mass_of_the_body():
    made = suggest("LuGre", Known(mass=1.0, step=0.1))
    assert made.values["couplingMass"] == 1.0
    assert "couplingMass" not in suggest("LuGre", Known(mass=1.0, step=1e-5)).values


@pytest.mark.parametrize("model", ["HuntCrossley", "ContactPoint"])
@pytest.mark.parametrize("speed", [None, 0.3])
def test_the_largest_steps_for_a_normal_force_are_shown(model, speed):
    """In a host that applies it at once, and one step late."""
    values = {one.name: one.start for one in bristle.describe(model).parameters}
    contact = {name: values[name] for name in CONTACT}
    limits = [contact_step(contact, 2.0, speed or 0.0, late) for late in (False, True)]
    made = suggest(model, Known(mass=2.0, speed=speed, step=1.01 * limits[1]))
    texts = [text for text in made.limits if "applies the normal force" in text]
    for limit, text in zip(limits, texts, strict=True):
        assert f"at most {limit:.4g} s with a mass of 2 kg" in text
        assert ("an impact at 0.3 m/s" in text) == bool(speed)
    warned = [text for text in made.warnings if "applies the normal force" in text]
    assert len(warned) == 1 and "one step late" in warned[0]
    assert made.values["couplingMass"] == 2.0
    fine = suggest(model, Known(mass=2.0, speed=speed, step=0.99 * limits[1]))
    assert not any("applies the normal force" in text for text in fine.warnings)


def test_for_a_normal_contact_the_mass_is_needed():
    with pytest.raises(bristle.BristleError, match="HuntCrossley needs the mass"):
        suggest("HuntCrossley", Known(speed=0.3))


def test_any_quantities_within_the_range_give_values_or_a_refusal():
    """At the ends of the range the square of a speed, or a ratio, is largest."""
    rng = np.random.default_rng(7)
    answered = 0
    for fmu in (*FMUS, *(twin for twin, _ in TWINS)):
        for _ in range(10):
            chosen = [one.name for one in fields(Known) if rng.random() < 0.35]
            values = rng.choice([SMALLEST, 1e-6, 0.5, 10.0, LARGEST], len(chosen)).tolist()
            try:
                suggest(fmu.path, Known(**dict(zip(chosen, values))))
                answered += 1
            except bristle.BristleError:
                pass
    assert answered > 20  # otherwise nothing was tried
