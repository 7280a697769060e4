"""Colantonio et al. 2022, eq 38 (corrected), on a line; its f_v V is felt on the straight line through rest too."""

import math

from . import stribeck


def steady_force(p, normal, velocity):
    if abs(velocity) < p["regularizationVelocity"]:
        return p["staticFriction"] * normal * velocity / p["regularizationVelocity"] + p["viscousDamping"] * velocity
    return math.copysign(stribeck.force(p, normal, abs(velocity)), velocity)


def evaluate(p, u, x):
    normal, velocity = u["normalForce"], u["relativeVelocity"]
    return {}, {"frictionForce": steady_force(p, normal, velocity) if normal > 0 else 0.0, "slidingVelocity": velocity}
