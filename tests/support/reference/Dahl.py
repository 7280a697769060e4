"""Piatkowski 2014, eq 2."""

import math

from . import bounds, direction


def branch(p, normal, force, path):
    """Returns the force after a displacement in the positive direction from the given force: eq 1
    integrated."""
    limit, exponent = p["dynamicFriction"] * normal, p["hysteresisExponent"]
    left, covered = 1 - force / limit, p["bristleStiffness"] * path / limit
    if exponent == 1:
        return limit * (1 - left * math.exp(-covered))
    base = left ** (1 - exponent) + (exponent - 1) * covered
    return limit * (1 - base ** (1 / (1 - exponent))) if base > 0 else limit


def evaluate(p, u, x):
    normal, v, z = u["normalForce"], u["relativeVelocity"], x["bristleDeflection"]
    if normal <= 0:
        rate, force = -z / p["relaxationTime"], 0.0
    else:
        w = 1 - math.copysign(
            p["bristleStiffness"] * z / (direction.dry(p, v) * p["dynamicFriction"] * normal), v * z
        )
        exponent = p["hysteresisExponent"]
        rate = v * math.copysign(abs(w) ** exponent, w)
        if (
            exponent < 1 and abs(w) < 1e-6
        ):  # as on its page: a power below 1 is continued by a line at its zero
            rate = v * w * 1e-6 ** (exponent - 1)
        force = bounds.within(p, p["bristleStiffness"] * z, p["dynamicFriction"] * normal)
    return {"bristleDeflection": rate}, {"frictionForce": force, "slidingVelocity": v - rate}
