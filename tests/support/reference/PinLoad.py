"""Reactions of a pin or a ball, each part at its arm."""

import math


def rounded(magnitude, width):
    return math.hypot(magnitude, width) - width


def evaluate(p, u, x):
    F = [u[f"reactionForce[{i}]"] for i in (1, 2, 3)]
    M = [u[f"reactionMoment[{i}]"] for i in (1, 2, 3)]
    w, arm = p["smoothingForce"], p["bendingArm"]
    force, bending, ball = p["reactionForceEffect"] == 1, p["bendingEffect"] == 1, p["joint"] == 2
    radial = rounded(math.hypot(*F) if ball else math.hypot(F[0], F[1]), w) if force else 0.0
    axial = rounded(abs(F[2]), w) * p["frictionArm"] / p["pinRadius"] if force and not ball else 0.0
    bent = rounded(math.hypot(M[0], M[1]), w * arm) / arm if bending and not ball else 0.0
    return {}, {
        "normalForce": radial + axial + bent,
        "radialLoad": radial,
        "axialLoad": axial,
        "bendingLoad": bent,
        "frictionRadius": p["pinRadius"],
    }
