"""Hosts with a fixed step that hold the friction force over it, and measures of an element in them
(docs/coupling.md). A host has bodies with states y, of which one velocity is the element's input.
Its force acts at once, or one or two steps late.
"""

import math
from functools import cache

import numpy as np

from held_force import Element, run_loop

NORMAL = 9.81
EITHER, AT_ONCE, ONE_STEP_LATE = 1, 2, 3


def is_scalar(description):
    return "couplingMass" in description and "frictionForce" in description


def limit_of(fmu, normal=NORMAL):
    """Returns the force at which a body breaks away."""
    return normal * fmu.description.limit


def element(fmu, mass, timing=EITHER, **values):
    """Starts an instance with a mass and a timing of its force; values of variables that it lacks
    are left out."""
    instance = fmu.co_simulation()
    instance.initialize(
        {
            "couplingMass": mass,
            "couplingTiming": timing,
            **{name: value for name, value in values.items() if name in fmu.description},
        }
    )
    return instance


def timing_of(late):
    return ONE_STEP_LATE if late else AT_ONCE


# A load that jumps


def holds(fmu, part, step, late, mass, timing, stop=0.3):
    """Checks whether a body of 1 kg stays at or near its place after the load has jumped to a part
    of the limit."""
    load = part * limit_of(fmu)
    with element(fmu, mass, timing) as instance:
        rows = run_loop(
            instance, lambda t, x: load if t > 9.5 * step else 0.0, stop, step, late=late
        )
    return abs(rows[-1, 2]) < 0.02 and abs(rows[-1, 1]) < 5e-3


@cache
def highest_jump(fmu, step, late=False, mass=1.0, timing=EITHER):
    """Finds the highest part of the static limit to which the load may jump."""
    low, high = 0.0, 1.0
    if holds(fmu, 0.99, step, late, mass, timing):
        return 1.0
    while high - low > 0.004:
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if holds(fmu, middle, step, late, mass, timing) else (low, middle)
        )
    return low


@cache
def ramp(fmu, step, late=False, mass=1.0, timing=EITHER):
    """Applies a load that reaches the limit in 1 s; returns the creep at 0.6 s, and the part of the
    limit at which the body has moved 1 mm further."""
    limit = limit_of(fmu)
    with element(fmu, mass, timing) as instance:
        rows = run_loop(instance, lambda t, x: limit * t, 1.3, step, late=late)
    creep = rows[np.searchsorted(rows[:, 0], 0.6 - 1e-9), 1]
    gone = rows[rows[:, 1] > 1e-3 + creep]
    return creep, gone[0, 4] / limit if len(gone) else math.inf


# Settling


def steps_to_rest(rows, load, part=0.01):
    """Returns the number of steps until the force stays within a part of the load, which jumps at
    the start."""
    off = np.nonzero(abs(rows[:, 3] - load) > part * abs(load))[0]
    return int(off[-1]) + 1 if len(off) else 0


def force_deviation(rows, load, skip):
    """Returns the RMS of force minus load over the load, after `skip` steps."""
    return float(np.sqrt(np.mean((rows[skip:, 3] - load) ** 2))) / abs(load)


def held(fmu, masses, normals, steps, late, timing=EITHER, part=0.3, **values):
    """Runs a body of 1 kg on several contacts, with a load that jumps to a part of what they hold
    together; returns rows."""
    load = part * limit_of(fmu, sum(normals))
    instances = [element(fmu, mass, timing, **values) for mass in masses]
    rows = run_loop(
        [Element(one, normal) for one, normal in zip(instances, normals)],
        lambda t, x: load,
        sum(steps),
        steps,
        late=late,
    )
    for one in instances:
        one.free()
    return rows, load


# Bodies


def host(
    elements,
    rates,
    y,
    measured,
    stop,
    step,
    late=0,
    integrator="semi",
    normal=lambda t: NORMAL,
    substeps=1,
    resolution=0.0,
):
    """Runs a host; returns rows of time, y and the acting force. `rates` computes dy/dt from time,
    y and force, with positions first in y, then as many velocities; `measured` the velocity for the
    element, rounded to a resolution; `step` is one number or one for each step; substeps: steps of
    the element in one of the host.
    """
    y, half, queue, rows = np.array(y, float), len(y) // 2, [0.0] * late, []
    steps = np.full(round(stop / step), step) if np.isscalar(step) else np.array(step)
    times = np.arange(len(steps)) * step if np.isscalar(step) else np.cumsum(steps) - steps
    for t, step in zip(times.tolist(), steps.tolist()):  # noqa: PLR1704
        v = measured(t, y)
        if not abs(v) < 1e3:
            break  # the host diverges by itself
        if resolution:
            v = resolution * round(v / resolution)
        elements.normal = normal(t)
        for k in range(substeps):
            force = elements.step(t + k * step / substeps, v, step / substeps)
        queue.append(force)
        acts = queue.pop(0)
        rows.append([t, *y, acts])
        if integrator == "rk4":
            a = rates(t, y, acts)
            b = rates(t + step / 2, y + step / 2 * a, acts)
            c = rates(t + step / 2, y + step / 2 * b, acts)
            y = y + step / 6 * (a + 2 * b + 2 * c + rates(t + step, y + step * c, acts))
        else:
            change = rates(t, y, acts)
            y[half:] += step * change[half:]
            y[:half] += step * (change[:half] if integrator == "euler" else y[half:])
    return np.array(rows)


def one_body(load, mass=lambda t: 1.0):
    return lambda t, y, force: np.array([y[1], (load(t, y) - force) / mass(t)])


def two_masses(frequency, limit):
    """Returns rates of half a kilogram on the contact and half behind a spring, pulled by the load;
    `frequency` is that of the two against each other."""
    k = 0.25 * (2 * math.pi * frequency) ** 2
    d = 0.02 * math.sqrt(k)

    def rates(t, y, force):
        spring = k * (y[1] - y[0]) + d * (y[3] - y[2])
        return np.array(
            [
                y[2],
                y[3],
                2 * (spring - force),
                2 * (0.9 * limit * math.sin(2 * math.pi * 2 * t) - spring),
            ]
        )

    return rates


def cases(limit):
    """Returns the cases by name: rates, y at the start, velocity for the element, end, and options
    of the host."""
    sees = lambda t, y: y[len(y) // 2]  # noqa: E731
    slow = lambda t, y: 1.5 * limit * math.sin(2 * math.pi * 2 * t)  # noqa: E731
    axis = lambda t, y: 2e4 * (0.01 * math.sin(2 * math.pi * t) - y[0]) - 200 * y[1]  # noqa: E731
    some = lambda t: max(0.0, NORMAL * (1 + 1.5 * math.cos(2 * math.pi * 2 * t)))  # noqa: E731
    found = {
        f"two masses, {f} Hz": (two_masses(f, limit), [0, 0, 0, 0], sees, 1.0, {})
        for f in (5, 20, 60, 200)
    }
    found |= {
        "axis that reverses": (one_body(axis), [0, 0], sees, 1.5, {}),
        "gravity slope": (
            one_body(lambda t, y: 0.5 * limit if t < 0.3 else 1.1 * limit if t < 0.5 else 0.0),
            [0, 0],
            sees,
            0.8,
            {},
        ),
        "mass that grows tenfold": (
            one_body(slow, lambda t: 1 + 9 * min(t, 1.0)),
            [0, 0],
            sees,
            1.0,
            {},
        ),
        "belt": (
            one_body(lambda t, y: -limit / 0.02 * y[0]),
            [0, 0.02],
            lambda t, y: y[1] - 0.02,
            2.0,
            {},
        ),
        "normal force that vanishes": (one_body(slow), [0, 0], sees, 1.0, {"normal": some}),
        "velocity in 1 um/s": (one_body(slow), [0, 0], sees, 1.0, {"resolution": 1e-6}),
        "velocity in 1 mm/s": (one_body(slow), [0, 0], sees, 1.0, {"resolution": 1e-3}),
        "five steps per exchange": (one_body(slow), [0, 0], sees, 1.0, {"substeps": 5}),
        "in motion at the start": (one_body(lambda t, y: 0.0), [0, 0.3], sees, 0.4, {}),
    }
    return found


FINE = 2e-4  # step of the reference run; with couplingMass, and at once


def velocity_error(fmu, name, step, mass, late, fine=None, timing=EITHER, **how):
    """Returns the rms difference of the velocity in a case from that with a step of 0.2 ms, and
    that fine run. Infinite if the host diverges. The fine run has couplingMass, too: without it the
    steepest laws chatter."""
    rates, start, measured, stop, own = cases(limit_of(fmu))[name]
    if fine is None:
        with element(fmu, 0.5 if name.startswith("two") else 1.0, AT_ONCE) as instance:
            rough = {key: value for key, value in own.items() if key == "normal"}
            fine = host(Element(instance, NORMAL), rates, start, measured, stop, FINE, **rough)
    with element(fmu, mass, timing) as instance:
        rows = host(
            Element(instance, NORMAL),
            rates,
            start,
            measured,
            stop,
            step,
            late=late,
            **{**own, **how},
        )
    place = 1 + len(start) // 2
    speeds = fine[:: round(step / FINE), place][: len(rows)]
    return (
        float(np.sqrt(np.mean((rows[:, place] - speeds) ** 2)))
        if len(rows) == len(speeds)
        else math.inf
    ), fine
