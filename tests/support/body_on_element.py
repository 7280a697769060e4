"""A body on a friction element: m·dv/dt = load(t) − frictionForce, with the element in model
exchange or in co-simulation."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


class Trajectory:
    """The results of a run: rows of time, position, velocity, friction force and modes, and the
    times of its events."""

    def __init__(self):
        self.rows, self.events, self.changes = [], [], {}

    def note(self, time, position, velocity, force, modes):
        if self.rows:
            for name, item in modes.items():
                self.changes[name] = self.changes.get(name, 0) + (self.rows[-1][4][name] != item)
        self.rows.append((time, position, velocity, force, dict(modes)))

    def column(self, i):
        return np.array([row[i] for row in self.rows])

    @property
    def time(self):
        return self.column(0)

    @property
    def position(self):
        return self.column(1)

    @property
    def velocity(self):
        return self.column(2)

    @property
    def force(self):
        return self.column(3)

    def modes(self, name="mode"):
        return [row[4][name] for row in self.rows]


def inputs_of(instance, normal, velocity, load):
    values = {"normalForce": normal, "relativeVelocity": velocity}
    if "externalForce" in instance.description:
        values["externalForce"] = load
    return values


@dataclass
class Body:
    """A body on an element: y is its position, its velocity and the states of the element."""

    mass: float
    load: Callable  # of the time: force from outside
    inputs: Callable  # of time and y: inputs of the element
    follows: dict  # inputs that are members of y, and their places in y
    forces: list  # the outputs that act on the body, one for each axis
    sign: float  # the sign of each output
    sizes: tuple  # smallest position and velocity that matter


def run_exchange(
    instance,
    load,
    stop,
    mass=1.0,
    normal=9.81,
    velocity=0.0,
    start=0.0,
    tolerance=1e-8,
    longest=math.inf,
):
    """Runs a body on a line, with a scalar element."""

    def inputs(t, y):
        return inputs_of(instance, normal, y[1], load(t))

    body = Body(mass, load, inputs, {"relativeVelocity": 1}, ["frictionForce"], -1.0, (1e-4, 1e-3))
    return run_located(instance, body, [0.0, velocity], start, stop, tolerance, longest)


def run_sine(instance, peak, begin):
    """Runs one period of a load of 20 Hz on a body that is at rest under 9.81 N at the time
    `begin`."""

    def load(time):
        return peak * math.sin(2 * math.pi * 20 * (time - begin))

    return run_exchange(instance, load, begin + 0.05, start=begin, tolerance=1e-6, longest=2e-3)


def run_point(
    instance,
    load,
    stop,
    position,
    velocity=(0.0, 0.0, 0.0),
    mass=1.0,
    tolerance=1e-8,
    longest=math.inf,
):
    """Runs a point mass in space, with an element that computes its normal force; the plane is that
    of its start values."""
    places = [f"pointPosition[{i}]" for i in (1, 2, 3)] + [
        f"relativeVelocity[{i}]" for i in (1, 2, 3)
    ]

    def inputs(t, y):
        return dict(zip(places, map(float, y)))

    follows = {name: place for place, name in enumerate(places)}
    size = instance.description["penetration"].nominal
    body = Body(
        mass, load, inputs, follows, [f"contactForce[{i}]" for i in (1, 2, 3)], 1.0, (size, 1e-3)
    )
    return run_located(instance, body, [*position, *velocity], 0.0, stop, tolerance, longest)


def run_located(instance, body, y, t, stop, tolerance, longest):
    """Runs the element in continuous-time mode, its states and those of the body in one stiff
    solver, with located events. The Jacobian comes from the element's directional derivatives, so
    that a wrong slope makes the solver fail.
    """
    d, trajectory, axes = instance.description, Trajectory(), len(body.forces)
    own = 2 * axes
    forces = [d[name].reference for name in body.forces]
    states, rates = [s.reference for s in d.states], [s.reference for s in d.derivatives]
    columns = {d[name].reference: place for name, place in body.follows.items()} | {
        x: own + i for i, x in enumerate(states)
    }

    def place(t, y):
        instance.set_time(t)
        instance.set(body.inputs(t, y))
        if states:
            instance.states = list(y[own:])

    def note(t, y):
        parts = y[:axes], y[axes:own], instance.get_reals(forces)
        trajectory.note(
            t, *(part[0] if axes == 1 else np.array(part) for part in parts), instance.modes()
        )

    def rhs(t, y):
        place(t, y)
        acceleration = (
            np.atleast_1d(body.load(t)) + body.sign * np.array(instance.get_reals(forces))
        ) / body.mass
        return [*y[axes:own], *acceleration, *instance.derivatives]

    def jacobian(t, y):
        place(t, y)
        J = np.zeros((len(y), len(y)))
        J[:axes, axes:own] = np.eye(axes)
        for known, column in columns.items():
            slopes = np.array(instance.slopes([*forces, *rates], [known], [1.0]))
            J[axes:own, column], J[own:, column] = (
                body.sign * slopes[:axes] / body.mass,
                slopes[axes:],
            )
        return J

    def crossing(i):
        def event(t, y):
            place(t, y)
            return instance.indicators[i]

        event.terminal = True
        return event

    def stop_of(solution):
        """Returns the located root; an indicator that jumps over zero has none, and an importer
        stops after the jump."""
        indicator = next(crossing(i) for i, times in enumerate(solution.t_events) if len(times))
        before, t, y = (
            indicator(solution.t[-2], solution.y[:, -2]),
            solution.t[-1],
            solution.y[:, -1],
        )
        while indicator(t, y) * before > 0.5:
            t = np.nextafter(t, math.inf)
            y = solution.sol(t)
        return t, y.copy()

    y = np.array([*y, *instance.states])
    scale = np.array(
        [*[body.sizes[0]] * axes, *[body.sizes[1]] * axes, *[s.nominal for s in d.states]]
    )
    place(t, y)
    instance.event()
    y[own:] = instance.states
    note(t, y)
    while t < stop:
        solution = solve_ivp(
            rhs,
            (t, stop),
            y,
            method="Radau",
            jac=jacobian,
            rtol=tolerance,
            atol=tolerance * scale,
            max_step=longest,
            events=[crossing(i) for i in range(d.indicators)],
            dense_output=True,
        )
        assert solution.success, solution.message
        for at, point in list(zip(solution.t, solution.y.T))[1:]:
            place(at, point)
            note(at, point)
        t, y = solution.t[-1], solution.y[:, -1].copy()
        if solution.status == 1:
            t, y = stop_of(solution)
            place(t, y)
            instance.event()
            y[own:] = instance.states
            trajectory.events.append(t)
            note(t, y)
            assert len(trajectory.events) < 3000, "events without end"
    return trajectory


def run_steps(instance, load, stop, step, mass=1.0, normal=9.81, velocity=0.0):
    """Runs the element in co-simulation, its velocity held over each step; the body takes the slope
    of the force into account: m (v' − v)/h = load − F − J (v' − v), J = dF/dv + h dF/dx
    d(dx/dt)/dv. Without the slope an element that is stiff in stick would need tiny steps."""
    d, trajectory = instance.description, Trajectory()
    force = d["frictionForce"].reference
    v, states, rates = (
        d["relativeVelocity"].reference,
        [s.reference for s in d.states],
        [s.reference for s in d.derivatives],
    )
    inputs = [d[name].reference for name in inputs_of(instance, normal, velocity, load(0.0))]
    position = 0.0
    for i in range(round(stop / step)):
        time = i * step
        instance.set_reals(inputs, inputs_of(instance, normal, velocity, load(time)).values())
        instance.step(step, time=time)
        (F,) = instance.get_reals([force])
        trajectory.note(time, position, velocity, F, instance.modes())
        dF = instance.slopes([force, *rates], [v], [1.0])
        J = dF[0] + step * sum(
            instance.slopes([force], [x], [1.0])[0] * rate for x, rate in zip(states, dF[1:])
        )
        velocity += (load(time + step) - F) / (mass / step + max(J, 0.0))
        position += step * velocity
    return trajectory
