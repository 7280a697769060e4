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
    """Exactly, where the mass is right and the force was steady before; and it stays."""
    rows = stability.runs(1.0, late, stability.TIMINGS[name], [1.0] * 200)
    assert rows[1:, 1] == pytest.approx(1.0, abs=1e-12)


@loops
def test_the_observed_load_never_moves_away_from_the_load(name, late):
    """Whatever it was taken for before: the loads that are possible hold the true one."""
    for start in (-3.0, -0.5, 0.4, 7.0):
        rows = stability.runs(1.0, late, stability.TIMINGS[name], [1.0] * 200, loads=(start,))
        off = abs(rows[:, 1] - 1)
        assert (np.diff(off) <= 1e-12).all() and off[-1] < 1e-6, start


def test_at_once_is_dead_beat():
    """Without the way back in position: a double root at 0 beside that of the position."""
    gains = (*stability.TIMINGS["AtOnce"][:3], 0.0)
    assert stability.radius(False, gains) == pytest.approx(1.0)
    assert stability.settling(stability.runs(1, False, gains, [1.0] * 20))[0] <= 2


@loops
def test_contacts_that_share_a_body_stop_pulling_at_each_other(name, late):
    """Each takes its own force for its load, whatever the host does with it."""
    found, _ = settles(name, late, shares=(0.25,) * 4, loads=(-0.3, 0.1, 0.2, 0.4))
    assert found <= 12


@pytest.mark.parametrize(
    "name, late, steps, less",
    [
        (*loop, *counts)
        for loop, counts in zip(stability.LOOPS, ((2, 108), (8, 435)) + ((11, 263), (8, 434)))
    ],
)
def test_the_force_settles_as_the_page_says(name, late, steps, less):
    """Where the mass is right, and where a tenth of it was given; a fifth more does no harm."""
    assert settles(name, late)[0] == steps and settles(name, late, 0.1)[0] == less
    assert settles(name, late, 1.2)[0] <= 20


@loops
def test_steps_at_random_settle(name, late):
    gains = stability.TIMINGS[name]
    assert all(
        stability.settling(stability.runs(1, late, gains, stability.at_random(400, seed)))[0] <= 100
        for seed in range(20)
    )


@loops
def test_the_way_back_in_position_takes_forty_steps(name, late):
    """The slowest pole where the mass is right: faster would take from what settles the velocity,
    slower lets a body creep under a ramp."""
    assert stability.radius(late, stability.TIMINGS[name]) == pytest.approx(0.977, abs=0.005)
