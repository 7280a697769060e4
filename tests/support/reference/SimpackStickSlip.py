"""Schuderer 2023, section 3: spring and damper, or Coulomb. Modes: 1 Separated, 2 Stick, 3
SlipForward, 4 SlipBackward."""

from .direction import dry


def evaluate(p, u, x):
    normal, v, mode = u["normalForce"], u["relativeVelocity"], u["mode"]
    force = rate = 0.0
    if normal > 0 and mode == 2:
        force = p["stictionStiffness"] * x["stictionDeflection"] + p["stictionDamping"] * v
        rate = v
    elif normal > 0:
        side = {1: 0.0, 3: 1.0, 4: -1.0}[mode]
        force = side * dry(p, side) * p["dynamicFriction"] * normal
    return {"stictionDeflection": rate}, {"frictionForce": force, "slidingVelocity": v - rate}
