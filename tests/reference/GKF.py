"""Colantonio et al. 2022, eq 38 (corrected), on a line."""

import math

from . import stribeck
from .curve import evaluate_curve


def coefficient(p, velocity):
    if abs(velocity) < p["regularizationVelocity"]:
        return p["staticFriction"] * velocity / p["regularizationVelocity"]
    return math.copysign(stribeck.coefficient(p, abs(velocity)), velocity)


def evaluate(p, u, x):
    return evaluate_curve(coefficient, p, u)


def steady_force(p, normal, velocity):
    return coefficient(p, velocity) * normal
