"""The gains of solver/shadow.c have the properties that they were derived from
(docs/coupling_stability.py reads them from the source)."""

import importlib.util

import numpy as np
import pytest

from fmus import REPOSITORY

FILE = REPOSITORY / "docs" / "coupling_stability.py"
SPEC = importlib.util.spec_from_file_location("coupling_stability", FILE)
stability = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(stability)

LOOPS = [("AtOnce", False), ("OneStepLate", True), ("Either", False), ("Either", True)]


def poles(name, late, r=1.0, k_x=None):
    gains = stability.TIMINGS[name]
    return np.linalg.eigvals(
        stability.step(r, late, gains if k_x is None else (*gains[:3], k_x), 1, 1, 1)
    )


def settles(name, late, part=0.01, count=200):
    """The number of steps until the force stays within a part of a load that has jumped, and how
    far the observed load overshoots."""
    z, forces, loads = np.zeros(6), [], []
    for _ in range(count):
        z = stability.step(1.0, late, stability.TIMINGS[name], 1, 1, 1) @ z + np.array(
            [1.0, 1.0, 0, 0, 0, 0]
        )
        forces.append(z[4])
        loads.append(z[2])
    return int(np.nonzero(abs(np.array(forces) - 1) > part)[0][-1]) + 2, max(loads)


def test_at_once_is_dead_beat():
    """Without the way back in position, where the mass is right; one root at 1 is that of the
    position, others at 0 those of what is only remembered."""
    assert sorted(abs(poles("AtOnce", False, k_x=0.0)))[:-1] == pytest.approx([0] * 5, abs=1e-2)


@pytest.mark.parametrize("name", stability.TIMINGS)
def test_contacts_that_share_a_body_stop_pulling_at_each_other(name):
    """At rest each takes its own force for its load, whatever the host does with it: beside the
    root 1, of how the load is shared, another, which is gone to 1 % within twenty steps."""
    part, beta = stability.TIMINGS[name][:2]
    roots = sorted(abs(np.roots([1, beta - 1 - beta * (1 - part), -beta * part])))
    assert roots[1] == pytest.approx(1) and roots[0] <= 0.01 ** (1 / 20) + 1e-2


@pytest.mark.parametrize("name, late", LOOPS)
def test_less_mass_than_there_is_and_a_fifth_more_are_stable(name, late):
    assert (
        max(stability.radius(r, late, stability.TIMINGS[name]) for r in np.arange(0.1, 1.21, 0.05))
        < 0.995
    )
    assert (
        max(stability.decay(r, late, stability.TIMINGS[name]) for r in (0.1, 0.5, 1.0, 1.2)) < 0.995
    )


@pytest.mark.parametrize(
    "name, late, steps", [(*loop, steps) for loop, steps in zip(LOOPS, (3, 11, 17, 20))]
)
def test_the_force_settles_as_the_page_says(name, late, steps):
    """And the observed load hardly overshoots, so that a load near the limit is held."""
    found, most = settles(name, late)
    assert found <= steps and most <= 1.02


@pytest.mark.parametrize("name, late", LOOPS)
def test_the_way_back_in_position_takes_forty_steps(name, late):
    """The slowest pole where the mass is right: faster would take from what settles the velocity,
    slower lets a body creep under a ramp."""
    assert max(abs(poles(name, late))) == pytest.approx(0.977, abs=0.005)
