"""The solver of co-simulation in hard cases: short overloads, oscillations that are too fast,
extreme parameters; and its messages."""

import ctypes
import itertools
import math
import random
import re

import numpy as np
import pytest
from scipy.linalg import expm

from fmus import REPOSITORY
from fmi2 import CO_SIMULATION, OK
from build_cache import compiled
from operating_points import some_of
from prescribed import MODEL_1, NORMAL, parameters_for

STICK = 2
IMPLICIT = pytest.mark.fmus(lambda d: d.name == "ImplicitBristle")
BRISTLE = pytest.mark.fmus(lambda d: d.name in ("ImplicitBristle", "SecondOrderBristle"))


# overloads that come and go within a step


@IMPLICIT
@pytest.mark.parametrize("size", [1.0, 0.1])
@pytest.mark.parametrize(
    "peak, over, fall",
    [(9 / 16, 1.011, 1.5), (0.5, 1.5, 1.9), (0.1875, 1.01, 1.9), (0.69, 1.005, 1.9)],
)
def test_an_overload_between_two_samples_is_found(fmu, size, peak, over, fall):
    """A velocity that falls through zero: in stick the force is a parabola, which exceeds the limit
    slightly for a short time. Error control does not notice, because a parabola is integrated
    exactly. The result is that of a thousand steps."""
    p = parameters_for(fmu, MODEL_1)
    stiffness, damping, limit = (
        p["bristleStiffness"],
        p["bristleDamping"],
        p["staticFriction"] * NORMAL,
    )
    top = peak * size
    rate = (
        -2 * fall * limit / (stiffness * (max(peak, 1 - peak) * size) ** 2)
    )  # the force falls by that part of the limit on the longer side
    velocity = -damping * rate / stiffness - rate * top
    deflection = (over * limit - damping * (velocity + rate * top)) / stiffness - (
        velocity * top + rate * top**2 / 2
    )
    ends = []
    for steps, tolerance in ((1, 1e-6), (1000, 1e-9)):
        with fmu.co_simulation() as instance:
            instance.start(
                {
                    **p,
                    "bristleDeflectionStart": deflection,
                    "normalForce": NORMAL,
                    "relativeVelocity": velocity,
                },
                tolerance=tolerance,
            )
            assert instance.get("mode") == STICK
            instance.set_input_derivative("relativeVelocity", rate)
            for i in range(steps):
                instance.step(size / steps, time=i * size / steps)
            ends.append(instance.get("bristleDeflection"))
    sticking = deflection + velocity * size + rate * size**2 / 2
    scale = 1e-6 * (fmu.description["bristleDeflection"].nominal + abs(ends[1]))
    assert abs(sticking - ends[1]) > 100 * scale, "the overload has to leave a trace"
    assert abs(ends[0] - ends[1]) <= 10 * scale


def overload(p, peak, swing, over, fall):
    """Makes a step of 1 s in which the velocity falls and the force exceeds the limit by its part
    `over`: returns values at its start, the rates of the inputs, and the displacement. With a
    varying normal force, force over limit is no parabola."""
    stiffness, damping, limit = (
        p["bristleStiffness"],
        p["bristleDamping"],
        p["staticFriction"] * NORMAL,
    )
    rate = -fall * limit / (stiffness * max(peak, 1 - peak) ** 2)
    velocity = -damping * rate / stiffness - rate * peak
    t = np.linspace(0, 1, 100_001)
    displacement = velocity * t + rate * t**2 / 2
    limits = limit * (1 + swing * (t - peak))
    rest = (damping * (velocity + rate * t)) / stiffness + displacement
    deflection = min((1 + over) * limits / stiffness - rest)
    begin = {
        "bristleDeflectionStart": deflection,
        "normalForce": NORMAL * (1 - swing * peak),
        "relativeVelocity": velocity,
    }
    within = (stiffness * np.abs(deflection + rest) / limits)[[0, -1]].max() < 1
    return (
        begin,
        {"relativeVelocity": rate, "normalForce": NORMAL * swing},
        displacement[-1],
        within,
    )


def deflection_after(fmu, start, rates, steps=1, tolerance=1e-6):
    with fmu.in_co_simulation(start, tolerance=tolerance) as instance:
        assert instance.get("mode") == STICK
        for name, rate in rates.items():
            instance.set_input_derivative(name, rate)
        for i in range(steps):
            instance.step(1 / steps, time=i / steps)
        return instance.get("bristleDeflection")


@IMPLICIT
@pytest.mark.parametrize("peak, swing", [(9 / 16, -0.9), (0.44, 0.9)])
def test_an_overload_of_a_ten_thousandth_is_found_while_the_limit_moves(fmu, peak, swing):
    """As above, with a normal force that changes nearly as much as it can, so that one sample at
    the peak is not enough."""
    p = parameters_for(fmu, MODEL_1)
    begin, rates, displacement, _ = overload(p, peak, swing, 1e-4, 3)
    sticking = begin["bristleDeflectionStart"] + displacement
    lost = [
        sticking - deflection_after(fmu, p | begin, rates, *run) for run in ((1,), (1000, 1e-9))
    ]
    assert lost[1] > 5e-9, "the overload has to leave a trace"
    assert lost[0] == pytest.approx(lost[1], abs=1e-9)  # ten tolerances of the nominal deflection


@IMPLICIT
def test_an_overload_is_found_wherever_it_is_in_a_step(fmu):
    """Also in the last part before a reversal, where the damper makes the force fall earlier."""
    p, draw, tried = parameters_for(fmu, MODEL_1), random.Random(1), 0
    for _ in range(some_of(200)):
        peak, swing = draw.uniform(0.02, 0.98), draw.choice([0, draw.uniform(-0.95, 0.95)])
        begin, rates, displacement, is_within = overload(
            p, peak, swing, 10 ** draw.uniform(-4, -2), draw.uniform(1.5, 6)
        )
        if is_within:
            end = deflection_after(fmu, p | begin, rates)
            assert begin["bristleDeflectionStart"] + displacement - end > 1e-10, (peak, swing)
            tried += 1
    assert tried > some_of(50)


# oscillations that no step resolves


@BRISTLE
@pytest.mark.parametrize("stiffness, size", [(3.9e6, 1.0), (3.9e8, 0.01), (3.9e10, 1.0)])
@pytest.mark.parametrize("exponent", [1.0, 20.0])
def test_an_oscillation_that_is_too_fast_to_be_resolved_fails_no_step(
    fmu, stiffness, size, exponent
):
    """On the falling part of the curve a stiff bristle oscillates for ever. Each step succeeds, the
    force stays within the law, with one warning."""
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start(
            {
                "bristleStiffness": stiffness,
                "stribeckExponent": exponent,
                "normalForce": 100.0,
                "relativeVelocity": 0.01675,
            },
            tolerance=1e-6,
        )
        for _ in range(2):
            instance.step(size)
        limit = instance.get("staticFriction") * 100.0
        damping = instance.get("bristleDamping")
        assert (
            abs(instance.get("bristleDeflection")) * stiffness <= limit * (1 + 1e-6) + damping * 0.1
        )
        assert len([m for m in instance.messages if "maximumSubsteps" in m.text]) <= 1


STIFF = {"bristleStiffness": 3.9e8, "normalForce": 100.0, "relativeVelocity": 0.01675}


def swung(fmu, step, tolerance=1e-6, **parameters):
    """Runs a stiff bristle on the falling part of the curve for three steps; returns all numbers,
    and the warnings about substeps."""
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start(STIFF | parameters, tolerance=tolerance)
        for _ in range(3):
            instance.step(step)
        limit = instance.get("staticFriction") * 100.0 + instance.get("bristleDamping") * 0.1
        assert abs(instance.get("bristleDeflection")) * STIFF["bristleStiffness"] <= limit * (
            1 + 1e-6
        )
        return instance.get_reals([v.reference for v in fmu.description.reals]), [
            m.text for m in instance.messages if "maximumSubsteps" in m.text
        ]


@BRISTLE
def test_the_work_of_a_step_can_be_capped(fmu):
    """A step that needs hundreds of substeps is finished coarsely with 20, with one warning, and
    stays within the law; one that needs fewer is unchanged."""
    free, warned = swung(fmu, 1e-5)
    assert not warned
    assert swung(fmu, 1e-5, maximumSubsteps=30000) == (free, [])
    capped, warned = swung(fmu, 1e-5, maximumSubsteps=20)
    assert len(warned) == 1 and capped != free
    assert swung(fmu, 1e-5, maximumSubsteps=1)[1]


@BRISTLE
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6])
def test_the_effect_of_a_cap_is_logged(fmu, tolerance):
    """Whether a step continues coarsely, or skips a part if the tolerance is already 1e-3."""
    free, warned = swung(fmu, 1e-5, tolerance, maximumSubsteps=30000)
    assert not warned
    for substeps in (1, 20, *range(100, 600, 20)):
        capped, warned = swung(fmu, 1e-5, tolerance, maximumSubsteps=substeps)
        assert capped == free or len(warned) == 1


@BRISTLE
@pytest.mark.parametrize("stiffness, size", [(3.9e8, 1.0), (3.9e12, 1e-5)])
def test_an_oscillation_that_ends_within_the_step_leaves_its_remainder_unchanged(
    fmu, stiffness, size
):
    """In the first hundredths of the step the bristle oscillates on the falling part of the curve,
    and these are skipped; after them it slides, and ends at the same place.
    """
    slow, fast, ends = STIFF["relativeVelocity"], 0.5, []
    for begin in (slow, fast):
        with fmu.co_simulation() as instance:
            instance.demand("fmi2SetDebugLogging", 1, 0, None)
            instance.start(
                STIFF
                | {
                    "bristleStiffness": stiffness,
                    "maximumSubsteps": 2000,
                    "relativeVelocity": begin,
                },
                tolerance=1e-6,
            )
            instance.set_input_derivative("relativeVelocity", (fast - begin) / size)
            instance.step(size)
            if begin == fast:
                instance.step(10 * size)
            ends.append(instance.get("bristleDeflection"))
            assert any("maximumSubsteps" in m.text for m in instance.messages) == (begin == slow)
    assert ends[0] == pytest.approx(ends[1], rel=1e-5)  # ten tolerances


TOUCH_DOWN = {
    "staticFriction": 2.8,
    "dynamicFriction": 1.7,
    "stribeckVelocity": 3.7e-3,
    "stribeckExponent": 2.5,
    "bristleStiffness": 9600.0,
    "bristleDamping": 3.2,
    "normalForce": -100.0,
    "relativeVelocity": -0.09,
}


@pytest.mark.fmus(lambda d: d.name == "SecondOrderBristle")
def test_a_step_that_runs_short_of_substeps_is_finished_coarsely(fmu):
    """Surfaces that meet within a step, at a tolerance that takes more substeps than allowed: the
    force is as wrong as at the coarsest tolerance, not by the static limit, with a warning."""
    forces, warnings = [], []
    for substeps in (60000, 600):
        with fmu.co_simulation() as instance:
            instance.demand("fmi2SetDebugLogging", 1, 0, None)
            instance.start(TOUCH_DOWN | {"maximumSubsteps": substeps}, tolerance=1e-9)
            instance.set_input_derivative("normalForce", 200.0 / 2.7e-4)
            instance.set_input_derivative("relativeVelocity", 0.2 / 2.7e-4)
            instance.step(2.7e-4)
            forces.append(instance.get("frictionForce"))
            warnings.append(sum("maximumSubsteps" in m.text for m in instance.messages))
    assert warnings == [0, 1]
    assert forces[1] == pytest.approx(forces[0], abs=1e-3 * TOUCH_DOWN["staticFriction"] * 100)


@BRISTLE
def test_the_work_of_a_coupled_step_can_be_capped(fmu):
    free, warned = swung(fmu, 1e-5, couplingMass=1.0, maximumSubsteps=60000)
    assert not warned
    assert swung(fmu, 1e-5, couplingMass=1.0, maximumSubsteps=6000) == (free, [])
    assert len(swung(fmu, 1e-5, couplingMass=1.0, maximumSubsteps=1)[1]) == 1


# what the log says


@IMPLICIT
def test_events_inside_a_step_are_reported_with_their_time_and_modes(fmu):
    """Pulled with a constant velocity v: stick ends where sigma0 v t + sigma1 v reaches the
    limit."""
    p = parameters_for(fmu, MODEL_1)
    velocity = 1e-3
    breaking = (p["staticFriction"] * NORMAL - p["bristleDamping"] * velocity) / (
        p["bristleStiffness"] * velocity
    )
    logged = {}
    for logging in (False, True):
        with fmu.co_simulation() as instance:
            if logging:
                instance.demand("fmi2SetDebugLogging", 1, 1, (ctypes.c_char_p * 1)(b"logEvents"))
            instance.start(
                {**p, "normalForce": NORMAL, "relativeVelocity": velocity}, time=5.0, tolerance=1e-8
            )
            instance.step(2 * breaking)
            logged[logging] = (
                [m.text for m in instance.messages if m.category == "logEvents"],
                instance.snapshot(),
            )
    assert logged[False][0] == [] and logged[False][1] == logged[True][1]
    found = re.fullmatch(r"At time (\S+) mode goes from Stick to (Slow)?Slip\.", logged[True][0][0])
    assert found and float(found.group(1)) - 5.0 == pytest.approx(breaking, rel=1e-5)


@pytest.mark.fmus(lambda d: bool(d.modes))
def test_lift_off_is_reported_in_both_kinds(fmu, kind):
    """A discarded step logs nothing."""
    d = fmu.description
    with fmu.instance(kind) as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start({"normalForce": 10.0} if d.takes("normalForce") else {})
        if not d.takes("normalForce"):
            return
        said = len(instance.messages)
        if kind == CO_SIMULATION:
            instance.set_input_derivative("normalForce", -1e308)
            instance.fmi2DoStep(0.0, 100.0, 1)
            assert not [m for m in instance.messages[said:] if m.category == "logEvents"]
            instance.set_input_derivative("normalForce", -1000.0)
            instance.step(0.1)
        else:
            instance.set({"normalForce": -90.0})
            instance.event()
        lines = [m.text for m in instance.messages[said:] if m.category == "logEvents"]
        assert lines and all(
            re.fullmatch(r"At time \S+ \S+ goes from \w+ to Separated\.", line) for line in lines
        )
        if kind == CO_SIMULATION:
            assert all(float(line.split()[2]) == pytest.approx(0.01, rel=1e-6) for line in lines)


# steps and linear equations, in a law with a known exact motion


def solver_for(states):
    """Compiles the solver to a library for this number of states: tests/support/solver_bench.c."""
    folders = {
        "bench": REPOSITORY / "tests" / "support" / "solver_bench.c",
        "sources": REPOSITORY / "fmu_src",
    }
    library = compiled(
        f"solver {states}",
        folders,
        (
            "gcc",
            "-w",
            f"-DSTATES={states}",
            *"-std=c99 -O1 -fPIC -shared -I{sources} -o bench.so {bench} -lm".split(),
        ),
    )
    found = ctypes.CDLL(str(library / "bench.so"))
    for name in (
        *("tracking", "slow", "held", "linear", "rosenbrock", "exponential"),
        *("loop", "located"),
    ):
        getattr(found, f"bench_{name}").restype = ctypes.c_double
    found.states = states
    return found


@pytest.fixture(scope="module")
def bench():
    return solver_for(3)


@pytest.fixture(scope="module", params=[1, 2])
def small(request):
    """Returns the solver for exponential steps."""
    return solver_for(request.param)


def numbers(*values):
    return (ctypes.c_double * len(values))(*values)


def number(value):
    return ctypes.c_double(value)


@pytest.mark.parametrize("diagonal", [0.0, 1e-17])
def test_linear_equations_are_solved_whatever_their_diagonal(bench, diagonal):
    """The sign of the determinant is returned, for odd and even numbers of rows."""
    draw = np.random.default_rng(1)
    for trial in range(100):
        n = 2 + trial % 5
        A, b, x = draw.uniform(1, 3, (n, n)), np.arange(1.0, n + 1), numbers(*[0.0] * n)
        np.fill_diagonal(A, diagonal)
        negative = bench.bench_solve(n, numbers(*A.ravel()), numbers(*b), x)
        assert negative == (np.linalg.det(A) < 0)
        # rounding, as far as the matrix lets it grow
        assert np.array(x) == pytest.approx(
            np.linalg.solve(A, b), rel=1e-14 * np.linalg.cond(A), abs=1e-14 * np.linalg.cond(A)
        )


START, SPEED = (0.3, -0.2, 0.1), (0.4, 0.1, -0.3)


def exact(law, h, normal, rate, load=None, mass=1.0):
    """Returns states and change of velocity after h; without a load the velocity is held."""
    a, _, q, k, d = law
    system = np.zeros((8, 8))  # states, changes of velocity, normal force, one
    for i in range(3):
        system[i, [i, 3 + i, 6, 7]] = -a, 1, q, SPEED[i]
        if load is not None:
            system[3 + i, [i, 3 + i, 7]] = -k / mass, -d / mass, (load[i] - d * SPEED[i]) / mass
    system[6, 7] = rate
    end = expm(h * system) @ [*START, 0, 0, 0, normal, 1]
    return end[:3], end[3:6]


def one_step(bench, name, law, h, normal=1.0, rate=0.0, tolerance=1e-6):
    n = bench.states
    x = numbers(*START[:n])
    error = getattr(bench, f"bench_{name}")(
        numbers(*law),
        numbers(*SPEED[:n], normal),
        numbers(*[0] * n, rate),
        number(tolerance),
        number(h),
        x,
    )
    return np.array(x), error


def in_fine_steps(bench, law, h, rate):
    """Returns the states after h for a nonlinear law."""
    n = bench.states
    x = numbers(*START[:n])
    motion = (numbers(*SPEED[:n], 1.0), numbers(*[0] * n, rate), number(1e-12), number(h))
    bench.bench_advance(numbers(*law), *motion, x)
    return np.array(x)


@pytest.mark.parametrize("slope", [0.0, -2.0])
def test_a_step_under_held_inputs_is_exact(bench, slope):
    """Also if the rate of a state does not depend on it."""
    x = number(0.5)
    assert bench.bench_held(number(3.0), number(slope), number(0.25), ctypes.byref(x)) == 0
    assert x.value == pytest.approx(
        0.5 + 3.0 * (0.25 if slope == 0 else math.expm1(slope * 0.25) / slope), rel=1e-15
    )


def test_a_state_is_followed_where_it_keeps_up_at_a_rate_that_changes_little(bench):
    """A cubic of the followed value is inaccurate if the rate changes by more than 4, unless the
    state is slow compared with the step at either rate."""

    def can(stiffness, change, h=0.5):
        return math.isfinite(
            one_step(
                bench,
                "linear",
                (stiffness / h, stiffness * (change - 1) / h, 0.0, 1.0, 0.0),
                h,
                0.0,
                1 / h,
            )[1]
        )

    assert [can(10.0, change) for change in (0.2, 0.3, 3.5, 5.0)] == [False, True, True, False]
    assert [can(stiffness, 5.0) for stiffness in (0.01, 0.09, 0.11, 0.6)] == [
        True,
        True,
        False,
        False,
    ]
    assert [can(stiffness, 0.1) for stiffness in (0.01, 0.45, 0.55)] == [True, True, False]
    end, error = one_step(bench, "linear", (8.0, 0.0, 2.0, 1.0, 0.0), 0.5, 1.0, 3.0)
    assert (
        end == pytest.approx(exact((8.0, 0.0, 2.0, 1.0, 0.0), 0.5, 1.0, 3.0)[0], rel=1e-12)
        and error < 1e-6
    )


@pytest.mark.parametrize("stiffness", [0.02, 1.0, 3.0])
def test_a_slow_state_is_followed_to_its_order_and_its_error_is_estimated(bench, stiffness):
    """Order 4, whose local error falls by 32 when the step is halved: a quarter less for higher
    terms."""
    law, missed, estimated = (stiffness, 0.3, 2.0, 1.0, 0.0), [], []
    for h in (0.1, 0.05):
        end, error = one_step(bench, "linear", law, h, 1.0, 4.0, 1e-3)
        missed.append(abs(end - in_fine_steps(bench, law, h, 4.0)).max())
        estimated.append(error * 1e-3)
    assert missed[0] < 1e-6 and (missed[0] / missed[1] > 24 or missed[0] < 1e-12)
    assert all(m <= 2 * e + 1e-12 for m, e in zip(missed, estimated))


def check_order(bench, kind, coupling, rate):
    """Checks order 4, whose local error falls by 32 when the step is halved, and an estimate of
    order 3, by 16: a quarter less for higher terms."""
    law, missed, estimated = (3.0, coupling, 2.0, 1.0, 0.0), [], []
    for h in (0.1, 0.05):
        end, error = one_step(bench, kind, law, h, 1.0, rate, 1e-2)
        true = in_fine_steps(bench, law, h, rate) if coupling else exact(law, h, 1.0, rate)[0]
        missed.append(abs(end - true).max())
        estimated.append(error)
    assert missed[0] < 1e-5 and missed[0] / missed[1] > 24
    assert estimated[0] / estimated[1] > 12 and estimated[1] * 1e-2 > missed[1]


@pytest.mark.parametrize("rate", [0.0, 4.0])
def test_a_step_is_of_its_order_and_its_error_is_estimated(bench, rate):
    check_order(bench, "rosenbrock", 0.0, rate)


def test_an_exponential_step_is_of_its_order_and_its_error_is_estimated(small):
    """It is exact for linear rates, so the slopes have to change."""
    check_order(small, "exponential", 0.5, 4.0)


def test_an_exponential_step_is_exact_where_rates_are_linear(small):
    """Of any length, under held and moving inputs."""
    for h in (1e-3, 0.1, 30.0):
        for rate in (0.0, 4.0):
            law = (3.0, 0.0, 2.0, 1.0, 0.0)
            end, error = one_step(small, "exponential", law, h, 1.0, rate)
            true = exact(law, h, 1.0, rate)[0][: small.states]
            assert end == pytest.approx(true, rel=1e-12) and error < 1e-6


@pytest.mark.parametrize("size", [1e-9, 0.1, 3.0, 50.0, 400.0])
def test_functions_of_a_matrix_are_those_of_its_exponential(small, size):
    """phi_k(z) is a block of the exponential of a larger matrix; too large arguments are
    refused."""
    draw, n = np.random.default_rng(3), small.states
    for trial in range(20):
        z = draw.uniform(-1, 1, (n, n)) - 2 * np.eye(n)
        z *= -1 if trial % 4 == 0 and size < 10 else 1
        z *= size / np.abs(z).sum()
        found = numbers(*[0.0] * (6 * n * n))
        assert small.bench_phi(numbers(*z.ravel()), found) == 0
        for part, first, count in ((1.0, 0, 4), (0.5, 4, 2)):
            large = np.zeros(((count + 1) * n,) * 2)
            large[:n, :n] = part * z
            for k in range(count):
                large[k * n : (k + 1) * n, (k + 1) * n : (k + 2) * n] = np.eye(n)
            true = expm(large)[:n, n:].reshape(n, count, n).transpose(1, 0, 2)
            near = np.array(found).reshape(6, n, n)[first : first + count]
            assert near == pytest.approx(true, rel=1e-12, abs=1e-15)
    assert small.bench_phi(numbers(*(500 * np.eye(n)).ravel()), found) == 1


def loop_step(bench, law, h, rate, speed=1.0, mass=2.0, load=(5.0, -3.0, 1.0)):
    x, dv = numbers(*START), numbers(0, 0, 0)
    error = bench.bench_loop(
        numbers(*law),
        numbers(*SPEED, 1.0),
        numbers(0, 0, 0, rate),
        numbers(*load),
        number(mass),
        number(speed),
        number(h),
        x,
        dv,
    )
    return np.concatenate([x, dv]), np.concatenate(exact(law, h, 1.0, rate, load, mass)), error


@pytest.mark.parametrize("rate", [0.0, 4.0])
def test_a_step_with_the_body_is_of_its_order_and_its_error_is_estimated(bench, rate):
    """Order 3, whose local error falls by 16 when the step is halved, and an estimate of order 2,
    by 8: a quarter less for higher terms; in states and velocities, also with a moving normal
    force."""
    law, missed, estimated = (3.0, 0.0, 2.0, 6.0, 1.0), [], []
    for h in (0.02, 0.01):
        end, expected, error = loop_step(bench, law, h, rate)
        missed.append(abs(end - expected))
        estimated.append(error)
    assert (missed[0] < 1e-6).all() and missed[0].max() / missed[1].max() > 12
    assert estimated[0] / estimated[1] > 6 and estimated[1] * 1e-4 > missed[1].max()


def test_errors_of_the_velocity_and_of_the_states_both_count(bench):
    """Those of the velocity relative to the change that matters and to the velocity itself; the
    states do not depend on that."""
    moved = [
        loop_step(bench, (3.0, 0.0, 2.0, 6.0, 40.0), 0.02, 0.0, speed)[2] for speed in (1e-3, 1e3)
    ]
    assert moved[0] > 2 * moved[1]
    assert loop_step(bench, (60.0, 0.0, 2.0, 1e-9, 0.0), 0.02, 0.0, 1e3)[2] > 1


@pytest.mark.parametrize("h", [0.5, 2.0**-10])
def test_a_trial_step_that_is_not_finite_is_made_shorter(bench, h):
    """Its matrix is singular if a state grows at the rate 4/h; the step succeeds nevertheless, of
    any length."""
    law, x = (-4.0 / h, 0.0, 0.0, 1.0, 0.0), numbers(*START)
    assert not math.isfinite(one_step(bench, "rosenbrock", law, h)[1])
    assert bench.bench_advance(
        numbers(*law), numbers(*SPEED, 1.0), numbers(0, 0, 0, 0), number(1e-9), number(h), x
    )
    assert np.array(x) == pytest.approx(exact(law, h, 1.0, 0.0)[0], rel=1e-6)


@pytest.mark.parametrize("normal", [1.0, -1.0])
def test_an_event_in_a_step_with_the_body_is_located(bench, normal):
    law, h, resolution = (3.0, 0.0, 2.0, 6.0, 1.0), 0.02, 1e-6
    found = bench.bench_located(
        numbers(*law),
        numbers(*SPEED, normal),
        numbers(0, 0, 0, -normal / 7e-3),
        number(h),
        number(resolution),
    )
    assert 0 <= found - 7e-3 <= resolution


# states that follow a moving value


@pytest.fixture
def follow(bench):
    """Calls tracking_change() of solver/linear_steps.c: the change of a state over a step, and its
    error, from rates b and values z at four points."""

    def call(b, z, h):
        error = number(0.0)
        change = bench.bench_tracking(numbers(*b), numbers(*z), number(h), ctypes.byref(error))
        return change, error.value

    return call


def change_of(b, z, h):
    """Computes the same by quadrature: dx/dt = b (z - x) from 0, with polynomials of t/h, is the
    integral of exp(phase - phase at the end) b z."""
    places, weights = np.polynomial.legendre.leggauss(60)
    part, phase = 0.5 * (places + 1), h * np.polyint(b)
    return (
        0.5
        * h
        * np.sum(
            weights
            * np.exp(np.polyval(phase, part) - np.polyval(phase, 1.0))
            * np.polyval(b, part)
            * np.polyval(z, part)
        )
    )


@pytest.mark.parametrize("rate", [1.5, 4.0, 30.0])
@pytest.mark.parametrize(
    "z",
    [(1.0,), (2.0, -1.0), (0.5, 1.0, -0.3), (1.0, -2.0, 0.7, 0.4)],
    ids=["constant", "line", "parabola", "cubic"],
)
def test_a_value_that_moves_is_followed_exactly_up_to_a_cubic(follow, rate, z):
    """With a constant rate; the error is the difference between cubic and parabola, so it is zero
    up to a parabola."""
    parts, h = (0, 1 / 3, 2 / 3, 1), 0.25
    change, error = follow([rate / h] * 4, [np.polyval(z, part) for part in parts], h)
    assert change == pytest.approx(change_of([rate / h], z, h), abs=1e-10)
    if len(z) < 4:
        assert error == pytest.approx(0, abs=1e-13)
    else:
        curve = np.polyfit(parts[1:], [np.polyval(z, part) for part in parts[1:]], 2)
        assert error == pytest.approx(abs(change - change_of([rate / h], curve, h)), rel=1e-6)


@pytest.mark.parametrize("slope", [-0.5, 0.0, 0.5])
@pytest.mark.parametrize(
    "b",
    [(1.0, 1.0), (0.6, 0.2, 1.0), (0.4, -0.3, 0.2, 1.0), (0.9, -0.4, 0.2, 0.1, 1.0)],
    ids=["line", "parabola", "cubic", "quartic"],
)
def test_a_rate_that_changes_is_followed_closely_and_its_error_is_estimated(follow, slope, b):
    """The three-eighths rule is exact for the phase at the end, the phases inside are those of
    parabolas: the error is within twice the estimate."""
    parts, h = (0, 1 / 3, 2 / 3, 1), 1.0
    b, z = tuple(3 * value for value in b), (slope, 1.0)
    change, error = follow(
        [np.polyval(b, part) for part in parts], [np.polyval(z, part) for part in parts], h
    )
    missed = abs(change - change_of(b, z, h))
    assert missed <= 2 * error + 1e-12  # rounding
    if len(b) >= 4:
        assert error > 1e-4, "a rate that parabolas do not integrate"
    elif slope == 0:
        assert error == pytest.approx(0, abs=1e-12), "a rate that they integrate"


@pytest.mark.parametrize(
    "b", [(3.0, 3.0), (1.8, 0.6, 3.0), (1.2, -0.9, 0.6, 3.0)], ids=["line", "parabola", "cubic"]
)
def test_a_cubic_of_the_phase_is_followed_exactly_while_the_rate_changes(follow, b):
    """The phases at the points are exact for rates up to a cubic, and so is the change for a value
    that is a cubic of them."""
    phase, z = np.poly1d(np.polyint(b)), np.poly1d((0.02, -0.1, 0.3, 1.0))
    parts = np.array([0, 1 / 3, 2 / 3, 1])
    change, _ = follow(np.polyval(b, parts), z(phase(parts)), 1.0)
    assert change == pytest.approx(change_of(b, z(phase), 1.0), rel=1e-10)


@pytest.mark.fmus(lambda d: "stictionDisplacement" in d)
@pytest.mark.parametrize("full", [1e-5, 1e-8])
def test_a_displacement_is_exact_against_the_one_that_carries_the_limit(fmu, full):
    """However far that is below the nominal value. A velocity that falls linearly from 10 to -8
    lengths per second holds the displacement at its limit until it reverses, and takes it back by
    16/9 of that; each of ten steps may miss it by half a tolerance."""
    with fmu.co_simulation() as instance:
        instance.start({"stictionDisplacement": full, "normalForce": NORMAL}, tolerance=1e-6)
        for n in range(10):
            instance.set({"relativeVelocity": full * (10 - 1.8 * n)})
            instance.set_input_derivative("relativeVelocity", -18 * full)
            instance.step(0.1, time=0.1 * n)
        assert instance.get(fmu.description.states[0].name) == pytest.approx(
            -7 / 9 * full, abs=5e-6 * full
        )


@pytest.mark.parametrize("steepness", [0.05, 0.5])
@pytest.mark.parametrize(("slope", "bent"), [(-0.7, 0.4), (-2.0, 0.0)], ids=["both", "rate"])
def test_a_bend_costs_a_slow_state_no_more_than_is_reported(bench, steepness, slope, bent):
    """Like that of |v| at a reversal, anywhere in the step: in the rate b, and in the rate f of the
    state itself."""
    places, weights = np.polynomial.legendre.leggauss(40)
    for bend in np.linspace(0.01, 0.99, 99):

        def b(part, bend=bend):
            return steepness * abs(part - bend) / max(bend, 1 - bend)

        def f(part, bend=bend):
            return 1.0 + slope * part + bent * abs(part - bend)

        change = 0.0
        for begin, end in ((0.0, bend), (bend, 1.0)):
            part = begin + 0.5 * (end - begin) * (places + 1)
            left = (
                steepness
                / max(bend, 1 - bend)
                * 0.5
                * ((1 - bend) ** 2 - (part - bend) * abs(part - bend))
            )
            change += 0.5 * (end - begin) * np.sum(weights * np.exp(-left) * f(part))
        parts, error = np.array([0, 1 / 3, 2 / 3, 1]), number(0.0)
        found = bench.bench_slow(
            numbers(*b(parts)), numbers(*f(parts)), number(1.0), ctypes.byref(error)
        )
        assert abs(found - change) <= error.value + 1e-12, bend  # rounding


# extreme parameters


def corners(variable):
    """Returns the limits of a parameter and its start; without an upper limit, a thousand times its
    start."""
    start = variable.start
    low = variable.min if variable.min is not None else start
    high = variable.max if variable.max is not None else (1e3 * start if start > 0 else start)
    return [low, start, high]


def pairwise(variables, draw, tries=12):
    """Finds greedily sets of parameters in which (nearly) every pair of corners of two parameters
    occurs."""
    choices = {v.name: corners(v) for v in variables}
    wanted = {
        ((a, x), (b, y))
        for a, b in itertools.combinations(choices, 2)
        for x in set(choices[a])
        for y in set(choices[b])
    }
    while wanted:
        (a, x), (b, y) = draw.choice(sorted(wanted))
        best = max(
            (
                {name: draw.choice(values) for name, values in choices.items()} | {a: x, b: y}
                for _ in range(tries)
            ),
            key=lambda one: sum(one[p] == q and one[r] == s for (p, q), (r, s) in wanted),
        )
        wanted = {pair for pair in wanted if not all(best[name] == value for name, value in pair)}
        yield best


def motions(description, draw):
    """Yields steps with held and moving inputs: rest, creep, fast, reversal, touch-down and
    lift-off."""
    for size in (1e-3, 1.0):
        begin = {
            v.name: draw.choice([0.0, 1e-6, -1e-3, 0.02, -1.0, 10.0]) for v in description.inputs
        }
        end = {v.name: draw.choice([begin[v.name], 0.0, -0.02, 1.0]) for v in description.inputs}
        if "normalForce" in begin:
            begin["normalForce"], end["normalForce"] = draw.choice(
                [(10.0, 10.0), (10.0, 0.0), (0.0, 100.0), (100.0, -1.0), (1e-6, 1e-6)]
            )
        yield size, begin, {name: (end[name] - begin[name]) / size for name in begin}


SETS = 40  # of the pairwise sets, drawn for each model: all of them over all models


@pytest.mark.fmus(lambda d: bool(d.states) and not any(v.base for v in d.inputs))
def test_no_corner_of_the_parameters_makes_a_step_fail(fmu):
    """Two parameters that break a rule between them are swapped; sets still refused do not
    count."""
    d = fmu.description
    draw = random.Random(f"corners {d.name}")
    variables = [v for v in d.real_parameters if not v.name.partition("[")[0].endswith("Start")]
    sets = list(pairwise(variables, draw))
    draw.shuffle(sets)
    tried, most = 0, some_of(SETS)
    with fmu.co_simulation() as instance:
        for values in sets:
            for _ in range(6):
                instance.demand("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0)
                instance.set(values)
                instance.demand("fmi2EnterInitializationMode")
                status = instance.fmi2ExitInitializationMode()
                if status == OK:
                    break
                instance.demand("fmi2Reset")
                one, two = re.match(
                    r"(\S+) = \S+ must be .* (\S+) = \S+$", instance.messages[-1].text
                ).groups()
                values[one], values[two] = values[two], values[one]
            if status == OK:
                instance.time = 0.0
                for size, inputs, rates in motions(d, draw):
                    instance.set(inputs)
                    for name, rate in rates.items():
                        instance.set_input_derivative(name, rate)
                    status = instance.fmi2DoStep(instance.time, size, 1)
                    assert status == OK, (values, inputs, rates, size, instance.messages[-1:])
                    instance.time += size
                    assert all(math.isfinite(instance.get(v.name)) for v in d.outputs)
                tried += 1
            instance.demand("fmi2Reset")
            if tried == most:
                break
    assert tried >= min(most, len(sets)) / 2
