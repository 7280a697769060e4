"""Pennestri 2016, eqs 11 and 13 to 15."""

import math

from . import direction, stribeck
from .LuGre import bristle_force, curve


def share(p, z, v, z_max):
    """Returns the share of sliding: 0 while the bristle is elastic, 1 when it slides as LuGre's."""
    z_ba = min(direction.dry(p, v) * p["breakawayDeflection"], 0.99 * z_max)
    if v * z <= 0 or abs(z) <= z_ba:
        return 0.0
    if abs(z) >= z_max:
        return 1.0
    return 0.5 * (1 + math.sin(math.pi * (abs(z) - 0.5 * (z_max + z_ba)) / (z_max - z_ba)))


def evaluate(p, u, x):
    normal, v, z = u["normalForce"], u["relativeVelocity"], x["bristleDeflection"]
    if normal <= 0:
        rate, force = -z * p["bristleStiffness"] / p["bristleDamping"], 0.0
    else:
        z_max = curve(p, normal, v) / p["bristleStiffness"]
        rate = v * (1 - share(p, z, v, z_max) * abs(z) / z_max)
        force = bristle_force(p, normal, v, z, rate) + stribeck.viscous(p, normal, v)
    return {"bristleDeflection": rate}, {"frictionForce": force, "slidingVelocity": v - rate}
