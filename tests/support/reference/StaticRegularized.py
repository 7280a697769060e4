"""Rill 2023, eq 21 and Listing 4 with f0 = 0."""

import math

from . import direction, stribeck


def regularized(p, normal, velocity):
    """Returns a parabola up to the regularization velocity, the Stribeck curve of the speed beyond
    it."""
    speed, band = abs(velocity), p["regularizationVelocity"]
    if speed < band:
        ratio = speed / band
        return math.copysign(
            direction.dry(p, velocity) * p["staticFriction"] * ratio * (2 - ratio) * normal,
            velocity,
        )
    return stribeck.steady_force(p, normal, math.copysign(speed - band, velocity))


def evaluate(p, u, x):
    normal, velocity = u["normalForce"], u["relativeVelocity"]
    return {}, {
        "frictionForce": regularized(p, normal, velocity) if normal > 0 else 0.0,
        "slidingVelocity": velocity,
    }


def steady_force(p, normal, velocity):
    return regularized(p, normal, velocity)
