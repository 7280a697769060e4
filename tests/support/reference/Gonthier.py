"""Pennestri 2016, eqs 20 to 30."""

import math

from . import stribeck
from .direction import dry, held


def sticking(p, velocity):
    """Returns s of eq 22."""
    return math.exp(-((velocity / p["stribeckVelocity"]) ** 2))


def direction(velocity, v_t):
    """Returns dir of eq 26, with the prefactor v/|v|."""
    ratio = min(abs(velocity) / v_t, 1.0)
    return math.copysign(1.5 * ratio - 0.5 * ratio**3, velocity)


def evaluate(p, u, x):
    normal, v, z, s_dw = (
        u["normalForce"],
        u["relativeVelocity"],
        x["bristleDeflection"],
        x["dwellState"],
    )
    stiffness, damping = p["bristleStiffness"], p["bristleDamping"]
    tau_br = damping / stiffness
    if normal <= 0:
        rate, dwell, force = -z / tau_br, -s_dw / tau_br, 0.0
    else:
        s = sticking(p, v)
        sliding = (
            dry(p, v) * p["dynamicFriction"] * normal * direction(v, p["transitionVelocity"])
            - stiffness * z
        ) / damping
        rate = s * v + (1 - s) * sliding
        dwell = (s - s_dw) / (p["dwellTime"] if s >= s_dw else tau_br)
        limit = (
            max(p["dynamicFriction"] + (p["staticFriction"] - p["dynamicFriction"]) * s_dw, 0.0)
            * normal
        )
        force = held(p, stiffness * z + damping * rate, limit) + stribeck.viscous(p, normal, v)
    return {"bristleDeflection": rate, "dwellState": dwell}, {
        "frictionForce": force,
        "slidingVelocity": v - rate,
    }
