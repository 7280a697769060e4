"""The Stribeck curve, Rill 2023 eq 4, and the viscous part of it and of the LuGre literature."""

import math

from . import direction


def coefficient(p, speed):
    """mu(a) without its viscous part, a >= 0."""
    return p["dynamicFriction"] + (p["staticFriction"] - p["dynamicFriction"]) * math.exp(
        -((speed / p["stribeckVelocity"]) ** p["stribeckExponent"])
    )


def viscous_damping(p, normal, speed):
    """What grows with the speed, over the speed: under the normal force, and in a film that does
    not feel it; as a power of the speed that has its value at the reference speed and is rounded
    off at a ten thousandth of it."""
    damping = p["viscousFriction"] * normal + p["viscousDamping"]
    if p.get("viscousExponent", 1.0) != 1:
        reference = p["viscousReferenceVelocity"]
        damping *= (math.hypot(speed, 1e-4 * reference) / reference) ** (p["viscousExponent"] - 1)
    return damping


def viscous(p, normal, velocity):
    """The viscous part of the friction force on a line."""
    return direction.wet(p, velocity) * viscous_damping(p, normal, velocity) * velocity


def steady_force(p, normal, velocity):
    """Friction force of steady sliding."""
    dry = direction.dry(p, velocity) * coefficient(p, abs(velocity)) * normal
    return math.copysign(dry, velocity) + viscous(p, normal, velocity)


def force(p, normal, speed):
    """Size of the friction force at a velocity."""
    return abs(steady_force(p, normal, speed))
