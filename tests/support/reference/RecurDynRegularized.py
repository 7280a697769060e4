"""Schuderer et al. 2023, section 3.1, RecurDyn."""

from .curve import evaluate_curve
from .steps import step5


def coefficient(p, velocity):
    return step5(
        velocity,
        -p["staticVelocity"],
        -p["staticFriction"],
        p["staticVelocity"],
        p["staticFriction"],
    )


def evaluate(p, u, x):
    return evaluate_curve(coefficient, p, u)
