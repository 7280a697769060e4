"""The solver of co-simulation where it is hard: short overloads, swings that are too fast, every corner of the parameters, what it tells."""

import ctypes
import itertools
import math
import random
import re
import subprocess

import numpy as np
import pytest

from fmus import REPOSITORY
from fmi2 import CO_SIMULATION, OK
from prescribed import MODEL_1, NORMAL, parameters_for

STICK = 2
IMPLICIT = pytest.mark.fmus(lambda d: d.name == "ImplicitBristle")
BRISTLE = pytest.mark.fmus(lambda d: d.name in ("ImplicitBristle", "SecondOrderBristle"))


# overloads that come and go within a step

@IMPLICIT
@pytest.mark.parametrize("size", [1.0, 0.1])
@pytest.mark.parametrize("peak, over, fall", [(9 / 16, 1.011, 1.5), (0.5, 1.5, 1.9), (0.1875, 1.01, 1.9), (0.69, 1.005, 1.9)])
def test_an_overload_between_two_looks_is_found(fmu, size, peak, over, fall):
    """A velocity that falls through zero: in stick the force is a parabola, which passes the limit by little for a short time. Error control sees
    nothing, because a parabola is integrated exactly. As the same in a thousand steps."""
    p = parameters_for(fmu, MODEL_1)
    stiffness, damping, limit = p["bristleStiffness"], p["bristleDamping"], p["staticFriction"] * NORMAL
    top = peak * size
    rate = -2 * fall * limit / (stiffness * (max(peak, 1 - peak) * size) ** 2)  # the force falls by that part of the limit on the longer side
    velocity = -damping * rate / stiffness - rate * top
    deflection = (over * limit - damping * (velocity + rate * top)) / stiffness - (velocity * top + rate * top ** 2 / 2)
    ends = []
    for steps, tolerance in ((1, 1e-6), (1000, 1e-9)):
        with fmu.co_simulation() as instance:
            instance.start({**p, "bristleDeflectionStart": deflection, "normalForce": NORMAL, "relativeVelocity": velocity}, tolerance=tolerance)
            assert instance.get("mode") == STICK
            instance.set_input_derivative("relativeVelocity", rate)
            for i in range(steps):
                instance.step(size / steps, time=i * size / steps)
            ends.append(instance.get("bristleDeflection"))
    sticking = deflection + velocity * size + rate * size ** 2 / 2
    scale = 1e-6 * (fmu.description["bristleDeflection"].nominal + abs(ends[1]))
    assert abs(sticking - ends[1]) > 100 * scale, "the overload has to leave a trace"
    assert abs(ends[0] - ends[1]) <= 10 * scale


# swings that no step can follow

@BRISTLE
@pytest.mark.parametrize("stiffness, size", [(3.9e6, 1.0), (3.9e8, 0.01), (3.9e10, 1.0)])
@pytest.mark.parametrize("exponent", [1.0, 20.0])
def test_a_swing_that_is_too_fast_to_be_followed_costs_no_step(fmu, stiffness, size, exponent):
    """On the falling part of the curve a stiff bristle swings for ever. Each step is made, the force stays within the law, and it is told once."""
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start({"bristleStiffness": stiffness, "stribeckExponent": exponent, "normalForce": 100.0, "relativeVelocity": 0.01675}, tolerance=1e-6)
        for _ in range(2):
            instance.step(size)
        limit = instance.get("staticFriction") * 100.0
        damping = instance.get("bristleDamping")
        assert abs(instance.get("bristleDeflection")) * stiffness <= limit * (1 + 1e-6) + damping * 0.1
        assert len([m for m in instance.messages if "swings" in m.text]) <= 1


STIFF = {"bristleStiffness": 3.9e8, "normalForce": 100.0, "relativeVelocity": 0.01675}


def swung(fmu, step, **parameters):
    """A stiff bristle on the falling part of the curve, after three steps: all numbers, and what was told about the work."""
    with fmu.co_simulation() as instance:
        instance.demand("fmi2SetDebugLogging", 1, 0, None)
        instance.start(STIFF | parameters, tolerance=1e-6)
        for _ in range(3):
            instance.step(step)
        limit = instance.get("staticFriction") * 100.0 + instance.get("bristleDamping") * 0.1
        assert abs(instance.get("bristleDeflection")) * STIFF["bristleStiffness"] <= limit * (1 + 1e-6)
        return instance.get_reals([v.reference for v in fmu.description.reals]), [m.text for m in instance.messages if "bounded work" in m.text]


@BRISTLE
def test_the_work_of_a_step_can_be_capped(fmu):
    """One that needs hundreds of substeps is finished coarsely with 20, is told once, and stays within the law; one that needs fewer is as it was."""
    free, told = swung(fmu, 1e-5)
    assert not told
    assert swung(fmu, 1e-5, maximumSubsteps=30000) == (free, [])
    capped, told = swung(fmu, 1e-5, maximumSubsteps=20)
    assert len(told) == 1 and capped != free
    assert swung(fmu, 1e-5, maximumSubsteps=1)[1]


@BRISTLE
def test_the_work_of_a_coupled_step_can_be_capped(fmu):
    free, told = swung(fmu, 1e-5, couplingMass=1.0)
    assert not told
    assert swung(fmu, 1e-5, couplingMass=1.0, maximumSubsteps=2000) == (free, [])
    assert len(swung(fmu, 1e-5, couplingMass=1.0, maximumSubsteps=1)[1]) == 1


# what the log says

@IMPLICIT
def test_events_inside_a_step_are_told_with_their_time_and_modes(fmu):
    """Pulled with a constant velocity v: stick ends where sigma0 v t + sigma1 v passes the limit."""
    p = parameters_for(fmu, MODEL_1)
    velocity = 1e-3
    breaking = (p["staticFriction"] * NORMAL - p["bristleDamping"] * velocity) / (p["bristleStiffness"] * velocity)
    told = {}
    for logging in (False, True):
        with fmu.co_simulation() as instance:
            if logging:
                instance.demand("fmi2SetDebugLogging", 1, 1, (ctypes.c_char_p * 1)(b"logEvents"))
            instance.start({**p, "normalForce": NORMAL, "relativeVelocity": velocity}, time=5.0, tolerance=1e-8)
            instance.step(2 * breaking)
            told[logging] = [m.text for m in instance.messages if m.category == "logEvents"], instance.snapshot()
    assert told[False][0] == [] and told[False][1] == told[True][1]
    found = re.fullmatch(r"At time (\S+) mode goes from Stick to (Slow)?Slip\.", told[True][0][0])
    assert found and float(found.group(1)) - 5.0 == pytest.approx(breaking, rel=1e-5)


@pytest.mark.fmus(lambda d: bool(d.modes))
def test_lift_off_is_told_in_both_kinds(fmu, kind):
    """And a step that is discarded tells nothing."""
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
        assert lines and all(re.fullmatch(r"At time \S+ \S+ goes from \w+ to Separated\.", line) for line in lines)
        if kind == CO_SIMULATION:
            assert all(float(line.split()[2]) == pytest.approx(0.01, rel=1e-6) for line in lines)


# linear equations

def test_linear_equations_are_solved_whatever_their_diagonal(tmp_path):
    """The solver's own elimination: matrices with zeros and tiny numbers on the diagonal."""
    program = """
enum { N_STATES = 4, MATRIX_ROOM = N_STATES };
#include "solver/matrix.c"
#include <stdio.h>
int main(void) {
    unsigned seed = 1;
    double worst = 0;
    for (int trial = 0; trial < 200; trial++) {
        double A[MATRIX_ROOM][MATRIX_ROOM], W[MATRIX_ROOM][MATRIX_ROOM], b[MATRIX_ROOM], x[MATRIX_ROOM];
        int row[MATRIX_ROOM];
        for (int i = 0; i < N_STATES; i++) {
            for (int j = 0; j < N_STATES; j++) {
                seed = seed * 1664525u + 1013904223u;
                A[i][j] = W[i][j] = i == j ? (trial % 2 ? 0 : 1e-17) : 1 + (seed >> 8) / 16777216.0 + (j < i);
            }
            b[i] = i + 1;
        }
        factorize(N_STATES, W, row);
        back_substitute(N_STATES, W, row, b, x);
        for (int i = 0; i < N_STATES; i++) {
            double left = -b[i];
            for (int j = 0; j < N_STATES; j++) left += A[i][j] * x[j];
            worst = left == left ? fmax(worst, fabs(left)) : 1e9;
        }
    }
    printf("%g", worst);
    return 0;
}
"""
    (tmp_path / "main.c").write_text(program)
    subprocess.run(["gcc", "-w", "-std=c99", f"-I{REPOSITORY / 'fmu_src'}", "-o", str(tmp_path / "main"), str(tmp_path / "main.c"), "-lm"], check=True)
    found = subprocess.run([str(tmp_path / "main")], capture_output=True, text=True, check=True)
    assert float(found.stdout) < 1e-12  # of numbers of order one


# states that follow a value which moves

FOLLOWED = """
enum { N_STATES = 1, STATE_ROOM = 1 };
typedef struct { double x; } States;
typedef struct { double t; States x; int m; States f; double J[1][1]; } Point;
typedef struct { int held; } Motion;
static Point point_at(const Motion *m, double t, const States *x, const int *n) { Point p; (void)m; (void)t; (void)x; (void)n; return p; }
static void allowed_errors(const Motion *m, const Point *p, double h, const States *x, double *a) { (void)m; (void)p; (void)h; (void)x; (void)a; }
static double scaled_error(const double *e, const double *x, const double *a) { (void)e; (void)x; (void)a; return 0; }
#include "solver/exponential.c"
double follow(const double *b, const double *z, double h, double *error) { return followed(b, z, h, error); }
"""


@pytest.fixture(scope="module")
def follow(tmp_path_factory):
    """followed() of solver/exponential.c: the way of a state over a step, and its error, from rates b and values z at four points."""
    folder = tmp_path_factory.mktemp("followed")
    (folder / "followed.c").write_text(FOLLOWED)
    subprocess.run(["gcc", "-w", "-std=c99", "-O1", "-fPIC", "-shared", f"-I{REPOSITORY / 'fmu_src'}", "-o", str(folder / "followed.so"),
                    str(folder / "followed.c"), "-lm"], check=True)  # fmt: skip
    function = ctypes.CDLL(str(folder / "followed.so")).follow
    function.restype, function.argtypes = ctypes.c_double, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p)

    def call(b, z, h):
        error = ctypes.c_double()
        way = function((ctypes.c_double * 4)(*b), (ctypes.c_double * 4)(*z), h, ctypes.byref(error))
        return way, error.value

    return call


def way_of(b, z, h):
    """The same by quadrature: dx/dt = b (z - x) from 0, with polynomials of t/h, is the integral of exp(phase - phase at the end) b z."""
    places, weights = np.polynomial.legendre.leggauss(60)
    part, phase = 0.5 * (places + 1), h * np.polyint(b)
    return 0.5 * h * np.sum(weights * np.exp(np.polyval(phase, part) - np.polyval(phase, 1.0)) * np.polyval(b, part) * np.polyval(z, part))


@pytest.mark.parametrize("rate", [1.5, 4.0, 30.0])
@pytest.mark.parametrize("z", [(1.0,), (2.0, -1.0), (0.5, 1.0, -0.3), (1.0, -2.0, 0.7, 0.4)], ids=["constant", "line", "parabola", "cubic"])
def test_a_value_that_moves_is_followed_exactly_up_to_a_cubic(follow, rate, z):
    """With a steady rate; the error is what the cubic does better than a parabola, so it is none up to there."""
    parts, h = (0, 1 / 3, 2 / 3, 1), 0.25
    way, error = follow([rate / h] * 4, [np.polyval(z, part) for part in parts], h)
    assert way == pytest.approx(way_of([rate / h], z, h), abs=1e-10)
    if len(z) < 4:
        assert error == pytest.approx(0, abs=1e-13)
    else:
        curve = np.polyfit(parts[1:], [np.polyval(z, part) for part in parts[1:]], 2)
        assert error == pytest.approx(abs(way - way_of([rate / h], curve, h)), rel=1e-6)


@pytest.mark.parametrize("slope", [-0.5, 0.5])
@pytest.mark.parametrize("b", [(1.0, 1.0), (0.6, 0.2, 1.0), (0.4, -0.3, 0.2, 1.0)], ids=["line", "parabola", "cubic"])
def test_a_rate_that_changes_is_followed_closely_and_its_error_is_seen(follow, slope, b):
    """Three eighths of the rate are exact for the phase at the end, the phases inside are those of parabolas: what is missed is within twice the
    error that is told."""
    parts, h = (0, 1 / 3, 2 / 3, 1), 1.0
    b, z = tuple(3 * value for value in b), (slope, 1.0)
    way, error = follow([np.polyval(b, part) for part in parts], [np.polyval(z, part) for part in parts], h)
    missed = abs(way - way_of(b, z, h))
    assert missed <= 2 * error
    if len(b) == 4:
        assert error > 1e-4, "a rate that parabolas miss"


# every corner of the parameters

def corners(variable):
    """The limits of a parameter and its start; where there is no upper limit, a thousand times its start."""
    start = variable.start
    low = variable.min if variable.min is not None else start
    high = variable.max if variable.max is not None else (1e3 * start if start > 0 else start)
    return [low, start, high]


def pairwise(variables, draw, tries=12):
    """Sets of parameters in which (nearly) every pair of corners of two parameters meets, found greedily."""
    choices = {v.name: corners(v) for v in variables}
    wanted = {((a, x), (b, y)) for a, b in itertools.combinations(choices, 2) for x in set(choices[a]) for y in set(choices[b])}
    while wanted:
        (a, x), (b, y) = draw.choice(sorted(wanted))
        best = max(({name: draw.choice(values) for name, values in choices.items()} | {a: x, b: y} for _ in range(tries)),
                   key=lambda one: sum(one[p] == q and one[r] == s for (p, q), (r, s) in wanted))
        wanted = {pair for pair in wanted if not all(best[name] == value for name, value in pair)}
        yield best


def motions(description, draw):
    """Steps with held and moving inputs: rest, creep, fast, reversal, touch-down and lift-off."""
    for size in (1e-3, 1.0):
        begin = {v.name: draw.choice([0.0, 1e-6, -1e-3, 0.02, -1.0, 10.0]) for v in description.inputs}
        end = {v.name: draw.choice([begin[v.name], 0.0, -0.02, 1.0]) for v in description.inputs}
        if "normalForce" in begin:
            begin["normalForce"], end["normalForce"] = draw.choice([(10.0, 10.0), (10.0, 0.0), (0.0, 100.0), (100.0, -1.0), (1e-6, 1e-6)])
        yield size, begin, {name: (end[name] - begin[name]) / size for name in begin}


SETS = 40  # of the pairwise sets, drawn anew for each model: all of them over all models


@pytest.mark.fmus(lambda d: bool(d.states) and not any(v.base for v in d.inputs))
def test_no_corner_of_the_parameters_makes_a_step_fail(fmu):
    """Two parameters that break a rule between them change places; what is refused then does not count."""
    d = fmu.description
    draw = random.Random(f"corners {d.name}")
    variables = [v for v in d.real_parameters if not v.name.partition("[")[0].endswith("Start")]
    sets = list(pairwise(variables, draw))
    draw.shuffle(sets)
    tried = 0
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
                one, two = re.match(r"(\S+) = \S+ must be .* (\S+) = \S+$", instance.messages[-1].text).groups()
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
            if tried == SETS:
                break
    assert tried >= min(SETS, len(sets)) / 2
