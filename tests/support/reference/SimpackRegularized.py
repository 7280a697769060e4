"""Schuderer et al. 2023, section 3.1, Simpack."""

import math

from .curve import evaluate_curve


def coefficient(p, velocity):
    static, dynamic, slow, fast = (
        p[name]
        for name in ("staticFriction", "dynamicFriction", "staticVelocity", "dynamicVelocity")
    )
    if abs(velocity) <= slow:
        return static * math.sin(math.pi / 2 * velocity / slow)
    phase = math.pi * min((abs(velocity) - slow) / (fast - slow), 1.0)
    return math.copysign(dynamic + (static - dynamic) / 2 * (1 + math.cos(phase)), velocity)


def evaluate(p, u, x):
    return evaluate_curve(coefficient, p, u)
