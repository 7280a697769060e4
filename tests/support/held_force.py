"""A body in a host with a fixed step that holds the friction force over it: m (v' − v)/h = load −
frictionForce, x' = x + h v'.

The force is either that of the same step, as in a plain loop, or that of the step before, as in
masters that step all parts side by side (libcosim, OMSimulator, FMPy's container, Simulink).
"""

import math
from ctypes import byref, c_double

import numpy as np

from fmi2 import OK


class Element:
    """One friction element, with the calls of every step prepared."""

    def __init__(self, instance, normal):
        self.instance, self.normal = instance, normal
        d = instance.description
        self.inputs = instance.reference_array(
            [d["relativeVelocity"].reference, d["normalForce"].reference]
        )
        self.output = instance.reference_array([d["frictionForce"].reference])
        self.values, self.force = (c_double * 2)(), c_double()

    def step(self, time, velocity, length):
        """Takes a step and returns the force after it."""
        i = self.instance
        self.values[0], self.values[1] = (
            velocity,
            (self.normal(time) if callable(self.normal) else self.normal),
        )
        assert i.fmi2SetReal(self.inputs, 2, self.values) == OK, i.messages[-1:]
        assert i.fmi2DoStep(time, length, 1) == OK, i.messages[-1:]
        assert i.fmi2GetReal(self.output, 1, byref(self.force)) == OK, i.messages[-1:]
        return self.force.value


def run_loop(
    instances,
    load,
    stop,
    step,
    mass=1.0,
    normal=9.81,
    late=False,
    velocity=0.0,
    counterpart=0.0,
    noise=0.0,
):
    """Runs the host; returns rows of time, position, velocity (at the end of a step), friction
    force and load (in it). `load` is a function of time and position; `instances` one or several,
    or a prepared Element; `step` one number or one for each step; `noise` the deviation of the
    elements' velocity input.
    """
    elements = [
        one if isinstance(one, Element) else Element(one, normal)
        for one in (instances if isinstance(instances, list) else [instances])
    ]
    random = np.random.default_rng(1)
    steps = [step] * round(stop / step) if np.isscalar(step) else list(step)
    time = position = last = 0.0
    rows = np.empty((len(steps), 5))
    for n, h in enumerate(steps):
        seen = velocity - counterpart + (noise * random.standard_normal() if noise else 0.0)
        force = math.fsum(element.step(time, seen, h) for element in elements)
        acts, last = (last, force) if late else (force, force)
        now = load(time, position)
        velocity += h * (now - acts) / (mass(time) if callable(mass) else mass)
        position += h * velocity
        rows[n] = time, position, velocity, acts, now
        time += h
    return rows


def pulses(time, position=0.0, size=2.0):
    """Returns a load that is on and off for 0.1 s each."""
    return size if (time + 1e-9) % 0.2 < 0.1 else 0.0


def force_ripple(rows):
    """Returns the deviation of the friction force from the load in the second halves of the pulses,
    without the first."""
    time = rows[:, 0]
    settled = rows[(time > 0.2) & ((time + 1e-9) % 0.1 >= 0.05 - 1e-9)]
    return math.sqrt(np.mean((settled[:, 3] - settled[:, 4]) ** 2))


def drift(rows, step):
    """Returns the displacement per pulse, without the first."""
    n = round(0.2 / step)
    return (rows[3 * n - 1, 1] - rows[n - 1, 1]) / 2


def break_away(rows):
    """Finds the largest force under a slowly rising load; the first half of the ramp is for
    learning the mass."""
    return float(rows[len(rows) // 2 :, 3].max())
