"""Colantonio et al. 2022, eqs 15, 16 and 19 for the normal force, 18 and 21 to 24 for friction
under it."""

import numpy as np

from . import HuntCrossley, ProjectedLuGre
from .plane import spread, vector


def evaluate(p, u, x):
    v, n = (
        vector(u, "relativeVelocity"),
        vector(u, "contactNormal") / np.linalg.norm(vector(u, "contactNormal")),
    )
    depth, rate = float(n @ (vector(u, "planePoint") - vector(u, "pointPosition"))), -float(n @ v)
    normal, heat = HuntCrossley.press(p, depth, rate)
    rates, outputs = ProjectedLuGre.rub(p, normal, n, v, vector(x, "bristleDeflection"))
    outputs["dissipatedPower"] += normal * rate
    outputs["heatFlow"] += heat
    return rates, outputs | {
        "penetration": depth,
        "normalForce": normal,
        **spread("contactForce", normal * n - vector(outputs, "frictionForce")),
    }
