"""Contacts in the normal direction in a host with a fixed step: a body that is dropped gains no
energy with the steps that the pages allow, and the log says where a step is too long."""

import math
import tomllib

import pytest

from bristle.format.contact_step import CONTACT, contact_step
from fmus import REPOSITORY
from impact import GRAVITY, drop
from vectors import spread

CUBE = tomllib.loads((REPOSITORY / "resources" / "colantonio2022_cube.toml").read_text())["values"]
HEIGHT = 0.01
START = GRAVITY * HEIGHT

normal = pytest.mark.fmus.with_args(lambda d: "contactStiffness" in d)
timing = pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])


class Contact:
    """A dropped body's contact, scalar or a point on a plane."""

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
        return len([m for m in self.instance.messages if "more energy than it took" in m.text])


def start_values(fmu):
    return {name: fmu.description[name].start for name in CONTACT}


@normal
@timing
def test_with_the_defaults_a_kilogram_gains_nothing_and_rests_at_a_millisecond(fmu, late):
    """At rest within half a second; the step is less than what the page allows for it."""
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
def test_a_step_that_is_too_long_is_told_once(fmu, late):
    """The paper's cube with 1 kg at 1 and at 0.1 ms, which throw it out with more than it came
    with."""
    for step in (1e-3, 1e-4):
        contact = Contact(fmu, **{name: CUBE[name] for name in CONTACT})
        with contact.instance:
            energies, _, _ = drop(contact, 1.0, HEIGHT, step, round(0.06 / step), late)
            assert max(energies) > 10 * START and contact.warned == 1


@normal
def test_an_elastic_impact_that_the_steps_resolve_is_not_told(fmu):
    """No damping: what comes back is what was taken."""
    for step in (1e-3, 1e-4):
        contact = Contact(fmu, contactDamping=0.0)
        with contact.instance:
            drop(contact, 1.0, HEIGHT, step, round(0.5 / step))
            assert not contact.warned, step


@pytest.mark.fmus(lambda d: d.name == "ContactPoint")
@timing
def test_an_oblique_impact_gains_nothing(fmu, late):
    """Thrown along the plane at 0.3 m/s, with friction of a bristle that the step bears: 1e4
    N/m."""
    for step in (1e-3, 5e-4):
        contact = Contact(fmu, bristleStiffness=1e4, bristleDamping=60.0)
        with contact.instance:
            energies, v, w = drop(contact, 1.0, HEIGHT, step, round(1.0 / step), late, sliding=0.3)
            assert max(energies) <= (START + 0.5 * 0.3**2) * (1 + 1e-9)
            assert math.hypot(v, w) < 0.02
