"""The Stribeck curve, Rill 2023 eq 4, and the viscous part of it and of the LuGre literature."""

import math

from . import direction


def coefficient(p, speed):
    """Returns mu(a) without its viscous part, a >= 0."""
    return p["dynamicFriction"] + (p["staticFriction"] - p["dynamicFriction"]) * math.exp(
        -((speed / p["stribeckVelocity"]) ** p["stribeckExponent"])
    )


def viscous_damping(p, normal, speed):
    """Returns the viscous part over the speed: proportional to the normal force, and that of a film
    independent of it; as a power of the speed that equals the linear law at the reference speed,
    rounded off at a ten thousandth of it."""
    damping = p["viscousFriction"] * normal + p["viscousDamping"]
    if p.get("viscousExponent", 1.0) != 1:
        reference = p["viscousReferenceVelocity"]
        damping *= (math.hypot(speed, 1e-4 * reference) / reference) ** (p["viscousExponent"] - 1)
    return damping


def viscous(p, normal, velocity):
    """Returns the viscous part of the friction force on a line."""
    return direction.wet(p, velocity) * viscous_damping(p, normal, velocity) * velocity


def steady_force(p, normal, velocity):
    """Returns the friction force of steady sliding."""
    dry = direction.dry(p, velocity) * coefficient(p, abs(velocity)) * normal
    return math.copysign(dry, velocity) + viscous(p, normal, velocity)


def force(p, normal, speed):
    """Returns the magnitude of the friction force at a velocity."""
    return abs(steady_force(p, normal, speed))
