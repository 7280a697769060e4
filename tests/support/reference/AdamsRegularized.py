"""Schuderer et al. 2023, section 3.1, Adams."""

import math

from .curve import evaluate_curve
from .steps import step5


def coefficient(p, velocity):
    static, dynamic, slow, fast = (
        p[name]
        for name in ("staticFriction", "dynamicFriction", "staticVelocity", "dynamicVelocity")
    )
    if abs(velocity) <= slow:
        return step5(velocity, -slow, -static, slow, static)
    return math.copysign(step5(abs(velocity), slow, static, fast, dynamic), velocity)


def evaluate(p, u, x):
    return evaluate_curve(coefficient, p, u)
