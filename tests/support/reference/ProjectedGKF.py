"""Colantonio et al. 2022, eqs 18 and 38 (corrected as on a line), along the velocity in the
plane."""

import numpy as np

from . import GKF
from .plane import friction_outputs, vector


def evaluate(p, u, x):
    normal, v = u["normalForce"], vector(u, "relativeVelocity")
    n = vector(u, "contactNormal") / np.linalg.norm(vector(u, "contactNormal"))
    sliding = np.cross(n, np.cross(v, n))
    speed = float(np.linalg.norm(sliding))
    force = GKF.steady_force(p, normal, speed) * sliding / speed if normal > 0 else np.zeros(3)
    outputs = friction_outputs(normal, force, v, sliding)
    return {}, outputs | {"heatFlow": outputs["dissipatedPower"]}
