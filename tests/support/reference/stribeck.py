"""The Stribeck curve, Rill 2023 eq 4, and the viscous part of it and of the LuGre literature."""

import math


def coefficient(p, speed):
    """mu(a) without its viscous part, a >= 0."""
    return (p["dynamicFriction"] + (p["staticFriction"] - p["dynamicFriction"])
            * math.exp(-((speed / p["stribeckVelocity"]) ** p["stribeckExponent"])))


def viscous(p, normal, velocity):
    """What grows with the speed: under the normal force, and in a film that does not feel it."""
    return p["viscousFriction"] * normal * velocity + p["viscousDamping"] * velocity


def force(p, normal, speed):
    """Friction force at a speed a >= 0."""
    return coefficient(p, speed) * normal + viscous(p, normal, speed)


def steady_force(p, normal, velocity):
    """Friction force of steady sliding."""
    return math.copysign(force(p, normal, abs(velocity)), velocity)
