"""Bliman and Sorine 1995, second-order model: dF1/ds = (f1 sgn v - F1)/(eta eps), dF2/ds = -(f2 sgn
v + F2)/eps, over the distance s."""

import math

from scipy.optimize import brentq

from . import bounds, direction


def overshoot(b, eta):
    """Returns peak over sliding force, minus one, of a model with f1 = 1 + b and f2 = b: found
    where the two slopes cancel."""
    path = eta / (1 - eta) * math.log((1 + b) / (eta * b))  # over eps
    return (1 + b) * (1 - math.exp(-path / eta)) - b * (1 - math.exp(-path)) - 1


def constants(p, normal):
    """Returns f1, f2 and eps for peak, sliding force and stiffness at rest as in the parameters."""
    eta, sliding = p["lengthRatio"], p["dynamicFriction"] * normal
    wanted = p["staticFriction"] / p["dynamicFriction"] - 1
    b = (
        math.exp(
            brentq(
                lambda log_b: overshoot(math.exp(log_b), eta) - wanted,
                -60,
                60,
                xtol=1e-15,
                rtol=1e-15,
            )
        )
        if wanted > 0
        else 0.0
    )
    f1, f2 = (1 + b) * sliding, b * sliding
    return f1, f2, (f1 / eta - f2) / p["bristleStiffness"]


def peak(p, normal, side):
    """Returns the peak after a reversal out of sliding: the overshoot is proportional to the
    difference between both sliding forces."""
    sliding, rise = p["dynamicFriction"] * normal, (p["staticFriction"] / p["dynamicFriction"] - 1)
    return sliding * direction.dry(p, side) + rise * sliding * (
        direction.dry(p, -1) + direction.dry(p, 1)
    )


def evaluate(p, u, x):
    normal, v = u["normalForce"], u["relativeVelocity"]
    z = x["bristleDeflection[1]"], x["bristleDeflection[2]"]
    f1, f2, length = constants(p, abs(normal) or 1.0)
    stiffness = f1 / (p["lengthRatio"] * length), -f2 / length
    lengths = [direction.dry(p, v) * part * length for part in (p["lengthRatio"], 1.0)]
    if normal <= 0:
        rates = [-deflection / p["relaxationTime"] for deflection in z]
        force = 0.0
    else:
        rates = [v - abs(v) * deflection / one for deflection, one in zip(z, lengths)]
        carried = sum(k * deflection for k, deflection in zip(stiffness, z))
        within = [
            direction.held(p, deflection, part * length)
            for deflection, part in zip(z, (p["lengthRatio"], 1.0))
        ]
        acting = sum(k * deflection for k, deflection in zip(stiffness, within))
        force = (
            carried
            if bounds.is_printed(p)
            else min(max(acting, -peak(p, normal, -1)), peak(p, normal, 1))
        )
    elastic = sum(k * rate for k, rate in zip(stiffness, rates)) / p["bristleStiffness"]
    return (
        {"bristleDeflection[1]": rates[0], "bristleDeflection[2]": rates[1]},
        {"frictionForce": force, "slidingVelocity": v - elastic},
    )
