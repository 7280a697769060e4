"""The modified Leuven model, Lampaert et al. 2002, with four Maxwell-slip elements."""

import math

from . import stribeck
from .GeneralizedMaxwellSlip import ELEMENTS, shares
from .LuGre import curve
from .StickSlip import held_rate


def limits(p, normal):
    return {i: share * p["staticFriction"] * normal for i, share in shares(p).items()}


def hysteresis(p, normal, x):
    return sum(min(max(p[f"elementStiffness[{i}]"] * x[f"elementDeflection[{i}]"], -limit), limit)
               for i, limit in limits(p, normal).items())


def evaluate(p, u, x):
    normal, v = u["normalForce"], u["relativeVelocity"]
    tau = p["bristleDamping"] / sum(p[f"elementStiffness[{i}]"] for i in ELEMENTS)
    if normal <= 0:
        rates = {name: -value / tau for name, value in x.items()}
        return rates, {"frictionForce": 0.0, "slidingVelocity": v}
    held = hysteresis(p, normal, x)
    ratio = held / math.copysign(curve(p, normal, v), v)
    rate = v * (1 - math.copysign(abs(ratio) ** p["transitionExponent"], ratio))
    rates = {}
    for i, limit in limits(p, normal).items():
        rates[f"elementDeflection[{i}]"] = held_rate(limit / p[f"elementStiffness[{i}]"], x[f"elementDeflection[{i}]"], rate)
    force = held + p["bristleDamping"] * rate + stribeck.viscous(p, normal, v)
    return rates, {"frictionForce": force, "slidingVelocity": v - rate}


def stored(p, u, x):
    return sum(0.5 * p[f"elementStiffness[{i}]"] * x[f"elementDeflection[{i}]"] ** 2 for i in ELEMENTS)
