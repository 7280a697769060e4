"""The Stribeck curve, Rill 2023 eq 4."""

import math


def coefficient(p, speed):
    """mu(a) with its viscous part, a >= 0."""
    return (p["dynamicFriction"] + (p["staticFriction"] - p["dynamicFriction"])
            * math.exp(-((speed / p["stribeckVelocity"]) ** p["stribeckExponent"])) + p.get("viscousFriction", 0.0) * speed)


def steady_force(p, normal, velocity):
    """Friction force of steady sliding."""
    return math.copysign(coefficient(p, abs(velocity)) * normal, velocity)
