"""Pennestrì 2016, eq 6, with a force that cancels the velocity in the band. Modes: 1 Separated, 2
Stick, 3 Slip."""

import math

from .direction import dry
from .ideal_stick import stick_force


def evaluate(p, u, x):
    normal, velocity, mode = u["normalForce"], u["relativeVelocity"], u["mode"]
    force = 0.0
    if normal > 0 and mode == 2:
        force = stick_force(p, u, p["staticVelocity"])
    elif normal > 0 and mode == 3:
        force = math.copysign(dry(p, velocity) * p["dynamicFriction"] * normal, velocity)
    return {}, {"frictionForce": force, "slidingVelocity": velocity}
