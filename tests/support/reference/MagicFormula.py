"""Pennestrì et al. 2016, eq 5 in Pacejka's form."""

import math

from .curve import evaluate_curve


def coefficient(p, velocity):
    s = p["stiffnessFactor"] * velocity
    return p["staticFriction"] * math.sin(
        p["shapeFactor"] * math.atan(s - p["curvatureFactor"] * (s - math.atan(s)))
    )


def evaluate(p, u, x):
    return evaluate_curve(coefficient, p, u)
