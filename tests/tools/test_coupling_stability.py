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

loops = pytest.mark.parametrize("name, late", stability.LOOPS)


def settles(name, late, r=1.0, count=900, **contacts):
    rows = stability.runs(r, late, stability.TIMINGS[name], [1.0] * count, **contacts)
    return stability.settling(rows)


@loops
def test_the_observed_load_is_known_after_one_step(name, late):
    """Exactly, if the mass is right and the force was steady before; and it stays."""
    rows = stability.runs(1.0, late, stability.TIMINGS[name], [1.0] * 200)
    assert rows[1:, 1] == pytest.approx(1.0, abs=1e-12)


@loops
def test_the_observed_load_never_moves_away_from_the_load(name, late):
    """From any earlier estimate: the interval of possible loads contains the true one."""
    for start in (-3.0, -0.5, 0.4, 7.0):
        rows = stability.runs(1.0, late, stability.TIMINGS[name], [1.0] * 200, loads=(start,))
        off = abs(rows[:, 1] - 1)
        assert (np.diff(off) <= 1e-12).all() and off[-1] < 1e-6, start


def test_at_once_is_dead_beat():
    """Without the spring: a double root at 0, and that of the position."""
    rows = stability.runs(1, False, stability.TIMINGS["AtOnce"], [1.0] * 20, part=0.0)
    assert stability.settling(rows)[0] <= 2


@loops
def test_contacts_that_share_a_body_stop_pulling_at_each_other(name, late):
    """Each takes its own force for its load, with either timing of the host."""
    found, _ = settles(name, late, shares=(0.25,) * 4, loads=(-0.3, 0.1, 0.2, 0.4))
    assert found <= 12


@pytest.mark.parametrize(
    "name, late, steps, less",
    [
        (*loop, *counts)
        for loop, counts in zip(stability.LOOPS, ((2, 88), (8, 205)) + ((11, 158), (8, 205)))
    ],
)
def test_the_force_settles_as_the_page_says(name, late, steps, less):
    """With the right mass, and with a tenth of it; a fifth more does no harm."""
    assert settles(name, late)[0] == steps and settles(name, late, 0.1)[0] == less
    assert settles(name, late, 1.2)[0] <= 20


@loops
def test_steps_at_random_settle(name, late):
    timing = stability.TIMINGS[name]
    assert all(
        stability.settling(stability.runs(1, late, timing, stability.at_random(400, seed)))[0] <= 26
        for seed in range(50)
    )


@loops
def test_a_long_step_is_forgotten(name, late):
    """One of ten times the length reduces the gains until it has faded."""
    rows = stability.runs(1, late, stability.TIMINGS[name], [10.0] + [1.0] * 400)
    assert stability.settling(rows)[0] <= 46


@loops
def test_the_return_in_position_takes_two_steps_over_the_part_of_the_spring(name, late):
    """One step at once: the spring with that part of the load has the time constant lag/part."""
    lag = stability.TIMINGS[name][3]
    expected = 1 - stability.PART / lag
    assert stability.radius(late, stability.TIMINGS[name]) == pytest.approx(expected, abs=1e-4)


@loops
@pytest.mark.parametrize("r", (0.1, 0.3, 1.0))
def test_friction_never_gives_energy_in_stick(name, late, r):
    """Under any load with eight steps or more per period."""
    timing = stability.TIMINGS[name]
    for forces in stability.slow_loads() + [stability.sine(n) for n in (8, 12, 20, 60, 200)]:
        assert stability.energy(r, late, timing, forces) > -0.001


@loops
def test_the_spring_is_as_soft_as_the_step_requires(name, late):
    """A stiffer one gives energy under a ramp: it moves the body back against a larger load."""
    least, most, k, lag = stability.TIMINGS[name]
    stiffer = (least, most, k, lag / 4)
    given = min(stability.energy(1.0, late, stiffer, one) for one in stability.slow_loads())
    assert given < -0.05
