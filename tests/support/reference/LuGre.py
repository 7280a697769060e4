"""Rill 2023, eqs 15 to 17, Listing 5 (type 2)."""

import math

from . import bounds, direction, stribeck


def curve(p, normal, velocity):
    """Returns g: the Stribeck curve without its viscous part, as a force."""
    return direction.dry(p, velocity) * stribeck.coefficient(p, abs(velocity)) * normal


def damping(p, velocity):
    return p["bristleDamping"]


def bristle_force(p, normal, velocity, z, rate, damping=damping):
    force = bounds.springing(
        p, p["bristleStiffness"] * z + damping(p, velocity) * rate, rate, velocity
    )
    return bounds.within(p, force, p["staticFriction"] * normal)


def linear(p, normal, velocity, damping=damping):
    """Returns (rate, end, damping, viscous) for held inputs in contact: dz/dt = rate (end - z), F =
    sigma0 z + damping dz/dt + viscous."""
    g = curve(p, normal, velocity)
    end = math.copysign(g / p["bristleStiffness"], velocity)
    return (
        p["bristleStiffness"] * abs(velocity) / g,
        end,
        damping(p, velocity),
        stribeck.viscous(p, normal, velocity),
    )


def evaluate(p, u, x, damping=damping):
    normal, velocity, z = u["normalForce"], u["relativeVelocity"], x["bristleDeflection"]
    if normal <= 0:
        rate = -z * p["bristleStiffness"] / p["bristleDamping"]
        force = 0.0
    else:
        rate = velocity - abs(velocity) * p["bristleStiffness"] * z / curve(p, normal, velocity)
        force = bristle_force(p, normal, velocity, z, rate, damping) + stribeck.viscous(
            p, normal, velocity
        )
    return {"bristleDeflection": rate}, {"frictionForce": force, "slidingVelocity": velocity - rate}
