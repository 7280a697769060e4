"""Pennestrì 2016, eq 3, with sgn v on both parts."""

import math

from .direction import dry
from .ideal_stick import evaluate_ideal


def sliding(p, normal, velocity):
    fading = math.exp(-p["decayConstant"] * abs(velocity))
    return (
        dry(p, velocity)
        * (p["dynamicFriction"] + (p["staticFriction"] - p["dynamicFriction"]) * fading)
        * normal
    )


def evaluate(p, u, x):
    return evaluate_ideal(sliding, p, u)
