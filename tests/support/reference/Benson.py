"""Pennestrì 2016, eq 3, with sgn v on both parts."""

import math

from .ideal_stick import evaluate_ideal


def sliding(p, normal, speed):
    return (p["dynamicFriction"] + (p["staticFriction"] - p["dynamicFriction"]) * math.exp(-p["decayConstant"] * speed)) * normal


def evaluate(p, u, x):
    return evaluate_ideal(sliding, p, u)
