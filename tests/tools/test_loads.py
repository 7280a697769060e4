"""Loads and friction together: a mechanism whose joints are pressed by their reactions, gears that
hold or drop their load, a band brake."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from reference import references
from rig_runs import NEEDS_TWINS, PRESENT, call, simulate


def starts(name):
    """Returns the default parameters of an element."""
    return {v.name: v.start for v in PRESENT[name].description.parameters}


# ---- the slider-crank: coordinates of every body and a constraint for every joint ----

CRANK, ROD, MASSES, HEIGHT, GRAVITY = 0.1, 0.3, (1.0, 1.0, 2.0), 0.02, 9.81
DRIVE, FREQUENCY, FORCE, START = 3.0, 4.0, -20.0, 0.8
RADIUS = 0.01
INERTIAS = (MASSES[0] * CRANK**2 / 12, MASSES[1] * ROD**2 / 12, 1.0)  # the slider does not turn


class Mechanism:
    """x, y and angle of crank, rod and slider, with the constraints of their joints: M a = f + G^T
    s, G a = g, friction in f. Accelerations and constraint forces are linear in the friction of the
    four joints; friction follows from the constraint forces by the independent laws of
    tests/support/reference; repeated substitution solves both.
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
        """Returns the coordinates at an angle of the crank."""
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
        """Returns the sliding velocities of the four joints."""
        return np.array([speeds[2], speeds[5] - speeds[2], speeds[5] - speeds[8], speeds[6]])

    @staticmethod
    def constraints(q, speeds):
        """Returns G and g, from the second derivative of every closed joint."""
        G, g = np.zeros((8, 9)), np.zeros(8)

        def arm(row, body, length, sign):
            """Adds a point of a body at this length along it to the rows of its joint."""
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
        """Returns accelerations and constraint forces without friction, and those of a unit of
        friction in each joint."""
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
        """Returns friction torque or force of each joint, and the rates of its states."""
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
    pytest.param(element, stop, marks=[NEEDS_TWINS, pytest.mark.xdist_group(f"crank {element}")])
    for element, stop in (("LuGreVelocityDamping", 0.2), ("SmoothCoulomb", 1.0))
]


@pytest.mark.parametrize("element, stop", CRANKS)
def test_a_slider_crank_in_model_exchange_moves_as_its_constraints_say(element, stop):
    """The rig solves the loop of reactions and friction by Newton's method. Both integrate to 1e-7
    or better; the motion amplifies errors tenfold."""
    words = ["--stop", stop, "--output-interval", stop / 30, "--set", f"frictionRadius={RADIUS}"]
    columns = simulate("slider_crank", element, options=words)[element]
    y = by_constraints(element, stop)
    assert columns["angle"] == pytest.approx(y[2], abs=1e-5)
    assert columns["sliderPosition"] == pytest.approx(y[6], abs=1e-6)
    assert np.ptp(columns["angle"]) > 1 and columns["loss"][-1] > 0.5, (
        "it moves, and friction matters"
    )


# Laws whose damper responds to a change of the normal force too strongly for the loop; with less
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
    words = ["slider_crank", fmu.path, "--set", f"frictionRadius={RADIUS}", "--tolerance", "1e-6"]
    if fmu.name in DAMPED:
        run = call(*words)
        assert (
            run.returncode == 1
            and "the loads of the contacts cannot be found at t = " in run.stderr
        )
        if fmu.name == DAMPED[-1]:
            return
        words += ["--set", "bristleDamping=10"]
    run = call(*words)
    assert run.returncode == 0, run.stderr


SHARE, AT_ONCE = (
    1 / 4,
    2,
)  # four contacts move one body; the host applies a force in the step that returned it


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
    """Runs a host with a fixed step that exchanges reactions, normal forces and friction once per
    step and holds friction over it."""
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
    ]  # the smallest mass that each contact moves
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
    displacement; without, 0.04 and 0.43 %."""
    exact = by_constraints(element, stop)[2]
    angles = by_steps(element, stop, 1e-3, coupled=True)
    times = np.linspace(0, stop, exact.size)
    assert np.abs(
        np.interp(times, np.linspace(0, stop, angles.size), angles) - exact
    ).max() < 0.01 * np.ptp(exact)


# ---- gears and ropes, with friction that slides at one coefficient ----

MU = 0.3
COULOMB = {
    "staticFriction": MU,
    "dynamicFriction": MU,
    "viscousDamping": 0.0,
    "bristleStiffness": 1e9,
    "bristleDamping": 100.0,
}


SUDDEN = {"transitionVelocity": 5e-3}  # rad/s, below which GearLoad takes the gear as at rest


class Worm:
    """Rotor and load with the rope between them; the gear's friction is a share of the rope's
    force."""

    load, weight, drive, time, stop = "GearLoad", 98.1, 400.0, 1.0, 3.0
    bodies = np.array([90.0, 10.0])

    def __init__(self, backward, forward=0.8):
        self.given = {"forwardEfficiency": forward, "backwardEfficiency": backward}
        self.shares = {1: 1 / forward - 1, -1: 1 - backward}
        self.settings = SUDDEN | {"dynamicFriction": MU, "frictionRadius": 0.1, **self.given}

    def applied(self, t):
        pull = self.drive * math.sin(math.pi * t / self.time) ** 2 if t < self.time else 0.0
        return pull - self.weight

    def at_rest(self, t):
        """Returns the force that friction has to hold, and its limits in either direction."""
        return self.applied(t), *(2 * [self.shares[-1] * self.weight])

    def slides(self, t, side):
        """Returns accelerations of rotor and load, the rope's force and friction."""
        rotor, load = self.bodies
        equations = [[rotor, 1, 1], [load, -1, 0], [0, -side * self.shares[side], 1]]
        return np.linalg.solve(equations, [self.applied(t) + self.weight, -self.weight, 0])[0]

    def inputs(self, t, speed, friction):
        rope = self.weight + self.bodies[1] * (self.applied(t) - friction) / sum(self.bodies)
        return {"transmittedTorque": 0.1 * rope, "relativeAngularVelocity": speed / 0.1}


class Band:
    """A drum under a band, by Euler's law."""

    load, wrap, stop, settings = "WrapLoad", 1.5 * math.pi, 4.0, {"dynamicFriction": MU}
    bodies = np.array([50.0])

    def __init__(self, force):
        self.given = {"loadForce": force}

    def applied(self, t):
        return self.given["loadForce"]

    def tension(self, t):
        return 20 * (1 + 0.8 * math.cos(math.pi * t))

    def at_rest(self, t):
        ratio = math.exp(MU * self.wrap)
        return self.applied(t), self.tension(t) * (ratio - 1), self.tension(t) * (1 - 1 / ratio)

    def slides(self, t, side):
        return (self.applied(t) - side * self.at_rest(t)[1 if side > 0 else 2]) / self.bodies[0]

    def inputs(self, t, speed, friction):
        return {"slackTension": self.tension(t), "wrapAngle": self.wrap}


def ideally(system, times):
    """Returns positions under friction that holds up to its limit and then slides at it: from stop
    to break-away, each found with fine steps."""
    h = 1e-4
    position = speed = 0.0
    side, found = 0, []
    for n in range(round(times[-1] / h) + 1):
        t = n * h
        found.append(position)
        if side == 0:
            force, forward, backward = system.at_rest(t)
            side = 1 if force > forward else -1 if force < -backward else 0
        if side:
            change = h * system.slides(t + h / 2, side)
            stops = speed * side > 0 and (speed + change) * side <= 0
            position += h * (speed + change / 2)
            speed = 0.0 if stops else speed + change
            side = 0 if stops else side
    return np.interp(times, h * np.arange(len(found)), found)


def in_steps(system, element, h, values):
    """Runs a host with a fixed step that holds friction over it and sets timing and mass."""
    mass = sum(system.bodies)
    load = Element(system.load, **system.settings)
    joint = Element(element, couplingMass=mass, couplingTiming=AT_ONCE, **values)
    position = speed = friction = 0.0
    positions = [0.0]
    for n in range(round(system.stop / h)):
        t = n * h
        normal = load.step(t, h, "normalForce", **system.inputs(t, speed, friction))
        friction = joint.step(t, h, "frictionForce", normalForce=normal, relativeVelocity=speed)
        change = h * (system.applied(t + h / 2) - friction) / mass
        position += h * (speed + change / 2)
        speed += change
        positions.append(position)
    return np.array(positions)


BACKWARD = {"backwardFrictionRatio": math.exp(-MU * Band.wrap)}
DRIVEN = [
    (name, system, element, values)
    for name, system, values in (
        ("worm", Worm(0.7), {}),
        ("worm", Worm(-0.2), {}),
        ("band_brake", Band(50.0), {}),
        ("band_brake", Band(-12.0), BACKWARD),
    )
    for element in ("LuGre", "SmoothCoulomb")
]


@pytest.mark.parametrize("name, system, element, values", DRIVEN)
def test_worm_and_band_brake_hold_and_slide_by_data_sheet_and_euler(name, system, element, values):
    """In the rig and in co-simulation at 1 ms, within 1 % of the displacement. Bounded, since as
    printed a bristle at rest keeps its force if the limit falls below it."""
    values = COULOMB | {"dynamicVelocity": 1e-6, "law": 2} | values
    present = {n: v for n, v in values.items() if n in PRESENT[element].description}
    words = [word for n, v in present.items() for word in ("--set", f"{n}={v}")]
    words += [word for n, v in system.given.items() for word in ("--param", f"{n}={v}")]
    if system.load == "GearLoad":
        words += [word for n, v in SUDDEN.items() for word in ("--set", f"{n}={v}")]
    columns = simulate(name, element, options=words)[element]
    exact = ideally(system, columns["time"])
    span = np.ptp(exact)
    assert span > 0.1 and np.abs(columns["position"] - exact).max() < 0.01 * span
    steps = in_steps(system, element, 1e-3, present)
    times = np.linspace(0, system.stop, steps.size)
    assert np.abs(np.interp(columns["time"], times, steps) - exact).max() < 0.01 * span


def test_a_self_locking_worm_holds_its_load_and_another_lowers_it(tmp_path):
    """The last half second, long after the motor is off."""
    moves = {}
    for efficiency in (0.7, -0.2):
        exact = ideally(Worm(efficiency), np.array([0.0, 2.5, 3.0]))
        moves[efficiency] = exact[2] - exact[1]
    assert moves[-0.2] == 0 and moves[0.7] < -0.3
