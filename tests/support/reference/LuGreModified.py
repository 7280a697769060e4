"""Rill 2023, eqs 18 to 20; the leading v of eq 19 is nu. At rest without load, where eq 18 is 0/0,
the bristle relaxes."""

import math

from . import bounds, direction, stribeck


def linear(p, normal, velocity):
    """Returns the same as LuGre.linear: eq 18 is linear in the deflection, too."""
    curve, speed = stribeck.force(p, normal, velocity), abs(velocity)
    end = math.copysign(curve / p["bristleStiffness"], velocity)
    return (
        p["bristleStiffness"] * speed / (curve + p["bristleDamping"] * speed),
        end,
        p["bristleDamping"],
        0.0,
    )


def evaluate(p, u, x):
    normal, velocity, z = u["normalForce"], u["relativeVelocity"], x["bristleDeflection"]
    stiffness, damping = p["bristleStiffness"], p["bristleDamping"]
    if normal <= 0:
        rate = -stiffness * z / damping
        return {"bristleDeflection": rate}, {
            "frictionForce": 0.0,
            "slidingVelocity": velocity - rate,
        }
    curve, speed = stribeck.force(p, normal, velocity), abs(velocity)
    rate = (velocity * curve - speed * stiffness * z) / (curve + speed * damping)
    force, limit = stiffness * z + damping * rate, p["staticFriction"] * normal
    if not bounds.is_printed(p):
        lowest, highest = (
            side * limit * direction.dry(p, side) + stribeck.viscous(p, normal, side * speed)
            for side in (-1, 1)
        )
        force = min(max(force, lowest), highest)
    return {"bristleDeflection": rate}, {"frictionForce": force, "slidingVelocity": velocity - rate}
