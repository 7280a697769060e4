"""Rill 2023, eqs 18 to 20; the leading v of eq 19 is nu. At rest without load, where eq 18 is 0/0, the bristle relaxes."""

from . import stribeck


def evaluate(p, u, x):
    normal, velocity, z = u["normalForce"], u["relativeVelocity"], x["bristleDeflection"]
    stiffness, damping = p["bristleStiffness"], p["bristleDamping"]
    if normal <= 0:
        rate = -stiffness * z / damping
        return {"bristleDeflection": rate}, {"frictionForce": 0.0, "slidingVelocity": velocity - rate}
    curve, speed = stribeck.coefficient(p, abs(velocity)) * normal, abs(velocity)
    rate = (velocity * curve - speed * stiffness * z) / (curve + speed * damping)
    return {"bristleDeflection": rate}, {"frictionForce": stiffness * z + damping * rate, "slidingVelocity": velocity - rate}
