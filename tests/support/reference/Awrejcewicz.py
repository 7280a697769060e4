"""Awrejcewicz et al. 2008 as restated by Marques et al. 2016: the four regions one by one, with
sliding friction on the Stribeck curve of the speed beyond the band."""

import math

from . import direction, stribeck


def friction(p, normal, velocity, load):
    speed, band = abs(velocity), p["staticVelocity"]
    if speed > band:
        return stribeck.steady_force(p, normal, math.copysign(speed - band, velocity))

    def limit(side):
        """Returns the static limit on a side, with its sign."""
        return math.copysign(direction.dry(p, side) * p["staticFriction"] * normal, side)

    step = (speed / band) ** 2 * (3 - 2 * speed / band)
    if abs(load) <= abs(limit(load)):
        return step * (limit(velocity) - load) + load
    if load * velocity >= 0:
        return limit(load)
    return step * limit(velocity) + (1 - step) * limit(-velocity)  # (2 step - 1) F_s sgn v


def evaluate(p, u, x):
    normal, velocity = u["normalForce"], u["relativeVelocity"]
    return {}, {
        "frictionForce": friction(p, normal, velocity, u["externalForce"]) if normal > 0 else 0.0,
        "slidingVelocity": velocity,
    }


def steady_force(p, normal, velocity):
    return friction(p, normal, velocity, 0.0)


def creep(share):
    """Returns the speed, relative to the band, at which a share of the static limit balances an
    unknown load: the root of the cubic step."""
    return 0.5 - math.sin(math.asin(1 - 2 * share) / 3)
