"""Pennestrì 2016, eqs 1 and 2."""

from .direction import dry
from .ideal_stick import evaluate_ideal


def evaluate(p, u, x):
    return evaluate_ideal(
        lambda p, normal, velocity: dry(p, velocity) * p["dynamicFriction"] * normal, p, u
    )
