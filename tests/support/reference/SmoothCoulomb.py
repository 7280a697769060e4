"""Pennestrì et al. 2016, eq 4, and the smoothings that section 2.1 names."""

import math

from .curve import evaluate_curve

SMOOTHINGS = {
    1: math.tanh,
    2: lambda s: sorted((-1.0, s, 1.0))[1],
    3: lambda s: math.copysign(1 - math.exp(-abs(s)), s),
    4: lambda s: 2 / math.pi * math.atan(math.pi / 2 * s),
}


def coefficient(p, velocity):
    return p["dynamicFriction"] * SMOOTHINGS[p["smoothing"]](velocity / p["dynamicVelocity"])


def evaluate(p, u, x):
    return evaluate_curve(coefficient, p, u)
