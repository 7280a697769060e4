"""Pennestrì et al. 2016, eq 4."""

import math

from .curve import evaluate_curve


def coefficient(p, velocity):
    return p["dynamicFriction"] * math.tanh(velocity / p["dynamicVelocity"])


def evaluate(p, u, x):
    return evaluate_curve(coefficient, p, u)
