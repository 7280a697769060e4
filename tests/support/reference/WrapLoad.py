"""Euler's rope."""

import math


def evaluate(p, u, x):
    mu, tension = p["dynamicFriction"], max(u["slackTension"], 0.0)
    angle = min(mu * max(u["wrapAngle"], 0.0), 100.0)
    difference = tension * math.expm1(angle)
    return {}, {
        "tensionDifference": difference,
        "normalForce": difference / mu,
        "backwardTensionRatio": math.exp(-angle),
    }
