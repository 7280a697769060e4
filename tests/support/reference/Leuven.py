"""The modified Leuven model, Lampaert et al. 2002, with four Maxwell-slip elements."""

import math

from . import bounds, direction, stribeck
from .GeneralizedMaxwellSlip import ELEMENTS, shares
from .LuGre import curve
from .StickSlip import held_rate


def limits(p, normal, x):
    """Returns the limit of each element, on the side of its deflection."""
    return {
        i: (
            share
            * p["staticFriction"]
            * normal
            * direction.dry(p, x.get(f"elementDeflection[{i}]", 0.0))
        )
        for i, share in shares(p).items()
    }


def yielding(force, limit):
    """Returns a spring's force near its limit: over the first two thousandths beyond it the force
    grows by one thousandth, ever more slowly, then no further."""
    part = min(max(abs(force) / limit - 1, 0.0) / 2e-3, 1.0)
    return force if part == 0 else math.copysign(limit * (1 + 1e-3 * part * (2 - part)), force)


def hysteresis(p, normal, x):
    return sum(
        yielding(p[f"elementStiffness[{i}]"] * x[f"elementDeflection[{i}]"], limit)
        for i, limit in limits(p, normal, x).items()
    )


def moved_rate(limit, zeta, rate, small):
    """Returns the rate, held at the limit under load; below a small speed a cubic replaces the
    corner between loading and unloading."""
    if abs(rate) >= small:
        return held_rate(limit, zeta, rate)
    held = 1 - max(-1.0, min((1 - abs(zeta) / limit) / 1e-3, 1.0))
    part = (1 + math.copysign(rate / small, rate * zeta)) / 2
    return rate * (1 - held * (3 * part**2 - 2 * part**3))


def element_rate(limit, zeta, v, rate, tau):
    """Returns the rate, held at the limit; an excess above it fades with tau."""
    excess = math.copysign(max(abs(zeta) - limit, 0.0), zeta)
    return moved_rate(limit, zeta, rate, 1e-3 * abs(v)) - excess / tau


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
    for i, limit in limits(p, normal, x).items():
        rates[f"elementDeflection[{i}]"] = element_rate(
            limit / p[f"elementStiffness[{i}]"], x[f"elementDeflection[{i}]"], v, rate, tau
        )
    force = bounds.springing(p, held + p["bristleDamping"] * rate, rate, v)
    force = bounds.within(p, force, p["staticFriction"] * normal) + stribeck.viscous(p, normal, v)
    return rates, {"frictionForce": force, "slidingVelocity": v - rate}


def stored(p, u, x):
    return sum(
        0.5 * p[f"elementStiffness[{i}]"] * x[f"elementDeflection[{i}]"] ** 2 for i in ELEMENTS
    )
