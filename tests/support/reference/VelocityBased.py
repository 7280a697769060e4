"""Pennestrì et al. 2016, section 2.2, with the cubic STEP of eq 19 (corrected)."""

import math

from .curve import evaluate_curve
from .steps import step


def coefficient(p, velocity):
    static, dynamic, slow, fast = (
        p[name]
        for name in ("staticFriction", "dynamicFriction", "staticVelocity", "dynamicVelocity")
    )
    if abs(velocity) <= slow:
        return step(velocity, -slow, -static, slow, static)
    return math.copysign(step(abs(velocity), slow, static, fast, dynamic), velocity)


def evaluate(p, u, x):
    return evaluate_curve(coefficient, p, u)
