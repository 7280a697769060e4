"""A body on a friction element: m·dv/dt = load(t) − frictionForce, with the element in model exchange or in co-simulation."""

import math

import numpy as np
from scipy.integrate import solve_ivp


class Course:
    """What a run has shown: rows of time, position, velocity, friction force and modes, and the times of its events."""

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


def run_exchange(instance, load, stop, mass=1.0, normal=9.81, velocity=0.0, start=0.0, tolerance=1e-8, longest=math.inf):
    """The element in continuous-time mode, its states beside those of the body in one stiff solver, events located.

    The Jacobian comes from the element's directional derivatives, so a wrong slope shows as a solver that fails.
    """
    d = instance.description
    n, course = len(d.states), Course()
    force = d["frictionForce"].reference
    v, states, rates = d["relativeVelocity"].reference, [s.reference for s in d.states], [s.reference for s in d.derivatives]

    def place(t, y):
        instance.set_time(t)
        instance.set(inputs_of(instance, normal, y[1], load(t)))
        if n:
            instance.states = list(y[2:])

    def rhs(t, y):
        place(t, y)
        return [y[1], (load(t) - instance.get("frictionForce")) / mass, *instance.derivatives]

    def jacobian(t, y):
        place(t, y)
        J = np.zeros((2 + n, 2 + n))
        J[0, 1] = 1
        for column, known in enumerate([v, *states], 1):
            slopes = instance.slopes([force, *rates], [known], [1.0])
            J[1, column], J[2:, column] = -slopes[0] / mass, slopes[1:]
        return J

    def crossing(i):
        def event(t, y):
            place(t, y)
            return instance.indicators[i]
        event.terminal = True
        return event

    t, y = start, np.array([0.0, velocity, *instance.states])
    scale = np.array([1e-4, 1e-3, *[s.nominal for s in d.states]])
    place(t, y)
    instance.event()
    y[2:] = instance.states
    course.note(t, y[0], y[1], instance.get("frictionForce"), instance.modes())
    while t < stop:
        solution = solve_ivp(rhs, (t, stop), y, method="Radau", jac=jacobian, rtol=tolerance, atol=tolerance * scale, max_step=longest,
                             events=[crossing(i) for i in range(d.indicators)])
        assert solution.success, solution.message
        for at, point in list(zip(solution.t, solution.y.T))[1:]:
            place(at, point)
            course.note(at, point[0], point[1], instance.get("frictionForce"), instance.modes())
        t, y = solution.t[-1], solution.y[:, -1].copy()
        if solution.status == 1:
            place(t, y)
            instance.event()
            y[2:] = instance.states
            course.events.append(t)
            course.note(t, y[0], y[1], instance.get("frictionForce"), instance.modes())
            assert len(course.events) < 3000, "events without end"
    return course


def run_steps(instance, load, stop, step, mass=1.0, normal=9.81, velocity=0.0):
    """The element in co-simulation, its velocity held over each step; the body takes the slope of the force into account:
    m (v' − v)/h = load − F − J (v' − v), J = dF/dv + h dF/dx d(dx/dt)/dv. Without it an element that is stiff in stick would need
    tiny steps."""
    d, course = instance.description, Course()
    force = d["frictionForce"].reference
    v, states, rates = d["relativeVelocity"].reference, [s.reference for s in d.states], [s.reference for s in d.derivatives]
    position = 0.0
    for i in range(round(stop / step)):
        time = i * step
        instance.set(inputs_of(instance, normal, velocity, load(time)))
        instance.step(step, time=time)
        F = instance.get("frictionForce")
        course.note(time, position, velocity, F, instance.modes())
        dF = instance.slopes([force, *rates], [v], [1.0])
        J = dF[0] + step * sum(instance.slopes([force], [x], [1.0])[0] * rate for x, rate in zip(states, dF[1:]))
        velocity += (load(time + step) - F) / (mass / step + max(J, 0.0))
        position += step * velocity
    return course
