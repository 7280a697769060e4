"""Contacts in the normal direction in a host with a fixed step: a dropped body gains no energy with
the steps that the pages allow, and a step that is too long is logged."""

import math
import random

import pytest

from bristle.format.contact_step import CONTACT, contact_step
from fmus import published
from impact import GRAVITY, drop, impact
from operating_points import some_of
from vectors import spread

CUBE = published("colantonio2022_cube")
HEIGHT = 0.01
START = GRAVITY * HEIGHT

normal = pytest.mark.fmus.with_args(lambda d: "contactStiffness" in d)
timing = pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])


class Contact:
    """The contact of a dropped body, scalar or a point on a plane."""

    def __init__(self, fmu, **values):
        self.instance = fmu.co_simulation(logging=True)
        self.instance.initialize(values)
        self.of_point = "contactForce[1]" in fmu.description

    def __call__(self, x, v, w, time, step):
        i = self.instance
        i.set(
            spread(pointPosition=(0, 0, x), relativeVelocity=(w, 0, v))
            if self.of_point
            else {"penetration": -x, "penetrationRate": -v}
        )
        i.step(step, time=time)
        return (
            (i.get("contactForce[3]"), i.get("contactForce[1]"))
            if self.of_point
            else (i.get("normalForce"), 0.0)
        )

    @property
    def warned(self):
        return len([m for m in self.instance.messages if "more energy than it absorbed" in m.text])


def start_values(fmu):
    return {name: fmu.description[name].start for name in CONTACT}


@normal
@timing
def test_with_the_defaults_a_kilogram_gains_nothing_and_rests_at_a_millisecond(fmu, late):
    """At rest within half a second, with a step that the page allows."""
    assert contact_step(start_values(fmu), 1.0, math.sqrt(2 * START), late) > 1e-3
    for step in (1e-3, 5e-4, 2e-4):
        for height in (HEIGHT, 0.0093, 0.004):
            contact = Contact(fmu)
            with contact.instance:
                energies, v, _ = drop(contact, 1.0, height, step, round(1.0 / step), late)
                assert max(energies) <= GRAVITY * height * (1 + 1e-9), (step, height)
                assert abs(v) < 2e-3 and not contact.warned, (step, height)


@normal
@timing
def test_the_largest_step_of_the_page_gains_nothing_over_decades(fmu, late):
    for stiffness in (1.0, 40.0, 4000.0):
        values = start_values(fmu)
        values["contactStiffness"] *= stiffness
        values["contactDamping"] *= stiffness
        for mass in (0.01, 1.0, 100.0):
            step = contact_step(values, mass, math.sqrt(2 * START), late)
            contact = Contact(fmu, **values)
            with contact.instance:
                energies, _, _ = drop(
                    contact, mass, HEIGHT, step, min(round(0.3 / step), 3000) + 50, late
                )
                assert all(energy <= mass * START * (1 + 1e-3) for energy in energies), (
                    stiffness,
                    mass,
                    step,
                )
                assert not contact.warned


@normal
@timing
def test_a_step_that_is_too_long_is_reported_once(fmu, late):
    """The paper's cube with 1 kg at 1 and at 0.1 ms, which throw it out with more energy than it
    had."""
    for step in (1e-3, 1e-4):
        contact = Contact(fmu, **{name: CUBE[name] for name in CONTACT})
        with contact.instance:
            energies, _, _ = drop(contact, 1.0, HEIGHT, step, round(0.06 / step), late)
            assert max(energies) > 10 * START and contact.warned == 1


@pytest.mark.fmus(lambda d: d.name == "HuntCrossley")
def test_impacts_that_gain_are_reported_over_decades_of_steps_and_masses(fmu):
    """At least nine in ten of those that leave with more than twice their energy, and none that
    leaves with less than it had."""
    choice, gained, reported = random.Random(6), 0, 0
    start = start_values(fmu)
    for _ in range(120):
        scale, damping = 10 ** choice.uniform(0, 4), choice.choice((0.0, 0.1, 1.0, 5.0))
        step, mass = 10 ** choice.uniform(-3.7, -2), 10 ** choice.uniform(-2, 2)
        contact = Contact(
            fmu,
            contactStiffness=scale * start["contactStiffness"],
            contactDamping=scale * damping * start["contactDamping"],
        )
        with contact.instance:
            height, late, implicit = choice.uniform(0.002, 0.02), choice.random() < 0.5, True
            steps = [step] * min(round(0.4 / step), 800)
            left, _, _ = impact(contact, height, steps, late, implicit, mass)
            if left > 2:
                gained, reported = gained + 1, reported + contact.warned
            elif left <= 1:
                assert not contact.warned, (scale, damping, step, mass, height, late)
    assert gained > 30 and reported >= 0.9 * gained, (reported, gained)


@normal
def test_an_elastic_impact_that_the_steps_resolve_is_not_reported(fmu):
    """Without damping it returns what it took."""
    for step in (1e-3, 1e-4):
        contact = Contact(fmu, contactDamping=0.0)
        with contact.instance:
            drop(contact, 1.0, HEIGHT, step, round(0.5 / step))
            assert not contact.warned, step


@normal
def test_a_touch_that_is_weak_beside_those_before_is_not_reported(fmu):
    """A resolved impact, then a touch of a sixth of its depth that ends within a step: it returns a
    twentieth of the energy of the impact, more than it took."""
    step, depth = 1e-3, 1e-3
    turn = math.pi / 200
    path = [
        (-depth * math.sin(n * turn), -depth * turn / step * math.cos(n * turn), n * step)
        for n in range(201)
    ]
    path += [(-depth * n / 280, -depth / 280 / step, (201 + n) * step) for n in range(50)]
    path += [(depth, 0.5 * depth / step, (251 + n) * step) for n in range(3)]
    contact = Contact(fmu, contactDamping=0.0)
    with contact.instance:
        for place, speed, time in path:
            contact(place, speed, 0.0, time, step)
        assert not contact.warned


CONTACTS = {
    "default": {},
    "stiff": {name: CUBE[name] for name in CONTACT},
    "elastic": {"contactDamping": 0.0},
}


def between(low, high, count):
    """Draws steps that vary, some of them suddenly."""
    choice = random.Random(2)
    return [choice.choice((low, 0.5 * high, high)) for _ in range(count)]


@normal
@timing
@pytest.mark.parametrize("implicit", [True, False], ids=["implicit", "explicit"])
@pytest.mark.parametrize("values", CONTACTS.values(), ids=CONTACTS)
def test_with_the_mass_a_step_may_have_any_length(fmu, late, implicit, values):
    """With couplingMass of 0.25 to 1.2 of the mass, the body leaves with less energy than it had,
    and rests where the spring in series with m/(4 h)² holds it."""
    for step in (1e-3, 5e-3):
        for given in (0.25, 1.0, 1.2):
            for height in (HEIGHT, 0.0093, 0.0047)[: some_of(3)]:
                contact = Contact(fmu, couplingMass=given, **values)
                with contact.instance:
                    left, v, x = impact(contact, height, [step] * round(2 / step), late, implicit)
                    case = (step, given, height, left, v, x)
                    assert left < 0.7 and abs(v) < 0.02 and not contact.warned, case
                    if given == 1.0 and not late:
                        start = start_values(fmu) | values
                        depth = start["referencePenetration"] * (
                            GRAVITY / start["contactStiffness"]
                        ) ** (1 / start["stiffnessExponent"])
                        series = GRAVITY * (4 * step) ** 2
                        assert -x == pytest.approx(depth + series, rel=1e-3), case


@normal
@timing
def test_with_the_mass_steps_may_vary(fmu, late):
    """Also if a stiff damper is reached in a short step, after and before long ones."""
    for values in CONTACTS.values():
        contact = Contact(fmu, couplingMass=1.0, **values)
        with contact.instance:
            left, v, _ = impact(contact, HEIGHT, between(2e-4, 2e-3, 2000), late, True)
            assert left < 0.99 and abs(v) < 1e-3, (left, v)
    for seed in range(some_of(8)):
        choice = random.Random(seed)
        steps = [choice.choice((4e-4, 2e-3, 4e-3)) for _ in range(400)]
        contact = Contact(fmu, couplingMass=0.25, contactStiffness=1e3, contactDamping=1e5)
        with contact.instance:
            left, _, _ = impact(contact, HEIGHT / 3, steps, late, seed % 2 == 0)
            assert left <= 1 and not contact.warned, (seed, left)


@normal
def test_with_the_mass_there_is_no_force_before_they_touch(fmu):
    """Not even if they will within the next step. And a contact held at a depth stays so after a
    rollback, and in another instance."""
    contact = Contact(fmu, couplingMass=1.0)
    with contact.instance as instance, fmu.co_simulation() as other:
        assert contact(1e-9, -1.0, 0.0, 0.0, 1e-3) == (0.0, 0.0)
        contact(-1e-4, -0.1, 0.0, 1e-3, 2e-3)
        contact(-2e-4, -0.1, 0.0, 3e-3, 1e-3)
        bytes_of_now = instance.snapshot()
        expected = contact(-3e-4, -0.02, 0.0, 4e-3, 1e-3)
        assert expected[0] > 0
        other.resume(bytes_of_now)
        contact.instance = other
        assert contact(-3e-4, -0.02, 0.0, 4e-3, 1e-3) == expected


@normal
def test_with_the_mass_set_back_to_zero_the_law_acts_at_once(fmu):
    """At the given penetration, not at the predicted one; and the next step is that of an element
    that never had a mass."""
    contact, law = Contact(fmu, couplingMass=1.0), Contact(fmu)
    with contact.instance as instance, law.instance as other:
        ahead, alone = (each(-1e-4, -0.1, 0.0, 0.0, 1e-3)[0] for each in (contact, law))
        assert ahead > alone > 0
        instance.set({"couplingMass": 0.0})
        assert instance.get("normalForce") == pytest.approx(alone, rel=1e-12)
        assert contact(-2e-4, 0.0, 0.0, 1e-3, 1e-3) == law(-2e-4, 0.0, 0.0, 1e-3, 1e-3)
        assert other.get("normalForce") == instance.get("normalForce")


@pytest.mark.fmus(lambda d: d.name == "HuntCrossley")
def test_a_prediction_that_overflows_is_not_used(fmu):
    """The damper's force at this speed is finite, the spring's after the distance of four steps is
    not."""
    contact, law = (Contact(fmu, couplingMass=mass, stiffnessExponent=3.0) for mass in (1.0, 0.0))
    with contact.instance, law.instance:
        expected = law(-1e-4, -1e110, 0.0, 0.0, 1e-3)
        assert contact(-1e-4, -1e110, 0.0, 0.0, 1e-3) == expected and expected[0] > 0


@pytest.mark.fmus(lambda d: d.name == "ContactPoint")
@timing
def test_an_oblique_impact_gains_nothing(fmu, late):
    """Thrown along the plane at 0.3 m/s, with a bristle that is stable at this step: 1e4 N/m."""
    for step in (1e-3, 5e-4):
        contact = Contact(fmu, bristleStiffness=1e4, bristleDamping=60.0)
        with contact.instance:
            energies, v, w = drop(contact, 1.0, HEIGHT, step, round(1.0 / step), late, sliding=0.3)
            assert max(energies) <= (START + 0.5 * 0.3**2) * (1 + 1e-9)
            assert math.hypot(v, w) < 0.02
