"""Rill 2023, eq 5, solved by plain bisection on each monotone piece, so that it shares no error
with the model. In the positive direction; `direction.seen_from` gives the parameters for the other
one.
"""

import math

from scipy.optimize import brentq, minimize_scalar

from . import stribeck
from .direction import seen_from


def balance(p, normal, speed):
    """Returns H(a): the force |F*| at which the tip of the bristle slides with the speed a."""
    return stribeck.force(p, normal, speed) + p["bristleDamping"] * speed


def rise(p, normal, speed):
    """Returns H'(a) for a > 0."""
    s, alpha = speed / p["stribeckVelocity"], p["stribeckExponent"]
    fall = (
        (p["staticFriction"] - p["dynamicFriction"])
        / p["stribeckVelocity"]
        * alpha
        * s ** (alpha - 1)
        * math.exp(-(s**alpha))
    )
    return p["bristleDamping"] + p["viscousDamping"] + normal * (p["viscousFriction"] - fall)


def folds(p, normal):
    """Returns the speeds between which H falls, or None if it never does."""
    scale = p["stribeckVelocity"]
    if p["stribeckExponent"] < 1:  # H falls steeply from zero on, and turns once
        if rise(p, normal, scale * math.exp(-300)) >= 0:
            return None
        return 0.0, scale * math.exp(
            brentq(lambda y: rise(p, normal, scale * math.exp(y)), -300, 5, xtol=1e-14)
        )
    grid = [scale * 10 ** (k / 40) for k in range(-320, 60)]
    falling = [speed for speed in grid if rise(p, normal, speed) < 0]
    if not falling:
        low = minimize_scalar(
            lambda s: rise(p, normal, s),
            bounds=(0, 3 * scale),
            method="bounded",
            options={"xatol": 1e-12 * scale},
        )
        if low.fun >= 0:
            return None
        falling = [low.x]
    first, last = falling[0], falling[-1]
    below, least = 0.0, math.log(first) - 300
    if (
        p["stribeckExponent"] > 1 and rise(p, normal, math.exp(least)) > 0
    ):  # with an exponent near 1 it lies near zero
        below = math.exp(
            brentq(lambda y: rise(p, normal, math.exp(y)), least, math.log(first), xtol=1e-14)
        )
    return below, brentq(lambda s: rise(p, normal, s), last, 100 * scale, xtol=1e-18)


def sliding_speeds(p, normal, force):
    """Returns all speeds a > 0 with H(a) = |F*| on rising pieces, the slow one first."""
    far = force / p["bristleDamping"] + 1.0
    pieces = [(0.0, far)]
    fold = folds(p, normal)
    if fold:
        pieces = [(0.0, fold[0]), (fold[1], far)]
    found = []
    for low, high in pieces:
        if high > low and balance(p, normal, low) <= force <= balance(p, normal, high):
            found.append(
                brentq(lambda s: balance(p, normal, s) - force, low, high, xtol=1e-18, rtol=1e-15)
            )
    return found


def steady_force(p, normal, velocity):
    """Returns the Stribeck curve, unless H falls at this velocity: there the bristle jumps to and
    fro."""
    fold = folds(seen_from(p, velocity), normal)
    if fold and fold[0] * 0.99 <= abs(velocity) <= fold[1] * 1.01:
        return None
    return stribeck.steady_force(p, normal, velocity)
