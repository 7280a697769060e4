"""Reactions of a guide: across it, over its overlap, about its axis."""

import math

from .PinLoad import rounded


def evaluate(p, u, x):
    F = [u[f"reactionForce[{i}]"] for i in (1, 2, 3)]
    M = [u[f"reactionMoment[{i}]"] for i in (1, 2, 3)]
    w, arm = p["smoothingForce"], p["reactionArm"]
    overlap = max(p["initialOverlap"] + p["overlapRate"] * u["slidePosition"], p["minimumOverlap"])
    across = rounded(math.hypot(F[1], F[2]), w) if p["reactionForceEffect"] == 1 else 0.0
    bent = (
        rounded(math.hypot(M[1], M[2]), w * overlap) / overlap if p["bendingEffect"] == 1 else 0.0
    )
    twisted = rounded(abs(M[0]), w * arm) / arm if p["torsionEffect"] == 1 else 0.0
    return {}, {
        "normalForce": across + bent + twisted,
        "reactionLoad": across,
        "bendingLoad": bent,
        "torsionLoad": twisted,
        "overlap": overlap,
    }
