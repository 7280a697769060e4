"""Rill 2023, eqs 22 to 25, Listing 3 (case 4) and Listing 4."""

import math

from . import ImplicitBristle, StaticRegularized, direction, stribeck


def shift(p, normal, stick_force):
    """Returns eq 22; its sign as in Listing 4."""
    remaining = max(
        1.0 - abs(stick_force) / (direction.dry(p, stick_force) * p["staticFriction"] * normal), 0.0
    )
    return math.copysign(p["regularizationVelocity"] * (1.0 - math.sqrt(remaining)), stick_force)


def evaluate(p, u, x):
    normal, velocity = u["normalForce"], u["relativeVelocity"]
    z, rate = x["bristleDeflection"], x["bristleVelocity"]
    stiffness, damping = p["bristleStiffness"], p["bristleDamping"]
    force = 0.0
    if normal > 0:
        force = StaticRegularized.regularized(
            p, normal, velocity - rate + shift(p, normal, stiffness * z + damping * velocity)
        )
    mass = damping**2 / (4 * stiffness)
    acceleration = (force - stiffness * z - damping * rate) / mass
    return {"bristleDeflection": rate, "bristleVelocity": acceleration}, {
        "frictionForce": force,
        "slidingVelocity": velocity - rate,
    }


def steady_force(p, normal, velocity):
    """Returns the Stribeck curve; valid where its fall does not exceed the damping, and where the
    shift of eq 22 is complete."""
    force = stribeck.steady_force(p, normal, velocity)
    p = direction.seen_from(p, velocity)
    if ImplicitBristle.rise(p, normal, abs(velocity)) <= 0.02 * p["bristleDamping"]:
        return None
    if abs(force) + p["bristleDamping"] * abs(velocity) < 1.02 * p["staticFriction"] * normal:
        return None
    return force
