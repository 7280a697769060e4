"""Loads and friction together: a mechanism whose joints are pressed by their reactions, gears that
hold or drop their load, a band brake."""

import math
import subprocess
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from fmus import FMUS, TWINS, need_all_fmus
from reference import references

from bristle import papers
from test_rig import RIG

need_all_fmus()

PRESENT = {fmu.name: fmu for fmu in [*FMUS, *(twin for twin, _ in TWINS)]}


def needs(*names):
    return pytest.mark.skipif(not set(names) <= PRESENT.keys(), reason=f"needs {', '.join(names)}")


def starts(name):
    """The parameters of an element as it comes."""
    return {v.name: v.start for v in PRESENT[name].description.parameters}


# ---- the slider-crank: coordinates of every body and a constraint for every joint ----

CRANK, ROD, MASSES, HEIGHT, GRAVITY = 0.1, 0.3, (1.0, 1.0, 2.0), 0.02, 9.81
DRIVE, FREQUENCY, FORCE, START = 3.0, 4.0, -20.0, 0.8
RADIUS = 0.01
JOINTS = ("main", "crank", "wrist", "guide")
INERTIAS = (MASSES[0] * CRANK**2 / 12, MASSES[1] * ROD**2 / 12, 1.0)  # the slider does not turn


class Mechanism:
    """x, y and angle of crank, rod and slider, with what keeps their joints together: M a = f + G^T
    s, G a = g, friction in f.

    Accelerations and constraint forces are linear in the friction of the four joints; friction
    follows from the constraint forces by the independent laws of tests/support/reference, and
    repeated substitution finds what fits together.
    """

    def __init__(self, element):
        self.law = references(element)
        self.surface = starts(element)
        self.pin, self.guide = references("PinLoad"), references("GuideLoad")
        self.of_pin, self.of_guide = starts("PinLoad"), starts("GuideLoad")
        self.states = [v.name for v in PRESENT[element].description.states]
        self.friction = np.zeros(4)

    @staticmethod
    def place(angle):
        """Coordinates at an angle of the crank."""
        end, rise = CRANK * math.cos(angle), CRANK * math.sin(angle)
        tilt = -math.asin(rise / ROD)
        return np.array(
            [
                end / 2,
                rise / 2,
                angle,
                end + ROD / 2 * math.cos(tilt),
                rise / 2,
                tilt,
                end + ROD * math.cos(tilt),
                0,
                0,
            ]
        )

    @staticmethod
    def rates(speeds):
        """Of the four joints, as they slide."""
        return np.array([speeds[2], speeds[5] - speeds[2], speeds[5] - speeds[8], speeds[6]])

    @staticmethod
    def constraints(q, speeds):
        """G and g, from the second derivative of every closed joint."""
        G, g = np.zeros((8, 9)), np.zeros(8)

        def arm(row, body, length, sign):
            """A point of a body at this length along it, in the rows of its joint."""
            angle, rate = q[3 * body + 2], speeds[3 * body + 2]
            for i, (along, across) in enumerate(
                ((math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle)))
            ):
                G[row + i, 3 * body + i] += sign
                G[row + i, 3 * body + 2] += sign * length * across
                g[row + i] += sign * length * along * rate**2

        arm(0, 0, -CRANK / 2, 1)
        arm(2, 0, CRANK / 2, 1)
        arm(2, 1, -ROD / 2, -1)
        arm(4, 1, ROD / 2, 1)
        arm(4, 2, 0, -1)
        G[6, 7] = G[7, 8] = 1
        return G, g

    def solved(self, t, q, speeds):
        """Accelerations and constraint forces without friction, and those of a unit of friction in
        each joint."""
        G, g = self.constraints(q, speeds)
        M = np.diag(
            [
                value
                for mass, inertia in zip(MASSES, INERTIAS, strict=True)
                for value in (mass, mass, inertia)
            ]
        )
        forces = np.zeros((9, 5))
        forces[[1, 4, 7], 0] = [-GRAVITY * mass for mass in MASSES]
        forces[2, 0] = DRIVE * math.sin(2 * math.pi * FREQUENCY * t)
        forces[6, 0] = FORCE
        forces[2, 1] = -1  # main pin, on the crank
        forces[[2, 5], 2] = 1, -1  # crank pin, on crank and rod
        forces[[5, 8], 3] = -1, 1  # wrist pin, on rod and slider
        forces[[6, 8], 4] = -1, -HEIGHT  # guide, below the wrist pin
        right = np.vstack([forces, np.zeros((8, 5))])
        right[9:, 0] = g
        return np.linalg.solve(np.block([[M, -G.T], [G, np.zeros((8, 8))]]), right)

    def normal_forces(self, reactions, position):
        def inputs(force, moment=(0, 0, 0)):
            return {
                f"{name}[{i}]": value
                for name, values in (("reactionForce", force), ("reactionMoment", moment))
                for i, value in enumerate(values, 1)
            }

        pins = [
            self.pin.evaluate(self.of_pin, inputs((*reactions[2 * j : 2 * j + 2], 0)), {})
            for j in range(3)
        ]
        guide = self.guide.evaluate(
            self.of_guide,
            inputs((0, reactions[6], 0), (0, 0, reactions[7])) | {"slidePosition": position},
            {},
        )
        return [outputs["normalForce"] for _, outputs in (*pins, guide)]

    def answers(self, normal, rates, states):
        """Friction torque or force of each joint, and the rates of its states."""
        friction, derivatives = np.zeros(4), []
        for j in range(4):
            radius = RADIUS if j < 3 else 1.0
            x = dict(zip(self.states, states[j], strict=True))
            u = {"normalForce": normal[j], "relativeVelocity": radius * rates[j]}
            dx, outputs = self.law.evaluate(self.surface, u, x)
            friction[j] = radius * outputs["frictionForce"]
            derivatives += [dx[name] for name in self.states]
        return friction, derivatives

    def rhs(self, t, y):
        q, speeds, states = y[:9], y[9:18], y[18:].reshape(4, -1)
        solved = self.solved(t, q, speeds)
        rates = self.rates(speeds)
        for _ in range(200):
            all_in = solved @ [1, *self.friction]
            friction, derivatives = self.answers(
                self.normal_forces(all_in[9:], q[6]), rates, states
            )
            change = np.abs(friction - self.friction).max()
            self.friction = friction
            if change <= 1e-12 * np.abs(friction).max():
                break
        return np.concatenate([speeds, all_in[:9], derivatives])

    def run(self, times):
        y = np.concatenate([self.place(START), np.zeros(9 + 4 * len(self.states))])
        sizes = np.concatenate([np.full(18, 1e-8), np.full(4 * len(self.states), 1e-12)])
        solution = solve_ivp(
            self.rhs, (times[0], times[-1]), y, method="LSODA", rtol=1e-7, atol=sizes, t_eval=times
        )
        assert solution.success
        return solution.y


@cache
def by_constraints(element, stop):
    return Mechanism(element).run(np.linspace(0, stop, 31))


CRANKS = [
    pytest.param(
        element,
        stop,
        marks=[
            needs("PinLoad", "GuideLoad", element, f"{element}Rotational"),
            pytest.mark.xdist_group(f"crank {element}"),
        ],
    )
    for element, stop in (("LuGreVelocityDamping", 0.2), ("SmoothCoulomb", 1.0))
]


@pytest.mark.parametrize("element, stop", CRANKS)
def test_a_slider_crank_in_model_exchange_moves_as_its_constraints_say(element, stop, tmp_path):
    """The rig solves the loop of reactions and friction by Newton's method. Both integrate to 1e-7
    or better; the motion makes an error ten times larger."""
    file = tmp_path / "crank.csv"
    words = [
        "--set",
        f"frictionRadius={RADIUS}",
        "--stop",
        stop,
        "--output-interval",
        stop / 30,
        "-o",
        file,
    ]
    run = subprocess.run(
        [RIG, "slider_crank", PRESENT[element].path, *map(str, words)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    columns, y = papers.read_csv(file)[element], by_constraints(element, stop)
    assert columns["angle"] == pytest.approx(y[2], abs=1e-5)
    assert columns["sliderPosition"] == pytest.approx(y[6], abs=1e-6)
    assert np.ptp(columns["angle"]) > 1 and columns["loss"][-1] > 0.5, (
        "it moves, and friction matters"
    )


# Laws whose damper answers a change of the normal force by more than the loop bears; with less
# damping they run, but for the last.
DAMPED = ("ElastoPlastic", "Leuven", "LuGre", "ImplicitBristle")


@pytest.mark.endurance
@pytest.mark.fmus(
    lambda d: (
        {v.name for v in d.inputs} == {"normalForce", "relativeVelocity"}
        and f"{d.identifier}Rotational" in PRESENT
    )
)
def test_every_element_that_needs_no_load_runs_in_the_slider_crank(fmu):
    if "PinLoad" not in PRESENT or "GuideLoad" not in PRESENT:
        pytest.skip("no loads in the folder")
    words = [
        RIG,
        "slider_crank",
        fmu.path,
        "--set",
        f"frictionRadius={RADIUS}",
        "--tolerance",
        "1e-6",
    ]
    if fmu.name in DAMPED:
        run = subprocess.run(words, capture_output=True, text=True)
        assert (
            run.returncode == 1
            and "the loads of the contacts cannot be found at t = " in run.stderr
        )
        if fmu.name == DAMPED[-1]:
            return
        words += ["--set", "bristleDamping=10"]
    run = subprocess.run(words, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


SHARE, AT_ONCE = (
    1 / 4,
    2,
)  # four contacts move one body; the host applies a force in the step that has returned it


class Element:
    """An FMU in co-simulation."""

    def __init__(self, name, **values):
        self.instance = (
            PRESENT[name]
            .co_simulation()
            .start({n: v for n, v in values.items() if n in PRESENT[name].description})
        )

    def step(self, t, h, output, **inputs):
        self.instance.set(inputs)
        self.instance.step(h, t)
        return self.instance.get(output)


def by_steps(element, stop, h, coupled):
    """A host with a fixed step that hands over reactions, normal forces and friction once per step
    and holds friction over it."""
    mechanism, friction = Mechanism(element), np.zeros(4)
    angle, speed, rows = START, 0.0, []

    def solved(t, angle, speed):
        q = mechanism.place(angle)
        k = -math.cos(angle) * CRANK / (ROD * math.cos(q[5]))  # of the rod
        slide = -CRANK * math.sin(angle) - ROD * math.sin(q[5]) * k
        speeds = speed * np.array([-q[1], q[0], 1, (slide - 2 * q[1]) / 2, q[0], k, slide, 0, 0])
        return q, mechanism.rates(speeds), mechanism.solved(t, q, speeds)

    def acceleration(t, angle, speed):
        return (solved(t, angle, speed)[2] @ [1, *friction])[2]

    turns = [
        solved(0, angle, 0) for angle in np.linspace(0, 2 * math.pi, 37)
    ]  # what each contact moves at the least
    bodies = (
        SHARE
        * coupled
        / np.array(
            [
                max(-mechanism.rates(system[:9, j + 1])[j] for _, _, system in turns)
                for j in range(4)
            ]
        )
    )
    loads = [Element("PinLoad") for _ in range(3)] + [Element("GuideLoad")]
    joints = [
        Element(
            f"{element}Rotational",
            frictionRadius=RADIUS,
            couplingInertia=body,
            couplingTiming=AT_ONCE,
        )
        for body in bodies[:3]
    ]
    joints += [Element(element, couplingMass=bodies[3], couplingTiming=AT_ONCE)]
    for n in range(round(stop / h)):
        t = n * h
        rows.append(angle)
        q, rates, system = solved(t, angle, speed)
        reactions = (system @ [1, *friction])[9:]
        for j in range(4):
            given = {
                "reactionForce[2]": reactions[6],
                "reactionMoment[3]": reactions[7],
                "slidePosition": q[6],
            }
            if j < 3:
                given = {
                    "reactionForce[1]": reactions[2 * j],
                    "reactionForce[2]": reactions[2 * j + 1],
                }
            normal = loads[j].step(t, h, "normalForce", **given)
            rate, answer = (
                ("relativeAngularVelocity", "frictionTorque")
                if j < 3
                else ("relativeVelocity", "frictionForce")
            )
            friction[j] = joints[j].step(t, h, answer, normalForce=normal, **{rate: rates[j]})
        k = []  # Runge and Kutta's classical step of the host
        for part, last in ((0, 0), (0.5, 0), (0.5, 1), (1, 2)):
            da, dw = (0, 0) if part == 0 else k[last]
            k.append(
                (
                    speed + part * h * dw,
                    acceleration(t + part * h, angle + part * h * da, speed + part * h * dw),
                )
            )
        angle, speed = (
            x + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i])
            for i, x in enumerate((angle, speed))
        )
    return np.array([*rows, angle])


@pytest.mark.parametrize("element, stop", CRANKS)
def test_a_slider_crank_in_co_simulation_follows_within_a_hundredth_at_steps_of_a_millisecond(
    element, stop
):
    """Reactions and normal forces are a step old. With the bodies known, 0.03 and 0.13 % of the
    way; without, 0.04 and 0.43 %."""
    exact = by_constraints(element, stop)[2]
    angles = by_steps(element, stop, 1e-3, coupled=True)
    times = np.linspace(0, stop, exact.size)
    assert np.abs(
        np.interp(times, np.linspace(0, stop, angles.size), angles) - exact
    ).max() < 0.01 * np.ptp(exact)


# ---- gears and ropes, with friction that slides at one coefficient ----

COULOMB = {
    "staticFriction": 0.2,
    "dynamicFriction": 0.2,
    "viscousFriction": 0.0,
    "viscousDamping": 0.0,
    "bristleStiffness": 1e6,
    "bristleDamping": 1e3,
}
MOTOR, LOAD, WEIGHT = (
    0.02,
    0.05,
    3.0,
)  # inertias on the side of the load, and the torque that drives back


class Joint:
    """A rotational element in model exchange, whose one state is z."""

    def __init__(self, **values):
        self.instance = (
            PRESENT["LuGreRotational"]
            .model_exchange()
            .start(COULOMB | {"frictionRadius": 0.1} | values)
        )

    def torque(self, normal, speed, z):
        self.instance.set({"normalForce": normal, "relativeAngularVelocity": speed})
        self.instance.states = [z]
        return self.instance.get("frictionTorque"), self.instance.derivatives[0]


def worm(backward):
    """Angles and speeds after 0.1 and 0.2 s of a load that nobody holds: (J_m + J) dw/dt = -T_f -
    W, transmitted W + J dw/dt."""
    gear = (
        PRESENT["GearLoad"]
        .model_exchange()
        .start({"dynamicFriction": 0.2, "frictionRadius": 0.1, "backwardEfficiency": backward})
    )
    joint = Joint()

    def rhs(t, y):
        def acceleration(friction):
            return (-friction - WEIGHT) / (MOTOR + LOAD)

        def answer(friction):
            gear.set(
                {
                    "transmittedTorque": WEIGHT + LOAD * acceleration(friction),
                    "relativeAngularVelocity": y[1],
                }
            )
            return joint.torque(gear.get("normalForce"), y[1], y[2])

        friction = brentq(
            lambda friction: answer(friction)[0] - friction, -10 * WEIGHT, 10 * WEIGHT, xtol=1e-12
        )
        return [y[1], acceleration(friction), answer(friction)[1]]

    return solve_ivp(
        rhs,
        (0, 0.2),
        [0, 0, 0],
        method="LSODA",
        rtol=1e-8,
        atol=[1e-10, 1e-10, 1e-13],
        t_eval=[0.1, 0.2],
    ).y[:2]


@needs("GearLoad", "LuGreRotational")
@pytest.mark.parametrize("efficiency", [0.7, 0.2])
def test_a_worm_that_does_not_lock_lets_its_load_down_as_its_efficiency_says(efficiency):
    """dw/dt = -eta W/(J_m + eta J), once the bristle has yielded."""
    _, speeds = worm(efficiency)
    assert np.diff(speeds)[0] / 0.1 == pytest.approx(
        -efficiency * WEIGHT / (MOTOR + efficiency * LOAD), rel=1e-5
    )


@needs("GearLoad", "LuGreRotational")
@pytest.mark.parametrize("efficiency", [-0.1, -0.3])
def test_a_worm_that_locks_itself_holds_its_load(efficiency):
    """It gives way until the bristle is loaded, by some milliradians, and stays there; in 0.1 s one
    that does not lock would be ten times as far."""
    angles, speeds = worm(efficiency)
    assert -5e-3 < angles[0] < 0 and abs(np.diff(angles)[0]) < 1e-4 and abs(speeds[1]) < 1e-3


@needs("WrapLoad", "LuGreRotational")
@pytest.mark.parametrize("turns", [0.25, 0.75])
@pytest.mark.parametrize("direction", [1, -1])
def test_a_band_brake_stops_its_drum_by_the_law_of_euler(turns, direction):
    """J w/(r T (e^(mu theta) - 1)) forward, e^(mu theta) times that backward; model exchange, and
    co-simulation with a step of a millisecond."""
    angle, tension, inertia, start = 2 * math.pi * turns, 8.0, 0.1, 5.0
    rope = (
        PRESENT["WrapLoad"]
        .model_exchange()
        .start({"dynamicFriction": 0.2, "slackTension": tension, "wrapAngle": angle})
    )
    normal, values = (
        rope.get("normalForce"),
        {"backwardFrictionRatio": rope.get("backwardTensionRatio")},
    )
    force = tension * math.expm1(0.2 * angle) * (1 if direction > 0 else math.exp(-0.2 * angle))
    stops = inertia * start / (0.1 * force)
    values["bristleDeflectionStart"] = (
        direction * force / COULOMB["bristleStiffness"]
    )  # it slides already
    joint = Joint(**values)

    def rhs(t, y):
        torque, rate = joint.torque(normal, y[0], y[1])
        return [-torque / inertia, rate]

    stopped = lambda t, y: y[0] * direction - 1e-3 * start  # noqa: E731
    stopped.terminal = True
    found = solve_ivp(
        rhs,
        (0, 2 * stops),
        [direction * start, values["bristleDeflectionStart"]],
        method="LSODA",
        rtol=1e-8,
        atol=[1e-9, 1e-13],
        events=stopped,
    ).t[-1]
    assert found == pytest.approx(0.999 * stops, rel=1e-3)
    drum = Element(
        "LuGreRotational", couplingInertia=inertia, frictionRadius=0.1, **COULOMB, **values
    )
    speed, h, n = direction * start, 1e-3, 0
    while speed * direction > 1e-3 * start and n < 1e5:
        speed -= (
            h
            * drum.step(
                n * h, h, "frictionTorque", normalForce=normal, relativeAngularVelocity=speed
            )
            / inertia
        )
        n += 1
    assert n * h == pytest.approx(0.999 * stops, abs=2 * h, rel=1e-2)
