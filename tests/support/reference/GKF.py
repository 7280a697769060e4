"""Colantonio et al. 2022, eq 38 (corrected), on a line; its f_v V also acts on the straight line
through zero velocity."""

from . import direction, stribeck


def steady_force(p, normal, velocity):
    if abs(velocity) < p["regularizationVelocity"]:
        static = direction.dry(p, velocity) * p["staticFriction"]
        return (
            static * normal * velocity / p["regularizationVelocity"]
            + direction.wet(p, velocity) * p["viscousDamping"] * velocity
        )
    return stribeck.steady_force(p, normal, velocity)


def evaluate(p, u, x):
    normal, velocity = u["normalForce"], u["relativeVelocity"]
    return {}, {
        "frictionForce": steady_force(p, normal, velocity) if normal > 0 else 0.0,
        "slidingVelocity": velocity,
    }
